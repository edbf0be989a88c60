//! The list of runs: what was asked of whom, what it used, how it ended. Any of them is opened again.

mod draw;
mod keys;
#[cfg(test)]
mod tests;

use crossterm::event::KeyEvent;
use ratatui::layout::Rect;

use self::keys::{Action, KEYS};
use crate::component::{Find, FindBar, Handled, Hint, Motion};
use crate::record::{Id, Run};
use crate::text::Untrusted;
use crate::ui::list::Cursor;
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
    pub(super) zone: &'a Zone,
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

/// The list's cursor and filter; the runs themselves are the owner's, newest first.
#[derive(Debug, Default)]
pub(super) struct Runs {
    cursor: Cursor,
    find: FindBar,
    /// Indices of the runs that the filter leaves, and of which runs: how many, and the newest.
    found: Vec<usize>,
    of: Option<(usize, Option<Id>)>,
    /// What a run is found by, a text for each, and of which runs; made when it is first needed.
    words: Vec<String>,
    words_of: Option<(usize, Option<Id>)>,
    /// Rows of the list on the screen.
    page: usize,
}

impl Runs {
    /// Puts the cursor on a run, where it is in the list.
    pub(super) fn select(&mut self, id: Id, runs: &[Run]) {
        self.find(runs);
        if let Some(at) = self.found.iter().position(|at| runs[*at].id == id) {
            self.cursor.selected = at;
        }
    }

    /// Returns how many runs the filter leaves.
    pub(super) fn count(&self) -> usize {
        self.found.len()
    }

    /// Returns how many runs there are.
    fn all(&self) -> usize {
        self.of.map_or(0, |(runs, _)| runs)
    }

    /// Fits the list to its area and to the runs there are: before keys and frames.
    pub(super) fn arrange(&mut self, area: Rect, runs: &[Run]) {
        self.find(runs);
        self.page = usize::from(area.height - self.rows_below(area));
        if !self.found.is_empty() {
            self.cursor.window(self.page, self.found.len());
        }
    }

    /// Returns how many rows the filter takes below the list.
    fn rows_below(&self, area: Rect) -> u16 {
        u16::from(area.height >= 2 && self.holds())
    }

    /// Whether words to filter by are typed.
    pub(super) fn typing(&self) -> bool {
        self.find.is_typing()
    }

    /// Whether Esc has something to undo here before it leaves.
    pub(super) fn holds(&self) -> bool {
        self.find.is_shown()
    }

    /// Pastes into the filter being typed. Whether one is.
    pub(super) fn paste(&mut self, text: &str) -> bool {
        let typing = self.find.paste(text);
        if typing {
            self.refilter();
        }
        typing
    }

    /// Handles a key.
    pub(super) fn handle(&mut self, key: KeyEvent, runs: &[Run]) -> Handled<Event> {
        self.find(runs);
        if self.find.is_typing() {
            match self.find.key(key) {
                Find::Move(motion) => self.cursor.by(motion.rows(1), self.found.len()),
                Find::Changed | Find::Cleared => self.refilter(),
                Find::Done | Find::Ignored => {}
            }
            return Handled::Consumed;
        }
        match KEYS.find(&key) {
            // No row of a page stays in view.
            Some(Action::Move(motion)) => self.cursor.by(motion.rows(self.page.max(1) + 1), self.found.len()),
            Some(Action::Filter) => {
                self.read(runs);
                self.find.open();
            }
            Some(Action::Open) => {
                return self.here(runs).map_or(Handled::Consumed, |run| Handled::Emit(Event::Open(run.id)));
            }
            Some(Action::Escape) if self.holds() => {
                let here = self.here(runs).map(|run| run.id);
                self.find.clear();
                self.refilter();
                if let Some(id) = here {
                    self.select(id, runs);
                }
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

    fn here<'a>(&self, runs: &'a [Run]) -> Option<&'a Run> {
        self.found.get(self.cursor.selected).map(|at| &runs[*at])
    }

    /// Filters anew and goes to the first row.
    fn refilter(&mut self) {
        self.of = None;
        self.cursor = Cursor::default();
    }

    /// Finds what the filter leaves, where that may be something else than before. A run that came keeps the cursor on
    /// the one it was on.
    fn find(&mut self, runs: &[Run]) {
        let of = (runs.len(), runs.first().map(|run| run.id));
        if self.of == Some(of) {
            return;
        }
        let grown = self.of.filter(|_| self.cursor.selected > 0).map(|_| self.found.len());
        let words = Untrusted::from(self.find.words()).line().trim().to_lowercase();
        self.found = if words.is_empty() {
            (0..runs.len()).collect()
        } else {
            self.read(runs);
            let fits = self.words.iter().enumerate().filter(|(_, text)| text.contains(&words));
            fits.map(|(at, _)| at).collect()
        };
        if let Some(before) = grown {
            self.cursor.by(self.found.len() as isize - before as isize, self.found.len());
        }
        self.of = Some(of);
    }

    /// Makes the texts that runs are found by, where they are other runs than before: then a letter of the filter costs
    /// a scan of them and no more.
    fn read(&mut self, runs: &[Run]) {
        let of = (runs.len(), runs.first().map(|run| run.id));
        if self.words_of == Some(of) {
            return;
        }
        let text = |run: &Run| {
            let parts = [&run.model, &run.excerpt, &run.profile];
            parts.map(|part| part.line().to_lowercase()).join("\n")
        };
        self.words = runs.iter().map(text).collect();
        self.words_of = Some(of);
    }
}
