//! What crosses the channel between the screen and the client: calls, replies, progress, failures.

use std::time::{Duration, Instant};

use super::chat::{ChatChunk, ChatCompletion, ChatRequest};
use super::completion::{Completion, CompletionRequest};
use super::embedding::{EmbeddingList, EmbeddingRequest};
use super::model::Model;
use super::moderation::{Moderation, ModerationRequest};
use crate::text::Untrusted;

/// Names one call (or one order to the store or the work threads) from the moment it is asked for. Never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ticket(pub u64);

/// One operation of the interface, as data.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// `GET /v1/models`
    Models,
    /// `POST /v1/chat/completions`; streamed when `stream` is true.
    Chat(Box<ChatRequest>),
    /// `POST /v1/completions`; streamed when `stream` is true.
    Complete(Box<CompletionRequest>),
    /// `POST /v1/moderations`
    Moderate(Box<ModerationRequest>),
    /// `POST /v1/embeddings`
    Embed(Box<EmbeddingRequest>),
}

/// A piece of an answer, as the wire has it. Its texts become [`Untrusted`] where a run or the session takes them in.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// All models of the server.
    Models(Vec<Model>),
    /// A chunk of a streamed chat answer, or several that came together: their choices in order of arrival.
    ChatChunk(ChatChunk),
    /// A whole chat answer.
    Chat(ChatCompletion),
    /// A whole completion, or chunks of a streamed one that came together: their choices in order of arrival.
    Completion(Completion),
    /// A moderation result for each text, if the server does as it should.
    Moderation(Moderation),
    /// A vector for each text, if the server does as it should.
    Embeddings(EmbeddingList),
}

/// What a call brings back: any number of the others, exactly one `Closed`, which is the last.
#[derive(Clone, Debug, PartialEq)]
pub enum Progress {
    /// An attempt failed before a byte of the answer arrived; the next one starts at `at`.
    Retrying {
        /// The attempt that comes, 2-based.
        attempt: u8,
        /// Attempts in all.
        of: u8,
        /// When it starts.
        at: Instant,
        /// What went wrong.
        why: Failure,
    },
    /// The status line and headers of a good answer have arrived.
    Opened {
        /// `x-request-id`, where sent.
        request_id: Option<Untrusted>,
    },
    /// Bytes of the body moved so far.
    Moved {
        /// So far.
        done: u64,
        /// In all, where known.
        total: Option<u64>,
    },
    /// A piece of the answer.
    Reply(Reply),
    /// The end.
    Closed(Result<(), Failure>),
}

/// Why a call failed: its texts may hold the server's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What kind of failure.
    pub kind: FailureKind,
    /// One lower-case sentence: what happened and what to do next.
    pub sentence: Untrusted,
    /// HTTP status, where there was one.
    pub status: Option<u16>,
    /// The error's `code`, where sent, as text.
    pub code: Option<Untrusted>,
    /// `x-request-id`, where sent.
    pub request_id: Option<Untrusted>,
    /// How long the server asks to wait.
    pub retry_after: Option<Duration>,
    /// Redacted response headers, a line each, for the details view. Their names are of our choosing.
    pub headers: Vec<(String, Untrusted)>,
    /// First 2 KiB of the body, lossy UTF-8, for the details view.
    pub body: Untrusted,
}

impl Failure {
    /// A failure of which nothing more is known.
    pub fn new(kind: FailureKind, sentence: impl Into<Untrusted>) -> Self {
        Self {
            kind,
            sentence: sentence.into(),
            status: None,
            code: None,
            request_id: None,
            retry_after: None,
            headers: Vec::new(),
            body: Untrusted::default(),
        }
    }
}

/// Kinds of failure a screen treats differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// No connection: refused, unreachable, DNS, TLS. Shown as offline.
    Offline,
    /// A limit of ours ran out (connect, headers, idle).
    Timeout,
    /// 401, 403, or a key missing.
    Auth,
    /// 404, 405, 501 for the endpoint: the server does not offer it.
    Unsupported,
    /// 429 that a wait may cure.
    RateLimit,
    /// 429 `insufficient_quota`: waiting does not help.
    Quota,
    /// The prompt is longer than the model's context.
    TooLong,
    /// Other 4xx: the request is wrong.
    Refused,
    /// 5xx.
    Server,
    /// The answer broke off before it was complete.
    CutOff,
    /// The answer could not be understood or broke a size limit.
    Malformed,
    /// A task of ours panicked.
    Bug,
}
