//! An answer as server-sent events, in the interface's order. Chat: the role of every choice, its text, an empty delta
//! with the reason it ended. Completions: text, the reason in a choice's last chunk. Then the usage if asked for, and
//! `[DONE]`.

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::pin::Pin;

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use futures_util::Stream;
use serde::Serialize;
use tokio::sync::mpsc;

use super::generate::Piece;
use super::heading::Heading;
use super::logprobs;
use super::reject::Reject;
use crate::api::chat::{ChatChunkChoice, ChatDelta};
use crate::api::completion::CompletionChoice;
use crate::api::usage::Usage;

/// Which of the two resources answers, and what its chunks carry.
#[derive(Clone, Copy, Debug)]
pub(super) enum ChunkKind {
    /// Chat, with log-probabilities or without.
    Chat { logprobs: bool },
    /// Completions, with this many alternatives to each token.
    Text { logprobs: Option<usize> },
}

/// One event's JSON. `usage` is absent unless it was asked for.
#[derive(Serialize)]
struct Chunk<'a> {
    id: &'a str,
    object: &'static str,
    created: i64,
    choices: &'a [Choice],
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<ChunkUsage>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Choice {
    Chat(ChatChunkChoice),
    Text(CompletionChoice),
}

/// The `usage` of one event where it was asked for.
#[derive(Serialize)]
#[serde(untagged)]
enum ChunkUsage {
    /// Null: not the last event.
    NotYet,
    /// The usage, in the last event.
    All(Usage),
}

/// The answer while it is sent.
struct AnswerStream {
    heading: Heading,
    chunk_kind: ChunkKind,
    include_usage: bool,
    pieces: mpsc::Receiver<Piece>,
    stopped: Pin<Box<dyn Future<Output = ()> + Send>>,
    /// Events to be sent before the next piece.
    due: VecDeque<Bytes>,
    /// By choice, the piece of a completion that is held until it is known whether it is the last one with text.
    held: HashMap<u32, Piece>,
    open: u32,
    written: u64,
    ended: bool,
}

/// Returns the answer of `choices` choices as a response. Dropping its body stops the engine; `stopped` ends it with an
/// error event, so that no reader takes a part for the whole.
pub(super) fn response(
    headers: HeaderMap,
    heading: Heading,
    chunk_kind: ChunkKind,
    (choices, include_usage): (u32, bool),
    pieces: mpsc::Receiver<Piece>,
    stopped: impl Future<Output = ()> + Send + 'static,
) -> Response {
    let kind = [(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"))];
    let mut answer = AnswerStream {
        heading,
        chunk_kind,
        include_usage,
        pieces,
        stopped: Box::pin(stopped),
        due: VecDeque::new(),
        held: HashMap::new(),
        open: choices,
        written: 0,
        ended: false,
    };
    if matches!(chunk_kind, ChunkKind::Chat { .. }) {
        for choice in 0..choices {
            let role = ChatDelta { role: Some("assistant".into()), ..ChatDelta::default() };
            answer.send_chat(choice, role, None, None);
        }
    }
    let token_usage = Extension(answer.heading.token_usage.clone());
    (headers, token_usage, kind, Body::from_stream(answer.events())).into_response()
}

impl AnswerStream {
    fn events(self) -> impl Stream<Item = Result<Bytes, Infallible>> + Send {
        futures_util::stream::unfold(
            self,
            |mut answer| async move { answer.next().await.map(|event| (Ok(event), answer)) },
        )
    }

    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(event) = self.due.pop_front() {
                return Some(event);
            }
            if self.ended {
                return None;
            }
            tokio::select! {
                biased;
                () = &mut self.stopped => self.fail(&Reject::stopping()),
                piece = self.pieces.recv() => match piece {
                    Some(piece) => self.handle_piece(piece),
                    None => self.fail(&Reject::fault()),
                },
            }
        }
    }

    fn handle_piece(&mut self, piece: Piece) {
        let end = piece.end;
        match self.chunk_kind {
            ChunkKind::Chat { logprobs } => {
                if !piece.text.is_empty() || !piece.tokens.is_empty() {
                    let entries = logprobs.then(|| logprobs::entries(&piece.tokens));
                    let delta = ChatDelta { content: Some(piece.text), ..ChatDelta::default() };
                    self.send_chat(piece.choice, delta, entries, None);
                }
                if let Some(end) = end {
                    self.send_chat(piece.choice, ChatDelta::default(), None, Some(end.finish_reason()));
                }
            }
            ChunkKind::Text { logprobs } => self.handle_text_piece(piece, logprobs),
        }
        if let Some(end) = end {
            self.written += end.tokens;
            self.heading.token_usage.add_completion(end.tokens);
            self.open -= 1;
            if self.open == 0 {
                self.finish();
            }
        }
    }

    /// Sends a part's text with a delay of one part: the finish reason belongs beside the last text of a choice, which
    /// is known only when the choice ends.
    fn handle_text_piece(&mut self, mut piece: Piece, logprobs: Option<usize>) {
        if let Some(mut before) = self.held.remove(&piece.choice) {
            if piece.text.is_empty() && piece.tokens.is_empty() {
                before.end = piece.end;
                piece = before;
            } else {
                self.send_text(before, logprobs);
            }
        }
        if piece.end.is_some() {
            self.send_text(piece, logprobs);
        } else {
            self.held.insert(piece.choice, piece);
        }
    }

    fn send_text(&mut self, piece: Piece, logprobs: Option<usize>) {
        let choice = CompletionChoice {
            text: piece.text,
            index: piece.choice,
            logprobs: logprobs.map(|most| logprobs::columns(&piece.tokens, most)),
            finish_reason: piece.end.map(|end| end.finish_reason().to_owned()),
        };
        self.chunk(&[Choice::Text(choice)], None);
    }

    fn send_chat(
        &mut self,
        index: u32,
        delta: ChatDelta,
        logprobs: Option<crate::api::completion::Logprobs>,
        finish_reason: Option<&str>,
    ) {
        let choice = ChatChunkChoice { delta, index, logprobs, finish_reason: finish_reason.map(str::to_owned) };
        self.chunk(&[Choice::Chat(choice)], None);
    }

    /// Ends a complete answer.
    fn finish(&mut self) {
        if self.include_usage {
            self.chunk(&[], Some(self.heading.usage(self.written)));
        }
        self.due.push_back(Bytes::from_static(b"data: [DONE]\n\n"));
        self.ended = true;
    }

    /// Ends an incomplete answer: with an error, and without `[DONE]`.
    fn fail(&mut self, reject: &Reject) {
        self.due.push_back(Bytes::from(format!("data: {}\n\n", reject.json())));
        self.ended = true;
    }

    fn chunk(&mut self, choices: &[Choice], usage: Option<Usage>) {
        let Heading { id, created, model, .. } = &self.heading;
        let usage = self.include_usage.then_some(usage.map_or(ChunkUsage::NotYet, ChunkUsage::All));
        let object = match self.chunk_kind {
            ChunkKind::Chat { .. } => "chat.completion.chunk",
            ChunkKind::Text { .. } => "text_completion",
        };
        let chunk = Chunk { id, object, created: *created, choices, model, usage };
        let json = serde_json::to_string(&chunk).expect("a chunk is strings and numbers");
        self.due.push_back(Bytes::from(format!("data: {json}\n\n")));
    }
}
