//! A line for a path; below it are the names that complete it, and Tab completes it.

use std::sync::LazyLock;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::{Bindings, Cx, Hint, Motion, bind, bind_all};
use crate::api::call::Ticket;
use crate::record::work::{Done, Work};
use crate::text::Untrusted;
use crate::ui::key_table::{KeyContext, KeyPlace, ListedKeys};
use crate::ui::list::Cursor;
use crate::ui::rule::cut_middle;
use crate::ui::text_field::TextField;
use crate::ui::theme::Theme;

/// How many names a page has, one of which stays in view.
const PAGE: usize = 9;

/// What a key does to the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PathKey {
    Enter,
    Complete,
    Move(Motion),
    Close,
}

static KEYS: LazyLock<Bindings<PathKey, ()>> = LazyLock::new(|| {
    use PathKey::Move;
    Bindings::while_typing(
        KeyContext::new("path").ignoring_shift().used_in(KeyPlace::Dialog),
        vec![
            bind("enter", PathKey::Enter, "", "accept"),
            bind("alt-enter ctrl-enter", PathKey::Enter, "", ""),
            bind("tab", PathKey::Complete, "complete", "complete, or go to the list of names"),
            bind_all(
                [("up ctrl-up alt-up", Move(Motion::Up)), ("down ctrl-down alt-down", Move(Motion::Down))],
                "choose",
                "choose a name",
            )
            .does(&["name above", "name below"])
            .shown("↑↓"),
            bind_all(
                [("pageup", Move(Motion::PageUp)), ("pagedown", Move(Motion::PageDown))],
                "",
                "names, a page up, down",
            )
            .does(&["names, a page up", "names, a page down"]),
            bind("esc", PathKey::Close, "close", "close"),
        ],
    )
});

/// Returns the keys of a line for a path, for the footer; `verb` is what Enter does.
pub fn path_hints(verb: &str) -> Vec<Hint> {
    let others = KEYS.footer(&[PathKey::Complete, PathKey::Move(Motion::Up)], &());
    std::iter::once(KEYS.joined(&[PathKey::Enter], verb)).chain(others).collect()
}

/// Returns the keys of a line for a path, for the help page.
pub fn path_help() -> Vec<Hint> {
    KEYS.help()
}

/// What the path has to name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wanted {
    /// A file; when a folder is entered, its names are listed.
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
    /// Esc was pressed.
    Close,
    /// Enter was pressed and nothing is typed.
    Empty,
    /// Enter was pressed on this path; the quotes of a path that was dropped onto the terminal are removed.
    Entered(String),
}

/// A line for a path, and the names that complete it.
#[derive(Clone, Debug, Default)]
pub struct PathInput {
    wanted: Wanted,
    line: TextField,
    /// The ticket of the names that are being looked up.
    asked: Option<Ticket>,
    /// The names found, as whole paths.
    found: Vec<Untrusted>,
    /// Whether `found` is for what is typed now.
    listed: bool,
    /// The cursor over `found`; `None`: the keys are for the line.
    cursor: Option<Cursor>,
    /// Whether Tab was pressed before the names were known.
    tab: bool,
    /// The rows for names; set by arranging.
    rows: usize,
    /// Why there is nothing to choose or enter.
    note: Option<&'static str>,
}

impl PathInput {
    /// Creates a line with the text `path`.
    pub fn new(wanted: Wanted, path: &str) -> Self {
        Self { wanted, line: TextField::new(path), ..Self::default() }
    }

    /// Returns whether nothing is typed.
    pub fn is_empty(&self) -> bool {
        self.line.is_empty()
    }

    /// Returns whether names are being looked up.
    pub fn is_waiting(&self) -> bool {
        self.asked.is_some()
    }

    /// Returns whether no name that completes the line is known.
    pub fn has_no_names(&self) -> bool {
        self.found.is_empty()
    }

    /// Returns why there is nothing to choose or enter; `None`: there is, or it is not known yet.
    pub fn note(&self) -> Option<&'static str> {
        self.note
    }

    /// Handles a key.
    pub fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> PathStep {
        match KEYS.find(&key) {
            Some(PathKey::Close) => {
                self.close(cx);
                return PathStep::Close;
            }
            Some(PathKey::Enter) => return self.enter(cx),
            Some(PathKey::Complete) => self.complete(cx),
            Some(PathKey::Move(motion)) => self.step(motion.rows(PAGE)),
            None if self.line.key(key) => self.ask(cx),
            None => {}
        }
        PathStep::Stay
    }

    /// Moves the cursor through the names: down from the line to the first name, and up from that to the line.
    fn step(&mut self, rows: isize) {
        match &mut self.cursor {
            None if rows > 0 && !self.found.is_empty() => self.cursor = Some(Cursor::default()),
            Some(cursor) if rows == -1 && cursor.selected == 0 => self.cursor = None,
            Some(cursor) => cursor.move_by(rows, self.found.len()),
            None => {}
        }
        self.arrange(self.rows);
    }

    /// Inserts pasted text.
    pub fn paste(&mut self, text: &str, cx: &mut Cx) {
        self.line.paste(text.trim_matches(['\n', '\r']));
        self.ask(cx);
    }

    fn chosen(&self) -> Option<&Untrusted> {
        self.cursor.and_then(|cursor| self.found.get(cursor.selected))
    }

    fn enter(&mut self, cx: &mut Cx) -> PathStep {
        let chosen = self.chosen().map(TextField::edit);
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
        // A folder that is selected from the names is opened; Enter on the line itself takes the folder.
        if path.ends_with('/') && (self.wanted == Wanted::File || is_chosen) {
            self.ask(cx);
            return PathStep::Stay;
        }
        self.close(cx);
        PathStep::Entered(path)
    }

    /// Cancels the lookup of names.
    pub fn close(&mut self, cx: &mut Cx) {
        if let Some(asked) = self.asked.take() {
            cx.cancel(asked);
        }
    }

    /// Looks up the names that complete the line. The old ones are shown until these are known, so that nothing
    /// flickers.
    pub fn ask(&mut self, cx: &mut Cx) {
        self.close(cx);
        self.asked = Some(cx.work(Work::Paths(self.line.text().to_owned())));
        (self.cursor, self.tab, self.note, self.listed) = (None, false, None, false);
    }

    /// Completes the line as far as all names are the same; if it is already, moves the cursor to the first name.
    fn complete(&mut self, cx: &mut Cx) {
        if self.asked.is_some() {
            self.tab = true;
            return;
        }
        if let Some(path) = self.chosen() {
            self.line = TextField::edit(path);
            return self.ask(cx);
        }
        if !self.listed {
            self.ask(cx);
            // On an empty line the names are shown, and none is selected.
            self.tab = !self.line.is_empty();
            return;
        }
        let common = common(&self.found);
        if common.len() > self.line.text().len() {
            self.line = TextField::new(common);
            self.ask(cx);
        } else if self.found.is_empty() {
            self.note = Some("no matching names");
        } else {
            self.cursor = Some(Cursor::default());
        }
    }

    /// Takes the answer of a work thread. Returns whether this line had asked for it.
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

    /// Sets the rows for names, and scrolls so that the selected one is visible.
    pub fn arrange(&mut self, rows: usize) {
        self.rows = rows;
        if let Some(cursor) = &mut self.cursor {
            cursor.window(rows, self.found.len());
        }
    }

    /// Draws the line, with the terminal's cursor while keys are for it.
    pub fn render_line(&self, frame: &mut Frame, area: Rect, theme: &Theme) {
        self.line.render(frame, Rect { height: area.height.min(1), ..area }, theme.text, self.cursor.is_none());
    }

    /// Draws the names that fit into `area`.
    pub fn render_names(&self, frame: &mut Frame, area: Rect, theme: &Theme) {
        let width = usize::from(area.width);
        let mut window = self.cursor.unwrap_or_default();
        for (at, y) in window.window(usize::from(area.height), self.found.len()).zip(area.y..) {
            let is_selected = self.cursor.is_some_and(|cursor| cursor.selected == at);
            let style = if is_selected { theme.text.patch(theme.select) } else { theme.muted };
            let name = cut_middle(&self.found[at].line(), width.saturating_sub(2));
            frame.buffer_mut().set_stringn(
                area.x,
                y,
                format!("{} {name}", if is_selected { "▸" } else { " " }),
                width,
                style,
            );
            if is_selected {
                frame.set_cursor_position(Position::new(area.x, y));
            }
        }
    }
}

/// Returns a path without what terminals add to one that is dropped onto them: quotes around it, or a `\` before each
/// blank.
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

/// Returns the longest text that all paths begin with.
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

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_means_two_things() {
        assert_eq!(KEYS.keymap().clashes(), []);
    }

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
