//! The local service's own limits, in one place. Those of calls in general are in [`crate::settings::limits`].

use std::time::Duration;

/// A request body in JSON, bytes. The longest context of any model is far below it.
pub(super) const BODY: usize = 8 << 20;
/// Numbers in a request body: token ids, most of all.
pub(super) const NUMBERS: usize = 512 << 10;
/// Other values in a request body: texts, lists, objects, entries of objects.
pub(super) const VALUES: usize = 32 << 10;
/// Messages of a conversation.
pub(super) const MESSAGES: usize = 2048;
/// From the end of a request's headers to the end of such a body.
pub(super) const ARRIVE: Duration = Duration::from_secs(10);
/// Bytes of a request's address.
pub(super) const ADDRESS: usize = 8 << 10;
/// Bytes of a request's headers, and how many they may be.
pub(super) const HEADERS: (usize, usize) = (64 << 10, 256);
/// Headers that the HTTP library reads: more than are allowed, so that the refusal can say why.
pub(super) const READ_HEADERS: usize = 1024;
/// Connections at once; more wait in the listener's backlog.
pub(super) const CONNECTIONS: usize = 512;
/// Time from the connection, or the end of the last answer on it, to the end of the next request's headers. A
/// connection that is silent for longer is closed, so that those in the backlog are accepted.
pub(super) const SILENT: Duration = Duration::from_secs(10);
/// Time for answers to other processes to be completed when the process that serves ends.
pub(super) const LEAVING: Duration = Duration::from_secs(5);
/// Time for open answers to end when the service stops. Streams end by themselves within a token.
pub(super) const GRACE: Duration = Duration::from_millis(500);
/// Time for the runtime of `benchtop serve` to end. An engine that writes for a reader who is gone stops within a
/// token.
pub(super) const LAST: Duration = Duration::from_millis(300);
/// Requests other than those for text that may wait for a turn at the engine.
pub(super) const WAITING: usize = 256;
/// Answers that take turns at the engine.
pub(super) const ANSWERS: usize = 256;
/// Tokens of a completion request's choices together if the answer is not streamed: some 20 bytes each are held until
/// all are there.
pub(super) const GATHERED: u64 = 4 << 20;
/// The same where tokens come with log-probabilities: some 500 bytes each.
pub(super) const SCORED: u64 = 512 << 10;
/// Parts between the engine and a slow reader.
pub(super) const AHEAD: usize = 64;
/// How long a start waits for the other processes to decide who serves before it serves by itself: longer than
/// [`LEAVING`] and [`GRACE`], which another one may need to end.
pub(super) const DECIDE: Duration = Duration::from_secs(7);
/// How long a process waits before it looks again whether another one has ended.
pub(super) const LOOK_AGAIN: Duration = Duration::from_millis(10);
/// How long the holder of the lock may take to answer.
pub(super) const ANSWER: Duration = Duration::from_secs(2);
/// Bytes that the files of one organisation take together, uploads under way included: the interface's 1 GB, as 2^30.
pub(super) const STORED: u64 = 1 << 30;
/// Bytes of an upload that are not the file's own: the other parts and the boundaries.
pub(super) const AROUND: u64 = 1 << 20;
/// How long an upload may be silent.
pub(super) const STALL: Duration = Duration::from_mins(1);
/// Bytes of a request that are read and ignored after it was refused, so that a caller who is still sending receives
/// the answer.
pub(super) const DRAIN: u64 = STORED + 2 * AROUND;
/// How long that may take.
pub(super) const DRAINING: Duration = Duration::from_secs(30);
