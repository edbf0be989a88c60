//! Rows that show the effect of each repair, at most three of each.

use super::duplicates::RowPosition;
use super::raw_record::RawRecord;
use super::row::{ParsedRow, Row, RowFaults, Rules, look, pair};
use super::shorten::shorten;
use super::source::{TrainingFile, peek};
use crate::record::training::Sample;

/// Samples of each repair.
const EACH: usize = 3;

/// A row: its line, counted from 1, its prompt and its completion.
pub(super) type TextPair = (u64, String, String);

/// What repairs are shown on.
#[derive(Debug, Default)]
pub(super) struct Samples {
    /// The first rows, and the first with upper-case letters.
    pub(super) first: Vec<TextPair>,
    pub(super) capital_prompts: Vec<TextPair>,
    pub(super) capital_completions: Vec<TextPair>,
    pub(super) spaceless: Vec<TextPair>,
    /// Rows whose prompt, or completion, has no usual ending but perhaps that of a sentence.
    pub(super) open_prompts: Vec<TextPair>,
    pub(super) open_completions: Vec<TextPair>,
    /// Rows of a table.
    pub(super) table: Vec<Sample>,
    pub(super) cased: Vec<Sample>,
    pub(super) extra: Vec<Sample>,
    pub(super) as_text: Vec<Sample>,
    pub(super) bad: Vec<Sample>,
    pub(super) empty: Vec<Sample>,
    pub(super) duplicates: Vec<Sample>,
    pub(super) long: Vec<Sample>,
    pub(super) over: Vec<Sample>,
    pub(super) blank_prompts: Vec<Sample>,
}

impl Samples {
    /// Adds a pair if it shows a repair; of both texts: whether they have capitals, and whether they have no usual ending.
    pub(super) fn pair(
        &mut self,
        line: u64,
        row: (&str, &str),
        capitals: (bool, bool),
        open: (bool, bool),
        long: bool,
    ) {
        let (prompt, completion) = row;
        let keep = |list: &mut Vec<TextPair>| {
            if list.len() < EACH {
                list.push((line, shorten(prompt), shorten(completion)));
            }
        };
        if self.first.len() < EACH {
            keep(&mut self.first);
        }
        if self.spaceless.len() < EACH && !completion.starts_with(' ') {
            keep(&mut self.spaceless);
        }
        if self.capital_prompts.len() < EACH && capitals.0 {
            keep(&mut self.capital_prompts);
        }
        if self.capital_completions.len() < EACH && capitals.1 {
            keep(&mut self.capital_completions);
        }
        if self.open_prompts.len() < EACH && open.0 {
            keep(&mut self.open_prompts);
        }
        if self.open_completions.len() < EACH && open.1 {
            keep(&mut self.open_completions);
        }
        if long {
            gone(&mut self.long, line, || pair(&shorten(prompt), &shorten(completion)));
        }
    }

    /// Adds a record with faults.
    pub(super) fn wrong(&mut self, input: &TrainingFile, piece: &RawRecord<'_>, found: &ParsedRow<'_>, rules: Rules) {
        let stands = || shorten(&String::from_utf8_lossy(piece.bytes));
        let after = |row: &Row<'_>| match row {
            Row::Pair { .. } => shown(row),
            Row::Chat { json, .. } => shorten(&super::repair::repaired_object(json, rules)),
        };
        let changed = |list: &mut Vec<Sample>| {
            if let Some(row) = &found.row
                && list.len() < EACH
            {
                let after = Some(after(row).into());
                list.push(Sample { line: piece.line, before: stands().into(), after });
            }
        };
        if found.bad.is_some() {
            gone(&mut self.bad, piece.line, stands);
        }
        if found.faults.contains(RowFaults::EMPTY) {
            gone(&mut self.empty, piece.line, stands);
        }
        if found.faults.contains(RowFaults::KEY_CASE) {
            changed(&mut self.cased);
        }
        if found.faults.contains(RowFaults::EXTRA_KEY) {
            changed(&mut self.extra);
        }
        if found.faults.contains(RowFaults::NOT_TEXT) && !input.is_table() {
            changed(&mut self.as_text);
        }
    }

    /// Adds a row of a table, as it stands and as it is written.
    pub(super) fn table(&mut self, input: &TrainingFile, piece: &RawRecord<'_>, row: &Row<'_>) {
        if input.is_table() && self.table.len() < EACH {
            let before = shorten(&String::from_utf8_lossy(piece.bytes)).into();
            self.table.push(Sample { line: piece.line, before, after: Some(shown(row).into()) });
        }
    }

    /// Adds a row whose prompt is blank.
    pub(super) fn blank(&mut self, line: u64, shown: impl FnOnce() -> String) {
        gone(&mut self.blank_prompts, line, shown);
    }

    /// Adds a row with too many tokens.
    pub(super) fn over(&mut self, line: u64, shown: impl FnOnce() -> String) {
        gone(&mut self.over, line, shown);
    }

    /// Adds a duplicate.
    pub(super) fn duplicate(&mut self, input: &TrainingFile, rules: Rules, position: RowPosition) {
        if self.duplicates.len() < EACH {
            let text = peek(input, position.at, |piece| {
                look(input, piece, rules)
                    .row
                    .map_or_else(|| shorten(&String::from_utf8_lossy(piece.bytes)), |row| shown(&row))
            });
            gone(&mut self.duplicates, u64::from(position.line), || text.unwrap_or_default());
        }
    }
}

fn gone(list: &mut Vec<Sample>, line: u64, shown: impl FnOnce() -> String) {
    if list.len() < EACH {
        list.push(Sample { line, before: shown().into(), after: None });
    }
}

/// Returns a row as it is shown: as its JSON line, with long texts shortened in the middle.
pub(super) fn shown(row: &Row<'_>) -> String {
    match row {
        Row::Pair { prompt, completion } => pair(&shorten(prompt), &shorten(completion)),
        Row::Chat { json, .. } => shorten(json),
    }
}

/// Returns pairs before and after a change to one of their texts.
pub(super) fn pairs<'a>(
    rows: impl IntoIterator<Item = &'a TextPair>,
    change: impl Fn(&str, &str) -> (String, String),
) -> Vec<Sample> {
    let sample = |(line, prompt, completion): &TextPair| {
        let (changed, completed) = change(prompt, completion);
        let before = pair(prompt, completion);
        Sample { line: *line, before: before.into(), after: Some(pair(&changed, &completed).into()) }
    };
    rows.into_iter().map(sample).collect()
}
