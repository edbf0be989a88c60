//! Two models, or two lengths, on the same texts: how far they agree, and the pairs that moved most.

mod draw;
pub(super) mod keys;
#[cfg(test)]
mod tests;

use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use self::keys::{Action, FOOTER, KEYS, LENGTH};
use super::pane::{PaneEvent, VectorPane};
use super::pane_data::{Page, PaneData};
use crate::api::call::Ticket;
use crate::component::{Component, Cx, Handled, Hint, RenderContext, Response, Session};
use crate::record::vectors::{Agreement, Figures, MATRIX, VectorTask};
use crate::record::work::{Done, Work};
use crate::record::{TextKey, VectorKey, VectorTable};
use crate::text::Untrusted;
use crate::ui::editing::typed;
use crate::ui::table::TableView;
use crate::ui::text_field::TextField;

/// What the vectors are compared with.
#[derive(Clone, Debug, Default, PartialEq)]
enum Comparand {
    /// Nothing yet.
    #[default]
    Nothing,
    /// Their own first numbers.
    Cut(usize),
    /// Those of another model.
    Model(VectorKey),
}

/// The vectors that are compared, and of which texts and model they are.
#[derive(Debug, Default)]
struct Compared {
    table: Option<Arc<VectorTable>>,
    texts: Vec<TextKey>,
    key: Option<VectorKey>,
}

/// The pane.
#[derive(Debug, Default)]
pub(super) struct ComparePane {
    data: Rc<PaneData>,
    with: Comparand,
    /// A length that is typed.
    typing: Option<TextField>,
    /// Whether a model is being chosen.
    choosing: bool,
    of: Compared,
    /// The vectors it is compared with.
    other: Option<Arc<VectorTable>>,
    /// The computation under way.
    asked: Option<Ticket>,
    /// Vectors under the other key so far, and in all, while they are asked for.
    coming: Option<(usize, usize)>,
    agreement: Option<Agreement>,
    error: Option<Untrusted>,
    /// When vectors are asked for again, and why; `None`: they are not.
    pub(super) retry: Option<String>,
    view: TableView,
}

impl ComparePane {
    fn drop_job(&mut self, cx: &mut Cx) {
        if let Some(ticket) = self.asked.take() {
            cx.cancel(ticket);
        }
    }

    /// Compares with something else: nothing that was found holds.
    fn start(&mut self, with: Comparand, cx: &mut Cx) {
        self.drop_job(cx);
        (self.with, self.other, self.agreement, self.error, self.coming) = (with, None, None, None, None);
        self.view = TableView::default();
    }

    /// Asks for what is next: the cut, or the comparison.
    fn compute(&mut self, cx: &mut Cx) {
        let Some(table) = &self.of.table else { return };
        if self.asked.is_some() || self.agreement.is_some() || self.error.is_some() {
            return;
        }
        let sum = match (&self.other, &self.with) {
            (Some(other), _) => VectorTask::Compare(Arc::clone(table), Arc::clone(other)),
            (None, Comparand::Cut(dimensions)) => VectorTask::Cut { table: Arc::clone(table), dimensions: *dimensions },
            (None, Comparand::Nothing | Comparand::Model(_)) => return,
        };
        self.asked = Some(cx.work(Work::Vectors(sum)));
    }

    /// Compares with the first so many numbers, as they were typed.
    fn cut(&mut self, typed: &str, cx: &mut Cx) {
        let most = self.of.table.as_ref().map_or(0, |table| table.dimensions());
        match typed.trim().parse::<usize>() {
            Ok(length) if (1..most).contains(&length) => {
                self.start(Comparand::Cut(length), cx);
                self.compute(cx);
            }
            _ => self.error = Some(format!("choose a length from 1 to {}", most.saturating_sub(1)).into()),
        }
    }

    /// Asks for the vectors of the chosen model, from the store or the server.
    fn ask_other(&mut self) -> Handled<PaneEvent> {
        let Comparand::Model(key) = self.with.clone() else { return Handled::Consumed };
        (self.error, self.agreement, self.coming) = (None, None, Some((0, self.of.texts.len())));
        Handled::Emit(PaneEvent::Other(key))
    }

    /// Returns whether there is something to compare.
    fn is_ready(&self) -> bool {
        self.data.table.is_some() && self.data.texts.len() <= MATRIX
    }

    /// Returns how many pairs have moved.
    fn moved_pairs(&self) -> usize {
        self.agreement.as_ref().map_or(0, |agreement| agreement.moved.len())
    }

    /// Returns whether the vectors of another model can be asked for again.
    fn can_ask_again(&self) -> bool {
        matches!(self.with, Comparand::Model(_)) && self.agreement.is_none() && self.coming.is_none()
    }

    fn act(&mut self, action: Action, cx: &mut Cx) -> Handled<PaneEvent> {
        match action {
            Action::Again => {
                return match self.with {
                    _ if self.coming.is_some() || self.typing.is_some() => Handled::Consumed,
                    Comparand::Model(_) => self.ask_other(),
                    Comparand::Nothing | Comparand::Cut(_) => Handled::Ignored,
                };
            }
            Action::Close => return Handled::Emit(PaneEvent::Close),
            Action::EndTyping => self.typing = None,
            Action::TakeLength => {
                if let Some(line) = self.typing.take() {
                    self.cut(line.text(), cx);
                }
            }
            Action::Page(motion) => self.view.move_by(motion.rows(self.view.page), self.moved_pairs()),
            _ if !self.is_ready() => return Handled::Ignored,
            Action::Move(motion) => self.view.move_by(motion.rows(self.view.page), self.moved_pairs()),
            Action::Model => {
                self.choosing = true;
                return Handled::Emit(PaneEvent::ChooseModel);
            }
            Action::Length => {
                let now = if let Comparand::Cut(length) = self.with { length.to_string() } else { String::new() };
                self.typing = Some(TextField::new(now));
            }
            Action::Open => {
                let agreement = self.agreement.as_ref();
                let moved = agreement.and_then(|agreement| agreement.moved.get(self.view.cursor.selected));
                if let Some(moved) = moved {
                    return Handled::Emit(PaneEvent::Pair(moved.pair.0 as usize, moved.pair.1 as usize));
                }
            }
        }
        Handled::Consumed
    }

    /// Takes the vectors under the other key; else a sentence why there are none. May come again with more of them.
    pub(super) fn other(&mut self, key: &VectorKey, found: Result<Arc<VectorTable>, Untrusted>, cx: &mut Cx) {
        if self.with != Comparand::Model(key.clone()) {
            return;
        }
        self.coming = None;
        self.drop_job(cx);
        self.agreement = None;
        match found {
            Ok(table) => {
                (self.other, self.error) = (Some(table), None);
                self.compute(cx);
            }
            Err(why) => self.error = Some(why),
        }
    }

    /// Says how many of the texts have vectors under the other key so far.
    pub(super) fn moved(&mut self, done: usize, total: usize) {
        self.coming = Some((done, total));
    }

    /// Ends the choice of a model for the comparison. Returns whether one was being chosen.
    pub(super) fn end_choosing(&mut self) -> bool {
        std::mem::take(&mut self.choosing)
    }

    /// Takes the model that was chosen.
    pub(super) fn chosen(&mut self, model: &Untrusted, cx: &mut Cx) -> Handled<PaneEvent> {
        let key = VectorKey { profile: cx.session.profile.0.clone(), model: model.clone(), dimensions: None };
        self.start(Comparand::Model(key.clone()), cx);
        if key == self.data.key {
            self.with = Comparand::Nothing;
            self.error = Some("these vectors are of that model; choose another one, or fewer dimensions".into());
            return Handled::Consumed;
        }
        self.ask_other()
    }
}

impl VectorPane for ComparePane {
    fn update(&mut self, data: Rc<PaneData>) {
        self.data = data;
    }

    fn refresh(&mut self, cx: &mut Cx) {
        let data = Rc::clone(&self.data);
        let texts: Vec<TextKey> = data.texts.iter().map(|text| text.sent).collect();
        let same = match (&self.of.table, &data.table) {
            (Some(of), Some(table)) => Arc::ptr_eq(of, table),
            (None, None) => true,
            _ => false,
        };
        if same && texts == self.of.texts {
            return self.compute(cx);
        }
        self.drop_job(cx);
        (self.agreement, self.error) = (None, None);
        // A cut is rebuilt; another model's vectors hold as long as texts and list's model are the same.
        let another = self.of.key.as_ref().is_some_and(|key| *key != data.key);
        if texts != self.of.texts || another || !matches!(self.with, Comparand::Model(_)) {
            self.other = None;
        }
        if texts.len() > MATRIX {
            self.error = Some("a list of more than 2,000 texts cannot be compared".into());
        }
        self.of = Compared { table: data.table.clone(), texts, key: Some(data.key.clone()) };
        self.compute(cx);
    }

    fn cancel(&mut self, cx: &mut Cx) {
        self.drop_job(cx);
    }
}

impl Component<PaneEvent> for ComparePane {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<PaneEvent> {
        let Some(line) = &mut self.typing else {
            return KEYS.find(&key).map_or(Handled::Ignored, |action| self.act(action, cx));
        };
        match LENGTH.find(&key) {
            Some(action) => self.act(action, cx),
            None => {
                if typed(&key).is_none_or(|char| char.is_ascii_digit()) {
                    line.key(key);
                }
                Handled::Consumed
            }
        }
    }

    fn paste(&mut self, text: &str, _cx: &mut Cx) -> Handled<PaneEvent> {
        if let Some(line) = &mut self.typing {
            line.paste(text);
        }
        Handled::Consumed
    }

    fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> Handled<PaneEvent> {
        if self.asked != Some(ticket) {
            return Handled::Ignored;
        }
        let Some(done) = response.take_work() else { return Handled::Ignored };
        if let Done::Moved { .. } = done {
            return Handled::Consumed;
        }
        self.asked = None;
        match done {
            Done::Figures(Figures::Cut(table)) => {
                self.other = Some(table);
                self.compute(cx);
            }
            Done::Figures(Figures::Agreement(agreement)) => self.agreement = Some(agreement),
            Done::Failed(why) => self.error = Some(why),
            _ => {}
        }
        Handled::Consumed
    }

    fn hints(&self) -> Vec<Hint> {
        match self.typing {
            Some(_) => LENGTH.footer(&[Action::TakeLength], self),
            None => KEYS.footer(&FOOTER, self),
        }
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        vec![("Compare", KEYS.help())]
    }

    fn escape(&self) -> Option<&'static str> {
        Some(if self.typing.is_some() { "keep the length" } else { "back" })
    }

    fn typing(&self) -> bool {
        self.typing.is_some()
    }

    fn arrange(&mut self, area: Rect, session: &Session, _now: Instant) {
        self.fit(area, session.spacing());
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        self.draw(frame, area, context);
    }
}
