//! Labelled values with bounds: stepped with `h` `l`, typed after Enter, set back with `0`. Among them rows that only show,
//! and rows whose value is chosen elsewhere.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use unicode_width::UnicodeWidthStr;

use super::line::Line;
use super::list::Cursor;
use super::rule::cut;
use super::theme::Theme;
use super::wrap;
use crate::text::{self, Untrusted};

/// Most rows of the words below the fields.
const WORDS: usize = 5;

/// What a field takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A number within bounds, with the step of `h` and `l`.
    Number {
        /// Smallest.
        min: f64,
        /// Largest.
        max: f64,
        /// One step.
        step: f64,
        /// Whether only whole numbers are taken.
        whole: bool,
    },
    /// Yes or no.
    Toggle,
    /// Any text; the owner checks it.
    Text,
    /// Chosen elsewhere: Enter asks the owner to open the place, `0` sets it back.
    Choice,
    /// Only shown.
    Shown,
}

/// One field. An empty value is "not set": the default holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// What the owner knows it by: the request's own name.
    pub name: &'static str,
    /// What is shown.
    pub label: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// The value as text, as it is typed; made safe where it is drawn. Empty: not set.
    pub value: String,
    /// What holds when it is not set, as shown.
    pub default: &'static str,
    /// What it means, one line.
    pub help: &'static str,
}

impl Field {
    /// Whether a text may be this field's value; the error names the field and its bounds.
    pub fn check(&self, text: &str) -> Result<(), String> {
        if text.is_empty() {
            return Ok(());
        }
        match self.kind {
            Kind::Number { min, max, whole, .. } => {
                let number: f64 = text.parse().map_err(|_| format!("{} is a number from {min} to {max}", self.name))?;
                if whole && number.fract() != 0.0 {
                    return Err(format!("{} is a whole number from {min} to {max}", self.name));
                }
                if !(min..=max).contains(&number) {
                    return Err(format!("{} goes from {min} to {max}; {text} is outside", self.name));
                }
                Ok(())
            }
            Kind::Toggle if !matches!(text, "true" | "false") => Err(format!("{} is true or false", self.name)),
            Kind::Toggle | Kind::Text | Kind::Choice | Kind::Shown => Ok(()),
        }
    }

    fn stepped(&self, way: f64) -> Option<String> {
        match self.kind {
            Kind::Number { min, max, step, whole } => {
                let now: f64 =
                    [self.value.as_str(), self.default].iter().find_map(|text| text.parse().ok()).unwrap_or(min);
                let next = ((now + way * step) / step).round() * step;
                let next = next.clamp(min, max);
                Some(if whole { format!("{next:.0}") } else { trim(next) })
            }
            Kind::Toggle => {
                let now = if self.value.is_empty() { self.default } else { &self.value };
                Some((now != "true").to_string())
            }
            Kind::Text | Kind::Choice | Kind::Shown => None,
        }
    }
}

fn trim(number: f64) -> String {
    let text = format!("{number:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// What a key did to a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Nothing the owner needs to know.
    None,
    /// A value should become this (the field's name, the text); the owner checks further and calls [`Form::set`].
    Change(&'static str, String),
    /// The value of this field is to be chosen elsewhere.
    Ask(&'static str),
    /// The form is done with.
    Close,
    /// The key means nothing here.
    Ignored,
}

/// A column of fields.
#[derive(Clone, Debug)]
pub struct Form {
    /// The fields, top to bottom.
    pub fields: Vec<Field>,
    cursor: Cursor,
    typing: Option<Line>,
    error: Option<Untrusted>,
    /// Fields with a word to say about their value.
    notes: Vec<(&'static str, String)>,
    /// Why nothing may be changed now.
    locked: Option<&'static str>,
}

impl Form {
    /// A form over fields.
    pub fn new(fields: Vec<Field>) -> Self {
        Self { fields, cursor: Cursor::default(), typing: None, error: None, notes: Vec::new(), locked: None }
    }

    /// Puts the cursor on a field.
    pub fn select(&mut self, name: &str) {
        if let Some(at) = self.fields.iter().position(|field| field.name == name) {
            self.cursor.selected = at;
        }
    }

    /// The name of the field under the cursor.
    pub fn selected(&self) -> Option<&'static str> {
        self.fields.get(self.cursor.selected).map(|field| field.name)
    }

    /// What the field under the cursor takes.
    pub fn kind(&self) -> Option<Kind> {
        self.fields.get(self.cursor.selected).map(|field| field.kind)
    }

    /// Whether a value is being typed.
    pub fn typing(&self) -> bool {
        self.typing.is_some()
    }

    /// The owner took a value.
    pub fn set(&mut self, name: &str, value: String) {
        if let Some(field) = self.fields.iter_mut().find(|field| field.name == name) {
            field.value = value;
        }
        self.typing = None;
        self.error = None;
    }

    /// What a field shows became another without a key: what is being typed and what was refused stay.
    pub fn show(&mut self, name: &str, value: String) {
        if let Some(field) = self.fields.iter_mut().find(|field| field.name == name) {
            field.value = value;
        }
    }

    /// The value of a field was refused: the cursor goes there, unless another one is being typed, and the sentence
    /// stands under the form until the next key that changes something.
    pub fn refuse(&mut self, name: &str, why: impl Into<Untrusted>) {
        if !self.typing() {
            self.select(name);
        }
        self.error = Some(why.into());
    }

    /// Words about the values of fields, by name: a `!` stands at each, and the words below while the cursor is there.
    /// Unlike a refusal they stay until the owner says others.
    pub fn note(&mut self, notes: Vec<(&'static str, String)>) {
        self.notes = notes;
    }

    /// While there is a reason nothing can be changed, and a key that would says it.
    pub fn lock(&mut self, why: Option<&'static str>) {
        self.locked = why;
        if why.is_some() {
            self.typing = None;
        }
    }

    /// Pastes into the value being typed. Whether one is.
    pub fn paste(&mut self, text: &str) -> bool {
        let Some(line) = &mut self.typing else { return false };
        line.paste(text);
        true
    }

    /// A key.
    pub fn key(&mut self, key: KeyEvent) -> Event {
        let Some(field) = self.fields.get(self.cursor.selected) else { return Event::Ignored };
        if let Some(line) = &mut self.typing {
            return match key.code {
                KeyCode::Esc => {
                    self.typing = None;
                    self.error = None;
                    Event::None
                }
                KeyCode::Enter => {
                    let text = line.text().to_owned();
                    match field.check(&text) {
                        Ok(()) => Event::Change(field.name, text),
                        Err(why) => {
                            self.error = Some(why.into());
                            Event::None
                        }
                    }
                }
                _ => {
                    line.key(key);
                    self.error = None;
                    Event::None
                }
            };
        }
        // Ctrl+L is no `l`.
        if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
            return Event::Ignored;
        }
        let changes = matches!(
            key.code,
            KeyCode::Char('l' | '+' | 'h' | '-' | ' ' | '0' | 'i')
                | KeyCode::Right
                | KeyCode::Left
                | KeyCode::Enter
                | KeyCode::Delete
                | KeyCode::Backspace
        );
        if let (true, Some(why)) = (changes, self.locked) {
            self.error = Some(why.into());
            return Event::None;
        }
        let step = |way| field.stepped(way).map_or(Event::None, |value| Event::Change(field.name, value));
        match key.code {
            KeyCode::Esc => Event::Close,
            KeyCode::Char('j') | KeyCode::Down => self.walk(1),
            KeyCode::Char('k') | KeyCode::Up => self.walk(-1),
            KeyCode::Char('g') | KeyCode::Home => self.walk(isize::MIN),
            KeyCode::Char('G') | KeyCode::End => self.walk(isize::MAX),
            KeyCode::Char('l' | '+') | KeyCode::Right => step(1.0),
            KeyCode::Char('h' | '-') | KeyCode::Left => step(-1.0),
            KeyCode::Char(' ') | KeyCode::Enter if field.kind == Kind::Toggle => step(1.0),
            KeyCode::Char('0' | 'i') | KeyCode::Delete | KeyCode::Backspace | KeyCode::Enter
                if field.kind == Kind::Shown =>
            {
                Event::None
            }
            KeyCode::Char('0') | KeyCode::Delete | KeyCode::Backspace => Event::Change(field.name, String::new()),
            KeyCode::Enter | KeyCode::Char('i') if field.kind == Kind::Choice => Event::Ask(field.name),
            KeyCode::Enter | KeyCode::Char('i') => {
                self.typing = Some(Line::new(field.value.clone()));
                Event::None
            }
            _ => Event::Ignored,
        }
    }

    /// What stands below the fields, and how: a refusal, what there is to say of the value, or what the field means.
    fn words(&self, theme: &Theme) -> (String, Style) {
        if let Some(error) = &self.error {
            return (format!("✕ {}", error.line()), theme.error);
        }
        let Some(field) = self.fields.get(self.cursor.selected) else { return (String::new(), theme.muted) };
        match self.notes.iter().find(|(name, _)| *name == field.name) {
            Some((_, note)) => (format!("! {}", text::line(note)), theme.warn),
            None => (field.help.to_owned(), theme.muted),
        }
    }

    fn walk(&mut self, rows: isize) -> Event {
        self.cursor.by(rows, self.fields.len());
        self.error = None;
        Event::None
    }

    /// Draws it; with the focus the terminal's cursor stands on the selected field.
    pub fn render(&mut self, frame: &mut Frame, area: Rect, theme: &Theme, focus: bool) {
        if area.width < 8 || area.height < 3 {
            return;
        }
        let label_width = self.fields.iter().map(|field| field.label.width()).max().unwrap_or(0) as u16;
        let label_width = label_width.min(area.width / 2);
        let width = usize::from(area.width);
        let (words, style) = self.words(theme);
        let mut words = wrap::lines(&words, width);
        // A sentence that is longer than its place is given more of it, and the fields keep one row at least.
        words.truncate(usize::from(area.height - 1).min(WORDS));
        let foot = area.bottom() - words.len().max(2) as u16;
        for (line, y) in words.iter().zip(foot..) {
            frame.buffer_mut().set_stringn(area.x, y, line, width, style);
        }
        let rows = usize::from(foot - area.y);
        for (at, y) in self.cursor.window(rows, self.fields.len()).zip(area.y..) {
            let field = &self.fields[at];
            let selected = focus && at == self.cursor.selected;
            let style = if selected { theme.text.patch(theme.select) } else { theme.text };
            let mark = if selected { "▌" } else { " " };
            let buf = frame.buffer_mut();
            buf.set_stringn(area.x, y, mark, 1, theme.accent);
            buf.set_stringn(area.x + 1, y, cut(field.label, usize::from(label_width)), usize::from(label_width), style);
            if self.notes.iter().any(|(name, _)| *name == field.name) {
                buf.set_stringn(area.x + 1 + label_width, y, "!", 1, theme.warn);
            }
            let x = area.x + label_width + 2;
            let room = area.right().saturating_sub(x);
            if let (true, Some(line)) = (selected, &self.typing) {
                line.render(frame, Rect::new(x, y, room, 1), theme.accent, true);
                continue;
            }
            let (text, style) = match field.value.as_str() {
                "" => (field.default, theme.muted),
                value => (value, style),
            };
            let text = match (field.kind, text) {
                (Kind::Toggle, "true") => "✓ yes",
                (Kind::Toggle, "false") => "no",
                _ => text,
            };
            let shown = text::line(text);
            buf.set_stringn(x, y, cut(&shown, usize::from(room)), usize::from(room), style);
            slider(field, text, Rect::new(x + 7, y, room.saturating_sub(7), 1), buf, theme);
            if selected {
                frame.set_cursor_position(Position::new(x, y));
            }
        }
    }
}

/// `├────●────┤` for a bounded number, where there is room for it.
fn slider(field: &Field, text: &str, area: Rect, buf: &mut ratatui::buffer::Buffer, theme: &Theme) {
    let Kind::Number { min, max, whole: false, .. } = field.kind else { return };
    let Ok(number) = text.parse::<f64>() else { return };
    let cells = usize::from(area.width.min(13)).saturating_sub(2);
    if cells < 5 {
        return;
    }
    let at = ((number - min) / (max - min) * (cells - 1) as f64).round().clamp(0.0, (cells - 1) as f64) as usize;
    let bar = format!("├{}●{}┤", "─".repeat(at), "─".repeat(cells - 1 - at));
    buf.set_stringn(area.x, area.y, bar, cells + 2, theme.faint);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form() -> Form {
        let kind = Kind::Number { min: 0.0, max: 2.0, step: 0.1, whole: false };
        let field =
            Field { name: "temperature", label: "Temperature", kind, value: String::new(), default: "1", help: "" };
        Form::new(vec![field])
    }

    #[test]
    fn what_was_pasted_is_drawn_made_safe() {
        use crate::ui::theme::{Depth, Kind as Colours};
        use ratatui::{Terminal, backend::TestBackend};
        let field = Field { value: "a\u{202e}b\u{1b}".into(), kind: Kind::Text, ..form().fields.remove(0) };
        let mut form = Form::new(vec![field]);
        form.refuse("temperature", "not “\u{202e}”".to_owned());
        let mut terminal = Terminal::new(TestBackend::new(60, 4)).unwrap();
        let theme = Theme::of(Colours::Mono, Depth::Indexed);
        terminal.draw(|frame| form.render(frame, frame.area(), &theme, true)).unwrap();
        let shown = terminal.backend().to_string();
        assert!(shown.contains("a⟨U+202E⟩b␛") && shown.contains("✕ not “⟨U+202E⟩”"), "{shown}");
    }

    #[test]
    fn a_long_refusal_is_read_to_its_end() {
        use crate::ui::theme::{Depth, Kind as Colours};
        use ratatui::{Terminal, backend::TestBackend};
        let mut form = form();
        form.refuse("temperature", "temperature takes a number that is neither too small nor too large; this one is");
        for height in 3..12 {
            let mut terminal = Terminal::new(TestBackend::new(24, height)).unwrap();
            let theme = Theme::of(Colours::Mono, Depth::Indexed);
            terminal.draw(|frame| form.render(frame, frame.area(), &theme, true)).unwrap();
            let shown = terminal.backend().to_string();
            assert!(shown.contains("▌Temperature"), "{shown}");
            assert_eq!(shown.contains("this one is"), height > 4, "{shown}");
        }
    }

    #[test]
    fn values_are_stepped_typed_checked_and_reset() {
        let mut form = form();
        assert_eq!(form.key(KeyEvent::from(KeyCode::Char('l'))), Event::Change("temperature", "1.1".into()));
        form.key(KeyEvent::from(KeyCode::Enter));
        for char in "2.5".chars() {
            form.key(KeyEvent::from(KeyCode::Char(char)));
        }
        assert_eq!(form.key(KeyEvent::from(KeyCode::Enter)), Event::None);
        assert_eq!(
            form.error.as_ref().map(Untrusted::line).as_deref(),
            Some("temperature goes from 0 to 2; 2.5 is outside")
        );
        assert_eq!(form.key(KeyEvent::from(KeyCode::Esc)), Event::None);
        assert_eq!(form.key(KeyEvent::from(KeyCode::Char('0'))), Event::Change("temperature", String::new()));
        assert_eq!(form.key(KeyEvent::new(KeyCode::Char('l'), KeyModifiers::CONTROL)), Event::Ignored);
        assert_eq!(form.key(KeyEvent::from(KeyCode::Esc)), Event::Close);
    }
}
