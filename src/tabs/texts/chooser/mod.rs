//! Choosing a file of texts: its path, what is in it, and which of its columns are read.
//!
//! The path is typed; names that go on from it stand below. Enter looks at the file, and shows its form, its columns and
//! first rows, each of which can be chosen otherwise; Enter again opens it.

mod columns;
mod draw;

use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::api::call::Ticket;
use crate::component::{Cx, Hint};
use crate::record::Bench;
use crate::record::work::{Columns, Done, Layout, LeftOut, Peek, Work};
use crate::text::Untrusted;
use crate::ui::line::Line;
use crate::ui::list::Cursor;
use crate::ui::meter::SPINNER_FRAME;

/// What a key did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It is still open.
    Stay,
    /// It was closed without a choice.
    Close,
    /// This is to be read (`Work::ReadTexts`) and opened.
    Chosen {
        /// The path, absolute.
        path: String,
        /// What of it.
        columns: Columns,
        /// The file's name.
        name: Untrusted,
    },
}

/// What is looked at just now.
#[derive(Clone, Debug)]
struct Looking {
    ticket: Ticket,
    since: Instant,
    /// Bytes, of how many.
    moved: Option<(u64, u64)>,
}

/// The names that go on from what is typed.
#[derive(Clone, Debug, Default)]
struct Names {
    /// Asked for.
    asked: Option<Ticket>,
    /// Whole paths.
    found: Vec<Untrusted>,
    /// Over `found`, once an arrow went there.
    cursor: Option<Cursor>,
    /// Tab was pressed before they were there.
    tab: bool,
}

/// The box.
#[derive(Clone, Debug)]
pub(crate) struct Chooser {
    purpose: Bench,
    path: Line,
    names: Names,
    looking: Option<Looking>,
    /// The file, once it was looked at, and which of its choices the cursor is on.
    file: Option<(Box<Peek>, columns::Choice)>,
    /// Reads the file to say which of its rows are left out.
    survey: Option<Ticket>,
    /// What it found; empty: every row is read.
    left_out: Option<LeftOut>,
    /// What went wrong.
    note: Option<Untrusted>,
}

impl Chooser {
    /// Asks for a path.
    pub(crate) fn new(purpose: Bench) -> Self {
        let (path, names) = (Line::default(), Names::default());
        Self { purpose, path, names, looking: None, file: None, survey: None, left_out: None, note: None }
    }

    /// A key.
    pub(crate) fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Outcome {
        if self.looking.is_some() {
            // Nothing but Esc, which stops it: what is typed meanwhile would be about another file.
            if key.code == KeyCode::Esc {
                self.stop(cx);
            }
            return Outcome::Stay;
        }
        if self.file.is_some() { self.choose(key, cx) } else { self.typed(key, cx) }
    }

    fn typed(&mut self, key: KeyEvent, cx: &mut Cx) -> Outcome {
        let count = self.names.found.len();
        match key.code {
            KeyCode::Esc => {
                self.close(cx);
                return Outcome::Close;
            }
            KeyCode::Enter => self.enter(cx),
            KeyCode::Tab => self.complete(cx),
            KeyCode::Down | KeyCode::PageDown if count > 0 => {
                let rows = if key.code == KeyCode::Down { 1 } else { draw::NAMES as isize };
                match &mut self.names.cursor {
                    Some(cursor) => cursor.by(rows, count),
                    none => *none = Some(Cursor::default()),
                }
            }
            KeyCode::Up if self.names.cursor.is_some_and(|cursor| cursor.selected == 0) => self.names.cursor = None,
            KeyCode::Up | KeyCode::PageUp => {
                let rows = if key.code == KeyCode::Up { -1 } else { -(draw::NAMES as isize) };
                if let Some(cursor) = &mut self.names.cursor {
                    cursor.by(rows, count);
                }
            }
            _ => {
                if self.path.key(key) {
                    self.note = None;
                    self.ask(cx);
                }
            }
        }
        Outcome::Stay
    }

    /// A file was looked at: a key chooses what of it is read.
    fn choose(&mut self, key: KeyEvent, cx: &mut Cx) -> Outcome {
        let Some((peek, choice)) = &mut self.file else { return Outcome::Stay };
        if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
            return Outcome::Stay;
        }
        match key.code {
            KeyCode::Esc | KeyCode::Backspace => {
                self.end_survey(cx);
                self.file = None;
                self.note = None;
                self.ask(cx);
            }
            KeyCode::Enter => {
                let (path, columns) = (peek.path.raw().to_owned(), peek.columns);
                let name = path.rsplit(['/', '\\']).next().unwrap_or_default().into();
                self.end_survey(cx);
                return Outcome::Chosen { path, columns, name };
            }
            KeyCode::Down | KeyCode::Tab | KeyCode::Char('j') => *choice = choice.beside(1, peek.columns.layout),
            KeyCode::Up | KeyCode::BackTab | KeyCode::Char('k') => *choice = choice.beside(-1, peek.columns.layout),
            KeyCode::Left | KeyCode::Char('h') => self.turn(-1, cx),
            KeyCode::Right | KeyCode::Char('l' | ' ') => self.turn(1, cx),
            _ => {}
        }
        Outcome::Stay
    }

    /// The choice under the cursor becomes the next one, or the one before.
    fn turn(&mut self, by: isize, cx: &mut Cx) {
        let Some((peek, choice)) = &mut self.file else { return };
        if let Some(form) = choice.turn(peek, by) {
            let path = peek.path.raw().to_owned();
            self.look(path, Some(form), cx);
        } else {
            self.survey(cx);
        }
    }

    /// Looks at the file that is typed or chosen; goes into a directory that is chosen.
    fn enter(&mut self, cx: &mut Cx) {
        let chosen = self.names.cursor.and_then(|cursor| self.names.found.get(cursor.selected));
        if let Some(path) = chosen {
            self.path = Line::edit(path);
            if self.path.text().ends_with('/') {
                self.ask(cx);
                return;
            }
        }
        let path = dropped(self.path.text());
        if path.is_empty() {
            self.note = Some("type the path of a file; tab completes it".into());
        } else {
            self.look(path, None, cx);
        }
    }

    fn look(&mut self, path: String, form: Option<(Layout, bool)>, cx: &mut Cx) {
        self.close(cx);
        self.note = None;
        let ticket = cx.work(Work::Peek { path, form });
        self.looking = Some(Looking { ticket, since: cx.now, moved: None });
    }

    /// Asks which rows of the file are left out as its columns are chosen now.
    fn survey(&mut self, cx: &mut Cx) {
        self.end_survey(cx);
        if let (Some((peek, _)), Bench::Moderate) = (&self.file, self.purpose) {
            let (path, columns) = (peek.path.raw().to_owned(), peek.columns);
            self.survey = Some(cx.work(Work::ReadTexts { path, columns }));
        }
    }

    fn end_survey(&mut self, cx: &mut Cx) {
        self.left_out = None;
        if let Some(ticket) = self.survey.take() {
            cx.cancel(ticket);
        }
    }

    /// Stops what is under way.
    fn stop(&mut self, cx: &mut Cx) {
        if let Some(looking) = self.looking.take() {
            cx.cancel(looking.ticket);
        }
    }

    /// Ends all that was asked for. For owners that close it themselves.
    pub(crate) fn close(&mut self, cx: &mut Cx) {
        self.stop(cx);
        self.end_survey(cx);
        if let Some(asked) = self.names.asked.take() {
            cx.cancel(asked);
        }
    }

    /// Asks for the names that go on from what is typed.
    fn ask(&mut self, cx: &mut Cx) {
        if let Some(asked) = self.names.asked.take() {
            cx.cancel(asked);
        }
        let asked = Some(cx.work(Work::Paths(self.path.text().to_owned())));
        // The old ones stand until the new ones come: the list does not flicker.
        let found = std::mem::take(&mut self.names.found);
        self.names = Names { asked, found, ..Names::default() };
    }

    /// Tab: as far as all names go together; where they do not, into the list of them.
    fn complete(&mut self, cx: &mut Cx) {
        if self.names.asked.is_some() {
            self.names.tab = true;
            return;
        }
        if let Some(path) = self.names.cursor.and_then(|cursor| self.names.found.get(cursor.selected)) {
            self.path = Line::edit(path);
            self.ask(cx);
            return;
        }
        if self.path.is_empty() && self.names.found.is_empty() {
            self.ask(cx);
            return;
        }
        let common = common(&self.names.found);
        if common.len() > self.path.text().len() {
            self.path = Line::new(common);
            self.ask(cx);
        } else if self.names.found.is_empty() {
            self.note = Some("no name goes on from this".into());
        } else {
            self.names.cursor = Some(Cursor::default());
        }
    }

    /// The work threads' answer; whether it was to a question of this box.
    pub(crate) fn worked(&mut self, ticket: Ticket, done: &Done, cx: &mut Cx) -> bool {
        if self.names.asked == Some(ticket) {
            self.names.asked = None;
            if let Done::Paths(found) = done {
                self.names.found.clone_from(found);
            }
            if std::mem::take(&mut self.names.tab) {
                self.complete(cx);
            }
            return true;
        }
        if self.survey == Some(ticket) {
            if !matches!(done, Done::Moved { .. }) {
                self.survey = None;
            }
            if let Done::Texts(texts) = done {
                self.left_out = Some(texts.left_out.clone());
            }
            return true;
        }
        let Some(looking) = self.looking.as_mut().filter(|looking| looking.ticket == ticket) else { return false };
        if let Done::Moved { done, total } = done {
            looking.moved = Some((*done, *total));
            return true;
        }
        self.looking = None;
        match done {
            Done::Peeked(peek) => {
                let choice = self.file.take().map(|(_, choice)| choice).unwrap_or_default();
                self.file = Some((peek.clone(), choice));
                self.survey(cx);
            }
            Done::Failed(why) => self.note = Some(why.clone()),
            _ => self.note = Some("the file could not be looked at; try again".into()),
        }
        true
    }

    /// Pasted text goes into the path.
    pub(crate) fn paste(&mut self, text: &str, cx: &mut Cx) {
        if self.typing() {
            self.path.paste(text.trim_matches(['\n', '\r']));
            self.note = None;
            self.ask(cx);
        }
    }

    /// When it wants to be drawn again although nothing happened (its spinner); `None`: never.
    pub(crate) fn due(&self, now: Instant) -> Option<Instant> {
        self.looking.as_ref().map(|_| now + SPINNER_FRAME)
    }

    /// What the keys do.
    pub(crate) fn hints(&self) -> Vec<Hint> {
        let hint = Hint::new;
        match (&self.looking, &self.file) {
            (Some(_), _) => vec![hint("esc", "stop")],
            (None, Some(_)) => {
                vec![hint("⏎", "open"), hint("h l", "change"), hint("j k", "move"), hint("esc", "another file")]
            }
            (None, None) => {
                vec![hint("⏎", "look at it"), hint("tab", "complete"), hint("↑↓", "choose"), hint("esc", "close")]
            }
        }
    }

    /// Whether letters are text just now.
    pub(crate) fn typing(&self) -> bool {
        self.looking.is_none() && self.file.is_none()
    }
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
