//! A list of messages of which only what is visible is wrapped and drawn.
//!
//! Heights are measured when an entry becomes visible and guessed before; the view is anchored to an entry and a row of
//! it, so that nothing jumps when the width changes, when older entries are prepended or when a guess was wrong. When
//! it is arranged, entries outside the view drop what was computed from their texts.

mod draw;
mod entry;
mod find;
mod look;
mod offscreen;
mod rows;
mod selection;

use ratatui::layout::{Position, Rect};

pub use entry::{Entry, FOLD};
use entry::{EntryRow, ShownRow};
pub use look::EntryLook;
use look::Fit;

use crate::ui::pane::Spacing;

/// The most columns of text.
pub const COLUMN: usize = 96;

/// What is under the mouse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit<K> {
    /// The message.
    pub id: K,
    /// The code block, by its number in the message.
    pub code: Option<usize>,
}

/// Messages, oldest first.
#[derive(Clone, Debug)]
pub struct Transcript<K> {
    entries: Vec<Entry<K>>,
    fit: Fit,
    area: Rect,
    /// What is in view, row by row, as of the last time it was arranged.
    rows: Vec<ShownRow>,
    /// The entry and its row at the top of the view.
    top: (usize, usize),
    follow: bool,
    /// Number of entries, and of rows of the last one, when following ended.
    seen: (usize, usize),
    /// Number of rows since then, as of the last time it was arranged.
    new_lines: usize,
    selected: Option<(K, Option<usize>)>,
    /// The message for keys while none is selected.
    target: Option<K>,
    find: find::Find,
    /// Entries that are wrapped.
    wrapped: Vec<usize>,
    /// Whether the terminal supports hyperlinks.
    hyperlinks: bool,
}

impl<K: Copy + Eq + Ord> Default for Transcript<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Copy + Eq + Ord> Transcript<K> {
    /// Creates a transcript without messages, following the end.
    pub fn new() -> Self {
        Self {
            entries: Vec::new(),
            fit: Fit { width: COLUMN, ..Fit::default() },
            area: Rect::ZERO,
            rows: Vec::new(),
            top: (0, 0),
            follow: true,
            seen: (0, 0),
            new_lines: 0,
            selected: None,
            target: None,
            find: find::Find::default(),
            wrapped: Vec::new(),
            hyperlinks: false,
        }
    }

    /// Sets whether links are passed to the terminal, which opens them.
    pub fn set_hyperlinks(&mut self, on: bool) {
        self.hyperlinks = on;
    }

    /// Returns the messages.
    pub fn entries(&self) -> &[Entry<K>] {
        &self.entries
    }

    /// Returns the messages mutably, to change their titles or how they are shown.
    pub fn entries_mut(&mut self) -> &mut [Entry<K>] {
        &mut self.entries
    }

    /// Returns the messages from the first visible one on, as many as the view has rows: the only ones that can be
    /// visible.
    pub fn visible(&self) -> std::ops::Range<usize> {
        let end = (self.top.0 + usize::from(self.area.height)).min(self.entries.len());
        self.top.0.min(end)..end
    }

    /// Appends a message.
    pub fn push(&mut self, entry: Entry<K>) {
        self.entries.push(entry);
    }

    /// Inserts older messages, oldest first, before all others; the view stays where it is.
    pub fn prepend(&mut self, mut older: Vec<Entry<K>>) {
        let count = older.len();
        older.append(&mut self.entries);
        self.entries = older;
        self.top.0 += count;
        self.seen.0 += count;
        self.wrapped.iter_mut().for_each(|at| *at += count);
        self.find.shift(count);
    }

    /// Returns a message mutably, to append to it or to change its title.
    pub fn get_mut(&mut self, id: K) -> Option<&mut Entry<K>> {
        // Nearly always the last one.
        self.entries.iter_mut().rev().find(|entry| entry.id() == id)
    }

    /// Removes a message and all after it.
    pub fn remove_from(&mut self, id: K) {
        if let Some(at) = self.index(id) {
            self.entries.truncate(at);
            self.wrapped.retain(|wrapped| *wrapped < at);
            self.seen = self.seen.min((at, usize::MAX));
            self.find.forget(at);
            if self.selected.is_some_and(|(id, _)| self.index(id).is_none()) {
                self.selected = None;
            }
        }
    }

    /// Removes everything.
    pub fn clear(&mut self) {
        *self = Self { fit: self.fit, area: self.area, hyperlinks: self.hyperlinks, ..Self::new() };
    }

    /// Sets the columns to wrap at, at most [`COLUMN`]; the top of the view stays.
    pub fn set_width(&mut self, width: usize) {
        self.refit(Fit { width: width.clamp(1, COLUMN), ..self.fit });
    }

    /// Sets how messages are distinguished; the top of the view stays.
    pub fn set_spacing(&mut self, spacing: Spacing) {
        self.refit(Fit { spacing, ..self.fit });
    }

    fn refit(&mut self, fit: Fit) {
        if fit == self.fit {
            return;
        }
        let (at, row) = self.top;
        let place = self.part(at, row);
        self.fit = fit;
        if at < self.entries.len() {
            let height = self.measure(at);
            self.top.1 = match place {
                Some(EntryRow::Text(block, found)) => {
                    self.entries[at].row_of(block, found.line, found.start).unwrap_or(0)
                }
                _ => row,
            }
            .min(height - 1);
        }
    }

    fn index(&self, id: K) -> Option<usize> {
        self.entries.iter().rposition(|entry| entry.id() == id)
    }

    /// Returns the view's top when the last row is at its bottom.
    fn end(&mut self) -> (usize, usize) {
        let mut missing = usize::from(self.area.height);
        let mut at = self.entries.len();
        while at > 0 {
            at -= 1;
            let height = self.measure(at);
            if height >= missing {
                return (at, height - missing);
            }
            missing -= height;
        }
        (0, 0)
    }

    /// Restores a valid view after any change.
    fn settle(&mut self) {
        let end = self.end();
        if self.follow {
            self.top = end;
            return;
        }
        let height = self.measure(self.top.0);
        self.top.1 = self.top.1.min(height.saturating_sub(1));
        self.top = self.top.min(end);
    }

    /// Scrolls by rows; scrolling down to the end resumes following.
    pub fn scroll(&mut self, rows: isize) {
        self.settle();
        if rows < 0 {
            self.leave();
        }
        let mut left = rows.unsigned_abs();
        while left > 0 {
            if rows < 0 {
                if left <= self.top.1 {
                    self.top.1 -= left;
                    break;
                }
                if self.top.0 == 0 {
                    self.top.1 = 0;
                    break;
                }
                left -= self.top.1 + 1;
                self.top.0 -= 1;
                self.top.1 = self.measure(self.top.0).saturating_sub(1);
            } else {
                let height = self.measure(self.top.0);
                if self.top.1 + left < height {
                    self.top.1 += left;
                    break;
                }
                if self.top.0 + 1 >= self.entries.len() {
                    self.follow = true;
                    break;
                }
                left -= height - self.top.1;
                self.top = (self.top.0 + 1, 0);
            }
        }
        let end = self.end();
        if rows > 0 && self.top >= end {
            self.follow = true;
        }
        self.settle();
    }

    /// Scrolls by screens.
    pub fn page(&mut self, pages: isize) {
        self.scroll(pages * (self.area.height as isize - 1).max(1));
    }

    /// Scrolls to the first row.
    pub fn top(&mut self) {
        self.leave();
        self.top = (0, 0);
    }

    /// Scrolls to the end and follows it.
    pub fn bottom(&mut self) {
        self.follow = true;
    }

    /// Returns whether the end is followed.
    pub fn follow(&self) -> bool {
        self.follow
    }

    /// Sets whether the end is followed.
    pub fn set_follow(&mut self, follow: bool) {
        if follow {
            self.follow = true;
        } else {
            self.leave();
        }
    }

    fn leave(&mut self) {
        if self.follow {
            self.settle();
            self.follow = false;
            let last = self.entries.len().saturating_sub(1);
            self.seen = (self.entries.len(), self.measure(last));
        }
    }

    /// Returns the rows that were added since following ended, as of the last time it was arranged.
    pub fn new_lines(&self) -> usize {
        self.new_lines
    }

    fn count_new_lines(&mut self) {
        self.new_lines = 0;
        if !self.follow {
            let (count, height) = self.seen;
            let grown = if count > 0 { self.measure(count - 1).saturating_sub(height) } else { 0 };
            self.new_lines = grown + (count..self.entries.len()).map(|at| self.measure(at)).sum::<usize>();
        }
    }

    /// Returns whether the view begins with the first row.
    pub fn is_at_top(&self) -> bool {
        self.top == (0, 0)
    }

    /// Returns how far down the view is, 0 to 100. Entries that were never measured are estimated.
    pub fn percent(&self) -> u8 {
        if self.follow {
            return 100;
        }
        let guess = |entry: &Entry<K>| entry.guess(self.fit);
        let total: usize = self.entries.iter().map(guess).sum();
        let above = self.entries.iter().take(self.top.0).map(guess).sum::<usize>() + self.top.1;
        let range = total.saturating_sub(usize::from(self.area.height));
        (above * 100).checked_div(range).map_or(100, |percent| percent.min(100) as u8)
    }

    /// Scrolls to a row of an entry.
    fn show(&mut self, at: usize, row: usize) {
        self.settle();
        let mut down = 0;
        let mut place = self.top;
        while place < (at, row) && down < usize::from(self.area.height) {
            let height = self.measure(place.0);
            place = if place.1 + 1 < height { (place.0, place.1 + 1) } else { (place.0 + 1, 0) };
            down += 1;
        }
        if (at, row) < self.top || down >= usize::from(self.area.height) {
            self.leave();
            self.top = (at, row);
            self.settle();
        }
    }

    /// Returns what is at a position of the screen.
    pub fn hit(&self, position: Position) -> Option<Hit<K>> {
        let shown = self.rows.get(usize::from(position.y.checked_sub(self.area.y)?));
        let shown = shown.filter(|_| self.area.contains(position))?;
        let entry = self.entries.get(shown.at)?;
        let code = match shown.part {
            EntryRow::Text(block, row) => entry.doc().code_at(block, row.line),
            _ => None,
        };
        Some(Hit { id: entry.id(), code })
    }
}
