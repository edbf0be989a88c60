//! Draws the visible rows: made safe, and styled by the owner.

use std::ops::Range;

use ratatui::Frame;
use ratatui::buffer::Buffer as Cells;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};

use super::glyph::{GlyphKind, picture};
use super::view::LineRow;
use super::{Buffer, Decoration};
use crate::ui::theme::Theme;

/// A character on the screen: its bytes, and the cells it has.
#[derive(Debug)]
struct Drawn {
    bytes: Range<usize>,
    cells: Rect,
    /// A line end, which has a cell only if it is selected.
    ends: bool,
    /// The blank at which a row wraps. A style that continues in the next row is not shown on it.
    wraps: bool,
}

impl Buffer {
    /// Draws the text into the area it was fitted to ([`Buffer::arrange`]). The first column of the area is the gutter,
    /// the last one is kept free for a caret after a full row; the terminal's cursor is at the caret while the box has
    /// the focus.
    pub fn render(
        &self,
        frame: &mut Frame<'_>,
        area: Rect,
        theme: &Theme,
        focus: bool,
        decoration: &mut dyn Decoration,
    ) {
        let area = area.intersection(frame.area());
        if area.is_empty() {
            return;
        }
        let tail = decoration.tail();
        let cells = frame.buffer_mut();
        let drawn = self.draw_rows(cells, area, theme, decoration);
        for (range, style) in decoration.styles(self.visible()) {
            patch(cells, &drawn, &range, style, false);
        }
        if let Some(selected) = self.selection() {
            patch(cells, &drawn, &selected, Style::new().add_modifier(Modifier::REVERSED), true);
        }
        if let Some((at, mark)) = tail {
            self.draw_tail(cells, at, mark, theme);
        }
        if let Some(at) = self.cell(self.caret).filter(|_| focus) {
            frame.set_cursor_position(at);
        }
    }

    /// Draws the rows and the gutter beside them.
    fn draw_rows(&self, cells: &mut Cells, area: Rect, theme: &Theme, decoration: &dyn Decoration) -> Vec<Drawn> {
        let mut drawn = Vec::with_capacity(usize::from(self.area.width) * usize::from(self.area.height));
        let mut row = Some(self.shown_row_at(self.top));
        for y in area.top()..area.bottom() {
            let Some(this) = row else { break };
            if area.x < self.area.x && decoration.marked(self.bytes(this, true)) {
                cells.set_stringn(area.x, y, "▎", 1, theme.model);
            }
            self.draw_row(cells, this, Rect { y, height: 1, ..area }, theme, &mut drawn);
            row = self.shown_row_below(this);
        }
        drawn
    }

    fn draw_row(&self, cells: &mut Cells, row: LineRow, area: Rect, theme: &Theme, drawn: &mut Vec<Drawn>) {
        let (line, bytes, start) = self.line(row);
        let y = area.y;
        let x = |column: usize| self.area.x.saturating_add(u16::try_from(column).unwrap_or(u16::MAX)).min(area.right());
        // Unchanged characters are drawn in one run.
        let mut run = bytes.start..bytes.start;
        let mut run_x = self.area.x;
        let mut free = self.area.x;
        let mut put = |run: Range<usize>, from: u16| {
            if !run.is_empty() && from < area.right() {
                cells.set_stringn(from, y, &line[run], usize::from(area.right() - from), Style::new());
            }
        };
        let mut others = Vec::new();
        for (glyph, column, columns) in self.placed(row) {
            let from = x(column);
            free = x(column + columns);
            if matches!(glyph.kind(), GlyphKind::Plain | GlyphKind::Space) {
                if run.is_empty() {
                    (run, run_x) = (glyph.at..glyph.end, from);
                }
                run.end = glyph.end;
            } else {
                put(std::mem::replace(&mut run, glyph.end..glyph.end), run_x);
                if glyph.kind() == GlyphKind::Other && from < area.right() {
                    others.push((glyph, from));
                }
            }
            let cells = Rect { x: from, y, width: free - from, height: 1 };
            drawn.push(Drawn { bytes: start + glyph.at..start + glyph.end, cells, ends: false, wraps: false });
        }
        if let Some(last) = drawn.last_mut().filter(|last| last.bytes.start >= start + bytes.start) {
            last.wraps = bytes.end < line.len() && line[bytes.start..bytes.end].ends_with(' ');
        }
        put(run, run_x);
        // Now, because the second cell of a wide character was left without a style.
        cells.set_style(Rect { x: self.area.x, width: area.right() - self.area.x, ..area }, theme.text);
        for (glyph, from) in others {
            let text = &line[glyph.at..glyph.end];
            let shown = picture(text);
            // What is drawn differently than it is gets a style of its own.
            let style = if shown == text { theme.text } else { theme.text.patch(theme.escape) };
            let (end, _) = cells.set_stringn(from, y, &shown, usize::from(area.right() - from), style);
            cells.set_style(Rect { x: from, y, width: end - from, height: 1 }, style);
        }
        let end = self.bytes(row, true).end;
        if end > start + bytes.end {
            let width = u16::from(free < area.right());
            drawn.push(Drawn {
                bytes: start + bytes.end..end,
                cells: Rect { x: free, y, width, height: 1 },
                ends: true,
                wraps: false,
            });
        }
    }

    /// Draws the mark of the streaming tail: in the free cell after the text, or as a highlight on the character that
    /// follows.
    fn draw_tail(&self, cells: &mut Cells, at: usize, mark: &'static str, theme: &Theme) {
        let at = self.before(at);
        let Some(cell) = self.cell(at) else { return };
        if self.line_end(at) == at {
            cells.set_stringn(cell.x, cell.y, mark, 1, theme.busy);
        } else {
            cells[cell].set_style(theme.busy.add_modifier(Modifier::REVERSED));
        }
    }

    /// Returns the cell of a byte, if it is visible.
    fn cell(&self, at: usize) -> Option<Position> {
        let last = self.visible.end == self.len() && at == self.len();
        if !self.visible.contains(&at) && !last {
            return None;
        }
        let row = self.shown_row_at(at);
        let mut above = self.shown_row_at(self.top);
        let mut y = self.area.y;
        while above != row {
            above = self.shown_row_below(above)?;
            y += 1;
        }
        let x = self.area.x + self.column(row, at) as u16;
        (y < self.area.bottom()).then(|| Position::new(x.min(self.edge), y))
    }
}

/// Styles the cells of some bytes.
fn patch(cells: &mut Cells, drawn: &[Drawn], range: &Range<usize>, style: Style, ends: bool) {
    let first = drawn.partition_point(|drawn| drawn.bytes.end <= range.start);
    for drawn in drawn[first..].iter().take_while(|drawn| drawn.bytes.start < range.end) {
        if ends || !(drawn.ends || drawn.wraps && range.end > drawn.bytes.end) {
            cells.set_style(drawn.cells, style);
        }
    }
}
