//! Boxes over the screen: the frame, the question with buttons, the list to choose from.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::widgets::{Block, BorderType, Clear};
use unicode_width::UnicodeWidthStr;

use super::line::Line;
use super::list::Cursor;
use super::rule::cut;
use super::theme::Theme;

/// Widest a box may be.
pub const WIDEST: u16 = 64;

/// Draws an empty rounded box of `height` rows (border included) in the middle of `area` and returns its inside.
pub fn frame(target: &mut Frame, area: Rect, width: u16, height: u16, title: &str, foot: &str, theme: &Theme) -> Rect {
    let width = width.min(area.width);
    let height = height.min(area.height);
    let place = Rect::new(area.x + (area.width - width) / 2, area.y + (area.height - height) / 2, width, height);
    let room = usize::from(width).saturating_sub(4);
    let block = Block::bordered()
        .border_type(BorderType::Rounded)
        .border_style(theme.rule_focus)
        .style(theme.overlay)
        .title(format!(" {} ", cut(title, room)));
    let block = if foot.is_empty() { block } else { block.title_bottom(format!(" {} ", cut(foot, room))) };
    let inside = block.inner(place);
    target.render_widget(Clear, place);
    target.render_widget(block, place);
    inside
}

/// A question with two answers; the focus is on Cancel until it is moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirm {
    title: String,
    lines: Vec<String>,
    verb: String,
    /// What must be typed first; `None`: nothing.
    word: Option<String>,
    typed: Line,
    on_verb: bool,
}

/// What a key did to a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Still open.
    Open,
    /// Closed without doing it.
    Cancelled,
    /// Do it.
    Chosen,
}

impl Confirm {
    /// A question: title, what it is about, the verb on the button.
    pub fn new(title: impl Into<String>, lines: Vec<String>, verb: impl Into<String>) -> Self {
        Self { title: title.into(), lines, verb: verb.into(), word: None, typed: Line::default(), on_verb: false }
    }

    /// Asks for a word to be typed before the verb works.
    pub fn typed(mut self, word: impl Into<String>) -> Self {
        self.word = Some(word.into());
        self
    }

    /// A key.
    pub fn key(&mut self, key: KeyEvent) -> Answer {
        let bare = !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
        match key.code {
            KeyCode::Esc => return Answer::Cancelled,
            KeyCode::Tab | KeyCode::BackTab | KeyCode::Left | KeyCode::Right => self.on_verb = !self.on_verb,
            KeyCode::Enter if !self.on_verb && self.word.is_none() => return Answer::Cancelled,
            KeyCode::Enter if self.ready() => return Answer::Chosen,
            _ if self.word.is_some() => {
                self.typed.key(key);
            }
            // Ctrl+Y copies elsewhere: it must not delete here.
            KeyCode::Char('y') if bare => return Answer::Chosen,
            KeyCode::Char('n' | 'q') if bare => return Answer::Cancelled,
            _ => {}
        }
        Answer::Open
    }

    fn ready(&self) -> bool {
        self.word.as_ref().map_or(self.on_verb, |word| self.typed.text() == word)
    }

    /// Draws it in the middle of `area`.
    pub fn render(&self, target: &mut Frame, area: Rect, theme: &Theme) {
        let height = self.lines.len() as u16 + 6;
        let inside = frame(target, area, WIDEST, height, &self.title, "esc cancel", theme);
        let room = usize::from(inside.width).saturating_sub(4);
        for (line, y) in self.lines.iter().zip(inside.y + 1..inside.bottom().saturating_sub(2)) {
            target.buffer_mut().set_stringn(inside.x + 2, y, cut(line, room), room, theme.text);
        }
        let y = inside.bottom().saturating_sub(2);
        let (cancel, verb) = if self.on_verb {
            ("  Cancel  ", format!("[ {} ]", self.verb))
        } else {
            ("[ Cancel ]", format!("  {}  ", self.verb))
        };
        let x = inside.x + 2;
        let style = |focus| if focus { theme.accent } else { theme.text };
        target.buffer_mut().set_stringn(x, y, cancel, room, style(!self.on_verb));
        target.buffer_mut().set_stringn(x + 13, y, &verb, room.saturating_sub(13), style(self.on_verb));
        if let Some(word) = &self.word {
            let ask = format!("type “{word}”: ");
            let at = x + 13 + verb.width() as u16 + 2;
            target.buffer_mut().set_stringn(at, y, &ask, room, theme.muted);
            let left = at + ask.width() as u16;
            self.typed.render(target, Rect::new(left, y, inside.right().saturating_sub(left), 1), theme.text, true);
        } else {
            target.set_cursor_position(Position::new(if self.on_verb { x + 15 } else { x + 2 }, y));
        }
    }
}

/// One thing to choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What the owner knows it by.
    pub id: String,
    /// What is shown and searched.
    pub title: String,
    /// At the right end: a key, a price, a state.
    pub right: String,
    /// Why it cannot be chosen now; such choices come last.
    pub disabled: Option<String>,
}

/// A list to choose from, filtered by what is typed.
#[derive(Clone, Debug)]
pub struct Picker {
    title: String,
    input: Line,
    choices: Vec<Choice>,
    /// Indices of `choices` that match, best first.
    shown: Vec<usize>,
    cursor: Cursor,
}

impl Picker {
    /// A picker over choices in the given order.
    pub fn new(title: impl Into<String>, choices: Vec<Choice>) -> Self {
        let mut picker =
            Self { title: title.into(), input: Line::default(), choices, shown: Vec::new(), cursor: Cursor::default() };
        picker.filter();
        picker
    }

    /// What is chosen now.
    pub fn chosen(&self) -> Option<&Choice> {
        self.shown.get(self.cursor.selected).map(|at| &self.choices[*at])
    }

    /// What was typed.
    pub fn typed(&self) -> &str {
        self.input.text()
    }

    /// Puts the cursor on a choice.
    pub fn select(&mut self, id: &str) {
        if let Some(at) = self.shown.iter().position(|at| self.choices[*at].id == id) {
            self.cursor.selected = at;
        }
    }

    /// A key. `Chosen` only for a choice that is not disabled.
    pub fn key(&mut self, key: KeyEvent) -> Answer {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Esc => return Answer::Cancelled,
            KeyCode::Enter => {
                let able = self.chosen().is_some_and(|choice| choice.disabled.is_none());
                return if able { Answer::Chosen } else { Answer::Open };
            }
            KeyCode::Down => self.cursor.by(1, self.shown.len()),
            KeyCode::Up => self.cursor.by(-1, self.shown.len()),
            KeyCode::Char('n') if control => self.cursor.by(1, self.shown.len()),
            KeyCode::Char('p') if control => self.cursor.by(-1, self.shown.len()),
            KeyCode::PageDown => self.cursor.by(10, self.shown.len()),
            KeyCode::PageUp => self.cursor.by(-10, self.shown.len()),
            _ => {
                if self.input.key(key) {
                    self.filter();
                }
            }
        }
        Answer::Open
    }

    /// Pastes into the filter.
    pub fn paste(&mut self, text: &str) {
        self.input.paste(text);
        self.filter();
    }

    fn filter(&mut self) {
        let mut matcher = Matcher::new(Config::DEFAULT);
        let pattern = Pattern::parse(self.input.text(), CaseMatching::Ignore, Normalization::Smart);
        let mut chars = Vec::new();
        let mut found: Vec<(bool, u32, usize)> = Vec::new();
        for (at, choice) in self.choices.iter().enumerate() {
            if let Some(score) = pattern.score(Utf32Str::new(&choice.title, &mut chars), &mut matcher) {
                found.push((choice.disabled.is_some(), score, at));
            }
        }
        found.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)).then(a.2.cmp(&b.2)));
        self.shown = found.into_iter().map(|(_, _, at)| at).collect();
        self.cursor = Cursor::default();
    }

    /// Draws it in the middle of `area`.
    pub fn render(&mut self, target: &mut Frame, area: Rect, theme: &Theme) {
        let height = (self.choices.len().min(13) as u16 + 5).max(7).min(area.height);
        let title = format!("{} · {} of {}", self.title, self.shown.len(), self.choices.len());
        let inside = frame(target, area, WIDEST, height, &title, "↑↓ choose  ⏎ run  esc close", theme);
        if inside.height < 2 {
            return;
        }
        target.buffer_mut().set_stringn(inside.x + 1, inside.y, ">", 1, theme.muted);
        let input = Rect::new(inside.x + 3, inside.y, inside.width.saturating_sub(4), 1);
        self.input.render(target, input, theme.text, true);
        let rows = usize::from(inside.height.saturating_sub(2));
        let room = usize::from(inside.width).saturating_sub(4);
        for (at, y) in self.cursor.window(rows, self.shown.len()).zip(inside.y + 2..) {
            let choice = &self.choices[self.shown[at]];
            let selected = at == self.cursor.selected;
            let right = choice.disabled.as_deref().unwrap_or(&choice.right);
            let right = cut(right, room / 2);
            let title = cut(&choice.title, room.saturating_sub(right.width() + 1));
            let pad = room.saturating_sub(title.width() + right.width());
            let style = if choice.disabled.is_some() { theme.faint } else { theme.text };
            let style = if selected { style.patch(theme.select) } else { style };
            let mark = if selected { "▸ " } else { "  " };
            let text = format!("{mark}{title}{}{right}", " ".repeat(pad));
            target.buffer_mut().set_stringn(inside.x + 1, y, text, room + 2, style);
        }
        if self.shown.is_empty() {
            target.buffer_mut().set_stringn(
                inside.x + 3,
                inside.y + 2,
                "nothing matches; esc closes",
                room,
                theme.muted,
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(id: &str, disabled: Option<&str>) -> Choice {
        Choice { id: id.into(), title: id.into(), right: String::new(), disabled: disabled.map(str::to_owned) }
    }

    #[test]
    fn a_picker_filters_fuzzily_and_refuses_the_disabled() {
        let mut picker =
            Picker::new("Commands", vec![choice("Go to Moderate", Some("later")), choice("Model: choose", None)]);
        for char in "mod".chars() {
            picker.key(KeyEvent::from(KeyCode::Char(char)));
        }
        assert_eq!(picker.chosen().unwrap().id, "Model: choose", "disabled ones come last");
        assert_eq!(picker.key(KeyEvent::from(KeyCode::Enter)), Answer::Chosen);
        picker.key(KeyEvent::from(KeyCode::Down));
        assert_eq!(picker.key(KeyEvent::from(KeyCode::Enter)), Answer::Open);
    }

    #[test]
    fn a_question_is_answered_by_cancel_unless_told_otherwise() {
        let ask = || Confirm::new("Delete?", vec![], "Delete");
        assert_eq!(ask().key(KeyEvent::from(KeyCode::Enter)), Answer::Cancelled);
        let mut moved = ask();
        moved.key(KeyEvent::from(KeyCode::Tab));
        assert_eq!(moved.key(KeyEvent::from(KeyCode::Enter)), Answer::Chosen);
        let copy = KeyEvent::new(KeyCode::Char('y'), KeyModifiers::CONTROL);
        assert_eq!(ask().key(copy), Answer::Open);
        let mut typed = ask().typed("x");
        typed.key(KeyEvent::from(KeyCode::Tab));
        assert_eq!(typed.key(KeyEvent::from(KeyCode::Enter)), Answer::Open);
        typed.key(KeyEvent::from(KeyCode::Char('x')));
        assert_eq!(typed.key(KeyEvent::from(KeyCode::Enter)), Answer::Chosen);
    }
}
