//! Whether a store holds what was acknowledged. Knows nothing of who wrote it, so any program can be held to it.

use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use benchtop::api::call::Ticket;
use benchtop::record::{Id, Query, Rows, Stored, Token, TurnStatus};
use benchtop::store::Store;

/// What must be in the store.
pub struct Kept {
    pub turn: Id,
    /// Acknowledged text: the stored one begins with it.
    pub content: String,
    pub reasoning: String,
    /// All there was to write: the stored text goes no further and says nothing else.
    pub all_content: String,
    pub all_reasoning: String,
    /// Whether the finished turn was acknowledged.
    pub whole: bool,
}

/// What must be in the store of a step.
pub struct Grown {
    pub sheet: Id,
    pub step: Id,
    /// Acknowledged text: the stored one begins with it.
    pub text: String,
    /// All there was to write.
    pub all_text: String,
    /// How many tokens were acknowledged.
    pub tokens: usize,
    pub all_tokens: Vec<Token>,
    /// Whether the finished step was acknowledged.
    pub whole: bool,
}

/// Opens the store and compares; the first loss as a sentence.
pub fn kept(path: &Path, turns: &[Kept], steps: &[Grown]) -> Result<(), String> {
    let (send, answers) = channel();
    let store = Store::open(path, move |_, stored| send.send(stored).unwrap_or_default()).map_err(|e| e.to_string())?;
    if !store.warnings().is_empty() {
        return Err(store.warnings().join("; "));
    }
    turns_kept(&store, &answers, turns)?;
    steps_kept(&store, &answers, steps)?;
    if store.close() { Ok(()) } else { Err("the store did not close".to_owned()) }
}

fn ask(store: &Store, answers: &Receiver<Stored>, query: Query) -> Result<Rows, String> {
    store.load(Ticket(1), query);
    match answers.recv_timeout(Duration::from_mins(1)) {
        Ok(Stored::Rows(rows)) => Ok(rows),
        other => Err(format!("no rows came: {other:?}")),
    }
}

fn turns_kept(store: &Store, answers: &Receiver<Stored>, expected: &[Kept]) -> Result<(), String> {
    let query = Query::Turns(expected.iter().map(|kept| kept.turn).collect());
    let Rows::Turns(turns) = ask(store, answers, query)? else { return Err("no turns came".to_owned()) };
    for kept in expected {
        let id = kept.turn.0;
        let Some(turn) = turns.iter().find(|turn| turn.id == kept.turn) else {
            return Err(format!("turn {id} is lost"));
        };
        text_kept(&format!("content of turn {id}"), turn.content.raw(), &kept.content, &kept.all_content)?;
        text_kept(&format!("reasoning of turn {id}"), turn.reasoning.raw(), &kept.reasoning, &kept.all_reasoning)?;
        if kept.whole && turn.status != TurnStatus::Done {
            return Err(format!("turn {id} was finished and is {:?}", turn.status));
        }
    }
    Ok(())
}

fn steps_kept(store: &Store, answers: &Receiver<Stored>, expected: &[Grown]) -> Result<(), String> {
    let Some(sheet) = expected.first().map(|grown| grown.sheet) else { return Ok(()) };
    let Rows::Sheet(Some((_, steps))) = ask(store, answers, Query::Sheet(sheet))? else {
        return Err("the sheet is lost".to_owned());
    };
    let query = Query::Tokens(expected.iter().map(|grown| grown.step).collect());
    let Rows::Tokens(tokens) = ask(store, answers, query)? else { return Err("no tokens came".to_owned()) };
    for grown in expected {
        let id = grown.step.0;
        let Some(step) = steps.iter().find(|step| step.id == grown.step) else {
            return Err(format!("step {id} is lost"));
        };
        text_kept(&format!("step {id}"), step.inserted.raw(), &grown.text, &grown.all_text)?;
        let tokens = tokens.iter().find(|(of, _)| *of == grown.step).map_or(&[][..], |(_, tokens)| tokens);
        if tokens.len() < grown.tokens {
            return Err(format!("step {id} has {} of {} tokens", tokens.len(), grown.tokens));
        }
        if !grown.all_tokens.starts_with(tokens) {
            return Err(format!("step {id} has tokens that nobody wrote"));
        }
        if grown.whole && step.status != TurnStatus::Done {
            return Err(format!("step {id} was finished and is {:?}", step.status));
        }
    }
    Ok(())
}

fn text_kept(what: &str, stored: &str, acknowledged: &str, all: &str) -> Result<(), String> {
    if !stored.starts_with(acknowledged) {
        return Err(format!("{what}: {} of {} bytes are left", stored.len(), acknowledged.len()));
    }
    if !all.starts_with(stored) {
        return Err(format!("{what}: it holds what nobody wrote"));
    }
    Ok(())
}
