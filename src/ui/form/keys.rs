//! The keys of a form.

use std::sync::LazyLock;

use crossterm::event::KeyEvent;

use super::{Event, Form, Kind};
use crate::ui::editing::typed;
use crate::ui::key_table::{KeyContext, KeyTable, ListedKeys};
use crate::ui::keys::Keymap;
use crate::ui::text_field::TextField;

/// What a key does while no value is being typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormKey {
    /// Selects the next field.
    Next,
    /// Selects the field before.
    Previous,
    /// Selects the first field.
    First,
    /// Selects the last field.
    Last,
    /// One step less, or the other value of a toggle.
    Less,
    /// One step more, or the other value of a toggle.
    More,
    /// Starts typing, switches a toggle, or asks the owner for a picker or an editor.
    Enter,
    /// Starts typing, also where Enter opens an editor.
    Type,
    /// Switches a toggle.
    Switch,
    /// Resets the value to the default.
    Reset,
    /// Closes the form.
    Close,
}

impl FormKey {
    const ALL: [Self; 11] = [
        Self::Next,
        Self::Previous,
        Self::First,
        Self::Last,
        Self::Less,
        Self::More,
        Self::Enter,
        Self::Type,
        Self::Switch,
        Self::Reset,
        Self::Close,
    ];

    /// Returns its keys as a keymap has them, the one that is shown first.
    pub fn keys(self) -> &'static str {
        match self {
            Self::Next => "j down",
            Self::Previous => "k up",
            Self::First => "g home",
            Self::Last => "G end",
            Self::Less => "h left -",
            Self::More => "l right +",
            Self::Enter => "enter",
            Self::Type => "i",
            Self::Switch => "space",
            Self::Reset => "0 delete backspace",
            Self::Close => "esc",
        }
    }

    /// Returns what it does, for the list of all keys.
    fn does(self) -> &'static str {
        match self {
            Self::Next => "next field",
            Self::Previous => "previous field",
            Self::First => "first field",
            Self::Last => "last field",
            Self::Less => "one step less",
            Self::More => "one step more",
            Self::Enter => "type the value, or choose it",
            Self::Type => "type the value in its row",
            Self::Switch => "the other value of a switch",
            Self::Reset => "reset to the default",
            Self::Close => "close",
        }
    }

    /// Returns its name in the file of key bindings and, where a pair of keys begins with it, that of the other.
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Self::Next => &["next", "previous"],
            Self::Previous => &["previous"],
            Self::First => &["first", "last"],
            Self::Last => &["last"],
            Self::Less => &["less", "more"],
            Self::More => &["more"],
            Self::Enter => &["enter"],
            Self::Type => &["type"],
            Self::Switch => &["switch"],
            Self::Reset => &["reset"],
            Self::Close => &["close"],
        }
    }

    /// Returns whether it changes a value, or begins to.
    fn changes(self) -> bool {
        matches!(self, Self::Less | Self::More | Self::Enter | Self::Type | Self::Switch | Self::Reset)
    }
}

/// The name of the context in the file of key bindings.
pub const FORM: &str = "form";

static FORM_KEYS: LazyLock<KeyTable<FormKey>> = LazyLock::new(|| {
    let keymap = Keymap::new(&FormKey::ALL.map(|key| (key.keys(), key, key.does())));
    KeyTable::new(KeyContext::new(FORM).ignoring_shift(), keymap)
});

/// What a key does while a value is being typed; all others edit it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TypingKey {
    Accept,
    Cancel,
}

static TYPING_KEYS: LazyLock<KeyTable<TypingKey>> = LazyLock::new(|| {
    let accept = ("enter alt-enter ctrl-enter", TypingKey::Accept, "use the value");
    let keymap = Keymap::new(&[accept, ("esc", TypingKey::Cancel, "keep the value as it was")]);
    KeyTable::new(KeyContext::new("form-value").while_typing().ignoring_shift(), keymap)
});

/// Returns the keys of forms, for the list of all keys.
pub(in crate::ui) fn listed_keys() -> [ListedKeys; 2] {
    [FORM_KEYS.listed(|_| ""), TYPING_KEYS.listed(|_| "")]
}

impl Form {
    /// Handles a key.
    pub fn key(&mut self, key: KeyEvent) -> Event {
        if self.typing() {
            return self.typed_key(key);
        }
        FORM_KEYS.find(&key).map_or(Event::Ignored, |key| self.act(key))
    }

    /// Handles a key while a value is being typed.
    fn typed_key(&mut self, key: KeyEvent) -> Event {
        let (Some(field), Some(line)) = (self.fields.get(self.cursor.selected), &mut self.typing) else {
            return Event::Ignored;
        };
        match TYPING_KEYS.find(&key) {
            Some(TypingKey::Cancel) => {
                self.typing = None;
                self.error = None;
                Event::None
            }
            Some(TypingKey::Accept) => {
                let text = line.text().to_owned();
                match field.check(&text) {
                    Ok(()) => Event::Change(field.name, text),
                    Err(why) => {
                        self.error = Some(why.into());
                        Event::None
                    }
                }
            }
            None => {
                if std::mem::take(&mut self.fresh) && typed(&key).is_some() {
                    *line = TextField::default();
                }
                line.key(key);
                self.error = None;
                Event::None
            }
        }
    }

    /// Does what a key does that moves the cursor, or changes a value without typing it.
    pub fn act(&mut self, key: FormKey) -> Event {
        let Some(field) = self.fields.get(self.cursor.selected) else { return Event::Ignored };
        if let (true, Some(why)) = (key.changes(), self.locked) {
            self.error = Some(why.into());
            return Event::None;
        }
        let step = |way| field.stepped(way).map_or(Event::None, |value| Event::Change(field.name, value));
        match key {
            FormKey::Close => Event::Close,
            FormKey::Next => self.move_rows(1),
            FormKey::Previous => self.move_rows(-1),
            FormKey::First => self.move_rows(isize::MIN),
            FormKey::Last => self.move_rows(isize::MAX),
            FormKey::More => step(1.0),
            FormKey::Less => step(-1.0),
            FormKey::Switch | FormKey::Enter if field.kind == Kind::Toggle => step(1.0),
            FormKey::Switch => Event::Ignored,
            FormKey::Reset | FormKey::Type | FormKey::Enter if field.kind == Kind::Shown => Event::None,
            FormKey::Reset => Event::Change(field.name, String::new()),
            FormKey::Enter if field.kind == Kind::Long => Event::Ask(field.name),
            FormKey::Enter | FormKey::Type if field.kind == Kind::Choice => Event::Ask(field.name),
            FormKey::Enter | FormKey::Type => {
                self.typing = Some(TextField::new(field.value.clone()));
                self.fresh = matches!(field.kind, Kind::Number { .. });
                Event::None
            }
        }
    }

    /// Returns what Enter does to the selected field, in a word.
    pub fn enter_label(&self) -> &'static str {
        match self.kind() {
            _ if self.typing() => "done",
            Some(Kind::Toggle) => "switch",
            Some(Kind::Choice) => "choose",
            Some(Kind::Long) => "$EDITOR",
            Some(Kind::Number { .. } | Kind::Text | Kind::Shown) | None => "type",
        }
    }

    /// Returns why the selected field has no steps now; `None`: it has some.
    pub fn why_no_steps(&self) -> Option<&'static str> {
        let number = matches!(self.kind(), Some(Kind::Number { .. }));
        self.why_typing().or((!number).then_some("this field is not a number"))
    }

    /// Returns why the selected field cannot be reset now; `None`: it can.
    pub fn why_no_default(&self) -> Option<&'static str> {
        self.why_typing().or_else(|| self.why_read_only())
    }

    /// Returns why the selected field cannot be changed; `None`: it can.
    pub fn why_read_only(&self) -> Option<&'static str> {
        matches!(self.kind(), Some(Kind::Shown) | None).then_some("this field is read-only")
    }

    /// Returns why typing the selected field in its row is not another thing than what Enter does; `None`: it is.
    pub fn why_not_long(&self) -> Option<&'static str> {
        self.why_typing().or((self.kind() != Some(Kind::Long)).then_some("enter types it"))
    }

    /// Returns why keys other than those that edit the value do nothing; `None`: no value is typed.
    pub fn why_typing(&self) -> Option<&'static str> {
        self.typing().then_some("a value is being typed")
    }

    /// Moves the cursor by rows and removes the refusal.
    fn move_rows(&mut self, rows: isize) -> Event {
        self.cursor.move_by(rows, self.fields.len());
        self.error = None;
        Event::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_means_two_things() {
        assert_eq!([FORM_KEYS.defaults().clashes(), TYPING_KEYS.defaults().clashes()].concat(), []);
    }
}
