//! Completions in tests: what a server sends, what was asked of it, what the store has of them.

use std::collections::BTreeMap;

use benchtop::api::call::{Call, Failure, FailureKind, Progress, Reply, Ticket};
use benchtop::api::completion::{
    Completion, CompletionChoice, CompletionRequest, LogprobColumns, LogprobEntry, LogprobOther, Logprobs, Prompt,
};
use benchtop::api::usage::Usage;
use benchtop::app::Effect;
use benchtop::record::work::{Done, Tokens, Work};
use benchtop::record::{Id, Preset, Query, Rows, Run, Sheet, Step, Token};
use benchtop::settings::ProfileId;
use benchtop::text::Untrusted;
use benchtop::tokens::encoding;
use crossterm::event::KeyCode;

use crate::kit::{Disk, Driver, Tab};

/// A token's text, its logarithm, and what else there might have been.
pub type Odds<'a> = (&'a str, f64, &'a [(&'a str, f64)]);

pub fn piece(index: u32, text: &str, logprobs: Option<Logprobs>) -> Progress {
    let choice = CompletionChoice { index, text: text.to_owned(), logprobs, finish_reason: None };
    Progress::Reply(Reply::Completion(Completion { choices: vec![choice], ..Completion::default() }))
}

pub fn text(text: &str) -> Progress {
    piece(0, text, None)
}

/// The end of a choice.
pub fn end(index: u32, reason: &str) -> Progress {
    let choice = CompletionChoice { index, finish_reason: Some(reason.to_owned()), ..CompletionChoice::default() };
    Progress::Reply(Reply::Completion(Completion { choices: vec![choice], ..Completion::default() }))
}

pub fn usage(prompt_tokens: u64, completion_tokens: u64) -> Progress {
    let usage = Usage { prompt_tokens, completion_tokens: Some(completion_tokens), ..Usage::default() };
    Progress::Reply(Reply::Completion(Completion { usage: Some(usage), ..Completion::default() }))
}

/// The interface's form: a list for each thing.
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

/// Chat's form: an entry for each token.
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

/// Tokens as a piece each.
pub fn told(index: u32, tokens: &[Odds]) -> Vec<Progress> {
    tokens.iter().map(|odds| piece(index, odds.0, Some(columns(&[*odds])))).collect()
}

/// ` music`, and what else there might have been.
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

pub fn refused(status: u16, sentence: &str, body: &str) -> Failure {
    Failure { status: Some(status), body: body.into(), ..Failure::new(FailureKind::Refused, sentence) }
}

pub fn offline() -> Failure {
    let why = "no connection to 127.0.0.1:9: connection refused; is the server running?";
    Failure::new(FailureKind::Offline, why)
}

pub fn cut() -> Failure {
    Failure::new(FailureKind::CutOff, "the answer was cut off (connection reset); what came is kept")
}

/// Does the work on tokens with the real vocabularies; no file is here.
pub fn token_work(work: Work) -> Done {
    match work {
        Work::Tokenize { model, local, text } => Done::Tokens(encoding(&model.line(), local).map(|encoding| {
            let ids = encoding.encode(text.raw());
            let ends = encoding.ends(&ids).unwrap();
            Tokens { vocabulary: encoding.name(), ids, ends }
        })),
        Work::Count { model, local, texts } => {
            let encoding = encoding(&model.line(), local);
            let count = |text: &Untrusted| encoding.map_or(0, |encoding| encoding.count(text.raw()) as u32);
            Done::Counted(encoding.is_some(), texts.iter().map(count).collect())
        }
        Work::Spell { model, local, ids } => {
            let spell = |id: &u32| encoding(&model.line(), local).unwrap().token(*id).unwrap_or_default();
            Done::Spelled(encoding(&model.line(), local).map(|_| ids.iter().map(spell).collect()))
        }
        Work::Highlight { .. } => Done::Highlighted(Vec::new()),
        Work::Save { path, .. } => Done::Saved(path.into()),
        // Other tabs' work: no file is here.
        other => Done::Failed(format!("not here: {other:?}").into()),
    }
}

impl<T: Tab> Driver<T> {
    /// Completions asked for since this was asked last.
    pub fn sent(&mut self) -> Vec<(Ticket, ProfileId, CompletionRequest)> {
        let call = |effect| match effect {
            Effect::Call(ticket, profile, Call::Complete(request)) => Some((ticket, profile, *request)),
            _ => None,
        };
        self.news().into_iter().filter_map(call).collect()
    }

    /// Runs; the only call this leads to.
    pub fn run(&mut self) -> (Ticket, CompletionRequest) {
        self.press("^r");
        self.asked()
    }

    /// The only call since this was asked last.
    pub fn asked(&mut self) -> (Ticket, CompletionRequest) {
        let mut sent = self.sent();
        assert_eq!(sent.len(), 1, "one call\n{}", self.screen());
        let (ticket, _, request) = sent.remove(0);
        (ticket, request)
    }

    /// Types and runs.
    pub fn ask(&mut self, text: &str) -> Ticket {
        self.press(text);
        self.run().0
    }

    /// A whole stream: pieces, then the end.
    pub fn answer(&mut self, ticket: Ticket, pieces: impl IntoIterator<Item = Progress>) {
        self.progress(ticket, Progress::Opened { request_id: None });
        for piece in pieces {
            self.progress(ticket, piece);
        }
        self.progress(ticket, Progress::Closed(Ok(())));
    }

    /// What `C` copies: the request that a run would send.
    pub fn curl(&mut self) -> CompletionRequest {
        let before = self.effects.len();
        self.press("C");
        let copied = self.effects[before..].iter().find_map(|effect| match effect {
            Effect::CopyCurl(_, Call::Complete(request)) => Some((**request).clone()),
            _ => None,
        });
        copied.expect("a request is copied")
    }

    /// What was put on the clipboard since this was asked last.
    pub fn copied(&mut self) -> Vec<String> {
        let copied = |effect| if let Effect::Copy(text) = effect { Some(text.raw().to_owned()) } else { None };
        self.news().into_iter().filter_map(copied).collect()
    }

    /// The text in the buffer, as an editor gets it.
    pub fn text(&mut self) -> String {
        self.text_or_none().expect("there is a text to edit")
    }

    /// The same; `None`: another pane has the keys.
    pub fn text_or_none(&mut self) -> Option<String> {
        let before = self.effects.len();
        let find = |desk: &Self| {
            desk.effects[before..].iter().find_map(|effect| match effect {
                Effect::OpenEditor(text) => Some(text.clone()),
                Effect::Copy(text) => Some(text.raw().to_owned()),
                _ => None,
            })
        };
        self.code(KeyCode::F(4));
        let mut text = find(self);
        if text.is_none() {
            // While it runs nothing is edited, but it may be copied.
            self.code(KeyCode::Char('Y'));
            text = find(self);
        }
        self.effects.truncate(before);
        text
    }

    /// Sets a field of the settings by typing it.
    pub fn set(&mut self, label: &str, value: &str) {
        self.press("\u{1b}");
        self.code(KeyCode::Char('s'));
        let at = format!("▌{label}");
        for _ in 0..40 {
            if self.screen().contains(&at) {
                break;
            }
            self.press("j");
        }
        self.shows(&at);
        if matches!(value, "true" | "false") {
            self.press("\n");
        } else {
            self.press(&format!("\n^u{value}\n"));
        }
        self.press("g\u{1b}");
    }
}

impl Disk {
    /// The sheet that is opened next time, with its steps.
    pub fn sheet(&self) -> (Sheet, Vec<Step>) {
        self.sheet_of(Id(self.setting("completion.sheet").expect("a sheet").parse().unwrap()))
    }

    pub fn sheet_of(&self, id: Id) -> (Sheet, Vec<Step>) {
        let Rows::Sheet(Some(sheet)) = self.load(Query::Sheet(id)) else { panic!("none") };
        sheet
    }

    pub fn runs(&self) -> Vec<Run> {
        let Rows::Runs(runs) = self.load(Query::Runs(1000)) else { panic!() };
        runs
    }

    pub fn presets(&self) -> Vec<Preset> {
        let Rows::Presets(presets) = self.load(Query::Presets) else { panic!() };
        presets
    }

    pub fn tokens(&self, of: Id) -> Vec<Token> {
        let Rows::Tokens(found) = self.load(Query::Tokens(vec![of])) else { panic!() };
        found.into_iter().next().map(|(_, tokens)| tokens).unwrap_or_default()
    }
}

/// The text that a request goes on with.
pub fn prompt(request: &CompletionRequest) -> &str {
    match &request.prompt {
        Some(Prompt::Text(text)) => text,
        other => panic!("{other:?}"),
    }
}
