//! Two models, or two lengths, on the same texts: how far they agree, and the pairs that moved most.

mod draw;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Frame;
use ratatui::layout::Rect;

use super::pane::{Ask, Look, Pane, Read};
use crate::api::call::Ticket;
use crate::component::{Cx, Hint};
use crate::record::vectors::{Agreement, Figures, MATRIX, Sum};
use crate::record::work::{Done, Work};
use crate::record::{Table, TextKey, VectorKey};
use crate::text::Untrusted;
use crate::ui::line::Line;
use crate::ui::table::View;

/// What the vectors are compared with.
#[derive(Clone, Debug, Default, PartialEq)]
enum With {
    /// Nothing yet.
    #[default]
    Nothing,
    /// Their own first numbers.
    Cut(usize),
    /// Those of another model.
    Model(VectorKey),
}

/// The pane.
#[derive(Debug, Default)]
pub(super) struct Compare {
    with: With,
    /// A length that is typed.
    typing: Option<Line>,
    /// The vectors it is about, and their texts.
    of: Option<Arc<Table>>,
    texts: Vec<TextKey>,
    key: Option<VectorKey>,
    /// The vectors it is compared with.
    other: Option<Arc<Table>>,
    /// The sum under way.
    asked: Option<Ticket>,
    /// Vectors under the other key so far, and in all, while they are asked for.
    coming: Option<(usize, usize)>,
    told: Option<Agreement>,
    why: Option<Untrusted>,
    view: View,
}

impl Compare {
    fn drop_sum(&mut self, cx: &mut Cx) {
        if let Some(ticket) = self.asked.take() {
            cx.cancel(ticket);
        }
    }

    /// Something else is compared: nothing of what was told holds.
    fn begin(&mut self, with: With, cx: &mut Cx) {
        self.drop_sum(cx);
        (self.with, self.other, self.told, self.why, self.coming) = (with, None, None, None, None);
        self.view = View::default();
    }

    /// Asks for what is next: the cut, or the comparison.
    fn go_on(&mut self, cx: &mut Cx) {
        let Some(table) = &self.of else { return };
        if self.asked.is_some() || self.told.is_some() || self.why.is_some() {
            return;
        }
        let sum = match (&self.other, &self.with) {
            (Some(other), _) => Sum::Compare(Arc::clone(table), Arc::clone(other)),
            (None, With::Cut(dimensions)) => Sum::Cut { table: Arc::clone(table), dimensions: *dimensions },
            (None, With::Nothing | With::Model(_)) => return,
        };
        self.asked = Some(cx.work(Work::Sum(sum)));
    }

    /// The length that was typed.
    fn cut(&mut self, typed: &str, cx: &mut Cx) {
        let most = self.of.as_ref().map_or(0, |table| table.dimensions());
        match typed.trim().parse::<usize>() {
            Ok(length) if (1..most).contains(&length) => {
                self.begin(With::Cut(length), cx);
                self.go_on(cx);
            }
            _ => self.why = Some(format!("choose a length from 1 to {}", most.saturating_sub(1)).into()),
        }
    }

    fn typed(&mut self, key: KeyEvent, cx: &mut Cx) -> Ask {
        let Some(line) = &mut self.typing else { return Ask::Ignored };
        match key.code {
            KeyCode::Esc => self.typing = None,
            KeyCode::Enter => {
                let typed = line.text().to_owned();
                self.typing = None;
                self.cut(&typed, cx);
            }
            KeyCode::Char(char) if !char.is_ascii_digit() && key.modifiers.is_empty() => {}
            _ => drop(line.key(key)),
        }
        Ask::Nothing
    }

    /// The vectors of the chosen model, from the store or the server.
    fn ask_other(&mut self) -> Ask {
        match &self.with {
            With::Model(key) => {
                let key = key.clone();
                (self.why, self.told, self.coming) = (None, None, Some((0, self.texts.len())));
                Ask::Other(key)
            }
            With::Nothing | With::Cut(_) => Ask::Nothing,
        }
    }
}

impl Pane for Compare {
    fn fresh(&mut self, read: &Read, cx: &mut Cx) {
        let texts: Vec<TextKey> = read.texts.iter().map(|text| text.sent).collect();
        let same = match (&self.of, &read.table) {
            (Some(of), Some(table)) => Arc::ptr_eq(of, table),
            (None, None) => true,
            _ => false,
        };
        if same && texts == self.texts {
            return self.go_on(cx);
        }
        self.drop_sum(cx);
        (self.told, self.why) = (None, None);
        // A cut is made anew; another model's vectors hold as long as texts and list's model are the same.
        let another = self.key.as_ref().is_some_and(|key| *key != read.key);
        if texts != self.texts || another || !matches!(self.with, With::Model(_)) {
            self.other = None;
        }
        (self.of, self.texts, self.key) = (read.table.clone(), texts, Some(read.key.clone()));
        if self.texts.len() > MATRIX {
            self.why = Some("a list above 2,000 texts cannot be compared; choose fewer".into());
        }
        self.go_on(cx);
    }

    fn stop(&mut self, cx: &mut Cx) {
        self.drop_sum(cx);
    }

    fn key(&mut self, key: KeyEvent, read: &Read, cx: &mut Cx) -> Ask {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        if control && key.code == KeyCode::Char('r') {
            return match self.with {
                _ if self.coming.is_some() || self.typing.is_some() => Ask::Nothing,
                With::Model(_) => self.ask_other(),
                With::Nothing | With::Cut(_) => Ask::Ignored,
            };
        }
        if self.typing.is_some() {
            return self.typed(key, cx);
        }
        let len = self.told.as_ref().map_or(0, |told| told.moved.len());
        match key.code {
            KeyCode::Char('d') if control => self.view.pages(1, len),
            KeyCode::Char('u') if control => self.view.pages(-1, len),
            _ if control => return Ask::Ignored,
            KeyCode::Esc => return Ask::Close,
            _ if read.table.is_none() || read.texts.len() > MATRIX => return Ask::Ignored,
            KeyCode::Char('m') => return Ask::Model,
            KeyCode::Char('d') => {
                let now = if let With::Cut(length) = self.with { length.to_string() } else { String::new() };
                self.typing = Some(Line::new(now));
            }
            KeyCode::Char('j') | KeyCode::Down => self.view.by(1, len),
            KeyCode::Char('k') | KeyCode::Up => self.view.by(-1, len),
            KeyCode::Char('g') | KeyCode::Home => self.view.home(),
            KeyCode::Char('G') | KeyCode::End => self.view.end(len),
            KeyCode::PageDown => self.view.pages(1, len),
            KeyCode::PageUp => self.view.pages(-1, len),
            KeyCode::Enter => {
                let moved = self.told.as_ref().and_then(|told| told.moved.get(self.view.cursor.selected));
                if let Some(moved) = moved {
                    return Ask::Pair(moved.pair.0 as usize, moved.pair.1 as usize);
                }
            }
            _ => return Ask::Ignored,
        }
        Ask::Nothing
    }

    fn worked(&mut self, ticket: Ticket, done: &Done, _read: &Read, cx: &mut Cx) -> bool {
        if self.asked != Some(ticket) {
            return false;
        }
        if matches!(done, Done::Moved { .. }) {
            return true;
        }
        self.asked = None;
        match done {
            Done::Figures(Figures::Cut(table)) => {
                self.other = Some(Arc::clone(table));
                self.go_on(cx);
            }
            Done::Figures(Figures::Agreement(told)) => self.told = Some(told.clone()),
            Done::Failed(why) => self.why = Some(why.clone()),
            _ => {}
        }
        true
    }

    fn render(&mut self, frame: &mut Frame, area: Rect, look: &Look, read: &Read) {
        self.draw(frame, area, look, read);
    }

    fn hints(&self, _read: &Read) -> Vec<Hint> {
        if self.typing.is_some() {
            return vec![Hint::new("⏎", "compare")];
        }
        let again = match self.with {
            With::Model(_) if self.told.is_none() && self.coming.is_none() => vec![Hint::new("^R", "ask again")],
            _ => Vec::new(),
        };
        let both = vec![Hint::new("m", "another model"), Hint::new("d", "fewer numbers")];
        let pair = if self.told.as_ref().is_some_and(|told| !told.moved.is_empty()) {
            vec![Hint::new("⏎", "both texts"), Hint::new("jk", "move")]
        } else {
            Vec::new()
        };
        [again, pair, both].concat()
    }

    fn help(&self) -> Vec<Hint> {
        vec![
            Hint::new("m", "compare with another model"),
            Hint::new("d", "compare with the first so many numbers"),
            Hint::new("^R", "ask for what the other model has not embedded yet"),
            Hint::new("⏎", "both texts of the pair"),
            Hint::new("j k g G", "move"),
        ]
    }

    fn escape(&self) -> Option<&'static str> {
        self.typing.is_some().then_some("keep the length")
    }

    fn typing(&self) -> bool {
        self.typing.is_some()
    }

    fn paste(&mut self, text: &str) {
        if let Some(line) = &mut self.typing {
            line.paste(text);
        }
    }

    fn other(&mut self, key: &VectorKey, found: Result<Arc<Table>, Untrusted>, _read: &Read, cx: &mut Cx) {
        if self.with != With::Model(key.clone()) {
            return;
        }
        self.coming = None;
        self.drop_sum(cx);
        self.told = None;
        match found {
            Ok(table) => {
                (self.other, self.why) = (Some(table), None);
                self.go_on(cx);
            }
            Err(why) => self.why = Some(why),
        }
    }

    fn moved(&mut self, done: usize, total: usize) {
        self.coming = Some((done, total));
    }

    fn chosen(&mut self, model: &Untrusted, read: &Read, cx: &mut Cx) -> Ask {
        let key = VectorKey { profile: cx.session.profile.0.clone(), model: model.clone(), dimensions: None };
        self.begin(With::Model(key.clone()), cx);
        if key == read.key {
            self.with = With::Nothing;
            self.why = Some("that is the model of these vectors; choose another, or fewer of their numbers".into());
            return Ask::Nothing;
        }
        self.ask_other()
    }
}
