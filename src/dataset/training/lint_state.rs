//! What a pass over the rows of a training file collects for the report and the repairs.

use std::collections::HashMap;
use std::hash::BuildHasher as _;

use foldhash::fast::RandomState;

use super::common_text::CommonText;
use super::limits::{LONG, NAMED};
use super::raw_record::RawRecord;
use super::row::{ParsedRow, Row, RowFaults, Rules};
use super::sample::{Samples, shown};
use super::source::TrainingFile;
use super::words;
use crate::record::training::{Problem, ProblemKind};

/// Different completions counted: a classification has fewer.
const CLASSES: usize = 250_000;
/// Those whose text is kept, and bytes of one.
const TEXTS: usize = 4_096;
const TEXT: usize = 200;

/// Everything about the rows from which the report and the repairs are built.
pub(super) struct LintState {
    pub(super) rows: u64,
    pub(super) valid: u64,
    /// Rows that can be used once they are repaired.
    pub(super) usable: u64,
    pub(super) kinds: HashMap<ProblemKind, u64>,
    pub(super) problems: Vec<Problem>,
    pub(super) bad: u64,
    pub(super) prompts: CommonText,
    pub(super) completions: CommonText,
    pub(super) long: u64,
    /// Conversations that do not end with the assistant.
    pub(super) open: u64,
    pub(super) samples: Samples,
    pub(super) classes: ClassTally,
    pub(super) blanks: u64,
    pub(super) as_text: u64,
    /// Rows with a completion and a blank prompt, and the first of them as problems.
    pub(super) blank_prompts: u64,
    pub(super) without_prompt: Vec<Problem>,
}

impl LintState {
    pub(super) fn new() -> Self {
        Self {
            rows: 0,
            valid: 0,
            usable: 0,
            kinds: HashMap::new(),
            problems: Vec::new(),
            bad: 0,
            prompts: CommonText::prompts(),
            completions: CommonText::completions(),
            long: 0,
            open: 0,
            samples: Samples::default(),
            classes: ClassTally::new(),
            blanks: 0,
            as_text: 0,
            blank_prompts: 0,
            without_prompt: Vec::new(),
        }
    }

    pub(super) fn count(&self, kind: ProblemKind) -> u64 {
        self.kinds.get(&kind).copied().unwrap_or(0)
    }

    pub(super) fn name(&mut self, problem: Problem) {
        *self.kinds.entry(problem.kind).or_default() += 1;
        if self.problems.len() < NAMED {
            self.problems.push(problem);
        }
    }

    /// Counts what is wrong with a record, and lists it up to the limit.
    pub(super) fn wrong(&mut self, input: &TrainingFile, piece: &RawRecord<'_>, found: &ParsedRow<'_>, rules: Rules) {
        if self.problems.len() < NAMED {
            for problem in words::problems(input, piece, found, rules) {
                self.name(problem);
            }
            return;
        }
        let mut count = |kind| *self.kinds.entry(kind).or_default() += 1;
        if let Some(bad) = &found.bad {
            count(bad.kind());
        }
        for (is, kind) in [
            (found.faults.contains(RowFaults::KEY_CASE), ProblemKind::KeyCase),
            (found.faults.contains(RowFaults::EXTRA_KEY), ProblemKind::ExtraKey),
            (found.faults.contains(RowFaults::EMPTY), ProblemKind::Empty),
            (found.faults.contains(RowFaults::UNANSWERED), ProblemKind::Form),
        ] {
            if is {
                count(kind);
            }
        }
        if found.faults.contains(RowFaults::NOT_TEXT) {
            count(words::text_kind(str::from_utf8(piece.bytes).unwrap_or_default()));
        }
    }

    /// Reports a prompt without contents.
    pub(super) fn blank_prompt(&mut self, input: &TrainingFile, piece: &RawRecord<'_>, row: &Row<'_>) {
        if let Row::Pair { prompt, .. } = row
            && prompt.trim().is_empty()
        {
            self.blank_prompts += 1;
            self.samples.blank(piece.line, || shown(row));
            if self.problems.len() + self.without_prompt.len() < NAMED {
                let words = "the prompt is blank".to_owned();
                self.without_prompt.push(words::problem(input, piece, ProblemKind::BlankPrompt, 0, words));
            }
        }
    }

    /// Adds a row that can be trained on, perhaps after repairs.
    pub(super) fn take(&mut self, row: &Row<'_>, line: u64) {
        self.usable += 1;
        match row {
            Row::Pair { prompt, completion } => {
                let capitals = (self.prompts.take(prompt), self.completions.take(completion));
                let open = (self.prompts.is_open(prompt), self.completions.is_open(completion));
                self.classes.take(completion);
                let bytes = prompt.len() + completion.len();
                let long = bytes > LONG && prompt.chars().count() + completion.chars().count() > LONG;
                self.long += u64::from(long);
                self.samples.pair(line, (prompt, completion), capitals, open, long);
            }
            Row::Chat { said, .. } => self.open += u64::from(said.last().is_some_and(|(role, _)| role != "assistant")),
        }
    }
}

/// Completions with their counts, ignoring blanks at their ends; empty if there are more than a classification has.
pub(super) struct ClassTally {
    keys: RandomState,
    /// By hash: the count, and the text.
    counts: HashMap<u64, (u32, u32), RandomState>,
    texts: Vec<String>,
    /// Whether there are more classes than are counted.
    full: bool,
}

impl ClassTally {
    pub(super) fn new() -> Self {
        Self { keys: RandomState::default(), counts: HashMap::default(), texts: Vec::new(), full: false }
    }

    /// Adds a completion; blanks at either end do not count.
    pub(super) fn take(&mut self, completion: &str) {
        if self.full {
            return;
        }
        let completion = completion.trim();
        let text = self.texts.len() as u32;
        let (count, _) = self.counts.entry(self.keys.hash_one(completion)).or_insert((0, text));
        *count = count.saturating_add(1);
        if *count == 1 && self.texts.len() < TEXTS {
            self.texts.push(completion[..completion.floor_char_boundary(TEXT)].to_owned());
        }
        if self.counts.len() > CLASSES {
            (self.full, self.counts, self.texts) = (true, HashMap::default(), Vec::new());
        }
    }

    /// Returns how many different ones there are; `None`: more than a classification has.
    pub(super) fn number(&self) -> Option<u64> {
        (!self.full).then_some(self.counts.len() as u64)
    }

    /// Returns the most frequent ones, of equal ones the first.
    pub(super) fn most(&self) -> Vec<(String, u64)> {
        let mut all: Vec<(u32, u32)> = self.counts.values().copied().collect();
        all.sort_by_key(|(count, text)| (std::cmp::Reverse(*count), *text));
        all.truncate(100);
        let text = |at: u32| self.texts.get(at as usize).cloned();
        all.into_iter().filter_map(|(count, at)| Some((text(at)?, u64::from(count)))).collect()
    }
}
