//! The question for a line of text, as a dialog.

use std::fmt;

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use ratatui::layout::Rect;

use super::{Component, Cx, Handled, Hint, RenderContext, Step, border};
use crate::ui::line::Line;
use crate::ui::overlay;

/// What a text makes together with the number of the way that was chosen.
type Answer<E> = Box<dyn Fn(&str, usize) -> E>;

/// Asks for a line of text, and with Tab how it is to be used.
pub struct LinePrompt<E> {
    title: String,
    /// What Enter does, for the footer.
    verb: &'static str,
    /// What Esc does, for the footer.
    escape: &'static str,
    line: Line,
    /// Sentences, of which one stands below the line; Tab goes to the next.
    ways: Vec<&'static str>,
    /// The one that stands there.
    way: usize,
    /// What Tab chooses, for the footer.
    tab: &'static str,
    /// Whether Enter needs a text.
    required: bool,
    answer: Answer<E>,
    /// What Esc answers.
    cancelled: Option<fn() -> E>,
    /// What each change of the text emits.
    changed: Option<fn(&str) -> E>,
}

impl<E> fmt::Debug for LinePrompt<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LinePrompt").field("title", &self.title).finish_non_exhaustive()
    }
}

impl<E> LinePrompt<E> {
    /// A prompt with a title, what Enter does, the text it begins with, and the answer that the text makes together with the
    /// number of the way that was chosen.
    pub fn new(
        title: impl Into<String>,
        verb: &'static str,
        line: Line,
        answer: impl Fn(&str, usize) -> E + 'static,
    ) -> Self {
        Self {
            title: title.into(),
            verb,
            escape: "cancel",
            line,
            ways: Vec::new(),
            way: 0,
            tab: "",
            required: false,
            answer: Box::new(answer),
            cancelled: None,
            changed: None,
        }
    }

    /// Calls what Esc does something else than “cancel”.
    #[must_use]
    pub fn escaping(self, escape: &'static str) -> Self {
        Self { escape, ..self }
    }

    /// Takes Enter only where something is typed.
    #[must_use]
    pub fn required(self) -> Self {
        Self { required: true, ..self }
    }

    /// Answers Esc as well.
    #[must_use]
    pub fn cancelled(self, answer: fn() -> E) -> Self {
        Self { cancelled: Some(answer), ..self }
    }

    /// Emits every text that is typed, not only the last one.
    #[must_use]
    pub fn emitting(self, changed: fn(&str) -> E) -> Self {
        Self { changed: Some(changed), ..self }
    }

    fn emit(&self) -> Handled<Step<E>> {
        self.changed.map_or(Handled::Consumed, |changed| Handled::emit(changed(self.line.text())))
    }

    /// Adds a sentence below the line.
    #[must_use]
    pub fn saying(self, sentence: &'static str) -> Self {
        Self { ways: vec![sentence], ..self }
    }

    /// Adds ways to use the text, each a sentence, and which comes first; `tab` says what Tab chooses.
    #[must_use]
    pub fn with_ways(self, tab: &'static str, ways: Vec<&'static str>, way: usize) -> Self {
        Self { ways, way, tab, ..self }
    }
}

impl<E> Component<Step<E>> for LinePrompt<E> {
    fn key(&mut self, key: KeyEvent, _cx: &mut Cx) -> Handled<Step<E>> {
        match key.code {
            KeyCode::Esc => return self.cancelled.map_or(Handled::close(), |answer| Handled::answer(answer())),
            KeyCode::Enter if self.required && self.line.text().trim().is_empty() => {}
            KeyCode::Enter => return Handled::answer((self.answer)(self.line.text(), self.way)),
            KeyCode::Tab | KeyCode::BackTab if self.ways.len() > 1 => self.way = (self.way + 1) % self.ways.len(),
            _ if self.line.key(key) => return self.emit(),
            _ => {}
        }
        Handled::Consumed
    }

    fn paste(&mut self, text: &str, _cx: &mut Cx) -> Handled<Step<E>> {
        self.line.paste(text.trim_end_matches('\n'));
        self.emit()
    }

    fn hints(&self) -> Vec<Hint> {
        let tab = (!self.tab.is_empty()).then(|| Hint::new("tab", self.tab));
        std::iter::once(Hint::new("⏎", self.verb)).chain(tab).collect()
    }

    fn escape(&self) -> Option<&'static str> {
        Some(self.escape)
    }

    fn typing(&self) -> bool {
        true
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let theme = context.theme;
        let below = self.ways.get(self.way).copied().unwrap_or_default();
        let height = if below.is_empty() { 3 } else { 4 };
        let foot = border(&self.hints(), self.escape, overlay::WIDEST.min(area.width));
        let inside = overlay::frame(frame, area, (overlay::WIDEST, height), &self.title, &foot, theme);
        let place = Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), height: 1, ..inside };
        if inside.height > 1 {
            frame.buffer_mut().set_stringn(place.x, place.y + 1, below, usize::from(place.width), theme.muted);
        }
        self.line.render(frame, place, theme.text, true);
    }
}
