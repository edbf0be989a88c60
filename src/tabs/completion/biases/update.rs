//! What keys and typed lines do to the list of biases.

use crossterm::event::{KeyEvent, KeyModifiers};

use super::change::{MOST, signed};
use super::keys::{Action, BiasReply, LIST, QUESTIONS, REPLIES};
use super::{BiasMode, BiasQuery, Biases, Event};
use crate::component::Motion;
use crate::text::Untrusted;
use crate::ui::text_field::TextField;

/// Rows of a page.
const PAGE: usize = 10;

impl Biases {
    /// Handles a key.
    pub(super) fn key(&mut self, key: KeyEvent) -> Event {
        let reply = REPLIES.find(&key);
        let (escape, enter) = (reply == Some(BiasReply::Back), reply == Some(BiasReply::Accept));
        match std::mem::replace(&mut self.mode, BiasMode::List) {
            BiasMode::List => return self.list_key(key),
            BiasMode::Add(_) | BiasMode::Value(_) | BiasMode::Clear if escape => self.note.clear(),
            BiasMode::Add(line) if enter => return self.submit(line),
            BiasMode::Add(mut line) => {
                if line.key(key) {
                    self.note.clear();
                }
                self.mode = BiasMode::Add(line);
            }
            BiasMode::Cutting(line, _) | BiasMode::Choose { line, .. } if escape => self.mode = BiasMode::Add(line),
            BiasMode::Cutting(line, text) => self.mode = BiasMode::Cutting(line, text),
            BiasMode::Choose { text, tokens, each, .. } if enter => {
                let most = if each { tokens.ids.len() } else { 1 };
                return self.add(&tokens, &text, most);
            }
            BiasMode::Choose { line, text, tokens, mut each } => {
                match QUESTIONS.find(&key) {
                    Some(BiasReply::Up) => each = true,
                    Some(BiasReply::Down) => each = false,
                    Some(BiasReply::Toggle) => each = !each,
                    _ => {}
                }
                self.mode = BiasMode::Choose { line, text, tokens, each };
            }
            BiasMode::Value(line) if enter => return self.typed(line),
            BiasMode::Value(mut line) => {
                if line.key(key) {
                    self.note.clear();
                }
                self.mode = BiasMode::Value(line);
            }
            BiasMode::Clear if enter || QUESTIONS.find(&key) == Some(BiasReply::RemoveAll) => {
                self.rows.clear();
                self.cursor.selected = 0;
                return Event::Changed;
            }
            BiasMode::Clear => {}
        }
        Event::None
    }

    /// Takes a pasted text where one is typed.
    pub(super) fn paste(&mut self, text: &str) {
        if let BiasMode::Add(line) | BiasMode::Value(line) = &mut self.mode {
            line.paste(text);
            self.note.clear();
        }
    }

    fn list_key(&mut self, key: KeyEvent) -> Event {
        let Some(action) = LIST.find(&key) else {
            if !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
                self.note.clear();
            }
            return Event::None;
        };
        let rows = self.rows.len();
        match action {
            Action::Move(Motion::HalfUp | Motion::HalfDown) => return Event::None,
            Action::Move(motion) => self.cursor.move_by(motion.rows(PAGE + 1), rows),
            Action::Close => return Event::Close,
            Action::Add => self.mode = BiasMode::Add(TextField::default()),
            Action::Step(by) => {
                self.note.clear();
                return self.step(f64::from(by));
            }
            Action::Remove if self.cursor.selected < rows => {
                self.rows.remove(self.cursor.selected);
                self.cursor.clamp(rows - 1);
                self.note.clear();
                return Event::Changed;
            }
            Action::RemoveAll if rows > 0 => self.mode = BiasMode::Clear,
            Action::Remove | Action::RemoveAll => {}
            Action::Value => match self.rows.get(self.cursor.selected) {
                Some((_, bias)) => self.mode = BiasMode::Value(TextField::new(bias.to_string())),
                None => self.mode = BiasMode::Add(TextField::default()),
            },
        }
        self.note.clear();
        Event::None
    }

    /// Changes the selected bias.
    fn step(&mut self, by: f64) -> Event {
        let Some((_, bias)) = self.rows.get_mut(self.cursor.selected) else { return Event::None };
        let before = std::mem::replace(bias, (*bias + by).clamp(-MOST, MOST));
        if before.total_cmp(bias).is_eq() { Event::None } else { Event::Changed }
    }

    /// Takes a value that was typed for the selected bias.
    fn typed(&mut self, line: TextField) -> Event {
        let value = line.text().trim().replace('−', "-").parse::<f64>().ok();
        match (value.filter(|value| (-MOST..=MOST).contains(value)), self.rows.get_mut(self.cursor.selected)) {
            (Some(value), Some((_, bias))) => {
                *bias = value;
                Event::Changed
            }
            (None, Some(_)) => {
                self.note = format!("a bias is a number from {} to {}", signed(-MOST), MOST).into();
                self.mode = BiasMode::Value(line);
                Event::None
            }
            (_, None) => Event::None,
        }
    }

    /// Takes a text or `#id` that was typed.
    fn submit(&mut self, line: TextField) -> Event {
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
            self.note = "this text cannot be tokenized: type an id, as in #2647".into();
        } else if text.is_empty() {
            self.note = "there is nothing between the quotes; type a text".into();
        } else {
            self.asks.push_back(BiasQuery::Cut(Untrusted::from(text.as_str())));
            self.mode = BiasMode::Cutting(line, text);
            return Event::None;
        }
        self.mode = BiasMode::Add(line);
        Event::None
    }
}

/// Returns what was typed as the text that is meant: in quotes `\n`, `\t`, `\"` and `\\` stand for what they usually
/// do.
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
