//! Collects the effects of tabs, and routes answers by ticket to whoever asked.

use super::App;
use super::tickets::{OpenTicket, ShellRequest, TicketOwner};
use super::unsaved_records::SavingChange;
use crate::api::call::{Call, Progress, Ticket};
use crate::component::facts::FactSource;
use crate::component::{Cx, Effect, Response};
use crate::record::work::Done;
use crate::record::{Query, Record, Stored};
use crate::settings::ProfileId;
use crate::tabs::Tab;

impl App {
    /// Lets a tab handle something, then handles the effects it asked for.
    pub(super) fn with_tab<R>(&mut self, index: usize, handle: impl FnOnce(&mut dyn Tab, &mut Cx) -> R) {
        let Some(tab) = self.tabs.get_mut(index) else { return };
        let mut effects = Vec::new();
        let mut cx = Cx::new(&self.session, self.now, self.unix_ms, &mut self.requests.last_ticket, &mut effects);
        handle(tab.as_mut(), &mut cx);
        for effect in effects {
            self.handle_effect(index, effect);
        }
    }

    /// Lets each tab handle something.
    pub(super) fn for_each_tab(&mut self, handle: impl Fn(&mut dyn Tab, &mut Cx)) {
        for index in 0..self.tabs.len() {
            self.with_tab(index, &handle);
        }
    }

    /// Carries out what a tab asks the shell for; passes on all other effects, and notes who gets their answers.
    fn handle_effect(&mut self, index: usize, effect: Effect) {
        let owner = TicketOwner::Tab(index);
        match effect {
            Effect::Call(ticket, ref profile, _) => {
                self.requests.insert(ticket, OpenTicket::of_call(owner, profile.clone()));
            }
            Effect::Record(ticket, ref record) => self.requests.insert(ticket, OpenTicket::of_record(owner, record)),
            Effect::Save(ticket, ref record) => {
                self.requests.insert(ticket, OpenTicket { is_save: true, ..OpenTicket::of_record(owner, record) });
            }
            Effect::Load(ticket, _) | Effect::Work(ticket, _) => {
                self.requests.insert(ticket, OpenTicket::of(owner));
            }
            Effect::Cancel(ticket) => self.requests.remove(ticket),
            Effect::Offer(offer) => return self.pass_offer(offer),
            Effect::Notify(notice) => return self.say(notice),
            Effect::Settle(about) => return self.notices.settle(about),
            Effect::Edit => return self.effects.extend(self.tabs[index].editable().map(Effect::OpenEditor)),
            Effect::ChooseModel => return self.choose_model(),
            Effect::AskModels => return self.fetch_models(),
            Effect::SetModel(model) => return self.set_model(model),
            Effect::KeepParams => return self.keep_params(index, &self.tab_model(index)),
            Effect::Quit => return self.quit(),
            Effect::Know(_)
            | Effect::Forget(..)
            | Effect::Hurry(_)
            | Effect::Copy(_)
            | Effect::CopyCurl(..)
            | Effect::OpenEditor(_)
            | Effect::Suspend
            | Effect::Repaint
            | Effect::Mouse(_)
            | Effect::Title(_)
            | Effect::Remember(_)
            | Effect::AddProfile(_)
            | Effect::OpenProfile(_)
            | Effect::ChangeProfile(_)
            | Effect::ForgetKey(_)
            | Effect::ReplaceKey(_) => {}
        }
        self.effects.push(effect);
    }

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

    /// Writes a record of the shell.
    pub(super) fn record(&mut self, request: ShellRequest, record: Record) {
        let ticket = self.open_ticket(OpenTicket::of_record(TicketOwner::Shell(request), &record));
        self.effects.push(Effect::Record(ticket, record));
    }

    /// Cancels such requests of the shell.
    pub(super) fn cancel_requests(&mut self, is_meant: impl Fn(&ShellRequest) -> bool) {
        let tickets = self.requests.remove_shell_requests(is_meant);
        self.effects.extend(tickets.into_iter().map(Effect::Cancel));
    }

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
                self.with_tab(*index, |tab, cx| tab.reply(ticket, &mut Response::Call(progress), cx));
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
        if open.has_ledger_row && stored == Stored::Committed {
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
