//! One streamed run, whatever tab it belongs to: where it stands, what came, how fast, what it used.

pub mod details;
mod echo;
pub mod limit;
pub mod params;
pub mod refusal;
pub mod score;
pub mod strip;
pub mod tokens;

use std::time::{Duration, Instant};

use crate::api::call::{Failure, Progress, Reply, Ticket};
use crate::api::chat::ChatDelta;
use crate::api::completion::Logprobs;
use crate::api::delta::{FunctionCall, ToolCall};
use crate::api::usage::Usage;
use crate::record::{Block, Token};
use crate::text::Untrusted;
use crate::tokens::{estimate, price};

use self::echo::Echo;

/// Where a run stands.
#[derive(Clone, Debug, PartialEq)]
pub enum Phase {
    /// Asked; no byte of an answer yet.
    Waiting,
    /// An attempt failed; the next one is due.
    Retrying {
        /// The attempt that comes, 2-based.
        attempt: u8,
        /// Attempts in all.
        of: u8,
        /// When it starts.
        at: Instant,
        /// When this was said, for the countdown's bar.
        since: Instant,
        /// What went wrong.
        why: Failure,
    },
    /// Text arrives.
    Streaming,
}

/// A run in flight.
#[derive(Clone, Debug)]
pub struct Run {
    /// The call.
    pub ticket: Ticket,
    /// Where it stands.
    pub phase: Phase,
    /// When it was asked.
    pub started: Instant,
    /// When the first text came.
    pub first_text: Option<Instant>,
    /// When anything last came.
    pub last_news: Instant,
    /// The server's counts, once it has sent some.
    pub usage: Option<Usage>,
    /// Model the server says it used; empty until it says so.
    pub model: Untrusted,
    /// `x-request-id`.
    pub request_id: Option<Untrusted>,
    /// Tokens of the text so far, all choices, an estimate: at least one a piece, more where a server sends big pieces.
    pub tokens: u64,
    /// Events of the stream that could not be read.
    pub unread: u64,
    /// Takes the request's own text out of the answer, where the server was asked to send it back.
    echo: Option<Echo>,
}

/// What a piece of progress brought.
#[derive(Clone, Debug, PartialEq)]
pub enum News {
    /// Nothing to add to a text; the phase may be another.
    Phase,
    /// Text for choices, in order of arrival.
    Parts(Vec<Part>),
    /// The end.
    Closed(Result<(), Failure>),
}

/// Text for one choice.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// 0-based choice.
    pub choice: u32,
    /// Answer text, may be empty.
    pub content: Untrusted,
    /// Reasoning text, may be empty.
    pub reasoning: Untrusted,
    /// Pieces of what is neither.
    pub blocks: Vec<Block>,
    /// Why the choice ended, with its last part.
    pub finish_reason: Option<Untrusted>,
    /// The tokens of the answer text that came with this part; none where the server sends none. Over all parts they
    /// make the text, but within one they need not: some servers are ahead or behind with them.
    pub tokens: Vec<Token>,
    /// The tokens of the echoed prompt, all at once, in the part with which it is known to be one; every choice has its
    /// own copy.
    pub prompt: Vec<Token>,
}

impl Run {
    /// A run asked for now.
    pub fn new(ticket: Ticket, now: Instant) -> Self {
        Self {
            ticket,
            phase: Phase::Waiting,
            started: now,
            first_text: None,
            last_news: now,
            usage: None,
            model: Untrusted::default(),
            request_id: None,
            tokens: 0,
            unread: 0,
            echo: None,
        }
    }

    /// A run asked for now, of a request with `echo`: the server sends the prompt before each completion, and the suffix
    /// (empty: there is none) after it. Only what is between them becomes `content`. A server that does not send the
    /// prompt all the same is noticed, and all of its text is content.
    pub fn echoing(ticket: Ticket, now: Instant, prompt: Untrusted, suffix: Untrusted) -> Self {
        Self { echo: Some(Echo::new(prompt, suffix)), ..Self::new(ticket, now) }
    }

    /// What is still held back as it might have become the suffix: to be asked for when the run ends ([`News::Closed`])
    /// or is cancelled. Empty for a run without echo.
    pub fn rest(&mut self) -> Vec<Part> {
        self.echo.as_mut().map(Echo::rest).unwrap_or_default()
    }

    /// Whether an echo was asked for and what has come so far has none.
    pub fn lacks_echo(&self) -> bool {
        self.echo.as_ref().is_some_and(Echo::is_missing)
    }

    /// Takes in what the client says.
    pub fn progress(&mut self, progress: Progress, now: Instant) -> News {
        self.last_news = now;
        match progress {
            Progress::Retrying { attempt, of, at, why } => {
                self.phase = Phase::Retrying { attempt, of, at, since: now, why };
                News::Phase
            }
            Progress::Opened { request_id } => {
                self.request_id = request_id;
                self.phase = Phase::Waiting;
                News::Phase
            }
            Progress::Closed(end) => News::Closed(end),
            Progress::Reply(Reply::ChatChunk(chunk)) => {
                self.heard(chunk.model, chunk.usage);
                let parts = chunk
                    .choices
                    .into_iter()
                    .map(|choice| part(choice.index, choice.delta, choice.logprobs, choice.finish_reason));
                self.parts(parts.collect(), now)
            }
            Progress::Reply(Reply::Chat(whole)) => {
                self.heard(whole.model, whole.usage);
                let parts = whole
                    .choices
                    .into_iter()
                    .map(|choice| part(choice.index, choice.message, choice.logprobs, choice.finish_reason));
                self.parts(parts.collect(), now)
            }
            Progress::Reply(Reply::Completion(pieces)) => {
                self.heard(pieces.model, pieces.usage);
                let parts = pieces.choices.into_iter().map(|choice| {
                    let text = ChatDelta { content: Some(choice.text), ..ChatDelta::default() };
                    part(choice.index, text, choice.logprobs, choice.finish_reason)
                });
                let mut parts: Vec<Part> = parts.collect();
                if let Some(echo) = &mut self.echo {
                    parts = parts.into_iter().map(|part| echo.take(part)).collect();
                }
                self.parts(parts, now)
            }
            Progress::Reply(Reply::Unread(events)) => {
                self.unread = events;
                News::Phase
            }
            Progress::Moved { .. } | Progress::Reply(_) => News::Phase,
        }
    }

    fn heard(&mut self, model: String, usage: Option<Usage>) {
        if self.model.is_empty() {
            self.model = model.into();
        }
        // Some servers send running totals in every chunk: the last one counts.
        self.usage = usage.or(self.usage);
    }

    fn parts(&mut self, parts: Vec<Part>, now: Instant) -> News {
        let texts = parts.iter().flat_map(|part| [&part.content, &part.reasoning]);
        let texts = texts.chain(parts.iter().flat_map(|part| &part.blocks).map(Block::body));
        let texts = texts.filter(|text| !text.is_empty());
        let came: u64 = texts.map(|text| if text.len() <= 16 { 1 } else { estimate(text.raw()).max(1) }).sum();
        // A call may have no arguments, an image no address: they are an answer all the same.
        if came > 0 || parts.iter().any(|part| !part.blocks.is_empty()) {
            self.tokens += came;
            self.first_text.get_or_insert(now);
            self.phase = Phase::Streaming;
        }
        News::Parts(parts)
    }

    /// What is to be said of events that could not be read; `None`: all could.
    pub fn left_out(&self) -> Option<String> {
        match self.unread {
            0 => None,
            1 => Some("1 event of the stream could not be read and was left out".to_owned()),
            events => Some(format!("{events} events of the stream could not be read and were left out")),
        }
    }

    /// From asking to the first text; `None`: none came.
    pub fn to_first(&self) -> Option<Duration> {
        self.first_text.map(|first| first - self.started)
    }

    /// Tokens a second since the first text; `None` while there is less than half a second to judge by.
    pub fn rate(&self, now: Instant) -> Option<f64> {
        let spent = now.saturating_duration_since(self.first_text?).as_secs_f64();
        (spent >= 0.5 && self.tokens > 1).then(|| self.tokens as f64 / spent)
    }
}

/// What tokens of a model cost in nano-dollars; `None`: its price is unknown. `free`: answers cost nothing there.
pub fn cost(model: &Untrusted, free: bool, prompt: u64, completion: u64) -> Option<i64> {
    // A name that is another one on the screen is in no table.
    if free { Some(0) } else { price(&model.line())?.cost_nano(prompt, completion) }
}

fn part(choice: u32, mut delta: ChatDelta, logprobs: Option<Logprobs>, finish_reason: Option<String>) -> Part {
    Part {
        choice,
        content: delta.content.take().unwrap_or_default().into(),
        reasoning: delta.reasoning_content.take().unwrap_or_default().into(),
        blocks: blocks(delta),
        finish_reason: finish_reason.map(Untrusted::new),
        tokens: tokens::tokens(logprobs),
        prompt: Vec::new(),
    }
}

/// What a part of a message holds besides text and reasoning.
fn blocks(delta: ChatDelta) -> Vec<Block> {
    let some = |text: &String| !text.is_empty();
    let refusal = delta.refusal.filter(some).map(|words| Block::Refusal(words.into()));
    let transcript = delta.audio.map(|audio| audio.transcript).filter(some);
    let transcript = transcript.map(|words| Block::Transcript(words.into()));
    let call = |index, id: Option<String>, function: FunctionCall| Block::Call {
        index,
        id: id.unwrap_or_default().into(),
        name: function.name.into(),
        arguments: function.arguments.into(),
    };
    let legacy = delta.function_call.map(|function| call(0, None, function));
    let numbered = (0..).zip(delta.tool_calls);
    let calls = numbered.map(|(at, ToolCall { index, id, function, .. })| call(index.unwrap_or(at), id, function));
    let attachments = delta
        .attachments
        .into_iter()
        .map(|found| Block::Attachment { kind: found.kind.into(), place: found.place.into() });
    refusal.into_iter().chain(legacy).chain(calls).chain(transcript).chain(attachments).collect()
}
