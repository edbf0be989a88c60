//! Draws a conversation with what the service says of its turns.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::category;
use super::results::Judge;
use super::state::State;
use super::thresholds::Sign;
use super::turns::Turn;
use crate::component::RenderContext;
use crate::record::{Check, TextKey};
use crate::ui::bar::number;
use crate::ui::rule::{Rule, cut, cut_middle};

impl State {
    /// Draws the conversation.
    pub(super) fn render_turns(
        &mut self,
        frame: &mut Frame,
        area: Rect,
        judge: &Judge,
        under_way: &str,
        context: RenderContext,
    ) {
        let theme = context.theme;
        let mut cursor = self.turns.cursor;
        let count = self.turns.all.len();
        let flagged = self.turns.all.iter().filter(|turn| self.is_flagged_by(&turn.key, judge)).count();
        let right = match under_way {
            "" => format!("{count} turns · {flagged} flagged · ^R check · ⏎ to the bench · esc back"),
            words => format!("{count} turns · {words}"),
        };
        let style = if under_way.is_empty() { theme.muted } else { theme.busy };
        let title = if self.turns.title.is_empty() { "Conversation".into() } else { self.turns.title.line() };
        Rule { title: &title, right: &right, right_style: style, focus: true }.render(
            Rect { height: 1, ..area },
            frame.buffer_mut(),
            theme,
        );
        let body = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
        let wide = area.width >= 60;
        let name = if area.width >= 90 { 24 } else { 16 };
        // Role, excerpt, then sign, score and category.
        let role: usize = if wide { 10 } else { 5 };
        let tail = if wide { 2 + 5 + name } else { 2 + 5 };
        let room = usize::from(area.width).saturating_sub(role + tail + 4);
        let window = cursor.window(usize::from(body.height), count);
        for (at, y) in window.zip(body.y..body.bottom()) {
            let turn = &self.turns.all[at];
            let here = at == cursor.selected;
            let line = Rect { y, height: 1, ..body };
            let base = if here { theme.text.patch(theme.select) } else { theme.text };
            if here {
                frame.buffer_mut().set_style(line, theme.select);
                frame.buffer_mut().set_stringn(body.x, y, "▌", 1, theme.accent.patch(theme.select));
                frame.set_cursor_position(Position::new(body.x, y));
            }
            let tint = match turn.role.line().as_ref() {
                "user" => theme.user,
                "assistant" => theme.assistant,
                "system" => theme.system,
                _ => theme.tool,
            };
            let tint = if here { tint.patch(theme.select) } else { tint };
            frame.buffer_mut().set_stringn(body.x + 1, y, cut(&turn.role.line(), role - 1), role, tint);
            let text = self.shown(&turn.key, &turn.text).replace('\n', " ");
            let x = body.x + 1 + role as u16;
            frame.buffer_mut().set_stringn(x, y, cut(&text, room), room, base);
            let x = x + room as u16 + 1;
            let (sign, words, style) = self.told(turn, judge, context);
            let style = if here { style.patch(theme.select) } else { style };
            frame.buffer_mut().set_stringn(x, y, sign, 2, style);
            let width = usize::from(area.width).saturating_sub(role + room + 4);
            frame.buffer_mut().set_stringn(x + 2, y, cut_middle(&words, width), width, style);
        }
        self.turns.page = usize::from(body.height);
        self.turns.cursor = cursor;
    }

    fn is_flagged_by(&self, key: &TextKey, judge: &Judge) -> bool {
        self.results.last(key, judge).is_some_and(|check| check.flagged)
    }

    /// Sign, words and look of a turn.
    fn told(
        &self,
        turn: &Turn,
        judge: &Judge,
        context: RenderContext,
    ) -> (&'static str, String, ratatui::style::Style) {
        let theme = context.theme;
        if turn.text.line().trim().is_empty() {
            return (" ", "no text".to_owned(), theme.faint);
        }
        if self.awaits(&turn.key, judge) {
            let since = self.flights.since().unwrap_or(context.now);
            let spin = crate::ui::meter::spinner(context.now.saturating_duration_since(since), context.session.motion);
            return (spin, String::new(), theme.busy);
        }
        if self.results.failure(&turn.key, judge).is_some() {
            return ("✕", "failed".to_owned(), theme.error);
        }
        let Some(check) = self.results.last(&turn.key, judge) else {
            return (" ", "not checked".to_owned(), theme.faint);
        };
        let sign = self.worst(check);
        let words = match category::telling(check) {
            Some((name, score)) => format!("{} {}", number(score), name.line()),
            None => category::leading(check).into_owned(),
        };
        (sign.glyph(), words, if sign == Sign::Clear { theme.muted } else { sign.style(theme) })
    }

    /// The gravest sign of a check.
    fn worst(&self, check: &Check) -> Sign {
        if check.flagged {
            return Sign::Flagged;
        }
        let profile = self.shared.thresholds.profile();
        let signs = check
            .categories
            .iter()
            .zip(check.scores.iter().zip(&check.flags))
            .map(|(name, (score, flag))| Sign::of(*score, *flag, profile.of(&category::Key::of(name))));
        let grave = |sign: &Sign| match sign {
            Sign::Flagged => 3,
            Sign::Over => 2,
            Sign::Near => 1,
            Sign::Clear => 0,
        };
        signs.max_by_key(grave).unwrap_or(Sign::Clear)
    }
}
