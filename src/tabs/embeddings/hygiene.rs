//! What the vectors are like.

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use ratatui::layout::Rect;

use super::pane::{Ask, Look, Pane, Read};
use crate::api::call::Ticket;
use crate::record::work::Done;
use crate::tabs::Cx;
use crate::tabs::tab::Hint;
use crate::ui::rule::Rule;

/// The pane.
#[derive(Debug, Default)]
pub(super) struct Hygiene {}

impl Pane for Hygiene {
    fn fresh(&mut self, _read: &Read, _cx: &mut Cx) {}

    fn key(&mut self, key: KeyEvent, _read: &Read, _cx: &mut Cx) -> Ask {
        if key.code == KeyCode::Esc { Ask::Close } else { Ask::Ignored }
    }

    fn worked(&mut self, _ticket: Ticket, _done: &Done, _read: &Read, _cx: &mut Cx) -> bool {
        false
    }

    fn render(&mut self, frame: &mut Frame, area: Rect, look: &Look, _read: &Read) {
        let rule = Rule { title: "Hygiene", right: "", right_style: look.theme.muted, focus: look.focus };
        rule.render(Rect { height: 1, ..area }, frame.buffer_mut(), look.theme);
    }

    fn hints(&self, _read: &Read) -> Vec<Hint> {
        vec![Hint::new("esc", "back")]
    }

    fn help(&self) -> Vec<Hint> {
        Vec::new()
    }
}
