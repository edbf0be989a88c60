//! Keys of the list of biases.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::change::{MOST, signed};
use super::{Ask, Biases, Event, Mode};
use crate::text::Untrusted;
use crate::ui::line::Line;

impl Biases {
    /// Takes a key.
    pub(crate) fn key(&mut self, key: KeyEvent) -> Event {
        let escape = key.code == KeyCode::Esc;
        let enter = key.code == KeyCode::Enter;
        match std::mem::replace(&mut self.mode, Mode::List) {
            Mode::List => return self.list_key(key),
            Mode::Add(_) | Mode::Value(_) | Mode::Clear if escape => self.note.clear(),
            Mode::Add(line) if enter => return self.submit(line),
            Mode::Add(mut line) => {
                if line.key(key) {
                    self.note.clear();
                }
                self.mode = Mode::Add(line);
            }
            Mode::Cutting(line, _) | Mode::Choose { line, .. } if escape => self.mode = Mode::Add(line),
            Mode::Cutting(line, text) => self.mode = Mode::Cutting(line, text),
            Mode::Choose { text, tokens, each, .. } if enter => {
                let most = if each { tokens.ids.len() } else { 1 };
                return self.add(&tokens, &text, most);
            }
            Mode::Choose { line, text, tokens, mut each } => {
                match key.code {
                    KeyCode::Up | KeyCode::Char('k') => each = true,
                    KeyCode::Down | KeyCode::Char('j') => each = false,
                    KeyCode::Tab | KeyCode::BackTab => each = !each,
                    _ => {}
                }
                self.mode = Mode::Choose { line, text, tokens, each };
            }
            Mode::Value(line) if enter => return self.typed(line),
            Mode::Value(mut line) => {
                if line.key(key) {
                    self.note.clear();
                }
                self.mode = Mode::Value(line);
            }
            Mode::Clear if enter || key.code == KeyCode::Char('X') => {
                self.rows.clear();
                self.cursor.selected = 0;
                return Event::Changed;
            }
            Mode::Clear => {}
        }
        Event::None
    }

    /// Takes a pasted text where one is typed.
    pub(crate) fn paste(&mut self, text: &str) {
        if let Mode::Add(line) | Mode::Value(line) = &mut self.mode {
            line.paste(text);
            self.note.clear();
        }
    }

    fn list_key(&mut self, key: KeyEvent) -> Event {
        if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
            return Event::None;
        }
        self.note.clear();
        let ten = if key.modifiers.contains(KeyModifiers::SHIFT) { 10.0 } else { 1.0 };
        let rows = self.rows.len();
        match key.code {
            KeyCode::Esc => return Event::Close,
            KeyCode::Char('a') => self.mode = Mode::Add(Line::default()),
            KeyCode::Down | KeyCode::Char('j') => self.cursor.by(1, rows),
            KeyCode::Up | KeyCode::Char('k') => self.cursor.by(-1, rows),
            KeyCode::PageDown => self.cursor.by(10, rows),
            KeyCode::PageUp => self.cursor.by(-10, rows),
            KeyCode::Char('g') | KeyCode::Home => self.cursor.selected = 0,
            KeyCode::Char('G') | KeyCode::End => self.cursor.selected = rows.saturating_sub(1),
            KeyCode::Char('h') => return self.step(-1.0),
            KeyCode::Char('l') => return self.step(1.0),
            KeyCode::Char('H') => return self.step(-10.0),
            KeyCode::Char('L') => return self.step(10.0),
            KeyCode::Left => return self.step(-ten),
            KeyCode::Right => return self.step(ten),
            KeyCode::Char('0' | 'x') | KeyCode::Delete if self.cursor.selected < rows => {
                self.rows.remove(self.cursor.selected);
                self.cursor.by(0, rows - 1);
                return Event::Changed;
            }
            KeyCode::Char('X') if rows > 0 => self.mode = Mode::Clear,
            KeyCode::Enter => match self.rows.get(self.cursor.selected) {
                Some((_, bias)) => self.mode = Mode::Value(Line::new(bias.to_string())),
                None => self.mode = Mode::Add(Line::default()),
            },
            _ => {}
        }
        Event::None
    }

    /// Changes the selected bias.
    fn step(&mut self, by: f64) -> Event {
        let Some((_, bias)) = self.rows.get_mut(self.cursor.selected) else { return Event::None };
        let before = std::mem::replace(bias, (*bias + by).clamp(-MOST, MOST));
        if before.total_cmp(bias).is_eq() { Event::None } else { Event::Changed }
    }

    /// A value was typed for the selected bias.
    fn typed(&mut self, line: Line) -> Event {
        let value = line.text().trim().replace('−', "-").parse::<f64>().ok();
        match (value.filter(|value| (-MOST..=MOST).contains(value)), self.rows.get_mut(self.cursor.selected)) {
            (Some(value), Some((_, bias))) => {
                *bias = value;
                Event::Changed
            }
            (None, Some(_)) => {
                self.note = format!("a bias is a number from {} to {}", signed(-MOST), MOST).into();
                self.mode = Mode::Value(line);
                Event::None
            }
            (_, None) => Event::None,
        }
    }

    /// A text or `#id` was typed.
    fn submit(&mut self, line: Line) -> Event {
        self.note.clear();
        if line.is_empty() {
            return Event::None;
        }
        let id = line.text().strip_prefix('#').map(|id| id.trim().parse());
        if let Some(Ok(id)) = id {
            return if self.insert(id) { Event::Changed } else { Event::None };
        }
        let text = unquoted(line.text());
        if id.is_some() {
            self.note = "an id is a number, as in #2647; a text that begins with # goes in quotes".into();
        } else if self.vocabulary.is_none() {
            self.note = "this text cannot be cut into tokens: type an id, as in #2647".into();
        } else if text.is_empty() {
            self.note = "there is nothing between the quotes; type a text".into();
        } else {
            self.asks.push_back(Ask::Cut(Untrusted::from(text.as_str())));
            self.mode = Mode::Cutting(line, text);
            return Event::None;
        }
        self.mode = Mode::Add(line);
        Event::None
    }
}

/// What was typed as the text that is meant: in quotes `\n`, `\t`, `\"` and `\\` stand for what they usually do.
pub(super) fn unquoted(typed: &str) -> String {
    let inside = typed.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let Some(inside) = inside else { return typed.to_owned() };
    let mut out = String::with_capacity(inside.len());
    let mut chars = inside.chars();
    while let Some(c) = chars.next() {
        match (c, chars.clone().next()) {
            ('\\', Some('n')) => out.push('\n'),
            ('\\', Some('t')) => out.push('\t'),
            ('\\', Some(same @ ('"' | '\\'))) => out.push(same),
            _ => {
                out.push(c);
                continue;
            }
        }
        chars.next();
    }
    out
}
