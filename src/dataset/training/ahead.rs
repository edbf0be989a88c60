//! Rows in batches: one thread reads them, another processes them in the order of the file, and both parse.
//!
//! The reading thread parses a batch while the other thread has enough to do, and else passes it on unparsed. A parsed
//! batch holds its records and, for rows without faults, their texts and hash. All other records are examined by the
//! other thread, so that the findings do not depend on who parses.

use std::borrow::Cow;
use std::io;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use super::duplicates::{Hash, HashKeys};
use super::raw_record::RawRecord;
use super::row::{ParsedRow, Row, Rules, look};
use super::source::{RawRecords, TrainingFile};
use crate::dataset::texts::rows::RowOutcome;

/// Bytes after which a batch is full.
const BATCH: usize = 128 << 10;
/// Full batches that may wait.
const WAITING: usize = 2;
/// The cost of batches that keep the processing thread busy while another one is parsed: of one that it parses itself,
/// or of two.
const ENOUGH: usize = 2;
/// Bytes of capacity above which a batch is not reused: a few long rows must not occupy memory.
const KEPT: usize = 4 * BATCH;

/// Consecutive rows of a file.
#[derive(Default)]
pub(super) struct RecordBatch {
    bytes: Vec<u8>,
    texts: String,
    said: Vec<(Range<usize>, Range<usize>)>,
    items: Vec<ReadAhead>,
    /// Whether rows without faults were parsed when this was read.
    parsed: bool,
    /// Bytes of the file passed when this was read.
    pub(super) read: u64,
    /// Set in the last batch.
    end: Option<io::Result<()>>,
}

/// A row of the file, and its parsed texts if it has no faults.
struct ReadAhead {
    line: u64,
    column: u64,
    at: u64,
    bytes: Range<usize>,
    form: RowOutcome,
    row: Option<(Parsed, Hash)>,
}

/// Where a row's texts are in the batch.
enum Parsed {
    Pair(Range<usize>, Range<usize>),
    Chat(Range<usize>),
}

impl RecordBatch {
    /// Reads rows until the batch is full or the file ends. Rows are parsed and hashed with `keys`, if given.
    fn fill(&mut self, pieces: &mut RawRecords, input: &TrainingFile, rules: Rules, keys: Option<&HashKeys>) {
        self.bytes.clear();
        self.texts.clear();
        self.said.clear();
        self.items.clear();
        self.parsed = keys.is_some();
        self.end = loop {
            match pieces.next() {
                Ok(Some(piece)) => self.push(&piece, input, rules, keys),
                Ok(None) => break Some(Ok(())),
                Err(why) => break Some(Err(why)),
            }
            if self.bytes.len() >= BATCH || self.items.len() >= BATCH / 16 {
                break None;
            }
        };
        self.read = pieces.read();
    }

    /// Returns the approximate cost for the thread that processes it.
    fn cost(&self) -> usize {
        if self.parsed { 1 } else { ENOUGH }
    }

    fn push(&mut self, piece: &RawRecord<'_>, input: &TrainingFile, rules: Rules, keys: Option<&HashKeys>) {
        let from = self.bytes.len();
        self.bytes.extend_from_slice(piece.bytes);
        let bytes = from..self.bytes.len();
        let row = keys.and_then(|keys| {
            let row = look(input, piece, rules).in_order()?;
            Some((self.keep(&row)?, keys.of(&row)))
        });
        let RawRecord { line, column, at, form, .. } = *piece;
        self.items.push(ReadAhead { line, column, at, bytes, form, row });
    }

    /// Copies a row's texts; `None`: it would be written differently than it stands.
    fn keep(&mut self, row: &Row<'_>) -> Option<Parsed> {
        let mut copy = |text: &str| {
            let from = self.texts.len();
            self.texts.push_str(text);
            from..self.texts.len()
        };
        match row {
            Row::Pair { prompt, completion } => Some(Parsed::Pair(copy(prompt), copy(completion))),
            Row::Chat { json: Cow::Owned(_), .. } => None,
            Row::Chat { said, .. } => {
                let from = self.said.len();
                self.said.extend(said.iter().map(|(role, content)| (copy(role), copy(content))));
                Some(Parsed::Chat(from..self.said.len()))
            }
        }
    }

    /// Returns the rows with what was found in them, and the hashes of those that are parsed.
    pub(super) fn pieces(
        &self,
        input: &TrainingFile,
        rules: Rules,
    ) -> impl Iterator<Item = (RawRecord<'_>, ParsedRow<'_>, Option<Hash>)> {
        self.items.iter().map(move |item| {
            let bytes = &self.bytes[item.bytes.clone()];
            let piece = RawRecord { line: item.line, column: item.column, at: item.at, bytes, form: item.form };
            let (found, hash) = match &item.row {
                Some((parsed, hash)) => {
                    (ParsedRow { row: Some(self.row(parsed, bytes)), ..ParsedRow::default() }, Some(*hash))
                }
                None => (look(input, &piece, rules), None),
            };
            (piece, found, hash)
        })
    }

    fn row<'a>(&'a self, parsed: &Parsed, bytes: &'a [u8]) -> Row<'a> {
        let text = |range: &Range<usize>| Cow::Borrowed(&self.texts[range.clone()]);
        match parsed {
            Parsed::Pair(prompt, completion) => Row::Pair { prompt: text(prompt), completion: text(completion) },
            Parsed::Chat(said) => Row::Chat {
                json: str::from_utf8(bytes).unwrap_or_default().into(),
                said: self.said[said.clone()].iter().map(|(role, content)| (text(role), text(content))).collect(),
            },
        }
    }
}

/// Passes the file's batches to `take` in order until it breaks. Returns what it broke with; `None`: the file has
/// ended. A second thread reads ahead if the machine has a second core.
pub(super) fn batches<T>(
    input: &TrainingFile,
    rules: Rules,
    keys: &HashKeys,
    take: &mut dyn FnMut(&RecordBatch) -> ControlFlow<T>,
) -> Result<Option<T>, String> {
    if thread::available_parallelism().is_ok_and(|cores| cores.get() > 1) {
        threaded(input, rules, keys, take)
    } else {
        alone(input, rules, take)
    }
}

fn threaded<T>(
    input: &TrainingFile,
    rules: Rules,
    keys: &HashKeys,
    take: &mut dyn FnMut(&RecordBatch) -> ControlFlow<T>,
) -> Result<Option<T>, String> {
    let (pieces, waiting) = (input.pieces()?, AtomicUsize::new(0));
    thread::scope(|scope| {
        let (full, filled) = sync_channel(WAITING);
        let (used, again) = sync_channel(WAITING + 2);
        let waiting = &waiting;
        let reads = move || read(pieces, (input, rules, keys), waiting, &full, &again);
        if thread::Builder::new().name("training-rows".into()).spawn_scoped(scope, reads).is_err() {
            return alone(input, rules, take);
        }
        // The end of this loop drops the receiver, which ends the reading thread.
        for batch in filled {
            if let Some(done) = taken(&batch, take) {
                return done;
            }
            waiting.fetch_sub(batch.cost(), Ordering::Relaxed);
            if batch.bytes.capacity().max(batch.texts.capacity()) <= KEPT {
                let _ = used.try_send(batch);
            }
        }
        Err("the file could not be read to its end; check it again".to_owned())
    })
}

fn read(
    mut pieces: RawRecords,
    (input, rules, keys): (&TrainingFile, Rules, &HashKeys),
    waiting: &AtomicUsize,
    full: &SyncSender<RecordBatch>,
    again: &Receiver<RecordBatch>,
) {
    loop {
        let mut batch = again.try_recv().unwrap_or_default();
        let parses = waiting.load(Ordering::Relaxed) >= ENOUGH;
        batch.fill(&mut pieces, input, rules, parses.then_some(keys));
        let last = batch.end.is_some();
        waiting.fetch_add(batch.cost(), Ordering::Relaxed);
        if full.send(batch).is_err() || last {
            return;
        }
    }
}

fn alone<T>(
    input: &TrainingFile,
    rules: Rules,
    take: &mut dyn FnMut(&RecordBatch) -> ControlFlow<T>,
) -> Result<Option<T>, String> {
    let (mut pieces, mut batch) = (input.pieces()?, RecordBatch::default());
    loop {
        batch.fill(&mut pieces, input, rules, None);
        if let Some(done) = taken(&batch, take) {
            return done;
        }
    }
}

/// Processes a batch. Returns the result of the whole, if it ends here.
fn taken<T>(
    batch: &RecordBatch,
    take: &mut dyn FnMut(&RecordBatch) -> ControlFlow<T>,
) -> Option<Result<Option<T>, String>> {
    if let ControlFlow::Break(with) = take(batch) {
        return Some(Ok(Some(with)));
    }
    match batch.end.as_ref()? {
        Ok(()) => Some(Ok(None)),
        Err(why) => Some(Err(format!("the file cannot be read any further: {why}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::training::row::rules;

    /// Returns everything that is processed of a file, as text.
    fn all(input: &TrainingFile, rules: Rules, threads: bool) -> Vec<String> {
        let (keys, mut all) = (HashKeys::new(), Vec::new());
        let mut take = |batch: &RecordBatch| {
            all.extend(batch.pieces(input, rules).map(|(piece, found, hash)| {
                let own = found.row.as_ref().map(|row| keys.of(row));
                assert!(hash.is_none() || hash == own, "{piece:?}");
                format!("{piece:?} {found:?}")
            }));
            ControlFlow::<()>::Continue(())
        };
        let ended = if threads { threaded(input, rules, &keys, &mut take) } else { alone(input, rules, &mut take) };
        assert_eq!(ended, Ok(None));
        all
    }

    #[test]
    fn rows_read_ahead_are_those_of_one_thread() {
        let home = tempfile::tempdir().unwrap();
        let pairs = |n: u32| match n % 11 {
            0 => String::new(),
            1 => "no JSON".to_owned(),
            2 => format!("{{\"Prompt\":\"{n}\",\"completion\":\" x\"}}"),
            3 => format!("{{\"prompt\":{n},\"completion\":\" x\"}}"),
            4 => format!("{{\"prompt\":\"{n}\",\"completion\":\"\"}}"),
            5 => "{\"prompt\":\"é\\n漢\\u00e9\",\"completion\":\" twice\\n\"}".to_owned(),
            6 => format!("{{\"messages\":[{{\"role\":\"user\",\"content\":\"{n}\"}}]}}"),
            7 => format!("{{\"prompt\":\"{}\",\"completion\":\"long\"}}", "word ".repeat(n as usize % 9_000)),
            _ => format!("{{\"prompt\":\"row {n} ->\",\"completion\":\" {}\\n\"}}", n * 7),
        };
        let chats = |n: u32| match n % 5 {
            0 => pairs(n),
            1 => format!("{{\"messages\":[{{\"role\":\"user\",\"content\":\"q {n}\"}}]}}"),
            _ => format!(
                "{{ \"messages\":[{{\"role\":\"user\",\"content\":\"q \\\"{n}\"}}, {{\"role\":\"assistant\",\"content\":\"a\"}}]}}"
            ),
        };
        let cells = |n: u32| {
            if n == 0 {
                "prompt,completion".into()
            } else {
                format!("\"{n}, \"\"or\"\"\", so{}", ",x".repeat((n % 7 / 6) as usize))
            }
        };
        let lines = |row: &dyn Fn(u32) -> String| (0..20_000).map(|n| row(n) + "\n").collect::<String>();
        for (name, text) in [("a.jsonl", lines(&pairs)), ("b.jsonl", lines(&chats)), ("c.csv", lines(&cells))] {
            let path = home.path().join(name);
            std::fs::write(&path, text).unwrap();
            let mut input = TrainingFile::open(&path, &mut |_, _| true).unwrap();
            let rules = rules(&mut input, false, &[]).unwrap();
            let (one, two) = (all(&input, rules, false), all(&input, rules, true));
            assert!(one.len() > 19_000, "{}", one.len());
            assert!(one == two, "{name}: {:?}", one.iter().zip(&two).find(|(one, two)| one != two));
        }
    }

    #[test]
    fn breaking_off_ends_the_reading_thread() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("a.jsonl");
        std::fs::write(&path, "{\"prompt\":\"a ->\",\"completion\":\" b\\n\"}\n".repeat(200_000)).unwrap();
        let mut input = TrainingFile::open(&path, &mut |_, _| true).unwrap();
        let rules = rules(&mut input, false, &[]).unwrap();
        // Returns only once the thread has ended.
        let broke = threaded(&input, rules, &HashKeys::new(), &mut |batch| ControlFlow::Break(batch.read));
        assert!(broke.is_ok_and(|read| read.is_some_and(|read| read < input.total / 2)));
    }
}
