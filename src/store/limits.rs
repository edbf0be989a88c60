//! The store's limits, in one place.

use std::time::Duration;

/// How long a connection waits for another copy's write.
pub(super) const BUSY: Duration = Duration::from_secs(5);
/// How long a copy waits for another one that checks the store.
pub(super) const CHECKING: Duration = Duration::from_secs(10);
/// Time for a query to end when the store is closed.
pub(super) const QUERY: Duration = Duration::from_secs(2);
/// Time for everything else to end then.
pub(super) const CLOSING: Duration = Duration::from_secs(8);
/// Records in one transaction at most, so that the first of them does not wait for ever.
pub(super) const BATCH: usize = 512;
/// Pause after a refusal of the disk before waiting records are offered again; it doubles up to the longest.
pub(super) const PAUSE: Duration = Duration::from_secs(1);
/// The longest such pause.
pub(super) const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// Bytes of records that may wait for the disk; further ones are refused.
pub(super) const HELD: usize = 64 << 20;
/// Numbers of vectors in one transaction at most: 64 MiB.
pub(super) const NUMBERS: usize = 16 << 20;
/// Conversations that a search returns at most.
pub(super) const HITS: usize = 100;
/// The most words of a search that are used.
pub(super) const MAX_SEARCH_WORDS: usize = 8;
/// Bytes of a text that is stored in one row, whatever parts it arrived in.
pub(super) const LONG: usize = 1 << 20;
/// Bytes at the beginning of a message that are indexed for search.
pub(super) const SEARCHED: usize = 4 << 20;
/// Characters of a snippet.
pub(super) const SNIPPET: usize = 120;
/// How long after the start a larger store is checked, so that the start has the disk for itself.
pub(super) const SETTLED: Duration = Duration::from_secs(3);
/// How long after the start a small store is checked, so that the start has the processor for itself. A
/// command that ends sooner does not check it.
pub(super) const STARTED: Duration = Duration::from_millis(300);
/// Bytes of a store that is checked soon, and down to its indices; a larger one is checked later and faster.
pub(super) const SMALL: u64 = 16 << 20;
/// KiB of pages in memory while a store is read that SQLite cannot open.
pub(super) const READING: i64 = -32_768;
/// Daily copies kept.
pub(super) const KEPT: usize = 7;
/// How often it is checked whether a new day has begun.
pub(super) const OFTEN: Duration = Duration::from_mins(10);
/// An incomplete copy that has not changed for this long is abandoned.
pub(super) const STALE: Duration = Duration::from_hours(24);
/// Free bytes below which a disk counts as full: the least size of the file that copies share.
pub(super) const ROOM: u64 = 64 << 10;
