//! Who asked for what: tabs' effects become orders, answers find their way back by their tickets.

use super::open::{Errand, Open, Owner};
use super::{App, Order, upkeep};
use crate::api::call::{Progress, Ticket};
use crate::component::{Cx, Effect, Response};
use crate::record::Stored;
use crate::tabs::Tab;

impl App {
    /// Lets a tab handle something and takes up what it asks for.
    pub(super) fn tab<R>(&mut self, index: usize, handle: impl FnOnce(&mut dyn Tab, &mut Cx) -> R) {
        let Some(tab) = self.tabs.get_mut(index) else { return };
        let mut effects = Vec::new();
        let mut cx = Cx::new(&self.session, self.now, self.unix_ms, &mut self.tickets, &mut effects);
        handle(tab.as_mut(), &mut cx);
        for effect in effects {
            self.effect(index, effect);
        }
    }

    fn effect(&mut self, index: usize, effect: Effect) {
        let owner = Owner::Tab(index);
        match effect {
            Effect::Call(ticket, profile, call) => {
                self.open.insert(ticket, Open { owner, profile: Some(profile.clone()), ledger: false });
                self.orders.push(Order::Call(ticket, profile, call));
            }
            Effect::Cancel(ticket) => {
                self.open.remove(&ticket);
                self.orders.push(Order::Cancel(ticket));
            }
            Effect::Hurry(ticket) => self.orders.push(Order::Hurry(ticket)),
            Effect::Record(ticket, record) => {
                let ledger = upkeep::has_ledger(&record);
                self.open.insert(ticket, Open { owner, profile: None, ledger });
                self.orders.push(Order::Record(ticket, record));
            }
            Effect::Load(ticket, query) => {
                self.open.insert(ticket, Open { owner, profile: None, ledger: false });
                self.orders.push(Order::Load(ticket, query));
            }
            Effect::Work(ticket, work) => {
                self.open.insert(ticket, Open { owner, profile: None, ledger: false });
                self.orders.push(Order::Work(ticket, work));
            }
            Effect::Offer(offer) => self.offer(offer),
            Effect::Notify(notice) => self.notices.say(notice, self.now, self.unix_ms),
            Effect::Settle(about) => self.notices.settle(about),
            Effect::Copy(text) => self.orders.push(Order::Copy(text)),
            Effect::CopyCurl(profile, call) => self.orders.push(Order::CopyCurl(profile, call)),
            Effect::Edit => {
                if let Some(text) = self.tabs[index].editable() {
                    self.orders.push(Order::Edit(text));
                }
            }
            Effect::ChooseModel => self.choose_model(),
            Effect::AskModels => self.ask_models(),
            Effect::SetModel(model) => self.set_model(model),
            Effect::Quit => self.quit(),
        }
    }

    /// A ticket of the shell's own.
    pub(super) fn errand(&mut self, errand: Errand) -> Ticket {
        self.tickets += 1;
        let ticket = Ticket(self.tickets);
        self.open.insert(ticket, Open { owner: Owner::Shell(errand), profile: None, ledger: false });
        ticket
    }

    pub(super) fn progress(&mut self, ticket: Ticket, progress: Progress) {
        // An unknown ticket is a call that was stopped: what still arrives of it is dropped.
        let Some(open) = self.open.get(&ticket).cloned() else { return };
        if let Some(profile) = &open.profile {
            self.heard(profile, &progress);
        }
        if matches!(progress, Progress::Closed(_)) {
            self.open.remove(&ticket);
        }
        match open.owner {
            Owner::Tab(index) => self.tab(index, |tab, cx| tab.reply(ticket, &mut Response::Call(progress), cx)),
            Owner::Shell(errand) => self.errand_progress(errand, progress),
        }
    }

    pub(super) fn stored(&mut self, ticket: Ticket, stored: Stored) {
        // What waits for the disk is answered once more.
        let open = match &stored {
            Stored::Waiting(_) => self.open.get(&ticket).cloned(),
            _ => self.open.remove(&ticket),
        };
        let Some(open) = open else { return };
        if open.ledger && stored == Stored::Committed {
            self.ask_spent();
        }
        match open.owner {
            Owner::Tab(index) => self.tab(index, |tab, cx| tab.reply(ticket, &mut Response::Store(stored), cx)),
            Owner::Shell(errand) => self.errand_stored(errand, stored),
        }
        self.ask_quit_again();
    }
}
