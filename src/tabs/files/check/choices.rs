//! What is chosen on the page: the model that the figures are for, the share that is held out, the repairs.

use super::{CheckPhase, Page, Pane};
use crate::api::job::Dialect;
use crate::component::session::{chats, completes};
use crate::component::{Cx, Session};
use crate::record::training::{Repair, RepairKind, Report, RowForm, Task};
use crate::text::Untrusted;
use crate::tokens::training_limit;
use crate::ui::list::Cursor;

/// Models that can be trained, of which the figures tell.
const BASES: [&str; 5] = ["ada", "babbage", "curie", "davinci", CHAT];
const CHAT: &str = "gpt-3.5-turbo";
/// The one that the figures are for where the session's model cannot be trained.
pub(super) const BASE: &str = "curie";
/// Percent held out of a classification, and the rows from which on that is proposed.
pub(super) const SHARE: u8 = 20;
const ENOUGH: u64 = 20;
/// The models to choose from: the base models, and the session's.
pub(super) fn models(session: &Session) -> Vec<Untrusted> {
    let mut models: Vec<Untrusted> = if is_newer(session) {
        session.models.iter().filter(|model| chats(model) || completes(model)).cloned().collect()
    } else {
        BASES.into_iter().map(Into::into).collect()
    };
    for model in [&session.model, &to_tune(session)] {
        if !model.is_empty() && !models.contains(model) {
            models.push(model.clone());
        }
    }
    models
}

/// The model that a file is checked for: the session's where that can be tuned, else a base model.
pub(crate) fn to_tune(session: &Session) -> Untrusted {
    let model = &session.model;
    // The local service tunes base models, whatever is talked with. Which of today's models can be tuned only their
    // server knows.
    let chat = session.local && model.raw() == CHAT;
    let takes = (trains(model.raw()) && !chat) || (is_newer(session) && (chats(model) || completes(model)));
    if takes { model.clone() } else { BASE.into() }
}

/// Whether the server tunes today's models.
fn is_newer(session: &Session) -> bool {
    session.fine_tunes == Some(Dialect::FineTuning) && !session.local
}

/// Whether a model can be trained, as far as its name tells: a base model, or one that was tuned before.
pub(super) fn trains(model: &str) -> bool {
    let tuned = model.contains(":ft-") || model.starts_with("ft:");
    tuned || BASES.contains(&model) || training_limit(model).is_some()
}

impl Page {
    /// Another share is held out: what was written has the old one.
    pub(super) fn hold_out(&mut self, share: Option<u8>) {
        if share == self.held_out || matches!(self.phase, CheckPhase::Writing { .. }) {
            return;
        }
        (self.held_out, self.split_chosen) = (share, true);
        if matches!(self.phase, CheckPhase::Written(_) | CheckPhase::NotWritten(_)) {
            self.phase = CheckPhase::Checked;
        }
    }

    /// The figures for the next model that can be trained; tokens are counted anew.
    pub(super) fn other_model(&mut self, cx: &mut Cx) {
        if matches!(self.phase, CheckPhase::Writing { .. } | CheckPhase::Failed(_)) {
            return;
        }
        let at = self.models.iter().position(|model| *model == self.model).map_or(0, |at| at + 1);
        self.model = self.models[at % self.models.len()].clone();
        self.stays |= !matches!(self.phase, CheckPhase::Reading { .. });
        self.check(cx);
    }

    /// Labels that the accepted repairs make others.
    pub(super) fn merged(&self) -> u64 {
        let accepted = self.report.repairs.iter().zip(&self.accepted).filter(|(_, accepted)| **accepted);
        let same = accepted.map(|(repair, _)| match &repair.kind {
            RepairKind::Labels { same, .. } => same.len() as u64,
            _ => 0,
        });
        same.sum()
    }

    /// The report is here: its repairs are accepted as is advised, unless the page's own choices stay.
    pub(super) fn take(&mut self, report: Box<Report>) {
        let stays = std::mem::take(&mut self.stays);
        let before: Vec<_> = self.report.repairs.iter().map(|repair| repair.kind.clone()).zip(&self.accepted).collect();
        let accept = |repair: &Repair| {
            let chosen = before.iter().find(|(kind, _)| stays && *kind == repair.kind);
            repair.necessary || chosen.map_or(repair.advised, |(_, accepted)| **accepted)
        };
        self.accepted = report.repairs.iter().map(accept).collect();
        if !self.split_chosen {
            let enough = report.task == Some(Task::Classification) && report.valid >= ENOUGH;
            self.held_out = enough.then_some(SHARE);
        }
        if !stays {
            self.epochs = if report.form == Some(RowForm::Chats) { 3 } else { 4 };
            self.pane = match (report.problems.is_empty(), report.repairs.is_empty()) {
                _ if report.guessed => Pane::Columns,
                (false, _) => Pane::Problems,
                (true, false) => Pane::Repairs,
                (true, true) => Pane::Figures,
            };
            self.columns = Cursor::default();
            (self.problems, self.repairs, self.figures) = (Cursor::default(), Cursor::default(), 0);
        }
        self.problems.by(0, report.problems.len());
        self.repairs.by(0, report.repairs.len());
        self.columns.by(0, report.columns.len());
        self.report = report;
        self.whole = None;
    }
}
