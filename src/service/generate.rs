//! From the engine to a stream of text. Answers take turns: each works for a few milliseconds on a blocking thread,
//! sends its parts, and queues again. So no more threads work than there are turns, all answers proceed at the same
//! pace, and a reader who does not read occupies neither a thread nor a turn. A reader who disconnects, or stops
//! reading, ends the answer.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use super::limits::{AHEAD, ANSWERS};
use super::reject::Reject;
use super::state::State;
use super::writer::Writer;
use crate::engine::language::{Finish, Model, Placed, Prompt, Sampling, Scored};
use crate::settings::limits::IDLE;

/// What is to be generated.
#[derive(Clone, Debug)]
pub(crate) struct GenerationRequest {
    pub(crate) sources: Vec<Source>,
    /// Choices for each prompt; the interface numbers all of the first before those of the second.
    pub(crate) each: u32,
    /// Sampling settings of each choice; its own seed is derived from the request's.
    pub(crate) sampling: Sampling,
    pub(crate) seed: u64,
    /// Whether a choice begins with its prompt and ends with the text after the gap.
    pub(crate) echo: bool,
    /// Whether tokens have log-probabilities.
    pub(crate) logprobs: bool,
}

/// What choices are generated from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// A conversation.
    Chat(Prompt),
    /// A text, and the text after the gap, as `r50k` tokens.
    Text { before: Vec<u32>, after: Vec<u32> },
}

/// A part of one choice. Never without text, tokens or end.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Piece {
    pub(crate) choice: u32,
    pub(crate) text: String,
    /// The tokens of the text, if log-probabilities were requested.
    pub(crate) tokens: Vec<Placed<Scored>>,
    /// Set in the last piece of the choice.
    pub(crate) end: Option<End>,
}

/// How a choice ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct End {
    pub(crate) finish: Finish,
    /// Tokens that were written.
    pub(crate) tokens: u64,
    /// Their mean log-probability.
    pub(crate) mean: f64,
}

impl End {
    /// Returns the interface's `finish_reason`.
    pub(crate) fn finish_reason(&self) -> &'static str {
        match self.finish {
            Finish::Stop => "stop",
            Finish::Length => "length",
        }
    }
}

/// Starts an answer. The receiver ends early, without an end for every choice, only if the engine fails or if nothing
/// was received for as long as a client waits for a silent server.
pub(crate) fn start(
    state: &State,
    model: Arc<Model>,
    request: GenerationRequest,
) -> Result<mpsc::Receiver<Piece>, Reject> {
    start_with_timeout(state, model, request, IDLE)
}

/// Starts an answer like [`start`], for a reader who may receive nothing for at most `timeout`. Fails if too many
/// answers are being written.
fn start_with_timeout(
    state: &State,
    model: Arc<Model>,
    request: GenerationRequest,
    timeout: Duration,
) -> Result<mpsc::Receiver<Piece>, Reject> {
    let writing = state.begin_answer(ANSWERS).ok_or_else(Reject::overloaded)?;
    let (reader, receiver) = mpsc::channel(AHEAD);
    let turns = state.turns();
    tokio::spawn(async move {
        let mut writer = Writer::new(model, request);
        while !writer.is_done() {
            let turn = tokio::select! {
                turn = Arc::clone(&turns).acquire_owned() => turn,
                () = reader.closed() => break,
            };
            let worked = tokio::task::spawn_blocking(move || {
                let pieces = writer.work();
                drop(turn);
                (writer, pieces)
            });
            // A panic in the engine: the reader notices that ends are missing.
            let Ok((back, pieces)) = worked.await else { break };
            writer = back;
            if send_all(pieces, &reader, timeout).await.is_none() {
                break;
            }
        }
        drop(writing);
    });
    Ok(receiver)
}

/// Sends parts to the reader; `None`: nobody reads.
async fn send_all(pieces: Vec<Piece>, reader: &mpsc::Sender<Piece>, timeout: Duration) -> Option<()> {
    for piece in pieces {
        reader.send_timeout(piece, timeout).await.ok()?;
    }
    Some(())
}

/// A complete choice.
#[derive(Clone, Debug)]
pub(crate) struct CompleteChoice {
    pub(crate) text: String,
    pub(crate) tokens: Vec<Placed<Scored>>,
    pub(crate) end: End,
}

/// Collects all choices to their ends. Fails if the engine did.
pub(crate) async fn collect_choices(
    choices: u32,
    mut pieces: mpsc::Receiver<Piece>,
) -> Result<Vec<CompleteChoice>, Reject> {
    let mut parts = vec![(String::new(), Vec::new(), None); choices as usize];
    while let Some(piece) = pieces.recv().await {
        let (text, tokens, end) = &mut parts[piece.choice as usize];
        text.push_str(&piece.text);
        tokens.extend(piece.tokens);
        *end = piece.end;
    }
    let whole = |(text, tokens, end): (String, Vec<_>, Option<End>)| Some(CompleteChoice { text, tokens, end: end? });
    parts.into_iter().map(whole).collect::<Option<_>>().ok_or_else(Reject::fault)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    /// Requests many long choices that are kept from ending.
    fn endless() -> GenerationRequest {
        let logit_bias = HashMap::from([(50_256, -100.0)]);
        GenerationRequest {
            sources: vec![Source::Chat(Prompt::chat(&[("user", "hi")]))],
            each: 128,
            sampling: Sampling { max_tokens: 4000, logit_bias, ..Sampling::default() },
            seed: 0,
            echo: false,
            logprobs: false,
        }
    }

    #[tokio::test]
    async fn a_reader_who_stops_reading_does_not_hold_the_engine() {
        let state = State::new("k".to_owned().into()).unwrap();
        let Ok(mut reader) = start_with_timeout(&state, state.base(), endless(), Duration::from_millis(50)) else {
            panic!("there is room")
        };
        let stopped = async {
            assert!(reader.recv().await.is_some());
            // The reader reads no more.
            while state.live() > 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_mins(1), stopped).await.expect("the engine stops");
        let mut left = 0;
        while let Some(piece) = reader.recv().await {
            assert_eq!(piece.end, None);
            left += 1;
        }
        assert!(left <= AHEAD, "{left}");
    }

    #[tokio::test]
    async fn too_many_answers_at_once_are_refused() {
        let state = State::new("k".to_owned().into()).unwrap();
        let all: Vec<_> = (0..ANSWERS).map_while(|_| state.begin_answer(ANSWERS)).collect();
        assert_eq!(all.len(), ANSWERS);
        let refused = start(&state, state.base(), endless()).expect_err("no room");
        assert_eq!(refused, Reject::overloaded());
        drop(all);
        assert!(start(&state, state.base(), endless()).is_ok());
    }
}
