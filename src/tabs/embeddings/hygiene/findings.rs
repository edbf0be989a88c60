//! What is found of the vectors, and what each figure means.

use super::super::pane_data::PaneData;
use crate::record::vectors::Hygiene;
use crate::ui::meter;

/// Fewer zeros at the end of all vectors are chance.
const PADDING: usize = 8;

/// How a finding is to be taken.
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
    if share == 0.0 { "none".to_owned() } else { format!("{:.2} %", share * 100.0) }
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
    let words = "The others have none yet, or the server gave none: ^R embeds what is missing.";
    let row = data.table.as_ref().and_then(|table| (0..table.rows()).find(|row| !table.has(*row)));
    Finding { row, ..Finding::new(Severity::Odd, "Texts", figure, words) }
}

/// Says how many numbers each vector has.
fn length(figures: &Hygiene, expected: Option<u32>) -> Finding {
    let should = meter::count(u64::from(expected.unwrap_or(0)));
    let (severity, words) = match expected.map(|expected| expected as usize) {
        _ if figures.quarter => {
            (Severity::Wrong, format!("A quarter of the expected {should}: floats were read as base64?"))
        }
        Some(expected) if expected == figures.dimensions => {
            (Severity::Fine, "As many as the model gives, or was asked for.".to_owned())
        }
        Some(expected) if expected > figures.dimensions => {
            (Severity::Odd, format!("Fewer than the expected {should}: they were cut, or another model answered."))
        }
        Some(_) => (Severity::Odd, format!("More than the expected {should}: another model answered?")),
        None => (Severity::Fine, "Nobody here knows how many this model gives.".to_owned()),
    };
    Finding::new(severity, "Length", format!("{} numbers", count(figures.dimensions)), words)
}

/// Says which vectors have another length.
fn odd(figures: &Hygiene) -> Finding {
    let Some((row, length)) = figures.odd.first() else {
        return Finding::new(Severity::Fine, "Other lengths", "none", "All vectors have the same length.");
    };
    let words = format!("The length of the first of them is {length}. They are left out: they cannot be compared.");
    Finding::new(Severity::Wrong, "Other lengths", count(figures.odd.len()), words).at(Some(*row))
}

fn norm(figures: &Hygiene) -> Finding {
    let [least, mean, most] = figures.norm;
    let norms = format!("{least:.3} – {most:.3}, mean {mean:.3}");
    if figures.normalised {
        Finding::new(Severity::Fine, "Norm", norms, "All have length 1: cosine and dot product are the same.")
    } else if least.is_nan() {
        Finding::new(Severity::Wrong, "Norm", "—", "No vector holds numbers only, so none has a length.")
    } else {
        let words = "Not normalised: rank by cosine, or divide by the length first; dot products favour long ones.";
        Finding::new(Severity::Odd, "Norm", norms, words)
    }
}

/// Says that these texts have no direction.
fn without_direction(rows: &[u32], data: &PaneData) -> String {
    format!("In {}. These have no direction and are near to nothing; embed them again.", named(rows, data))
}

fn nan(figures: &Hygiene, data: &PaneData) -> Finding {
    let (part, rows) = &figures.nan;
    let (severity, words) = if *part > 0.0 {
        (Severity::Wrong, without_direction(rows, data))
    } else {
        (Severity::Fine, "Every number is one.".to_owned())
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
        let words = format!("Nothing but zeros in {}: these texts got no meaning at all.", named(rows, data));
        (Severity::Wrong, words)
    } else if figures.padding >= PADDING && figures.padding * 4 >= figures.dimensions {
        let words = format!("The last {} numbers are zero in every vector: they were padded.", count(figures.padding));
        (Severity::Odd, words)
    } else if *part > 0.5 {
        (Severity::Fine, "No vector is zero. Most numbers are, as a sparse model has it.".to_owned())
    } else {
        (Severity::Fine, "No vector is zero.".to_owned())
    };
    Finding::new(severity, "Zeros", share(*part), words).at(rows.first().copied())
}

fn repeated(figures: &Hygiene) -> Finding {
    if figures.repeated == 0 {
        return Finding::new(Severity::Fine, "Repeated", "none", "No two vectors are the same to the bit.");
    }
    let words = "The same to the bit as an earlier one: equal texts, or a server that answers alike to all.";
    Finding::new(Severity::Odd, "Repeated", count(figures.repeated), words)
}
