//! A chat answer as server-sent events, in the interface's order: the role of every choice, its text, an empty delta with
//! the reason it ended, the usage if asked for, `[DONE]`.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;

use axum::body::Bytes;
use futures_util::Stream;
use serde::Serialize;
use tokio::sync::mpsc;

use super::chat::{Heading, usage};
use super::generate::{Piece, word};
use super::reject::Reject;
use crate::api::chat::{ChatChunkChoice, ChatDelta};
use crate::api::usage::Usage;

/// One event's JSON. `usage` is absent unless it was asked for.
#[derive(Serialize)]
struct Chunk<'a> {
    id: &'a str,
    object: &'static str,
    created: i64,
    model: &'a str,
    choices: &'a [ChatChunkChoice],
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Told>,
}

/// The `usage` of one event where it was asked for.
#[derive(Serialize)]
#[serde(untagged)]
enum Told {
    /// Null: not the last event.
    NotYet,
    /// The last event's.
    All(Usage),
}

/// The answer on its way.
struct Feed {
    heading: Heading,
    include_usage: bool,
    pieces: mpsc::Receiver<Piece>,
    stopped: Pin<Box<dyn Future<Output = ()> + Send>>,
    /// Events that are due before the next piece.
    due: VecDeque<Bytes>,
    open: u32,
    written: u64,
    ended: bool,
}

/// The events of an answer of `choices` choices. Dropping the stream stops the engine; `stopped` ends it with an error
/// event, so that no reader takes a part for the whole.
pub(super) fn events(
    heading: Heading,
    choices: u32,
    include_usage: bool,
    pieces: mpsc::Receiver<Piece>,
    stopped: impl Future<Output = ()> + Send + 'static,
) -> impl Stream<Item = Result<Bytes, Infallible>> + Send {
    let (due, stopped) = (VecDeque::new(), Box::pin(stopped));
    let mut feed = Feed { heading, include_usage, pieces, stopped, due, open: choices, written: 0, ended: false };
    for choice in 0..choices {
        let role = ChatDelta { role: Some("assistant".into()), ..ChatDelta::default() };
        feed.push(choice, role, None);
    }
    futures_util::stream::unfold(feed, |mut feed| async move { feed.next().await.map(|event| (Ok(event), feed)) })
}

impl Feed {
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(event) = self.due.pop_front() {
                return Some(event);
            }
            if self.ended {
                return None;
            }
            let piece = tokio::select! {
                biased;
                () = &mut self.stopped => {
                    self.fail(&Reject::stopping());
                    continue;
                }
                piece = self.pieces.recv() => piece,
            };
            match piece {
                Some(Piece::Text { choice, text }) => {
                    self.push(choice, ChatDelta { content: Some(text), ..ChatDelta::default() }, None);
                }
                Some(Piece::End { choice, finish, tokens }) => {
                    self.written += tokens;
                    self.open -= 1;
                    self.push(choice, ChatDelta::default(), Some(word(finish)));
                    if self.open == 0 {
                        self.finish();
                    }
                }
                None => self.fail(&Reject::fault()),
            }
        }
    }

    /// What one choice gains.
    fn push(&mut self, index: u32, delta: ChatDelta, finish_reason: Option<&str>) {
        let choice = ChatChunkChoice { delta, index, finish_reason: finish_reason.map(str::to_owned) };
        self.chunk(&[choice], None);
    }

    /// The end of a complete answer.
    fn finish(&mut self) {
        if self.include_usage {
            self.chunk(&[], Some(usage(self.heading.prompt_tokens, self.written)));
        }
        self.due.push_back(Bytes::from_static(b"data: [DONE]\n\n"));
        self.ended = true;
    }

    /// The end of an answer that is not complete: an error, and no `[DONE]`.
    fn fail(&mut self, reject: &Reject) {
        self.due.push_back(Bytes::from(format!("data: {}\n\n", reject.json())));
        self.ended = true;
    }

    fn chunk(&mut self, choices: &[ChatChunkChoice], usage: Option<Usage>) {
        let Heading { id, created, model, .. } = &self.heading;
        let usage = self.include_usage.then_some(usage.map_or(Told::NotYet, Told::All));
        let chunk = Chunk { id, object: "chat.completion.chunk", created: *created, model, choices, usage };
        let json = serde_json::to_string(&chunk).expect("a chunk is strings and numbers");
        self.due.push_back(Bytes::from(format!("data: {json}\n\n")));
    }
}
