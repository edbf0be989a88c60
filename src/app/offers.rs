//! Passes what one tab hands to another.

use super::App;
use super::dialog_answer::DialogAnswer;
use super::dialogs::PickerDialog;
use crate::component::{Notice, Offer};
use crate::ui::picker::{Item, Picker};

impl App {
    /// Passes an offer to the tab that takes it; if several do, the user chooses.
    pub(super) fn pass_offer(&mut self, offer: Offer) {
        let takers: Vec<(usize, &'static str)> =
            self.tabs.iter().enumerate().filter_map(|(index, tab)| Some((index, tab.takes(&offer)?))).collect();
        match takers.as_slice() {
            [] => self.say(Notice::warn("no tab can receive this yet")),
            [(index, _)] => self.give_offer(*index, offer),
            _ => {
                let items = takers.iter().map(|(index, does)| Item::new(*index, *does, "")).collect();
                let chosen = move |index, _: &str| DialogAnswer::Give(index, offer.clone());
                self.dialogs.open(PickerDialog::new(Picker::new("Where to?", items), "send", chosen));
            }
        }
    }

    /// Brings a tab to the front and gives it an offer.
    pub(super) fn give_offer(&mut self, index: usize, offer: Offer) {
        self.pass_endpoint(index);
        self.go_to_tab(index);
        self.with_tab(index, |tab, cx| tab.accept(offer, cx));
    }
}
