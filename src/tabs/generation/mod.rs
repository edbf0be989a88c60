//! One streamed run, whatever tab it belongs to: its phase, what came, how fast, what it used.

pub mod context_limit;
mod echo;
pub mod json_fields;
pub mod params;
pub mod refusal;
pub mod score;
mod streaming_run;
pub mod strip;
pub mod tokens;
pub mod tools;

use std::time::{Duration, Instant};

use crate::api::call::{Failure, Progress, Reply, Ticket};
use crate::api::capability::Adaptation;
use crate::api::chat::ChatDelta;
use crate::api::completion::Logprobs;
use crate::api::delta::{FunctionCall, ToolCall};
use crate::api::usage::Usage;
use crate::record::{Block, Token};
use crate::text::Untrusted;
use crate::tokens::Estimate;

use self::echo::EchoFilter;
pub use self::streaming_run::{RunEnd, RunFigures, RunTarget, RunUpdate, SaveRound, StreamingRun};

/// The phase of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum RunPhase {
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
pub struct ResponseStream {
    /// The call.
    pub ticket: Ticket,
    /// The phase of the run.
    pub phase: RunPhase,
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
    /// Estimates of the tokens of what has come, for each choice its text, its reasoning and its other parts.
    estimates: Vec<(u32, [Estimate; 3])>,
    /// How the request that was sent differs from what was asked for.
    adapted: Vec<Adaptation>,
    /// Events of the stream that could not be read.
    unread: u64,
    /// Takes the request's own text out of the answer, where the server was asked to send it back.
    echo: Option<EchoFilter>,
}

/// What a piece of progress means.
#[derive(Clone, Debug, PartialEq)]
pub enum RunEvent {
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
    /// make the text, but within one they need not: some servers are ahead of or behind the text.
    pub tokens: Vec<Token>,
    /// The tokens of the echoed prompt, all at once, in the part with which it is known to be one; every choice has its
    /// own copy.
    pub prompt: Vec<Token>,
}

impl ResponseStream {
    /// Returns a run asked for now.
    pub fn new(ticket: Ticket, now: Instant) -> Self {
        Self {
            ticket,
            phase: RunPhase::Waiting,
            started: now,
            first_text: None,
            last_news: now,
            usage: None,
            model: Untrusted::default(),
            request_id: None,
            estimates: Vec::new(),
            adapted: Vec::new(),
            unread: 0,
            echo: None,
        }
    }

    /// Returns a run asked for now, of a request with `echo`: the server sends the prompt before each completion, and
    /// the suffix (empty: there is none) after it. Only what is between them becomes `content`. A server that does not
    /// send the prompt all the same is noticed, and all of its text is content.
    pub fn echoing(ticket: Ticket, now: Instant, prompt: Untrusted, suffix: Untrusted) -> Self {
        Self { echo: Some(EchoFilter::new(prompt, suffix)), ..Self::new(ticket, now) }
    }

    /// Returns what is still held back as it might have become the suffix: to be asked for when the run ends
    /// ([`RunEvent::Closed`]) or is cancelled. Empty for a run without echo.
    pub fn rest(&mut self) -> Vec<Part> {
        self.echo.as_mut().map(EchoFilter::rest).unwrap_or_default()
    }

    /// Returns whether an echo was asked for and what has come so far has none.
    pub fn lacks_echo(&self) -> bool {
        self.echo.as_ref().is_some_and(EchoFilter::is_missing)
    }

    /// Takes in what the client says.
    pub fn handle_progress(&mut self, progress: Progress, now: Instant) -> RunEvent {
        self.last_news = now;
        match progress {
            Progress::Retrying { attempt, of, at, why } => {
                self.phase = RunPhase::Retrying { attempt, of, at, since: now, why };
                RunEvent::Phase
            }
            Progress::Opened { request_id } => {
                self.request_id = request_id;
                self.phase = RunPhase::Waiting;
                RunEvent::Phase
            }
            Progress::Closed(end) => RunEvent::Closed(end),
            Progress::Reply(Reply::ChatChunk(chunk)) => {
                self.note_model_and_usage(chunk.model, chunk.usage);
                let parts = chunk
                    .choices
                    .into_iter()
                    .map(|choice| part(choice.index, choice.delta, choice.logprobs, choice.finish_reason));
                self.parts(parts.collect(), now)
            }
            Progress::Reply(Reply::Chat(whole)) => {
                self.note_model_and_usage(whole.model, whole.usage);
                let parts = whole
                    .choices
                    .into_iter()
                    .map(|choice| part(choice.index, choice.message, choice.logprobs, choice.finish_reason));
                self.parts(parts.collect(), now)
            }
            Progress::Reply(Reply::Completion(pieces)) => {
                self.note_model_and_usage(pieces.model, pieces.usage);
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
                RunEvent::Phase
            }
            Progress::Adapted(change) => {
                if !self.adapted.contains(&change) {
                    self.adapted.push(change);
                }
                RunEvent::Phase
            }
            Progress::Moved { .. } | Progress::Learned(_) | Progress::Reply(_) => RunEvent::Phase,
        }
    }

    fn note_model_and_usage(&mut self, model: String, usage: Option<Usage>) {
        if self.model.is_empty() {
            self.model = model.into();
        }
        // Some servers send running totals in every chunk: the last one counts.
        self.usage = usage.or(self.usage);
    }

    fn parts(&mut self, parts: Vec<Part>, now: Instant) -> RunEvent {
        // A call may have no arguments, an image no address: they are an answer all the same.
        let empty = |part: &&Part| part.content.is_empty() && part.reasoning.is_empty() && part.blocks.is_empty();
        for part in parts.iter().filter(|part| !empty(part)) {
            let known = self.estimates.iter().position(|(choice, _)| *choice == part.choice);
            let at = known.unwrap_or_else(|| {
                self.estimates.push((part.choice, Default::default()));
                self.estimates.len() - 1
            });
            let [content, reasoning, others] = &mut self.estimates[at].1;
            content.add(part.content.raw());
            reasoning.add(part.reasoning.raw());
            part.blocks.iter().for_each(|block| others.add(block.body().raw()));
            self.first_text.get_or_insert(now);
            self.phase = RunPhase::Streaming;
        }
        RunEvent::Parts(parts)
    }

    /// Returns the sentence that is kept with an answer: why it failed, how its request differs from what was asked
    /// for, how many events could not be read. Empty: there is nothing to say.
    pub fn sentence(&self, failure: Option<&Failure>) -> Untrusted {
        let why = failure.map(|why| why.sentence.line().into_owned());
        let unread = match self.unread {
            0 => None,
            1 => Some("1 event of the stream could not be read and was left out".to_owned()),
            events => Some(format!("{events} events of the stream could not be read and were left out")),
        };
        let adapted = self.adapted.iter().map(Adaptation::words);
        let unread = unread.filter(|_| failure.is_none());
        why.into_iter().chain(adapted).chain(unread).collect::<Vec<_>>().join("; ").into()
    }

    /// Returns the time from asking to the first text; `None`: none came.
    pub fn to_first(&self) -> Option<Duration> {
        self.first_text.map(|first| first - self.started)
    }

    /// Returns tokens a second since the first text; `None` while there is less than half a second to judge by.
    pub fn rate(&self, now: Instant) -> Option<f64> {
        let spent = now.saturating_duration_since(self.first_text?).as_secs_f64();
        let tokens = self.estimate();
        (spent >= 0.5 && tokens > 1).then(|| tokens as f64 / spent)
    }

    /// Returns an estimate of the tokens of the text so far, all choices.
    pub fn estimate(&self) -> u64 {
        self.estimates.iter().flat_map(|(_, estimates)| estimates).map(Estimate::tokens).sum()
    }
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

/// Returns what a part of a message holds besides text and reasoning.
fn blocks(delta: ChatDelta) -> Vec<Block> {
    let ChatDelta { refusal, tool_calls, function_call, audio, attachments, .. } = &delta;
    let words = refusal.is_none() && function_call.is_none() && audio.is_none();
    if words && tool_calls.is_empty() && attachments.is_empty() {
        // This holds for nearly every token.
        return Vec::new();
    }
    let some = |text: &String| !text.is_empty();
    let refusal =
        delta.refusal.filter(some).map(|words| Block::Refusal { words: words.into(), profile: Untrusted::default() });
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
