//! What the report of a check means for a job that trains on the file.

use crate::record::training::{CheckReport, TrainingFormat};

/// Whether a job can train on a file as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Soundness {
    /// Nothing was found.
    Sound,
    /// Something was found, but nothing that keeps a row from being used.
    Warnings,
    /// A job would refuse it, or rows of it.
    Faults,
}

impl Soundness {
    /// Returns what a report means.
    pub fn of(report: &CheckReport) -> Self {
        if is_sound(report) {
            Self::Sound
        } else if only_warnings(report) {
            Self::Warnings
        } else {
            Self::Faults
        }
    }
}

/// Returns whether a file can be sent as it is.
pub(super) fn is_sound(report: &CheckReport) -> bool {
    let bad = report.counts.iter().any(|(_, count)| *count > 0) || !report.problems.is_empty();
    let whole = report.stop.is_none() && report.cut.is_none();
    report.source == TrainingFormat::Jsonl && whole && report.valid > 0 && !bad && !is_raw(report)
}

/// Returns whether its rows are only found with a guess what its columns are, or in a copy in UTF-8: a job would not
/// find them.
pub(super) fn is_raw(report: &CheckReport) -> bool {
    report.guessed || report.encoding != "UTF-8"
}

/// Returns whether something was found, but nothing that keeps a row from being used.
pub(super) fn only_warnings(report: &CheckReport) -> bool {
    let whole = report.stop.is_none() && report.cut.is_none() && !is_sound(report);
    whole && report.source == TrainingFormat::Jsonl && !is_raw(report) && report.rows > 0 && report.valid == report.rows
}
