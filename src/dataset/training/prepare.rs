//! A repaired copy: a first pass finds the rows that are left, the duplicates and the split; a second one writes them.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::common_text::CommonText;
use super::duplicates::{RowPosition, SeenRows};
use super::labels::First;
use super::limits::STOPPED;
use super::lint_state::ClassTally;
use super::parts::{Bounds, PartCounts, RowPlace};
use super::repair::{RepairedRow, Repairer};
use super::row::{Row, Rules, look, rules};
use super::source::TrainingFile;
use super::token_count::TokenCounter;
use crate::dataset::Moved;
use crate::record::training::{Mapping, RepairKind, RowForm, Split};

/// Bytes between two checks whether to continue.
const OFTEN: u64 = 1 << 20;

/// A copy that is ready to be written.
pub struct Preparation {
    path: PathBuf,
    input: TrainingFile,
    rules: Rules,
    repairer: Repairer,
    /// The file's state when it was first read.
    state: (u64, Option<SystemTime>),
    /// A bit for each row that duplicates or contradicts an earlier one.
    duplicates: Vec<u64>,
    split: Option<(Split, Bounds)>,
    left_out: u64,
    classes: (Vec<String>, u64),
    /// The common ends of all prompts and all completions, as they are written.
    ends: (String, String),
}

/// What was written of a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Rows.
    pub rows: u64,
    /// Bytes.
    pub bytes: u64,
}

impl Preparation {
    /// Reads a training file with the accepted repairs and a mapping of its columns; `None`: the one that a check would
    /// use. Fails with a sentence if a row needs a repair that was not accepted, nothing is left to write, or the rows
    /// cannot be split.
    pub fn new(
        path: &Path,
        (model, local): (&str, bool),
        mapping: Option<&Mapping>,
        repairs: &[RepairKind],
        split: Option<Split>,
        moved: Moved,
    ) -> Result<Self, String> {
        if split.and_then(|split| split.share).is_some_and(|share| !(share > 0.0 && share < 1.0)) {
            return Err("the share to hold out must be above 0 and below 1".to_owned());
        }
        let state = state(path);
        let mut input = TrainingFile::open(path, moved)?;
        let rules = rules(&mut input, local, mapping.map_or(&[], std::slice::from_ref))?;
        if mapping.is_some() && input.mapping.as_ref() != mapping {
            return Err("the columns of the file have changed; check it again".to_owned());
        }
        if input.is_table() && input.fields.is_none() {
            columns(&input, rules, repairs)?;
        }
        let repairer = Repairer::new(repairs, TokenCounter::new(model, local), rules);
        let mut all = Self {
            path: path.to_owned(),
            input,
            rules,
            repairer,
            state,
            duplicates: Vec::new(),
            split: None,
            left_out: 0,
            classes: (Vec::new(), 0),
            ends: (String::new(), String::new()),
        };
        all.mark_duplicates(moved)?;
        all.part(split, moved)?;
        Ok(all)
    }

    /// Marks duplicates and rows that contradict an earlier one, where those repairs are accepted; fails if no row is
    /// left.
    fn mark_duplicates(&mut self, moved: Moved) -> Result<(), String> {
        let mut seen = SeenRows::new();
        let distinct = self.repairer.has(&RepairKind::Duplicates);
        let contradictions = self.repairer.has(&RepairKind::Contradictions);
        let (mut first, mut gone) = (First::default(), Vec::new());
        let mut rows = 0_u64;
        self.each(moved, &mut |row, line, at, raw, repaired| {
            let (prompt, completion, chat) = match repaired {
                RepairedRow::Refused(why) => return Err(format!("line {line} cannot be written: {why}")),
                RepairedRow::Dropped => return Ok(()),
                RepairedRow::Row { prompt, completion, chat } => (prompt, completion, *chat),
            };
            rows += 1;
            // Both as the check compares them, and as they will be written.
            let keys = [raw.and_then(|raw| first.key(raw)), first.key(prompt)];
            if contradictions && !chat && first.other(&keys, completion, line).is_some() {
                gone.push(row);
                return Ok(());
            }
            if !distinct {
                return Ok(());
            }
            let position = RowPosition { row: number(row)?, line: line as u32, at };
            // Of a conversation the whole is under `completion`.
            let text = if chat { super::json_spans::compact(completion) } else { completion.as_str().into() };
            let hash = seen.keys.parts((prompt, &text));
            seen.push(hash, position).map_err(|why| format!("cannot look for duplicates: {why}"))
        })?;
        let duplicates = &mut self.duplicates;
        let mut mark = |row: u64| {
            let word = (row / 64) as usize;
            if duplicates.len() <= word {
                duplicates.resize(word + 1, 0);
            }
            duplicates[word] |= 1 << (row % 64);
        };
        let (mut count, mut on, total) = (gone.len() as u64, true, self.input.total);
        gone.into_iter().for_each(&mut mark);
        let read = seen.find_duplicates(&mut |again, _| {
            mark(u64::from(again.row));
            count += 1;
            if count.is_multiple_of(1 << 16) {
                on = moved(total, total);
            }
            on
        });
        read.map_err(|why| format!("cannot look for duplicates: {why}"))?;
        if !on {
            return Err(STOPPED.to_owned());
        }
        if rows == count {
            return Err("no rows are left to write".to_owned());
        }
        Ok(())
    }

    /// Counts classes and dropped rows, and finds where to split.
    fn part(&mut self, split: Option<Split>, moved: Moved) -> Result<(), String> {
        let mut classes = ClassTally::new();
        let (mut prompts, mut completions) = (CommonText::prompts(), CommonText::completions());
        let mut tally = split.map(|split| (split, PartCounts::new()));
        let (mut rows, mut all, mut spaced, mut prompted) = (0, 0, true, false);
        let pairs = self.rules.form == RowForm::Pairs;
        self.each(moved, &mut |row, _, _, _, repaired| {
            all = row + 1;
            let RepairedRow::Row { prompt, completion, .. } = repaired else { return Ok(()) };
            if self.is_duplicate(row) {
                return Ok(());
            }
            rows += 1;
            if pairs {
                spaced &= completion.starts_with(' ');
                prompted |= !prompt.is_empty();
                classes.take(completion);
                prompts.take(prompt);
                completions.take(completion);
            }
            if let Some((split, tally)) = &mut tally {
                tally.take(RowPlace::of(split.seed, prompt, completion));
            }
            Ok(())
        })?;
        self.left_out = all - rows;
        self.ends = (prompts.common_end().to_owned(), completions.common_end().to_owned());
        let number = classes.number().filter(|number| pairs && prompted && number * 3 < rows);
        if let Some(number) = number {
            let space = if spaced { " " } else { "" };
            let classes = classes.most().into_iter().map(|(class, _)| format!("{space}{class}"));
            self.classes = (classes.collect(), number);
        }
        if let Some((split, tally)) = tally {
            let bounds = tally.bounds(split, number.is_some());
            let bounds =
                bounds.ok_or("the rows cannot be split: all have the same prompt, or there is only one row")?;
            self.split = Some((split, bounds));
        }
        Ok(())
    }

    /// Returns how many files are to be written: two if rows are held out.
    pub fn parts(&self) -> usize {
        1 + usize::from(self.split.is_some())
    }

    /// Returns the number of rows that are not written.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Returns the completions of a classification, most frequent first, at most 100, and how many there are; none for
    /// anything else.
    pub fn classes(&self) -> (&[String], u64) {
        (&self.classes.0, self.classes.1)
    }

    /// Returns what all prompts and all completions end with; empty: nothing.
    pub fn ends(&self) -> (&str, &str) {
        (&self.ends.0, &self.ends.1)
    }

    /// Writes a part, counted from 0: the rows for training, then those held out. Fails if the file has changed since
    /// it was read, a part cannot be written, or `moved` says to stop.
    pub fn write(&self, part: usize, to: &mut dyn Write, moved: Moved) -> io::Result<Written> {
        let mut written = Written::default();
        let mut failed = None;
        let read = self.each(moved, &mut |row, _, _, _, repaired| {
            let (RepairedRow::Row { prompt, completion, .. }, false) = (repaired, self.is_duplicate(row)) else {
                return Ok(());
            };
            if let Some((split, bounds)) = &self.split
                && bounds.holds_out(RowPlace::of(split.seed, prompt, completion)) != (part == 1)
            {
                return Ok(());
            }
            let Some(line) = repaired.line() else { return Ok(()) };
            let wrote = to.write_all(line.as_bytes()).and_then(|()| to.write_all(b"\n"));
            written.rows += 1;
            written.bytes += line.len() as u64 + 1;
            wrote.map_err(|why| {
                failed = Some(why);
                String::new()
            })
        });
        if let Some(why) = failed {
            return Err(why);
        }
        read.map_err(io::Error::other)?;
        if state(&self.path) != self.state {
            return Err(io::Error::other("the file has changed; check it again"));
        }
        Ok(written)
    }

    fn is_duplicate(&self, row: u64) -> bool {
        self.duplicates.get((row / 64) as usize).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    /// Calls back with every row, repaired: its number from 0, its line and byte.
    fn each(&self, moved: Moved, take: Take<'_>) -> Result<(), String> {
        let mut pieces = self.input.pieces()?;
        let compared = self.repairer.has(&RepairKind::Contradictions);
        let (mut row, mut said) = (0, 0);
        loop {
            let read = pieces.read();
            if read >= said + OFTEN {
                said = read;
                if !moved(read.min(self.input.total), self.input.total) {
                    return Err(STOPPED.to_owned());
                }
            }
            let piece = pieces.next().map_err(|why| format!("the file cannot be read any further: {why}"))?;
            let Some(piece) = piece else { return Ok(()) };
            let found = look(&self.input, &piece, self.rules);
            if found.blank {
                continue;
            }
            // The prompt before it is repaired, where rows are compared by it.
            let raw = match &found.row {
                Some(Row::Pair { prompt, .. }) if compared => Some(prompt.clone()),
                _ => None,
            };
            let repaired = self.repairer.repair(found);
            take(row, piece.line, piece.at, raw.as_deref(), &repaired)?;
            row += 1;
        }
    }
}

impl std::fmt::Debug for Preparation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Preparation").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Receives a row: its number, line, byte, its unrepaired prompt where rows are compared by it, and the result of the
/// repair.
type Take<'a> = &'a mut dyn FnMut(u64, u64, u64, Option<&str>, &RepairedRow) -> Result<(), String>;

fn number(row: u64) -> Result<u32, String> {
    u32::try_from(row).map_err(|_| "the file has more than four billion rows; split it".to_owned())
}

/// Returns a file's size and time of change, to detect changes.
fn state(path: &Path) -> (u64, Option<SystemTime>) {
    path.metadata().map_or((0, None), |known| (known.len(), known.modified().ok()))
}

/// Fails if a table's columns have names that need a repair which was not accepted.
fn columns(input: &TrainingFile, rules: Rules, repairs: &[RepairKind]) -> Result<(), String> {
    let (Some(prompt), Some(completion)) = rules.columns else { return Ok(()) };
    let cased = input.names[prompt] != "prompt" || input.names[completion] != "completion";
    if cased && !repairs.contains(&RepairKind::KeyCase) {
        return Err("the column names are not in lower case; accept the repair for that".to_owned());
    }
    if input.names.len() > 2 && !repairs.contains(&RepairKind::ExtraKeys) {
        return Err("there are unknown columns; accept the repair that removes them".to_owned());
    }
    Ok(())
}
