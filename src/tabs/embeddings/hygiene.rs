//! What the vectors are like: whether they are what they should be, finding by finding, and what each means.

mod draw;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Frame;
use ratatui::layout::Rect;

use super::pane::{Ask, Look, Pane, Read};
use crate::api::call::Ticket;
use crate::component::{Cx, Hint};
use crate::record::vectors::{self, Figures, Sum};
use crate::record::work::{Done, Work};
use crate::record::{Table, VectorKey};
use crate::text::Untrusted;
use crate::ui::meter;

/// Fewer zeros at the end of all vectors are chance.
const PADDING: usize = 8;

/// How a finding is to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    /// `✓`
    Fine,
    /// `!`
    Odd,
    /// `✕`
    Wrong,
}

/// One thing that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Finding {
    mark: Mark,
    name: &'static str,
    /// The number.
    figure: String,
    /// What it means.
    words: String,
    /// The first text it concerns.
    row: Option<usize>,
}

/// The pane.
#[derive(Debug, Default)]
pub(super) struct Hygiene {
    /// What is being looked at.
    asked: Option<(Ticket, Arc<Table>)>,
    /// What was looked at.
    of: Option<Arc<Table>>,
    findings: Vec<Finding>,
    selected: usize,
    why: Option<Untrusted>,
}

impl Pane for Hygiene {
    fn fresh(&mut self, read: &Read, cx: &mut Cx) {
        let Some(table) = &read.table else {
            if let Some((ticket, _)) = self.asked.take() {
                cx.cancel(ticket);
            }
            *self = Self::default();
            return;
        };
        let same = |of: &Arc<Table>| Arc::ptr_eq(of, table);
        if self.asked.as_ref().is_some_and(|(_, of)| same(of)) || self.of.as_ref().is_some_and(same) {
            return;
        }
        if let Some((ticket, _)) = self.asked.take() {
            cx.cancel(ticket);
        }
        let sum = Sum::Hygiene { table: Arc::clone(table), expected: length_of(read) };
        self.asked = Some((cx.work(Work::Sum(sum)), Arc::clone(table)));
    }

    fn stop(&mut self, cx: &mut Cx) {
        if let Some((ticket, _)) = self.asked.take() {
            cx.cancel(ticket);
        }
    }

    fn key(&mut self, key: KeyEvent, _read: &Read, _cx: &mut Cx) -> Ask {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return Ask::Ignored;
        }
        let last = self.findings.len().saturating_sub(1);
        match key.code {
            KeyCode::Esc => return Ask::Close,
            KeyCode::Char('j') | KeyCode::Down => self.selected = (self.selected + 1).min(last),
            KeyCode::Char('k') | KeyCode::Up => self.selected = self.selected.saturating_sub(1),
            KeyCode::Char('g') | KeyCode::Home => self.selected = 0,
            KeyCode::Char('G') | KeyCode::End => self.selected = last,
            KeyCode::Enter => {
                if let Some(row) = self.findings.get(self.selected).and_then(|finding| finding.row) {
                    return Ask::Go(row);
                }
            }
            _ => return Ask::Ignored,
        }
        Ask::Nothing
    }

    fn worked(&mut self, ticket: Ticket, done: &Done, read: &Read, _cx: &mut Cx) -> bool {
        let Some((_, of)) = self.asked.take_if(|(asked, _)| *asked == ticket) else { return false };
        match done {
            Done::Moved { .. } => self.asked = Some((ticket, of)),
            Done::Figures(Figures::Hygiene(told)) => {
                self.findings = findings(told, length_of(read), read);
                self.selected = self.selected.min(self.findings.len().saturating_sub(1));
                (self.of, self.why) = (Some(of), None);
            }
            // Of the same vectors it would fail again.
            Done::Failed(why) => (self.of, self.why) = (Some(of), Some(why.clone())),
            _ => {}
        }
        true
    }

    fn render(&mut self, frame: &mut Frame, area: Rect, look: &Look, read: &Read) {
        self.draw(frame, area, look, read);
    }

    fn hints(&self, _read: &Read) -> Vec<Hint> {
        let named = self.findings.get(self.selected).is_some_and(|finding| finding.row.is_some());
        let go = if named { vec![Hint::new("⏎", "cursor to the text")] } else { Vec::new() };
        [go, vec![Hint::new("jk", "move")]].concat()
    }

    fn help(&self) -> Vec<Hint> {
        vec![Hint::new("⏎", "cursor to the first text it concerns"), Hint::new("j k g G", "move")]
    }
}

/// The length the vectors should have: of some that are cut here nothing is expected.
fn length_of(read: &Read) -> Option<u32> {
    if read.cut.is_some() { None } else { expected(&read.key) }
}

/// The length that was asked for, or that the model is known to have.
fn expected(key: &VectorKey) -> Option<u32> {
    if key.dimensions.is_some() || key.profile.starts_with(super::transfer::SHELF) {
        return key.dimensions;
    }
    let name = key.model.line();
    let known = [
        ("text-embedding-ada-002", 1_536),
        ("text-embedding-3-small", 1_536),
        ("text-embedding-3-large", 3_072),
        ("-ada-001", 1_024),
        ("-babbage-001", 2_048),
        ("-curie-001", 4_096),
        ("-davinci-001", 12_288),
    ];
    known.iter().find(|(end, _)| name.ends_with(end)).map(|(_, length)| *length)
}

/// Every figure, and what it means.
fn findings(told: &vectors::Hygiene, expected: Option<u32>, read: &Read) -> Vec<Finding> {
    let count = |number: usize| meter::count(number as u64);
    let share = |share: f64| if share == 0.0 { "none".to_owned() } else { format!("{:.2} %", share * 100.0) };
    let finding = |mark, name, figure: String, words: String| Finding { mark, name, figure, words, row: None };
    let at = |row: Option<u32>| row.map(|row| row as usize);
    let first_missing = read.table.as_ref().and_then(|table| (0..table.rows()).find(|row| !table.has(*row)));
    let named = |rows: &[u32]| {
        let names: Vec<String> = rows.iter().take(8).map(|row| read.letter(*row as usize)).collect();
        let more = if rows.len() > names.len() { " …" } else { "" };
        format!("{}{more}", names.join(" "))
    };
    let texts = if told.missing == 0 {
        finding(Mark::Fine, "Texts", count(told.rows), "Every text has its vector.".into())
    } else {
        let figure = format!("{} of {}", count(told.rows), count(told.rows + told.missing));
        let words = "The others have none yet, or the server gave none: ^R embeds what is missing.".into();
        Finding { row: first_missing, ..finding(Mark::Odd, "Texts", figure, words) }
    };
    let [least, mean, most] = told.norm;
    let norms = format!("{least:.3} – {most:.3}, mean {mean:.3}");
    let norm = if told.normalised {
        finding(Mark::Fine, "Norm", norms, "All have length 1: cosine and dot product are the same.".into())
    } else if least.is_nan() {
        finding(Mark::Wrong, "Norm", "—".into(), "No vector holds numbers only, so none has a length.".into())
    } else {
        let words = "Not normalised: rank by cosine, or divide by the length first; dot products favour long ones.";
        finding(Mark::Odd, "Norm", norms, words.into())
    };
    let (nan_mark, nan_words) = if told.nan.0 > 0.0 {
        let rows = named(&told.nan.1);
        (Mark::Wrong, format!("In {rows}. These have no direction and are near to nothing; embed them again."))
    } else {
        (Mark::Fine, "Every number is one.".to_owned())
    };
    let nan = Finding {
        row: at(told.nan.1.first().copied()),
        ..finding(nan_mark, "Not a number", share(told.nan.0), nan_words)
    };
    let infinite = (told.infinite.0 > 0.0).then(|| Finding {
        row: at(told.infinite.1.first().copied()),
        ..finding(
            Mark::Wrong,
            "Infinite",
            share(told.infinite.0),
            format!(
                "In {}. These have no direction and are near to nothing; embed them again.",
                named(&told.infinite.1)
            ),
        )
    });
    let (zero_mark, zero_words) = if !told.zero.1.is_empty() {
        (Mark::Wrong, format!("Nothing but zeros in {}: these texts got no meaning at all.", named(&told.zero.1)))
    } else if told.padding >= PADDING && told.padding * 4 >= told.dimensions {
        (Mark::Odd, format!("The last {} numbers are zero in every vector: they were padded.", count(told.padding)))
    } else if told.zero.0 > 0.5 {
        (Mark::Fine, "No vector is zero. Most numbers are, as a sparse model has it.".to_owned())
    } else {
        (Mark::Fine, "No vector is zero.".to_owned())
    };
    let zero = Finding {
        row: at(told.zero.1.first().copied()),
        ..finding(zero_mark, "Zeros", share(told.zero.0), zero_words)
    };
    let repeated = match told.repeated {
        0 => finding(Mark::Fine, "Repeated", "none".into(), "No two vectors are the same to the bit.".into()),
        number => {
            let words = "The same to the bit as an earlier one: equal texts, or a server that answers alike to all.";
            finding(Mark::Odd, "Repeated", count(number), words.into())
        }
    };
    let first = [texts, length(told, expected), odd(told), norm, nan];
    first.into_iter().chain(infinite).chain([zero, repeated]).collect()
}

/// Numbers in each vector.
fn length(told: &vectors::Hygiene, expected: Option<u32>) -> Finding {
    let figure = format!("{} numbers", meter::count(told.dimensions as u64));
    let should = meter::count(u64::from(expected.unwrap_or(0)));
    let (mark, words) = if told.quarter {
        let words = format!("A quarter of the expected {should}: floats were read as base64?");
        (Mark::Wrong, words)
    } else {
        match expected {
            Some(expected) if expected as usize == told.dimensions => {
                (Mark::Fine, "As many as the model gives, or was asked for.".to_owned())
            }
            Some(expected) if (expected as usize) > told.dimensions => {
                (Mark::Odd, format!("Fewer than the expected {should}: they were cut, or another model answered."))
            }
            Some(_) => (Mark::Odd, format!("More than the expected {should}: another model answered?")),
            None => (Mark::Fine, "Nobody here knows how many this model gives.".to_owned()),
        }
    };
    Finding { mark, name: "Length", figure, words, row: None }
}

/// Vectors of another length.
fn odd(told: &vectors::Hygiene) -> Finding {
    let Some((row, length)) = told.odd.first() else {
        let words = "All vectors have the same length.".to_owned();
        return Finding { mark: Mark::Fine, name: "Other lengths", figure: "none".into(), words, row: None };
    };
    let words = format!("The length of the first of them is {length}. They are left out: they cannot be compared.");
    let figure = meter::count(told.odd.len() as u64);
    Finding { mark: Mark::Wrong, name: "Other lengths", figure, words, row: Some(*row as usize) }
}
