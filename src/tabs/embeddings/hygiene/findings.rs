//! What is found of the vectors, and what each figure means.

use super::super::pane_data::PaneData;
use crate::record::vectors::Hygiene;
use crate::ui::meter;

/// Fewer zeros at the end of all vectors are chance.
const PADDING: usize = 8;

/// How serious a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Severity {
    /// `✓`
    Fine,
    /// `!`
    Odd,
    /// `✕`
    Wrong,
}

/// One thing that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) severity: Severity,
    pub(super) name: &'static str,
    /// The number.
    pub(super) figure: String,
    /// What it means.
    pub(super) words: String,
    /// The first text it concerns.
    pub(super) row: Option<usize>,
}

impl Finding {
    fn new(severity: Severity, name: &'static str, figure: impl Into<String>, words: impl Into<String>) -> Self {
        Self { severity, name, figure: figure.into(), words: words.into(), row: None }
    }

    /// Names the first text it concerns.
    fn at(self, row: Option<u32>) -> Self {
        Self { row: row.map(|row| row as usize), ..self }
    }
}

/// Returns every figure, and what it means.
pub(super) fn findings(figures: &Hygiene, expected: Option<u32>, data: &PaneData) -> Vec<Finding> {
    let first = [texts(figures, data), length(figures, expected), odd(figures), norm(figures), nan(figures, data)];
    first.into_iter().chain(infinite(figures, data)).chain([zeros(figures, data), repeated(figures)]).collect()
}

fn count(number: usize) -> String {
    meter::count(number as u64)
}

fn share(share: f64) -> String {
    if share == 0.0 { "none".to_owned() } else { meter::percent(share) }
}

/// Names the first of these texts.
fn named(rows: &[u32], data: &PaneData) -> String {
    let names: Vec<String> = rows.iter().take(8).map(|row| data.letter(*row as usize)).collect();
    let more = if rows.len() > names.len() { " …" } else { "" };
    format!("{}{more}", names.join(" "))
}

fn texts(figures: &Hygiene, data: &PaneData) -> Finding {
    if figures.missing == 0 {
        return Finding::new(Severity::Fine, "Texts", count(figures.rows), "Every text has its vector.");
    }
    let figure = format!("{} of {}", count(figures.rows), count(figures.rows + figures.missing));
    let words = "The others have none yet, or the server sent none: ^R embeds them.";
    let row = data.table.as_ref().and_then(|table| (0..table.rows()).find(|row| !table.has(*row)));
    Finding { row, ..Finding::new(Severity::Odd, "Texts", figure, words) }
}

/// Says how many numbers each vector has.
fn length(figures: &Hygiene, expected: Option<u32>) -> Finding {
    let should = meter::count(u64::from(expected.unwrap_or(0)));
    let (severity, words) = match expected.map(|expected| expected as usize) {
        _ if figures.quarter => {
            (Severity::Wrong, format!("A quarter of the expected {should}: were floats read as base64?"))
        }
        Some(expected) if expected == figures.dimensions => {
            (Severity::Fine, "As many as the model has, or was asked for.".to_owned())
        }
        Some(expected) if expected > figures.dimensions => {
            (Severity::Odd, format!("Fewer than the expected {should}: they were cut, or another model answered."))
        }
        Some(_) => (Severity::Odd, format!("More than the expected {should}: another model answered?")),
        None => (Severity::Fine, "It is not known how many this model has.".to_owned()),
    };
    Finding::new(severity, "Length", format!("{} numbers", count(figures.dimensions)), words)
}

/// Says which vectors have another length.
fn odd(figures: &Hygiene) -> Finding {
    let Some((row, length)) = figures.odd.first() else {
        return Finding::new(Severity::Fine, "Other lengths", "none", "All vectors have the same length.");
    };
    let words = format!("The first of them has {length} numbers. They cannot be compared and are left out.");
    Finding::new(Severity::Wrong, "Other lengths", count(figures.odd.len()), words).at(Some(*row))
}

fn norm(figures: &Hygiene) -> Finding {
    let [least, mean, most] = figures.norm;
    let norms = format!("{least:.3} – {most:.3}, mean {mean:.3}");
    if figures.normalised {
        Finding::new(Severity::Fine, "Norm", norms, "All have length 1: cosine and dot product are the same.")
    } else if least.is_nan() {
        Finding::new(Severity::Wrong, "Norm", "—", "No vector has only numbers, so none has a length.")
    } else {
        let words =
            "Not normalised: compare by cosine, or divide by the length first. Dot products favour long vectors.";
        Finding::new(Severity::Odd, "Norm", norms, words)
    }
}

/// Says that these texts have no direction.
fn without_direction(rows: &[u32], data: &PaneData) -> String {
    format!("In {}. These have no direction and are similar to nothing; embed them again.", named(rows, data))
}

fn nan(figures: &Hygiene, data: &PaneData) -> Finding {
    let (part, rows) = &figures.nan;
    let (severity, words) = if *part > 0.0 {
        (Severity::Wrong, without_direction(rows, data))
    } else {
        (Severity::Fine, "All values are numbers.".to_owned())
    };
    Finding::new(severity, "Not a number", share(*part), words).at(rows.first().copied())
}

/// Says which vectors hold infinite numbers; `None`: none does.
fn infinite(figures: &Hygiene, data: &PaneData) -> Option<Finding> {
    let (part, rows) = &figures.infinite;
    let finding = || Finding::new(Severity::Wrong, "Infinite", share(*part), without_direction(rows, data));
    (*part > 0.0).then(|| finding().at(rows.first().copied()))
}

fn zeros(figures: &Hygiene, data: &PaneData) -> Finding {
    let (part, rows) = &figures.zero;
    let (severity, words) = if !rows.is_empty() {
        let words = format!("All zeros in {}: these vectors say nothing about their texts.", named(rows, data));
        (Severity::Wrong, words)
    } else if figures.padding >= PADDING && figures.padding * 4 >= figures.dimensions {
        let words = format!("The last {} numbers of every vector are zero: they were padded.", count(figures.padding));
        (Severity::Odd, words)
    } else if *part > 0.5 {
        (Severity::Fine, "No vector is all zeros. Most numbers are zero, as in a sparse model.".to_owned())
    } else {
        (Severity::Fine, "No vector is all zeros.".to_owned())
    };
    Finding::new(severity, "Zeros", share(*part), words).at(rows.first().copied())
}

fn repeated(figures: &Hygiene) -> Finding {
    if figures.repeated == 0 {
        return Finding::new(Severity::Fine, "Repeated", "none", "No two vectors are identical.");
    }
    let words = "Identical to an earlier one: the texts are the same, or the server sends the same vector for all.";
    Finding::new(Severity::Odd, "Repeated", count(figures.repeated), words)
}
