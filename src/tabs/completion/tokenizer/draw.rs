//! Draws the tokenizer view: only the visible rows.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::{State, Tokenizer, piece, rows};
use crate::record::work::Tokens;
use crate::ui::meter::count;
use crate::ui::pane::{Pane, Spacing, Surface};
use crate::ui::rule::cut;
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Bytes of a token that are spelled out.
const SPELLED: usize = 16;

impl Tokenizer {
    /// Fits it to its area: before keys and frames.
    pub(super) fn fit(&mut self, area: Rect, spacing: Spacing) {
        let State::Cut(tokens) = &self.state else { return };
        let area = spacing.body(area);
        if tokens.ids.is_empty() || area.height < 1 || area.width < 3 {
            return;
        }
        let (detail, parted) = below(area);
        let room = area.height - detail - parted;
        self.page = usize::from(room / self.lines()).max(1);
        let text = self.text.raw().as_bytes();
        self.rows.set(usize::from(area.width) - 2, self.ids);
        let row = self.rows.row(text, tokens, self.cursor);
        self.top = self.top.clamp((row + 1).saturating_sub(self.page), row);
        // Scrolling leaves no empty rows below the end.
        while self.top > 0 && self.rows.tokens(text, tokens, self.top + self.page - 1).is_empty() {
            self.top -= 1;
        }
        let rows = self.top..self.top + self.page;
        self.visible = rows.map(|row| self.rows.tokens(text, tokens, row)).collect();
    }

    /// Returns how many lines a row of tokens takes.
    fn lines(&self) -> u16 {
        1 + u16::from(self.ids)
    }

    /// Draws it over `area`, title rule first, and places the terminal's cursor.
    pub(super) fn draw(&self, frame: &mut Frame, area: Rect, spacing: Spacing, theme: &Theme) {
        let area = area.intersection(frame.area());
        if area.is_empty() {
            return;
        }
        self.title(area, frame.buffer_mut(), spacing, theme);
        let body = spacing.body(area);
        let said = match &self.state {
            State::Cut(tokens) if !tokens.ids.is_empty() => return self.tokens(frame, body, theme),
            State::Cut(_) => "No text yet.".to_owned(),
            State::Waiting(characters) => format!("… tokenizing {} characters", count(*characters as u64)),
            State::Unknown => {
                format!(
                    "The tokenizer of “{}” is unknown: counts are estimates, and there are no ids.",
                    self.model.line()
                )
            }
            State::Failed(why) => format!("✕ {}", why.line()),
        };
        say(frame, body, &said, theme.muted);
    }

    fn title(&self, area: Rect, buffer: &mut Buffer, spacing: Spacing, theme: &Theme) {
        let (mut note, mut right) = ("", String::new());
        let mut right_style = if spacing.has_surfaces() { theme.faint } else { theme.muted };
        if let State::Cut(tokens) = &self.state {
            let number = tokens.ids.len() as u64;
            note = tokens.vocabulary;
            right = count(number) + &self.context.map(|of| format!(" of {}", count(of))).unwrap_or_default();
            if let Some(over) = self.context.and_then(|of| number.checked_sub(of)).filter(|over| *over > 0) {
                right = format!("{right}, {} too many", count(over));
                right_style = theme.bad;
            }
        }
        let pane = Pane { title: "Tokens", note, right: &right, right_style, focus: true, surface: Surface::Ground };
        pane.render(area, buffer, theme, spacing);
    }

    fn tokens(&self, frame: &mut Frame, area: Rect, theme: &Theme) {
        let State::Cut(tokens) = &self.state else { return };
        if area.width < 3 || area.height == 0 {
            return;
        }
        let (detail, parted) = below(area);
        let lines = self.lines();
        let text = self.text.raw().as_bytes();
        for (line, range) in self.visible.iter().enumerate() {
            let y = area.y + line as u16 * lines;
            let mut x = area.x + 1;
            for at in range.clone() {
                let columns = self.rows.columns(tokens, at);
                let bytes = text.get(rows::range(tokens, at)).unwrap_or_default();
                let shown = cut(&piece::shown(bytes), columns);
                let is_selected = at == self.cursor;
                let style = match at % 2 {
                    _ if is_selected => theme.select,
                    0 => theme.text,
                    _ => theme.text.patch(theme.raised),
                };
                let buffer = frame.buffer_mut();
                buffer.set_stringn(x, y, " ".repeat(columns), columns, style);
                buffer.set_stringn(x, y, shown, columns, style);
                let next = x + columns as u16;
                let sides = lines.min(area.bottom().saturating_sub(y));
                if self.ids && sides == 2 {
                    let style = if is_selected { theme.accent } else { theme.muted };
                    buffer.set_stringn(x, y + 1, tokens.ids[at].to_string(), columns, style);
                }
                if next < area.right() && !self.rows.ends(at) {
                    (y..y + sides).for_each(|y| _ = buffer.set_stringn(next, y, "│", 1, theme.faint));
                }
                if is_selected {
                    frame.set_cursor_position(Position::new(x, y));
                }
                x = next + 1;
            }
        }
        let below = area.bottom() - detail;
        // With surfaces, a blank row separates them well enough.
        if parted > 0 && !theme.kind.has_surfaces() {
            let rule = "─".repeat(usize::from(area.width));
            frame.buffer_mut().set_stringn(area.x, below - 1, rule, usize::from(area.width), theme.rule);
        }
        let words = self.words(tokens, text, area.width < 50);
        let width = usize::from(area.width) - 2;
        for (line, y) in wrap::lines(&words, width).iter().zip(below..area.bottom()) {
            frame.buffer_mut().set_stringn(area.x + 1, y, line, width, theme.text);
        }
    }

    /// Returns what there is to say of the token under the cursor.
    fn words(&self, tokens: &Tokens, text: &[u8], narrow: bool) -> String {
        let (id, range) = (tokens.ids[self.cursor], rows::range(tokens, self.cursor));
        let bytes = text.get(range.clone()).unwrap_or_default();
        let (number, of) = (count(self.cursor as u64 + 1), count(tokens.ids.len() as u64));
        let token = if narrow { "" } else { "token " };
        let spelled = piece::hex(bytes, if narrow { SPELLED / 2 } else { SPELLED });
        let bias = match self.biases.get(&id.to_string()) {
            Some(bias) => format!(" · bias {}", super::super::biases::signed(*bias)),
            None => String::new(),
        };
        // The parts that fit into any width come first.
        format!(
            "{token}{number} of {of} · id {id}{bias} · {} · bytes {spelled} · at byte {}",
            piece::quoted(bytes),
            count(range.start as u64)
        )
    }
}

/// Returns how many rows the words about a token take, and the line above them.
fn below(area: Rect) -> (u16, u16) {
    let detail = match area.width {
        0..50 => 3,
        50..100 => 2,
        _ => 1,
    };
    // At least two rows of tokens are shown before details of one token are.
    (u16::min(detail, area.height.saturating_sub(2)), u16::from(area.height >= 8))
}

/// Draws a sentence in place of the tokens.
fn say(frame: &mut Frame, area: Rect, text: &str, style: Style) {
    let width = usize::from(area.width.saturating_sub(2));
    if width == 0 {
        return;
    }
    let top = area.y + u16::from(area.height > 3);
    for (line, y) in wrap::lines(text, width).iter().zip(top..area.bottom()) {
        frame.buffer_mut().set_stringn(area.x + 1, y, line, width, style);
    }
}
