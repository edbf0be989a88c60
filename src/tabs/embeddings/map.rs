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
//! Where the texts have labels, marks and colours tell them apart, and a legend names them; else clusters do, which are
//! named by their words.

mod captions;
mod clusters;
mod draw;
mod groups;
pub(super) mod keys;
mod near;
mod points;
#[cfg(test)]
mod tests;

use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use self::captions::Captions;
use self::clusters::TextClusters;
use self::groups::LabelLegend;
use self::keys::{Action, FOOTER, KEYS};
use self::near::NearestTexts;
use self::points::MapPoints;
use super::background::VectorsVersion;
use super::labels::TextLabels;
use super::pane::{PaneEvent, VectorPane};
use super::pane_data::{Page, PaneData};
use crate::api::call::Ticket;
use crate::component::{Component, Cx, Handled, Hint, Notice, RenderContext, Response, Session};
use crate::record::vectors::{Map, VectorTask};
use crate::ui::scatter::{self, Scatter, ScatterView};

/// The pane.
#[derive(Debug, Default)]
pub(super) struct MapPane {
    data: Rc<PaneData>,
    components: MapPoints,
    tsne: MapPoints,
    method: MapMethod,
    /// The vectors that were there when it last looked.
    now: Option<VectorsVersion>,
    view: ScatterView,
    /// The text that was shown as chosen: when it is another, the map moves to it.
    chosen: usize,
    /// Whether the chosen point shows.
    in_sight: bool,
    near: NearestTexts,
    groups: LabelLegend,
    clusters: TextClusters,
    captions: Captions,
    /// Whether clusters are told apart though there are labels.
    by_cluster: bool,
    /// What the title says of making it wider; empty: it cannot be.
    resize: &'static str,
    /// When vectors are asked for again, and why; `None`: they are not, or another pane says it.
    pub(super) retry: Option<String>,
}

/// How the texts are laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum MapMethod {
    /// By their two principal components.
    #[default]
    Components,
    /// By t-SNE; until that is known, by their components.
    Tsne,
}

/// What marks and colours tell apart.
#[derive(Clone, Copy)]
pub(super) struct MapGroups<'a> {
    pub(super) all: &'a Arc<TextLabels>,
    /// Whether they are clusters, not labels.
    pub(super) clusters: bool,
}

impl MapGroups<'_> {
    /// Returns what several groups are called.
    pub(super) fn noun(self) -> &'static str {
        if self.clusters { "clusters" } else { "labels" }
    }
}

impl MapPane {
    fn has_focus(&self) -> bool {
        self.data.focus == Some(Page::Map)
    }

    /// Says in the title how the map is made wider or narrower; empty: it cannot be.
    pub(super) fn offer_resize(&mut self, words: &'static str) {
        self.resize = words;
    }

    /// Returns the labels of the texts, or their clusters; `None`: neither is known.
    pub(super) fn shown_groups(&self) -> Option<MapGroups<'_>> {
        let clusters = || self.clusters.all(self.data.texts.len()).map(|all| MapGroups { all, clusters: true });
        let labels = Some(&self.data.labels).filter(|labels| !labels.is_empty());
        let labels = labels.map(|all| MapGroups { all, clusters: false });
        if self.by_cluster { clusters().or(labels) } else { labels.or_else(clusters) }
    }

    /// Asks for the map of what is there now, unless it is known or under way.
    fn compute(&mut self, cx: &mut Cx) {
        let data = Rc::clone(&self.data);
        self.now = VectorsVersion::current(&data, self.now.take());
        let of = self.now.clone().filter(|_| data.table.as_ref().is_some_and(|table| table.present() > 1));
        let others = [&mut self.components, &mut self.tsne].map(|points| points.keep_only(of.as_ref()));
        if others.contains(&true) {
            self.view.reset();
        }
        let (Some(of), Some(table)) = (of, &data.table) else {
            self.components.stop(cx);
            self.tsne.stop(cx);
            return;
        };
        self.components.refresh(&of, VectorTask::Map(table.clone()), cx);
        if self.method == MapMethod::Tsne {
            self.tsne.refresh(&of, VectorTask::Tsne(table.clone()), cx);
        }
    }

    /// Lays the texts out by the other method.
    fn change_method(&mut self, cx: &mut Cx) {
        self.method = match self.method {
            MapMethod::Components => MapMethod::Tsne,
            MapMethod::Tsne => MapMethod::Components,
        };
        self.tsne.stop(cx);
        self.view.reset();
        self.compute(cx);
        self.group(cx);
    }

    /// Asks for what tells the texts apart, and puts its names on the map.
    fn group(&mut self, cx: &mut Cx) {
        if self.data.labels.is_empty() || self.by_cluster {
            self.clusters.refresh(&self.data, self.now.as_ref(), cx);
        }
        self.groups.refresh(&self.data, self.now.as_ref(), cx);
        let groups = self.shown_groups().map(|groups| Arc::clone(groups.all));
        self.groups.limit(groups.as_ref().map_or(0, |groups| groups.all.len()));
        let map = self.map().cloned();
        self.captions.refresh(map.as_ref(), groups.as_ref());
    }

    /// Returns the map of the texts that are there, and by which method it is.
    fn laid_out(&self) -> Option<(&Arc<Map>, MapMethod)> {
        let texts = self.data.texts.len();
        let tsne = if self.method == MapMethod::Tsne { self.tsne.map(texts) } else { None };
        let components = || self.components.map(texts).map(|map| (map, MapMethod::Components));
        tsne.map(|map| (map, MapMethod::Tsne)).or_else(components)
    }

    /// Returns the map of the texts that are there.
    fn map(&self) -> Option<&Arc<Map>> {
        self.laid_out().map(|(map, _)| map)
    }

    /// Returns what `act` finds on the map.
    fn on<T>(&self, act: impl FnOnce(&Scatter) -> T) -> Option<T> {
        let points = &self.map()?.points;
        let name = |row| self.data.letter(row);
        let groups = self.shown_groups();
        let of = |row| groups.and_then(|groups| groups.all.place(row));
        let only = self.groups.only();
        let selected = Some(self.data.cursor.0);
        let captions = self.captions.shown(only);
        let groups = groups.is_some().then_some(scatter::Groups { of: &of, only });
        Some(act(&Scatter { points, name: &name, selected, braille: true, focus: true, groups, captions }))
    }

    /// Brings the chosen point into sight.
    fn reveal(&mut self) {
        let mut view = self.view;
        self.on(|map| map.reveal(&mut view));
        self.view = view;
    }

    /// Returns what the next Esc does, and what it is called.
    fn next_escape(&self) -> (Action, &'static str) {
        let all = if self.shown_groups().is_some_and(|groups| groups.clusters) { "all clusters" } else { "all labels" };
        if self.tsne.is_busy() {
            (Action::Method, "stop")
        } else if self.groups.only().is_some() {
            (Action::AllLabels, all)
        } else {
            (Action::Close, "back")
        }
    }

    fn act(&mut self, action: Action, cx: &mut Cx) -> Handled<PaneEvent> {
        let go = |row: Option<usize>| row.map_or(Handled::Consumed, |row| Handled::Emit(PaneEvent::Go(row)));
        match action {
            Action::Escape => return self.act(self.next_escape().0, cx),
            Action::AllLabels => self.groups.show_all(),
            Action::Close => return Handled::Emit(PaneEvent::Close),
            Action::Resize(wider) => return Handled::Emit(PaneEvent::Resize(wider)),
            Action::Label(forward) => match self.shown_groups().map(|groups| groups.all.all.len()) {
                Some(count) => self.groups.turn(forward, count),
                None => {
                    let said = "these texts have no labels; open a file with a label column";
                    cx.notify(Notice::info(said).about("labels"));
                }
            },
            Action::Method => self.change_method(cx),
            Action::Groups => {
                self.by_cluster = !self.by_cluster;
                self.groups.show_all();
                self.group(cx);
            }
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

impl VectorPane for MapPane {
    fn update(&mut self, data: Rc<PaneData>) {
        self.data = data;
    }

    fn refresh(&mut self, cx: &mut Cx) {
        self.compute(cx);
        self.near.refresh(&self.data, self.now.as_ref(), cx);
        self.group(cx);
    }

    fn cancel(&mut self, cx: &mut Cx) {
        self.components.stop(cx);
        self.tsne.stop(cx);
        self.near.cancel(cx);
        self.groups.cancel(cx);
        self.clusters.cancel(cx);
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
        // Vectors may have come on the way of the others.
        if self.components.reply(ticket, response, cx) || self.tsne.reply(ticket, response, cx) {
            self.compute(cx);
        } else if !self.groups.reply(ticket, response, cx) && !self.clusters.reply(ticket, response, cx) {
            return Handled::Ignored;
        }
        self.group(cx);
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

    fn arrange(&mut self, area: Rect, session: &Session, _now: Instant) {
        if self.chosen != self.data.cursor.0 {
            self.chosen = self.data.cursor.0;
            self.reveal();
        }
        self.in_sight = self.is_drawn()
            && self.on(|map| map.shows(&self.view, self.map_area(area, session.spacing()))) == Some(true);
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        self.draw(frame, area, context);
    }
}
