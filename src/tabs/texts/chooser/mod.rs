//! Choosing a file of texts: its path, what is in it, and which of its columns are read.
//!
//! The path is typed; names that complete it are listed below. Enter previews the file, and shows its form, its columns
//! and first rows; form and columns can be changed. Enter again opens it.

mod columns;
mod draw;

use std::fmt;
use std::sync::LazyLock;
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use crate::api::call::Ticket;
use crate::component::{
    Bindings, Component, Cx, Handled, Hint, PathInput, PathStep, RenderContext, Response, Session, Step, THIS_DIALOG,
    bind, bind_all, path_help, path_hints,
};
use crate::record::Bench;
use crate::record::work::{Columns, Done, Layout, LeftOut, Peek, Work};
use crate::text::Untrusted;
use crate::ui::key_table::ListedKeys;
use crate::ui::meter::SPINNER_FRAME;

/// What a key does to a file that was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Open,
    NextValue,
    PreviousValue,
    NextChoice,
    PreviousChoice,
    OtherFile,
}

use Action as A;

/// Keys while the file's columns are chosen.
static KEYS: LazyLock<Bindings<Action, ()>> = LazyLock::new(|| {
    Bindings::new(
        "file-columns",
        vec![
            bind("enter", A::Open, "open", "open the file"),
            bind_all([("h left", A::PreviousValue), ("l right space", A::NextValue)], "change", "change the choice")
                .does(&["previous value of the choice", "next value of the choice"]),
            bind_all(
                [("j down tab", A::NextChoice), ("k up shift-tab", A::PreviousChoice)],
                "move",
                "choice below, above",
            )
            .does(&["choice below", "choice above"]),
            bind("esc backspace", A::OtherFile, "another file", "choose another file"),
        ],
    )
});

/// The key while the file is looked at.
static STOP_KEYS: LazyLock<Bindings<(), ()>> =
    LazyLock::new(|| Bindings::new("file-reading", vec![bind("esc", (), "stop", "").named(&["stop"])]));

/// Actions in the footer.
const FOOTER: [A; 4] = [A::Open, A::PreviousValue, A::NextChoice, A::OtherFile];

/// A file that is looked at just now.
#[derive(Clone, Debug)]
struct Looking {
    ticket: Ticket,
    since: Instant,
    /// When it was arranged last.
    shown: Instant,
    /// Bytes, of how many.
    moved: Option<(u64, u64)>,
}

/// The question for a file of texts, as a dialog; `E` is its owner's event.
#[derive(Clone)]
pub(crate) struct FileChooser<E> {
    purpose: Bench,
    path: PathInput,
    looking: Option<Looking>,
    /// The file, once it was looked at, and which of its choices the cursor is on.
    file: Option<(Box<Peek>, columns::ChooserField)>,
    /// Reads the file to say which of its rows are left out.
    survey: Option<Ticket>,
    /// What it found; empty: every row is read.
    left_out: Option<LeftOut>,
    /// What went wrong.
    note: Option<Untrusted>,
    answer: fn(ChosenFile) -> E,
}

impl<E> fmt::Debug for FileChooser<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileChooser").field("purpose", &self.purpose).finish_non_exhaustive()
    }
}

impl<E> FileChooser<E> {
    /// Asks for a path; `answer` returns the owner's event for the file that is chosen.
    pub(crate) fn new(purpose: Bench, answer: fn(ChosenFile) -> E) -> Self {
        let path = PathInput::default();
        Self { purpose, path, looking: None, file: None, survey: None, left_out: None, note: None, answer }
    }

    /// Returns what the next Esc does, for the footer.
    fn next_escape(&self) -> &'static str {
        match (&self.looking, &self.file) {
            (Some(_), _) => "stop",
            (None, Some(_)) => "another file",
            (None, None) => "close",
        }
    }

    /// Returns the keys that work now, Esc apart.
    fn keys_now(&self) -> Vec<Hint> {
        match (&self.looking, &self.file) {
            (Some(_), _) => Vec::new(),
            (None, Some(_)) => KEYS.footer(&FOOTER, &()),
            (None, None) => path_hints("preview"),
        }
    }

    /// Goes back to the path.
    fn other_file(&mut self, cx: &mut Cx) {
        self.end_survey(cx);
        self.file = None;
        self.note = None;
        self.path.ask(cx);
    }

    fn typed(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<Step<E>> {
        self.note = None;
        match self.path.key(key, cx) {
            PathStep::Stay | PathStep::Empty => Handled::Consumed,
            PathStep::Close => Handled::close(),
            PathStep::Entered(path) => {
                self.peek(path, None, cx);
                Handled::Consumed
            }
        }
    }

    /// Handles a key while the file's columns are chosen.
    fn choose(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<Step<E>> {
        let Some((peek, choice)) = &mut self.file else { return Handled::Consumed };
        match KEYS.find(&key) {
            Some(A::OtherFile) => self.other_file(cx),
            Some(A::Open) => {
                let (path, columns) = (peek.path.raw().to_owned(), peek.columns);
                let name = path.rsplit(['/', '\\']).next().unwrap_or_default().into();
                self.end_survey(cx);
                return Handled::answer((self.answer)(ChosenFile { path, columns, name }));
            }
            Some(A::NextChoice) => *choice = choice.beside(1, peek.columns.layout),
            Some(A::PreviousChoice) => *choice = choice.beside(-1, peek.columns.layout),
            Some(A::PreviousValue) => self.turn(-1, cx),
            Some(A::NextValue) => self.turn(1, cx),
            None => {}
        }
        Handled::Consumed
    }

    /// Changes the choice under the cursor to the next one, or the one before.
    fn turn(&mut self, by: isize, cx: &mut Cx) {
        let Some((peek, choice)) = &mut self.file else { return };
        if let Some(form) = choice.turn(peek, by) {
            let path = peek.path.raw().to_owned();
            self.peek(path, Some(form), cx);
        } else {
            self.request_left_out_rows(cx);
        }
    }

    fn peek(&mut self, path: String, form: Option<(Layout, bool)>, cx: &mut Cx) {
        self.cancel(cx);
        self.note = None;
        let ticket = cx.work(Work::Peek { path, form });
        self.looking = Some(Looking { ticket, since: cx.now, shown: cx.now, moved: None });
    }

    /// Asks which rows of the file are left out as its columns are chosen now.
    fn request_left_out_rows(&mut self, cx: &mut Cx) {
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

    /// Cancels all that was asked for.
    fn cancel(&mut self, cx: &mut Cx) {
        self.stop(cx);
        self.end_survey(cx);
        self.path.close(cx);
    }

    /// Takes an answer of the work threads. Returns whether it was to a question of this dialog.
    fn handle_worked(&mut self, ticket: Ticket, done: &Done, cx: &mut Cx) -> bool {
        if self.path.worked(ticket, done, cx) {
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
                self.request_left_out_rows(cx);
            }
            Done::Failed(why) => self.note = Some(why.clone()),
            _ => self.note = Some("the file could not be read; try again".into()),
        }
        true
    }
}

/// A file that was chosen: read it with `Work::ReadTexts`, and open it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChosenFile {
    /// The path, absolute.
    pub(crate) path: String,
    /// What of it is read.
    pub(crate) columns: Columns,
    /// The file's name.
    pub(crate) name: Untrusted,
}

impl<E> Component<Step<E>> for FileChooser<E> {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<Step<E>> {
        if self.looking.is_some() {
            // Other keys wait: if the path was changed meanwhile, the answer would be about another file.
            if STOP_KEYS.find(&key).is_some() {
                self.stop(cx);
            }
            return Handled::Consumed;
        }
        if self.file.is_some() { self.choose(key, cx) } else { self.typed(key, cx) }
    }

    fn paste(&mut self, text: &str, cx: &mut Cx) -> Handled<Step<E>> {
        if self.typing() {
            self.note = None;
            self.path.paste(text, cx);
        }
        Handled::Consumed
    }

    fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> Handled<Step<E>> {
        match response {
            Response::Work(done) if self.handle_worked(ticket, done, cx) => Handled::Consumed,
            _ => Handled::Ignored,
        }
    }

    fn close(&mut self, cx: &mut Cx) {
        self.cancel(cx);
    }

    fn hints(&self) -> Vec<Hint> {
        self.keys_now()
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        vec![(THIS_DIALOG, if self.file.is_some() { KEYS.help() } else { path_help() })]
    }

    fn escape(&self) -> Option<&'static str> {
        Some(self.next_escape())
    }

    fn arrange(&mut self, area: Rect, _session: &Session, now: Instant) {
        self.fit(area);
        if let Some(looking) = &mut self.looking {
            looking.shown = now;
        }
    }

    fn typing(&self) -> bool {
        self.looking.is_none() && self.file.is_none()
    }

    fn due(&self) -> Option<Instant> {
        self.looking.as_ref().map(|looking| looking.shown + SPINNER_FRAME)
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        self.draw(frame, area, context);
    }
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed(), STOP_KEYS.listed()]
}
