//! Labelled values with bounds: stepped with `h` `l`, typed after Enter, reset with `0`. Some rows are read-only, and
//! some values are chosen or written elsewhere.

mod draw;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::list::Cursor;
use super::text_field::TextField;
use crate::text::Untrusted;

/// The type of a field's value.
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
        /// Whether only whole numbers are accepted.
        whole: bool,
    },
    /// Yes or no.
    Toggle,
    /// Any text; the owner checks it.
    Text,
    /// A text of any number of lines: Enter asks the owner to open an editor, `i` types it here.
    Long,
    /// A value chosen elsewhere: Enter asks the owner to open a picker, `0` resets it.
    Choice,
    /// Only shown.
    Shown,
}

/// One field. An empty value is "not set": the default applies.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its key for the owner: the request's own name.
    pub name: &'static str,
    /// The text shown.
    pub label: &'static str,
    /// The kind of its values.
    pub kind: Kind,
    /// The value as text, as it is typed; made safe where it is drawn. Empty: not set.
    pub value: String,
    /// The effective value if none is set, as shown.
    pub default: &'static str,
    /// What it means, one line.
    pub help: &'static str,
    /// Whether it may be omitted from a request: while it is not set nothing is sent, and `default` is the usual
    /// default of servers. Fields that are set are marked as sent.
    pub optional: bool,
}

impl Field {
    /// Checks whether a text may be this field's value; the error names the field and its bounds.
    pub fn check(&self, text: &str) -> Result<(), String> {
        if text.is_empty() {
            return Ok(());
        }
        match self.kind {
            Kind::Number { min, max, whole, .. } => {
                let number: f64 =
                    text.parse().map_err(|_| format!("{} must be a number from {min} to {max}", self.name))?;
                if whole && number.fract() != 0.0 {
                    return Err(format!("{} must be a whole number from {min} to {max}", self.name));
                }
                if !(min..=max).contains(&number) {
                    return Err(format!("{} must be between {min} and {max}, not {text}", self.name));
                }
                Ok(())
            }
            Kind::Toggle if !matches!(text, "true" | "false") => Err(format!("{} must be true or false", self.name)),
            Kind::Toggle | Kind::Text | Kind::Long | Kind::Choice | Kind::Shown => Ok(()),
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
            Kind::Text | Kind::Long | Kind::Choice | Kind::Shown => None,
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
    /// Nothing for the owner.
    None,
    /// A value should become this (the field's name, the text); the owner checks further and calls [`Form::set`].
    Change(&'static str, String),
    /// The value of this field is to be chosen or edited elsewhere.
    Ask(&'static str),
    /// The form is to be closed.
    Close,
    /// The key has no function here.
    Ignored,
}

/// A column of fields.
#[derive(Clone, Debug)]
pub struct Form {
    /// The fields, top to bottom.
    pub fields: Vec<Field>,
    cursor: Cursor,
    typing: Option<TextField>,
    /// Whether nothing was typed yet: typing then replaces a number, which is rarely appended to.
    fresh: bool,
    error: Option<Untrusted>,
    /// Fields with a remark about their value.
    notes: Vec<(&'static str, String)>,
    /// Fields that are not sent unchanged, and why.
    left_out: Vec<(&'static str, String)>,
    /// Summaries of values that are too long for their rows.
    summaries: Vec<(&'static str, String)>,
    /// Why nothing may be changed now.
    locked: Option<&'static str>,
}

impl Form {
    /// Creates a form of fields.
    pub fn new(fields: Vec<Field>) -> Self {
        Self {
            fields,
            cursor: Cursor::default(),
            typing: None,
            fresh: false,
            error: None,
            notes: Vec::new(),
            left_out: Vec::new(),
            summaries: Vec::new(),
            locked: None,
        }
    }

    /// Moves the cursor to a field.
    pub fn select(&mut self, name: &str) {
        if let Some(at) = self.fields.iter().position(|field| field.name == name) {
            self.cursor.selected = at;
        }
    }

    /// Returns the name of the field under the cursor.
    pub fn selected(&self) -> Option<&'static str> {
        self.fields.get(self.cursor.selected).map(|field| field.name)
    }

    /// Returns the kind of the field under the cursor.
    pub fn kind(&self) -> Option<Kind> {
        self.fields.get(self.cursor.selected).map(|field| field.kind)
    }

    /// Returns whether a value is being typed.
    pub fn typing(&self) -> bool {
        self.typing.is_some()
    }

    /// Sets a value that the owner accepted; ends typing and removes the refusal.
    pub fn set(&mut self, name: &str, value: String) {
        if let Some(field) = self.fields.iter_mut().find(|field| field.name == name) {
            field.value = value;
        }
        self.typing = None;
        self.error = None;
    }

    /// Sets the value that a field shows, changed by other means than a key: what is being typed and what was refused
    /// stay.
    pub fn show(&mut self, name: &str, value: String) {
        if let Some(field) = self.fields.iter_mut().find(|field| field.name == name) {
            field.value = value;
        }
    }

    /// Shows that the value of a field was refused: the cursor moves there, unless another one is being typed, and the
    /// sentence is below the form until the next key that changes something.
    pub fn refuse(&mut self, name: &str, why: impl Into<Untrusted>) {
        if !self.typing() {
            self.select(name);
        }
        self.error = Some(why.into());
    }

    /// Returns whether a refusal is shown.
    pub fn is_refused(&self) -> bool {
        self.error.is_some()
    }

    /// Removes a refusal whose reason no longer applies.
    pub fn clear_refusal(&mut self) {
        if !self.typing() {
            self.error = None;
        }
    }

    /// Sets notes on the values of fields, by name: a `!` precedes each, and the words are below while the cursor is
    /// there. Unlike a refusal they stay until they are set again.
    pub fn note(&mut self, notes: Vec<(&'static str, String)>) {
        self.notes = notes;
    }

    /// Sets which fields are omitted or sent by another name, and why; shown for fields without a note.
    pub fn leave_out(&mut self, left_out: Vec<(&'static str, String)>) {
        self.left_out = left_out;
    }

    /// Returns the note on a field.
    fn note_of(&self, name: &str) -> Option<&str> {
        let mut notes = self.notes.iter().chain(&self.left_out);
        notes.find(|(of, _)| *of == name).map(|(_, note)| note.as_str())
    }

    /// Sets words that are shown instead of values too long for a row, by name.
    pub fn summarize(&mut self, summaries: Vec<(&'static str, String)>) {
        self.summaries = summaries;
    }

    /// Returns what is shown for a field's value on one line.
    pub fn summary<'a>(&'a self, field: &'a Field) -> &'a str {
        let summary = self.summaries.iter().find(|(name, _)| *name == field.name && !field.value.is_empty());
        summary.map_or(&field.value, |(_, words)| words)
    }

    /// Locks the form while there is a reason: nothing can be changed, and a key that would shows the reason.
    pub fn lock(&mut self, why: Option<&'static str>) {
        self.locked = why;
        if why.is_some() {
            self.typing = None;
        }
    }

    /// Pastes into the value being typed. Returns whether one is.
    pub fn paste(&mut self, text: &str) -> bool {
        let Some(line) = &mut self.typing else { return false };
        if std::mem::take(&mut self.fresh) {
            *line = TextField::default();
        }
        line.paste(text);
        true
    }

    /// Handles a key.
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
                    if std::mem::take(&mut self.fresh)
                        && matches!(key.code, KeyCode::Char(_))
                        && key.modifiers.is_empty()
                    {
                        *line = TextField::default();
                    }
                    line.key(key);
                    self.error = None;
                    Event::None
                }
            };
        }
        // Ctrl+L is not `l`.
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
            KeyCode::Enter if field.kind == Kind::Long => Event::Ask(field.name),
            KeyCode::Enter | KeyCode::Char('i') if field.kind == Kind::Choice => Event::Ask(field.name),
            KeyCode::Enter | KeyCode::Char('i') => {
                self.typing = Some(TextField::new(field.value.clone()));
                self.fresh = matches!(field.kind, Kind::Number { .. });
                Event::None
            }
            _ => Event::Ignored,
        }
    }

    fn walk(&mut self, rows: isize) -> Event {
        self.cursor.by(rows, self.fields.len());
        self.error = None;
        Event::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::theme::Theme;

    fn form() -> Form {
        let kind = Kind::Number { min: 0.0, max: 2.0, step: 0.1, whole: false };
        let field = Field {
            name: "temperature",
            label: "Temperature",
            kind,
            value: String::new(),
            default: "1",
            help: "Higher is more random.",
            optional: false,
        };
        Form::new(vec![field])
    }

    fn drawn(form: &mut Form, width: u16, height: u16) -> String {
        pictured(form, (width, height), true)
    }

    fn pictured(form: &mut Form, (width, height): (u16, u16), focus: bool) -> String {
        use crate::ui::theme::{Depth, Kind as Colours};
        use ratatui::{Terminal, backend::TestBackend};
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let theme = Theme::of(Colours::Mono, Depth::Indexed);
        form.arrange(ratatui::layout::Rect::new(0, 0, width, height), crate::ui::pane::Spacing::Lines, focus);
        terminal.draw(|frame| form.render(frame, frame.area(), &theme, focus)).unwrap();
        terminal.backend().to_string()
    }

    #[test]
    fn what_was_pasted_is_drawn_made_safe() {
        let field = Field { value: "a\u{202e}b\u{1b}".into(), kind: Kind::Text, ..form().fields.remove(0) };
        let mut form = Form::new(vec![field]);
        form.refuse("temperature", "not “\u{202e}”".to_owned());
        let shown = drawn(&mut form, 60, 4);
        assert!(shown.contains("a⟨U+202E⟩b␛") && shown.contains("✕ not “⟨U+202E⟩”"), "{shown}");
    }

    #[test]
    fn a_long_refusal_is_read_to_its_end() {
        let mut form = form();
        form.refuse("temperature", "temperature takes a number that is neither too small nor too large; this one is");
        for height in 3..12 {
            let shown = drawn(&mut form, 24, height);
            assert!(shown.contains("▌Temperature"), "{shown}");
            assert_eq!(shown.contains("this one is"), height > 4, "{shown}");
        }
    }

    #[test]
    fn what_is_sent_carries_a_mark_and_what_is_not_is_faint() {
        let mut form = form();
        form.fields[0].optional = true;
        let toggle =
            Field { name: "echo", label: "Echo", kind: Kind::Toggle, default: "false", ..form.fields[0].clone() };
        form.fields.push(toggle);
        let rows = |form: &mut Form, width, focus| -> Vec<String> {
            let shown = pictured(form, (width, 5), focus);
            shown.lines().map(|line| line.trim_matches('"').to_owned()).collect()
        };
        let wide = rows(&mut form, 60, true);
        assert!(wide[0].starts_with("▌  Temperature default") && wide[1].starts_with("   Echo        no"), "{wide:?}");
        assert!(wide[4].contains("Server default: 1."), "{wide:?}");
        form.set("temperature", "1".to_owned());
        let side = rows(&mut form, 30, true);
        assert_eq!(side[..2], ["▌• Temperature               1", "   Echo                     no"]);
        let unfocused = rows(&mut form, 30, false);
        assert_eq!(
            [&unfocused[0], unfocused[4].trim_end()],
            [" • Temperature               1", " • sent with the request"]
        );
    }

    #[test]
    fn a_refusal_can_be_taken_back() {
        let mut form = form();
        form.refuse("temperature", "no");
        form.clear_refusal();
        assert_eq!(form.error, None);
    }

    #[test]
    fn a_number_is_typed_over_and_can_be_gone_on_with() {
        let typed = |keys: &[KeyCode]| {
            let mut form = form();
            form.set("temperature", "1.5".to_owned());
            form.key(KeyEvent::from(KeyCode::Enter));
            for key in keys {
                form.key(KeyEvent::from(*key));
            }
            form.key(KeyEvent::from(KeyCode::Enter))
        };
        let change = |text: &str| Event::Change("temperature", text.into());
        assert_eq!(typed(&[KeyCode::Char('0'), KeyCode::Char('.'), KeyCode::Char('7')]), change("0.7"));
        assert_eq!(typed(&[KeyCode::Backspace, KeyCode::Char('2')]), change("1.2"));
        assert_eq!(typed(&[]), change("1.5"));
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
            Some("temperature must be between 0 and 2, not 2.5")
        );
        assert_eq!(form.key(KeyEvent::from(KeyCode::Esc)), Event::None);
        assert_eq!(form.key(KeyEvent::from(KeyCode::Char('0'))), Event::Change("temperature", String::new()));
        assert_eq!(form.key(KeyEvent::new(KeyCode::Char('l'), KeyModifiers::CONTROL)), Event::Ignored);
        assert_eq!(form.key(KeyEvent::from(KeyCode::Esc)), Event::Close);
    }

    #[test]
    fn rows_that_only_show_and_rows_chosen_elsewhere() {
        let mut form = form();
        form.fields.push(Field { name: "mode", label: "Mode", kind: Kind::Shown, ..form.fields[0].clone() });
        form.fields.push(Field { name: "model", label: "Model", kind: Kind::Choice, ..form.fields[0].clone() });
        form.select("mode");
        for code in [KeyCode::Enter, KeyCode::Char('0'), KeyCode::Char('l'), KeyCode::Delete, KeyCode::Char('i')] {
            assert_eq!(form.key(KeyEvent::from(code)), Event::None);
        }
        form.select("model");
        assert_eq!(form.key(KeyEvent::from(KeyCode::Char('h'))), Event::None);
        assert_eq!(form.key(KeyEvent::from(KeyCode::Enter)), Event::Ask("model"));
        assert_eq!(form.key(KeyEvent::from(KeyCode::Char('0'))), Event::Change("model", String::new()));
        assert!(!form.typing());
    }

    #[test]
    fn a_long_text_is_written_elsewhere_or_typed_and_its_row_holds_a_summary() {
        let mut form = form();
        let schema = "{\n  \"type\": \"object\"\n}".to_owned();
        form.fields[0] = Field { kind: Kind::Long, value: schema.clone(), ..form.fields[0].clone() };
        assert_eq!(form.key(KeyEvent::from(KeyCode::Enter)), Event::Ask("temperature"));
        assert!(drawn(&mut form, 60, 4).contains("{␊  \"type\""));
        form.summarize(vec![("temperature", "a schema".to_owned())]);
        let shown = drawn(&mut form, 60, 4);
        assert!(shown.contains("Temperature   a schema") && !shown.contains("type"), "{shown}");
        form.key(KeyEvent::from(KeyCode::Char('i')));
        assert!(form.typing());
        assert_eq!(form.key(KeyEvent::from(KeyCode::Enter)), Event::Change("temperature", schema));
    }

    #[test]
    fn a_refusal_selects_its_field_unless_another_is_typed() {
        let mut form = form();
        form.fields.push(Field { name: "seed", label: "Seed", kind: Kind::Text, ..form.fields[0].clone() });
        form.refuse("seed", "no");
        assert_eq!(form.selected(), Some("seed"));
        form.key(KeyEvent::from(KeyCode::Enter));
        form.refuse("temperature", "no");
        form.show("temperature", "2".into());
        assert_eq!((form.selected(), form.typing()), (Some("seed"), true), "what is typed stays where it belongs");
        form.lock(Some("not now"));
        assert!(!form.typing());
        assert_eq!(form.key(KeyEvent::from(KeyCode::Char('0'))), Event::None);
        assert_eq!(form.error.as_ref().map(Untrusted::line).as_deref(), Some("not now"));
        assert_eq!(form.key(KeyEvent::from(KeyCode::Up)), Event::None);
        assert_eq!(form.selected(), Some("temperature"), "one may still look around");
    }
}
