//! Writes the line above a message and the lines below it: author, time, tokens and cost, how it ended.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use super::attachments;
use super::conversation::OpenConversation;
use super::open_call;
use super::reasoning::ReasoningSplit;
use super::streaming_answer::StreamingAnswer;
use crate::component::{DETAILS, PROFILE, SEND_AGAIN, Session, failure_line, money};
use crate::record::{Block, Id, Mark, Turn, TurnStatus};
use crate::tabs::generation::RunPhase;
use crate::ui::rule::{cut, cut_middle};
use crate::ui::theme::Theme;
use crate::ui::{meter, time};

/// Columns of a role at most.
const ROLE: usize = 12;
/// After so long without a byte, waiting is said aloud.
const LONG_WAIT: Duration = Duration::from_secs(10);

/// What a title needs to know besides the turn.
pub(super) struct MessageContext<'a> {
    pub(super) conversation: &'a OpenConversation,
    pub(super) session: &'a Session,
    pub(super) theme: &'a Theme,
    pub(super) now: Instant,
    /// Marks of turns, by turn.
    pub(super) marks: &'a HashMap<Id, Mark>,
    /// Columns.
    pub(super) width: usize,
    /// Whether the keys are the message box's: Esc comes before those that act on a message.
    pub(super) typing: bool,
}

impl MessageContext<'_> {
    fn has_surfaces(&self) -> bool {
        self.session.spacing().has_surfaces()
    }

    /// Returns the title line of a turn; of one that somebody wrote, with surfaces, what stands at its right.
    fn title(&self, turn: &Turn) -> Line<'static> {
        if self.has_surfaces() && turn.role != "assistant" {
            return self.side_note(turn);
        }
        let (role, model) = (turn.role.line(), turn.model.line());
        let (name, style) = match role.as_ref() {
            "user" => ("you", self.theme.user),
            "assistant" => (if model.is_empty() { "assistant" } else { &*model }, self.theme.model),
            "system" | "developer" => (&*role, self.theme.system),
            role => (role, self.theme.tool),
        };
        let (version, mark) = (self.version(turn), self.mark(turn));
        let (right, right_style) = self.figures(turn);
        // An answer follows its question, which shows the time.
        let clock = if self.has_surfaces() { String::new() } else { self.clock(turn) };
        let used = clock.width() + version.width() + mark.width() + right.width() + 1;
        let name = cut_middle(name, self.width.saturating_sub(used).max(4));
        let left = name.width() + clock.width() + version.width() + mark.width();
        let mut spans = vec![Span::styled(name, style)];
        // In a very narrow pane, the figures matter more than the time.
        if left + right.width() < self.width {
            spans.push(Span::styled(clock, self.theme.faint));
            spans.push(Span::styled(version, self.theme.accent));
            spans.push(Span::styled(mark, self.theme.good));
            spans.push(Span::raw(" ".repeat(self.width - left - right.width())));
        } else {
            spans.push(Span::styled(if mark.is_empty() { " " } else { " ✓ " }, self.theme.good));
        }
        spans.push(Span::styled(right, right_style));
        Line::from(spans)
    }

    /// Returns what stands at the right of a text that somebody wrote: its role, version and mark, and when that was.
    fn side_note(&self, turn: &Turn) -> Line<'static> {
        let role = match turn.role.line().as_ref() {
            "user" => String::new(),
            role => cut(role, ROLE),
        };
        let style = if turn.role == "system" { self.theme.system } else { self.theme.tool };
        Line::from(vec![
            Span::styled(role, style),
            Span::styled(self.version(turn), self.theme.accent),
            Span::styled(self.mark(turn), self.theme.good),
            Span::styled(self.clock(turn), self.theme.faint),
        ])
    }

    fn clock(&self, turn: &Turn) -> String {
        format!("  {}", self.session.zone.time(turn.created_ms))
    }

    /// Returns which version of how many a turn is, where there are several.
    fn version(&self, turn: &Turn) -> String {
        let (at, of) = self.conversation.tree.version(turn.id);
        if of > 1 { format!("  ‹{}/{of}›", at + 1) } else { String::new() }
    }

    fn mark(&self, turn: &Turn) -> &'static str {
        match self.marks.get(&turn.id) {
            Some(mark) if mark.ideal.is_some() => "  ✓ ideal",
            Some(_) => "  ✓ good",
            None => "",
        }
    }

    /// Returns the right end: what streams, or what it took.
    fn figures(&self, turn: &Turn) -> (String, Style) {
        if let Some(answer) = self.conversation.answer.as_ref().filter(|_| self.conversation.streaming(turn.id)) {
            return self.under_way(answer);
        }
        // If the clock was set back or the server was very fast, there is no duration, but tokens and cost are shown.
        if turn.role != "assistant" || (turn.total_ms == 0 && turn.completion_tokens == 0) {
            return (String::new(), self.theme.faint);
        }
        let mut parts = Vec::new();
        let mark = if turn.estimated { "~" } else { "" };
        let (arrow, between) = if self.has_surfaces() { ("", "   ") } else { ("▼", " · ") };
        if turn.completion_tokens > 0 {
            parts.push(format!("{mark}{arrow}{} tok", meter::count(turn.completion_tokens)));
        }
        if turn.total_ms > 0 {
            parts.push(time::duration(Duration::from_millis(turn.total_ms)));
        }
        if self.width >= 72 && turn.first_token_ms > 0 {
            parts.push(format!("first {}", time::duration(Duration::from_millis(turn.first_token_ms))));
            let writing = (turn.total_ms.saturating_sub(turn.first_token_ms)) as f64 / 1000.0;
            if writing >= 0.1 && turn.completion_tokens > 1 {
                parts.push(meter::token_rate(turn.completion_tokens as f64 / writing));
            }
        }
        // An answer without tokens and cost has no price to show.
        if self.width >= 50 && (turn.completion_tokens > 0 || turn.cost_nano.is_some_and(|cost| cost > 0)) {
            parts.push(if turn.estimated { money::about(turn.cost_nano) } else { money::cost(turn.cost_nano) });
        }
        (parts.join(between), self.theme.faint)
    }

    fn under_way(&self, answer: &StreamingAnswer) -> (String, Style) {
        let elapsed = self.now.saturating_duration_since(answer.run.stream.started);
        let spin = meter::spinner(elapsed, self.session.motion);
        let wide = self.width >= 60;
        match &answer.run.stream.phase {
            RunPhase::Retrying { .. } => (format!("{spin} waiting"), self.theme.warn),
            RunPhase::Waiting => {
                let style = if elapsed >= LONG_WAIT { self.theme.warn } else { self.theme.busy };
                (format!("{spin} waiting {}{}", time::duration(elapsed), if wide { " · esc stop" } else { "" }), style)
            }
            RunPhase::Streaming => {
                let quiet = self.now.saturating_duration_since(answer.run.stream.last_news);
                if quiet >= LONG_WAIT {
                    return (format!("{spin} waiting {} · esc stop", time::duration(quiet)), self.theme.warn);
                }
                let cost = answer.run.cost();
                let mark = if cost.is_completion_estimated() { "~" } else { "" };
                let rate = answer.run.stream.rate(self.now).filter(|_| self.width >= 72);
                let rate = rate.map(|rate| format!(" · {}", meter::token_rate(rate))).unwrap_or_default();
                let word = if self.width >= 80 { "streaming  " } else { "" };
                let stop = if wide { " · esc stop" } else { "" };
                let words = format!(
                    "{spin} {word}{mark}▼{} tok · {}{rate}{stop}",
                    meter::count(cost.completion_tokens()),
                    time::duration(elapsed)
                );
                (words, self.theme.busy)
            }
        }
    }

    /// Returns the lines below a turn: how it ended when not well, the countdown of a retry.
    pub(super) fn notes(&self, turn: &Turn) -> Vec<Line<'static>> {
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
                let why = turn.error.line();
                let why = why.trim_start_matches("the answer was cut off (").trim_end_matches("); what came is kept");
                let mut lines = self.block(&format!("✕ cut off ({why})"));
                lines.extend(self.items("┃ ", &self.known(turn, &["c continue", SEND_AGAIN]), self.theme.muted));
                lines
            }
            TurnStatus::Failed => {
                let mut lines = self.block(&turn.error.line());
                let mut keys = self.known(turn, &[SEND_AGAIN]);
                keys.extend([PROFILE, "e edit", "your message is kept"].map(str::to_owned));
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

    /// Returns keys that act on a message, with what comes before them.
    fn keys(&self, keys: &[&'static str]) -> Vec<String> {
        let first = if self.typing { "esc, then " } else { "" };
        let firsts = std::iter::once(first).chain(std::iter::repeat(""));
        firsts.zip(keys).map(|(first, key)| format!("{first}{key}")).collect()
    }

    /// Returns whether the lines below a turn name keys.
    pub(super) fn has_keys(turn: &Turn) -> bool {
        matches!(turn.status, TurnStatus::Stopped | TurnStatus::CutOff | TurnStatus::Failed)
            || turn.status == TurnStatus::Streaming
            || turn.finish_reason == "length"
    }

    fn countdown(&self, answer: &StreamingAnswer) -> Vec<Line<'static>> {
        let RunPhase::Retrying { attempt, of, at, since, why } = &answer.run.stream.phase else { return Vec::new() };
        let left = at.saturating_duration_since(self.now);
        let whole = at.saturating_duration_since(*since).as_secs_f64().max(0.001);
        let mut lines = self.block(&why.sentence.line());
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

    /// Returns a sentence on as many lines as it needs, each after this mark.
    fn wrapped(&self, mark: &str, sentence: &str, style: Style) -> Vec<Line<'static>> {
        self.marked([mark, mark], sentence, style)
    }

    /// Returns a sentence on as many lines as it needs, the first one and the others each after a mark.
    fn marked(&self, [first, next]: [&str; 2], sentence: &str, style: Style) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        crate::ui::wrap::rows(sentence, self.width.saturating_sub(5).max(8), |range| {
            let mark = if lines.is_empty() { first } else { next };
            lines.push(self.note(&format!("{mark}{}", sentence[range].trim_end()), style));
        });
        lines
    }

    /// Returns items separated by dots, on as many lines as they need: none is cut where a whole one fits.
    fn items(&self, bar: &str, items: &[String], style: Style) -> Vec<Line<'static>> {
        let width = self.width.saturating_sub(2);
        let mut rows = vec![String::new()];
        for item in items {
            let row = rows.last_mut().expect("there is always a row");
            if row.is_empty() {
                row.push_str(item);
            } else if bar.width() + row.width() + 3 + item.width() <= width {
                row.push_str(" · ");
                row.push_str(item);
            } else {
                rows.push(item.clone());
            }
        }
        rows.iter().map(|row| self.note(&format!("{bar}{row}"), style)).collect()
    }

    fn note(&self, words: &str, style: Style) -> Line<'static> {
        failure_line(words, style, self.width.saturating_sub(2), self.theme)
    }

    /// Returns the lines above a turn's text: its title, unless that stands above its reasoning.
    pub(super) fn head(&self, turn: &Turn) -> Vec<Line<'static>> {
        if ReasoningSplit::of(turn).is_reasoned() { Vec::new() } else { vec![self.title(turn)] }
    }

    /// Returns the lines above a block of a turn.
    pub(super) fn block_title(&self, turn: &Turn, block: &Block) -> Vec<Line<'static>> {
        let (words, style) = match block {
            Block::Refusal { .. } => ("! the model refused".to_owned(), self.theme.warn),
            Block::Call { name, .. } if name.is_empty() => ("→ call without a name".to_owned(), self.theme.tool),
            Block::Call { name, .. } => (format!("→ call {}", name.line()), self.theme.tool),
            Block::ResultOf { name, .. } => (format!("← result of {}", name.line()), self.theme.tool),
            Block::Transcript(_) => ("♪ audio transcript".to_owned(), self.theme.muted),
            Block::Attachment { kind, .. } => (format!("[{}]", kind.line()), self.theme.muted),
            Block::File { kind, .. } if block.is_picture() => {
                (format!("[{} · {}]", kind.line(), meter::bytes(block.file_size() as u64)), self.theme.muted)
            }
            Block::File { data, .. } => {
                let more = if attachments::excerpt(block) < data.len() { " · its beginning" } else { "" };
                (format!("[{}]{more}", attachments::facts(block)), self.theme.muted)
            }
        };
        let mut lines = vec![Line::from(Span::styled(cut(&format!("  {words}"), self.width), style))];
        if let (Block::Call { index, id, .. }, TurnStatus::Done) = (block, turn.status) {
            let id = open_call::call_id(*index, id);
            let problems = self.conversation.call_problems.get(&(turn.id, id.clone()));
            let problems = problems.into_iter().flatten();
            lines.extend(problems.flat_map(|why| self.wrapped("  ! ", why, self.theme.warn)));
            if self.conversation.open_calls().iter().any(|call| call.turn == turn.id && call.id == id) {
                lines.push(self.note("  waits for its result · F6 write, file or command", self.theme.accent));
            }
        }
        lines
    }

    /// Returns the lines above a turn's reasoning: the turn's title, and how to see more or less of it.
    pub(super) fn reasoning(&self, turn: &Turn, open: bool) -> Vec<Line<'static>> {
        let mark = if open { "▾" } else { "▸" };
        // Estimated from its length, as this is drawn again while the text grows.
        let tokens = meter::count(ReasoningSplit::of(turn).reasoning().1.len().div_ceil(4) as u64);
        let indent = if self.has_surfaces() { "" } else { "  " };
        let words = format!("{indent}{mark} reasoning · ~{tokens} tok · o {}", if open { "hide" } else { "show" });
        vec![self.title(turn), Line::from(Span::styled(cut(&words, self.width), self.theme.muted))]
    }
}
