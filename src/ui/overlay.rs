//! Boxes over the screen: the frame and the question with buttons. The list to choose from is [`super::picker`].

use std::sync::LazyLock;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line as Text, Span};
use ratatui::widgets::{Block, BorderType};
use unicode_width::UnicodeWidthStr;

use super::keys::{Keymap, without_shift};
use super::pane::Spacing;
use super::rule::{cut, fit};
use super::size_class::{MEDIUM, SizeClass, WIDE};
use super::text_field::TextField;
use super::theme::{Kind, Theme};
use super::wrap;
use crate::text::Untrusted;

/// Widest a box may be.
pub const WIDEST: u16 = 64;

/// The texts in a box's border; empty: none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Words<'a> {
    /// Top left.
    pub title: &'a str,
    /// Top right.
    pub right: &'a str,
    /// Bottom right: the keys, if the box has a border. Otherwise the footer alone has them.
    pub foot: &'a str,
    /// Bottom right instead of the keys: what else there is to say, such as how much is below.
    pub more: &'a str,
}

/// Draws an empty rounded box of at most `size` (width and height, border included) over `area`, above its middle, and
/// returns its inside without the column of space on each side.
pub fn boxed(frame: &mut Frame, area: Rect, size: (u16, u16), words: &Words, theme: &Theme) -> Rect {
    within(empty(frame, area, size, words, theme))
}

/// Returns the inside that [`boxed`] would return, without drawing.
pub fn inside(area: Rect, size: (u16, u16)) -> Rect {
    let inside = Block::bordered().inner(place(area, size));
    within(inside)
}

/// Returns the inside of a box of at most `size` over `area`, without the blank rows below its title.
pub fn content_area(area: Rect, size: (u16, u16), kind: Kind) -> Rect {
    below(inside(area, size), rows_below_title(area, kind))
}

/// Returns the blank rows below the title of a box over `area`: one, if there is space for it.
pub fn rows_below_title(area: Rect, kind: Kind) -> u16 {
    // The area is the screen without header and footer.
    u16::from(Spacing::of(kind, SizeClass::of(area.width, area.height + 2)) == Spacing::Roomy)
}

/// Removes rows at the top of a box's inside.
pub fn below(inside: Rect, rows: u16) -> Rect {
    let rows = rows.min(inside.height);
    Rect { y: inside.y + rows, height: inside.height - rows, ..inside }
}

/// Removes a column on each side.
fn within(inside: Rect) -> Rect {
    let side = inside.width.min(1);
    Rect { x: inside.x + side, width: inside.width.saturating_sub(2 * side), ..inside }
}

/// Returns where a box of at most `size` is placed over `area`: in the middle, a little higher.
fn place(area: Rect, (width, height): (u16, u16)) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    let (beside, above) = (area.width - width, area.height - height);
    // If there are two rows, one is above: it is the padding of a box without a border.
    let y = if above >= 2 { (above / 3).max(1) } else { 0 };
    Rect::new(area.x + beside / 2, area.y + y, width, height)
}

/// Draws a box as [`boxed`] does, with the keys in its lower border, and returns all columns of the inside.
pub fn frame(target: &mut Frame, area: Rect, size: (u16, u16), title: &str, foot: &str, theme: &Theme) -> Rect {
    empty(target, area, size, &Words { title, foot, ..Words::default() }, theme)
}

/// Paints every cell of `area`: nothing of the former contents is visible, not even half of a wide character at its
/// left edge.
pub fn ground(buf: &mut Buffer, area: Rect, style: Style) {
    let area = area.intersection(buf.area);
    for y in area.y..area.bottom() {
        if area.x > buf.area.x && buf[(area.x - 1, y)].symbol().width() > 1 {
            buf[(area.x - 1, y)].set_char(' ');
        }
        for x in area.x..area.right() {
            buf[(x, y)].reset();
        }
    }
    buf.set_style(area, style);
}

fn empty(target: &mut Frame, area: Rect, (width, height): (u16, u16), words: &Words, theme: &Theme) -> Rect {
    let place = place(area, (width, height));
    let inside = Block::bordered().inner(place);
    if theme.kind.has_surfaces() {
        let padding = Rect {
            x: place.x.saturating_sub(1),
            y: place.y.saturating_sub(1),
            width: place.width.saturating_add(2),
            height: place.height.saturating_add(2),
        };
        ground(target.buffer_mut(), padding.intersection(area), theme.raised);
        raised_words(target.buffer_mut(), place, words, theme);
        return inside;
    }
    let room = usize::from(place.width).saturating_sub(5);
    let mut block =
        Block::bordered().border_type(BorderType::Rounded).border_style(theme.rule).style(theme.raised).title(vec![
            Span::styled("─", theme.rule),
            Span::styled(format!(" {} ", cut(words.title, room)), theme.accent),
        ]);
    let at_right = |words: &str| {
        let spans = vec![Span::styled(format!(" {words} "), theme.muted), Span::styled("─", theme.rule)];
        Text::from(spans).right_aligned()
    };
    if !words.right.is_empty() {
        block = block.title(at_right(words.right));
    }
    let foot = if words.more.is_empty() { first_keys(words.foot, room) } else { cut(words.more, room) };
    if !foot.is_empty() {
        block = block.title_bottom(at_right(&foot));
    }
    ground(target.buffer_mut(), place, theme.raised);
    target.render_widget(block, place);
    inside
}

/// Returns as many of the keys in a box's border as fit, each with its description.
fn first_keys(foot: &str, width: usize) -> String {
    let mut keys = foot;
    while keys.width() > width
        && let Some((before, _)) = keys.rsplit_once("  ")
    {
        keys = before.trim_end();
    }
    cut(keys, width)
}

/// Draws a box's texts where its border would be.
fn raised_words(buf: &mut Buffer, place: Rect, words: &Words, theme: &Theme) {
    let place = place.intersection(buf.area);
    let (left, width) = (place.x + place.width.min(2), usize::from(place.width.saturating_sub(4)));
    if width == 0 || place.height == 0 {
        return;
    }
    let (title, right) = fit(words.title, words.right, width, 2);
    buf.set_stringn(left, place.y, &title, width, theme.text.add_modifier(Modifier::BOLD));
    buf.set_stringn(left + (width - right.width()) as u16, place.y, &right, width, theme.faint);
    let foot = cut(words.more, width);
    buf.set_stringn(left + (width - foot.width()) as u16, place.bottom() - 1, &foot, width, theme.faint);
}

/// Returns the part of the screen for dialogs: without two columns at both sides if there is space for that, so that a
/// box does not look like a part of what is below it.
pub fn room(area: Rect, kind: Kind) -> Rect {
    let least = if area.width >= WIDE { WIDE } else { MEDIUM };
    let side = if kind.has_surfaces() { (area.width.saturating_sub(least) / 2).min(2) } else { 0 };
    Rect { x: area.x + side, width: area.width - 2 * side, ..area }
}

/// Dims the contents of `area`, behind a dialog; without surfaces the dialog's border is enough.
pub fn dim(buf: &mut Buffer, area: Rect, theme: &Theme) {
    if !theme.kind.has_surfaces() {
        return;
    }
    for at in area.intersection(buf.area).positions() {
        theme.dim(&mut buf[at]);
    }
}

/// What a key does to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConfirmKey {
    /// Gives the focus to the other answer.
    Move,
    /// Takes the answer that has the focus.
    Choose,
    Cancel,
    Yes,
    No,
}

static CONFIRM_KEYS: LazyLock<Keymap<ConfirmKey>> = LazyLock::new(|| {
    Keymap::new(&[
        ("tab shift-tab left right", ConfirmKey::Move, "move"),
        ("enter", ConfirmKey::Choose, "choose"),
        ("esc", ConfirmKey::Cancel, "cancel"),
        // Ctrl+Y copies elsewhere: it must not delete here.
        ("y", ConfirmKey::Yes, "yes"),
        ("n q", ConfirmKey::No, "no"),
    ])
});

/// A question with two answers; the focus is on Cancel until it is moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirm {
    title: String,
    /// The text of the question.
    lines: Vec<Untrusted>,
    verb: String,
    /// The other answer.
    no: &'static str,
    /// The word that must be typed first; `None`: none.
    word: Option<String>,
    typed: TextField,
    on_verb: bool,
    /// Whether the verb was chosen without the word, which is then shown.
    lacks_word: bool,
}

/// What a key did to a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Still open.
    Open,
    /// Closed without a choice.
    Cancelled,
    /// Chosen.
    Chosen,
}

impl Confirm {
    /// Creates a question: title, subject (which may come from outside), and the verb on the button.
    pub fn new(title: impl Into<String>, lines: Vec<Untrusted>, verb: impl Into<String>) -> Self {
        let (title, verb) = (title.into(), verb.into());
        Self {
            title,
            lines,
            verb,
            no: "Cancel",
            word: None,
            typed: TextField::default(),
            on_verb: false,
            lacks_word: false,
        }
    }

    /// Sets another word than “Cancel” for the answer that does nothing.
    #[must_use]
    pub fn otherwise(mut self, no: &'static str) -> Self {
        self.no = no;
        self
    }

    /// Moves the focus to the verb: for what costs nothing and destroys nothing.
    #[must_use]
    pub fn on_verb(mut self) -> Self {
        self.on_verb = true;
        self
    }

    /// Replaces the subject.
    pub fn about(&mut self, lines: Vec<Untrusted>) {
        self.lines = lines;
    }

    /// Requires a word to be typed before the verb works.
    pub fn typed(mut self, word: impl Into<String>) -> Self {
        self.word = Some(word.into());
        self
    }

    /// Handles a key. ⏎ chooses the answer that has the focus; a word that is typed completely moves it to the verb,
    /// and after another word ⏎ shows which word is required.
    pub fn key(&mut self, key: KeyEvent) -> Answer {
        let of_words = |action: &ConfirmKey| matches!(action, ConfirmKey::Yes | ConfirmKey::No);
        match CONFIRM_KEYS.find(&without_shift(&key)).filter(|action| self.word.is_none() || !of_words(action)) {
            Some(ConfirmKey::Move) => self.on_verb = !self.on_verb,
            Some(ConfirmKey::Choose) if self.on_verb && self.has_word() => return Answer::Chosen,
            // Whoever typed another word meant the verb.
            Some(ConfirmKey::Choose) if self.on_verb || !(self.has_word() || self.typed.text().is_empty()) => {
                self.lacks_word = true;
            }
            Some(ConfirmKey::Yes) => return Answer::Chosen,
            Some(_) => return Answer::Cancelled,
            None if self.word.is_some() => {
                let had = self.has_word();
                self.typed.key(key);
                if self.has_word() != had {
                    self.on_verb = !had;
                }
                self.lacks_word = false;
            }
            None => {}
        }
        Answer::Open
    }

    /// Returns its keys for the footer, each with what it does.
    pub fn footer(&self) -> Vec<(String, &'static str)> {
        let choose = CONFIRM_KEYS.key(ConfirmKey::Choose);
        match self.word {
            Some(_) => vec![(choose, "after the word is typed")],
            None => vec![(CONFIRM_KEYS.key(ConfirmKey::Move), "move"), (choose, "choose")],
        }
    }

    /// Returns whether the required word, if any, is typed.
    fn has_word(&self) -> bool {
        self.word.as_ref().is_none_or(|word| self.typed.text() == word)
    }

    /// Returns the columns of its lines over `area`.
    fn room(area: Rect) -> usize {
        usize::from(WIDEST.min(area.width)).saturating_sub(6)
    }

    /// Returns whether the whole first line, wrapped, is visible over `area`.
    pub fn shows_first_line(&self, area: Rect) -> bool {
        let rows = self.lines.first().map_or(0, |line| wrap::lines(&line.line(), Self::room(area)).len());
        rows + 6 <= usize::from(area.height)
    }

    /// Draws the question over `area`.
    pub fn render(&self, target: &mut Frame, area: Rect, theme: &Theme) {
        let room = Self::room(area);
        let safe: Vec<_> = self.lines.iter().map(Untrusted::line).collect();
        let lines: Vec<&str> = safe.iter().flat_map(|line| wrap::lines(line, room)).collect();
        let foot = format!("esc {}", self.no.to_lowercase());
        let words = Words { title: &self.title, foot: &foot, ..Words::default() };
        let inside = boxed(
            target,
            area,
            (WIDEST, u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(6)),
            &words,
            theme,
        );
        if inside.is_empty() {
            return;
        }
        for (line, y) in lines.iter().zip(inside.y + 1..inside.bottom().saturating_sub(2)) {
            target.buffer_mut().set_stringn(inside.x + 1, y, line, room, theme.text);
        }
        let x = inside.x + 1;
        let y = inside.bottom().saturating_sub(2);
        let button = |word: &str, on: bool| if on { format!("[ {word} ]") } else { format!("  {word}  ") };
        let (no, verb) = (button(self.no, !self.on_verb), button(&self.verb, self.on_verb));
        let style = |focus| if focus { theme.accent } else { theme.text };
        let verb_at = no.width() + 3;
        target.buffer_mut().set_stringn(x, y, &no, room, style(!self.on_verb));
        target.buffer_mut().set_stringn(
            x + verb_at as u16,
            y,
            &verb,
            room.saturating_sub(verb_at),
            style(self.on_verb),
        );
        if let Some(word) = &self.word {
            let first = if self.lacks_word { " first" } else { "" };
            let ask = format!("type “{word}”{first}: ");
            let beside = x + (verb_at + verb.width()) as u16 + 2;
            // If the word does not fit beside the buttons, it is typed below them.
            let fits = usize::from(beside) + ask.width() + word.width() < usize::from(inside.right());
            let tone = if self.lacks_word { theme.warn } else { theme.muted };
            let (at, y) = if fits { (beside, y) } else { (x, y + 1) };
            target.buffer_mut().set_stringn(at, y, &ask, usize::from(inside.right() - at), tone);
            let left = (at + ask.width() as u16).min(inside.right());
            self.typed.render(target, Rect::new(left, y, inside.right() - left, 1), theme.text, true);
        } else {
            target.set_cursor_position(Position::new(if self.on_verb { x + verb_at as u16 + 2 } else { x + 2 }, y));
        }
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyModifiers};

    use super::super::theme::Depth;
    use super::*;

    #[test]
    fn keys_in_a_border_are_left_out_whole() {
        let foot = "⏎ use  n new   esc close";
        let shown = [24, 23, 12, 11, 5, 3].map(|width| first_keys(foot, width));
        assert_eq!(shown, [foot, "⏎ use  n new", "⏎ use  n new", "⏎ use", "⏎ use", "⏎ …"]);
    }

    #[test]
    fn behind_a_dialog_the_tab_in_front_is_readable_and_no_longer_bright() {
        let theme = Theme::of(Kind::Dark, Depth::True);
        let mut buf = Buffer::with_lines(["▐1▌ 2"]);
        let area = buf.area;
        buf.set_style(area, theme.panel);
        buf[(1, 0)].set_style(theme.tab);
        dim(&mut buf, area, &theme);
        let look = |x| (Some(buf[(x, 0)].fg), Some(buf[(x, 0)].bg));
        assert_eq!(look(1), (theme.panel.bg, theme.faint.fg));
        for x in [0, 2, 4] {
            assert_eq!(look(x), (theme.faint.fg, theme.panel.bg), "{x}");
        }
    }

    #[test]
    fn a_question_fits_into_any_screen_and_shows_its_answers() {
        use ratatui::Terminal;
        use ratatui::backend::TestBackend;
        let theme = Theme::of(Kind::Mono, Depth::Indexed);
        let lines = vec!["an upload of a large file runs".into(), "\u{1b}[2Ja draft".into()];
        let ask = Confirm::new("Quit now?", lines, "Quit").otherwise("Stay");
        for (width, height) in (0..20).flat_map(|width| (0..10).map(move |height| (width, height))) {
            let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
            terminal.draw(|frame| ask.render(frame, frame.area(), &theme)).unwrap();
        }
        let mut terminal = Terminal::new(TestBackend::new(40, 12)).unwrap();
        terminal.draw(|frame| ask.render(frame, frame.area(), &theme)).unwrap();
        let shown = terminal.backend().to_string();
        for text in ["─ Quit now? ─", "an upload of a large file runs", "[ Stay ]", "  Quit  ", " esc stay "] {
            assert!(shown.contains(text), "{text}: {shown}");
        }
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
    }

    #[test]
    fn with_a_word_to_type_the_answer_with_the_focus_is_taken_and_no_other() {
        let ask = || Confirm::new("Delete?", vec![], "Delete").typed("xy");
        let press = |ask: &mut Confirm, keys: &str| {
            let code = |key| match key {
                '\t' => KeyCode::Tab,
                '\n' => KeyCode::Enter,
                '<' => KeyCode::Backspace,
                char => KeyCode::Char(char),
            };
            keys.chars().map(|key| ask.key(KeyEvent::from(code(key)))).last().unwrap()
        };
        for (keys, answer) in [
            ("\n", Answer::Cancelled),
            ("xy\n", Answer::Chosen),
            ("xy\t\n", Answer::Cancelled),
            ("xy\t\t\n", Answer::Chosen),
            ("\txy\n", Answer::Chosen),
            // The word is missing: nothing is done, whatever has the focus.
            ("\t\n", Answer::Open),
            ("x\t\n", Answer::Open),
            // Another word was typed: the required one is shown.
            ("x\n", Answer::Open),
            ("xyz\n", Answer::Open),
            ("xy<\n", Answer::Open),
            ("x<\n", Answer::Cancelled),
            ("xyz<\n", Answer::Chosen),
        ] {
            assert_eq!(press(&mut ask(), keys), answer, "{keys:?}");
        }
    }

    #[test]
    fn the_verb_without_its_word_says_what_to_type() {
        use ratatui::Terminal;
        use ratatui::backend::TestBackend;
        let theme = Theme::of(Kind::Mono, Depth::Indexed);
        let mut ask = Confirm::new("Delete?", vec!["a file".into()], "Delete").typed("train");
        let shown = |ask: &Confirm| {
            let mut terminal = Terminal::new(TestBackend::new(60, 12)).unwrap();
            terminal.draw(|frame| ask.render(frame, frame.area(), &theme)).unwrap();
            terminal.backend().to_string()
        };
        assert!(shown(&ask).contains("[ Cancel ]     Delete    type “train”: "), "{}", shown(&ask));
        ask.key(KeyEvent::from(KeyCode::Tab));
        ask.key(KeyEvent::from(KeyCode::Enter));
        assert!(shown(&ask).contains("type “train” first: "), "{}", shown(&ask));
        for char in "train".chars() {
            ask.key(KeyEvent::from(KeyCode::Char(char)));
        }
        assert!(shown(&ask).contains("  Cancel     [ Delete ]  type “train”: train"), "{}", shown(&ask));
    }
}
