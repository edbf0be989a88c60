//! Prompts with their settings under a name, and examples to start from.

mod draw;
mod examples;
pub(super) mod keys;
mod loaded;
mod naming;
#[cfg(test)]
mod tests;

use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

pub(super) use self::examples::Suitability;
use self::keys::{Action, KEYS, NAME_TAKEN, TYPING};
pub(super) use self::loaded::{LoadedPresets, SettingsInUse};
use super::prompt_text::PromptText;
use crate::component::{Component, Cx, FindBar, FindBarEvent, Handled, Hint, Motion, RenderContext, Session};
use crate::record::{CompletionParams, Id, Preset};
use crate::text::Untrusted;
use crate::ui::item_list::{ItemList, Keyed};
use crate::ui::text_field::TextField;

/// More rows than this are filtered with `/`.
const FEW: usize = 10;

/// What a key in the list asks of its owner.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Event {
    /// Put this prompt with its settings into use, then say so with [`Presets::set_loaded`].
    Load(Box<Preset>),
    /// Keep the prompt and settings in use under this name: over that preset, or as a new one. Then [`Presets::put`]
    /// it.
    Save(Untrusted, Option<Id>),
    /// This preset of the list is another one now, or back: record it.
    Keep(Box<Preset>),
    /// This preset left the list: delete it.
    Deleted(Id),
    /// The cursor continues above the first row.
    Above,
    /// The list is done with.
    Close,
}

/// What is being typed or asked.
#[derive(Clone, Debug)]
enum PresetPrompt {
    /// A name for what is in use.
    Name(TextField),
    /// The name is taken: by which preset.
    NameTaken(Untrusted, Id),
    /// Another name for this preset.
    Rename(Id, TextField),
}

/// The list: the user's own by name, then the examples.
#[derive(Clone, Debug)]
pub(super) struct Presets {
    list: ItemList<Preset>,
    /// The models the examples are ordered for.
    suits: Suitability,
    find: FindBar,
    prompt: Option<PresetPrompt>,
    pub(super) loaded: LoadedPresets,
    edited: bool,
    /// Whether it has the keys.
    focus: bool,
    /// What was last compared with the preset in use: the text's revision, the settings, the model.
    compared: Option<(u64, CompletionParams, Untrusted)>,
    /// What was deleted last.
    gone: Option<Box<Preset>>,
    /// A sentence below the list until the next key.
    note: Option<Untrusted>,
}

impl Keyed for Preset {
    type Key = Id;

    fn key(&self) -> &Id {
        &self.id
    }
}

impl Default for Presets {
    fn default() -> Self {
        let mut presets = Self {
            list: ItemList::default(),
            suits: Suitability::default(),
            find: FindBar::default(),
            prompt: None,
            loaded: LoadedPresets::default(),
            edited: false,
            focus: false,
            compared: None,
            gone: None,
            note: None,
        };
        presets.change(|all| *all = examples::all(&Suitability::default()));
        presets
    }
}

/// Returns whether what is in use is other than a preset has it. A preset without a model goes with any.
fn differs(preset: &Preset, text: &str, params: &CompletionParams, model: &Untrusted) -> bool {
    preset.prompt != *text || preset.params != *params || !(preset.model.is_empty() || preset.model == *model)
}

impl Presets {
    /// Takes the user's presets as the store has them.
    pub(super) fn fill(&mut self, presets: Vec<Preset>) {
        self.change(|all| {
            all.retain(|preset| examples::is_example(preset.id));
            all.extend(presets);
        });
    }

    /// Offers the examples in the order that suits the models in use.
    pub(super) fn suit(&mut self, suits: Suitability) {
        if self.suits != suits {
            self.change(|all| {
                all.retain(|preset| !examples::is_example(preset.id));
                all.extend(examples::all(&suits));
            });
            self.suits = suits;
        }
    }

    /// Changes the list as a whole: the cursor stays on its preset, or on the first row.
    fn change(&mut self, change: impl FnOnce(&mut Vec<Preset>)) {
        self.list.change_items_keeping_first_row(change);
        self.filter();
    }

    /// Shows the presets that the filter leaves: the user's own by name, then the examples as they are ordered.
    fn filter(&mut self) {
        let words = folded(&self.find.text().into());
        let passes = |preset: &Preset| words.is_empty() || folded(&preset.name).contains(&words);
        self.list.filter_and_sort(passes, |presets, shown| {
            shown.sort_by_cached_key(|at| {
                let preset = &presets[*at];
                let own = (!examples::is_example(preset.id)).then(|| (folded(&preset.name), preset.id));
                (own.is_none(), own)
            });
        });
    }

    /// Takes a preset that was saved: it is the one loaded now, as it is.
    pub(super) fn put(&mut self, preset: Preset) {
        let id = preset.id;
        self.set_loaded(id);
        self.find.clear();
        self.insert(preset);
    }

    /// Sets the preset in use.
    pub(super) fn set_loaded(&mut self, id: Id) {
        self.loaded.current = Some(id);
        self.edited = false;
    }

    /// Returns the preset loaded last, while it is in the list.
    pub(super) fn in_use(&self) -> Option<&Preset> {
        self.list.get(&self.loaded.current?)
    }

    /// Notes whether what the user wrote, or set, is other than the preset loaded last has it; what models wrote is
    /// not.
    pub(super) fn mark_edited(&mut self, text: &PromptText, params: &CompletionParams, model: &Untrusted) {
        if self.compared.as_ref().is_some_and(|(at, with, of)| (*at, with, of) == (text.revision, params, model)) {
            return;
        }
        let Some(preset) = self.in_use() else { return };
        // Texts of different lengths differ.
        let same = preset.prompt.len() + text.generated() == text.buffer.len();
        self.edited = !same || differs(preset, &text.written(), params, model);
        self.compared = Some((text.revision, params.clone(), model.clone()));
    }

    /// Returns the example to start from where there is no text yet.
    pub(super) fn first(&self) -> &Preset {
        self.list.items().iter().find(|preset| examples::is_example(preset.id)).expect("there is always an example")
    }

    /// Asks for a name to keep what is in use under.
    pub(super) fn save(&mut self) {
        let name = self.in_use().map(|preset| TextField::edit(&preset.name)).unwrap_or_default();
        self.prompt = Some(PresetPrompt::Name(name));
    }

    /// Puts the cursor on the first row, or the last.
    pub(super) fn enter(&mut self, last: bool) {
        self.list.view.cursor.selected = if last { self.list.len().saturating_sub(1) } else { 0 };
    }

    /// Sets whether it has the keys.
    pub(super) fn set_focus(&mut self, focus: bool) {
        self.focus = focus;
    }

    /// Pastes into what is being typed. Returns whether anything is.
    fn paste_text(&mut self, text: &str) -> bool {
        match &mut self.prompt {
            Some(PresetPrompt::Name(line) | PresetPrompt::Rename(_, line)) => line.paste(text),
            Some(PresetPrompt::NameTaken(..)) => {}
            None if self.find.paste(text) => self.filter_from_first(),
            None => return false,
        }
        true
    }

    /// Returns whether words to filter by are typed.
    pub(super) fn is_finding(&self) -> bool {
        self.prompt.is_none() && self.find.is_typing()
    }

    /// Handles a key.
    pub(super) fn handle(&mut self, key: KeyEvent) -> Handled<Event> {
        self.note = None;
        if self.is_finding() {
            match self.find.key(key) {
                FindBarEvent::Moved(motion) => self.list.view.move_by(motion.rows(1), self.list.len()),
                FindBarEvent::Changed => self.filter_from_first(),
                FindBarEvent::Cancelled => self.filter(),
                FindBarEvent::Submitted | FindBarEvent::Ignored => {}
            }
            return Handled::Consumed;
        }
        match self.prompt.take() {
            Some(PresetPrompt::NameTaken(name, id)) => self.resolve(name, id, key),
            Some(prompt) => self.type_key(prompt, key),
            None => self.list_key(key),
        }
    }

    /// Shows what the words that are typed leave, from the first row.
    fn filter_from_first(&mut self) {
        self.filter();
        self.list.view.home();
    }

    fn list_key(&mut self, key: KeyEvent) -> Handled<Event> {
        match KEYS.find(&key) {
            Some(Action::Move(Motion::HalfUp | Motion::HalfDown)) => return Handled::Ignored,
            Some(Action::Move(Motion::Up)) if self.list.view.cursor.selected == 0 => {
                return Handled::Emit(Event::Above);
            }
            Some(Action::Move(motion)) => self.list.view.move_by(motion.rows(FEW + 1), self.list.len()),
            Some(Action::Load) => {
                return self
                    .list
                    .selected_item()
                    .map_or(Handled::Consumed, |preset| Handled::Emit(Event::Load(Box::new(preset.clone()))));
            }
            Some(Action::Save) => self.save(),
            Some(Action::Rename) => self.rename(),
            Some(Action::Delete) => return self.delete(),
            Some(Action::Undelete) => return self.undelete(),
            Some(Action::Filter) if !self.is_short() => self.find.start_typing(),
            Some(Action::Escape) if self.find.is_shown() => {
                self.find.clear();
                self.filter();
            }
            Some(Action::Escape) => return Handled::Emit(Event::Close),
            _ => return Handled::Ignored,
        }
        Handled::Consumed
    }

    fn delete(&mut self) -> Handled<Event> {
        let Some(preset) = self.list.selected_item().cloned() else { return Handled::Consumed };
        let id = preset.id;
        if examples::is_example(id) {
            self.note = Some("examples cannot be deleted, only your own presets".into());
            return Handled::Consumed;
        }
        self.list.change_items(|all| all.retain(|other| other.id != id));
        self.filter();
        self.note = Some(format!("deleted “{}” · u restores it", preset.name.line()).into());
        self.gone = Some(Box::new(preset));
        Handled::Emit(Event::Deleted(id))
    }

    fn undelete(&mut self) -> Handled<Event> {
        let Some(preset) = self.gone.take() else {
            self.note = Some("nothing was deleted".into());
            return Handled::Consumed;
        };
        self.insert((*preset).clone());
        Handled::Emit(Event::Keep(preset))
    }

    /// Puts a preset where its name belongs, in place of what had its id, and the cursor on it.
    fn insert(&mut self, preset: Preset) {
        let id = preset.id;
        self.list.change_items(|all| {
            all.retain(|other| other.id != id);
            all.push(preset);
        });
        self.filter();
        self.list.select(&id);
    }

    /// Returns whether all rows are seen without a filter.
    fn is_short(&self) -> bool {
        self.list.items().len() <= FEW
    }
}

impl Component<Event> for Presets {
    fn key(&mut self, key: KeyEvent, _cx: &mut Cx) -> Handled<Event> {
        self.handle(key)
    }

    fn paste(&mut self, text: &str, _cx: &mut Cx) -> Handled<Event> {
        if self.paste_text(text) { Handled::Consumed } else { Handled::Ignored }
    }

    fn typing(&self) -> bool {
        self.prompt.is_some() || self.find.is_typing()
    }

    fn escape(&self) -> Option<&'static str> {
        Some(match &self.prompt {
            Some(_) => "cancel",
            None if self.find.is_shown() => "show all",
            None => "back",
        })
    }

    fn arrange(&mut self, area: Rect, session: &Session, _now: Instant) {
        self.fit(area, session.spacing());
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        self.draw(frame, area, context.theme, self.focus);
    }

    fn hints(&self) -> Vec<Hint> {
        use Action as A;
        match &self.prompt {
            Some(PresetPrompt::NameTaken(..)) => NAME_TAKEN.footer(&[A::Replace, A::KeepBoth, A::Escape], self),
            Some(_) => TYPING.footer(&[A::Done, A::Escape], self),
            None if self.find.is_typing() => FindBar::hints(),
            None => KEYS.footer(&[A::Load, A::Save, A::Rename, A::Delete, A::Undelete, A::Filter], self),
        }
    }
}

/// Returns all keys of the list, for the help page.
pub(super) fn help() -> Vec<Hint> {
    KEYS.help()
}

/// Returns a name as it is compared.
fn folded(name: &Untrusted) -> String {
    name.line().trim().to_lowercase()
}
