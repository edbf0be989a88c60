//! Title rules: heavy with `▸` for the pane that has the focus, light for the others. Shape first, colour repeats it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_width::UnicodeWidthStr;

use super::theme::Theme;

/// A pane's title rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule<'a> {
    /// Left, cut with `…` when there is no room.
    pub title: &'a str,
    /// Right; left out when there is no room.
    pub right: &'a str,
    /// How the right text looks.
    pub right_style: Style,
    /// Whether the pane has the focus.
    pub focus: bool,
}

impl Rule<'_> {
    /// Draws it into the first row of `area`.
    pub fn render(&self, area: Rect, buf: &mut Buffer, theme: &Theme) {
        if area.width == 0 || area.height == 0 {
            return;
        }
        let (line, style) = if self.focus { ("━", theme.rule_focus) } else { ("─", theme.rule) };
        let width = usize::from(area.width);
        buf.set_stringn(area.x, area.y, line.repeat(width), width, style);
        let arrow = if self.focus { "▸ " } else { "" };
        let lead = 2.min(width);
        // What stands at the right is mostly a state, which matters more than the end of a long title.
        let kept = if self.right.is_empty() { 0 } else { self.right.width() + 5 };
        let whole = width.saturating_sub(lead + 2);
        let title_room = if whole >= kept + 8 { whole - kept } else { whole };
        let title = cut(&format!("{arrow}{}", self.title), title_room.saturating_sub(1));
        let mut used = lead;
        if !title.is_empty() {
            let style = if self.focus { theme.rule_focus } else { theme.text };
            used += title.width() + 2;
            buf.set_stringn(area.x + lead as u16, area.y, format!(" {title} "), width - lead, style);
        }
        let right = self.right.width() + 2;
        if !self.right.is_empty() && used + right + 3 <= width {
            let x = area.x + (width - right - 2) as u16;
            buf.set_stringn(x, area.y, format!(" {} ", self.right), right, self.right_style);
        }
    }
}

/// The text within `width` columns, cut with `…`.
pub fn cut(text: &str, width: usize) -> String {
    use unicode_segmentation::UnicodeSegmentation;
    if text.width() <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 0;
    for grapheme in text.graphemes(true) {
        if used + grapheme.width() + 1 > width {
            break;
        }
        used += grapheme.width();
        out.push_str(grapheme);
    }
    if width > 0 {
        out.push('…');
    }
    out
}
