//! Names of presets: typed, taken or not, changed.

use crossterm::event::KeyEvent;

use super::keys::{Action, NAME_TAKEN, TYPING};
use super::{Event, PresetPrompt, Presets, examples, folded};
use crate::component::Handled;
use crate::record::{Id, Preset};
use crate::text::Untrusted;
use crate::ui::text_field::TextField;

impl Presets {
    /// Handles a key while a line is typed.
    pub(super) fn type_key(&mut self, mut prompt: PresetPrompt, key: KeyEvent) -> Handled<Event> {
        match (TYPING.find(&key), prompt) {
            (Some(Action::Escape), _) => {}
            (Some(_), PresetPrompt::Name(line)) => return self.named(line),
            (Some(_), PresetPrompt::Rename(id, line)) => return self.renamed(id, line),
            (_, other) => {
                prompt = other;
                if let PresetPrompt::Name(line) | PresetPrompt::Rename(_, line) = &mut prompt {
                    line.key(key);
                }
                self.prompt = Some(prompt);
            }
        }
        Handled::Consumed
    }

    /// Handles a key while it is asked what becomes of the preset whose name is taken.
    pub(super) fn resolve(&mut self, name: Untrusted, id: Id, key: KeyEvent) -> Handled<Event> {
        match NAME_TAKEN.find(&key) {
            Some(Action::Replace) => return Handled::Emit(Event::Save(name, Some(id))),
            Some(Action::KeepBoth) => return Handled::Emit(Event::Save(self.beside(&name), None)),
            Some(_) => {}
            None => self.prompt = Some(PresetPrompt::NameTaken(name, id)),
        }
        Handled::Consumed
    }

    /// Saves what is in use under the name that was typed, unless that is taken.
    fn named(&mut self, line: TextField) -> Handled<Event> {
        let name = Untrusted::new(line.text().trim());
        if name.is_empty() {
            self.prompt = Some(PresetPrompt::Name(line));
            self.note = Some("a preset needs a name".into());
            return Handled::Consumed;
        }
        match self.find_by_name(&name) {
            Some(id) => {
                self.prompt = Some(PresetPrompt::NameTaken(name, id));
                Handled::Consumed
            }
            None => Handled::Emit(Event::Save(name, None)),
        }
    }

    /// Asks for another name for the preset under the cursor.
    pub(super) fn rename(&mut self) {
        match self.list.selected_item().map(|preset| (preset.id, preset.name.clone())) {
            Some((id, name)) if !examples::is_example(id) => {
                self.prompt = Some(PresetPrompt::Rename(id, TextField::edit(&name)));
            }
            Some(_) => self.note = Some("examples cannot be changed; S saves a copy under your own name".into()),
            None => {}
        }
    }

    fn renamed(&mut self, id: Id, line: TextField) -> Handled<Event> {
        let name = Untrusted::new(line.text().trim());
        let refusal = match self.find_by_name(&name) {
            _ if name.is_empty() => Some("a preset needs a name"),
            Some(other) if other != id => Some("another preset has this name"),
            _ => None,
        };
        if let Some(refusal) = refusal {
            self.note = Some(refusal.into());
            self.prompt = Some(PresetPrompt::Rename(id, line));
            return Handled::Consumed;
        }
        let preset = self.list.get(&id).filter(|preset| preset.name != name);
        let Some(preset) = preset.map(|preset| Preset { name, ..preset.clone() }) else { return Handled::Consumed };
        self.insert(preset.clone());
        Handled::Emit(Event::Keep(Box::new(preset)))
    }

    /// Returns the user's preset of a name, whatever the case of its letters.
    fn find_by_name(&self, name: &Untrusted) -> Option<Id> {
        let name = folded(name);
        let mut own = self.list.items().iter().filter(|preset| !examples::is_example(preset.id));
        own.find(|preset| folded(&preset.name) == name).map(|preset| preset.id)
    }

    /// Returns the name with the first number that makes it a new one.
    fn beside(&self, name: &Untrusted) -> Untrusted {
        let names = (2..).map(|number| {
            let mut other = name.clone();
            other.push(&format!(" ({number})"));
            other
        });
        names.into_iter().find(|name| self.find_by_name(name).is_none()).unwrap_or_else(|| name.clone())
    }
}
