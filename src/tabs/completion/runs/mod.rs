//! The list of runs: prompt, model, tokens, cost, and how each ended. Each can be opened again.

mod draw;
pub(super) mod keys;
#[cfg(test)]
mod tests;

use std::cell::OnceCell;

use crossterm::event::KeyEvent;
use ratatui::layout::Rect;

use self::keys::{Action, KEYS};
use crate::component::{FindBar, FindBarEvent, Handled, Hint, Motion};
use crate::record::{Id, Run};
use crate::text::Untrusted;
use crate::ui::item_list::{ItemList, Keyed};
use crate::ui::pane::Spacing;
use crate::ui::theme::Theme;
use crate::ui::time::Zone;

/// What a key in the list asks of its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// Open this run again.
    Open(Id),
    /// The list is done with.
    Close,
}

/// What the rows are drawn with.
#[derive(Clone, Copy)]
pub(super) struct RunListContext<'a> {
    /// The profile in use: others are named.
    pub(super) profile: &'a Untrusted,
    /// Unix milliseconds now: runs of other days show their date.
    pub(super) now_ms: i64,
    pub(super) zone: Zone,
    /// Runs that are under way.
    pub(super) live: &'a [Id],
    /// The glyph of a run that is under way.
    pub(super) spin: &'a str,
    pub(super) theme: &'a Theme,
    /// Whether the list has the keys.
    pub(super) focus: bool,
    /// What is free at both sides of a row.
    pub(super) spacing: Spacing,
}

impl RunListContext<'_> {
    /// Returns an area without the blank columns at both sides.
    fn inner(&self, area: Rect) -> Rect {
        self.spacing.padded(area)
    }
}

/// Returns all keys of the list, for the help page.
pub(super) fn help() -> Vec<Hint> {
    KEYS.help()
}

/// A run by its place among the owner's.
#[derive(Debug)]
struct RunRow {
    id: Id,
    place: usize,
    /// What it is found by, made when it is first needed: then a letter of the filter costs a scan of them and no more.
    words: OnceCell<String>,
}

impl RunRow {
    fn holds(&self, words: &str, runs: &[Run]) -> bool {
        let text = |run: &Run| {
            let parts = [&run.model, &run.excerpt, &run.profile];
            parts.map(|part| part.line().to_lowercase()).join("\n")
        };
        self.words.get_or_init(|| text(&runs[self.place])).contains(words)
    }
}

impl Keyed for RunRow {
    type Key = Id;

    fn key(&self) -> &Id {
        &self.id
    }
}

/// The list's cursor and filter; the runs themselves are the owner's, newest first.
#[derive(Debug, Default)]
pub(super) struct Runs {
    list: ItemList<RunRow>,
    find: FindBar,
    /// Of which runs the list is: how many, and the newest.
    of: (usize, Option<Id>),
}

impl Runs {
    /// Puts the cursor on a run, where it is in the list.
    pub(super) fn select(&mut self, id: Id, runs: &[Run]) {
        self.sync(runs);
        self.list.select(&id);
    }

    /// Returns how many runs the filter leaves.
    pub(super) fn count(&self) -> usize {
        self.list.len()
    }

    /// Returns how many runs there are.
    fn all(&self) -> usize {
        self.list.items().len()
    }

    /// Fits the list to its area and to the runs there are: before keys and frames.
    pub(super) fn arrange(&mut self, area: Rect, runs: &[Run]) {
        self.sync(runs);
        let (len, page) = (self.list.len(), usize::from(area.height - self.rows_below(area)));
        self.list.view.page = page;
        self.list.view.cursor.window(page, len);
    }

    /// Returns how many rows the filter takes below the list.
    fn rows_below(&self, area: Rect) -> u16 {
        u16::from(area.height >= 2 && self.holds())
    }

    /// Returns whether words to filter by are typed.
    pub(super) fn typing(&self) -> bool {
        self.find.is_typing()
    }

    /// Returns whether Esc has something to undo here before it leaves.
    pub(super) fn holds(&self) -> bool {
        self.find.is_shown()
    }

    /// Pastes into the filter being typed. Returns whether one is.
    pub(super) fn paste(&mut self, text: &str, runs: &[Run]) -> bool {
        let typing = self.find.paste(text);
        if typing {
            self.filter_from_first(runs);
        }
        typing
    }

    /// Handles a key.
    pub(super) fn handle(&mut self, key: KeyEvent, runs: &[Run]) -> Handled<Event> {
        self.sync(runs);
        if self.find.is_typing() {
            match self.find.key(key) {
                FindBarEvent::Moved(motion) => self.list.view.move_by(motion.rows(1), self.list.len()),
                FindBarEvent::Changed => self.filter_from_first(runs),
                FindBarEvent::Cancelled => self.filter(runs),
                FindBarEvent::Submitted | FindBarEvent::Ignored => {}
            }
            return Handled::Consumed;
        }
        match KEYS.find(&key) {
            // A page keeps no row visible.
            Some(Action::Move(motion)) => {
                self.list.view.move_by(motion.rows(self.list.view.page.max(1) + 1), self.list.len());
            }
            Some(Action::Filter) => self.find.start_typing(),
            Some(Action::Open) => {
                return self.list.selected_item().map_or(Handled::Consumed, |row| Handled::Emit(Event::Open(row.id)));
            }
            Some(Action::Escape) if self.holds() => {
                self.find.clear();
                self.filter(runs);
            }
            Some(Action::Escape) => return Handled::Emit(Event::Close),
            None => return Handled::Ignored,
        }
        Handled::Consumed
    }

    /// Returns what the keys do here.
    pub(super) fn hints(&self) -> Vec<Hint> {
        if self.typing() {
            return [FindBar::hints(), vec![Hint::new("esc", "show all")]].concat();
        }
        KEYS.footer(&[Action::Open, Action::Move(Motion::Down), Action::Filter], self)
    }

    /// Shows what the words that are typed leave, from the first row.
    fn filter_from_first(&mut self, runs: &[Run]) {
        self.filter(runs);
        self.list.view.home();
    }

    /// Shows the runs that hold the words.
    fn filter(&mut self, runs: &[Run]) {
        let words = Untrusted::from(self.find.text()).line().trim().to_lowercase();
        self.list.filter_and_sort(|row| words.is_empty() || row.holds(&words, runs), |_, _| {});
    }

    /// Takes in runs that came or went. The cursor stays on its run, or on the newest.
    fn sync(&mut self, runs: &[Run]) {
        let of = (runs.len(), runs.first().map(|run| run.id));
        if self.of == of {
            return;
        }
        self.of = of;
        let row = |(place, run): (usize, &Run)| RunRow { id: run.id, place, words: OnceCell::new() };
        self.list.change_items_keeping_first_row(|all| *all = runs.iter().enumerate().map(row).collect());
        self.filter(runs);
    }
}
