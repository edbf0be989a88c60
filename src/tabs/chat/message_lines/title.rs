//! The lines above a message and its parts: author, time, tokens and cost; reasoning; what a block is.

use std::time::Duration;

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use super::MessageContext;
use crate::component::money;
use crate::record::{Block, Turn, TurnStatus};
use crate::tabs::chat::attachments;
use crate::tabs::chat::open_call;
use crate::tabs::chat::reasoning::ReasoningSplit;
use crate::tabs::chat::streaming_answer::StreamingAnswer;
use crate::tabs::generation::RunPhase;
use crate::ui::rule::{cut, cut_middle};
use crate::ui::{meter, time};

/// Columns of a role at most.
const ROLE: usize = 12;
/// After so long without a byte, waiting is said aloud.
const LONG_WAIT: Duration = Duration::from_secs(10);

impl MessageContext<'_> {
    /// Returns the lines above a turn's text: its title, unless that stands above its reasoning.
    pub(crate) fn head(&self, turn: &Turn) -> Vec<Line<'static>> {
        if ReasoningSplit::of(turn).is_reasoned() { Vec::new() } else { vec![self.title(turn)] }
    }

    /// Returns the lines above a block of a turn.
    pub(crate) fn block_title(&self, turn: &Turn, block: &Block) -> Vec<Line<'static>> {
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
            let problems = self.conversation.call_problems.of(turn.id, &id).iter();
            lines.extend(problems.flat_map(|problem| self.wrapped("  ! ", problem, self.theme.warn)));
            if self.conversation.open_calls().iter().any(|call| call.turn == turn.id && call.id == id) {
                lines.push(self.note("  waits for its result · F6 write, file or command", self.theme.accent));
            }
        }
        lines
    }

    /// Returns the lines above a turn's reasoning: the turn's title, and how to see more or less of it.
    pub(crate) fn reasoning(&self, turn: &Turn, open: bool) -> Vec<Line<'static>> {
        let mark = if open { "▾" } else { "▸" };
        // Estimated from its length, as this is drawn again while the text grows.
        let tokens = meter::count(ReasoningSplit::of(turn).reasoning().1.len().div_ceil(4) as u64);
        let indent = if self.has_surfaces() { "" } else { "  " };
        let words = format!("{indent}{mark} reasoning · ~{tokens} tok · o {}", if open { "hide" } else { "show" });
        vec![self.title(turn), Line::from(Span::styled(cut(&words, self.width), self.theme.muted))]
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
        match self.marks.get(turn.id) {
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
}
