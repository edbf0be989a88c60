//! The models of the profile in use: the quick choice between them.

use super::App;
use super::dialog_answer::{DialogAnswer, PaletteCommand};
use super::dialogs::PickerDialog;
use crate::text::Untrusted;
use crate::ui::picker::{Item, Picker};

impl App {
    /// The models to choose from; fetched when they are not known yet.
    pub(super) fn choose_model(&mut self) {
        if self.session.models.is_empty() {
            self.ask_models();
        }
        let mut picker = Picker::new("Models", self.model_items()).or("⏎ uses this name as it is");
        picker.note(self.model_notes(None));
        let used = self.model();
        picker.point(|model| *model == used);
        let model = |model| DialogAnswer::Command(PaletteCommand::Model(model));
        self.dialogs.open(PickerDialog::new(picker, "use", move |chosen, _| model(chosen)).or_typed(model));
    }

    /// The list has come, or has not: an open picker shows it.
    pub(super) fn refill_models(&mut self, failed: Option<Untrusted>) {
        let (items, notes, used) = (self.model_items(), self.model_notes(failed), self.model());
        if let Some(PickerDialog { picker, .. }) = self.dialogs.find_mut::<PickerDialog<Untrusted>>() {
            picker.refill(items);
            picker.note(notes);
            picker.point(|model| *model == used);
        }
    }

    fn model_items(&self) -> Vec<Item<Untrusted>> {
        let model = self.model();
        // Those that can do the work of the tab in front come first, in the server's order.
        let tab = &self.tabs[self.front];
        let item = |id: &Untrusted| {
            let note = match () {
                () if *id == model => "in use",
                () if tab.suits(id) => "",
                () => "for another tab",
            };
            Item::new(id.clone(), id.clone(), note)
        };
        let (first, others): (Vec<_>, Vec<_>) = self.session.models.iter().partition(|model| tab.suits(model));
        let mut items: Vec<_> = first.into_iter().chain(others).map(item).collect();
        let known = items.iter().any(|item| item.value == model);
        if !known && !model.is_empty() {
            items.insert(0, item(&model));
        }
        items
    }

    /// Where there is no list: why not, and what can be done without one.
    fn model_notes(&self, failed: Option<Untrusted>) -> Vec<(Untrusted, bool)> {
        let typed = ("Or type a model's name: ⏎ uses it as it is.".into(), false);
        match failed {
            _ if !self.session.models.is_empty() => Vec::new(),
            Some(why) => vec![(why, true), typed],
            None => vec![("The server's models are being fetched.".into(), false), typed],
        }
    }
}
