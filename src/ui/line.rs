//! A one-line input: filters, names, the palette.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::text;

/// Bytes that fit by pasting.
pub const MOST: usize = 8_192;

/// A line of text with a cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    text: String,
    /// Byte offset, on a grapheme's border.
    cursor: usize,
    /// Shown as dots.
    secret: bool,
}

impl Line {
    /// A line that holds `text`, cursor at its end.
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { cursor: text.len(), text, secret: false }
    }

    /// An empty line whose text is never shown.
    pub fn secret() -> Self {
        Self { secret: true, ..Self::default() }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Takes a key; whether the text changed. Enter, Esc, Tab, up and down are not for it.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let before = self.text.len();
        match key.code {
            KeyCode::Char('a') if control => self.cursor = 0,
            KeyCode::Char('e') if control => self.cursor = self.text.len(),
            KeyCode::Char('u') if control => {
                self.text.replace_range(..self.cursor, "");
                self.cursor = 0;
            }
            KeyCode::Char('k') if control => self.text.truncate(self.cursor),
            KeyCode::Char('w') if control => {
                let kept = self.text[..self.cursor].trim_end();
                let start = kept.rfind(char::is_whitespace).map_or(0, |at| at + 1);
                self.text.replace_range(start..self.cursor, "");
                self.cursor = start;
            }
            KeyCode::Char('h') if control => self.backspace(),
            KeyCode::Backspace => self.backspace(),
            KeyCode::Delete => {
                let end = self.cursor + self.text[self.cursor..].graphemes(true).next().map_or(0, str::len);
                self.text.replace_range(self.cursor..end, "");
            }
            KeyCode::Left => self.cursor -= self.text[..self.cursor].graphemes(true).next_back().map_or(0, str::len),
            KeyCode::Right => self.cursor += self.text[self.cursor..].graphemes(true).next().map_or(0, str::len),
            KeyCode::Home => self.cursor = 0,
            KeyCode::End => self.cursor = self.text.len(),
            KeyCode::Char(char) if !control && !key.modifiers.contains(KeyModifiers::ALT) => {
                self.text.insert(self.cursor, char);
                self.cursor += char.len_utf8();
            }
            _ => {}
        }
        self.text.len() != before
    }

    /// Pastes: line breaks become spaces; what would make the line longer than [`MOST`] is left out.
    pub fn paste(&mut self, text: &str) {
        let room = MOST.saturating_sub(self.text.len());
        let end = (0..=room.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let text = text[..end].replace(['\n', '\r'], " ");
        self.text.insert_str(self.cursor, &text);
        self.cursor += text.len();
    }

    fn backspace(&mut self) {
        let length = self.text[..self.cursor].graphemes(true).next_back().map_or(0, str::len);
        self.text.replace_range(self.cursor - length..self.cursor, "");
        self.cursor -= length;
    }

    /// Draws it into the first row of `area`, scrolled so that the cursor shows, and places the terminal's cursor.
    pub fn render(&self, frame: &mut Frame, area: Rect, style: Style, focus: bool) {
        let area = area.intersection(frame.area());
        if area.is_empty() {
            return;
        }
        // What is edited is kept as it is; what may have been pasted is shown made safe.
        let shown = |part: &str| {
            if self.secret { "•".repeat(part.graphemes(true).count()) } else { text::line(part).into_owned() }
        };
        let width = usize::from(area.width);
        // Back from the cursor as far as there is room.
        let (mut start, mut used) = (self.cursor, 1);
        for (at, grapheme) in self.text[..self.cursor].grapheme_indices(true).rev() {
            used += shown(grapheme).width();
            if used > width {
                break;
            }
            start = at;
        }
        frame.buffer_mut().set_stringn(area.x, area.y, shown(&self.text[start..]), width, style);
        if focus {
            let x = shown(&self.text[start..self.cursor]).width();
            frame.set_cursor_position(Position::new(area.x + x.min(width - 1) as u16, area.y));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_pasted_is_shown_made_safe_and_a_secret_not_at_all() {
        use ratatui::Terminal;
        use ratatui::backend::TestBackend;
        let shown = |mut line: Line| {
            line.paste("a\u{202e}b\u{9b}2J");
            let mut terminal = Terminal::new(TestBackend::new(30, 1)).unwrap();
            terminal.draw(|frame| line.render(frame, frame.area(), Style::default(), true)).unwrap();
            terminal.backend().to_string()
        };
        let text = shown(Line::default());
        assert!(text.contains('a') && !text.contains(['\u{202e}', '\u{9b}']), "{text:?}");
        let text = shown(Line::secret());
        assert!(text.contains("•••") && !text.contains(['a', 'b', 'J']), "{text:?}");
    }

    #[test]
    fn it_edits_by_grapheme_and_by_word() {
        let mut line = Line::new("one two 👍🏽");
        line.key(KeyEvent::from(KeyCode::Backspace));
        assert_eq!(line.text(), "one two ");
        line.key(KeyEvent::new(KeyCode::Char('w'), KeyModifiers::CONTROL));
        assert_eq!(line.text(), "one ");
        line.key(KeyEvent::from(KeyCode::Home));
        assert!(line.key(KeyEvent::from(KeyCode::Char('x'))));
        assert_eq!(line.text(), "xone ");
    }
}
