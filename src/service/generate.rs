//! From the engine to a stream of text: the engine runs on a blocking thread, pieces cross a bounded channel, a reader
//! who goes away stops it. A few answers are written at a time; the others wait in the order they came.

use tokio::sync::mpsc;

use super::ask::Ask;
use super::reject::Reject;
use super::state::State;
use super::{secret, voice};
use crate::engine::language::{Finish, Generation, Model};

/// Pieces between the engine and a slow reader.
const AHEAD: usize = 64;
/// Answers that may wait for a turn at the engine.
const WAITING: usize = 256;

/// A piece of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Text that follows what was sent of this choice. Never empty.
    Text { choice: u32, text: String },
    /// The choice is complete. Sent once for each.
    End { choice: u32, finish: Finish, tokens: u64 },
}

/// The interface's word for an end.
pub(crate) fn word(finish: Finish) -> &'static str {
    match finish {
        Finish::Stop => "stop",
        Finish::Length => "length",
    }
}

/// Starts the answer to `ask`, each choice at most `most` tokens long. The receiver ends early, without an `End` for
/// every choice, only if the engine fails.
pub(crate) fn start(state: &State, ask: Ask, most: u64) -> Result<mpsc::Receiver<Piece>, Reject> {
    let waiting = state.queue(WAITING).ok_or_else(Reject::overloaded)?;
    let (pieces, receiver) = mpsc::channel(AHEAD);
    let state = state.clone();
    tokio::spawn(async move {
        let turn = tokio::select! {
            turn = state.turns().acquire_owned() => turn,
            () = pieces.closed() => return,
        };
        drop(waiting);
        let writing = state.write();
        tokio::task::spawn_blocking(move || {
            write(state.model(), &ask, most, &pieces);
            drop((turn, writing));
        });
    });
    Ok(receiver)
}

/// One choice while it is written.
struct Choice<'m> {
    index: u32,
    generation: Generation<'m>,
    tokens: u64,
}

/// Takes a token of each choice in turn until all have ended or nobody reads.
fn write(model: &Model, ask: &Ask, most: u64, pieces: &mpsc::Sender<Piece>) {
    let prompt = voice::prompt(ask);
    let seed = ask.seed.map_or_else(secret::seed, i64::cast_unsigned);
    let mut choices = Vec::new();
    for index in 0..ask.n {
        let generation = model.generate(&prompt, &voice::sampling(ask, most, seed, index));
        choices.push(Choice { index, generation, tokens: 0 });
        if pieces.is_closed() {
            return;
        }
    }
    while !choices.is_empty() {
        let mut open = Vec::with_capacity(choices.len());
        for mut choice in choices {
            match step(&mut choice, pieces) {
                None => return,
                Some(true) => open.push(choice),
                Some(false) => {}
            }
        }
        choices = open;
    }
}

/// Writes a token of one choice. Whether the choice goes on; `None`: nobody reads any more.
fn step(choice: &mut Choice<'_>, pieces: &mpsc::Sender<Piece>) -> Option<bool> {
    let index = choice.index;
    let step = choice.generation.next();
    choice.tokens += u64::from(step.is_some());
    let mut text = step.map(|step| step.text).unwrap_or_default();
    let finish = choice.generation.finish();
    if finish.is_some() {
        text.push_str(&choice.generation.rest());
    }
    if !text.is_empty() {
        pieces.blocking_send(Piece::Text { choice: index, text }).ok()?;
    } else if pieces.is_closed() {
        return None;
    }
    let Some(finish) = finish else { return Some(true) };
    pieces.blocking_send(Piece::End { choice: index, finish, tokens: choice.tokens }).ok()?;
    Some(false)
}
