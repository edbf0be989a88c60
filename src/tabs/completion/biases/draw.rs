//! Draws the list of biases.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use unicode_width::UnicodeWidthStr;

use super::change::{bar, does, signed};
use super::update::unquoted;
use super::{BiasMode, Biases};
use crate::record::work::Tokens;
use crate::tabs::completion::tokenizer::piece::{quoted, shown};
use crate::ui::overlay::{self, WIDEST, Words};
use crate::ui::rule::cut;
use crate::ui::text_field::TextField;
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Columns of an id.
const ID: usize = 6;
/// Columns of a bias.
const BIAS: usize = 7;
/// Columns of the bar and of what it means, where there is room.
const BAR: usize = 9;
const DOES: usize = 9;
/// Columns from which on the bar, and the words too, have room.
const WIDE: [usize; 2] = [40, 56];
/// Rows of the list, where the screen has them.
const ROWS: usize = 12;
/// Tokens of a text that are listed.
const LISTED: usize = 12;

/// What stands below the list.
struct Below<'a> {
    /// What is typed, after its label.
    typed: Option<(&'static str, &'a TextField)>,
    /// Rows with the look of each.
    lines: Vec<(String, Look)>,
}

/// A style of the theme.
type Look = fn(&Theme) -> Style;

impl Below<'_> {
    fn rows(&self) -> usize {
        self.lines.len() + usize::from(self.typed.is_some())
    }
}

/// Returns the columns that words have in the box over an area.
fn words_width(area: Rect) -> usize {
    usize::from(WIDEST.min(area.width)).saturating_sub(4)
}

impl Biases {
    /// Fits the list to the area: its rows move no more than they must.
    pub(super) fn arrange(&mut self, area: Rect) {
        let Some(size) = self.size(area) else { return };
        let height = self.list_height(overlay::inside(area, size));
        self.cursor.window(usize::from(height.saturating_sub(1)), self.rows.len());
    }

    /// Returns the columns and rows of the box over an area; `None`: there is no room for it.
    fn size(&self, area: Rect) -> Option<(u16, u16)> {
        let width = words_width(area);
        if width < 10 || area.height < 5 {
            return None;
        }
        let height = self.rows.len().clamp(1, ROWS) + self.below(width).rows() + 3;
        Some((WIDEST, height as u16))
    }

    /// Returns the rows of the list, its head included, in the box's inside. It keeps a row however long the words
    /// below are.
    fn list_height(&self, inside: Rect) -> u16 {
        let below = self.below(usize::from(inside.width)).rows() as u16;
        inside.height - below.min(inside.height.saturating_sub(2))
    }

    /// Draws it over `area`, and places the terminal's cursor.
    pub(super) fn render(&self, frame: &mut Frame, area: Rect, theme: &Theme) {
        let area = area.intersection(frame.area());
        let Some(size) = self.size(area) else { return };
        let width = words_width(area);
        let right = match self.rows.len() {
            0 => String::new(),
            1 => "1 token".to_owned(),
            many => format!("{many} tokens"),
        };
        let hints: Vec<String> = self.hints().iter().map(|hint| format!("{} {}", hint.key, hint.does)).collect();
        let (title, foot) =
            (format!("Bias · {}", self.vocabulary.unwrap_or("unknown vocabulary")), whole(&hints, width));
        let words = Words { title: &title, right: &right, foot: &foot, ..Words::default() };
        let inside = overlay::boxed(frame, area, size, &words, theme);
        let list = Rect { height: self.list_height(inside), ..inside };
        let below_at = Rect { y: list.bottom(), height: inside.height - list.height, ..inside };
        self.list(frame, list, theme);
        let below = self.below(width);
        let mut y = below_at.y;
        if let Some((label, line)) = below.typed
            && below_at.height > 0
        {
            frame.buffer_mut().set_stringn(inside.x, y, label, width, theme.muted);
            let used = label.width() as u16;
            let at = Rect { x: inside.x + used, y, width: inside.width.saturating_sub(used), height: 1 };
            line.render(frame, at, theme.text, true);
            y += 1;
        }
        for ((text, style), y) in below.lines.iter().zip(y..below_at.bottom()) {
            frame.buffer_mut().set_stringn(inside.x, y, text, width, style(theme));
        }
    }

    fn list(&self, frame: &mut Frame, area: Rect, theme: &Theme) {
        let width = usize::from(area.width);
        if self.rows.is_empty() {
            let text = "No biases yet. a adds one, by its text or id.";
            for (line, y) in wrap::lines(text, width).iter().zip(area.y..area.bottom()) {
                frame.buffer_mut().set_stringn(area.x, y, line, width, theme.muted);
            }
            return;
        }
        let head = row(["id", "text", "bias", "", ""], width);
        frame.buffer_mut().set_stringn(area.x, area.y, head, width, theme.muted);
        let mut cursor = self.cursor;
        let window = cursor.window(usize::from(area.height.saturating_sub(1)), self.rows.len());
        for (at, y) in window.zip(area.y + 1..) {
            let Some((id, bias)) = self.rows.get(at) else { break };
            let (text, known) = self.text(id);
            let line = row([&cut(id, ID), &text, &cut(&signed(*bias), BIAS), &bar(*bias, BAR / 2), does(*bias)], width);
            let is_selected = at == self.cursor.selected;
            let style = match known {
                _ if is_selected => theme.select,
                true => theme.text,
                false => theme.text.patch(theme.warn),
            };
            frame.buffer_mut().set_stringn(area.x, y, line, width, style);
            if is_selected && matches!(self.mode, BiasMode::List) {
                frame.set_cursor_position(Position::new(area.x, y));
            }
        }
    }

    /// Returns how an id is spelled, or why it is not; and whether it may be right.
    fn text(&self, id: &str) -> (String, bool) {
        let Ok(number) = id.parse() else { return ("! not an id".to_owned(), false) };
        match (self.spelled.get(&number), self.vocabulary) {
            (Some(bytes), Some(name)) if bytes.is_empty() => (format!("! no token of {name}"), false),
            (Some(bytes), Some(_)) => (shown(bytes), true),
            (None, Some(_)) => ("…".to_owned(), true),
            (_, None) => ("?".to_owned(), true),
        }
    }

    fn below(&self, width: usize) -> Below<'_> {
        let mut lines = Vec::new();
        let mut say = |text: &str, look: Look| {
            lines.extend(wrap::lines(text, width).into_iter().map(|line| (line.to_owned(), look)));
        };
        let mut typed = None;
        if !self.note.is_empty() {
            say(&self.note.line(), |theme| theme.warn);
        }
        match &self.mode {
            BiasMode::List => {}
            BiasMode::Add(line) => {
                typed = Some(("add ", line));
                let text = unquoted(line.text());
                if line.text().is_empty() {
                    let by_text = "a text with its leading spaces, in quotes if you like: \" music\"; or an id: #2647";
                    say(if self.vocabulary.is_some() { by_text } else { "an id: #2647" }, |theme| theme.muted);
                } else if !line.text().starts_with('#') && self.vocabulary.is_some() {
                    say(&format!("  = {}", shown(text.as_bytes())), |theme| theme.muted);
                }
            }
            BiasMode::Cutting(_, text) => {
                say(&format!("… tokenizing {}", quoted(text.as_bytes())), |theme| theme.muted);
            }
            BiasMode::Choose { text, tokens, each, .. } => {
                for (line, look) in token_choice(text, tokens, *each, width) {
                    say(&line, look);
                }
            }
            BiasMode::Value(line) => {
                typed = Some(("bias ", line));
                say("a number: −100 never, 100 always, 0 no change", |theme| theme.muted);
            }
            BiasMode::Clear => {
                say(&format!("Remove all {}? X removes them, esc cancels.", self.rows.len()), |theme| theme.warn);
            }
        }
        if self.vocabulary.is_none() {
            let model = self.model.line();
            say(&format!("The tokenizer of “{model}” is unknown: biases can be added by id only."), |theme| {
                theme.muted
            });
        }
        Below { typed, lines }
    }
}

/// Returns the lines that ask which tokens of a text are meant, each or the first alone.
fn token_choice(text: &str, tokens: &Tokens, each: bool, width: usize) -> [(String, Look); 4] {
    let number = tokens.ids.len();
    let starts = std::iter::once(0).chain(tokens.ends.iter().copied());
    let pieces: Vec<String> = starts
        .zip(&tokens.ends)
        .take(LISTED)
        .map(|(start, end)| shown(text.as_bytes().get(start..*end).unwrap_or_default()))
        .collect();
    let more = if number > LISTED { "│…" } else { "" };
    let first = pieces.first().map(String::as_str).unwrap_or_default();
    let choice = |chosen: bool, words: String| {
        let (mark, look): (_, Look) = if chosen { ("▌", |theme| theme.accent) } else { (" ", |theme| theme.text) };
        (cut(&format!("{mark}{words}"), width), look)
    };
    [
        (format!("{} is {number} tokens:", shown(text.as_bytes())), |theme| theme.text),
        (format!("  {}{more}", pieces.join("│")), |theme| theme.muted),
        choice(each, format!("a bias for each of the {number}")),
        choice(!each, format!("only for the first, {first}")),
    ]
}

/// Returns a row of the list: id, text, bias, bar, what it does; as many as there is room for.
fn row([id, text, bias, bar, does]: [&str; 5], width: usize) -> String {
    let [with_bar, with_words] = WIDE.map(|columns| width >= columns);
    let taken = ID + 2 + BIAS + if with_bar { BAR + 2 } else { 0 } + if with_words { DOES + 2 } else { 0 };
    let room = width.saturating_sub(taken);
    let text = cut(text, room);
    let gap = " ".repeat(room - wrap::width(&text).min(room));
    let bar = if with_bar { format!("  {bar:<BAR$}") } else { String::new() };
    let does = if with_words { format!("  {does:<DOES$}") } else { String::new() };
    format!("{id:>ID$}  {text}{gap}{bias:>BIAS$}{bar}{does}")
}

/// Returns as many hints as fit whole.
fn whole(hints: &[String], width: usize) -> String {
    let mut foot = String::new();
    for hint in hints {
        let gap = if foot.is_empty() { "" } else { " · " };
        if wrap::width(&foot) + wrap::width(gap) + wrap::width(hint) > width.saturating_sub(1) {
            break;
        }
        foot += gap;
        foot += hint;
    }
    foot
}
