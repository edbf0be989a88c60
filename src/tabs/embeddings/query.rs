//! A text that is typed, and all others ranked by it. If they are ranked by the same text again, for example under
//! another model, it shows how each has moved.

mod draw;
pub(super) mod keys;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use self::keys::{Action, LIST, LIST_FOOTER, TYPING, TYPING_FOOTER};
use super::background::{BackgroundJob, JobReply, VectorsVersion};
use super::pane::{PaneEvent, VectorPane};
use super::pane_data::{Page, PaneData};
use crate::api::call::Ticket;
use crate::component::{Component, Cx, Handled, Hint, RenderContext, Response, Session};
use crate::record::vectors::{Figures, VectorTask};
use crate::record::{Id, VectorKey};
use crate::text::Untrusted;
use crate::ui::editing::{EditAction, typed};
use crate::ui::table::TableView;
use crate::ui::text_field::TextField;

/// How a text has moved since it was ranked before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RankShift {
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
    shift: RankShift,
}

/// The part of the pane that has the keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum QueryFocus {
    /// The line where the text is typed.
    #[default]
    Line,
    /// The ranking.
    List,
}

/// The pane.
#[derive(Debug, Default)]
pub(super) struct QueryPane {
    data: Rc<PaneData>,
    line: TextField,
    focus: QueryFocus,
    /// What is being embedded.
    embedding: Option<Untrusted>,
    /// What is ranked by, and whose vectors it fits.
    by: Option<(Untrusted, VectorKey, Arc<[f32]>)>,
    job: BackgroundJob,
    /// The vectors that were there when it last looked.
    now: Option<VectorsVersion>,
    /// The vectors the ranking is of.
    known: Option<VectorsVersion>,
    ranked: Vec<Ranked>,
    /// What was ranked by before, and where each text stood then. Places by another text say nothing of this one.
    before: Option<(Untrusted, HashMap<Id, usize>)>,
    /// Why the typed text could not be ranked by.
    error: Option<Untrusted>,
    /// When the vector is asked for again, and why; `None`: it is not.
    pub(super) retry: Option<String>,
    view: TableView,
}

impl QueryPane {
    /// Has the typed text embedded, or says why it cannot be.
    fn run(&mut self) -> Handled<PaneEvent> {
        let text = self.line.text().trim();
        if text.is_empty() {
            return Handled::Consumed;
        }
        if self.data.table.is_none() {
            let why = match self.data.matrix {
                Some(_) => "these are similarities without vectors, so texts cannot be ranked",
                None => "the texts have no vectors yet: esc, then ^R embeds them",
            };
            self.error = Some(why.into());
            return Handled::Consumed;
        }
        let text = Untrusted::from(text);
        self.error = None;
        self.embedding = Some(text.clone());
        Handled::Emit(PaneEvent::Embed(text))
    }

    /// Ranks the texts by the vector that is here, unless they are being ranked by it.
    fn rank(&mut self, cx: &mut Cx) {
        self.now = VectorsVersion::current(&self.data, self.now.take());
        let (Some((_, key, vector)), Some(table)) = (&self.by, &self.data.table) else { return };
        let Some(now) = self.now.clone().filter(|_| *key == self.data.key) else { return };
        if self.job.of() == Some(&now) || self.known.as_ref() == Some(&now) || self.job.failed_of(&now) {
            return;
        }
        // Where the texts' vectors are cut, so is this one: a cosine needs no length of 1.
        let to = match self.data.cut.and_then(|cut| vector.get(..cut)) {
            Some(first) => first.into(),
            None => Arc::clone(vector),
        };
        let sum = VectorTask::Nearest { table: Arc::clone(table), to, most: table.rows() };
        self.job.ask(now, sum, cx);
    }

    /// Remembers where each text stands now, for when the same text is ranked by again.
    fn remember(&mut self) {
        if let Some((text, ..)) = self.by.take_if(|_| !self.ranked.is_empty()) {
            let places = self.ranked.iter().enumerate();
            let places = places.filter_map(|(at, ranked)| Some((self.data.texts.get(ranked.row)?.id, at)));
            self.before = Some((text, places.collect()));
        }
    }

    fn take(&mut self, nearest: &[(u32, f32)]) {
        let before = match (&self.before, &self.by) {
            (Some((before, places)), Some((text, ..))) if before == text => Some(places),
            _ => None,
        };
        let texts = &self.data.texts;
        let near = nearest.iter().filter(|(row, _)| (*row as usize) < texts.len()).enumerate();
        self.ranked = near
            .map(|(place, (row, cosine))| {
                let shift = match before.map(|places| places.get(&texts[*row as usize].id)) {
                    None => RankShift::First,
                    Some(None) => RankShift::New,
                    Some(Some(before)) if *before == place => RankShift::Same,
                    Some(Some(before)) if *before > place => RankShift::Up(before - place),
                    Some(Some(before)) => RankShift::Down(place - before),
                };
                Ranked { row: *row as usize, cosine: *cosine, shift }
            })
            .collect();
    }

    /// Takes the vector of the text that was asked for; else a sentence why not.
    pub(super) fn vector(&mut self, found: Result<Arc<[f32]>, Untrusted>, cx: &mut Cx) {
        let Some(text) = self.embedding.take() else { return };
        match found {
            Ok(vector) => {
                self.remember();
                self.by = Some((text, self.data.key.clone(), vector));
                (self.known, self.focus) = (None, QueryFocus::List);
                self.view = TableView::default();
                self.rank(cx);
            }
            Err(why) => self.error = Some(why),
        }
    }

    /// Returns what the next Esc does, and what it is called.
    fn next_escape(&self) -> (Action, &'static str) {
        if self.focus == QueryFocus::Line && !self.ranked.is_empty() {
            (Action::ToList, "to the list")
        } else {
            (Action::Close, "back")
        }
    }

    fn act(&mut self, action: Action) -> Handled<PaneEvent> {
        match action {
            Action::Rank => return self.run(),
            Action::ToList if self.ranked.is_empty() => return Handled::Ignored,
            Action::ToList => self.focus = QueryFocus::List,
            Action::Type => self.focus = QueryFocus::Line,
            Action::Move(motion) => self.view.move_by(motion.rows(self.view.page), self.ranked.len()),
            Action::Open => {
                if let Some(ranked) = self.ranked.get(self.view.cursor.selected) {
                    return Handled::Emit(PaneEvent::Go(ranked.row));
                }
            }
            Action::Escape => return self.act(self.next_escape().0),
            Action::Close => return Handled::Emit(PaneEvent::Close),
        }
        Handled::Consumed
    }
}

impl VectorPane for QueryPane {
    fn update(&mut self, data: Rc<PaneData>) {
        self.data = data;
    }

    fn refresh(&mut self, cx: &mut Cx) {
        if self.by.as_ref().is_some_and(|(_, key, _)| *key != self.data.key) {
            self.job.stop(cx);
            self.remember();
            let (data, line, before) = (Rc::clone(&self.data), std::mem::take(&mut self.line), self.before.take());
            *self = Self { data, line, before, ..Self::default() };
        }
        // Rows of other texts are other rows.
        if self.known.as_ref().is_some_and(|known| known.rows() != self.data.texts.len()) {
            self.ranked.clear();
        }
        self.rank(cx);
    }

    fn cancel(&mut self, cx: &mut Cx) {
        self.job.stop(cx);
    }
}

impl Component<PaneEvent> for QueryPane {
    fn key(&mut self, key: KeyEvent, _cx: &mut Cx) -> Handled<PaneEvent> {
        if self.focus == QueryFocus::List {
            return LIST.find(&key).map_or(Handled::Ignored, |action| self.act(action));
        }
        let action = TYPING.find(&key).filter(|action| *action != Action::ToList || !self.ranked.is_empty());
        match action {
            Some(action) => self.act(action),
            // A key that edits a line is nobody else's, whether or not it changes this one.
            None if EditAction::of(&key).is_some() || typed(&key).is_some() => {
                self.line.key(key);
                Handled::Consumed
            }
            None => Handled::Ignored,
        }
    }

    fn paste(&mut self, text: &str, _cx: &mut Cx) -> Handled<PaneEvent> {
        self.line.paste(text);
        Handled::Consumed
    }

    fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> Handled<PaneEvent> {
        match self.job.take(ticket, response, cx) {
            JobReply::NotOwn => return Handled::Ignored,
            JobReply::Figures(of, Figures::Nearest(nearest)) => {
                self.take(&nearest);
                self.known = Some(of);
            }
            JobReply::Progress | JobReply::Figures(..) => {}
        }
        if let Some(why) = self.job.failed() {
            self.error = Some(why.clone());
            self.ranked.clear();
        }
        Handled::Consumed
    }

    fn hints(&self) -> Vec<Hint> {
        match self.focus {
            QueryFocus::Line => TYPING.footer(&TYPING_FOOTER, self),
            QueryFocus::List => LIST.footer(&LIST_FOOTER, self),
        }
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        vec![("Rank by similarity", [TYPING.help(), LIST.help()].concat())]
    }

    fn escape(&self) -> Option<&'static str> {
        Some(self.next_escape().1)
    }

    fn typing(&self) -> bool {
        self.focus == QueryFocus::Line
    }

    fn arrange(&mut self, area: Rect, session: &Session, _now: Instant) {
        self.fit(area, session.spacing());
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        self.draw(frame, area, context);
    }
}
