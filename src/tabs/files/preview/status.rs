//! Draws the line below the rows: a prompt, progress, a message, or the keys.

use std::time::Instant;

use ratatui::Frame;
use ratatui::layout::Rect;

use super::chunk_loader::LoadState;
use super::draw_text::{block, put};
use super::search::SearchGoal;
use super::{MessageLevel, Preview, PreviewPrompt};
use crate::ui::progress::{Progress, State, Unit};
use crate::ui::rule::cut;
use crate::ui::theme::Theme;
use crate::ui::{meter, time, wrap};

impl Preview {
    /// Returns how many rows the status takes at a width.
    pub(super) fn status_height(&self, width: u16) -> u16 {
        match &self.prompt {
            PreviewPrompt::Ask(offer) => {
                wrap::lines(&offer.words(), usize::from(width.saturating_sub(4)).max(1)).len() as u16 + 1
            }
            _ => 1,
        }
    }

    /// Draws it. Returns whether the terminal's cursor is in it.
    pub(super) fn status(&self, frame: &mut Frame, area: Rect, focus: bool, theme: &Theme, now: Instant) -> bool {
        if area.is_empty() {
            return false;
        }
        let prompt = match &self.prompt {
            PreviewPrompt::Ask(offer) => {
                let keys = Some("⏎ fetch   esc cancel");
                block(&offer.words(), keys, theme.warn, area, frame.buffer_mut(), theme);
                return false;
            }
            PreviewPrompt::Find(line) => Some(("/ ", line)),
            PreviewPrompt::GoTo(line) => Some(("go to: ", line)),
            PreviewPrompt::None => None,
        };
        if let Some((words, line)) = prompt {
            put(frame.buffer_mut(), area, 1, 0, words, theme.accent);
            let x = 1 + words.len() as u16;
            let field =
                Rect { x: area.x + x.min(area.width), width: area.width.saturating_sub(x + 1), height: 1, ..area };
            line.render(frame, field, theme.text, focus);
            return true;
        }
        let buf = frame.buffer_mut();
        let inner = Rect { x: area.x + 1.min(area.width), width: area.width.saturating_sub(2), height: 1, ..area };
        if let Some(search) = &self.search {
            let words = match search.goal {
                SearchGoal::Line(line) => format!("to line {} ", meter::count(line)),
                SearchGoal::Text { back: false } => "searching below ".to_owned(),
                SearchGoal::Text { back: true } => "searching above ".to_owned(),
            };
            put(buf, inner, 0, 0, &words, theme.busy);
            let done = search.here.abs_diff(search.from.byte);
            let back = matches!(search.goal, SearchGoal::Text { back: true });
            let total = self
                .known
                .total
                .map(|total| if back { search.from.byte } else { total.saturating_sub(search.from.byte) });
            let elapsed = now.duration_since(search.since);
            let bar =
                Progress { done, total, unit: Unit::Bytes, rate: None, left: None, state: State::Running, elapsed };
            let x = wrap::width(&words) as u16;
            let room = Rect { x: inner.x + x.min(inner.width), width: inner.width.saturating_sub(x + 10), ..inner };
            bar.render(room, buf, theme);
            put(buf, inner, inner.width.saturating_sub(8), 0, "esc stop", theme.muted);
            return false;
        }
        let (text, style) = self.words(now, theme);
        put(buf, inner, 0, 0, &cut(&text, usize::from(inner.width)), style);
        false
    }

    fn words(&self, now: Instant, theme: &Theme) -> (String, ratatui::style::Style) {
        if !matches!(self.loader.phase, LoadState::Open) {
            return (String::new(), theme.muted);
        }
        if let Some((at, why)) = self.loader.waits().and_then(|wait| wait.retry.as_ref()) {
            return (format!("⚠ {} · retry in {}", why.line(), time::countdown(*at, now)), theme.warn);
        }
        if let Some((tone, words)) = &self.message {
            let (mark, style) = match tone {
                MessageLevel::Plain => ("", theme.muted),
                MessageLevel::Warn => ("! ", theme.warn),
                MessageLevel::Error => ("✕ ", theme.bad),
            };
            return (format!("{mark}{}", words.line()), style);
        }
        if let Some(wait) = self.loader.waits().filter(|_| self.source.is_remote()) {
            let spinner = meter::spinner(now.duration_since(wait.since), self.motion);
            let moved = wait.moved.map(|done| format!(" {}", meter::bytes(done))).unwrap_or_default();
            return (format!("{spinner} fetching more{moved}"), theme.busy);
        }
        if self.known.changed {
            return ("! the file has changed since it was opened · r reload".to_owned(), theme.warn);
        }
        (String::new(), theme.muted)
    }
}
