//! A line for a path: names that begin as it does stand below, Tab completes it.

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::Cx;
use crate::api::call::Ticket;
use crate::record::work::{Done, Work};
use crate::text::Untrusted;
use crate::ui::line::Line;
use crate::ui::list::Cursor;
use crate::ui::rule::cut_middle;
use crate::ui::theme::Theme;

/// Names a page key moves by.
const PAGE: isize = 8;

/// What the path is to name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wanted {
    /// A file: a folder that is entered is listed.
    #[default]
    File,
    /// A folder.
    Folder,
}

/// What a key did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathStep {
    /// The path is still being typed.
    Stay,
    /// Esc.
    Close,
    /// Enter, with nothing typed.
    Empty,
    /// Enter: this path, without the quotes of one that was dropped onto the terminal.
    Entered(String),
}

/// The line, and the names that begin as it does.
#[derive(Clone, Debug, Default)]
pub struct PathInput {
    wanted: Wanted,
    line: Line,
    /// The names asked for.
    asked: Option<Ticket>,
    /// Whole paths.
    found: Vec<Untrusted>,
    /// Whether `found` is for what is typed now.
    listed: bool,
    /// Over `found`, once an arrow went there.
    cursor: Option<Cursor>,
    /// Tab was pressed before the names were there.
    tab: bool,
    /// Rows the names have on the screen.
    rows: usize,
    /// Why there is nothing to choose or enter.
    note: Option<&'static str>,
}

impl PathInput {
    /// A line that holds `path` to begin with.
    pub fn new(wanted: Wanted, path: &str) -> Self {
        Self { wanted, line: Line::new(path), ..Self::default() }
    }

    /// Whether nothing is typed.
    pub fn is_empty(&self) -> bool {
        self.line.is_empty()
    }

    /// Whether names are being looked up.
    pub fn is_waiting(&self) -> bool {
        self.asked.is_some()
    }

    /// Whether no name begins as the line does, as far as is known.
    pub fn has_no_names(&self) -> bool {
        self.found.is_empty()
    }

    /// Returns why there is nothing to choose or enter, if that has to be said.
    pub fn note(&self) -> Option<&'static str> {
        self.note
    }

    /// Handles a key.
    pub fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> PathStep {
        match key.code {
            KeyCode::Esc => {
                self.close(cx);
                return PathStep::Close;
            }
            KeyCode::Enter => return self.enter(cx),
            KeyCode::Tab => self.complete(cx),
            KeyCode::Down => self.step(1),
            KeyCode::PageDown => self.step(PAGE),
            KeyCode::Up => self.step(-1),
            KeyCode::PageUp => self.step(-PAGE),
            _ => {
                if self.line.key(key) {
                    self.ask(cx);
                }
            }
        }
        PathStep::Stay
    }

    /// Moves among the names: from the line down into them, from the first one up to the line.
    fn step(&mut self, rows: isize) {
        match &mut self.cursor {
            None if rows > 0 && !self.found.is_empty() => self.cursor = Some(Cursor::default()),
            Some(cursor) if rows == -1 && cursor.selected == 0 => self.cursor = None,
            Some(cursor) => cursor.by(rows, self.found.len()),
            None => {}
        }
        self.arrange(self.rows);
    }

    /// Takes pasted text.
    pub fn paste(&mut self, text: &str, cx: &mut Cx) {
        self.line.paste(text.trim_matches(['\n', '\r']));
        self.ask(cx);
    }

    fn chosen(&self) -> Option<&Untrusted> {
        self.cursor.and_then(|cursor| self.found.get(cursor.selected))
    }

    fn enter(&mut self, cx: &mut Cx) -> PathStep {
        let chosen = self.chosen().map(Line::edit);
        let is_chosen = chosen.is_some();
        self.line = chosen.unwrap_or_else(|| std::mem::take(&mut self.line));
        let path = as_meant(self.line.text());
        if path.is_empty() {
            self.note = Some(match self.wanted {
                Wanted::File => "type the path of a file; tab completes it",
                Wanted::Folder => "type the path of a folder; tab completes it",
            });
            return PathStep::Empty;
        }
        // A folder that is chosen from the names is gone into; Enter on the line itself takes it.
        if path.ends_with('/') && (self.wanted == Wanted::File || is_chosen) {
            self.ask(cx);
            return PathStep::Stay;
        }
        self.close(cx);
        PathStep::Entered(path)
    }

    /// Ends what was asked for.
    pub fn close(&mut self, cx: &mut Cx) {
        if let Some(asked) = self.asked.take() {
            cx.cancel(asked);
        }
    }

    /// Asks for the names that begin as the line does; the old ones stand until they come, so that nothing flickers.
    pub fn ask(&mut self, cx: &mut Cx) {
        self.close(cx);
        self.asked = Some(cx.work(Work::Paths(self.line.text().to_owned())));
        (self.cursor, self.tab, self.note, self.listed) = (None, false, None, false);
    }

    /// Tab: completes as far as all names are the same; where they differ, goes into the list of them.
    fn complete(&mut self, cx: &mut Cx) {
        if self.asked.is_some() {
            self.tab = true;
            return;
        }
        if let Some(path) = self.chosen() {
            self.line = Line::edit(path);
            return self.ask(cx);
        }
        if !self.listed {
            self.ask(cx);
            // Of an empty line the names are shown, and none is chosen.
            self.tab = !self.line.is_empty();
            return;
        }
        let common = common(&self.found);
        if common.len() > self.line.text().len() {
            self.line = Line::new(common);
            self.ask(cx);
        } else if self.found.is_empty() {
            self.note = Some("no matching names");
        } else {
            self.cursor = Some(Cursor::default());
        }
    }

    /// Takes the answer of a work thread; whether it was asked for here.
    pub fn worked(&mut self, ticket: Ticket, done: &Done, cx: &mut Cx) -> bool {
        if self.asked != Some(ticket) {
            return false;
        }
        (self.asked, self.listed) = (None, true);
        match done {
            Done::Paths(found) => self.found.clone_from(found),
            _ => self.found.clear(),
        }
        if std::mem::take(&mut self.tab) {
            self.complete(cx);
        }
        true
    }

    /// Keeps the chosen name within so many rows.
    pub fn arrange(&mut self, rows: usize) {
        self.rows = rows;
        if let Some(cursor) = &mut self.cursor {
            cursor.window(rows, self.found.len());
        }
    }

    /// Draws the line, with the caret where it is typed in.
    pub fn render_line(&self, frame: &mut Frame, area: Rect, theme: &Theme) {
        self.line.render(frame, Rect { height: area.height.min(1), ..area }, theme.text, self.cursor.is_none());
    }

    /// Draws the names that fit into `area`.
    pub fn render_names(&self, frame: &mut Frame, area: Rect, theme: &Theme) {
        let width = usize::from(area.width);
        let mut window = self.cursor.unwrap_or_default();
        for (at, y) in window.window(usize::from(area.height), self.found.len()).zip(area.y..) {
            let here = self.cursor.is_some_and(|cursor| cursor.selected == at);
            let style = if here { theme.text.patch(theme.select) } else { theme.muted };
            let name = cut_middle(&self.found[at].line(), width.saturating_sub(2));
            frame.buffer_mut().set_stringn(area.x, y, format!("{} {name}", if here { "▸" } else { " " }), width, style);
            if here {
                frame.set_cursor_position(Position::new(area.x, y));
            }
        }
    }
}

/// Returns a path as it is meant: terminals put quotes around one that is dropped onto them, or a `\` before its blanks.
fn as_meant(typed: &str) -> String {
    let path = typed.trim();
    for quote in ['\'', '"'] {
        if let Some(inside) = path.strip_prefix(quote).and_then(|path| path.strip_suffix(quote)) {
            return inside.to_owned();
        }
    }
    let path = path.strip_prefix("file://").filter(|path| path.starts_with('/')).unwrap_or(path);
    if cfg!(unix) { path.replace("\\ ", " ") } else { path.to_owned() }
}

/// Returns what all paths begin with.
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

#[cfg(test)]
mod tests {
    use super::as_meant;

    #[test]
    fn a_path_dropped_onto_the_terminal_loses_its_quotes() {
        for (typed, meant) in [
            (" /a/b c.csv ", "/a/b c.csv"),
            ("'/a/b c.csv'", "/a/b c.csv"),
            ("\"/a/b.csv\"", "/a/b.csv"),
            ("file:///a/b.csv", "/a/b.csv"),
            ("file://host", "file://host"),
            ("~/b.csv", "~/b.csv"),
        ] {
            assert_eq!(as_meant(typed), meant);
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_blank_behind_a_backslash_is_a_blank() {
        assert_eq!(as_meant("/a/b\\ c.csv"), "/a/b c.csv");
    }
}
