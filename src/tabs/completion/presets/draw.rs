//! The list of presets on the screen.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use unicode_width::UnicodeWidthStr;

use super::{PresetPrompt, Presets, examples};
use crate::component::Component;
use crate::record::Preset;
use crate::ui::line::Line;
use crate::ui::list::{Cursor, mark_more};
use crate::ui::pane;
use crate::ui::rule::cut;
use crate::ui::theme::Theme;
use crate::ui::wrap;

impl Presets {
    /// Draws the rows and, below them, what is typed, asked or to be said. Without the focus no row is chosen.
    pub(super) fn draw(&self, frame: &mut Frame, area: Rect, theme: &Theme, focus: bool) {
        let area = area.intersection(frame.area());
        if area.width < 8 || area.height == 0 {
            return;
        }
        let pad = if theme.kind.has_surfaces() { 2 } else { 0 };
        let inside = Rect { x: area.x + pad, width: area.width - 2 * pad, ..area };
        let foot = self.foot(frame, inside, theme, focus).min(area.height);
        let list = Rect { height: area.height - foot, ..area };
        let count = self.rows().count();
        if count == 0 && list.height > 0 {
            let words = cut("no preset has this name", usize::from(list.width));
            frame.buffer_mut().set_string(list.x + 1, list.y, words, theme.muted);
        }
        let mut cursor = Cursor { top: self.top.get(), ..self.cursor };
        let window = cursor.window(usize::from(list.height), count);
        self.top.set(cursor.top);
        for ((at, preset), y) in self.rows().enumerate().skip(window.start).take(window.len()).zip(list.y..) {
            let chosen = focus && at == self.cursor.selected;
            self.row(frame, Rect { y, height: 1, ..list }, preset, chosen, theme);
            if chosen && !self.typing() {
                frame.set_cursor_position(Position::new(list.x + 1, y));
            }
        }
        mark_more(frame.buffer_mut(), list, &window, count, theme);
    }

    fn row(&self, frame: &mut Frame, area: Rect, preset: &Preset, chosen: bool, theme: &Theme) {
        let used = self.loaded == Some(preset.id);
        let buf = frame.buffer_mut();
        let surfaces = theme.kind.has_surfaces();
        let style = match (chosen, surfaces && !used) {
            (true, _) => theme.text.patch(theme.select),
            (false, true) => theme.muted,
            (false, false) => theme.text,
        };
        if chosen && surfaces {
            pane::highlight(buf, area, theme, true);
        } else if (used && !surfaces) || chosen {
            buf.set_stringn(area.x, area.y, "▌", 1, theme.accent);
        }
        // With surfaces it is as wide as its pane.
        let pad = u16::from(surfaces);
        let area = Rect { x: area.x + pad, width: area.width - 3 * pad, ..area };
        let right = match () {
            () if used && self.edited => "(edited)",
            () if !examples::is(preset.id) => "",
            () => self.suits.obstacle(preset.id).unwrap_or("example"),
        };
        // On a narrow pane the name comes first.
        let width = usize::from(area.width) - 1;
        let right = if width >= right.len() + 12 { right } else { "" };
        let room = width - if right.is_empty() { 0 } else { right.len() + 1 };
        let name = cut(&preset.name.line(), room);
        let pad = room.saturating_sub(wrap::width(&name));
        buf.set_stringn(area.x + 1, area.y, format!("{name}{}", " ".repeat(pad)), room, style);
        let x = area.x + 1 + room as u16;
        buf.set_stringn(x, area.y, if right.is_empty() { "" } else { " " }, 1, style);
        let style = match right {
            "(edited)" => theme.warn,
            _ if surfaces => theme.faint,
            _ => theme.muted,
        };
        buf.set_stringn(area.right() - right.len() as u16, area.y, right, right.len(), style);
    }

    /// Draws what stands below the rows; how many rows of the area it takes.
    fn foot(&self, frame: &mut Frame, area: Rect, theme: &Theme, focus: bool) -> u16 {
        let width = usize::from(area.width);
        if let Some(PresetPrompt::NameTaken(name, _)) = &self.prompt {
            let words = format!("“{}” exists: r replace · b keep both · esc cancel", name.line());
            return says(frame, area, area.bottom(), &words, theme.warn);
        }
        let noted = |frame: &mut Frame, bottom: u16| match &self.note {
            Some(note) => says(frame, area, bottom, &note.line(), theme.warn),
            None => 0,
        };
        let y = area.bottom() - 1;
        let mut typed = |label: &str, line: &Line| {
            let label = cut(label, width / 2);
            frame.buffer_mut().set_string(area.x, y, &label, theme.muted);
            let x = area.x + label.width() as u16 + 1;
            let room = area.right().saturating_sub(x);
            line.render(frame, Rect { x, y, width: room, height: 1 }, theme.accent, focus);
            1 + noted(frame, y)
        };
        match &self.prompt {
            Some(PresetPrompt::Filter(line)) => typed("/", line),
            Some(PresetPrompt::Name(line)) => typed("Save as", line),
            Some(PresetPrompt::Rename(_, line)) => typed("Name", line),
            _ if !self.filter.is_empty() => {
                let words = cut(&format!("/ {} · esc show all", self.filter.line()), width);
                frame.buffer_mut().set_string(area.x, y, words, theme.muted);
                1 + noted(frame, y)
            }
            _ => noted(frame, area.bottom()),
        }
    }
}

/// Draws a sentence that ends above row `bottom`, in at most three rows; how many it took.
fn says(frame: &mut Frame, area: Rect, bottom: u16, words: &str, style: ratatui::style::Style) -> u16 {
    let mut lines = wrap::lines(words, usize::from(area.width));
    lines.truncate(usize::from(bottom - area.y).min(3));
    let top = bottom - lines.len() as u16;
    for (line, y) in lines.iter().zip(top..) {
        frame.buffer_mut().set_stringn(area.x, y, line, usize::from(area.width), style);
    }
    lines.len() as u16
}
