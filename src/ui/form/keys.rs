//! The keys of a form.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{Event, Form, Kind};
use crate::ui::text_field::TextField;

impl Form {
    /// Handles a key.
    pub fn key(&mut self, key: KeyEvent) -> Event {
        if self.typing() { self.typed_key(key) } else { self.command_key(key) }
    }

    /// Handles a key while a value is being typed.
    fn typed_key(&mut self, key: KeyEvent) -> Event {
        let (Some(field), Some(line)) = (self.fields.get(self.cursor.selected), &mut self.typing) else {
            return Event::Ignored;
        };
        match key.code {
            KeyCode::Esc => {
                self.typing = None;
                self.error = None;
                Event::None
            }
            KeyCode::Enter => {
                let text = line.text().to_owned();
                match field.check(&text) {
                    Ok(()) => Event::Change(field.name, text),
                    Err(why) => {
                        self.error = Some(why.into());
                        Event::None
                    }
                }
            }
            _ => {
                if std::mem::take(&mut self.fresh) && matches!(key.code, KeyCode::Char(_)) && key.modifiers.is_empty() {
                    *line = TextField::default();
                }
                line.key(key);
                self.error = None;
                Event::None
            }
        }
    }

    /// Handles a key that moves the cursor, or changes a value without typing it.
    fn command_key(&mut self, key: KeyEvent) -> Event {
        let Some(field) = self.fields.get(self.cursor.selected) else { return Event::Ignored };
        // Ctrl+L is not `l`.
        if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
            return Event::Ignored;
        }
        let changes = matches!(
            key.code,
            KeyCode::Char('l' | '+' | 'h' | '-' | ' ' | '0' | 'i')
                | KeyCode::Right
                | KeyCode::Left
                | KeyCode::Enter
                | KeyCode::Delete
                | KeyCode::Backspace
        );
        if let (true, Some(why)) = (changes, self.locked) {
            self.error = Some(why.into());
            return Event::None;
        }
        let step = |way| field.stepped(way).map_or(Event::None, |value| Event::Change(field.name, value));
        match key.code {
            KeyCode::Esc => Event::Close,
            KeyCode::Char('j') | KeyCode::Down => self.walk(1),
            KeyCode::Char('k') | KeyCode::Up => self.walk(-1),
            KeyCode::Char('g') | KeyCode::Home => self.walk(isize::MIN),
            KeyCode::Char('G') | KeyCode::End => self.walk(isize::MAX),
            KeyCode::Char('l' | '+') | KeyCode::Right => step(1.0),
            KeyCode::Char('h' | '-') | KeyCode::Left => step(-1.0),
            KeyCode::Char(' ') | KeyCode::Enter if field.kind == Kind::Toggle => step(1.0),
            KeyCode::Char('0' | 'i') | KeyCode::Delete | KeyCode::Backspace | KeyCode::Enter
                if field.kind == Kind::Shown =>
            {
                Event::None
            }
            KeyCode::Char('0') | KeyCode::Delete | KeyCode::Backspace => Event::Change(field.name, String::new()),
            KeyCode::Enter if field.kind == Kind::Long => Event::Ask(field.name),
            KeyCode::Enter | KeyCode::Char('i') if field.kind == Kind::Choice => Event::Ask(field.name),
            KeyCode::Enter | KeyCode::Char('i') => {
                self.typing = Some(TextField::new(field.value.clone()));
                self.fresh = matches!(field.kind, Kind::Number { .. });
                Event::None
            }
            _ => Event::Ignored,
        }
    }

    /// Moves the cursor by rows and removes the refusal.
    fn walk(&mut self, rows: isize) -> Event {
        self.cursor.by(rows, self.fields.len());
        self.error = None;
        Event::None
    }
}
