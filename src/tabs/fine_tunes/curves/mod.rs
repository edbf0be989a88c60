//! The curves of trainings: of up to six jobs and files, one over the other.
//!
//! ```text
//! ━━ ▸ Loss · ft-8Qk support-v3 ━━━━━━━━━━━━━━━ step 1,240 ━━
//!  3.0┤⠤⡄
//!     │ ⢶⣤⡀                        B
//!  0.4┤   ⠉⠉⠛⠛⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒A
//!     └───────────────────────────
//!      1                      1,240
//!  A train 0.66   B valid 0.89 ▲ rising since 780
//! ```
//!
//! The tab hands over the jobs that are marked ([`Plot::show`]), what becomes of them ([`Plot::job`]) and their events
//! ([`Plot::events`]); the page fetches result files itself, and reads files of the disk ([`Plot::open`]).
#![allow(dead_code, clippy::unused_self)]

use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use crate::api::call::{Progress, Ticket};
use crate::api::job::{Job, JobEvent};
use crate::record::work::Done;
use crate::settings::ProfileId;
use crate::tabs::tab::{Cx, Hint};
use crate::ui::theme::Theme;

/// Jobs and files that are drawn one over the other.
pub(super) const MOST: usize = 6;

/// What a key came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    /// It means nothing here.
    Ignored,
    /// It is done.
    Nothing,
    /// The page is to be left.
    Close,
}

/// The page.
#[derive(Debug, Default)]
pub(super) struct Plot {}

impl Plot {
    /// The jobs that are drawn, A first, at most [`MOST`]; files that were opened stay behind them as far as there is
    /// room. What is not known of them is fetched: their result files, where they have any.
    pub(super) fn show(&mut self, _profile: &ProfileId, _jobs: &[&Job], _cx: &mut Cx) {}

    /// A job as it is now: its settings, its state, its result file. Those that are not drawn cost nothing.
    pub(super) fn job(&mut self, _profile: &ProfileId, _job: &Job, _cx: &mut Cx) {}

    /// Events of a job, each once, in their order; of any job, drawn or not.
    pub(super) fn events(&mut self, _profile: &ProfileId, _job: &str, _events: &[JobEvent]) {}

    /// Opens a result file or a log of events of the disk and draws it, too. `path` as it was typed.
    pub(super) fn open(&mut self, _path: &str, _cx: &mut Cx) {}

    /// Takes the files that were opened away. Whether there were any.
    pub(super) fn clear_files(&mut self, _cx: &mut Cx) -> bool {
        false
    }

    /// Whether there is nothing to draw, as no job and no file is chosen.
    pub(super) fn is_empty(&self) -> bool {
        true
    }

    /// The last step a job's events told, and of how many, where told: for the list's bar.
    pub(super) fn step(&self, _profile: &ProfileId, _job: &str) -> Option<(f64, Option<f64>)> {
        None
    }

    /// A key. Esc takes away what is open here and is [`Ask::Close`] only then.
    pub(super) fn key(&mut self, _key: KeyEvent, _cx: &mut Cx) -> Ask {
        Ask::Ignored
    }

    /// What a call brings. Whether the ticket is its own.
    pub(super) fn progress(&mut self, _ticket: Ticket, _progress: &Progress, _cx: &mut Cx) -> bool {
        false
    }

    /// What work brings. Whether the ticket is its own.
    pub(super) fn worked(&mut self, _ticket: Ticket, _done: &Done, _cx: &mut Cx) -> bool {
        false
    }

    /// Draws it with its rule: heavy where it has the focus. The cursor of the screen is set only then.
    pub(super) fn render(&mut self, _frame: &mut Frame, _area: Rect, _theme: &Theme, _now: Instant, _focus: bool) {}

    /// Keys for the footer.
    pub(super) fn hints(&self) -> Vec<Hint> {
        Vec::new()
    }

    /// All keys, for the help page.
    pub(super) fn help(&self) -> Vec<Hint> {
        Vec::new()
    }

    /// What the next Esc does here.
    pub(super) fn escape(&self) -> Option<&'static str> {
        None
    }
}
