//! Which rows: a local file by its path, or the job's validation file.

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use crate::api::call::Ticket;
use crate::component::{Cx, PathInput, PathStep};
use crate::record::work::Done;
use crate::text::Untrusted;
use crate::ui::overlay;
use crate::ui::rule::cut;
use crate::ui::theme::Theme;

/// Names shown below the path.
const NAMES: u16 = 6;

/// What a key chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RowsChoice {
    Stay,
    Close,
    /// This local file.
    Path(String),
    /// The job's validation file.
    Validation,
}

/// The box.
#[derive(Debug, Default)]
pub(super) struct RowsPrompt {
    path: PathInput,
    /// What went wrong.
    note: Option<Untrusted>,
}

impl RowsPrompt {
    /// Asks again, and says what went wrong before.
    pub(super) fn again(why: Untrusted) -> Self {
        Self { note: Some(why), ..Self::default() }
    }

    pub(super) fn key(&mut self, key: KeyEvent, validation: bool, cx: &mut Cx) -> RowsChoice {
        self.note = None;
        match self.path.key(key, cx) {
            PathStep::Close => RowsChoice::Close,
            PathStep::Empty if validation => RowsChoice::Validation,
            PathStep::Stay | PathStep::Empty => RowsChoice::Stay,
            PathStep::Entered(path) => RowsChoice::Path(path),
        }
    }

    pub(super) fn paste(&mut self, text: &str, cx: &mut Cx) {
        self.note = None;
        self.path.paste(text, cx);
    }

    pub(super) fn worked(&mut self, ticket: Ticket, done: &Done, cx: &mut Cx) -> bool {
        self.path.worked(ticket, done, cx)
    }

    /// Returns what else Enter may take; `validation`: the name of the job's validation file.
    fn offer(&self, validation: Option<&Untrusted>) -> Option<String> {
        let name = validation.filter(|_| self.path.is_empty())?;
        Some(format!("⏎ takes the job's validation file: {}", name.line()))
    }

    fn note(&self) -> Option<Untrusted> {
        self.note.clone().or_else(|| self.path.note().map(Into::into))
    }

    /// Returns the size of the box, and how many rows of it are names.
    fn size(&self, area: Rect, validation: Option<&Untrusted>) -> ((u16, u16), u16) {
        let names = if self.path.has_no_names() { 0 } else { NAMES };
        let lines = u16::from(self.offer(validation).is_some()) + u16::from(self.note().is_some());
        ((area.width.saturating_sub(4).min(76), 3 + names + lines), names)
    }

    /// Fits the names to the area.
    pub(super) fn arrange(&mut self, area: Rect, validation: Option<&Untrusted>) {
        let (size, names) = self.size(area, validation);
        let above = 1 + u16::from(self.offer(validation).is_some());
        let rows = overlay::inside(area, size).height.saturating_sub(above).min(names);
        self.path.arrange(usize::from(rows));
    }

    /// Draws it as a box over `area`; `validation`: the name of the job's validation file.
    pub(super) fn render(&self, frame: &mut Frame, area: Rect, validation: Option<&Untrusted>, theme: &Theme) {
        let (offer, note) = (self.offer(validation), self.note());
        let words = overlay::Words {
            title: "Held-out rows (JSONL)",
            foot: "⏎ read  tab complete  esc close",
            ..overlay::Words::default()
        };
        let (size, names) = self.size(area, validation);
        let inside = overlay::boxed(frame, area, size, &words, theme);
        let theme = theme.over();
        self.path.render_line(frame, inside, &theme);
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
        self.path.render_names(frame, place, &theme);
        if let Some(note) = note {
            put(frame, place.bottom(), &note.line());
        }
    }
}
