//! Embed: texts as vectors, how similar they are, what is near what, and whether the vectors are what they should be.
//!
//! `state` is the machine (events in, effects out), `view` the picture; this file joins them to the shell.
#![allow(dead_code)]

mod compare;
mod hygiene;
mod map;
mod pairs;
mod pane;
mod query;
mod state;
mod view;

use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use self::pane::Look;
use self::state::State;
use self::view::View;
use super::Session;
use super::tab::{Cx, Hint, Tab};
use crate::api::call::{Progress, Ticket};
use crate::ui::theme::Theme;

/// The Embed tab.
#[derive(Debug, Default)]
pub struct Embed {
    state: State,
    view: View,
}

impl Embed {
    /// An empty tab; it asks for what is on disk when it first comes to the front.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Tab for Embed {
    fn title(&self) -> &'static str {
        "Embed"
    }

    fn key(&mut self, key: KeyEvent, cx: &mut Cx) {
        if let Some((pane, read)) = self.state.pane() {
            drop(pane.key(key, read, cx));
        }
    }

    fn progress(&mut self, _ticket: Ticket, _progress: Progress, _cx: &mut Cx) {}

    fn render(&mut self, frame: &mut Frame, area: Rect, session: &Session, theme: &Theme, now: Instant) {
        self.view.render(frame, area, &mut self.state, &Look { session, theme, now, focus: true });
    }

    fn hints(&self) -> Vec<Hint> {
        Vec::new()
    }
}
