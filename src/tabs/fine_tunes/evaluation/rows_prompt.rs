//! Asks for the rows: a local file by its path, or the job's validation file.

use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::answer::EvaluationAnswer;
use crate::api::call::Ticket;
use crate::component::{
    Component, Cx, Handled, Hint, PathInput, PathStep, RenderContext, Response, Session, Step, THIS_DIALOG, border,
    path_help, path_hints,
};
use crate::text::Untrusted;
use crate::ui::overlay;
use crate::ui::rule::cut;

/// Names shown below the path.
const NAMES: u16 = 6;

/// The prompt.
#[derive(Debug)]
pub(crate) struct RowsPrompt {
    path: PathInput,
    /// The name of the job's validation file.
    validation: Option<Untrusted>,
    /// What went wrong.
    note: Option<Untrusted>,
}

impl RowsPrompt {
    /// Creates a prompt that says what failed before; `validation`: the name of the job's validation file.
    pub(super) fn new(validation: Option<Untrusted>, note: Option<Untrusted>) -> Self {
        Self { path: PathInput::default(), validation, note }
    }

    /// Returns what else Enter may take.
    fn offer(&self) -> Option<String> {
        let name = self.validation.as_ref().filter(|_| self.path.is_empty())?;
        Some(format!("⏎ uses the job's validation file: {}", name.line()))
    }

    fn note(&self) -> Option<Untrusted> {
        self.note.clone().or_else(|| self.path.note().map(Into::into))
    }

    /// Returns the size of the box, and how many rows of it are names.
    fn size(&self, area: Rect) -> ((u16, u16), u16) {
        let names = if self.path.has_no_names() { 0 } else { NAMES };
        let lines = u16::from(self.offer().is_some()) + u16::from(self.note().is_some());
        ((area.width.saturating_sub(4).min(76), 3 + names + lines), names)
    }
}

/// Returns the keys for footer and border.
fn hints() -> Vec<Hint> {
    path_hints("read")[..2].to_vec()
}

impl<A: From<EvaluationAnswer>> Component<Step<A>> for RowsPrompt {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<Step<A>> {
        self.note = None;
        match self.path.key(key, cx) {
            PathStep::Close => Handled::answer(EvaluationAnswer::NoRows.into()),
            PathStep::Empty if self.validation.is_some() => Handled::answer(EvaluationAnswer::Validation.into()),
            PathStep::Stay | PathStep::Empty => Handled::Consumed,
            PathStep::Entered(path) => Handled::answer(EvaluationAnswer::Path(path).into()),
        }
    }

    fn paste(&mut self, text: &str, cx: &mut Cx) -> Handled<Step<A>> {
        self.note = None;
        self.path.paste(text, cx);
        Handled::Consumed
    }

    fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> Handled<Step<A>> {
        match response {
            Response::Work(done) if self.path.worked(ticket, done, cx) => Handled::Consumed,
            _ => Handled::Ignored,
        }
    }

    fn close(&mut self, cx: &mut Cx) {
        self.path.close(cx);
    }

    fn hints(&self) -> Vec<Hint> {
        hints()
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        vec![(THIS_DIALOG, path_help())]
    }

    fn typing(&self) -> bool {
        true
    }

    fn arrange(&mut self, area: Rect, _session: &Session, _now: Instant) {
        let (size, names) = self.size(area);
        let above = 1 + u16::from(self.offer().is_some());
        let rows = overlay::inside(area, size).height.saturating_sub(above).min(names);
        self.path.arrange(usize::from(rows));
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let theme = context.theme;
        let (offer, note) = (self.offer(), self.note());
        let (size, names) = self.size(area);
        let foot = border(&hints(), "close", size.0.min(area.width));
        let words = overlay::Words { title: "Held-out rows (JSONL)", foot: &foot, ..overlay::Words::default() };
        let inside = overlay::boxed(frame, area, size, &words, theme);
        self.path.render_line(frame, inside, theme);
        let row = |y: u16| Rect { y, height: inside.bottom().saturating_sub(y).min(1), ..inside };
        let put = |frame: &mut Frame, y: u16, words: &str| {
            let (place, width) = (row(y), usize::from(inside.width));
            if !place.is_empty() {
                frame.buffer_mut().set_stringn(place.x, place.y, cut(words, width), width, theme.muted);
            }
        };
        let mut y = inside.y + 1;
        if let Some(offer) = offer {
            put(frame, y, &offer);
            y += 1;
        }
        let place = Rect { y, height: inside.bottom().saturating_sub(y).min(names), ..inside };
        self.path.render_names(frame, place, theme);
        if let Some(note) = note {
            put(frame, place.bottom(), &note.line());
        }
    }
}
