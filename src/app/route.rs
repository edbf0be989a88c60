//! Routes answers by ticket to whoever asked.

use super::App;
use super::tickets::{ShellRequest, TicketOwner};
use super::unsaved_records::SavingChange;
use crate::api::call::{Progress, Reply, Ticket};
use crate::component::Response;
use crate::component::facts::FactSource;
use crate::record::Stored;
use crate::record::work::Done;

impl App {
    /// Passes progress of a call to whoever made it.
    pub(super) fn route_progress(&mut self, ticket: Ticket, progress: Progress) {
        let is_last = matches!(progress, Progress::Closed(_));
        let Some(open) = self.requests.answer(ticket, is_last) else { return };
        if let Some(profile) = &open.profile {
            if let Progress::Learned(fact) = progress {
                let is_probe = open.owner == TicketOwner::Shell(ShellRequest::Probe);
                let source = if is_probe { FactSource::Probe } else { FactSource::Answer };
                return self.learn_fact(profile, *fact, source);
            }
            self.note_server_state(profile, &progress);
            self.learn_cost(profile, &progress);
        }
        match &open.owner {
            TicketOwner::Tab(index) => {
                if *index == self.front {
                    self.note_shown_failure(&progress);
                }
                let is_upload = matches!(progress, Progress::Reply(Reply::Uploaded(..)));
                self.with_tab(*index, |tab, cx| tab.reply(ticket, &mut Response::Call(progress), cx));
                if let Some(profile) = open.profile.as_ref().filter(|_| is_upload) {
                    for other in (0..self.tabs.len()).filter(|other| other != index) {
                        self.with_tab(other, |tab, cx| tab.file_uploaded(profile, cx));
                    }
                }
            }
            TicketOwner::Shell(request) => self.handle_shell_progress(request, progress),
        }
    }

    /// Passes an answer of the store to whoever asked.
    pub(super) fn route_stored(&mut self, ticket: Ticket, stored: Stored) {
        // A record that waits for the disk is answered once more.
        let is_last = !matches!(stored, Stored::Waiting(_));
        let Some(open) = self.requests.answer(ticket, is_last) else { return };
        let change = self.requests.unsaved.note_answer(ticket, &open, &stored);
        match &change {
            Some(SavingChange::Refused(why)) => self.report_refused_record(open.owner.tab(), &why.line()),
            Some(SavingChange::Works) => self.report_saving_works(),
            None => {}
        }
        if open.changes_cost && stored == Stored::Committed {
            self.load_spent();
        }
        match &open.owner {
            TicketOwner::Tab(index) => {
                self.with_tab(*index, |tab, cx| tab.reply(ticket, &mut Response::Store(stored), cx));
            }
            // It was reported above.
            TicketOwner::Shell(_) if matches!(change, Some(SavingChange::Refused(_))) => {}
            TicketOwner::Shell(request) => self.handle_shell_stored(request, stored),
        }
        self.update_quit_question();
    }

    /// Passes an answer of the work threads to the tab that asked.
    pub(super) fn route_worked(&mut self, ticket: Ticket, done: Done) {
        let is_last = !matches!(done, Done::Moved { .. });
        if let Some(open) = self.requests.answer(ticket, is_last)
            && let TicketOwner::Tab(index) = open.owner
        {
            self.with_tab(index, |tab, cx| tab.reply(ticket, &mut Response::Work(done), cx));
        }
    }
}
