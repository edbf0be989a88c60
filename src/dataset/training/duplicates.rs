//! Duplicate rows, exact for files of any size: hashes in memory up to a budget, then sorted runs of them in a
//! temporary file.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};

use foldhash::SharedSeed;
use foldhash::quality::SeedableRandomState;

use super::row::Row;

/// Hashes held in memory: 16 MiB of them.
const HELD: usize = 512 << 10;
/// Bytes of an entry on disk.
const WIDE: usize = 32;
/// Bytes of a run read at a time.
const BUFFER: usize = 64 << 10;

/// Where a row is in its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RowPosition {
    /// Counted from 0.
    pub(super) row: u32,
    pub(super) line: u32,
    pub(super) at: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct SeenRow {
    hash: Hash,
    position: RowPosition,
}

/// 128 bits of hash of a row.
pub(super) type Hash = (u64, u64);

/// Secret hash keys, so that no file can be made to collide.
#[derive(Clone)]
pub(super) struct HashKeys(SeedableRandomState, SeedableRandomState);

impl HashKeys {
    pub(super) fn new() -> Self {
        // The standard library's keys come from the system's random source.
        let key = |of: u8| SeedableRandomState::with_seed(RandomState::new().hash_one(of), SharedSeed::global_random());
        Self(key(0), key(1))
    }

    /// Returns the hash of a row as it would be written.
    pub(super) fn of(&self, row: &Row<'_>) -> Hash {
        match row {
            Row::Pair { prompt, completion } => self.parts((prompt, completion)),
            Row::Chat { .. } => self.parts((&row.json(), "")),
        }
    }

    /// Returns the hash of a row's parts, which are delimited: `ab`, `c` is not `a`, `bc`.
    pub(super) fn parts(&self, parts: (&str, &str)) -> Hash {
        (self.0.hash_one(parts), self.1.hash_one(parts))
    }
}

/// All rows so far, by 128 bits of hash.
pub(super) struct SeenRows {
    pub(super) keys: HashKeys,
    held: Vec<SeenRow>,
    most: usize,
    /// The sorted runs, one after another; `runs` says where each begins, in entries.
    spilled: Option<File>,
    runs: Vec<u64>,
    written: u64,
}

impl SeenRows {
    pub(super) fn new() -> Self {
        Self::with(HELD)
    }

    fn with(most: usize) -> Self {
        Self { keys: HashKeys::new(), held: Vec::new(), most, spilled: None, runs: Vec::new(), written: 0 }
    }

    /// Adds a row by its hash. Fails if the temporary file cannot be written.
    pub(super) fn push(&mut self, hash: Hash, position: RowPosition) -> io::Result<()> {
        if self.held.len() == self.most {
            self.spill()?;
        }
        self.held.push(SeenRow { hash, position });
        Ok(())
    }

    fn spill(&mut self) -> io::Result<()> {
        self.held.sort_unstable();
        let file = match &mut self.spilled {
            Some(file) => file,
            none => none.insert(tempfile::tempfile()?),
        };
        let mut bytes = Vec::with_capacity(BUFFER);
        for part in self.held.chunks(BUFFER / WIDE) {
            bytes.clear();
            for SeenRow { hash, position } in part {
                bytes.extend_from_slice(&hash.0.to_le_bytes());
                bytes.extend_from_slice(&hash.1.to_le_bytes());
                bytes.extend_from_slice(&position.row.to_le_bytes());
                bytes.extend_from_slice(&position.line.to_le_bytes());
                bytes.extend_from_slice(&position.at.to_le_bytes());
            }
            file.write_all(&bytes)?;
        }
        self.runs.push(self.written);
        self.written += self.held.len() as u64;
        self.held.clear();
        Ok(())
    }

    /// Calls back with each duplicate and the first row of its kind, in no order; the callback returns whether to
    /// continue. Fails if the temporary file cannot be read.
    pub(super) fn find_duplicates(mut self, each: &mut dyn FnMut(RowPosition, RowPosition) -> bool) -> io::Result<()> {
        let mut same: Option<SeenRow> = None;
        let mut take = |entry: SeenRow| match &same {
            Some(first) if first.hash == entry.hash => each(entry.position, first.position),
            _ => {
                same = Some(entry);
                true
            }
        };
        if self.spilled.is_none() {
            self.held.sort_unstable();
            let _ = self.held.iter().all(|entry| take(*entry));
            return Ok(());
        }
        self.spill()?;
        self.held = Vec::new();
        let Some(file) = self.spilled else { return Ok(()) };
        let mut runs = Vec::new();
        for (at, begin) in self.runs.iter().enumerate() {
            let end = self.runs.get(at + 1).copied().unwrap_or(self.written);
            runs.push(SortedRun { file: &file, next: *begin, end, part: Vec::new() });
        }
        let mut heap = BinaryHeap::new();
        for (at, run) in runs.iter_mut().enumerate() {
            heap.extend(run.next()?.map(|entry| Reverse((entry, at))));
        }
        while let Some(Reverse((entry, at))) = heap.pop() {
            if !take(entry) {
                break;
            }
            heap.extend(runs[at].next()?.map(|entry| Reverse((entry, at))));
        }
        Ok(())
    }
}

/// A sorted run that is read back.
struct SortedRun<'a> {
    file: &'a File,
    /// The next entry to read from the file, and the end.
    next: u64,
    end: u64,
    /// Entries that were read, in reverse order.
    part: Vec<SeenRow>,
}

impl SortedRun<'_> {
    fn next(&mut self) -> io::Result<Option<SeenRow>> {
        if self.part.is_empty() {
            let count = (self.end - self.next).min((BUFFER / WIDE) as u64) as usize;
            let mut bytes = vec![0; count * WIDE];
            let mut file = self.file;
            file.seek(SeekFrom::Start(self.next * WIDE as u64))?;
            file.read_exact(&mut bytes)?;
            self.next += count as u64;
            self.part.extend(bytes.chunks_exact(WIDE).rev().map(entry));
        }
        Ok(self.part.pop())
    }
}

fn entry(bytes: &[u8]) -> SeenRow {
    let long = |from: usize| bytes[from..from + 8].iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    let both = long(16);
    SeenRow {
        hash: (long(0), long(8)),
        position: RowPosition { row: both as u32, line: (both >> 32) as u32, at: long(24) },
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_same_rows_are_found_in_memory_and_on_disk(rows in prop::collection::vec("[ab]{0,3}", 0..200), most in 1_usize..300) {
            let mut seen = SeenRows::with(most);
            let mut first = HashMap::new();
            let mut expected = Vec::new();
            for (row, text) in (0..).zip(&rows) {
                let position = RowPosition { row, line: row * 2 + 1, at: u64::from(row) << 33 };
                let hash = seen.keys.parts(text.split_at(text.len() / 2));
                seen.push(hash, position).unwrap();
                match first.get(text) {
                    Some(before) => expected.push((position, *before)),
                    None => { first.insert(text, position); }
                }
            }
            let mut found = Vec::new();
            seen.find_duplicates(&mut |again, before| { found.push((again, before)); true }).unwrap();
            found.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }
}
