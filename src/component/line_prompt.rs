//! The question for a line of text, as a dialog.

use std::fmt;

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::{Component, Cx, Handled, Hint, RenderContext, Step};
use crate::ui::overlay::{self, Words};
use crate::ui::rule::cut;
use crate::ui::text_field::TextField;
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Makes the answer of a text and the number of the chosen way.
type Answer<E> = Box<dyn Fn(&str, usize) -> E>;

/// Asks for a line of text; Tab chooses how it is used.
pub struct LinePrompt<E> {
    title: String,
    /// What Enter does, for the footer.
    verb: &'static str,
    /// What Esc does, for the footer.
    escape: &'static str,
    line: TextField,
    /// What the field shows while it is empty.
    example: &'static str,
    /// Ways to use the text, each a sentence, of which one is shown below the line; Tab chooses the next.
    ways: Vec<&'static str>,
    /// The chosen one.
    way: usize,
    /// What Tab chooses, for the footer.
    tab: &'static str,
    /// Whether Enter does nothing while nothing is typed.
    required: bool,
    answer: Answer<E>,
    /// Makes the answer of Esc; `None`: Esc only closes the prompt.
    cancelled: Option<fn() -> E>,
    /// Makes the message that each change of the text emits.
    changed: Option<fn(&str) -> E>,
}

impl<E> fmt::Debug for LinePrompt<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LinePrompt").field("title", &self.title).finish_non_exhaustive()
    }
}

impl<E> LinePrompt<E> {
    /// A prompt with a title, what Enter does, the text it begins with, and the answer that the text makes together
    /// with the number of the way that was chosen.
    pub fn new(
        title: impl Into<String>,
        verb: &'static str,
        line: TextField,
        answer: impl Fn(&str, usize) -> E + 'static,
    ) -> Self {
        Self {
            title: title.into(),
            verb,
            escape: "cancel",
            line,
            example: "",
            ways: Vec::new(),
            way: 0,
            tab: "",
            required: false,
            answer: Box::new(answer),
            cancelled: None,
            changed: None,
        }
    }

    /// Sets another label than “cancel” for Esc.
    #[must_use]
    pub fn escaping(self, escape: &'static str) -> Self {
        Self { escape, ..self }
    }

    /// Makes Enter do nothing while nothing is typed.
    #[must_use]
    pub fn required(self) -> Self {
        Self { required: true, ..self }
    }

    /// Sets the answer of Esc, which otherwise only closes the prompt.
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

    /// Shows an example of what to type while nothing is typed.
    #[must_use]
    pub fn example(self, example: &'static str) -> Self {
        Self { example, ..self }
    }

    /// Adds a sentence below the line.
    #[must_use]
    pub fn saying(self, sentence: &'static str) -> Self {
        Self { ways: vec![sentence], ..self }
    }

    /// Adds ways to use the text, each a sentence, and the one chosen at first; `tab` says what Tab chooses.
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
        let blank_rows = overlay::rows_below_title(area, theme.kind);
        let room = overlay::inside(area, (overlay::WIDEST, 3)).width;
        let said = self.ways.get(self.way).copied().filter(|said| !said.is_empty());
        let said = said.map_or_else(Vec::new, |said| wrap::lines(said, usize::from(room)));
        let gap = if said.is_empty() { 0 } else { blank_rows };
        let height = 3 + blank_rows + gap + said.len() as u16;
        let words = Words { title: &self.title, ..Words::default() };
        let inside = overlay::boxed(frame, area, (overlay::WIDEST, height), &words, theme);
        let inside = overlay::below(inside, blank_rows.min(inside.height.saturating_sub(1)));
        let field = Rect { height: inside.height.min(1), ..inside };
        self.field(frame, field, theme);
        for (line, y) in said.into_iter().zip(field.bottom() + gap..inside.bottom()) {
            frame.buffer_mut().set_stringn(inside.x, y, line, usize::from(inside.width), theme.muted);
        }
    }
}

impl<E> LinePrompt<E> {
    /// Draws the field: on a surface of its own, or after `>` if the theme has no surfaces.
    fn field(&self, frame: &mut Frame, area: Rect, theme: &Theme) {
        let surfaces = theme.kind.has_surfaces();
        let before = area.width.min(if surfaces { 1 } else { 2 });
        let over = |style: Style| if surfaces { style.patch(theme.select) } else { style };
        if surfaces {
            frame.buffer_mut().set_style(area, theme.select);
        } else {
            frame.buffer_mut().set_stringn(area.x, area.y, ">", usize::from(area.width), theme.accent);
        }
        let place = Rect { x: area.x + before, width: area.width - before, ..area };
        if self.line.is_empty() && !self.example.is_empty() {
            let room = usize::from(place.width);
            let example = cut(&format!("e.g. {}", self.example), room);
            frame.buffer_mut().set_stringn(place.x, place.y, example, room, over(theme.faint));
        }
        self.line.render(frame, place, over(theme.text), true);
    }
}
