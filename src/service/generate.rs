//! From the engine to a stream of text: the engine runs on a blocking thread, pieces cross a bounded channel, a reader
//! who goes away or stops reading stops it. A few answers are written at a time; the others wait in the order they came.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use super::ask::Ask;
use super::limits::{AHEAD, WAITING};
use super::reject::Reject;
use super::state::State;
use super::{secret, voice};
use crate::engine::language::{Finish, Generation, Model};
use crate::settings::limits::IDLE;

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
/// every choice, only if the engine fails or if nothing was received for as long as a client waits for a silent server.
pub(crate) fn start(state: &State, model: Arc<Model>, ask: Ask, most: u64) -> Result<mpsc::Receiver<Piece>, Reject> {
    start_for(state, model, ask, most, IDLE)
}

/// As [`start`], for a reader who receives nothing for at most `patience`.
fn start_for(
    state: &State,
    model: Arc<Model>,
    ask: Ask,
    most: u64,
    patience: Duration,
) -> Result<mpsc::Receiver<Piece>, Reject> {
    let waiting = state.queue(WAITING).ok_or_else(Reject::overloaded)?;
    let (reader, receiver) = mpsc::channel(1);
    let state = state.clone();
    tokio::spawn(async move {
        let turn = tokio::select! {
            turn = state.turns().acquire_owned() => turn,
            () = reader.closed() => return,
        };
        drop(waiting);
        let writing = state.write();
        let (pieces, written) = mpsc::channel(AHEAD);
        tokio::task::spawn_blocking(move || {
            write(&model, &ask, most, &pieces);
            drop((turn, writing));
        });
        hand_on(written, reader, patience).await;
    });
    Ok(receiver)
}

/// Hands pieces on to the reader. Returning drops `written`, which stops the engine.
async fn hand_on(mut written: mpsc::Receiver<Piece>, reader: mpsc::Sender<Piece>, patience: Duration) {
    loop {
        let piece = tokio::select! {
            piece = written.recv() => piece,
            () = reader.closed() => return,
        };
        let Some(piece) = piece else { return };
        if reader.send_timeout(piece, patience).await.is_err() {
            return;
        }
    }
}

/// One choice while it is written.
struct Choice<'m> {
    index: u32,
    generation: Generation<'m>,
    tokens: u64,
}

/// Takes a token of each choice in turn until all have ended or nobody reads.
fn write(model: &Model, ask: &Ask, most: u64, pieces: &mpsc::Sender<Piece>) {
    let prompt = model.read(&voice::prompt(ask));
    let seed = ask.seed.map_or_else(secret::seed, i64::cast_unsigned);
    let begin = |index| {
        let generation = model.begin(&prompt, &voice::sampling(ask, most, seed, index));
        Choice { index, generation, tokens: 0 }
    };
    let mut choices: Vec<Choice> = (0..ask.n).map(begin).collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_reader_who_stops_reading_does_not_hold_the_engine() {
        let state = State::new("k".to_owned().into()).unwrap();
        // Many long choices, kept from ending: far more than waits between engine and reader.
        let body = br#"{"model": "gpt-3.5-turbo", "messages": [{"role": "user", "content": "hi"}], "n": 128,
            "logit_bias": {"50256": -100}}"#;
        let Ok(ask) = Ask::read(body) else { panic!("the request is right") };
        let Ok(mut reader) = start_for(&state, state.base(), ask, 4000, Duration::from_millis(50)) else {
            panic!("there is room")
        };
        let stopped = async {
            assert!(reader.recv().await.is_some());
            // And reads no more.
            while state.live() > 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), stopped).await.expect("the engine stops");
        let mut left = 0;
        while let Some(piece) = reader.recv().await {
            assert!(matches!(piece, Piece::Text { .. }));
            left += 1;
        }
        assert!(left <= 1, "{left}");
    }
}
