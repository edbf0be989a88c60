//! Draws the text box, and finds the position of a click.

use std::borrow::Cow;
use std::ops::Range;

use ratatui::Frame;
use ratatui::buffer::{Buffer, CellWidth};
use ratatui::layout::{Position, Rect};
use ratatui::style::Modifier;
use ratatui::widgets::Widget;
use tui_textarea::DataCursor;
use unicode_segmentation::UnicodeSegmentation;

use super::control::{Controls, picture};
use super::{Editor, byte_of};
use crate::text;
use crate::ui::theme::Theme;
use crate::ui::wrap;

impl Editor {
    /// Fits it to the area into which it will be drawn: the wrapping there affects some keys.
    pub fn arrange(&mut self, area: Rect) {
        let same = std::mem::replace(&mut self.drawn, area) == area;
        if area.is_empty() {
            return;
        }
        // A box that was lower has scrolled; once all rows fit again, all are shown.
        let hidden = self.area.scroll_offset().0;
        if hidden > 0 && self.rows(area.width, area.height + 1) <= area.height {
            // Scrolling moves the cursor.
            let cursor = self.area.cursor();
            self.area.scroll((-(hidden as i16), 0));
            self.go_to(cursor);
        }
        // The text area scrolls, and wraps at another width, only when it is drawn.
        let top = usize::from(self.area.scroll_offset().0);
        let in_sight = top..top + usize::from(area.height);
        if !same || !in_sight.contains(&self.area.screen_cursor().row) {
            (&self.area).render(area, &mut Buffer::empty(area));
        }
    }

    /// Draws it and, with the focus, puts the terminal's cursor in place.
    pub fn draw(&self, frame: &mut Frame, area: Rect, theme: &Theme, focus: bool) {
        if area.is_empty() {
            return;
        }
        frame.buffer_mut().set_style(area, theme.text);
        (&self.area).render(area, frame.buffer_mut());
        if self.area.is_empty() {
            let width = usize::from(area.width);
            for (row, y) in wrap::lines(self.placeholder, width).into_iter().zip(area.y..area.bottom()) {
                frame.buffer_mut().set_stringn(area.x, y, row, width, theme.muted);
            }
        }
        if self.controls == Controls::Replaced {
            show_controls(frame.buffer_mut(), area, theme);
        }
        clean(frame.buffer_mut(), area, theme);
        self.mark_rows(frame.buffer_mut(), area, theme);
        if focus {
            let cursor = self.area.screen_cursor();
            let (top, left) = self.area.scroll_offset();
            let x = (area.x as usize + cursor.col.saturating_sub(usize::from(left))).min(area.right() as usize - 1);
            let y = (area.y as usize + cursor.row.saturating_sub(usize::from(top))).min(area.bottom() as usize - 1);
            frame.set_cursor_position(Position::new(x as u16, y as u16));
        }
    }

    /// Marks hidden characters and the selection.
    fn mark_rows(&self, buf: &mut Buffer, area: Rect, theme: &Theme) {
        if self.is_empty() {
            return;
        }
        let top = usize::from(self.area.scroll_offset().0);
        let starts: Vec<_> =
            (top..=top + usize::from(area.height)).map(|row| self.area.screen_to_data(row, 0)).collect();
        let selected = self.selection();
        // A row begins where the one before ended: a long line is scanned once.
        let mut from = byte_of(&self.area.lines()[starts[0].0], starts[0].1);
        for (y, pair) in (area.top()..area.bottom()).zip(starts.windows(2)) {
            let (start, next) = (pair[0], pair[1]);
            let rest = &self.area.lines()[start.0][from..];
            // Below the last row the crate returns the last one again.
            let goes_on = next.0 == start.0 && next.1 > start.1;
            let part = if goes_on { &rest[..byte_of(rest, next.1 - start.1)] } else { rest };
            from = if goes_on { from + part.len() } else { 0 };
            let row = Rect { y, height: 1, ..area };
            if matches!(text::screen(part), Cow::Owned(_)) {
                mark_hidden(part, row, buf, theme);
            }
            if let Some(selected) = &selected {
                show_selected(part, start, !goes_on, selected, row, buf);
            }
            if next == start {
                break;
            }
        }
    }

    /// Moves the cursor to a click (absolute coordinates). Returns whether that was in the box.
    pub fn click(&mut self, at: Position) -> bool {
        if !self.drawn.contains(at) {
            return false;
        }
        let (top, left) = self.area.scroll_offset();
        let row = usize::from(at.y - self.drawn.y) + usize::from(top);
        let found = self.area.screen_to_data(row, usize::from(at.x - self.drawn.x) + usize::from(left));
        self.go_to(found);
        self.anchor = None;
        true
    }
}

/// Marks the cells that follow the characters of a row which are not drawn at all, so that one sees that they are
/// there: the text and the columns stay unchanged. At the end of the row the mark is before them.
fn mark_hidden(part: &str, row: Rect, buf: &mut Buffer, theme: &Theme) {
    let mut column = 0;
    for grapheme in part.graphemes(true) {
        let after = column_after(column, grapheme);
        if after == column {
            let x = row.x + column.min(usize::from(row.width) - 1) as u16;
            buf[(x, row.y)].set_style(theme.escape);
        }
        column = after;
    }
}

/// Reverses the selected characters of a row, which begins at `start`; `ends`: its line ends with it, and has a cell if
/// the line end is selected.
fn show_selected(part: &str, start: DataCursor, ends: bool, selected: &Range<DataCursor>, row: Rect, buf: &mut Buffer) {
    let (DataCursor(line, mut at), mut column) = (start, 0);
    for grapheme in part.graphemes(true).chain(ends.then_some(" ")) {
        let after = column_after(column, grapheme);
        if selected.contains(&DataCursor(line, at)) {
            let x = row.x.saturating_add(column as u16);
            let cells = Rect { x, width: (after - column) as u16, ..row }.intersection(row);
            buf.set_style(cells, Modifier::REVERSED);
        }
        at += grapheme.chars().count();
        column = after;
    }
}

/// Returns the column after a character that is drawn at one.
fn column_after(column: usize, grapheme: &str) -> usize {
    match grapheme {
        "\t" => column + text::TAB - column % text::TAB,
        // Control characters are not drawn, and have no width.
        _ if grapheme.contains(char::is_control) => column,
        _ => column + usize::from(grapheme.cell_width()),
    }
}

/// Draws the pictures of control characters at their places.
fn show_controls(buf: &mut Buffer, area: Rect, theme: &Theme) {
    for position in area.positions() {
        let symbol = buf[position].symbol();
        if symbol.contains(|char| picture(char).is_some()) {
            let shown: String = symbol.chars().map(|char| picture(char).unwrap_or(char)).collect();
            buf.set_stringn(position.x, position.y, shown, usize::from(area.right() - position.x), theme.escape);
        }
    }
}

/// Removes from the cells what would reorder or hide text, and marks them. A cell of nothing else becomes `\u{fffd}`.
fn clean(buf: &mut Buffer, area: Rect, theme: &Theme) {
    for position in area.positions() {
        let symbol = buf[position].symbol();
        if is_safe(symbol) {
            continue;
        }
        let ends = symbol.char_indices().map(|(at, _)| at).rev();
        let kept = ends.map(|end| &symbol[..end]).find(|kept| is_safe(kept));
        let kept = kept.filter(|kept| !kept.is_empty()).unwrap_or("\u{fffd}").to_owned();
        buf.set_stringn(position.x, position.y, &kept, usize::from(area.right() - position.x), theme.escape);
    }
}

fn is_safe(text: &str) -> bool {
    matches!(text::line(text), Cow::Borrowed(_))
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
    use ratatui::buffer::Cell;

    use super::super::editor_with;
    use super::*;

    /// Arranges and draws the box.
    fn shown(editor: &mut Editor, width: u16, height: u16) -> Buffer {
        let mut terminal = ratatui::Terminal::new(ratatui::backend::TestBackend::new(width, height)).unwrap();
        let theme = Theme::of(crate::ui::theme::Kind::Mono, crate::ui::theme::Depth::True);
        editor.arrange(Rect::new(0, 0, width, height));
        terminal.draw(|frame| editor.draw(frame, frame.area(), &theme, true)).unwrap();
        terminal.backend().buffer().clone()
    }

    #[test]
    fn the_last_row_is_the_last_wrapped_one() {
        let mut editor = editor_with("one two three four five");
        shown(&mut editor, 10, 6);
        assert!(editor.on_last_row() && !editor.on_first_row());
        editor.key(KeyEvent::from(KeyCode::Home));
        editor.key(KeyEvent::new(KeyCode::Home, KeyModifiers::CONTROL));
        assert!(editor.on_first_row() && !editor.on_last_row());
    }

    #[test]
    fn a_box_that_becomes_larger_again_leaves_the_cursor_where_it_is() {
        let mut editor = editor_with("one two three four five six seven");
        for (width, height) in [(40, 6), (10, 2), (40, 6)] {
            shown(&mut editor, width, height);
        }
        editor.key(KeyEvent::from(KeyCode::Char('!')));
        assert_eq!(editor.text(), "one two three four five six seven!");
    }

    /// Returns the rows that are drawn, and the marked columns of each.
    fn drawn(text: &str) -> Vec<(String, Vec<u16>)> {
        let mut editor = editor_with("");
        editor.paste(text).unwrap();
        let buf = shown(&mut editor, 10, 3);
        assert_eq!(editor.text(), text, "the text stays as it is");
        let rows = (0..3).map(|y| {
            let row: String = (0..10).map(|x| buf[(x, y)].symbol()).collect();
            assert!(is_safe(&row), "{text:?}: {row:?}");
            let marked = |cell: &Cell| cell.modifier.contains(Modifier::REVERSED);
            (row.trim_end().to_owned(), (0..10).filter(|x| marked(&buf[(*x, y)])).collect())
        });
        rows.collect()
    }

    #[test]
    fn what_hides_or_reorders_text_is_marked_and_never_drawn() {
        // What follows the text's first letter, what is drawn, and the marked columns.
        let cases = [
            ("\u{202e}", "abc", vec![1]),
            ("\u{200b}", "abc", vec![1]),
            ("\u{2066}\u{feff}", "abc", vec![1]),
            ("\u{9b}2J", "a2Jbc", vec![1]),
            ("\t\u{202e}", "a   bc", vec![4]),
            ("\u{200d}", "abc", vec![0]),
            ("\u{e0068}\u{e0069}", "abc", vec![0]),
            ("\u{2028}", "a\u{fffd}bc", vec![1]),
            ("日\u{202e}", "a日 bc", vec![3]),
            ("\u{301}", "a\u{301}bc", vec![]),
            ("👩\u{200d}👩", "a👩\u{200d}👩 bc", vec![]),
            ("\t", "a   bc", vec![]),
            ("\u{1b}[2", "a␛[2bc", vec![1]),
            ("\0\u{7}\u{7f}", "a␀␇␡bc", vec![1, 2, 3]),
            ("\u{1b}\u{301}", "a␛\u{301}bc", vec![1]),
            ("␛", "a␛bc", vec![]),
        ];
        for (hidden, shown, marked) in cases {
            let text = format!("a{hidden}bc");
            assert_eq!(drawn(&text)[0], (shown.to_owned(), marked), "{text:?}");
        }
        let wrapped = drawn("abcdefghij\u{202e}kl\n\u{200b}m");
        let marks: Vec<_> = wrapped.iter().map(|(_, marked)| marked.len()).collect();
        assert!(marks == [1, 0, 1] || marks == [0, 1, 1], "{wrapped:?}");
    }
}
