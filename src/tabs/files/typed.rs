//! A path being typed: names that go on from it stand below, Tab completes it.

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use crate::api::call::Ticket;
use crate::component::{Cx, Hint};
use crate::record::work::{Done, Work};
use crate::text::Untrusted;
use crate::ui::line::Line;
use crate::ui::list::Cursor;
use crate::ui::overlay::{self, Words};
use crate::ui::rule::cut_middle;
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Names shown at once.
const NAMES: usize = 6;

/// What a key did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// It is still being typed.
    Stay,
    /// It was left.
    Close,
    /// This is the path, as it was typed.
    Done(String),
}

/// The box.
#[derive(Debug)]
pub(super) struct Typed {
    title: String,
    /// What Enter does.
    verb: &'static str,
    line: Line,
    asked: Option<Ticket>,
    found: Vec<Untrusted>,
    /// Over `found`, once an arrow went there.
    cursor: Option<Cursor>,
    /// Tab was pressed before the names were there.
    tab: bool,
    /// What went wrong, or what should be known.
    pub(super) note: Option<Untrusted>,
    /// Sentences that stand below.
    pub(super) lines: Vec<Untrusted>,
}

impl Typed {
    /// A box with this title, what Enter does in it, and what stands in it to begin with.
    pub(super) fn new(title: impl Into<String>, verb: &'static str, path: &str) -> Self {
        Self {
            title: title.into(),
            verb,
            line: Line::new(path),
            asked: None,
            found: Vec::new(),
            cursor: None,
            tab: false,
            note: None,
            lines: Vec::new(),
        }
    }

    /// A key.
    pub(super) fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Step {
        let count = self.found.len();
        match key.code {
            KeyCode::Esc => {
                self.close(cx);
                return Step::Close;
            }
            KeyCode::Enter => return self.enter(cx),
            KeyCode::Tab => self.complete(cx),
            KeyCode::Down if count > 0 => match &mut self.cursor {
                Some(cursor) => cursor.by(1, count),
                none => *none = Some(Cursor::default()),
            },
            KeyCode::Up if self.cursor.is_some_and(|cursor| cursor.selected == 0) => self.cursor = None,
            KeyCode::Up => {
                if let Some(cursor) = &mut self.cursor {
                    cursor.by(-1, count);
                }
            }
            _ => {
                if self.line.key(key) {
                    self.changed(cx);
                }
            }
        }
        Step::Stay
    }

    /// Pasted text.
    pub(super) fn paste(&mut self, text: &str, cx: &mut Cx) {
        self.line.paste(text.trim_matches(['\n', '\r']));
        self.changed(cx);
    }

    fn changed(&mut self, cx: &mut Cx) {
        self.note = None;
        self.ask(cx);
    }

    fn enter(&mut self, cx: &mut Cx) -> Step {
        if let Some(path) = self.cursor.and_then(|cursor| self.found.get(cursor.selected)) {
            self.line = Line::edit(path);
            self.ask(cx);
            return Step::Stay;
        }
        let path = dropped(self.line.text());
        if path.is_empty() {
            self.note = Some("type a path; tab completes it".into());
            return Step::Stay;
        }
        Step::Done(path)
    }

    /// Ends what was asked for.
    pub(super) fn close(&mut self, cx: &mut Cx) {
        if let Some(asked) = self.asked.take() {
            cx.cancel(asked);
        }
    }

    /// Asks for the names that go on from what is typed; the old ones stand until they come.
    fn ask(&mut self, cx: &mut Cx) {
        self.close(cx);
        self.asked = Some(cx.work(Work::Paths(self.line.text().to_owned())));
        (self.cursor, self.tab) = (None, false);
    }

    /// Tab: as far as all names go together; where they do not, into the list of them.
    fn complete(&mut self, cx: &mut Cx) {
        if self.asked.is_some() {
            self.tab = true;
            return;
        }
        if let Some(path) = self.cursor.and_then(|cursor| self.found.get(cursor.selected)) {
            self.line = Line::edit(path);
            return self.ask(cx);
        }
        if self.found.is_empty() && self.note.is_none() {
            self.ask(cx);
            // What the names are is not known yet: Tab is done again when they are.
            self.tab = true;
            self.note = Some(Untrusted::default());
            return;
        }
        let common = common(&self.found);
        if common.len() > self.line.text().len() {
            self.line = Line::new(common);
            self.ask(cx);
        } else if self.found.is_empty() {
            self.note = Some("no name goes on from this".into());
        } else {
            self.cursor = Some(Cursor::default());
        }
    }

    /// The work threads' answer; whether it was to a question of this box.
    pub(super) fn worked(&mut self, ticket: Ticket, done: &Done, cx: &mut Cx) -> bool {
        if self.asked != Some(ticket) {
            return false;
        }
        self.asked = None;
        match done {
            Done::Paths(found) => self.found.clone_from(found),
            _ => self.found.clear(),
        }
        if std::mem::take(&mut self.tab) {
            self.complete(cx);
        }
        true
    }

    /// Keys for the footer.
    pub(super) fn hints(&self) -> Vec<Hint> {
        vec![Hint::new("⏎", self.verb), Hint::new("tab", "complete"), Hint::new("esc", "close")]
    }

    /// Draws it as a box over `area`.
    pub(super) fn render(&mut self, frame: &mut Frame, area: Rect, theme: &Theme) {
        let area = area.intersection(frame.area());
        let foot = format!("⏎ {}   tab complete   esc close", self.verb);
        let words = Words { title: &self.title, right: "", foot: &foot };
        let below = self.lines.len().min(6) as u16;
        let inside = overlay::boxed(frame, area, (80, 6 + NAMES as u16 + below), &words, theme);
        if inside.is_empty() {
            return;
        }
        let width = usize::from(inside.width);
        let row = |y: u16| Rect { y, height: 1, ..inside };
        self.line.render(frame, row(inside.y), theme.text, self.cursor.is_none());
        let note = self.note.as_ref().filter(|note| !note.is_empty());
        let end = inside.bottom() - note.map_or(0, |_| 1.min(inside.height - 1));
        let mut y = inside.y + 1;
        // More than fit are counted.
        let room = usize::from(below);
        let more = Untrusted::from(format!("and {} more", self.lines.len().saturating_sub(room.saturating_sub(1))));
        for (at, line) in self.lines.iter().take(room).enumerate() {
            if y >= end {
                break;
            }
            let last = at + 1 == room && self.lines.len() > room;
            let line = if last { more.line() } else { line.line() };
            frame.buffer_mut().set_stringn(inside.x, y, crate::ui::rule::cut(&line, width), width, theme.muted);
            y += 1;
        }
        let list = Rect { y: (y + 1).min(end), height: end.saturating_sub(y + 1), ..inside };
        let mut cursor = self.cursor.unwrap_or_default();
        let places = cursor.window(usize::from(list.height).min(NAMES), self.found.len());
        for (at, y) in places.zip(list.y..) {
            let here = self.cursor.is_some() && at == cursor.selected;
            let name = cut_middle(&self.found[at].line(), width.saturating_sub(2));
            let style = if here { theme.text.patch(theme.select) } else { theme.muted };
            let text = format!("{} {name}", if here { "▸" } else { " " });
            frame.buffer_mut().set_stringn(list.x, y, text, width, style);
            if here {
                frame.set_cursor_position(Position::new(list.x, y));
            }
        }
        if self.found.is_empty() && note.is_none() && !list.is_empty() {
            let said = "tab lists what is there; ~ is your home";
            frame.buffer_mut().set_stringn(list.x, list.y, said, width, theme.faint);
        }
        if self.cursor.is_some() {
            self.cursor = Some(cursor);
        }
        if let Some(note) = note {
            let note = note.line();
            let line = wrap::lines(&note, width.saturating_sub(2).max(1)).first().copied().unwrap_or_default();
            let y = inside.bottom() - 1;
            frame.buffer_mut().set_stringn(inside.x, y, format!("✕ {line}"), width, theme.error);
        }
    }
}

/// Its keys.
pub(super) fn help() -> Vec<Hint> {
    let hint = Hint::new;
    vec![
        hint("⏎", "take it"),
        hint("tab", "complete; where names part, into their list"),
        hint("↑↓", "choose a name"),
        hint("esc", "close"),
    ]
}

/// A path as it is meant: terminals put quotes around one that is dropped onto them, or a `\` before its blanks.
fn dropped(typed: &str) -> String {
    let path = typed.trim();
    for quote in ['\'', '"'] {
        if let Some(inside) = path.strip_prefix(quote).and_then(|path| path.strip_suffix(quote)) {
            return inside.to_owned();
        }
    }
    let path = path.strip_prefix("file://").filter(|path| path.starts_with('/')).unwrap_or(path);
    if cfg!(unix) { path.replace("\\ ", " ") } else { path.to_owned() }
}

/// What all paths begin with.
fn common(paths: &[Untrusted]) -> String {
    let Some((first, others)) = paths.split_first() else { return String::new() };
    let mut common = first.raw();
    for path in others {
        let same = common.char_indices().zip(path.raw().chars()).find(|((_, a), b)| a != b);
        let end = same.map_or(common.len().min(path.len()), |((at, _), _)| at);
        common = &common[..end];
    }
    common.to_owned()
}
