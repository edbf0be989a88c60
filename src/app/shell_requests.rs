//! The shell's own requests to servers and to the store: makes and cancels them, and takes their answers.

use super::App;
use super::tickets::{OpenTicket, ShellRequest, TicketOwner};
use crate::api::call::{Call, Progress, Ticket};
use crate::component::{Effect, Notice};
use crate::record::{Query, Record, Rows, Stored};
use crate::settings::ProfileId;

impl App {
    /// Opens a new ticket for the shell.
    fn open_ticket(&mut self, open: OpenTicket) -> Ticket {
        let ticket = Ticket::next(&mut self.requests.last_ticket);
        self.requests.insert(ticket, open);
        ticket
    }

    /// Makes a call to a profile's server for the shell.
    pub(super) fn call(&mut self, request: ShellRequest, profile: ProfileId, call: Call) -> Ticket {
        let ticket = self.open_ticket(OpenTicket::of_call(TicketOwner::Shell(request), profile.clone()));
        self.effects.push(Effect::Call(ticket, profile, call));
        ticket
    }

    /// Asks the store for the shell.
    pub(super) fn load(&mut self, request: ShellRequest, query: Query) {
        let ticket = self.open_ticket(OpenTicket::of(TicketOwner::Shell(request)));
        self.effects.push(Effect::Load(ticket, query));
    }

    /// Saves a record of the shell; see [`Effect::TrySave`].
    pub(super) fn try_save(&mut self, request: ShellRequest, record: Record) {
        let ticket = self.open_ticket(OpenTicket::of_record(TicketOwner::Shell(request), &record));
        self.effects.push(Effect::TrySave(ticket, record));
    }

    /// Cancels such requests of the shell.
    pub(super) fn cancel_requests(&mut self, is_meant: impl Fn(&ShellRequest) -> bool) {
        let tickets = self.requests.remove_shell_requests(is_meant);
        self.effects.extend(tickets.into_iter().map(Effect::Cancel));
    }

    /// Handles progress of a call that the shell made.
    pub(super) fn handle_shell_progress(&mut self, request: &ShellRequest, progress: Progress) {
        match request {
            ShellRequest::Models(profile) if *profile == self.session.profile => {
                self.handle_models_progress(profile, progress);
            }
            ShellRequest::Probe => self.handle_probe_progress(progress),
            ShellRequest::Check => self.show_test_progress(progress),
            _ => {}
        }
    }

    /// Handles an answer of the store to the shell.
    pub(super) fn handle_shell_stored(&mut self, request: &ShellRequest, stored: Stored) {
        match (request, stored) {
            (ShellRequest::Spent(profile), Stored::Rows(Rows::Spent(spent))) if *profile == self.session.profile => {
                self.session.today = spent;
            }
            (ShellRequest::LastModel(profile), answer) if *profile == self.session.profile => {
                self.use_last_model(answer);
            }
            (ShellRequest::Facts, stored) => self.add_loaded_facts(stored),
            (ShellRequest::ModelMarks, Stored::Rows(Rows::Settings(settings))) => {
                self.models.read(settings);
                self.refresh_models(None);
            }
            (ShellRequest::Charge, Stored::Failed(why)) => {
                let said = format!("the cost of a probe could not be saved: {}", why.line());
                self.say(Notice::warn(said));
            }
            (ShellRequest::Keep, Stored::Failed(why)) => {
                self.say(Notice::warn(format!("the choice could not be saved: {}", why.line())));
            }
            _ => {}
        }
    }
}
