//! Panes: their background, their title, and the space inside them.
//!
//! With surfaces a pane is a background with blank columns and rows around its content; with lines it is a title rule
//! above its content, and a line at its side.

use std::cell::RefCell;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::Span;
use unicode_width::UnicodeWidthStr;

use super::rule::{Rule, fit};
use super::size_class::SizeClass;
use super::theme::{Kind, Theme};

thread_local! {
    /// The panes and dialogs that are drawn while [`record`] runs; `None`: it does not.
    static RECORDED: RefCell<Option<Vec<DrawnPane>>> = const { RefCell::new(None) };
}

/// Where a pane or a dialog was drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawnPane {
    /// All of it.
    pub area: Rect,
    /// The part without borders and blank columns.
    pub content: Rect,
}

/// Returns the panes and dialogs that `draw` draws, in their order.
pub fn record(draw: impl FnOnce()) -> Vec<DrawnPane> {
    RECORDED.set(Some(Vec::new()));
    draw();
    RECORDED.take().unwrap_or_default()
}

/// Notes where a pane or a dialog is drawn, for [`record`].
pub fn note_drawn(area: Rect, content: Rect) {
    RECORDED.with_borrow_mut(|recorded| {
        if let Some(recorded) = recorded {
            recorded.push(DrawnPane { area, content });
        }
    });
}

/// Rows from which on a pane has blank rows around its title.
pub const TALL: u16 = 9;

/// How panes are distinguished, and how much space is left in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spacing {
    /// By lines: the theme has no surfaces.
    #[default]
    Lines,
    /// By their backgrounds, with little room.
    Compact,
    /// By their backgrounds, with blank rows and columns.
    Roomy,
}

/// The background of a pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// That of the main pane.
    Ground,
    /// That of side panes.
    Panel,
}

/// The areas of a pane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PaneAreas {
    /// The row of the title, as wide as the pane.
    pub title: Rect,
    /// The area below it, without the blank columns at both sides.
    pub content: Rect,
}

impl Spacing {
    /// Returns the spacing for a theme and a screen's size.
    pub fn of(kind: Kind, class: SizeClass) -> Self {
        match class {
            _ if !kind.has_surfaces() => Self::Lines,
            SizeClass::Wide => Self::Roomy,
            _ => Self::Compact,
        }
    }

    /// Returns whether panes are distinguished by their backgrounds.
    pub fn has_surfaces(self) -> bool {
        self != Self::Lines
    }

    /// Returns the blank columns at each side of a pane.
    pub fn side(self) -> u16 {
        if self == Self::Roomy { 2 } else { 1 }
    }

    /// Returns the rows above the content in a pane of some height.
    pub fn head(self, height: u16) -> u16 {
        self.above(height) + 1 + u16::from(self.has_surfaces() && height >= TALL)
    }

    /// Returns the blank rows above the title in a pane of some height.
    fn above(self, height: u16) -> u16 {
        u16::from(self == Self::Roomy && height >= TALL)
    }

    /// Returns the areas of a pane.
    pub fn pane(self, area: Rect) -> PaneAreas {
        let title = Rect { y: area.y + self.above(area.height), height: area.height.min(1), ..area };
        let head = self.head(area.height).min(area.height);
        let below = Rect { y: area.y + head, height: area.height - head, ..area };
        PaneAreas { title, content: self.padded(below) }
    }

    /// Returns the spacing of a part of a pane: at most one blank column at its sides.
    #[must_use]
    pub fn within(self) -> Self {
        if self.has_surfaces() { Self::Compact } else { self }
    }

    /// Returns the area below the title, with one blank column at each side for content whose marks are placed in it.
    pub fn body(self, area: Rect) -> Rect {
        let content = self.pane(area).content;
        let side = self.side() - 1;
        let width = area.width.saturating_sub(2 * side);
        Rect { x: area.x + side.min(area.width), width, ..content }
    }

    /// Returns an area without the blank columns at both sides.
    pub fn padded(self, area: Rect) -> Rect {
        let side = self.side().min(area.width / 2);
        Rect { x: area.x + side, width: area.width - 2 * side, ..area }
    }
}

/// A pane's title and background.
#[derive(Clone, Copy, Debug)]
pub struct Pane<'a> {
    /// At the left, cut with `…` if space is short.
    pub title: &'a str,
    /// After it, less prominent; omitted if space is short.
    pub note: &'a str,
    /// At the right: usually a state.
    pub right: &'a str,
    /// The style of the right text.
    pub right_style: Style,
    /// Whether the pane has the focus.
    pub focus: bool,
    /// Its background.
    pub surface: Surface,
}

impl Pane<'_> {
    /// Paints the background and draws the title.
    pub fn render(&self, area: Rect, buf: &mut Buffer, theme: &Theme, spacing: Spacing) {
        let area = area.intersection(buf.area);
        if area.is_empty() {
            return;
        }
        note_drawn(area, spacing.padded(area));
        if !spacing.has_surfaces() {
            let title = [self.title, self.note].map(str::trim).join(" ");
            let rule =
                Rule { title: title.trim(), right: self.right, right_style: self.right_style, focus: self.focus };
            return rule.render(area, buf, theme);
        }
        paint(buf, area, self.surface, theme);
        self.title(spacing.pane(area).title, buf, theme, spacing);
    }

    /// Draws the title into its row. Shape tells the focus, colour repeats it.
    fn title(&self, row: Rect, buf: &mut Buffer, theme: &Theme, spacing: Spacing) {
        if self.focus {
            buf.set_stringn(row.x, row.y, "▌", 1, theme.accent);
        }
        let inner = spacing.padded(row);
        let width = usize::from(inner.width);
        let (title, right) = fit(self.title, self.right, width, 2);
        let style = if self.focus { theme.accent } else { theme.text };
        buf.set_stringn(inner.x, inner.y, &title, width, style.add_modifier(Modifier::BOLD));
        let left = title.width() + 1;
        let free = width.saturating_sub(left + right.width() + 2);
        if !self.note.is_empty() && self.note.width() <= free {
            buf.set_stringn(inner.x + left as u16, inner.y, self.note, free, theme.faint);
        }
        let x = inner.right() - right.width() as u16;
        buf.set_stringn(x, inner.y, &right, right.width(), self.right_style);
    }
}

/// Paints a pane's background; existing contents stay.
pub fn paint(buf: &mut Buffer, area: Rect, surface: Surface, theme: &Theme) {
    let style = match surface {
        Surface::Ground => theme.ground,
        Surface::Panel => theme.panel,
    };
    fill(buf, area, style);
}

/// Sets the style of every cell of an area; existing contents stay. `Buffer::set_style` does the same, but computes the
/// position of each cell anew: a third of the time of a frame.
pub fn fill(buf: &mut Buffer, area: Rect, style: Style) {
    let area = area.intersection(buf.area);
    if area.is_empty() {
        return;
    }
    let width = usize::from(buf.area.width);
    let (top, left) = (usize::from(area.y - buf.area.y), usize::from(area.x - buf.area.x));
    for row in buf.content.chunks_mut(width).skip(top).take(area.height.into()) {
        for cell in &mut row[left..left + usize::from(area.width)] {
            cell.set_style(style);
        }
    }
}

/// Draws the line between two panes, if lines distinguish them: `┬` in its first row, below it `│`.
pub fn divider(buf: &mut Buffer, column: Rect, theme: &Theme, spacing: Spacing) {
    if spacing.has_surfaces() {
        return;
    }
    for y in column.y..column.bottom() {
        let glyph = if y == column.y { "┬" } else { "│" };
        buf.set_stringn(column.x, y, glyph, 1, theme.rule);
    }
}

/// Marks a row, over the width of its pane, as the one under the cursor: `▌` and a background, in the accent colour if
/// the pane has the focus. Call it before drawing the row's contents.
pub fn highlight(buf: &mut Buffer, row: Rect, theme: &Theme, focus: bool) {
    let row = row.intersection(buf.area);
    if row.is_empty() {
        return;
    }
    buf.set_style(row, theme.select);
    let bar = if focus { theme.accent } else { theme.faint };
    for y in row.y..row.bottom() {
        buf.set_stringn(row.x, y, "▌", 1, theme.select.patch(bar));
    }
}

/// Returns the heading of a section within a pane, a list or a dialog.
pub fn heading(text: &str, theme: &Theme) -> Span<'static> {
    if theme.kind.has_surfaces() {
        return Span::styled(text.to_uppercase(), theme.faint.add_modifier(Modifier::BOLD));
    }
    Span::styled(text.to_owned(), theme.heading)
}

#[cfg(test)]
mod tests {
    use ratatui::style::Color;

    use super::*;
    use crate::ui::theme::Depth;

    #[test]
    fn content_keeps_off_the_edges_where_there_is_room_for_it() {
        let area = Rect::new(3, 1, 40, 20);
        let content = |spacing: Spacing, height| spacing.pane(Rect { height, ..area }).content;
        assert_eq!(content(Spacing::Lines, 20), Rect::new(4, 2, 38, 19));
        assert_eq!(content(Spacing::Compact, 20), Rect::new(4, 3, 38, 18));
        assert_eq!(content(Spacing::Roomy, 20), Rect::new(5, 4, 36, 17));
        assert_eq!(content(Spacing::Compact, 6), Rect::new(4, 2, 38, 5));
        for spacing in [Spacing::Lines, Spacing::Compact, Spacing::Roomy] {
            for (width, height) in (0..6).flat_map(|width| (0..12).map(move |height| (width, height))) {
                let area = Rect { width, height, ..area };
                let PaneAreas { title, content } = spacing.pane(area);
                assert_eq!((area.union(content), area.union(title)), (area, area), "{spacing:?} {width}×{height}");
            }
        }
    }

    #[test]
    fn an_area_is_filled_as_ratatui_does_it_also_where_it_is_partly_outside() {
        let (style, whole) = (Style::new().fg(Color::Red).bold(), Rect::new(2, 1, 5, 3));
        for area in [whole, Rect::new(3, 2, 2, 1), Rect::new(0, 0, 4, 2), Rect::new(5, 3, 9, 9), Rect::new(20, 9, 3, 3)]
        {
            let (mut ours, mut theirs) = (Buffer::empty(whole), Buffer::empty(whole));
            fill(&mut ours, area, style);
            theirs.set_style(area, style);
            assert_eq!(ours, theirs, "{area}");
        }
    }

    #[test]
    fn a_title_with_surfaces_has_no_line_and_its_right_text_ends_in_the_padding() {
        let area = Rect::new(0, 0, 30, 10);
        let theme = Theme::of(Kind::Dark, Depth::True);
        let pane = Pane {
            title: "Jobs",
            note: "mood",
            right: "1 running",
            right_style: theme.busy,
            focus: true,
            surface: Surface::Panel,
        };
        let row = |pane: &Pane, area: Rect| {
            let mut buf = Buffer::empty(area);
            pane.render(area, &mut buf, &theme, Spacing::Compact);
            let row: String = (0..area.width).map(|x| buf[(x, 0)].symbol().to_owned()).collect();
            assert!((0..area.width).all(|x| Some(buf[(x, area.bottom() - 1)].bg) == theme.panel.bg));
            row
        };
        assert_eq!(row(&pane, area), "▌Jobs mood          1 running ");
        assert_eq!(row(&Pane { focus: false, ..pane }, Rect { width: 18, ..area }), " Jobs   1 running ");
        for width in 1..30 {
            assert_eq!(row(&pane, Rect { width, ..area }).width(), usize::from(width));
        }
    }
}
