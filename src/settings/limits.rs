//! Every limit of the settings and the client: nothing waits or grows without bound.

use std::time::Duration;

pub use crate::api::limits::{ERROR_WORDS, LIST_ENTRIES};

/// A file of settings (`config.toml`, `keys.toml`, `prices.toml`, a theme), bytes.
pub const SETTINGS_FILE: u64 = 1 << 20;
/// Warnings about a file of settings that are listed; only the number of further ones is said.
pub const CONFIG_WARNINGS: usize = 20;
/// Files of themes that are read.
pub const THEMES: usize = 100;
/// To open a TCP connection, with TLS; a profile may raise it.
pub const CONNECT: Duration = Duration::from_secs(10);
/// The most a profile may raise it to, seconds.
pub const CONNECT_MOST: i64 = 300;
/// From the request to the response headers; a profile may raise it.
pub const HEADERS: Duration = Duration::from_mins(1);
/// The most a profile may raise it to, seconds.
pub const HEADERS_MOST: i64 = 3600;
/// Between two reads of a body; comments of a stream count, too. A profile may raise it.
pub const IDLE: Duration = Duration::from_secs(90);
/// The most a profile may raise it to, seconds.
pub const IDLE_MOST: i64 = 3600;
/// How long an unused connection is kept.
pub const POOL_IDLE: Duration = Duration::from_secs(30);
/// How long a test of a profile reads the list of models.
pub const CHECK_BODY: Duration = Duration::from_secs(30);
/// A JSON body, bytes.
pub const JSON_BODY: usize = 64 << 20;
/// Unpacked bytes of a compressed answer that are read whatever its ratio.
pub const EXPANDED: u64 = 8 << 20;
/// Beyond them: how many times the bytes received an unpacked answer may be.
pub const EXPANSION: u64 = 100;
/// A list of vectors in JSON, bytes: 2048 of the longest known (12,288 numbers), each number in 20 characters. It is
/// parsed as it arrives and never in memory as a whole.
pub const EMBEDDING_BODY: usize = 512 << 20;
/// Numbers for each text that is embedded, as an average over an answer; the longest vectors known have 12,288.
/// With 128 texts in a request the vectors of an answer take 8 MiB at most, with 2048 of them 128 MiB.
pub const VECTOR: usize = 1 << 14;
/// Pixels of a side of a picture that is shown; a larger one is not decoded.
pub const PICTURE_SIDE: u32 = 16_384;
/// Bytes that decoding a picture may take.
pub const PICTURE_MEMORY: u64 = 256 << 20;
/// Pixels of the longer side that are kept of a picture that is shown: more than a screen has.
pub const PICTURE_SHOWN: u32 = 2_000;
/// The results of a moderation, bytes: 8 KiB for each of 2048 texts.
pub const MODERATION_BODY: usize = 16 << 20;
/// Names in the results of a moderation for each text: 13 categories in both spellings, with flag, score and what they
/// apply to, are 78. Each takes some 100 bytes.
pub const RESULT_NAMES: usize = 256;
/// A text within an answer that is parsed as it arrives, bytes: base64 of 196,608 numbers.
pub const JSON_TEXT: usize = 1 << 20;
/// Nested lists and objects of such an answer.
pub const JSON_DEPTH: usize = 128;
/// A list of models, bytes.
pub const MODEL_LIST: usize = 8 << 20;
/// A page of a list of files, bytes: 10,000 files of some 300 bytes are 3 MiB.
pub const FILE_LIST: usize = 32 << 20;
/// Pages of a list of files.
pub const FILE_PAGES: usize = 1000;
/// Files of a list, all pages together: some 30 MB.
pub const FILES: usize = 100_000;
/// What is known of one file, bytes.
pub const FILE_OBJECT: usize = 1 << 20;
/// A part of a file's content that is kept in memory, bytes.
pub const CONTENT: u64 = 16 << 20;
/// Redirects that a download follows.
pub const REDIRECTS: usize = 3;
/// Attempts of one download that each bring some bytes.
pub const RESUMES: usize = 100;
/// Bytes of a download after which they are synced to the disk: what a power cut costs at most.
pub const DURABLE: u64 = 64 << 20;
/// Time after which they are synced at the latest, so that the end of the program costs little, too.
pub const DURABLE_WAIT: Duration = Duration::from_secs(2);
/// Bytes that the system may have accepted but not sent yet.
pub const UNSENT: u64 = 4 << 20;
/// How many of them leave in a second on the slowest line that is allowed for.
pub const SLOWEST: u64 = 16 << 10;
/// Bytes of a file that is sent or received that are read, hashed and written at once; a few of them are under way.
pub const PIECE: usize = 256 << 10;
/// The text of one streamed answer, all choices together, bytes.
pub const ANSWER_TEXT: usize = 64 << 20;
/// Tokens of one answer, with all choices and the alternatives to each token, so that an answer stays well below 256
/// MiB. A token is kept in 64 bytes and its text in 32, an alternative in 32 and its text in 32: 96 bytes for a token
/// alone, about 430 for one with 5 alternatives (72 for each of the six), about 1,390 with 20 (66 for each of the 21).
/// That is 96 MB at most, and 110 to 150 MB for as long as it is in the form of the wire, beside a body of up to 64
/// MiB. Without alternatives it is 1,000,000 tokens, with 5 of them 166,000, with 20 of them 47,000.
pub const ANSWER_TOKENS: usize = 1_000_000;
/// Alternatives to a token that are kept, the likeliest ones: the most that can be requested.
pub const ALTERNATIVES: usize = 20;
/// A line of a stream, bytes.
pub const SSE_LINE: usize = 8 << 20;
/// An event of a stream, bytes with its line ends: a line of data as long as one may be, and a name.
pub const SSE_EVENT: usize = SSE_LINE + (1 << 10);
/// Choices of one streamed answer: the most that can be requested.
pub const CHOICES: usize = 128;
/// Bytes of an error body that are read.
pub const ERROR_BODY: usize = 64 << 10;
/// How long an error body is read in total.
pub const ERROR_BODY_WAIT: Duration = Duration::from_secs(5);
/// Bytes of an error body kept for the details view.
pub const ERROR_BODY_SHOWN: usize = 2 << 10;
/// Attempts in total for one request.
pub const ATTEMPTS: u8 = 3;
/// How long requests are repeated while another process takes over the local service: longer than one needs to leave.
pub const TAKEOVER: Duration = Duration::from_secs(8);
/// Wait before a request is repeated then.
pub const TAKEOVER_PAUSE: Duration = Duration::from_millis(20);
/// First wait between attempts; doubles.
pub const RETRY_FIRST: Duration = Duration::from_millis(500);
/// Longest wait between attempts, unless the server asks for another.
pub const RETRY_MOST: Duration = Duration::from_secs(8);
/// A `Retry-After` above this is not waited for.
pub const RETRY_AFTER_MOST: Duration = Duration::from_mins(2);
/// Response headers in all, bytes.
pub const RESPONSE_HEADERS: usize = 64 << 10;
/// Response headers in all, lines.
pub const RESPONSE_HEADER_COUNT: usize = 256;
/// Progress messages that may wait for the screen; then the socket waits.
pub const PROGRESS_WAITING: usize = 32;
/// Events of a stream that are passed on together at most.
pub const BATCH_EVENTS: usize = 64;
/// Events are passed on once they have this many bytes together. A larger one (a single event) waits until no other
/// waits.
pub const BATCH_BYTES: usize = 64 << 10;
/// Bytes between two reports of how much of a body was transferred.
pub const MOVED_BYTES: u64 = 64 << 10;
/// Time between two reports of how much of a body was transferred.
pub const MOVED_WAIT: Duration = Duration::from_millis(100);
/// Jobs of a list that comes in pages.
pub const JOBS: usize = 10_000;
/// First upper bound of the wait before a lost connection to a job's events is opened again; doubles.
pub const FOLLOW_FIRST: Duration = Duration::from_secs(1);
/// The upper bound's maximum. The wait is random up to the bound.
pub const FOLLOW_MOST: Duration = Duration::from_secs(30);
/// The longest wait a server may ask for there.
pub const FOLLOW_ASKED: Duration = Duration::from_hours(1);
/// A connection that lasted this long resets the upper bound.
pub const FOLLOW_STEADY: Duration = Duration::from_secs(10);
/// Silence after which a server is assumed to have sent all of a job's history.
pub const FOLLOW_QUIET: Duration = Duration::from_secs(2);
/// First wait between two requests for a job's events, where they are not streamed.
pub const POLL_FIRST: Duration = Duration::from_secs(2);
/// The longest of these waits, while nothing happens.
pub const POLL_MOST: Duration = Duration::from_secs(15);
/// Pages of a job's history, where it comes in pages.
pub const EVENT_PAGES: usize = 10_000;
/// Longest a key command may take.
pub const KEY_COMMAND: Duration = Duration::from_secs(10);
/// Longest a request to the system's keyring may take.
pub const KEYRING: Duration = Duration::from_secs(3);
/// Requests to the keyring that may be under way: one that is never answered keeps its thread.
pub const KEYRING_WAITING: usize = 4;
/// The first line of a key command's output, bytes.
pub const KEY_COMMAND_OUTPUT: u64 = 64 << 10;
