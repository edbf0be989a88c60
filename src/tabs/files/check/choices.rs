//! What is chosen for the repaired copy: repairs, the share that is held out, epochs.

use crate::record::training::{CheckReport, Repair, RepairKind, RowForm, Task};

/// Epochs at most.
pub(super) const EPOCHS: u64 = 50;
/// Steps of the share that is held out, percent.
const STEP: u8 = 5;
/// Percent held out of a classification, and the rows from which on that is proposed.
const SHARE: u8 = 20;
const ENOUGH: u64 = 20;

/// How the share that is held out changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeldOutShare {
    /// Nothing is held out, or as much as is usual.
    Toggle,
    Less,
    More,
}

/// What the user chose, or what is advised.
#[derive(Debug)]
pub(super) struct PrepareChoices {
    /// Which repairs are accepted, one for each of the report's.
    pub(super) accepted: Vec<bool>,
    /// Whether what was chosen stays when the next report comes.
    pub(super) stays: bool,
    pub(super) epochs: u64,
    /// Percent held out; `None`: nothing.
    pub(super) held_out: Option<u8>,
    /// Whether the user said how much.
    split_chosen: bool,
}

impl Default for PrepareChoices {
    fn default() -> Self {
        Self { accepted: Vec::new(), stays: false, epochs: 4, held_out: None, split_chosen: false }
    }
}

impl PrepareChoices {
    /// Changes the share that is held out. Returns whether it is another one.
    pub(super) fn hold_out(&mut self, change: HeldOutShare) -> bool {
        let share = match change {
            HeldOutShare::Toggle => {
                if self.held_out.is_some() {
                    None
                } else {
                    Some(SHARE)
                }
            }
            HeldOutShare::Less => self.held_out.map(|share| share.saturating_sub(STEP).max(STEP)),
            HeldOutShare::More => self.held_out.map(|share| (share + STEP).min(50)),
        };
        let changed = share != self.held_out;
        self.held_out = share;
        self.split_chosen |= changed;
        changed
    }

    /// Adds an epoch or takes one away.
    pub(super) fn train_longer(&mut self, longer: bool) {
        self.epochs = if longer { (self.epochs + 1).min(EPOCHS) } else { (self.epochs - 1).max(1) };
    }

    /// Returns the accepted repairs of a report.
    pub(super) fn repairs<'a>(&'a self, report: &'a CheckReport) -> impl Iterator<Item = &'a RepairKind> {
        let accepted = report.repairs.iter().zip(&self.accepted).filter(|(_, accepted)| **accepted);
        accepted.map(|(repair, _)| &repair.kind)
    }

    /// Returns how many labels the accepted repairs make others.
    pub(super) fn merged(&self, report: &CheckReport) -> u64 {
        let same = self.repairs(report).map(|kind| match kind {
            RepairKind::Labels { same, .. } => same.len() as u64,
            _ => 0,
        });
        same.sum()
    }

    /// Takes a new report in place of an old one: what is advised, unless what was chosen stays. Returns whether it
    /// stays.
    pub(super) fn take(&mut self, old: &CheckReport, new: &CheckReport) -> bool {
        let stays = std::mem::take(&mut self.stays);
        let before: Vec<_> = old.repairs.iter().map(|repair| &repair.kind).zip(&self.accepted).collect();
        let accept = |repair: &Repair| {
            let chosen = before.iter().find(|(kind, _)| stays && **kind == repair.kind);
            repair.necessary || chosen.map_or(repair.advised, |(_, accepted)| **accepted)
        };
        self.accepted = new.repairs.iter().map(accept).collect();
        if !self.split_chosen {
            let enough = new.task == Some(Task::Classification) && new.valid >= ENOUGH;
            self.held_out = enough.then_some(SHARE);
        }
        if !stays {
            self.epochs = if new.form == Some(RowForm::Chats) { 3 } else { 4 };
        }
        stays
    }
}
