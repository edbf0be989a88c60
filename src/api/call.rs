//! Messages between the screen and the client: calls, replies, progress, failures.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::capability::{Adaptation, Fact};
use super::chat::{ChatChunk, ChatCompletion, ChatRequest};
use super::check::Checked;
use super::completion::{Completion, CompletionRequest};
use super::embedding::{EmbeddingList, EmbeddingRequest};
use super::file::File;
use super::fine_tune::FineTuneRequest;
use super::job::{Dialect, Job, JobEvent};
use super::model::Model;
use super::moderation::{Moderation, ModerationRequest};
use crate::text::Untrusted;

/// Identifies one call, record, query, piece of work or change of a profile. Never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ticket(pub u64);

impl Ticket {
    /// Returns the ticket after the last one, which it becomes.
    pub fn next(last: &mut u64) -> Self {
        *last += 1;
        Self(*last)
    }
}

/// One operation of the interface, as data.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// `GET /v1/models`
    Models,
    /// `GET /v1/models`, once, with each step reported: name, connection, certificate, key, list.
    Check,
    /// `POST /v1/chat/completions`; streamed when `stream` is true.
    Chat(Box<ChatRequest>),
    /// `POST /v1/completions`; streamed when `stream` is true.
    Complete(Box<CompletionRequest>),
    /// `POST /v1/moderations`
    Moderate(Box<ModerationRequest>),
    /// `POST /v1/embeddings`
    Embed(Box<EmbeddingRequest>),
    /// `GET /v1/files`, all pages.
    Files,
    /// `GET /v1/files/{id}`
    File(String),
    /// `POST /v1/files`
    Upload(Box<Upload>),
    /// `GET /v1/files/{id}/content` into a file.
    Download(Box<Download>),
    /// A range of `GET /v1/files/{id}/content`.
    Content(Box<Span>),
    /// `GET /v1/files/{id}/content`, of which only the hash is stored.
    Digest(String),
    /// `DELETE /v1/files/{id}`
    DeleteFile(String),
    /// All fine-tunes, in whichever dialect the server has, without events.
    Jobs,
    /// One fine-tune.
    Job(String),
    /// Creates a fine-tune.
    CreateJob(Box<FineTuneRequest>),
    /// Cancels a fine-tune.
    CancelJob(String),
    /// The events of a fine-tune from the first one until it has ended. Reconnects for as long as that takes.
    Follow(String),
    /// `DELETE /v1/models/{model}`
    DeleteModel(String),
}

/// A file to be uploaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upload {
    /// Its path, absolute.
    pub path: PathBuf,
    /// Its name for the server.
    pub name: String,
    /// `fine-tune`, `search`, …
    pub purpose: String,
}

/// A file to be downloaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Download {
    /// `file-…`
    pub id: String,
    /// The name it should get, as the server gives it: text from outside, cleaned before it becomes a file name.
    pub name: String,
    /// The folder to write to, absolute. Nothing is written outside of it, and nothing in it is overwritten.
    pub folder: PathBuf,
    /// Bytes it must have; `None`: unknown.
    pub bytes: Option<u64>,
    /// The hash it must have, if known.
    pub sha256: Option<Sha256>,
}

/// A part of a stored file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// `file-…`
    pub id: String,
    /// The first byte to read.
    pub from: u64,
    /// The most bytes to read. A server without ranges is read from the start as far as needed; the caller asks the
    /// user first if that is much.
    pub most: u64,
}

/// SHA-256 of a file's bytes.
pub type Sha256 = [u8; 32];

/// A part of what a server answered to a call. Its texts become [`Untrusted`] where a run or the session stores them.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// All models of the server.
    Models(Vec<Model>),
    /// To `Check`: a step that was done.
    Checked(Checked),
    /// A chunk of a streamed chat answer, or several that came together: their choices in order of arrival.
    ChatChunk(ChatChunk),
    /// A complete chat answer.
    Chat(ChatCompletion),
    /// A complete completion, or chunks of a streamed one that came together: their choices in order of arrival.
    Completion(Completion),
    /// To a streamed answer that ended well: this many of its events could not be read and were left out.
    Unread(u64),
    /// A moderation result for each text, if the server follows the interface.
    Moderation(Moderation),
    /// A vector for each text, if the server follows the interface.
    Embeddings(EmbeddingList),
    /// To `Files`.
    Files(Vec<File>),
    /// To `File`.
    File(Box<File>),
    /// To `Upload`: the file as the server lists it, and the hash of what was sent.
    Uploaded(Box<File>, Sha256),
    /// To `Download`: verified and on the disk.
    Downloaded(Downloaded),
    /// To `Content`.
    Content(Content),
    /// To `Content`, before it fails: what arrived until the connection was lost.
    LostContent(Content),
    /// To `Digest`: the hash, and the number of bytes hashed.
    Digest(Sha256, u64),
    /// To `DeleteFile` and `DeleteModel`: the id of what was deleted.
    Deleted(String),
    /// To `Jobs`, in the server's order.
    Jobs(Dialect, Vec<Job>),
    /// To `Job`, `CreateJob`, `CancelJob`.
    Job(Box<Job>),
    /// To `Follow`, any number of times.
    Followed(Followed),
}

/// A file that was downloaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Downloaded {
    /// Its path.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// Its hash.
    pub sha256: Sha256,
}

/// A part of a stored file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// Offset of the first byte.
    pub from: u64,
    /// The bytes; fewer than were asked for at the file's end.
    pub bytes: Vec<u8>,
    /// Bytes of the whole file, where the server says so.
    pub total: Option<u64>,
    /// Whether the server supports ranges. If not, each part costs all that is before it.
    pub ranges: bool,
}

/// What following a job returns.
#[derive(Clone, Debug, PartialEq)]
pub enum Followed {
    /// Events in the order of the job's history. Over a whole call each event is reported exactly once, also across
    /// reconnections.
    Events {
        /// Place of the first of them in the history, counted from 0.
        first: u64,
        /// The events.
        events: Vec<JobEvent>,
    },
    /// The connection was made.
    Live {
        /// How many events were sent again that had been reported before.
        replayed: u64,
        /// Whether events are polled because the server does not stream them.
        polling: bool,
    },
    /// The connection was lost; the next attempt is at `at`.
    Lost {
        /// The failure.
        why: Failure,
        /// Time of the next attempt.
        at: Instant,
    },
    /// The job's current state; always sent at the end of a job.
    Job(Box<Job>),
}

/// What a call reports: any number of other messages, then exactly one `Closed`.
#[derive(Clone, Debug, PartialEq)]
pub enum Progress {
    /// An attempt failed before a byte of the answer arrived; the next one starts at `at`.
    Retrying {
        /// Number of the next attempt, from 2.
        attempt: u8,
        /// Attempts in all.
        of: u8,
        /// Its time.
        at: Instant,
        /// What went wrong.
        why: Failure,
    },
    /// The status line and headers of a successful response have arrived.
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
    /// The request is changed before it is sent: the server refuses it as it is.
    Adapted(Adaptation),
    /// A new fact about the server: for the shell, not for the caller.
    Learned(Box<Fact>),
    /// A part of the answer.
    Reply(Reply),
    /// The call has ended.
    Closed(Result<(), Failure>),
}

/// Why a call failed: its texts may hold the server's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The kind of failure.
    pub kind: FailureKind,
    /// One lower-case sentence: what happened and what to do next.
    pub sentence: Untrusted,
    /// HTTP status, if there was one.
    pub status: Option<u16>,
    /// The error's `code`, where sent, as text.
    pub code: Option<Untrusted>,
    /// `x-request-id`, where sent.
    pub request_id: Option<Untrusted>,
    /// Requests that were made for the call.
    pub attempts: u8,
    /// How long to wait, from the server's `Retry-After`.
    pub retry_after: Option<Duration>,
    /// Redacted response headers, a line each, for the details view; only those of a fixed list.
    pub headers: Vec<(String, Untrusted)>,
    /// First 2 KiB of the body, lossy UTF-8, for the details view.
    pub body: Untrusted,
}

impl Failure {
    /// Creates a failure of which only the kind and the sentence are known.
    pub fn new(kind: FailureKind, sentence: impl Into<Untrusted>) -> Self {
        Self {
            kind,
            sentence: sentence.into(),
            status: None,
            code: None,
            request_id: None,
            attempts: 1,
            retry_after: None,
            headers: Vec::new(),
            body: Untrusted::default(),
        }
    }

    /// Sets the number of attempts. The sentence ends with it if there were several.
    pub fn set_attempts(&mut self, attempts: u8) {
        let cause = self.cause();
        self.attempts = attempts;
        self.sentence = format!("{cause}{}", tried(attempts)).into();
    }

    /// Returns the sentence without the number of attempts.
    pub fn cause(&self) -> String {
        let sentence = self.sentence.line();
        sentence.strip_suffix(&tried(self.attempts)).unwrap_or(&sentence).to_owned()
    }
}

/// What says that the beginning of an answer is stored, or is still shown.
const KEPT: &str = "the part received is kept";

/// Returns a failure's sentence for where nothing of the answer is kept.
pub fn without_kept(sentence: &Untrusted) -> Untrusted {
    let sentence = sentence.raw().to_owned();
    ["; ", ", "].iter().fold(sentence, |words, mark| words.replace(&format!("{mark}{KEPT}"), "")).into()
}

/// What begins the sentence of an answer that ended early.
const CUT_OFF: &str = "the answer was cut off (";

/// Returns the sentence of an answer that ended early for a reason.
pub fn cut_off_sentence(why: &str) -> String {
    format!("{CUT_OFF}{why}); {KEPT}")
}

/// Returns the reason in such a sentence; another sentence is returned whole.
pub fn cut_off_reason(sentence: &str) -> &str {
    let reason = sentence.strip_prefix(CUT_OFF).and_then(|rest| rest.rsplit_once("); "));
    reason.map_or(sentence, |(why, _)| why)
}

/// Returns what ends the sentence of a failure after so many attempts.
fn tried(attempts: u8) -> String {
    if attempts > 1 { format!(" (tried {attempts} times)") } else { String::new() }
}

/// Kinds of failure a screen treats differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// No connection: refused, unreachable, DNS, TLS. Shown as offline.
    Offline,
    /// A time limit of this program ran out (connect, headers, idle).
    Timeout,
    /// 401, 403, or a key missing.
    Auth,
    /// 404, 405, 501 for the endpoint: the server does not offer it.
    Unsupported,
    /// 429 that may pass after a wait.
    RateLimit,
    /// 429 `insufficient_quota`: waiting does not help.
    Quota,
    /// The prompt is longer than the model's context.
    TooLong,
    /// Other 4xx: the request is wrong.
    Refused,
    /// 5xx.
    Server,
    /// The answer ended before it was complete.
    CutOff,
    /// The answer could not be parsed, or exceeded a size limit.
    Malformed,
    /// A file of this machine cannot be read, or has changed.
    Unreadable,
    /// A file of this machine cannot be written.
    Unwritable,
    /// A task of the program panicked.
    Bug,
}
