//! Quitting: at once, or after asking where something would be lost.

use std::collections::BTreeMap;

use super::dialogs::QuitDialog;
use super::{App, Effect};
use crate::api::call::Ticket;
use crate::component::Notice;
use crate::record::Stored;
use crate::tabs::{Tab, UnsavedWork};
use crate::text::Untrusted;
use crate::ui::overlay::Confirm;

impl App {
    /// Quits, after asking once when something would be lost.
    pub(super) fn quit(&mut self) {
        let held = self.quit_warning();
        if held.is_empty() || self.dialogs.top::<QuitDialog>().is_some() {
            self.effects.push(Effect::Quit);
        } else {
            let question = Confirm::new("Quit now?", held, "Quit").otherwise("Stay");
            self.dialogs.open(QuitDialog(question));
        }
    }

    /// Returns what would be lost, a sentence for each tab.
    fn quit_warning(&self) -> Vec<Untrusted> {
        let disk = self.session.unsaved.as_ref();
        let held = |index: usize| {
            let tab = self.tabs[index].as_ref();
            tab.quit_warning(&self.session).or_else(|| self.requests.unsaved.loss(index, tab, disk))
        };
        (0..self.tabs.len()).filter_map(held).map(Untrusted::from).collect()
    }

    /// Brings the open question up to date: the store may have kept what was not saved, or refuse it for another reason.
    pub(super) fn ask_quit_again(&mut self) {
        if self.dialogs.find_mut::<QuitDialog>().is_none() {
            return;
        }
        let held = self.quit_warning();
        if held.is_empty() {
            self.dialogs.close_all::<QuitDialog>();
            self.notices.say(Notice::ok("everything is saved; ^Q quits"), self.now, self.unix_ms);
        } else if let Some(QuitDialog(question)) = self.dialogs.find_mut() {
            question.about(held);
        }
    }
}

/// Records that are not on disk: those that wait and are offered again, and those that failed and are not. The tab of
/// each, and why.
#[derive(Debug, Default)]
pub(super) struct UnsavedRecords(BTreeMap<Ticket, (usize, Untrusted)>);

impl UnsavedRecords {
    /// Takes in the store's answer to a tab.
    pub(super) fn observe(&mut self, tab: usize, ticket: Ticket, stored: &Stored) {
        match stored {
            Stored::Waiting(why) | Stored::Failed(why) => drop(self.0.insert(ticket, (tab, why.clone()))),
            _ => drop(self.0.remove(&ticket)),
        }
    }

    /// Returns what quitting would lose of a tab's data; `disk`: why nothing at all can be saved, if nothing can.
    pub(super) fn loss(&self, index: usize, tab: &dyn Tab, disk: Option<&Untrusted>) -> Option<String> {
        let UnsavedWork { what, how, written } = tab.unsaved_work()?;
        let refused = self.0.values().find_map(|(of, why)| (*of == index).then_some(why));
        let why = refused.or(disk.filter(|_| written))?;
        let why = why.line();
        Some(format!(
            "{what} could not be saved: {why}. Quitting tries once more; what is refused then would be lost; {how}."
        ))
    }
}
