//! Collects effects of tabs, and routes replies by ticket to the sender of the request.

use super::tickets::{OpenTicket, ShellRequest, TicketOwner};
use super::{App, session};
use crate::api::call::{Progress, Ticket};
use crate::component::facts::FactSource;
use crate::component::{Cx, Effect, Response};
use crate::record::Stored;
use crate::tabs::Tab;

impl App {
    /// Lets a tab handle something and collects its effects.
    pub(super) fn tab<R>(&mut self, index: usize, handle: impl FnOnce(&mut dyn Tab, &mut Cx) -> R) {
        let Some(tab) = self.tabs.get_mut(index) else { return };
        let mut effects = Vec::new();
        let mut cx = Cx::new(&self.session, self.now, self.unix_ms, &mut self.requests.tickets, &mut effects);
        handle(tab.as_mut(), &mut cx);
        for effect in effects {
            self.effect(index, effect);
        }
    }

    /// Lets each tab handle something.
    pub(super) fn each_tab(&mut self, handle: impl Fn(&mut dyn Tab, &mut Cx)) {
        for index in 0..self.tabs.len() {
            self.tab(index, &handle);
        }
    }

    fn effect(&mut self, index: usize, effect: Effect) {
        let owner = TicketOwner::Tab(index);
        match effect {
            Effect::Call(ticket, ref profile, _) => {
                let profile = Some(profile.clone());
                self.requests.open.insert(ticket, OpenTicket { profile, ..OpenTicket::of(owner) });
            }
            Effect::Record(ticket, ref record) | Effect::Save(ticket, ref record) => {
                let (ledger, saves) = (session::has_ledger(record), matches!(effect, Effect::Save(..)));
                self.requests.open.insert(ticket, OpenTicket { ledger, saves, ..OpenTicket::of(owner) });
            }
            Effect::Load(ticket, _) | Effect::Work(ticket, _) => {
                self.requests.open.insert(ticket, OpenTicket::of(owner));
            }
            Effect::Cancel(ticket) => drop(self.requests.open.remove(&ticket)),
            Effect::Offer(offer) => return self.offer(offer),
            Effect::Notify(notice) => return self.notices.say(notice, self.now, self.unix_ms),
            Effect::Settle(about) => return self.notices.settle(about),
            Effect::Edit => {
                let text = self.tabs[index].editable();
                return self.effects.extend(text.map(Effect::OpenEditor));
            }
            Effect::ChooseModel => return self.choose_model(),
            Effect::AskModels => return self.ask_models(),
            Effect::SetModel(model) => return self.set_model(model),
            Effect::KeepParams => return self.keep_params(index, &self.model_of(index)),
            Effect::Quit => return self.quit(),
            _ => {}
        }
        self.effects.push(effect);
    }

    /// Returns a new ticket for a request of the shell.
    pub(super) fn request(&mut self, request: ShellRequest) -> Ticket {
        self.requests.tickets += 1;
        let ticket = Ticket(self.requests.tickets);
        self.requests.open.insert(ticket, OpenTicket::of(TicketOwner::Shell(request)));
        ticket
    }

    pub(super) fn progress(&mut self, ticket: Ticket, progress: Progress) {
        // An unknown ticket is a call that was cancelled: what still arrives of it is dropped.
        let Some(open) = self.requests.open.get(&ticket).cloned() else { return };
        if let Some(profile) = &open.profile {
            if let Progress::Learned(fact) = progress {
                let is_probe = matches!(open.owner, TicketOwner::Shell(ShellRequest::Probe(_)));
                let source = if is_probe { FactSource::Probe } else { FactSource::Answer };
                return self.learned(profile, *fact, source);
            }
            self.note_server_state(profile, &progress);
            self.learn_cost(profile, &progress);
        }
        if matches!(progress, Progress::Closed(_)) {
            self.requests.open.remove(&ticket);
        }
        match open.owner {
            TicketOwner::Tab(index) => {
                if index == self.front {
                    self.note_shown_failure(&progress);
                }
                self.tab(index, |tab, cx| tab.reply(ticket, &mut Response::Call(progress), cx));
            }
            TicketOwner::Shell(request) => self.shell_progress(request, progress),
        }
    }

    pub(super) fn stored(&mut self, ticket: Ticket, stored: Stored) {
        // A record that waits for the disk is answered once more.
        let open = match &stored {
            Stored::Waiting(_) => self.requests.open.get(&ticket).cloned(),
            _ => self.requests.open.remove(&ticket),
        };
        let Some(open) = open else { return };
        if let (TicketOwner::Tab(index), true) = (&open.owner, open.saves) {
            self.requests.unsaved.observe(*index, ticket, &stored);
        }
        if open.ledger && stored == Stored::Committed {
            self.ask_spent();
        }
        match open.owner {
            TicketOwner::Tab(index) => self.tab(index, |tab, cx| tab.reply(ticket, &mut Response::Store(stored), cx)),
            TicketOwner::Shell(request) => self.shell_stored(request, stored),
        }
        self.ask_quit_again();
    }
}
