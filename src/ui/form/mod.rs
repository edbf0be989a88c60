//! Labelled values with bounds: stepped with `h` `l`, typed after Enter, reset with `0`. Some rows are read-only, and
//! some values are chosen or written elsewhere.

mod draw;
mod field;
mod keys;
#[cfg(test)]
mod tests;

pub use field::{Field, Kind};
pub(in crate::ui) use keys::listed_keys;
pub use keys::{FORM, FormKey};

use super::list::Cursor;
use super::text_field::TextField;
use crate::text::Untrusted;

/// What a key did to a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Nothing for the owner.
    None,
    /// A value should become this (the field's name, the text); the owner checks further and calls [`Form::set`].
    Change(&'static str, String),
    /// The value of this field is to be chosen or edited elsewhere.
    Ask(&'static str),
    /// The form is to be closed.
    Close,
    /// The key has no function here.
    Ignored,
}

/// A column of fields.
#[derive(Clone, Debug)]
pub struct Form {
    /// The fields, top to bottom.
    pub fields: Vec<Field>,
    cursor: Cursor,
    typing: Option<TextField>,
    /// Whether nothing was typed yet: typing then replaces a number, which is rarely appended to.
    fresh: bool,
    error: Option<Untrusted>,
    /// Fields with a remark about their value.
    notes: Vec<(&'static str, String)>,
    /// Fields that are not sent unchanged, and why.
    left_out: Vec<(&'static str, String)>,
    /// Summaries of values that are too long for their rows.
    summaries: Vec<(&'static str, String)>,
    /// Why nothing may be changed now.
    locked: Option<&'static str>,
}

impl Form {
    /// Creates a form of fields.
    pub fn new(fields: Vec<Field>) -> Self {
        Self {
            fields,
            cursor: Cursor::default(),
            typing: None,
            fresh: false,
            error: None,
            notes: Vec::new(),
            left_out: Vec::new(),
            summaries: Vec::new(),
            locked: None,
        }
    }

    /// Moves the cursor to a field.
    pub fn select(&mut self, name: &str) {
        if let Some(at) = self.fields.iter().position(|field| field.name == name) {
            self.cursor.selected = at;
        }
    }

    /// Returns the name of the field under the cursor.
    pub fn selected(&self) -> Option<&'static str> {
        self.fields.get(self.cursor.selected).map(|field| field.name)
    }

    /// Returns the kind of the field under the cursor.
    pub fn kind(&self) -> Option<Kind> {
        self.fields.get(self.cursor.selected).map(|field| field.kind)
    }

    /// Returns whether a value is being typed.
    pub fn typing(&self) -> bool {
        self.typing.is_some()
    }

    /// Sets a value that the owner accepted; ends typing and removes the refusal.
    pub fn set(&mut self, name: &str, value: String) {
        if let Some(field) = self.fields.iter_mut().find(|field| field.name == name) {
            field.value = value;
        }
        self.typing = None;
        self.error = None;
    }

    /// Sets the value that a field shows, changed by other means than a key: what is being typed and what was refused
    /// stay.
    pub fn show(&mut self, name: &str, value: String) {
        if let Some(field) = self.fields.iter_mut().find(|field| field.name == name) {
            field.value = value;
        }
    }

    /// Shows that the value of a field was refused: the cursor moves there, unless another one is being typed, and the
    /// sentence is below the form until the next key that changes something.
    pub fn refuse(&mut self, name: &str, why: impl Into<Untrusted>) {
        if !self.typing() {
            self.select(name);
        }
        self.error = Some(why.into());
    }

    /// Refuses what was typed as the value of a field; `why`: what the field takes, said after its label.
    pub fn refuse_value(&mut self, name: &str, why: &str) {
        self.refuse(name, format!("{} {why}", self.label(name)));
    }

    /// Returns the label of a field.
    pub fn label<'a>(&self, name: &'a str) -> &'a str {
        self.fields.iter().find(|field| field.name == name).map_or(name, |field| field.label)
    }

    /// Returns whether a refusal is shown.
    pub fn is_refused(&self) -> bool {
        self.error.is_some()
    }

    /// Removes a refusal whose reason no longer applies.
    pub fn clear_refusal(&mut self) {
        if !self.typing() {
            self.error = None;
        }
    }

    /// Sets notes on the values of fields, by name: a `!` precedes each, and the words are below while the cursor is
    /// there. Unlike a refusal they stay until they are set again.
    pub fn set_notes(&mut self, notes: Vec<(&'static str, String)>) {
        self.notes = notes;
    }

    /// Sets which fields are omitted or sent by another name, and why; shown for fields without a note.
    pub fn set_left_out(&mut self, left_out: Vec<(&'static str, String)>) {
        self.left_out = left_out;
    }

    /// Returns the note on a field.
    fn note_of(&self, name: &str) -> Option<&str> {
        let mut notes = self.notes.iter().chain(&self.left_out);
        notes.find(|(of, _)| *of == name).map(|(_, note)| note.as_str())
    }

    /// Sets words that are shown instead of values too long for a row, by name.
    pub fn set_summaries(&mut self, summaries: Vec<(&'static str, String)>) {
        self.summaries = summaries;
    }

    /// Returns what is shown for a field's value on one line.
    pub fn summary<'a>(&'a self, field: &'a Field) -> &'a str {
        let summary = self.summaries.iter().find(|(name, _)| *name == field.name && !field.value.is_empty());
        summary.map_or(&field.value, |(_, words)| words)
    }

    /// Locks the form while there is a reason: nothing can be changed, and a key that would shows the reason.
    pub fn lock(&mut self, why: Option<&'static str>) {
        self.locked = why;
        if why.is_some() {
            self.typing = None;
        }
    }

    /// Pastes into the value being typed. Returns whether one is.
    pub fn paste(&mut self, text: &str) -> bool {
        let Some(line) = &mut self.typing else { return false };
        if std::mem::take(&mut self.fresh) {
            *line = TextField::default();
        }
        line.paste(text);
        true
    }
}
