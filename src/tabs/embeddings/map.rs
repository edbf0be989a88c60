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
mod near;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use self::groups::Groups;
use self::near::Near;
use super::flight::{Answer, Flight, Of};
use super::pane::{Ask, Look, Pane, Read};
use crate::api::call::Ticket;
use crate::component::{Cx, Hint, Notice};
use crate::record::vectors::{self, Figures, Sum};
use crate::record::work::Done;
use crate::ui::keys::Keymap;
use crate::ui::scatter::{self, Scatter, View};

/// The pane.
#[derive(Debug)]
pub(super) struct Map {
    keys: Keymap<Action>,
    flight: Flight,
    /// The map, and of which vectors it is.
    known: Option<(Of, Arc<vectors::Map>)>,
    /// The vectors that were there when it last looked.
    now: Option<Of>,
    view: View,
    /// The text that was shown as chosen: when it is another, the map moves to it.
    chosen: usize,
    /// Whether the chosen point shows.
    in_sight: bool,
    near: Near,
    groups: Groups,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    /// To the next point that way: right, up.
    Go(i8, i8),
    /// Another part: right, up.
    Pan(i8, i8),
    Zoom(i8),
    All,
    Choose,
    /// To the next label alone, or the one before.
    Label(bool),
    Close,
}

/// What the keys do.
const KEYS: &[(&str, Action, &str)] = &[
    ("+ =", Action::Zoom(1), "closer"),
    ("- _", Action::Zoom(-1), "farther"),
    ("0", Action::All, "all points"),
    ("left", Action::Pan(-1, 0), "pan left"),
    ("right", Action::Pan(1, 0), "pan right"),
    ("up", Action::Pan(0, 1), "pan up"),
    ("down", Action::Pan(0, -1), "pan down"),
    ("h", Action::Go(-1, 0), "next point left"),
    ("l", Action::Go(1, 0), "next point right"),
    ("k", Action::Go(0, 1), "next point up"),
    ("j", Action::Go(0, -1), "next point down"),
    ("enter", Action::Choose, "both texts of it and its nearest; where it is out of sight: select"),
    (".", Action::Label(true), "next label alone, then all"),
    (",", Action::Label(false), "label before"),
    ("esc", Action::Close, "all labels; back"),
];

impl Default for Map {
    fn default() -> Self {
        Self {
            keys: Keymap::new(KEYS),
            flight: Flight::default(),
            known: None,
            now: None,
            view: View::default(),
            chosen: 0,
            in_sight: false,
            near: Near::default(),
            groups: Groups::default(),
        }
    }
}

impl Map {
    /// Asks for the map of what is there now, unless it is known or under way. One of fewer vectors of the same texts is
    /// left to its end, and shown until the next.
    fn sum(&mut self, read: &Read, cx: &mut Cx) {
        self.now = Of::now(read, self.now.take());
        let of = self.now.clone().filter(|_| read.table.as_ref().is_some_and(|table| table.present() > 1));
        let (Some(of), Some(table)) = (of, &read.table) else {
            self.known = None;
            self.flight.stop(cx);
            return;
        };
        if self.known.as_ref().is_some_and(|(known, _)| !known.same_texts(&of)) {
            self.known = None;
            self.view.reset();
        }
        let is_known = self.known.as_ref().is_some_and(|(known, _)| *known == of);
        let failed = self.flight.failed_of(&of);
        if !is_known && !failed && !self.flight.of().is_some_and(|under_way| under_way.same_texts(&of)) {
            self.flight.ask(of, Sum::Map(table.clone()), cx);
        }
    }

    /// The points of the texts that are there.
    fn points<'a>(&'a self, read: &Read) -> Option<&'a [Option<[f32; 2]>]> {
        let (_, map) = self.known.as_ref()?;
        (map.points.len() == read.texts.len()).then_some(&map.points)
    }

    /// What `act` finds on the map.
    fn on<T>(&self, read: &Read, act: impl FnOnce(&Scatter) -> T) -> Option<T> {
        let name = |row| read.letter(row);
        let points = self.points(read)?;
        let of = |row| read.labels.place(row);
        let groups = (!read.labels.is_empty()).then(|| scatter::Groups { of: &of, only: self.groups.only() });
        let selected = Some(read.cursor.0);
        // Where the cursor is is asked for in any case: it says whether the point shows.
        Some(act(&Scatter { points, name: &name, selected, braille: true, focus: true, groups }))
    }

    fn go(&mut self, to: Option<usize>, read: &Read, cx: &mut Cx) -> Ask {
        let Some(row) = to else { return Ask::Nothing };
        self.near.of(row, read, self.now.as_ref(), cx);
        Ask::Go(row)
    }
}

impl Pane for Map {
    fn fresh(&mut self, read: &Read, cx: &mut Cx) {
        self.sum(read, cx);
        self.near.of(read.cursor.0, read, self.now.as_ref(), cx);
        self.groups.fresh(read, self.now.as_ref(), cx);
    }

    fn stop(&mut self, cx: &mut Cx) {
        self.flight.stop(cx);
        self.near.stop(cx);
        self.groups.stop(cx);
    }

    fn key(&mut self, key: KeyEvent, read: &Read, cx: &mut Cx) -> Ask {
        let Some(action) = self.keys.find(&key) else { return Ask::Ignored };
        match action {
            Action::Close if self.groups.all() => {}
            Action::Close => return Ask::Close,
            Action::Label(_) if read.labels.is_empty() => {
                let said = "these texts have no labels; a file with a label column gives them";
                cx.notify(Notice::hint(said).about("labels"));
            }
            Action::Label(forward) => self.groups.turn(forward, read),
            Action::Zoom(steps) => {
                self.view.zoom(steps);
                // What is chosen stays in sight, unless it was panned out of it.
                if self.in_sight {
                    let mut view = self.view;
                    self.on(read, |map| map.reveal(&mut view));
                    self.view = view;
                }
            }
            Action::All => self.view.reset(),
            Action::Pan(right, up) => self.view.pan(right, up),
            Action::Go(right, up) => {
                let to = self.on(read, |map| map.next(right, up)).flatten();
                return self.go(to, read, cx);
            }
            Action::Choose if self.in_sight => {
                let nearest = self.near.rows(read).first().map(|(row, _)| *row as usize);
                return nearest.map_or(Ask::Nothing, |row| Ask::Pair(read.cursor.0, row));
            }
            Action::Choose => {
                let to = self.on(read, |map| map.middle(&self.view)).flatten();
                return self.go(to, read, cx);
            }
        }
        Ask::Nothing
    }

    fn worked(&mut self, ticket: Ticket, done: &Done, read: &Read, cx: &mut Cx) -> bool {
        if self.near.worked(ticket, done, cx) {
            return true;
        }
        if self.groups.worked(ticket, done, cx) {
            // Vectors may have come on the way.
            self.groups.fresh(read, self.now.as_ref(), cx);
            return true;
        }
        match self.flight.take(ticket, done, cx) {
            Answer::Strange => return false,
            Answer::Figures(of, Figures::Map(map)) => {
                self.known = Some((of, map.clone()));
                // Vectors may have come on the way.
                self.sum(read, cx);
            }
            Answer::Said | Answer::Figures(..) => {}
        }
        true
    }

    fn render(&mut self, frame: &mut Frame, area: Rect, look: &Look, read: &Read) {
        self.draw(frame, area, look, read);
    }

    fn hints(&self, read: &Read) -> Vec<Hint> {
        let choose = if self.in_sight { "pair with nearest" } else { "select" };
        let label = if read.labels.is_empty() { Vec::new() } else { vec![Hint::new(". ,", "one label")] };
        let keys = vec![
            Hint::new("+ −", "zoom"),
            Hint::new("←↑↓→", "pan"),
            Hint::new("hjkl", "next point"),
            Hint::new("⏎", choose),
            Hint::new("0", "all"),
            Hint::new("esc", "back"),
        ];
        [label, keys].concat()
    }

    fn escape(&self) -> Option<&'static str> {
        self.groups.only().map(|_| "all labels")
    }

    fn help(&self) -> Vec<Hint> {
        Hint::table(&self.keys)
    }
}
