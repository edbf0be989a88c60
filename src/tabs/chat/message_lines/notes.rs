//! The lines below a message: how it ended when not well, the countdown of a retry, the keys for both.

use ratatui::style::Style;
use ratatui::text::Line;
use unicode_width::UnicodeWidthStr;

use super::MessageContext;
use crate::api::call::cut_off_reason;
use crate::component::{DETAILS, SEND_AGAIN, profile_hint};
use crate::record::{Turn, TurnStatus};
use crate::tabs::chat::streaming_answer::StreamingAnswer;
use crate::tabs::generation::RunPhase;
use crate::ui::{meter, time};

/// What joins a key to the one before it, where both need the key before them.
const CONTINUED: &str = ", ";

impl MessageContext<'_> {
    /// Returns the lines below a turn: how it ended when not well, the countdown of a retry.
    pub(crate) fn notes(&self, turn: &Turn) -> Vec<Line<'static>> {
        if let Some(answer) = self.conversation.answer.as_ref().filter(|_| self.conversation.streaming(turn.id)) {
            return self.countdown(answer);
        }
        let mut lines = match turn.status {
            TurnStatus::Done => {
                let said = turn.error.screen();
                said.lines().flat_map(|line| self.marked(["! ", "  "], line, self.theme.warn)).collect()
            }
            _ => Vec::new(),
        };
        lines.extend(self.ended(turn));
        if let Some(check) = self.conversation.formats.get(&turn.id) {
            lines.extend(self.wrapped("", &check.sentence(turn), self.theme.muted));
        }
        lines
    }

    /// Returns how a turn ended, where that is worth a line.
    fn ended(&self, turn: &Turn) -> Vec<Line<'static>> {
        let tokens = meter::count(turn.completion_tokens);
        let mark = if turn.estimated { "~" } else { "" };
        match turn.status {
            TurnStatus::Stopped => {
                let began = turn.completion_tokens > 0;
                let how = if began {
                    format!("■ stopped after {mark}{tokens} tok")
                } else {
                    "■ stopped before any text".into()
                };
                let mut items = vec![how];
                if turn.cost_nano != Some(0) || (!began && !self.session.local) {
                    items.push("the server may bill more".to_owned());
                }
                items.extend(self.keys(if began { &["c continue", SEND_AGAIN] } else { &[SEND_AGAIN] }));
                self.items("", &items, self.theme.warn)
            }
            TurnStatus::CutOff => {
                let error = turn.error.line();
                let mut lines = self.block(&format!("✕ cut off ({})", cut_off_reason(&error)));
                lines.extend(self.items("┃ ", &self.known(turn, &["c continue", SEND_AGAIN]), self.theme.muted));
                lines
            }
            TurnStatus::Failed => {
                let mut lines = self.block(&turn.error.line());
                let mut keys = self.known(turn, &[SEND_AGAIN, "e edit"]);
                keys.extend([profile_hint(), "your message is kept".to_owned()]);
                lines.extend(self.items("┃ ", &keys, self.theme.muted));
                lines
            }
            TurnStatus::Done if turn.finish_reason == "length" => {
                let mut items = vec!["… reached max_tokens".to_owned()];
                items.extend(self.keys(&["c continue"]));
                self.items("", &items, self.theme.warn)
            }
            TurnStatus::Done if turn.finish_reason == "content_filter" => {
                self.wrapped("! ", "the server's content filter ended this answer", self.theme.warn)
            }
            TurnStatus::Done if turn.role == "assistant" && turn.is_silent() => {
                let reason = match turn.finish_reason.line() {
                    reason if reason.is_empty() => "no finish_reason was sent".into(),
                    reason => format!("finish_reason {reason}"),
                };
                vec![self.note(&format!("(empty answer · {reason})"), self.theme.muted)]
            }
            _ => Vec::new(),
        }
    }

    /// Returns these keys, and the one for details where they are known.
    fn known(&self, turn: &Turn, keys: &[&'static str]) -> Vec<String> {
        let details = self.conversation.failures.contains_key(&turn.id).then_some(DETAILS);
        self.keys(&keys.iter().copied().chain(details).collect::<Vec<_>>())
    }

    /// Returns keys that act on a message. While a text is typed, what comes before them is for all of them.
    fn keys(&self, keys: &[&'static str]) -> Vec<String> {
        if !self.typing {
            return keys.iter().map(|key| (*key).to_owned()).collect();
        }
        let before = std::iter::once("esc, then ").chain(std::iter::repeat(CONTINUED));
        before.zip(keys).map(|(before, key)| format!("{before}{key}")).collect()
    }

    /// Returns whether the lines below a turn name keys.
    pub(crate) fn has_keys(turn: &Turn) -> bool {
        matches!(turn.status, TurnStatus::Stopped | TurnStatus::CutOff | TurnStatus::Failed)
            || turn.status == TurnStatus::Streaming
            || turn.finish_reason == "length"
    }

    fn countdown(&self, answer: &StreamingAnswer) -> Vec<Line<'static>> {
        let RunPhase::Retrying { attempt, of, at, since, why: failure } = &answer.run.stream.phase else {
            return Vec::new();
        };
        let left = at.saturating_duration_since(self.now);
        let whole = at.saturating_duration_since(*since).as_secs_f64().max(0.001);
        let mut lines = self.block(&failure.sentence.line());
        let mut words = format!("┃ attempt {attempt} of {of} in {:>4}", time::countdown(*at, self.now));
        let cells = self.width.saturating_sub(words.width() + 5).min(20);
        if cells >= 4 {
            let bar = meter::thin(1.0 - left.as_secs_f64() / whole, cells);
            words = format!("{words}   {bar}");
        }
        lines.push(self.note(&words, self.theme.warn));
        let key = if self.typing { self.session.send_key() } else { "⏎" };
        let mut items = vec![format!("{key} try now"), "esc give up".to_owned(), "your message is kept".to_owned()];
        if !self.typing {
            items.insert(2, DETAILS.to_owned());
        }
        lines.extend(self.items("┃ ", &items, self.theme.muted));
        lines
    }

    /// Returns an error block: wrapped, a heavy bar at its left.
    fn block(&self, sentence: &str) -> Vec<Line<'static>> {
        self.wrapped("┃ ", sentence, self.theme.bad)
    }

    /// Returns items separated by dots, or by commas where they continue a list, on as many lines as they need: none is
    /// cut where a whole one fits.
    fn items(&self, bar: &str, items: &[String], style: Style) -> Vec<Line<'static>> {
        let width = self.width.saturating_sub(2);
        let mut rows = vec![String::new()];
        for item in items {
            let row = rows.last_mut().expect("there is always a row");
            let separator = if row.is_empty() || item.starts_with(CONTINUED) { "" } else { " · " };
            if row.is_empty() || bar.width() + row.width() + separator.width() + item.width() <= width {
                row.push_str(separator);
                row.push_str(item);
            } else {
                // In a row of its own a key still needs the one that the row before begins with.
                rows.push(item.strip_prefix(CONTINUED).map_or_else(|| item.clone(), |key| format!("then {key}")));
            }
        }
        rows.iter().map(|row| self.note(&format!("{bar}{row}"), style)).collect()
    }
}
