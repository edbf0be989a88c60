//! The line below the rows: what is typed, what is on its way, what was said, else the keys.

use std::time::Instant;

use ratatui::Frame;
use ratatui::layout::Rect;

use super::feed::Phase;
use super::goal::Goal;
use super::put::{block, put};
use super::{Over, Preview, Tone};
use crate::ui::progress::{Progress, State, Unit};
use crate::ui::rule::cut;
use crate::ui::theme::Theme;
use crate::ui::{meter, wrap};

impl Preview {
    /// Rows that it takes at a width.
    pub(super) fn status_height(&self, width: u16) -> u16 {
        match &self.over {
            Over::Ask(offer) => {
                wrap::lines(&offer.words(), usize::from(width.saturating_sub(4)).max(1)).len() as u16 + 1
            }
            _ => 1,
        }
    }

    /// Draws it. Whether the terminal's cursor is in it.
    pub(super) fn status(&self, frame: &mut Frame, area: Rect, focus: bool, theme: &Theme, now: Instant) -> bool {
        if area.is_empty() {
            return false;
        }
        let prompt = match &self.over {
            Over::Ask(offer) => {
                let keys = Some("⏎ fetch   esc do not");
                block(&offer.words(), keys, theme.warn, area, frame.buffer_mut(), theme);
                return false;
            }
            Over::Find(line) => Some(("/ ", line)),
            Over::GoTo(line) => Some(("go to: ", line)),
            Over::None => None,
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
        if let Some(scan) = &self.scan {
            let words = match scan.goal {
                Goal::Line(line) => format!("to line {} ", meter::count(line)),
                Goal::Text { back: false } => "looking below ".to_owned(),
                Goal::Text { back: true } => "looking above ".to_owned(),
            };
            put(buf, inner, 0, 0, &words, theme.busy);
            let done = scan.here.abs_diff(scan.from.byte);
            let back = matches!(scan.goal, Goal::Text { back: true });
            let total =
                self.known.total.map(|total| if back { scan.from.byte } else { total.saturating_sub(scan.from.byte) });
            let elapsed = now.duration_since(scan.since);
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
        if !matches!(self.feed.phase, Phase::Open) {
            return (String::new(), theme.muted);
        }
        if let Some((at, why)) = self.feed.waits().and_then(|wait| wait.retry.as_ref()) {
            let wait = at.saturating_duration_since(now).as_secs();
            return (format!("⚠ {} · again in {wait} s", why.line()), theme.warn);
        }
        if let Some((tone, words)) = &self.said {
            let (mark, style) = match tone {
                Tone::Plain => ("", theme.muted),
                Tone::Warn => ("! ", theme.warn),
                Tone::Error => ("✕ ", theme.error),
            };
            return (format!("{mark}{}", words.line()), style);
        }
        if let Some(wait) = self.feed.waits().filter(|_| self.is_remote()) {
            let spinner = meter::spinner(now.duration_since(wait.since), self.motion);
            let moved = wait.moved.map(|done| format!(" {}", meter::bytes(done))).unwrap_or_default();
            return (format!("{spinner} fetching more{moved}"), theme.busy);
        }
        if self.known.changed {
            return ("! the file has changed since it was opened · r reads it anew".to_owned(), theme.warn);
        }
        let hints = self.key_hints();
        let words: Vec<String> = hints.iter().map(|hint| format!("{} {}", hint.key, hint.does)).collect();
        (words.join(" · "), theme.muted)
    }
}
