//! The question for a line of text, as a dialog.

use std::fmt;
use std::sync::LazyLock;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::{Bindings, Component, Cx, Handled, Hint, RenderContext, Step, bind};
use crate::ui::key_table::{KeyContext, KeyPlace, ListedKeys};
use crate::ui::overlay::{self, Words};
use crate::ui::rule::cut;
use crate::ui::text_field::TextField;
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// What a key does to the prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineKey {
    Accept,
    NextWay,
    Close,
}

/// Keys of the prompt; the state says whether there are several ways to use the text. The prompt labels them.
static KEYS: LazyLock<Bindings<LineKey, bool>> = LazyLock::new(|| {
    Bindings::while_typing(
        KeyContext::new("line-prompt").ignoring_shift().used_in(KeyPlace::Dialog),
        vec![
            bind("enter alt-enter ctrl-enter", LineKey::Accept, "", "").does(&["use the text"]),
            bind("tab shift-tab", LineKey::NextWay, "", "")
                .does(&["next way to use the text"])
                .disabled_when(|has_ways| (!has_ways).then_some("there is no other way")),
            bind("esc", LineKey::Close, "", "").does(&["close"]),
        ],
    )
});

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

    /// Returns whether there are several ways to use the text.
    fn has_ways(&self) -> bool {
        self.ways.len() > 1
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
        match KEYS.find_enabled(&key, &self.has_ways()) {
            Some(LineKey::Close) => return self.cancelled.map_or(Handled::close(), |answer| Handled::answer(answer())),
            Some(LineKey::Accept) if self.required && self.line.text().trim().is_empty() => {}
            Some(LineKey::Accept) => return Handled::answer((self.answer)(self.line.text(), self.way)),
            Some(LineKey::NextWay) => self.way = (self.way + 1) % self.ways.len(),
            None if self.line.key(key) => return self.emit(),
            None => {}
        }
        Handled::Consumed
    }

    fn paste(&mut self, text: &str, _cx: &mut Cx) -> Handled<Step<E>> {
        self.line.paste(text.trim_end_matches('\n'));
        self.emit()
    }

    fn hints(&self) -> Vec<Hint> {
        let way = self.has_ways().then(|| KEYS.joined(&[LineKey::NextWay], self.tab));
        std::iter::once(KEYS.joined(&[LineKey::Accept], self.verb)).chain(way).collect()
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

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use crossterm::event::{KeyCode, KeyModifiers};

    use super::*;
    use crate::component::Session;

    #[test]
    fn tab_chooses_a_way_where_there_are_several_and_enter_answers_with_it() {
        assert_eq!(KEYS.keymap().clashes(), []);
        let (session, mut tickets, mut effects) = (Session::default(), 0, Vec::new());
        let mut cx = Cx::new(&session, Instant::now(), 0, &mut tickets, &mut effects);
        let prompt = |ways| {
            let prompt = LinePrompt::new("Name", "save", TextField::new("a"), |text, way| (text.to_owned(), way));
            prompt.with_ways("form", ways, 0)
        };
        for (ways, chosen) in [(vec!["once", "twice"], 1), (vec!["once"], 0)] {
            let mut prompt = prompt(ways);
            assert_eq!(prompt.hints().len(), 1 + chosen);
            assert_eq!(prompt.key(KeyEvent::from(KeyCode::Tab), &mut cx), Handled::Consumed);
            let enter = KeyEvent::new(KeyCode::Enter, KeyModifiers::SHIFT);
            assert_eq!(prompt.key(enter, &mut cx), Handled::answer(("a".to_owned(), chosen)));
        }
    }
}
