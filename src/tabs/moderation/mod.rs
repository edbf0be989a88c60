//! Moderate: texts side by side, a row for each category of harm, with thresholds of one's own; and whole files of texts.
//!
//! `state` is the machine (events in, effects out), `view` the picture; this file joins them to the shell.
#![allow(dead_code)]

mod category;
mod file;
mod shared;
mod thresholds;

mod evaluate;

use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use self::file::FilePage;
use self::shared::Shared;
use super::Session;
use super::tab::{Cx, Hint, Tab};
use crate::api::call::{Progress, Ticket};
use crate::record::Stored;
use crate::record::work::Done;
use crate::ui::theme::Theme;

/// What a frame is drawn with.
#[derive(Clone, Copy)]
struct Look<'a> {
    session: &'a Session,
    theme: &'a Theme,
    now: Instant,
}

/// What stands in the tab.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Page {
    /// Texts side by side.
    #[default]
    Bench,
    /// A file of texts.
    File,
}

/// The Moderate tab.
#[derive(Debug, Default)]
pub struct Moderate {
    page: Page,
    shared: Shared,
    file: FilePage,
}

impl Moderate {
    /// An empty tab; it asks for what is on disk when it first comes to the front.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Tab for Moderate {
    fn title(&self) -> &'static str {
        "Moderate"
    }

    fn short(&self) -> &'static str {
        "Mod"
    }

    fn key(&mut self, key: KeyEvent, cx: &mut Cx) {
        match self.page {
            Page::Bench => {}
            Page::File => match self.file.key(key, &mut self.shared, cx) {
                file::Event::None | file::Event::Ignored => {}
                file::Event::Close | file::Event::Bench(..) => self.page = Page::Bench,
            },
        }
    }

    fn progress(&mut self, ticket: Ticket, progress: Progress, cx: &mut Cx) {
        self.file.progress(ticket, &progress, &mut self.shared, cx);
    }

    fn stored(&mut self, ticket: Ticket, stored: Stored, cx: &mut Cx) {
        self.file.stored(ticket, &stored, &mut self.shared, cx);
    }

    fn worked(&mut self, ticket: Ticket, done: Done, cx: &mut Cx) {
        self.file.worked(ticket, &done, &mut self.shared, cx);
    }

    fn enter(&mut self, cx: &mut Cx) {
        self.file.enter(&self.shared, cx);
    }

    fn render(&mut self, frame: &mut Frame, area: Rect, session: &Session, theme: &Theme, now: Instant) {
        let look = Look { session, theme, now };
        match self.page {
            Page::Bench => {}
            Page::File => self.file.render(frame, area, &self.shared, look),
        }
    }

    fn hints(&self) -> Vec<Hint> {
        match self.page {
            Page::Bench => Vec::new(),
            Page::File => self.file.hints(),
        }
    }
}
