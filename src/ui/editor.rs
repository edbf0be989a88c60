//! The text box, over the textarea crate: readline keys, whole graphemes, soft wrap, long pastes as chips, the
//! terminal's own cursor.
//!
//! Good up to some 200 KB of typed text (the crate wraps all of it again at each edit); a long paste stands in the text
//! as a chip, `[pasted 312 lines, 18 KB]`, and costs nothing however long it is.

use std::ops::Range;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::widgets::Widget;
use tui_textarea::{CursorMove, TextArea, WrapMode};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::chip::Chips;
use super::meter;
use super::theme::Theme;

/// A paste of more characters than this becomes a chip.
const CHIP_CHARS: usize = 2_000;
/// A paste of more lines than this becomes a chip.
const CHIP_LINES: usize = 20;
/// A paste of more bytes than this is refused.
pub const PASTE_MOST: usize = 10_000_000;
/// A paste of more bytes than this is not expanded: the crate wraps all of the text again at each edit.
const EXPAND_MOST: usize = 200_000;

/// What a key did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// The text is another.
    Changed,
    /// Only the cursor moved.
    Moved,
    /// The key means nothing here.
    Ignored,
}

/// A text box.
#[derive(Debug)]
pub struct Editor {
    area: TextArea<'static>,
    placeholder: &'static str,
    chips: Chips,
    /// Ctrl+X was pressed: the next key completes it.
    after_x: bool,
    /// Where it was drawn, for clicks.
    drawn: Rect,
}

impl Editor {
    /// An empty box that shows `placeholder` while it is empty.
    pub fn new(placeholder: &'static str) -> Self {
        let mut editor =
            Self { area: TextArea::default(), placeholder, chips: Chips::default(), after_x: false, drawn: Rect::ZERO };
        editor.dress(Vec::new());
        editor
    }

    fn dress(&mut self, lines: Vec<String>) {
        self.area = TextArea::new(lines);
        self.area.set_wrap_mode(WrapMode::WordOrGlyph);
        self.area.set_max_histories(10_000);
        self.area.set_cursor_line_style(Style::new());
        // The real cursor stands there; a drawn one would be a second.
        self.area.set_cursor_style(Style::new());
        self.area.set_placeholder_text(self.placeholder);
    }

    /// The text, with every chip replaced by what it stands for.
    pub fn text(&self) -> String {
        self.chips.true_text(self.area.lines())
    }

    /// Replaces the text; the cursor goes to its end. A long text becomes a chip as a paste would.
    pub fn set_text(&mut self, text: &str) {
        self.chips.clear();
        if is_long(text) {
            self.dress(Vec::new());
            self.paste_chip(text);
        } else {
            self.dress(text.split('\n').map(str::to_owned).collect());
            self.area.move_cursor(CursorMove::Bottom);
            self.area.move_cursor(CursorMove::End);
        }
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    /// Bytes of the text, without building it.
    pub fn len(&self) -> usize {
        let shown: usize = self.area.lines().iter().map(|line| line.len() + 1).sum::<usize>() - 1;
        shown + self.chips.hidden(self.area.lines())
    }

    /// Whether the cursor is on the first row.
    pub fn on_first_row(&self) -> bool {
        self.area.screen_cursor().row == 0
    }

    /// Whether the cursor is on the last row, as wrapped when it was last drawn.
    pub fn on_last_row(&self) -> bool {
        let row = self.area.screen_cursor().row;
        // A row below the last one is answered with the last one.
        self.area.screen_to_data(row + 1, 0) == self.area.screen_to_data(row, 0)
    }

    /// Rows the text needs at a width, counted up to `most`.
    pub fn rows(&self, width: u16, most: u16) -> u16 {
        let width = usize::from(width.max(1));
        let mut rows = 0;
        for line in self.area.lines() {
            rows += 1 + line.width() / width;
            if rows >= usize::from(most) {
                return most;
            }
        }
        rows.max(1) as u16
    }

    /// A key. Enter is not handled here: whether it sends or breaks the line is the owner's affair.
    pub fn key(&mut self, key: KeyEvent) -> Edit {
        if std::mem::take(&mut self.after_x) && matches!(key.code, KeyCode::Char('u')) {
            return changed(self.area.undo());
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        let word = control || alt;
        let area = &mut self.area;
        match key.code {
            KeyCode::Char('x') if control => {
                self.after_x = true;
                Edit::Moved
            }
            KeyCode::Backspace if word => self.deleting(TextArea::delete_word),
            KeyCode::Char('w') if control => self.deleting(TextArea::delete_word),
            KeyCode::Backspace => self.delete_grapheme(false),
            KeyCode::Char('h') if control => self.delete_grapheme(false),
            KeyCode::Delete if word => self.deleting(TextArea::delete_next_word),
            KeyCode::Char('d') if alt => self.deleting(TextArea::delete_next_word),
            KeyCode::Delete => self.delete_grapheme(true),
            KeyCode::Char('k') if control => self.deleting(TextArea::delete_line_by_end),
            KeyCode::Char('u') if control => self.deleting(TextArea::delete_line_by_head),
            KeyCode::Char('a') if control => moved(area, CursorMove::Head),
            KeyCode::Char('e') if control => moved(area, CursorMove::End),
            KeyCode::Char('b') if alt => moved(area, CursorMove::WordBack),
            KeyCode::Char('f') if alt => moved(area, CursorMove::WordForward),
            KeyCode::Char('b') if control => moved(area, CursorMove::Back),
            KeyCode::Char('f') if control => moved(area, CursorMove::Forward),
            KeyCode::Left if word => moved(area, CursorMove::WordBack),
            KeyCode::Right if word => moved(area, CursorMove::WordForward),
            KeyCode::Left => self.step(false),
            KeyCode::Right => self.step(true),
            KeyCode::Up => moved(area, CursorMove::Up),
            KeyCode::Down => moved(area, CursorMove::Down),
            KeyCode::Home if control => moved(area, CursorMove::Top),
            KeyCode::End if control => moved(area, CursorMove::Bottom),
            KeyCode::Home => moved(area, CursorMove::Head),
            KeyCode::End => moved(area, CursorMove::End),
            KeyCode::Char(char) if !control && !alt => {
                self.insert(|area| area.insert_char(char));
                Edit::Changed
            }
            _ => Edit::Ignored,
        }
    }

    /// Breaks the line at the cursor.
    pub fn insert_newline(&mut self) {
        self.insert(TextArea::insert_newline);
    }

    /// Pastes a text; a long one as a chip. The error is a sentence.
    pub fn paste(&mut self, text: &str) -> Result<(), String> {
        if text.len() > PASTE_MOST {
            let size = meter::bytes(text.len() as u64);
            return Err(format!("the paste of {size} is over 10 MB and was left out; send it as a file instead"));
        }
        if is_long(text) {
            self.paste_chip(text);
        } else {
            self.insert(|area| {
                area.insert_str(text);
            });
        }
        Ok(())
    }

    /// Puts the true text in place of the chip the cursor stands on or behind. Whether it did: a paste too long to edit
    /// (200 KB) stays a chip.
    pub fn expand_chip(&mut self) -> bool {
        let column = self.area.cursor().1;
        let found = self.chips.spans(self.line()).find(|(span, _)| span.start <= column && column <= span.end);
        let Some((span, text)) = found.filter(|(_, text)| text.len() <= EXPAND_MOST) else { return false };
        let text = text.to_owned();
        self.walk_to(span.start);
        self.area.delete_str(span.len());
        self.area.insert_str(&text);
        true
    }

    fn paste_chip(&mut self, text: &str) {
        let label = self.chips.add(text, self.area.lines());
        self.insert(|area| {
            area.insert_str(&label);
        });
    }

    /// The line the cursor is in.
    fn line(&self) -> &str {
        self.area.lines().get(self.area.cursor().0).map_or("", String::as_str)
    }

    /// Moves along the line; the crate's own jump goes no further than column 65,535.
    fn walk_to(&mut self, column: usize) {
        let now = self.area.cursor().1;
        let step = if now < column { CursorMove::Forward } else { CursorMove::Back };
        for _ in 0..now.abs_diff(column) {
            self.area.move_cursor(step);
        }
    }

    /// An insertion; one inside a chip's label is moved behind it, so that no paste is ever lost by typing.
    fn insert(&mut self, edit: impl FnOnce(&mut TextArea<'static>)) {
        let column = self.area.cursor().1;
        let inside = self.chips.spans(self.line()).find(|(span, _)| span.start < column && column < span.end);
        if let Some(end) = inside.map(|(span, _)| span.end) {
            self.walk_to(end);
        }
        edit(&mut self.area);
    }

    /// A deletion; one that would cut into a chip's label takes the whole chip, and no more.
    fn deleting(&mut self, edit: impl FnOnce(&mut TextArea<'static>) -> bool) -> Edit {
        let spans: Vec<Range<usize>> = self.chips.spans(self.line()).map(|(span, _)| span).collect();
        let (rows, length) = (self.area.lines().len(), self.line().chars().count());
        if !edit(&mut self.area) {
            return Edit::Ignored;
        }
        // Joined lines cut no label: a label holds no line break.
        if spans.is_empty() || self.area.lines().len() != rows {
            return Edit::Changed;
        }
        let start = self.area.cursor().1;
        let gone = start..start + length.saturating_sub(self.line().chars().count());
        let cut = |span: &&Range<usize>| {
            let touched = span.start < gone.end && gone.start < span.end;
            touched && !(gone.start <= span.start && span.end <= gone.end)
        };
        let whole =
            spans.iter().filter(cut).fold(gone.clone(), |all, span| all.start.min(span.start)..all.end.max(span.end));
        if whole != gone {
            self.area.undo();
            self.walk_to(whole.start);
            self.area.delete_str(whole.len());
        }
        Edit::Changed
    }

    /// Deletes what a reader sees as one character, or a chip.
    fn delete_grapheme(&mut self, forward: bool) -> Edit {
        let cursor = self.area.cursor();
        let line = &self.area.lines()[cursor.0];
        let at = byte_of(line, cursor.1);
        let grapheme = if forward { line[at..].graphemes(true).next() } else { line[..at].graphemes(true).next_back() };
        let length = grapheme.map_or(1, |grapheme| grapheme.chars().count());
        self.deleting(|area| {
            if length == 1 {
                return if forward { area.delete_next_char() } else { area.delete_char() };
            }
            if !forward {
                for _ in 0..length {
                    area.move_cursor(CursorMove::Back);
                }
            }
            area.delete_str(length)
        })
    }

    /// One grapheme left or right.
    fn step(&mut self, forward: bool) -> Edit {
        let cursor = self.area.cursor();
        let line = &self.area.lines()[cursor.0];
        let at = byte_of(line, cursor.1);
        let grapheme = if forward { line[at..].graphemes(true).next() } else { line[..at].graphemes(true).next_back() };
        for _ in 0..grapheme.map_or(1, |grapheme| grapheme.chars().count()) {
            self.area.move_cursor(if forward { CursorMove::Forward } else { CursorMove::Back });
        }
        Edit::Moved
    }

    /// Draws it and, with the focus, puts the terminal's cursor in place.
    pub fn render(&mut self, frame: &mut Frame, area: Rect, theme: &Theme, focus: bool) {
        self.drawn = area;
        if area.is_empty() {
            return;
        }
        // A box that was lower has scrolled; once all rows fit again, all are shown.
        let hidden = self.area.scroll_offset().0;
        if hidden > 0 && self.rows(area.width, area.height + 1) <= area.height {
            self.area.scroll((-(hidden as i16), 0));
        }
        self.area.set_style(theme.text);
        self.area.set_placeholder_style(theme.muted);
        (&self.area).render(area, frame.buffer_mut());
        if focus {
            let cursor = self.area.screen_cursor();
            let (top, left) = self.area.scroll_offset();
            let x = (area.x as usize + cursor.col.saturating_sub(usize::from(left))).min(area.right() as usize - 1);
            let y = (area.y as usize + cursor.row.saturating_sub(usize::from(top))).min(area.bottom() as usize - 1);
            frame.set_cursor_position(Position::new(x as u16, y as u16));
        }
    }

    /// Puts the cursor where a click was (absolute coordinates). Whether it was in the box.
    pub fn click(&mut self, at: Position) -> bool {
        if !self.drawn.contains(at) {
            return false;
        }
        let (top, left) = self.area.scroll_offset();
        let row = usize::from(at.y - self.drawn.y) + usize::from(top);
        let found = self.area.screen_to_data(row, usize::from(at.x - self.drawn.x) + usize::from(left));
        let most = |place: usize| u16::try_from(place).unwrap_or(u16::MAX);
        self.area.move_cursor(CursorMove::Jump(most(found.0), most(found.1)));
        self.walk_to(found.1);
        true
    }
}

fn is_long(text: &str) -> bool {
    text.chars().nth(CHIP_CHARS).is_some() || text.lines().nth(CHIP_LINES).is_some()
}

fn byte_of(line: &str, column: usize) -> usize {
    line.char_indices().nth(column).map_or(line.len(), |(at, _)| at)
}

fn changed(did: bool) -> Edit {
    if did { Edit::Changed } else { Edit::Ignored }
}

fn moved(area: &mut TextArea<'static>, to: CursorMove) -> Edit {
    area.move_cursor(to);
    Edit::Moved
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(text: &str) -> Editor {
        let mut editor = Editor::new("");
        for char in text.chars() {
            editor.key(KeyEvent::from(KeyCode::Char(char)));
        }
        editor
    }

    #[test]
    fn backspace_takes_what_a_reader_sees() {
        for text in ["e\u{301}", "👨‍👩‍👧", "🇵🇹", "👍🏽", "語"] {
            let mut editor = typed(&format!("a{text}"));
            editor.key(KeyEvent::from(KeyCode::Backspace));
            assert_eq!(editor.text(), "a");
        }
    }

    #[test]
    fn a_long_paste_is_a_chip_over_the_true_text() {
        let long = "line\n".repeat(312);
        let mut editor = typed("see: ");
        editor.paste(&long).unwrap();
        assert_eq!(editor.area.lines(), ["see: [pasted 312 lines, 1 KB]"]);
        assert_eq!(editor.text(), format!("see: {long}"));
        editor.key(KeyEvent::from(KeyCode::Left));
        editor.key(KeyEvent::from(KeyCode::Char('!')));
        assert_eq!(editor.text(), format!("see: {long}!"), "typing inside the label goes behind it");
        editor.key(KeyEvent::from(KeyCode::Backspace));
        editor.key(KeyEvent::from(KeyCode::Backspace));
        assert_eq!(editor.text(), "see: ", "one backspace takes the chip");
        editor.paste(&long).unwrap();
        assert!(editor.expand_chip());
        assert_eq!(editor.text(), format!("see: {long}"));
        assert!(editor.area.lines().len() > 300);
    }

    #[test]
    fn readline_keys_edit_and_ctrl_x_u_undoes() {
        let control = |char| KeyEvent::new(KeyCode::Char(char), KeyModifiers::CONTROL);
        let mut editor = typed("one two");
        editor.key(control('w'));
        assert_eq!(editor.text(), "one ");
        editor.key(control('x'));
        editor.key(KeyEvent::from(KeyCode::Char('u')));
        assert_eq!(editor.text(), "one two");
        editor.key(control('a'));
        editor.key(control('k'));
        assert_eq!(editor.text(), "");
    }
    #[test]
    fn a_deleted_paste_comes_back_whole_with_undo() {
        let long = "line\n".repeat(312);
        let mut editor = typed("see ");
        editor.paste(&long).unwrap();
        editor.key(KeyEvent::from(KeyCode::Backspace));
        assert_eq!(editor.text(), "see ");
        assert_eq!(editor.len(), 4);
        editor.key(KeyEvent::new(KeyCode::Char('x'), KeyModifiers::CONTROL));
        editor.key(KeyEvent::from(KeyCode::Char('u')));
        assert_eq!(editor.text(), format!("see {long}"));
        assert_eq!(editor.len(), 4 + long.len());
    }

    #[test]
    fn a_deletion_beside_a_chip_takes_no_other_text() {
        let long = "line\n".repeat(312);
        let control = |char| KeyEvent::new(KeyCode::Char(char), KeyModifiers::CONTROL);
        let made = || {
            let mut editor = typed("abc ");
            editor.paste(&long).unwrap();
            for char in " tail".chars() {
                editor.key(KeyEvent::from(KeyCode::Char(char)));
            }
            editor
        };
        let mut editor = made();
        for _ in 0..2 {
            editor.key(KeyEvent::from(KeyCode::Left));
        }
        editor.key(control('u'));
        assert_eq!(editor.text(), "il");
        let mut editor = made();
        editor.key(KeyEvent::from(KeyCode::Home));
        editor.key(KeyEvent::from(KeyCode::Right));
        editor.key(control('k'));
        assert_eq!(editor.text(), "a");
        let mut editor = made();
        for _ in 0..2 {
            editor.key(control('w'));
        }
        assert_eq!(editor.text(), "abc ", "the word behind the chip, then the chip");
    }

    #[test]
    fn a_paste_that_quotes_a_label_is_sent_as_it_is() {
        let first = "line\n".repeat(312);
        let second = format!("[pasted 312 lines, 1 KB]\n{}", "more\n".repeat(40));
        let mut editor = typed("");
        editor.paste(&second).unwrap();
        editor.paste(&first).unwrap();
        assert_eq!(editor.text(), format!("{second}{first}"));
    }
    #[test]
    fn the_last_row_is_the_last_wrapped_one() {
        let mut terminal = ratatui::Terminal::new(ratatui::backend::TestBackend::new(10, 6)).unwrap();
        let theme = Theme::of(crate::ui::theme::Kind::Mono, crate::ui::theme::Depth::True);
        let mut editor = typed("one two three four five");
        terminal.draw(|frame| editor.render(frame, frame.area(), &theme, true)).unwrap();
        assert!(editor.on_last_row() && !editor.on_first_row());
        editor.key(KeyEvent::from(KeyCode::Home));
        editor.key(KeyEvent::new(KeyCode::Home, KeyModifiers::CONTROL));
        assert!(editor.on_first_row() && !editor.on_last_row());
    }
}
