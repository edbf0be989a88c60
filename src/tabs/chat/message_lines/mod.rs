//! Writes the lines above a message and those below it.

mod notes;
mod title;

use std::time::Instant;

use ratatui::style::Style;
use ratatui::text::Line;

use super::conversation::OpenConversation;
use super::marks::Marks;
use crate::component::{Session, failure_line};
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// What these lines need to know besides the turn.
pub(super) struct MessageContext<'a> {
    pub(super) conversation: &'a OpenConversation,
    pub(super) session: &'a Session,
    pub(super) theme: &'a Theme,
    pub(super) now: Instant,
    /// Marks of turns, by turn.
    pub(super) marks: &'a Marks,
    /// Columns.
    pub(super) width: usize,
    /// Whether the keys are the message box's: Esc comes before those that act on a message.
    pub(super) typing: bool,
}

impl MessageContext<'_> {
    fn has_surfaces(&self) -> bool {
        self.session.spacing().has_surfaces()
    }

    /// Returns a sentence on as many lines as it needs, each after this mark.
    fn wrapped(&self, mark: &str, sentence: &str, style: Style) -> Vec<Line<'static>> {
        self.marked([mark, mark], sentence, style)
    }

    /// Returns a sentence on as many lines as it needs, the first one and the others each after a mark.
    fn marked(&self, [first, next]: [&str; 2], sentence: &str, style: Style) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        wrap::rows(sentence, self.width.saturating_sub(5).max(8), |range| {
            let mark = if lines.is_empty() { first } else { next };
            lines.push(self.note(&format!("{mark}{}", sentence[range].trim_end()), style));
        });
        lines
    }

    fn note(&self, words: &str, style: Style) -> Line<'static> {
        failure_line(words, style, self.width.saturating_sub(2), self.theme)
    }
}
