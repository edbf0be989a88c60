//! Checks the vectors: whether they are as they should be, finding by finding, and what each means.

mod draw;
mod findings;
pub(super) mod keys;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use self::findings::{Finding, Severity, findings};
use self::keys::{Action, FOOTER, KEYS};
use super::background::{BackgroundJob, JobReply, VectorsVersion};
use super::pane::{PaneEvent, VectorPane};
use super::pane_data::{Page, PaneData};
use crate::api::call::Ticket;
use crate::component::{Component, Cx, Handled, Hint, RenderContext, Response};
use crate::record::VectorKey;
use crate::record::vectors::{Figures, VectorTask};

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

impl VectorPane for HygienePane {
    fn update(&mut self, data: Rc<PaneData>) {
        self.data = data;
    }

    fn refresh(&mut self, cx: &mut Cx) {
        self.now = VectorsVersion::current(&self.data, self.now.take());
        let (Some(now), Some(table)) = (self.now.clone(), self.data.table.clone()) else {
            self.job.stop(cx);
            *self = Self { data: Rc::clone(&self.data), ..Self::default() };
            return;
        };
        let known = self.known.as_ref() == Some(&now) || self.job.failed_of(&now);
        if !known && self.job.of() != Some(&now) {
            self.job.ask(now, VectorTask::Hygiene { table, expected: length_of(&self.data) }, cx);
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
        vec![("Vector checks", KEYS.help())]
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
