//! The store's limits, in one place.

use std::time::Duration;

/// How long a connection waits for another copy's write.
pub(super) const BUSY: Duration = Duration::from_secs(5);
/// How long a copy waits for another one that checks the store.
pub(super) const CHECKING: Duration = Duration::from_secs(10);
/// What a query gets to end in when the store is closed.
pub(super) const QUERY: Duration = Duration::from_secs(2);
/// What everything else then gets.
pub(super) const CLOSING: Duration = Duration::from_secs(8);
/// Orders in one transaction at most, so that the first of them does not wait for ever.
pub(super) const BATCH: usize = 512;
/// How long a disk that refused something is left alone: what waits is not offered again before; it doubles up to the
/// longest.
pub(super) const PAUSE: Duration = Duration::from_secs(1);
/// The longest such pause.
pub(super) const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// Bytes of records that wait for the disk; what comes beyond is refused.
pub(super) const HELD: usize = 64 << 20;
/// Numbers of vectors in one transaction, after which no more are taken: 64 MiB.
pub(super) const NUMBERS: usize = 16 << 20;
/// Conversations named at most by a search.
pub(super) const HITS: usize = 100;
/// Words a search looks at; more narrow nothing down.
pub(super) const WORDS: usize = 8;
/// Bytes of a text that is written in one piece, whatever pieces it came in.
pub(super) const LONG: usize = 1 << 20;
/// Bytes at the beginning of a message in which words are found.
pub(super) const SEARCHED: usize = 4 << 20;
/// Characters of a snippet.
pub(super) const SNIPPET: usize = 120;
/// How long a larger store waits for its check after it was opened, so that the start has the disk for itself.
pub(super) const SETTLED: Duration = Duration::from_secs(3);
/// Bytes of a store that is checked at once, and down to its indices; a larger one is checked later and faster.
pub(super) const SMALL: u64 = 16 << 20;
/// KiB of pages in memory while a store is read that SQLite cannot open.
pub(super) const READING: i64 = -32_768;
/// Daily copies kept.
pub(super) const KEPT: usize = 7;
/// How often it is asked whether a new day has begun.
pub(super) const OFTEN: Duration = Duration::from_mins(10);
/// Nobody works at a half copy that has not changed for so long.
pub(super) const STALE: Duration = Duration::from_hours(24);
/// A disk with fewer free bytes is full: so long is the file that copies share at least.
pub(super) const ROOM: u64 = 64 << 10;
