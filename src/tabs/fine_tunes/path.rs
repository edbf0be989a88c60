//! The field for the path of a local file: typed, completed with Tab, pasted.

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use ratatui::layout::Rect;

use crate::api::call::Ticket;
use crate::component::Cx;
use crate::record::work::{Done, Work};
use crate::text::Untrusted;
use crate::ui::line::Line;
use crate::ui::list::Cursor;
use crate::ui::overlay::{self, Words};
use crate::ui::rule::cut_middle;
use crate::ui::theme::Theme;

/// Columns and rows of the box at most.
const WIDEST: u16 = 96;
const HIGHEST: u16 = 14;
/// Names that a page goes by.
const PAGE: isize = 8;

/// What a key did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It is still open.
    Stay,
    Close,
    /// This path was chosen, as it was typed.
    Chosen(String),
}

/// The field, and the names that go on from what is typed.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    path: Line,
    asked: Option<Ticket>,
    found: Vec<Untrusted>,
    /// Over `found`, once an arrow went there.
    cursor: Option<Cursor>,
    /// Tab was pressed before the names were there.
    tab: bool,
    note: Option<&'static str>,
}

impl Path {
    /// A key.
    pub(super) fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Outcome {
        let count = self.found.len();
        match key.code {
            KeyCode::Esc => {
                self.stop(cx);
                return Outcome::Close;
            }
            KeyCode::Enter => return self.enter(cx),
            KeyCode::Tab => self.complete(cx),
            KeyCode::Down | KeyCode::PageDown if count > 0 => {
                let rows = if key.code == KeyCode::Down { 1 } else { PAGE };
                match &mut self.cursor {
                    Some(cursor) => cursor.by(rows, count),
                    none => *none = Some(Cursor::default()),
                }
            }
            KeyCode::Up if self.cursor.is_some_and(|cursor| cursor.selected == 0) => self.cursor = None,
            KeyCode::Up | KeyCode::PageUp => {
                let rows = if key.code == KeyCode::Up { -1 } else { -PAGE };
                if let Some(cursor) = &mut self.cursor {
                    cursor.by(rows, count);
                }
            }
            _ => {
                if self.path.key(key) {
                    self.ask(cx);
                }
            }
        }
        Outcome::Stay
    }

    fn enter(&mut self, cx: &mut Cx) -> Outcome {
        if let Some(path) = self.cursor.and_then(|cursor| self.found.get(cursor.selected)) {
            self.path = Line::edit(path);
        }
        let path = self.path.text().trim().to_owned();
        if path.ends_with('/') {
            self.ask(cx);
            return Outcome::Stay;
        }
        if path.is_empty() {
            self.note = Some("type the path of a file; tab completes it");
            return Outcome::Stay;
        }
        self.stop(cx);
        Outcome::Chosen(path)
    }

    fn stop(&mut self, cx: &mut Cx) {
        if let Some(asked) = self.asked.take() {
            cx.cancel(asked);
        }
    }

    /// Asks for the names that go on from what is typed; the old ones stand until they come.
    fn ask(&mut self, cx: &mut Cx) {
        self.stop(cx);
        self.asked = Some(cx.work(Work::Paths(self.path.text().to_owned())));
        (self.cursor, self.tab, self.note) = (None, false, None);
    }

    /// Tab: as far as all names go together; where they do not, into the list of them.
    fn complete(&mut self, cx: &mut Cx) {
        if self.asked.is_some() {
            self.tab = true;
            return;
        }
        if let Some(path) = self.cursor.and_then(|cursor| self.found.get(cursor.selected)) {
            self.path = Line::edit(path);
            return self.ask(cx);
        }
        if self.path.is_empty() && self.found.is_empty() {
            return self.ask(cx);
        }
        let common = common(&self.found);
        if common.len() > self.path.text().len() {
            self.path = Line::new(common);
            self.ask(cx);
        } else if self.found.is_empty() {
            self.note = Some("no name goes on from this");
        } else {
            self.cursor = Some(Cursor::default());
        }
    }

    /// The work threads' answer; whether it was to a question of this field.
    pub(super) fn worked(&mut self, ticket: Ticket, done: &Done, cx: &mut Cx) -> bool {
        if self.asked != Some(ticket) {
            return false;
        }
        self.asked = None;
        if let Done::Paths(found) = done {
            self.found.clone_from(found);
        }
        if std::mem::take(&mut self.tab) {
            self.complete(cx);
        }
        true
    }

    /// Pasted text goes into the path.
    pub(super) fn paste(&mut self, text: &str, cx: &mut Cx) {
        self.path.paste(text.trim_matches(['\n', '\r']));
        self.ask(cx);
    }

    /// Draws it as a box over `area`.
    pub(super) fn render(&mut self, frame: &mut Frame, area: Rect, theme: &Theme) {
        let words = Words {
            title: "A result file (CSV) or a log of events (JSONL, text)",
            foot: "⏎ draw it   tab complete   esc close",
            ..Words::default()
        };
        let inside = overlay::boxed(frame, area, (WIDEST, HIGHEST), &words, theme);
        if inside.is_empty() {
            return;
        }
        let label = 6.min(inside.width);
        frame.buffer_mut().set_stringn(inside.x, inside.y, "path", usize::from(label), theme.muted);
        let line = Rect { x: inside.x + label, width: inside.width - label, height: 1, ..inside };
        self.path.render(frame, line, theme.text, self.cursor.is_none());
        let list = Rect { y: inside.y + 1, height: inside.height - 1, ..inside };
        let width = usize::from(list.width.saturating_sub(2));
        let words = self.note.or((self.found.is_empty() && self.path.is_empty())
            .then_some("type a path, or drop a file here; tab lists what is in a directory"));
        if let Some(words) = words {
            frame.buffer_mut().set_stringn(list.x, list.bottom() - 1, words, width, theme.muted);
        }
        let mut cursor = self.cursor.unwrap_or_default();
        let rows = usize::from(list.height.saturating_sub(1));
        for (at, y) in cursor.window(rows, self.found.len()).zip(list.y..) {
            let here = self.cursor.is_some_and(|cursor| cursor.selected == at);
            let style = if here { theme.text.patch(theme.select) } else { theme.text };
            let mark = if here { "▸ " } else { "  " };
            let name = format!("{mark}{}", cut_middle(&self.found[at].line(), width));
            frame.buffer_mut().set_stringn(list.x, y, name, width + 2, style);
            if here {
                frame.set_cursor_position((list.x, y));
            }
        }
        if let Some(at) = &mut self.cursor {
            *at = cursor;
        }
    }
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
