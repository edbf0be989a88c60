//! What the vectors are like: whether they are what they should be, finding by finding, and what each means.

mod draw;
mod keys;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use self::keys::{Action, FOOTER, KEYS};
use super::background::{BackgroundJob, JobReply, VectorsVersion};
use super::pane::{Pane, PaneEvent};
use super::pane_data::{Page, PaneData};
use crate::api::call::Ticket;
use crate::component::{Component, Cx, Handled, Hint, RenderContext, Response};
use crate::record::VectorKey;
use crate::record::vectors::{self, Figures, Sum};
use crate::ui::meter;

/// Fewer zeros at the end of all vectors are chance.
const PADDING: usize = 8;

/// How a finding is to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Severity {
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
    severity: Severity,
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
pub(super) struct HygienePane {
    data: Rc<PaneData>,
    job: BackgroundJob,
    /// The vectors that were there when it last looked.
    now: Option<VectorsVersion>,
    /// The vectors the findings are of.
    known: Option<VectorsVersion>,
    findings: Vec<Finding>,
    selected: usize,
}

impl Pane for HygienePane {
    fn update(&mut self, data: Rc<PaneData>) {
        self.data = data;
    }

    fn refresh(&mut self, cx: &mut Cx) {
        self.now = VectorsVersion::now(&self.data, self.now.take());
        let (Some(now), Some(table)) = (self.now.clone(), self.data.table.clone()) else {
            self.job.stop(cx);
            *self = Self { data: Rc::clone(&self.data), ..Self::default() };
            return;
        };
        let known = self.known.as_ref() == Some(&now) || self.job.failed_of(&now);
        if !known && self.job.of() != Some(&now) {
            self.job.ask(now, Sum::Hygiene { table, expected: length_of(&self.data) }, cx);
        }
    }

    fn cancel(&mut self, cx: &mut Cx) {
        self.job.stop(cx);
    }
}

impl HygienePane {
    fn act(&mut self, action: Action) -> Handled<PaneEvent> {
        let last = self.findings.len().saturating_sub(1);
        match action {
            Action::Move(motion) => {
                self.selected = self.selected.saturating_add_signed(motion.rows(1)).min(last);
            }
            Action::Open => {
                if let Some(row) = self.selected_row() {
                    return Handled::Emit(PaneEvent::Go(row));
                }
            }
            Action::Close => return Handled::Emit(PaneEvent::Close),
        }
        Handled::Consumed
    }

    /// Returns the first text that the selected finding concerns.
    fn selected_row(&self) -> Option<usize> {
        self.findings.get(self.selected).and_then(|finding| finding.row)
    }
}

impl Component<PaneEvent> for HygienePane {
    fn key(&mut self, key: KeyEvent, _cx: &mut Cx) -> Handled<PaneEvent> {
        KEYS.find(&key).map_or(Handled::Ignored, |action| self.act(action))
    }

    fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> Handled<PaneEvent> {
        match self.job.take(ticket, response, cx) {
            JobReply::NotOwn => return Handled::Ignored,
            JobReply::Figures(of, Figures::Hygiene(figures)) => {
                self.findings = findings(&figures, length_of(&self.data), &self.data);
                self.selected = self.selected.min(self.findings.len().saturating_sub(1));
                self.known = Some(of);
            }
            JobReply::Progress | JobReply::Figures(..) => {}
        }
        Handled::Consumed
    }

    fn hints(&self) -> Vec<Hint> {
        KEYS.footer(&FOOTER, self)
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        vec![("Hygiene", KEYS.help())]
    }

    fn escape(&self) -> Option<&'static str> {
        Some("back")
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        self.draw(frame, area, context);
    }
}

/// Returns the length the vectors should have: of some that are cut here nothing is expected.
fn length_of(data: &PaneData) -> Option<u32> {
    if data.cut.is_some() { None } else { expected(&data.key) }
}

/// Returns the length that was asked for, or that the model is known to have.
fn expected(key: &VectorKey) -> Option<u32> {
    if key.dimensions.is_some() || key.profile.starts_with(super::transfer::IMPORT_PREFIX) {
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

/// Returns every figure, and what it means.
fn findings(figures: &vectors::Hygiene, expected: Option<u32>, data: &PaneData) -> Vec<Finding> {
    let count = |number: usize| meter::count(number as u64);
    let share = |share: f64| if share == 0.0 { "none".to_owned() } else { format!("{:.2} %", share * 100.0) };
    let finding = |severity, name, figure: String, words: String| Finding { severity, name, figure, words, row: None };
    let at = |row: Option<u32>| row.map(|row| row as usize);
    let first_missing = data.table.as_ref().and_then(|table| (0..table.rows()).find(|row| !table.has(*row)));
    let named = |rows: &[u32]| {
        let names: Vec<String> = rows.iter().take(8).map(|row| data.letter(*row as usize)).collect();
        let more = if rows.len() > names.len() { " …" } else { "" };
        format!("{}{more}", names.join(" "))
    };
    let texts = if figures.missing == 0 {
        finding(Severity::Fine, "Texts", count(figures.rows), "Every text has its vector.".into())
    } else {
        let figure = format!("{} of {}", count(figures.rows), count(figures.rows + figures.missing));
        let words = "The others have none yet, or the server gave none: ^R embeds what is missing.".into();
        Finding { row: first_missing, ..finding(Severity::Odd, "Texts", figure, words) }
    };
    let [least, mean, most] = figures.norm;
    let norms = format!("{least:.3} – {most:.3}, mean {mean:.3}");
    let norm = if figures.normalised {
        finding(Severity::Fine, "Norm", norms, "All have length 1: cosine and dot product are the same.".into())
    } else if least.is_nan() {
        finding(Severity::Wrong, "Norm", "—".into(), "No vector holds numbers only, so none has a length.".into())
    } else {
        let words = "Not normalised: rank by cosine, or divide by the length first; dot products favour long ones.";
        finding(Severity::Odd, "Norm", norms, words.into())
    };
    let (nan_mark, nan_words) = if figures.nan.0 > 0.0 {
        let rows = named(&figures.nan.1);
        (Severity::Wrong, format!("In {rows}. These have no direction and are near to nothing; embed them again."))
    } else {
        (Severity::Fine, "Every number is one.".to_owned())
    };
    let nan = Finding {
        row: at(figures.nan.1.first().copied()),
        ..finding(nan_mark, "Not a number", share(figures.nan.0), nan_words)
    };
    let infinite = (figures.infinite.0 > 0.0).then(|| Finding {
        row: at(figures.infinite.1.first().copied()),
        ..finding(
            Severity::Wrong,
            "Infinite",
            share(figures.infinite.0),
            format!(
                "In {}. These have no direction and are near to nothing; embed them again.",
                named(&figures.infinite.1)
            ),
        )
    });
    let (zero_mark, zero_words) = if !figures.zero.1.is_empty() {
        (
            Severity::Wrong,
            format!("Nothing but zeros in {}: these texts got no meaning at all.", named(&figures.zero.1)),
        )
    } else if figures.padding >= PADDING && figures.padding * 4 >= figures.dimensions {
        (
            Severity::Odd,
            format!("The last {} numbers are zero in every vector: they were padded.", count(figures.padding)),
        )
    } else if figures.zero.0 > 0.5 {
        (Severity::Fine, "No vector is zero. Most numbers are, as a sparse model has it.".to_owned())
    } else {
        (Severity::Fine, "No vector is zero.".to_owned())
    };
    let zero = Finding {
        row: at(figures.zero.1.first().copied()),
        ..finding(zero_mark, "Zeros", share(figures.zero.0), zero_words)
    };
    let repeated = match figures.repeated {
        0 => finding(Severity::Fine, "Repeated", "none".into(), "No two vectors are the same to the bit.".into()),
        number => {
            let words = "The same to the bit as an earlier one: equal texts, or a server that answers alike to all.";
            finding(Severity::Odd, "Repeated", count(number), words.into())
        }
    };
    let first = [texts, length(figures, expected), odd(figures), norm, nan];
    first.into_iter().chain(infinite).chain([zero, repeated]).collect()
}

/// Says how many numbers each vector has.
fn length(figures: &vectors::Hygiene, expected: Option<u32>) -> Finding {
    let figure = format!("{} numbers", meter::count(figures.dimensions as u64));
    let should = meter::count(u64::from(expected.unwrap_or(0)));
    let (severity, words) = if figures.quarter {
        let words = format!("A quarter of the expected {should}: floats were read as base64?");
        (Severity::Wrong, words)
    } else {
        match expected {
            Some(expected) if expected as usize == figures.dimensions => {
                (Severity::Fine, "As many as the model gives, or was asked for.".to_owned())
            }
            Some(expected) if (expected as usize) > figures.dimensions => {
                (Severity::Odd, format!("Fewer than the expected {should}: they were cut, or another model answered."))
            }
            Some(_) => (Severity::Odd, format!("More than the expected {should}: another model answered?")),
            None => (Severity::Fine, "Nobody here knows how many this model gives.".to_owned()),
        }
    };
    Finding { severity, name: "Length", figure, words, row: None }
}

/// Says which vectors have another length.
fn odd(figures: &vectors::Hygiene) -> Finding {
    let Some((row, length)) = figures.odd.first() else {
        let words = "All vectors have the same length.".to_owned();
        return Finding { severity: Severity::Fine, name: "Other lengths", figure: "none".into(), words, row: None };
    };
    let words = format!("The length of the first of them is {length}. They are left out: they cannot be compared.");
    let figure = meter::count(figures.odd.len() as u64);
    Finding { severity: Severity::Wrong, name: "Other lengths", figure, words, row: Some(*row as usize) }
}
