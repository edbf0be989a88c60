//! The texts as points in a plane, by their two principal components.
//!
//! ```text
//! ━━ ▸ Map ━━━━━━━━━━━━━━ PCA 61% ━━
//!           ●B
//!         ◆A
//!       ●H    ●C            ●E
//!  ┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄
//!  ◆ A  A refund within 30 days
//!  nearest  B 0.87  H 0.83  C 0.82
//!  distances on a 2-D map mislead;
//!  trust the numbers in the matrix
//! ```
//!
//! Where the texts have labels, marks and colours tell them apart, and a legend names them.

mod draw;
mod groups;
mod keys;
mod near;
#[cfg(test)]
mod tests;

use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use self::groups::LabelLegend;
use self::keys::{Action, FOOTER, KEYS};
use self::near::NearestTexts;
use super::background::{BackgroundJob, JobReply, VectorsVersion};
use super::pane::{Pane, PaneEvent};
use super::pane_data::{Page, PaneData};
use crate::api::call::Ticket;
use crate::component::{Component, Cx, Handled, Hint, Notice, RenderContext, Response, Session};
use crate::record::vectors::{self, Figures, VectorTask};
use crate::ui::scatter::{self, Scatter, ScatterView};

/// The pane.
#[derive(Debug, Default)]
pub(super) struct MapPane {
    data: Rc<PaneData>,
    job: BackgroundJob,
    /// The map, and of which vectors it is.
    known: Option<(VectorsVersion, Arc<vectors::Map>)>,
    /// The vectors that were there when it last looked.
    now: Option<VectorsVersion>,
    view: ScatterView,
    /// The text that was shown as chosen: when it is another, the map moves to it.
    chosen: usize,
    /// Whether the chosen point shows.
    in_sight: bool,
    near: NearestTexts,
    groups: LabelLegend,
}

impl MapPane {
    fn has_focus(&self) -> bool {
        self.data.focus == Some(Page::Map)
    }

    /// Asks for the map of what is there now, unless it is known or under way. One of fewer vectors of the same texts is
    /// left to its end, and shown until the next.
    fn compute(&mut self, cx: &mut Cx) {
        let data = Rc::clone(&self.data);
        self.now = VectorsVersion::now(&data, self.now.take());
        let of = self.now.clone().filter(|_| data.table.as_ref().is_some_and(|table| table.present() > 1));
        let (Some(of), Some(table)) = (of, &data.table) else {
            self.known = None;
            self.job.stop(cx);
            return;
        };
        if self.known.as_ref().is_some_and(|(known, _)| !known.same_texts(&of)) {
            self.known = None;
            self.view.reset();
        }
        let is_known = self.known.as_ref().is_some_and(|(known, _)| *known == of);
        let failed = self.job.failed_of(&of);
        if !is_known && !failed && !self.job.of().is_some_and(|running| running.same_texts(&of)) {
            self.job.ask(of, VectorTask::Map(table.clone()), cx);
        }
    }

    /// Returns the points of the texts that are there.
    fn points(&self) -> Option<&[Option<[f32; 2]>]> {
        let (_, map) = self.known.as_ref()?;
        (map.points.len() == self.data.texts.len()).then_some(&map.points)
    }

    /// Returns what `act` finds on the map.
    fn on<T>(&self, act: impl FnOnce(&Scatter) -> T) -> Option<T> {
        let name = |row| self.data.letter(row);
        let points = self.points()?;
        let of = |row| self.data.labels.place(row);
        let groups = (!self.data.labels.is_empty()).then(|| scatter::Groups { of: &of, only: self.groups.only() });
        let selected = Some(self.data.cursor.0);
        Some(act(&Scatter { points, name: &name, selected, braille: true, focus: true, groups }))
    }

    /// Brings the chosen point into sight.
    fn reveal(&mut self) {
        let mut view = self.view;
        self.on(|map| map.reveal(&mut view));
        self.view = view;
    }

    /// Returns what the next Esc does, and what it is called.
    fn next_escape(&self) -> (Action, &'static str) {
        if self.groups.only().is_some() { (Action::AllLabels, "all labels") } else { (Action::Close, "back") }
    }

    fn act(&mut self, action: Action, cx: &mut Cx) -> Handled<PaneEvent> {
        let go = |row: Option<usize>| row.map_or(Handled::Consumed, |row| Handled::Emit(PaneEvent::Go(row)));
        match action {
            Action::Escape => return self.act(self.next_escape().0, cx),
            Action::AllLabels => self.groups.show_all(),
            Action::Close => return Handled::Emit(PaneEvent::Close),
            Action::Label(_) if self.data.labels.is_empty() => {
                let said = "these texts have no labels; a file with a label column gives them";
                cx.notify(Notice::info(said).about("labels"));
            }
            Action::Label(forward) => self.groups.turn(forward, self.data.labels.all.len()),
            Action::Zoom(steps) => {
                self.view.zoom(steps);
                // What is chosen stays in sight, unless it was panned out of it.
                if self.in_sight {
                    self.reveal();
                }
            }
            Action::All => self.view.reset(),
            Action::Pan(right, up) => self.view.pan(right, up),
            Action::Go(right, up) => return go(self.on(|map| map.next(right, up)).flatten()),
            Action::Choose if self.in_sight => {
                let nearest = self.near.rows(&self.data).first();
                let pair = |row: &(u32, f32)| PaneEvent::Pair(self.data.cursor.0, row.0 as usize);
                return nearest.map_or(Handled::Consumed, |row| Handled::Emit(pair(row)));
            }
            Action::Choose => return go(self.on(|map| map.middle(&self.view)).flatten()),
        }
        Handled::Consumed
    }
}

impl Pane for MapPane {
    fn update(&mut self, data: Rc<PaneData>) {
        self.data = data;
    }

    fn refresh(&mut self, cx: &mut Cx) {
        self.compute(cx);
        self.near.refresh(&self.data, self.now.as_ref(), cx);
        self.groups.refresh(&self.data, self.now.as_ref(), cx);
    }

    fn cancel(&mut self, cx: &mut Cx) {
        self.job.stop(cx);
        self.near.cancel(cx);
        self.groups.cancel(cx);
    }
}

impl Component<PaneEvent> for MapPane {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<PaneEvent> {
        KEYS.find(&key).map_or(Handled::Ignored, |action| self.act(action, cx))
    }

    fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> Handled<PaneEvent> {
        if self.near.reply(ticket, response, cx) {
            return Handled::Consumed;
        }
        if self.groups.reply(ticket, response, cx) {
            // Vectors may have come on the way.
            self.groups.refresh(&self.data, self.now.as_ref(), cx);
            return Handled::Consumed;
        }
        match self.job.take(ticket, response, cx) {
            JobReply::NotOwn => return Handled::Ignored,
            JobReply::Figures(of, Figures::Map(map)) => {
                self.known = Some((of, map));
                // Vectors may have come on the way.
                self.compute(cx);
            }
            JobReply::Progress | JobReply::Figures(..) => {}
        }
        Handled::Consumed
    }

    fn hints(&self) -> Vec<Hint> {
        KEYS.footer(&FOOTER, self)
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        vec![("Map", KEYS.help())]
    }

    fn escape(&self) -> Option<&'static str> {
        Some(self.next_escape().1)
    }

    fn arrange(&mut self, area: Rect, _session: &Session, _now: Instant) {
        if self.chosen != self.data.cursor.0 {
            self.chosen = self.data.cursor.0;
            self.reveal();
        }
        self.in_sight = self.is_drawn() && self.on(|map| map.shows(&self.view, self.map_area(area))) == Some(true);
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        self.draw(frame, area, context);
    }
}
