//! How far a piece of work is, on one line, and how fast it goes.
//!
//! ```text
//! ███████████████████▎░░░░░░░░░░░░░░░░   42%  4,310 of 10,000 texts  112/s   51 s left
//! ```

use std::time::{Duration, Instant};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::theme::Theme;

/// How fast a count grows: the average of the last 5 seconds.
#[derive(Clone, Debug, Default)]
pub struct Rate {
    last: Option<(Instant, u64)>,
}

impl Rate {
    /// Takes what the count is at a moment. Moments do not go back; a count that does begins anew.
    pub fn feed(&mut self, at: Instant, count: u64) {
        self.last = Some((at, count));
    }

    /// Forgets all: after a pause.
    pub fn clear(&mut self) {
        self.last = None;
    }

    /// How many a second at a moment; `None`: there are not yet 3 seconds of counts.
    pub fn per_second(&self, now: Instant) -> Option<f64> {
        let _ = now;
        None
    }

    /// How long so many more would take; `None`: not known yet, or nothing moves.
    pub fn left(&self, now: Instant, remaining: u64) -> Option<Duration> {
        let _ = (now, remaining);
        None
    }
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Things, by their name: `texts`, `pairs`.
    Count(&'static str),
    /// Bytes.
    Bytes,
}

/// How it goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum State<'a> {
    /// On its way.
    Running,
    /// `‖`: stopped by the user, goes on from here.
    Paused,
    /// `⚠` and why it waits, with what happens next: `429, again in 4 s`.
    Retry(&'a str),
    /// `✓` and where it went; may be empty.
    Done(&'a str),
    /// `✕` and why.
    Failed(&'a str),
}

/// A line of progress.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress<'a> {
    /// So far.
    pub done: u64,
    /// In all; `None`: nobody knows, a block moves and no percent is shown.
    pub total: Option<u64>,
    /// Of what.
    pub unit: Unit,
    /// A second, from [`Rate::per_second`].
    pub rate: Option<f64>,
    /// Time left, from [`Rate::left`].
    pub left: Option<Duration>,
    /// How it goes.
    pub state: State<'a>,
    /// Since it began: moves the block of an unknown total. Zero where nothing may move.
    pub elapsed: Duration,
}

impl Progress<'_> {
    /// The line in `width` columns: below 20 only the percent or the count is left.
    pub fn line(&self, width: usize) -> String {
        let _ = width;
        String::new()
    }

    /// Draws it into the first row of `area`.
    pub fn render(&self, area: Rect, buf: &mut Buffer, theme: &Theme) {
        let _ = (area, buf, theme);
    }
}
