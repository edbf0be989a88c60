//! What is chosen on the page: the model that the figures are for, the share that is held out, the repairs.

use super::{Page, Pane, Phase};
use crate::record::training::{Repair, Report, RowForm};
use crate::tabs::Cx;
use crate::text::Untrusted;
use crate::tokens::training_limit;
use crate::ui::list::Cursor;

/// Models that can be trained, of which the figures tell.
const BASES: [&str; 5] = ["ada", "babbage", "curie", "davinci", "gpt-3.5-turbo"];
/// The one that the figures are for where the session's model cannot be trained.
pub(super) const BASE: &str = "curie";
/// The models to choose from: the base models, and the session's.
pub(super) fn models(session: Untrusted) -> Vec<Untrusted> {
    let mut models: Vec<Untrusted> = BASES.into_iter().map(Into::into).collect();
    if !session.is_empty() && !models.contains(&session) {
        models.push(session);
    }
    models
}

/// Whether a model can be trained, as far as its name tells: a base model, or one that was tuned before.
pub(super) fn trains(model: &str) -> bool {
    let tuned = model.contains(":ft-") || model.starts_with("ft:");
    tuned || BASES.contains(&model) || training_limit(model).is_some()
}

impl Page {
    /// Another share is held out: what was written has the old one.
    pub(super) fn hold_out(&mut self, share: Option<u8>) {
        if share == self.held_out || matches!(self.phase, Phase::Writing { .. }) {
            return;
        }
        self.held_out = share;
        if matches!(self.phase, Phase::Written(_) | Phase::NotWritten(_)) {
            self.phase = Phase::Checked;
        }
    }

    /// The figures for the next model that can be trained; tokens are counted anew.
    pub(super) fn other_model(&mut self, cx: &mut Cx) {
        if matches!(self.phase, Phase::Writing { .. } | Phase::Failed(_)) {
            return;
        }
        let at = self.models.iter().position(|model| *model == self.model).map_or(0, |at| at + 1);
        self.model = self.models[at % self.models.len()].clone();
        self.stays |= !matches!(self.phase, Phase::Reading { .. });
        self.check(cx);
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
        if !stays {
            self.epochs = if report.form == Some(RowForm::Chats) { 3 } else { 4 };
            self.pane = match (report.problems.is_empty(), report.repairs.is_empty()) {
                (false, _) => Pane::Problems,
                (true, false) => Pane::Repairs,
                (true, true) => Pane::Figures,
            };
            (self.problems, self.repairs, self.figures) = (Cursor::default(), Cursor::default(), 0);
        }
        self.problems.by(0, report.problems.len());
        self.repairs.by(0, report.repairs.len());
        self.report = report;
    }
}
