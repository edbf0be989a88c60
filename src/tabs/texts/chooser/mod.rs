//! Choosing a file of texts: its path, what is in it, and which of its columns are read.
//!
//! The path is typed; names that go on from it stand below. Enter looks at the file, and shows its form, its columns and
//! first rows, each of which can be chosen otherwise; Enter again opens it.

mod columns;
mod draw;

use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Frame;
use ratatui::layout::Rect;

use crate::api::call::Ticket;
use crate::component::{Component, Cx, Handled, Hint, PathInput, PathStep, RenderContext, Response, Session, Step};
use crate::record::Bench;
use crate::record::work::{Columns, Done, Layout, LeftOut, Peek, Work};
use crate::text::Untrusted;
use crate::ui::meter::SPINNER_FRAME;

/// What is looked at just now.
#[derive(Clone, Debug)]
struct Looking {
    ticket: Ticket,
    since: Instant,
    /// When it was arranged last.
    shown: Instant,
    /// Bytes, of how many.
    moved: Option<(u64, u64)>,
}

/// The box.
#[derive(Clone, Debug)]
pub(crate) struct Chooser {
    purpose: Bench,
    path: PathInput,
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
        let path = PathInput::default();
        Self { purpose, path, looking: None, file: None, survey: None, left_out: None, note: None }
    }

    /// A key.
    pub(crate) fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<Step<ChosenFile>> {
        if self.looking.is_some() {
            // Nothing but Esc, which stops it: what is typed meanwhile would be about another file.
            if key.code == KeyCode::Esc {
                self.stop(cx);
            }
            return Handled::Consumed;
        }
        if self.file.is_some() { self.choose(key, cx) } else { self.typed(key, cx) }
    }

    fn typed(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<Step<ChosenFile>> {
        self.note = None;
        match self.path.key(key, cx) {
            PathStep::Stay | PathStep::Empty => Handled::Consumed,
            PathStep::Close => {
                self.close(cx);
                Handled::close()
            }
            PathStep::Entered(path) => {
                self.look(path, None, cx);
                Handled::Consumed
            }
        }
    }

    /// A file was looked at: a key chooses what of it is read.
    fn choose(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<Step<ChosenFile>> {
        let Some((peek, choice)) = &mut self.file else { return Handled::Consumed };
        if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
            return Handled::Consumed;
        }
        match key.code {
            KeyCode::Esc | KeyCode::Backspace => {
                self.end_survey(cx);
                self.file = None;
                self.note = None;
                self.path.ask(cx);
            }
            KeyCode::Enter => {
                let (path, columns) = (peek.path.raw().to_owned(), peek.columns);
                let name = path.rsplit(['/', '\\']).next().unwrap_or_default().into();
                self.end_survey(cx);
                return Handled::answer(ChosenFile { path, columns, name });
            }
            KeyCode::Down | KeyCode::Tab | KeyCode::Char('j') => *choice = choice.beside(1, peek.columns.layout),
            KeyCode::Up | KeyCode::BackTab | KeyCode::Char('k') => *choice = choice.beside(-1, peek.columns.layout),
            KeyCode::Left | KeyCode::Char('h') => self.turn(-1, cx),
            KeyCode::Right | KeyCode::Char('l' | ' ') => self.turn(1, cx),
            _ => {}
        }
        Handled::Consumed
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

    fn look(&mut self, path: String, form: Option<(Layout, bool)>, cx: &mut Cx) {
        self.close(cx);
        self.note = None;
        let ticket = cx.work(Work::Peek { path, form });
        self.looking = Some(Looking { ticket, since: cx.now, shown: cx.now, moved: None });
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
        self.path.close(cx);
    }

    /// The work threads' answer; whether it was to a question of this box.
    pub(crate) fn worked(&mut self, ticket: Ticket, done: &Done, cx: &mut Cx) -> bool {
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
            self.note = None;
            self.path.paste(text, cx);
        }
    }

    /// When it wants to be drawn again although nothing happened (its spinner); `None`: never.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.looking.as_ref().map(|looking| looking.shown + SPINNER_FRAME)
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

impl<E: From<ChosenFile>> Component<Step<E>> for Chooser {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<Step<E>> {
        self.key(key, cx).map_message(E::from)
    }

    fn paste(&mut self, text: &str, cx: &mut Cx) -> Handled<Step<E>> {
        self.paste(text, cx);
        Handled::Consumed
    }

    fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> Handled<Step<E>> {
        match response {
            Response::Work(done) if self.worked(ticket, done, cx) => Handled::Consumed,
            _ => Handled::Ignored,
        }
    }

    fn close(&mut self, cx: &mut Cx) {
        self.close(cx);
    }

    fn hints(&self) -> Vec<Hint> {
        self.hints()
    }

    fn arrange(&mut self, area: Rect, _session: &Session, now: Instant) {
        self.fit(area);
        if let Some(looking) = &mut self.looking {
            looking.shown = now;
        }
    }

    fn typing(&self) -> bool {
        self.typing()
    }

    fn due(&self) -> Option<Instant> {
        self.due()
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        self.render(frame, area, context.theme, context.now, context.session.motion);
    }
}
