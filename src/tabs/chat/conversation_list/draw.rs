//! Draws the pane with all conversations.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::widgets::Widget;
use unicode_width::UnicodeWidthStr;

use super::ConversationsPane;
use super::items::{ListLine, is_trashed};
use super::labels::label;
use crate::component::{FindBar, RenderContext};
use crate::record::Id;
use crate::ui::canvas::Canvas;
use crate::ui::list::draw_scroll_arrows;
use crate::ui::meter;
use crate::ui::pane::{self, Pane, Spacing, Surface};
use crate::ui::rule::cut;
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Returns the area of the lines alone; empty: there is no room for any, and the shell says that the terminal is too
/// small.
pub(super) fn lines_area(area: Rect, spacing: Spacing) -> Rect {
    if area.height < 6 || area.width < 3 {
        return Rect::default();
    }
    if spacing.has_surfaces() {
        let y = spacing.pane(area).content.y + 2;
        return Rect { y, height: area.bottom().saturating_sub(y), ..area };
    }
    Rect { x: area.x, y: area.y + 3, width: area.width - 1, height: area.height - 5 }
}

/// How a line of the list is drawn.
struct LineLook<'a> {
    /// Whether the cursor is on it and the pane has the keys.
    chosen: bool,
    spin: &'a str,
    /// Blank columns at each side.
    side: u16,
    /// Whether a mark at the end of the lines says that there are more.
    scrolls: bool,
}

/// Returns the words for the trash itself.
fn trash(count: usize, unfolded: bool) -> String {
    format!("{} Trash ({count})", if unfolded { "▾" } else { "▸" })
}

impl ConversationsPane {
    /// Draws it: its title, the filter, the lines in view.
    pub(super) fn draw(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let RenderContext { session, theme, now } = context;
        let (place, spacing) = (self.area, session.spacing());
        if place.is_empty() {
            return;
        }
        let (list, filter) = (&self.items, &self.filter);
        let focus = self.tab.focus && (filter.is_typing() || !self.tab.covered);
        let all = meter::count(list.count() as u64);
        let right = if spacing.has_surfaces() { all.as_str() } else { "" };
        let right_style = if spacing.has_surfaces() { theme.faint } else { theme.muted };
        let pane = Pane { title: "Conversations", note: "", right, right_style, focus, surface: Surface::Panel };
        pane.render(area, frame.buffer_mut(), theme, spacing);
        let inner = spacing.pane(area).content;
        // Without surfaces, the pane has a line at its right side.
        let width = usize::from(area.width.saturating_sub(2).min(inner.width));
        if filter.is_shown() {
            let found = FindBar::found(list.found_count());
            filter.render(frame, Rect { width: width as u16, height: 1, ..inner }, &found, theme);
        } else {
            frame.buffer_mut().set_stringn(inner.x, inner.y, cut("/ filter", width), width, theme.faint);
        }
        if list.shows_nothing() {
            let words = match (self.loaded, filter.text().is_empty()) {
                (false, _) => "… loading",
                (true, true) if session.unsaved.is_some() => "cannot be read",
                (true, true) => "none yet",
                (true, false) if self.tab.focus => "No conversation has these words.\n\nesc  clear filter",
                (true, false) => "No conversation has these words.",
            };
            let rows = words.lines().flat_map(|line| wrap::lines(line, width.max(1)));
            for (row, y) in rows.zip(place.y..place.bottom()) {
                frame.buffer_mut().set_stringn(inner.x, y, row, width, theme.muted);
            }
        }
        let spin = meter::spinner(self.tab.animation.elapsed(now), session.motion);
        let (top, count, selected) = (list.top(), list.line_count(), list.selected_line());
        for (at, y) in (top..count).zip(place.y..place.bottom()) {
            let Some(line) = list.line(at) else { break };
            let chosen = focus && selected == Some(at);
            let canvas = Canvas { area: Rect { y, height: 1, ..place }, buf: frame.buffer_mut(), theme };
            if spacing.has_surfaces() {
                let scrolls = top > 0 || count > top + usize::from(place.height);
                self.draw_line_on_panel(canvas, line, &LineLook { chosen, spin, side: spacing.side(), scrolls });
            } else {
                self.draw_line(canvas, line, chosen, spin);
            }
            if chosen && !filter.is_typing() {
                frame.set_cursor_position(Position::new(place.x, y));
            }
        }
        draw_scroll_arrows(frame.buffer_mut(), place, &(top..top + usize::from(place.height)), count, theme);
        if !spacing.has_surfaces() {
            let foot = cut("n new  b hide", width);
            frame.buffer_mut().set_stringn(area.x + 1, area.bottom() - 1, foot, width, theme.muted);
        }
    }

    /// Draws one line; `chosen`: the cursor is on it and the pane has the keys.
    fn draw_line(&self, canvas: Canvas, line: ListLine, chosen: bool, spin: &str) {
        let Canvas { area, buf, theme } = canvas;
        let width = usize::from(area.width);
        match line {
            ListLine::Section(name) => {
                buf.set_stringn(area.x + 1, area.y, name, width, theme.muted);
            }
            ListLine::Trash(count, unfolded) => {
                let style = if chosen { theme.text.patch(theme.select) } else { theme.muted };
                buf.set_stringn(area.x + 1, area.y, trash(count, unfolded), width, style);
            }
            ListLine::Conversation(head) => {
                let id = head.conversation.id;
                let open = self.tab.open == Some(id);
                let style = if is_trashed(head) { theme.faint } else { theme.text };
                // The open conversation is marked; while the list has the keys, the row under the cursor is filled.
                let style = if chosen { style.patch(theme.select) } else { style };
                let space = width.saturating_sub(4);
                let title = cut(&label(&head.conversation).line(), space);
                let pad = space.saturating_sub(title.width());
                let mark = if open || chosen { "▌" } else { " " };
                buf.set_stringn(area.x + 1, area.y, mark, 1, theme.accent);
                buf.set_stringn(area.x + 2, area.y, format!("{title}{}", " ".repeat(pad)), space, style);
                if let Some((mark, style)) = self.mark(id, spin, theme) {
                    buf.set_stringn(area.x + 2 + space as u16, area.y, mark, 1, style);
                }
            }
        }
    }

    /// Draws one line of a pane with a background: the title, at its right when that was, or what it does.
    fn draw_line_on_panel(&self, canvas: Canvas, line: ListLine, look: &LineLook) {
        let Canvas { area, buf, theme } = canvas;
        let side = look.side.min(area.width / 2);
        // With a blank before the mark.
        let end = if look.scrolls { side.max(2) } else { side };
        let inner = Rect { x: area.x + side, width: area.width.saturating_sub(side + end), ..area };
        let width = usize::from(inner.width);
        match line {
            ListLine::Section(name) => pane::heading(name, theme).render(inner, buf),
            ListLine::Trash(count, unfolded) => {
                if look.chosen {
                    pane::highlight(buf, area, theme, true);
                }
                buf.set_stringn(inner.x, area.y, trash(count, unfolded), width, theme.muted);
            }
            ListLine::Conversation(head) => {
                let id = head.conversation.id;
                let open = self.tab.open == Some(id);
                // While the list has the keys, the row under the cursor is filled; else that of the open conversation.
                if look.chosen || open && !self.tab.focus {
                    pane::highlight(buf, area, theme, look.chosen);
                } else if open {
                    buf.set_stringn(area.x, area.y, "▌", 1, theme.faint);
                }
                let when = self.items.age_label(head.conversation.updated_ms);
                let right = self.mark(id, look.spin, theme).unwrap_or((when.trim_end(), theme.faint));
                let room = width.saturating_sub(right.0.width() + 1);
                let style = match (open || look.chosen, is_trashed(head)) {
                    (true, _) => theme.text,
                    (false, true) => theme.faint,
                    (false, false) => theme.muted,
                };
                buf.set_stringn(inner.x, area.y, cut(&label(&head.conversation).line(), room), room, style);
                let x = inner.right().saturating_sub(right.0.width() as u16);
                buf.set_stringn(x, area.y, right.0, right.0.width(), right.1);
            }
        }
    }

    /// Returns the mark of a conversation that works, or has ended its work unseen.
    fn mark<'a>(&self, id: Id, spin: &'a str, theme: &Theme) -> Option<(&'a str, Style)> {
        Some(match (self.tab.working.contains(&id), self.unseen.get(&id)) {
            (true, _) => (if spin == "…" { "●" } else { spin }, theme.busy),
            (false, Some(true)) => ("✕", theme.bad),
            (false, Some(false)) => ("✓", theme.good),
            (false, None) => return None,
        })
    }
}
