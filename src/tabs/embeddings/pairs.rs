//! Pairs above a threshold, and texts that say nearly the same.
//!
//! ```text
//! ━━ ▸ Pairs above 0.80 ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 1 of 6 ━━
//!    pair   cosine ▾  first                   second
//!  ▌ A–B       0.870  A refund within 30 da…  money back guarantee
//!    F–G       0.870  change my password      reset login
//! ```

mod draw;
#[cfg(test)]
mod tests;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::flight::{Answer, Flight, Of};
use super::pane::{Ask, Look, Pane, Read};
use crate::api::call::Ticket;
use crate::component::{Cx, Hint};
use crate::record::vectors::{self, Figures, Sum};
use crate::record::work::Done;
use crate::ui::keys::Keymap;
use crate::ui::table::View;

/// Pairs that are named at most.
const MOST: usize = 10_000;
/// Texts up to which pairs are summed up without being asked for.
const AT_ONCE: usize = 5_000;
/// From here on two texts say nearly the same, unless the user says otherwise.
const DUPLICATES: f32 = 0.95;
/// What sums of 32-bit numbers may miss: pairs that near to the threshold belong to it.
const ROUNDING: f32 = 2e-6;

/// Which list it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum List {
    /// Pairs above the tab's threshold.
    Above,
    /// Near-duplicates, above a threshold of their own.
    Duplicates,
}

/// What was summed up.
#[derive(Debug)]
struct Known {
    of: Of,
    above: f32,
    pairs: vectors::Pairs,
}

/// The pane.
#[derive(Debug)]
pub(super) struct Pairs {
    keys: Keymap<Action>,
    list: List,
    /// Threshold of near-duplicates.
    duplicates: f32,
    flight: Flight,
    /// The threshold of what is under way.
    asked: f32,
    known: Option<Known>,
    /// The vectors that were there when it last looked.
    now: Option<Of>,
    /// Stopped by the user: it is not begun again by itself.
    stopped: bool,
    view: View,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    /// By rows.
    By(isize),
    /// By pages.
    Pages(isize),
    Home,
    End,
    Scroll(isize),
    /// The threshold by hundredths.
    Move(i8),
    Duplicates,
    Open,
    Sum,
    Close,
}

/// What the keys do.
const KEYS: &[(&str, Action, &str)] = &[
    ("+ =", Action::Move(1), "raise the threshold"),
    ("- _", Action::Move(-1), "lower the threshold"),
    ("d", Action::Duplicates, "near-duplicates / pairs"),
    ("enter", Action::Open, "both texts; sum up where there is no list yet"),
    ("s", Action::Sum, "sum up again"),
    ("j down", Action::By(1), "down"),
    ("k up", Action::By(-1), "up"),
    ("pagedown ctrl-d", Action::Pages(1), "page down"),
    ("pageup ctrl-u", Action::Pages(-1), "page up"),
    ("g home", Action::Home, "first"),
    ("G end", Action::End, "last"),
    ("l right", Action::Scroll(1), "columns on the right"),
    ("h left", Action::Scroll(-1), "columns on the left"),
    ("esc", Action::Close, "stop the sum; back"),
];

impl Default for Pairs {
    fn default() -> Self {
        Self {
            keys: Keymap::new(KEYS),
            list: List::Above,
            duplicates: DUPLICATES,
            flight: Flight::default(),
            asked: DUPLICATES,
            known: None,
            now: None,
            stopped: false,
            view: View::default(),
        }
    }
}

impl Pairs {
    /// The threshold of the list in front.
    fn above(&self, read: &Read) -> f32 {
        match self.list {
            List::Above => read.above,
            List::Duplicates => self.duplicates,
        }
    }

    /// Asks for the pairs above a threshold, unless they are known or under way. A long list waits until it is asked for.
    fn sum(&mut self, above: f32, wanted: bool, read: &Read, cx: &mut Cx) {
        self.now = Of::now(read, self.now.take());
        let (Some(of), Some(table)) = (self.now.clone(), &read.table) else {
            self.known = None;
            self.flight.stop(cx);
            return;
        };
        if self.known.as_ref().is_some_and(|known| !known.of.same_texts(&of)) {
            self.known = None;
        }
        if self.flight.of().is_some_and(|under_way| !under_way.same_texts(&of)) {
            self.flight.stop(cx);
        }
        let holds = self.known.as_ref().is_some_and(|known| known.of == of && known.holds(above));
        // Of the same texts with fewer vectors: it is left to its end.
        let under_way = self.flight.of().is_some() && self.asked <= above;
        if !wanted && (holds || self.flight.failed_of(&of) || under_way || self.stopped || read.texts.len() > AT_ONCE) {
            return;
        }
        if table.present() > 1 {
            self.stopped = false;
            self.asked = above;
            self.flight.ask(of, Sum::Pairs { table: table.clone(), above, most: MOST }, cx);
        }
    }

    /// The pairs above the threshold, most similar first, and whether there may be more than are named.
    fn pairs(&self, read: &Read) -> (&[(u32, u32, f32)], bool) {
        let above = self.above(read);
        let Some(known) = &self.known else { return (&[], false) };
        let many = known.pairs.pairs.partition_point(|pair| pair.2 >= above - ROUNDING);
        (&known.pairs.pairs[..many], many == known.pairs.pairs.len() && known.pairs.total > many as u64)
    }

    /// Whether what is shown is what would be summed up now.
    fn is_current(&self, read: &Read) -> bool {
        let Some(known) = &self.known else { return false };
        known.holds(self.above(read)) && self.now.as_ref() == Some(&known.of)
    }

    fn lift(&mut self, hundredths: i8, read: &Read, cx: &mut Cx) -> Ask {
        let above = (f64::from(self.above(read)) * 100.0).round() + f64::from(hundredths);
        let above = (above / 100.0).clamp(-1.0, 1.0) as f32;
        self.view.home();
        if self.list == List::Duplicates {
            self.duplicates = above;
        }
        self.sum(above, false, read, cx);
        if self.list == List::Above { Ask::Above(above) } else { Ask::Nothing }
    }
}

impl Known {
    /// Whether all pairs above a threshold are among those that are named.
    fn holds(&self, above: f32) -> bool {
        let all = self.pairs.total <= self.pairs.pairs.len() as u64;
        // Of pairs that are cut off at the end those above the last one are all there.
        above >= self.above
            && (all || above >= self.pairs.pairs.last().map_or(2.0, |last| last.2) || above <= self.above)
    }
}

impl Pane for Pairs {
    fn fresh(&mut self, read: &Read, cx: &mut Cx) {
        self.sum(self.above(read), false, read, cx);
    }

    fn stop(&mut self, cx: &mut Cx) {
        self.flight.stop(cx);
    }

    fn key(&mut self, key: KeyEvent, read: &Read, cx: &mut Cx) -> Ask {
        let Some(action) = self.keys.find(&key) else { return Ask::Ignored };
        let len = self.pairs(read).0.len();
        match action {
            Action::By(rows) => self.view.by(rows, len),
            Action::Pages(pages) => self.view.pages(pages, len),
            Action::Home => self.view.home(),
            Action::End => self.view.end(len),
            Action::Scroll(columns) => self.view.scroll(columns),
            Action::Move(hundredths) => return self.lift(hundredths, read, cx),
            Action::Duplicates => {
                self.list = if self.list == List::Above { List::Duplicates } else { List::Above };
                self.view.home();
                self.sum(self.above(read), false, read, cx);
            }
            Action::Open => match self.pairs(read).0.get(self.view.cursor.selected.min(len.saturating_sub(1))) {
                Some((first, second, _)) => return Ask::Pair(*first as usize, *second as usize),
                None if self.flight.of().is_none() => self.sum(self.above(read), true, read, cx),
                None => {}
            },
            Action::Sum => self.sum(self.above(read), true, read, cx),
            Action::Close => {
                self.stopped = self.flight.stop(cx);
                return if self.stopped { Ask::Nothing } else { Ask::Close };
            }
        }
        Ask::Nothing
    }

    fn worked(&mut self, ticket: Ticket, done: &Done, read: &Read, cx: &mut Cx) -> bool {
        match self.flight.take(ticket, done, cx) {
            Answer::Strange => return false,
            Answer::Figures(of, Figures::Pairs(pairs)) => {
                self.known = Some(Known { of, above: self.asked, pairs: pairs.clone() });
                // Vectors may have come on the way.
                self.sum(self.above(read), false, read, cx);
            }
            Answer::Said | Answer::Figures(..) => {}
        }
        true
    }

    fn render(&mut self, frame: &mut Frame, area: Rect, look: &Look, read: &Read) {
        self.draw(frame, area, look, read);
    }

    fn hints(&self, read: &Read) -> Vec<Hint> {
        let other = if self.list == List::Above { "near-duplicates" } else { "pairs" };
        let enter = if self.pairs(read).0.is_empty() { "sum up" } else { "both texts" };
        let esc = self.escape().unwrap_or("back");
        vec![
            Hint::new("⏎", enter),
            Hint::new("+ −", "threshold"),
            Hint::new("d", other),
            Hint::new("s", "sum up again"),
            Hint::new("esc", esc),
        ]
    }

    fn help(&self) -> Vec<Hint> {
        Hint::table(&self.keys)
    }

    fn escape(&self) -> Option<&'static str> {
        self.flight.of().map(|_| "stop the sum")
    }
}
