//! Calls the tabs, and carries out the effects they ask for.

use super::App;
use super::tickets::{OpenTicket, TicketOwner};
use crate::component::{Cx, Effect};
use crate::tabs::Tab;

impl App {
    /// Calls `handle` with a tab, then carries out the effects it asked for.
    pub(super) fn with_tab<R>(&mut self, index: usize, handle: impl FnOnce(&mut dyn Tab, &mut Cx) -> R) -> R {
        let tab = &mut self.tabs[index];
        let mut effects = Vec::new();
        let mut cx = Cx::new(&self.session, self.now, self.unix_ms, &mut self.requests.last_ticket, &mut effects);
        let result = handle(tab.as_mut(), &mut cx);
        for effect in effects {
            self.handle_effect(index, effect);
        }
        result
    }

    /// Calls `handle` with each tab.
    pub(super) fn for_each_tab(&mut self, handle: impl Fn(&mut dyn Tab, &mut Cx)) {
        for index in 0..self.tabs.len() {
            self.with_tab(index, &handle);
        }
    }

    /// Carries out an effect of a tab, or passes it on to the effect handler.
    fn handle_effect(&mut self, index: usize, effect: Effect) {
        match effect {
            Effect::Offer(offer) => self.pass_offer(offer),
            Effect::Notify(notice) => {
                let place = (index, self.tabs[index].page());
                self.notices.say_of_tab(place, notice, self.now, self.unix_ms);
            }
            Effect::ResolveNotice(about) => self.notices.resolve(about),
            Effect::EditText => self.effects.extend(self.tabs[index].editable().map(Effect::OpenEditor)),
            Effect::OpenModelPicker => self.choose_model(),
            Effect::FetchModels => self.fetch_models(),
            Effect::SetModel(model) => self.set_model(model),
            Effect::KeepParams => self.keep_params(index, &self.tab_model(index)),
            Effect::Quit => self.quit(),
            effect => {
                self.note_ticket(index, &effect);
                self.effects.push(effect);
            }
        }
    }

    /// Notes that a tab gets the answers to an effect, or drops the ticket that the effect cancels.
    fn note_ticket(&mut self, index: usize, effect: &Effect) {
        let owner = TicketOwner::Tab(index);
        let (ticket, open) = match effect {
            Effect::Call(ticket, profile, _) => (ticket, OpenTicket::of_call(owner, profile.clone())),
            Effect::TrySave(ticket, record) => (ticket, OpenTicket::of_record(owner, record)),
            Effect::Save(ticket, record) => {
                (ticket, OpenTicket { is_save: true, ..OpenTicket::of_record(owner, record) })
            }
            Effect::Load(ticket, _) | Effect::Work(ticket, _) => (ticket, OpenTicket::of(owner)),
            Effect::Cancel(ticket) => return self.requests.remove(*ticket),
            _ => return,
        };
        self.requests.insert(*ticket, open);
    }
}
