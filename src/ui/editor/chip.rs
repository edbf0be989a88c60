//! Long pastes that are shown in a text as a label, `[pasted 312 lines, 18 kB]`.
//!
//! A paste is kept when its label is deleted, because an undo may bring the label back.

use std::ops::Range;

use crate::ui::meter;

/// Deleted pastes that are remembered; the oldest are dropped first.
const DELETED_MOST: usize = 8;

/// The pastes behind a text's labels, in the order they were pasted.
#[derive(Clone, Debug, Default)]
pub(super) struct Chips(Vec<Chip>);

#[derive(Clone, Debug)]
struct Chip {
    label: String,
    text: String,
}

impl Chips {
    /// Stores a paste and returns its label, which is unique among the chips and does not occur in the lines.
    pub(super) fn add(&mut self, text: &str, lines: &[String]) -> String {
        let deleted: Vec<usize> = (0..self.0.len()).filter(|at| !holds(lines, &self.0[*at].label)).collect();
        if deleted.len() > DELETED_MOST {
            self.0.remove(deleted[0]);
        }
        let size =
            format!("pasted {} lines, {}", meter::count(text.lines().count() as u64), meter::bytes(text.len() as u64));
        let mut label = format!("[{size}]");
        let mut number = 2;
        while self.0.iter().any(|chip| chip.label == label) || holds(lines, &label) {
            label = format!("[{size}, {number}]");
            number += 1;
        }
        self.0.push(Chip { label: label.clone(), text: text.to_owned() });
        label
    }

    /// Forgets all pastes.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Returns the lines with every label replaced by its paste; nothing inside a paste is taken for a label.
    pub(super) fn true_text(&self, lines: &[String]) -> String {
        let mut text = lines.join("\n");
        if self.0.is_empty() {
            return text;
        }
        let mut found: Vec<(usize, &Chip)> =
            self.0.iter().filter_map(|chip| text.find(&chip.label).map(|at| (at, chip))).collect();
        found.sort_by_key(|(at, _)| *at);
        for (at, chip) in found.into_iter().rev() {
            text.replace_range(at..at + chip.label.len(), &chip.text);
        }
        text
    }

    /// Returns the bytes that the labels hide.
    pub(super) fn hidden(&self, lines: &[String]) -> usize {
        let shown = self.0.iter().filter(|chip| holds(lines, &chip.label));
        shown.map(|chip| chip.text.len().saturating_sub(chip.label.len())).sum()
    }

    /// Returns the columns (characters) of every label in a line, and the paste behind it.
    pub(super) fn spans<'a>(&'a self, line: &'a str) -> impl Iterator<Item = (Range<usize>, &'a str)> {
        self.0.iter().filter_map(move |chip| {
            let start = line[..line.find(&chip.label)?].chars().count();
            Some((start..start + chip.label.chars().count(), chip.text.as_str()))
        })
    }
}

fn holds(lines: &[String], label: &str) -> bool {
    lines.iter().any(|line| line.contains(label))
}
