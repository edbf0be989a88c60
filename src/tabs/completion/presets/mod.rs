//! Prompts with their settings under a name, and examples to start from.

mod draw;
mod examples;
mod keys;
#[cfg(test)]
mod tests;

use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

pub(super) use self::examples::Suitability;
use self::keys::{Action, KEYS, NAME_TAKEN, TYPING};
use super::prompt_text::PromptText;
use crate::component::{Component, Cx, Find, FindBar, Handled, Hint, Motion, RenderContext, Session};
use crate::record::{CompletionParams, Id, Preset};
use crate::text::Untrusted;
use crate::ui::line::Line;
use crate::ui::list::Cursor;

/// More rows than this are filtered with `/`.
const FEW: usize = 10;

/// What a key in the list asks of its owner.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Event {
    /// Put this prompt with its settings into use, then say so with [`Presets::loaded`].
    Load(Box<Preset>),
    /// Keep the prompt and settings in use under this name: over that preset, or as a new one. Then [`Presets::put`] it.
    Save(Untrusted, Option<Id>),
    /// This preset of the list is another one now, or back: record it.
    Keep(Box<Preset>),
    /// This preset left the list: delete it.
    Gone(Id),
    /// The cursor goes on above the first row.
    Above,
    /// The list is done with.
    Close,
}

/// What is being typed or asked.
#[derive(Clone, Debug)]
enum PresetPrompt {
    /// A name for what is in use.
    Name(Line),
    /// The name is taken: by which preset.
    NameTaken(Untrusted, Id),
    /// Another name for this preset.
    Rename(Id, Line),
}

/// The list: the user's own by name, then the examples.
#[derive(Clone, Debug)]
pub(super) struct Presets {
    /// By name.
    own: Vec<Preset>,
    examples: Vec<Preset>,
    /// The models they are ordered for.
    suits: Suitability,
    cursor: Cursor,
    find: FindBar,
    prompt: Option<PresetPrompt>,
    loaded: Option<Id>,
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

impl Default for Presets {
    fn default() -> Self {
        Self {
            own: Vec::new(),
            examples: examples::all(&Suitability::default()),
            suits: Suitability::default(),
            cursor: Cursor::default(),
            find: FindBar::default(),
            prompt: None,
            loaded: None,
            edited: false,
            focus: false,
            compared: None,
            gone: None,
            note: None,
        }
    }
}

/// Whether what is in use is other than a preset has it. A preset without a model goes with any.
fn differs(preset: &Preset, text: &str, params: &CompletionParams, model: &Untrusted) -> bool {
    preset.prompt != *text || preset.params != *params || !(preset.model.is_empty() || preset.model == *model)
}

impl Presets {
    /// Takes the user's presets as the store has them.
    pub(super) fn fill(&mut self, mut presets: Vec<Preset>) {
        presets.sort_by_cached_key(key);
        // On the first row it stays there: the user's own come above the examples.
        let here = self.here().map(|preset| preset.id).filter(|_| self.cursor.selected > 0);
        self.own = presets;
        self.point(here);
    }

    /// Offers the examples in the order that suits the models in use.
    pub(super) fn suit(&mut self, suits: Suitability) {
        if self.suits != suits {
            let here = self.here().map(|preset| preset.id).filter(|_| self.cursor.selected > 0);
            self.examples = examples::all(&suits);
            self.suits = suits;
            self.point(here);
        }
    }

    /// Takes a preset that was saved: it is the one loaded now, as it is.
    pub(super) fn put(&mut self, preset: Preset) {
        let id = preset.id;
        self.insert(preset);
        self.loaded(Some(id));
        self.find.clear();
        self.point(Some(id));
    }

    /// Sets the preset in use; `None`: none is.
    pub(super) fn loaded(&mut self, id: Option<Id>) {
        self.loaded = id;
        self.edited = false;
    }

    /// Returns the preset loaded last, while it is in the list.
    pub(super) fn in_use(&self) -> Option<&Preset> {
        let id = self.loaded?;
        self.all().find(|preset| preset.id == id)
    }

    /// Notes whether what the user wrote, or set, is other than the preset loaded last has it; what models wrote is not.
    pub(super) fn mark_edited(&mut self, text: &PromptText, params: &CompletionParams, model: &Untrusted) {
        if self.compared.as_ref().is_some_and(|(at, with, of)| (*at, with, of) == (text.revision, params, model)) {
            return;
        }
        let Some(preset) = self.in_use() else { return };
        // A text of another length is another.
        let same = preset.prompt.len() + text.generated() == text.buffer.len();
        self.edited = !same || differs(preset, &text.written(), params, model);
        self.compared = Some((text.revision, params.clone(), model.clone()));
    }

    /// Returns the example to start from where there is no text yet.
    pub(super) fn first(&self) -> &Preset {
        &self.examples[0]
    }

    /// Asks for a name to keep what is in use under.
    pub(super) fn save(&mut self) {
        let name = self.in_use().map(|preset| Line::edit(&preset.name)).unwrap_or_default();
        self.prompt = Some(PresetPrompt::Name(name));
    }

    /// Puts the cursor on the first row, or the last.
    pub(super) fn enter(&mut self, last: bool) {
        self.cursor.selected = if last { self.rows().count().saturating_sub(1) } else { 0 };
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
            None => return self.find.paste(text),
        }
        true
    }

    /// Handles a key.
    pub(super) fn handle(&mut self, key: KeyEvent) -> Handled<Event> {
        self.note = None;
        if self.prompt.is_none() && self.find.is_typing() {
            match self.find.key(key) {
                Find::Move(motion) => self.cursor.by(motion.rows(1), self.rows().count()),
                Find::Changed => self.cursor = Cursor::default(),
                Find::Cleared | Find::Done | Find::Ignored => {}
            }
            return Handled::Consumed;
        }
        match self.prompt.take() {
            Some(PresetPrompt::NameTaken(name, id)) => self.resolve(name, id, key),
            Some(prompt) => self.type_key(prompt, key),
            None => self.list_key(key),
        }
    }

    fn list_key(&mut self, key: KeyEvent) -> Handled<Event> {
        let count = self.rows().count();
        match KEYS.find(&key) {
            Some(Action::Move(Motion::HalfUp | Motion::HalfDown)) => return Handled::Ignored,
            Some(Action::Move(Motion::Up)) if self.cursor.selected == 0 => return Handled::Emit(Event::Above),
            Some(Action::Move(motion)) => self.cursor.by(motion.rows(FEW + 1), count),
            Some(Action::Load) => {
                return self
                    .here()
                    .map_or(Handled::Consumed, |preset| Handled::Emit(Event::Load(Box::new(preset.clone()))));
            }
            Some(Action::Save) => self.save(),
            Some(Action::Rename) => self.rename(),
            Some(Action::Delete) => return self.delete(),
            Some(Action::Undelete) => return self.undelete(),
            Some(Action::Filter) if !self.is_short() => self.find.open(),
            Some(Action::Escape) if self.find.is_shown() => {
                let here = self.here().map(|preset| preset.id);
                self.find.clear();
                self.point(here);
            }
            Some(Action::Escape) => return Handled::Emit(Event::Close),
            _ => return Handled::Ignored,
        }
        Handled::Consumed
    }

    /// Handles a key while a line is typed.
    fn type_key(&mut self, mut prompt: PresetPrompt, key: KeyEvent) -> Handled<Event> {
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
    fn resolve(&mut self, name: Untrusted, id: Id, key: KeyEvent) -> Handled<Event> {
        match NAME_TAKEN.find(&key) {
            Some(Action::Replace) => return Handled::Emit(Event::Save(name, Some(id))),
            Some(Action::KeepBoth) => return Handled::Emit(Event::Save(self.beside(&name), None)),
            Some(_) => {}
            None => self.prompt = Some(PresetPrompt::NameTaken(name, id)),
        }
        Handled::Consumed
    }

    /// Takes a name that was typed for what is in use.
    fn named(&mut self, line: Line) -> Handled<Event> {
        let name = Untrusted::new(line.text().trim());
        if name.is_empty() {
            self.prompt = Some(PresetPrompt::Name(line));
            self.note = Some("a preset needs a name".into());
            return Handled::Consumed;
        }
        match self.called(&name) {
            Some(id) => {
                self.prompt = Some(PresetPrompt::NameTaken(name, id));
                Handled::Consumed
            }
            None => Handled::Emit(Event::Save(name, None)),
        }
    }

    fn rename(&mut self) {
        match self.here().map(|preset| (preset.id, preset.name.clone())) {
            Some((id, name)) if !examples::is(id) => self.prompt = Some(PresetPrompt::Rename(id, Line::edit(&name))),
            Some(_) => self.note = Some("examples cannot be changed; S saves a copy under your own name".into()),
            None => {}
        }
    }

    fn renamed(&mut self, id: Id, line: Line) -> Handled<Event> {
        let name = Untrusted::new(line.text().trim());
        let why = match self.called(&name) {
            _ if name.is_empty() => Some("a preset needs a name"),
            Some(other) if other != id => Some("another preset has this name"),
            _ => None,
        };
        if let Some(why) = why {
            self.note = Some(why.into());
            self.prompt = Some(PresetPrompt::Rename(id, line));
            return Handled::Consumed;
        }
        let Some(mut preset) = self.own.iter().find(|preset| preset.id == id).cloned() else {
            return Handled::Consumed;
        };
        preset.name = name;
        self.insert(preset.clone());
        self.point(Some(id));
        Handled::Emit(Event::Keep(Box::new(preset)))
    }

    fn delete(&mut self) -> Handled<Event> {
        let Some(id) = self.here().map(|preset| preset.id) else { return Handled::Consumed };
        let Some(at) = self.own.iter().position(|preset| preset.id == id) else {
            self.note = Some("examples cannot be deleted, only your own presets".into());
            return Handled::Consumed;
        };
        let preset = self.own.remove(at);
        self.note = Some(format!("deleted “{}” · u restores it", preset.name.line()).into());
        self.gone = Some(Box::new(preset));
        Handled::Emit(Event::Gone(id))
    }

    fn undelete(&mut self) -> Handled<Event> {
        let Some(preset) = self.gone.take() else {
            self.note = Some("nothing was deleted".into());
            return Handled::Consumed;
        };
        let id = preset.id;
        self.insert((*preset).clone());
        self.point(Some(id));
        Handled::Emit(Event::Keep(preset))
    }

    /// Puts it where its name belongs, in place of what had its id.
    fn insert(&mut self, preset: Preset) {
        self.own.retain(|other| other.id != preset.id);
        let of = key(&preset);
        let at = self.own.partition_point(|other| key(other) <= of);
        self.own.insert(at, preset);
    }

    /// Returns the user's preset of a name, whatever the case of its letters.
    fn called(&self, name: &Untrusted) -> Option<Id> {
        let name = folded(name);
        self.own.iter().find(|preset| folded(&preset.name) == name).map(|preset| preset.id)
    }

    /// Returns the name with the first number that makes it a new one.
    fn beside(&self, name: &Untrusted) -> Untrusted {
        let names = (2..).map(|number| {
            let mut other = name.clone();
            other.push(&format!(" ({number})"));
            other
        });
        names.into_iter().find(|name| self.called(name).is_none()).unwrap_or_else(|| name.clone())
    }

    fn all(&self) -> impl Iterator<Item = &Preset> {
        self.own.iter().chain(&self.examples)
    }

    /// Returns the presets that the filter leaves.
    fn rows(&self) -> impl Iterator<Item = &Preset> {
        let words = folded(&self.find.words().into());
        self.all().filter(move |preset| words.is_empty() || folded(&preset.name).contains(&words))
    }

    fn here(&self) -> Option<&Preset> {
        self.rows().nth(self.cursor.selected)
    }

    fn point(&mut self, id: Option<Id>) {
        let at = self.rows().position(|preset| Some(preset.id) == id);
        self.cursor.selected = at.unwrap_or(self.cursor.selected);
    }

    /// Whether all rows are seen without a filter.
    fn is_short(&self) -> bool {
        self.all().count() <= FEW
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

/// Returns what the list is sorted by.
fn key(preset: &Preset) -> (String, Id) {
    (folded(&preset.name), preset.id)
}
