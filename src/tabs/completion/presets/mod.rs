//! Prompts with their settings under a name, and examples to start from.

mod draw;
mod examples;
#[cfg(test)]
mod tests;

use std::cell::Cell;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::prompt_text::PromptText;
use crate::component::Hint;
use crate::record::{CompletionParams, Id, Preset};
use crate::text::Untrusted;
use crate::ui::line::Line;
use crate::ui::list::Cursor;

/// More rows than this are filtered with `/`.
const FEW: usize = 10;

/// What a key in the list asks of its owner.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Event {
    /// Nothing.
    None,
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
    /// The key means nothing here.
    Ignored,
}

/// What is being typed or asked.
#[derive(Clone, Debug)]
enum Asking {
    /// Words to filter by.
    Filter(Line),
    /// A name for what is in use.
    Name(Line),
    /// The name is taken: by which preset.
    Clash(Untrusted, Id),
    /// Another name for this preset.
    Rename(Id, Line),
}

/// The list: the user's own by name, then the examples.
#[derive(Clone, Debug)]
pub(super) struct Presets {
    /// By name.
    own: Vec<Preset>,
    examples: Vec<Preset>,
    /// Whether they are for the local service's models.
    local: bool,
    cursor: Cursor,
    /// First row of the last frame: the rows move no more than they must.
    top: Cell<usize>,
    filter: Untrusted,
    asking: Option<Asking>,
    loaded: Option<Id>,
    edited: bool,
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
            examples: examples::all(false),
            local: false,
            cursor: Cursor::default(),
            top: Cell::new(0),
            filter: Untrusted::default(),
            asking: None,
            loaded: None,
            edited: false,
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
    pub(super) fn suit(&mut self, local: bool) {
        if self.local != local {
            let here = self.here().map(|preset| preset.id).filter(|_| self.cursor.selected > 0);
            self.local = local;
            self.examples = examples::all(local);
            self.point(here);
        }
    }

    /// Takes a preset that was saved: it is the one loaded now, as it is.
    pub(super) fn put(&mut self, preset: Preset) {
        let id = preset.id;
        self.insert(preset);
        self.loaded(Some(id));
        self.filter.clear();
        self.point(Some(id));
    }

    /// The preset in use became this one; `None`: none is.
    pub(super) fn loaded(&mut self, id: Option<Id>) {
        self.loaded = id;
        self.edited = false;
    }

    /// The preset loaded last, while it is in the list.
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

    /// The example to start from where there is no text yet.
    pub(super) fn first(&self) -> &Preset {
        &self.examples[0]
    }

    /// Asks for a name to keep what is in use under.
    pub(super) fn save(&mut self) {
        let name = self.in_use().map(|preset| Line::edit(&preset.name)).unwrap_or_default();
        self.asking = Some(Asking::Name(name));
    }

    /// Puts the cursor on the first row, or the last.
    pub(super) fn enter(&mut self, last: bool) {
        self.cursor.selected = if last { self.rows().count().saturating_sub(1) } else { 0 };
    }

    /// Whether letters are typed, or a question is asked.
    pub(super) fn typing(&self) -> bool {
        self.asking.is_some()
    }

    /// Whether Esc has something to undo here before it leaves.
    pub(super) fn holds(&self) -> bool {
        self.typing() || !self.filter.is_empty()
    }

    /// Pastes into what is being typed. Whether anything is.
    pub(super) fn paste(&mut self, text: &str) -> bool {
        match &mut self.asking {
            Some(Asking::Filter(line)) => {
                line.paste(text);
                self.filter = line.text().into();
            }
            Some(Asking::Name(line) | Asking::Rename(_, line)) => line.paste(text),
            Some(Asking::Clash(..)) => {}
            None => return false,
        }
        true
    }

    /// A key.
    pub(super) fn key(&mut self, key: KeyEvent) -> Event {
        self.note = None;
        match self.asking.take() {
            Some(asking) => self.answer(asking, key),
            None => self.browse(key),
        }
    }

    fn browse(&mut self, key: KeyEvent) -> Event {
        if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
            return Event::Ignored;
        }
        let count = self.rows().count();
        match key.code {
            KeyCode::Char('k') | KeyCode::Up if self.cursor.selected == 0 => return Event::Above,
            KeyCode::Char('j') | KeyCode::Down => self.cursor.by(1, count),
            KeyCode::Char('k') | KeyCode::Up => self.cursor.by(-1, count),
            KeyCode::PageDown => self.cursor.by(FEW as isize, count),
            KeyCode::PageUp => self.cursor.by(-(FEW as isize), count),
            KeyCode::Char('g') | KeyCode::Home => self.cursor.by(isize::MIN, count),
            KeyCode::Char('G') | KeyCode::End => self.cursor.by(isize::MAX, count),
            KeyCode::Enter => {
                return self.here().map_or(Event::None, |preset| Event::Load(Box::new(preset.clone())));
            }
            KeyCode::Char('S') => self.save(),
            KeyCode::Char('e') => self.rename(),
            KeyCode::Char('x') | KeyCode::Delete => return self.delete(),
            KeyCode::Char('u') => return self.undelete(),
            KeyCode::Char('/') if self.all().count() > FEW => {
                self.asking = Some(Asking::Filter(Line::edit(&self.filter)));
            }
            KeyCode::Esc if !self.filter.is_empty() => {
                let here = self.here().map(|preset| preset.id);
                self.filter.clear();
                self.point(here);
            }
            KeyCode::Esc => return Event::Close,
            _ => return Event::Ignored,
        }
        Event::None
    }

    fn answer(&mut self, asking: Asking, key: KeyEvent) -> Event {
        match (asking, key.code) {
            (Asking::Filter(_), KeyCode::Esc) => self.filter.clear(),
            (_, KeyCode::Esc) | (Asking::Filter(_), KeyCode::Enter) => {}
            (Asking::Filter(line), KeyCode::Down | KeyCode::Up) => {
                let rows = if key.code == KeyCode::Down { 1 } else { -1 };
                self.cursor.by(rows, self.rows().count());
                self.asking = Some(Asking::Filter(line));
            }
            (Asking::Filter(mut line), _) => {
                if line.key(key) {
                    self.filter = line.text().into();
                    self.cursor = Cursor::default();
                }
                self.asking = Some(Asking::Filter(line));
            }
            (Asking::Name(line), KeyCode::Enter) => return self.named(line),
            (Asking::Rename(id, line), KeyCode::Enter) => return self.renamed(id, line),
            (Asking::Name(mut line), _) => {
                line.key(key);
                self.asking = Some(Asking::Name(line));
            }
            (Asking::Rename(id, mut line), _) => {
                line.key(key);
                self.asking = Some(Asking::Rename(id, line));
            }
            (Asking::Clash(name, id), KeyCode::Char('r')) => return Event::Save(name, Some(id)),
            (Asking::Clash(name, _), KeyCode::Char('b')) => return Event::Save(self.beside(&name), None),
            (clash @ Asking::Clash(..), _) => self.asking = Some(clash),
        }
        Event::None
    }

    /// A name was typed for what is in use.
    fn named(&mut self, line: Line) -> Event {
        let name = Untrusted::new(line.text().trim());
        if name.is_empty() {
            self.asking = Some(Asking::Name(line));
            self.note = Some("a preset needs a name".into());
            return Event::None;
        }
        match self.called(&name) {
            Some(id) => {
                self.asking = Some(Asking::Clash(name, id));
                Event::None
            }
            None => Event::Save(name, None),
        }
    }

    fn rename(&mut self) {
        match self.here().map(|preset| (preset.id, preset.name.clone())) {
            Some((id, name)) if !examples::is(id) => self.asking = Some(Asking::Rename(id, Line::edit(&name))),
            Some(_) => self.note = Some("examples stay as they are; S saves one under a name of yours".into()),
            None => {}
        }
    }

    fn renamed(&mut self, id: Id, line: Line) -> Event {
        let name = Untrusted::new(line.text().trim());
        let why = match self.called(&name) {
            _ if name.is_empty() => Some("a preset needs a name"),
            Some(other) if other != id => Some("another preset has this name"),
            _ => None,
        };
        if let Some(why) = why {
            self.note = Some(why.into());
            self.asking = Some(Asking::Rename(id, line));
            return Event::None;
        }
        let Some(mut preset) = self.own.iter().find(|preset| preset.id == id).cloned() else { return Event::None };
        preset.name = name;
        self.insert(preset.clone());
        self.point(Some(id));
        Event::Keep(Box::new(preset))
    }

    fn delete(&mut self) -> Event {
        let Some(id) = self.here().map(|preset| preset.id) else { return Event::None };
        let Some(at) = self.own.iter().position(|preset| preset.id == id) else {
            self.note = Some("examples stay; only presets of yours are deleted".into());
            return Event::None;
        };
        let preset = self.own.remove(at);
        self.note = Some(format!("deleted “{}” · u brings it back", preset.name.line()).into());
        self.gone = Some(Box::new(preset));
        Event::Gone(id)
    }

    fn undelete(&mut self) -> Event {
        let Some(preset) = self.gone.take() else {
            self.note = Some("nothing was deleted".into());
            return Event::None;
        };
        let id = preset.id;
        self.insert((*preset).clone());
        self.point(Some(id));
        Event::Keep(preset)
    }

    /// Puts it where its name belongs, in place of what had its id.
    fn insert(&mut self, preset: Preset) {
        self.own.retain(|other| other.id != preset.id);
        let of = key(&preset);
        let at = self.own.partition_point(|other| key(other) <= of);
        self.own.insert(at, preset);
    }

    /// The user's preset of a name, whatever the case of its letters.
    fn called(&self, name: &Untrusted) -> Option<Id> {
        let name = folded(name);
        self.own.iter().find(|preset| folded(&preset.name) == name).map(|preset| preset.id)
    }

    /// The name with the first number that makes it a new one.
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

    /// What the filter leaves.
    fn rows(&self) -> impl Iterator<Item = &Preset> {
        let words = folded(&self.filter);
        self.all().filter(move |preset| words.is_empty() || folded(&preset.name).contains(&words))
    }

    fn here(&self) -> Option<&Preset> {
        self.rows().nth(self.cursor.selected)
    }

    fn point(&mut self, id: Option<Id>) {
        let at = self.rows().position(|preset| Some(preset.id) == id);
        self.cursor.selected = at.unwrap_or(self.cursor.selected);
    }

    /// What the keys do here.
    pub(super) fn hints(&self) -> Vec<Hint> {
        let hint = Hint::new;
        match &self.asking {
            Some(Asking::Filter(_)) => vec![hint("⏎", "done"), hint("esc", "show all")],
            Some(Asking::Name(_)) => vec![hint("⏎", "save"), hint("esc", "cancel")],
            Some(Asking::Rename(..)) => vec![hint("⏎", "rename"), hint("esc", "cancel")],
            Some(Asking::Clash(..)) => vec![hint("r", "replace"), hint("b", "keep both"), hint("esc", "cancel")],
            None => {
                let mut hints = vec![hint("⏎", "load"), hint("S", "save")];
                if self.here().is_some_and(|preset| !examples::is(preset.id)) {
                    hints.extend([hint("e", "rename"), hint("x", "delete")]);
                }
                if self.gone.is_some() {
                    hints.push(hint("u", "undo delete"));
                }
                if self.all().count() > FEW {
                    hints.push(hint("/", "filter"));
                }
                hints
            }
        }
    }
}

/// A name as it is compared.
fn folded(name: &Untrusted) -> String {
    name.line().trim().to_lowercase()
}

/// The order of the list.
fn key(preset: &Preset) -> (String, Id) {
    (folded(&preset.name), preset.id)
}
