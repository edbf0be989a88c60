//! A text that is typed, and all others ranked by it. Ranked by the same text again, under another model for one, it says
//! how each has moved.

mod draw;
#[cfg(test)]
pub(super) mod tests;

use std::collections::HashMap;
use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Frame;
use ratatui::layout::Rect;

use super::pane::{Ask, Look, Pane, Read};
use crate::api::call::Ticket;
use crate::component::{Cx, Hint};
use crate::record::vectors::{Figures, Sum};
use crate::record::work::{Done, Work};
use crate::record::{Id, Table, VectorKey};
use crate::text::Untrusted;
use crate::ui::line::Line;
use crate::ui::table::View;

/// How a text has moved since it was ranked before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shift {
    /// The same text was not ranked before.
    First,
    /// It was not among them.
    New,
    /// It stayed.
    Same,
    /// So many places up.
    Up(usize),
    /// So many down.
    Down(usize),
}

/// A text with its cosine to what was typed.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ranked {
    row: usize,
    cosine: f32,
    shift: Shift,
}

/// The pane.
#[derive(Debug, Default)]
pub(super) struct Query {
    line: Line,
    /// The line does not have the caret.
    resting: bool,
    /// What is being embedded.
    embedding: Option<Untrusted>,
    /// What is ranked by, and whose vectors it fits.
    by: Option<(Untrusted, VectorKey, Arc<[f32]>)>,
    /// The ranking under way, and of which vectors.
    asked: Option<(Ticket, Arc<Table>)>,
    /// The vectors the ranking is of.
    of: Option<Arc<Table>>,
    ranked: Vec<Ranked>,
    /// What was ranked by before, and where each text stood then. Places by another text say nothing of this one.
    before: Option<(Untrusted, HashMap<Id, usize>)>,
    why: Option<Untrusted>,
    view: View,
}

impl Query {
    fn run(&mut self, read: &Read) -> Ask {
        let text = self.line.text().trim();
        if text.is_empty() {
            return Ask::Nothing;
        }
        if read.table.is_none() && read.matrix.is_some() {
            self.why = Some("there are similarities here and no vectors: a text cannot be ranked by them".into());
            return Ask::Nothing;
        }
        if read.table.is_none() {
            self.why = Some("the texts have no vectors yet: esc, then ^R embeds them".into());
            return Ask::Nothing;
        }
        let text = Untrusted::from(text);
        self.why = None;
        self.embedding = Some(text.clone());
        Ask::Embed(text)
    }

    /// Ranks the texts by the vector that is here, unless they are being ranked by it.
    fn rank(&mut self, read: &Read, cx: &mut Cx) {
        let (Some((_, key, vector)), Some(table)) = (&self.by, &read.table) else { return };
        let same = |of: &Arc<Table>| Arc::ptr_eq(of, table);
        if *key != read.key || self.asked.as_ref().is_some_and(|(_, of)| same(of)) || self.of.as_ref().is_some_and(same)
        {
            return;
        }
        // Where the texts' vectors are cut, so is this one: a cosine needs no length of 1.
        let to = match read.cut.and_then(|cut| vector.get(..cut)) {
            Some(first) => first.into(),
            None => Arc::clone(vector),
        };
        let sum = Sum::Nearest { table: Arc::clone(table), to, most: table.rows() };
        self.drop_sum(cx);
        self.asked = Some((cx.work(Work::Sum(sum)), Arc::clone(table)));
    }

    /// Keeps where each text stands now, for when the same text is ranked by again.
    fn remember(&mut self, read: &Read) {
        if let Some((text, ..)) = self.by.take_if(|_| !self.ranked.is_empty()) {
            let places = self.ranked.iter().enumerate();
            let places = places.filter_map(|(at, ranked)| Some((read.texts.get(ranked.row)?.id, at)));
            self.before = Some((text, places.collect()));
        }
    }

    fn drop_sum(&mut self, cx: &mut Cx) {
        if let Some((ticket, _)) = self.asked.take() {
            cx.cancel(ticket);
        }
    }

    fn take(&mut self, nearest: &[(u32, f32)], read: &Read) {
        let before = match (&self.before, &self.by) {
            (Some((before, places)), Some((text, ..))) if before == text => Some(places),
            _ => None,
        };
        let near = nearest.iter().filter(|(row, _)| (*row as usize) < read.texts.len()).enumerate();
        self.ranked = near
            .map(|(place, (row, cosine))| {
                let shift = match before.map(|places| places.get(&read.texts[*row as usize].id)) {
                    None => Shift::First,
                    Some(None) => Shift::New,
                    Some(Some(before)) if *before == place => Shift::Same,
                    Some(Some(before)) if *before > place => Shift::Up(before - place),
                    Some(Some(before)) => Shift::Down(place - before),
                };
                Ranked { row: *row as usize, cosine: *cosine, shift }
            })
            .collect();
    }
}

impl Pane for Query {
    fn fresh(&mut self, read: &Read, cx: &mut Cx) {
        if self.by.as_ref().is_some_and(|(_, key, _)| *key != read.key) {
            self.drop_sum(cx);
            self.remember(read);
            *self = Self { line: std::mem::take(&mut self.line), before: self.before.take(), ..Self::default() };
        }
        // Rows of other texts are other rows.
        if self.of.as_ref().is_some_and(|of| of.rows() != read.texts.len()) {
            self.ranked.clear();
        }
        self.rank(read, cx);
    }

    fn stop(&mut self, cx: &mut Cx) {
        self.drop_sum(cx);
    }

    fn key(&mut self, key: KeyEvent, read: &Read, _cx: &mut Cx) -> Ask {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        if control && key.code == KeyCode::Char('r') {
            return self.run(read);
        }
        if !self.resting {
            return match key.code {
                KeyCode::Esc if self.ranked.is_empty() => Ask::Close,
                KeyCode::Esc | KeyCode::Down | KeyCode::Up if !self.ranked.is_empty() => {
                    self.resting = true;
                    Ask::Nothing
                }
                KeyCode::Enter => self.run(read),
                _ if self.line.key(key) => Ask::Nothing,
                // What is typed into is nobody else's, what is no text may be.
                KeyCode::Char(_) if !control => Ask::Nothing,
                _ => Ask::Ignored,
            };
        }
        let len = self.ranked.len();
        match key.code {
            KeyCode::Char('d') if control => self.view.pages(1, len),
            KeyCode::Char('u') if control => self.view.pages(-1, len),
            _ if control => return Ask::Ignored,
            KeyCode::Esc => return Ask::Close,
            KeyCode::Char('i' | 'e' | 's' | '/') => self.resting = false,
            KeyCode::Char('j') | KeyCode::Down => self.view.by(1, len),
            KeyCode::Char('k') | KeyCode::Up => self.view.by(-1, len),
            KeyCode::Char('g') | KeyCode::Home => self.view.home(),
            KeyCode::Char('G') | KeyCode::End => self.view.end(len),
            KeyCode::PageDown => self.view.pages(1, len),
            KeyCode::PageUp => self.view.pages(-1, len),
            KeyCode::Enter => {
                if let Some(ranked) = self.ranked.get(self.view.cursor.selected) {
                    return Ask::Go(ranked.row);
                }
            }
            _ => return Ask::Ignored,
        }
        Ask::Nothing
    }

    fn worked(&mut self, ticket: Ticket, done: &Done, read: &Read, _cx: &mut Cx) -> bool {
        let Some((_, of)) = self.asked.take_if(|(asked, _)| *asked == ticket) else { return false };
        match done {
            Done::Moved { .. } => self.asked = Some((ticket, of)),
            Done::Figures(Figures::Nearest(nearest)) => {
                self.take(nearest, read);
                self.of = Some(of);
            }
            Done::Failed(why) => {
                // Of the same vectors it would fail again.
                (self.of, self.why) = (Some(of), Some(why.clone()));
                self.ranked.clear();
            }
            _ => {}
        }
        true
    }

    fn render(&mut self, frame: &mut Frame, area: Rect, look: &Look, read: &Read) {
        self.draw(frame, area, look, read);
    }

    fn hints(&self, _read: &Read) -> Vec<Hint> {
        if !self.resting {
            let rank = vec![Hint::new("⏎", "rank")];
            let list = if self.ranked.is_empty() { Vec::new() } else { vec![Hint::new("↓", "to the list")] };
            return [rank, list].concat();
        }
        vec![Hint::new("i", "another text"), Hint::new("⏎", "cursor to it"), Hint::new("jk", "move")]
    }

    fn help(&self) -> Vec<Hint> {
        vec![
            Hint::new("⏎ ^R", "rank the texts by what is typed"),
            Hint::new("i e s /", "type"),
            Hint::new("⏎", "in the list: the matrix' cursor to this text"),
            Hint::new("j k g G", "move"),
            Hint::new("esc", "to the list, then back"),
        ]
    }

    fn escape(&self) -> Option<&'static str> {
        (!self.resting && !self.ranked.is_empty()).then_some("to the list")
    }

    fn typing(&self) -> bool {
        !self.resting
    }

    fn paste(&mut self, text: &str) {
        self.line.paste(text);
    }

    fn vector(&mut self, found: Result<Arc<[f32]>, Untrusted>, read: &Read, cx: &mut Cx) {
        let Some(text) = self.embedding.take() else { return };
        match found {
            Ok(vector) => {
                self.remember(read);
                self.by = Some((text, read.key.clone(), vector));
                (self.of, self.resting) = (None, true);
                self.view = View::default();
                self.rank(read, cx);
            }
            Err(why) => self.why = Some(why),
        }
    }
}
