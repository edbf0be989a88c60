//! Streams of completions.

use std::collections::BTreeMap;

use benchtop::api::call::{Failure, FailureKind, Progress, Reply, cut_off_sentence};
use benchtop::api::completion::{CompletionRequest, LogprobColumns, LogprobEntry, LogprobOther, Logprobs, Prompt};
use serde_json::{Value, json};

pub use super::{offline, refused};

/// A token's text, its log-probability, and its alternatives.
pub type Odds<'a> = (&'a str, f64, &'a [(&'a str, f64)]);

fn event(json: Value) -> Progress {
    Progress::Reply(Reply::Completion(super::read(json)))
}

pub fn piece(index: u32, text: &str, logprobs: Option<Logprobs>) -> Progress {
    let Progress::Reply(Reply::Completion(mut piece)) = event(json!({"choices": [{"index": index, "text": text}]}))
    else {
        unreachable!()
    };
    piece.choices[0].logprobs = logprobs;
    Progress::Reply(Reply::Completion(piece))
}

pub fn text(text: &str) -> Progress {
    piece(0, text, None)
}

/// Returns the end of a choice.
pub fn end(index: u32, reason: &str) -> Progress {
    event(json!({"choices": [{"index": index, "text": "", "finish_reason": reason}]}))
}

pub fn usage(prompt_tokens: u64, completion_tokens: u64) -> Progress {
    event(json!({"choices": [], "usage": super::usage(prompt_tokens, completion_tokens)}))
}

/// Returns the interface's form: a list for each field.
pub fn columns(tokens: &[Odds]) -> Logprobs {
    let top = |top: &[(&str, f64)]| {
        Some(top.iter().map(|(token, logprob)| ((*token).to_owned(), *logprob)).collect::<BTreeMap<_, _>>())
    };
    Logprobs::Columns(LogprobColumns {
        tokens: tokens.iter().map(|(token, ..)| (*token).to_owned()).collect(),
        token_logprobs: tokens.iter().map(|(_, logprob, _)| Some(*logprob).filter(|told| *told <= 0.0)).collect(),
        top_logprobs: Some(tokens.iter().map(|(.., others)| top(others)).collect()),
        text_offset: Vec::new(),
    })
}

/// Returns chat's form: an entry for each token.
pub fn entries(tokens: &[Odds]) -> Logprobs {
    let other = |(token, logprob): &(&str, f64)| LogprobOther {
        token: Some((*token).to_owned()),
        logprob: Some(*logprob),
        bytes: token.as_bytes().to_vec(),
    };
    let entry = |(token, logprob, others): &Odds| LogprobEntry {
        token: (*token).to_owned(),
        logprob: Some(*logprob),
        bytes: token.as_bytes().to_vec(),
        top_logprobs: others.iter().map(other).collect(),
    };
    Logprobs::Entries { content: tokens.iter().map(entry).collect() }
}

/// Returns one part per token.
pub fn told(index: u32, tokens: &[Odds]) -> Vec<Progress> {
    tokens.iter().map(|odds| piece(index, odds.0, Some(columns(&[*odds])))).collect()
}

/// ` music` with its alternatives.
pub const MUSIC: Odds<'static> = (
    " music",
    -0.89,
    &[(" music", -0.89), (" focus", -1.51), (" calm", -2.04), (" podcast", -2.53), (" silence", -3.0)],
);

/// An answer of four tokens.
pub const AD: [Odds<'static>; 4] = [
    (" Keep", -0.5, &[(" Keep", -0.5), (" Hear", -1.4), (" Mute", -2.3), (" Love", -2.8), (" Take", -3.5)]),
    (" the", -0.1, &[(" the", -0.1), (" your", -2.6), (" all", -4.6), (" calm", -5.1), (" on", -6.0)]),
    MUSIC,
    (".", -0.2, &[(".", -0.2), (" alive", -2.3), (",", -2.6), ("!", -4.1), (" on", -4.5)]),
];

pub fn cut() -> Failure {
    Failure::new(FailureKind::CutOff, cut_off_sentence("connection reset"))
}

/// Returns the text that a request continues.
pub fn prompt(request: &CompletionRequest) -> &str {
    match &request.prompt {
        Some(Prompt::Text(text)) => text,
        other => panic!("{other:?}"),
    }
}
