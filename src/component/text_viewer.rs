//! A text to read, as a dialog.

use std::sync::LazyLock;
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;

use super::{Bindings, Component, Cx, Handled, Hint, RenderContext, Scroll, Session, Step, THIS_DIALOG, bind};
use crate::text::Untrusted;
use crate::ui::key_table::{KeyContext, KeyPlace, ListedKeys};
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// The keys that close the dialog; those that scroll are the same in all dialogs.
static CLOSE: LazyLock<Bindings<(), ()>> = LazyLock::new(|| {
    Bindings::new(
        KeyContext::new("text-viewer").used_in(KeyPlace::Dialog),
        vec![bind("esc enter q d D", (), "close", "close").named(&["close"])],
    )
});

/// Returns the style of a paragraph.
pub type ParagraphStyle = fn(&Theme) -> Style;

/// Shows a text that is wrapped and scrolls, below a title.
#[derive(Debug)]
pub struct TextViewer {
    title: &'static str,
    /// Each safe for the screen.
    paragraphs: Vec<(String, ParagraphStyle)>,
    scroll: Scroll,
}

impl TextViewer {
    /// Creates a dialog that shows these paragraphs, which are safe for the screen.
    pub fn new(title: &'static str, paragraphs: Vec<(String, ParagraphStyle)>) -> Self {
        Self { title, paragraphs, scroll: Scroll::default() }
    }

    /// Returns the lines of the text in a box over `area`.
    fn lines(&self, area: Rect) -> impl Iterator<Item = (&str, ParagraphStyle)> {
        let width = Scroll::text_columns(area);
        // A space that hangs over the edge must not cost the letter before it.
        let wrapped = move |text| wrap::lines(text, width).into_iter();
        self.paragraphs.iter().flat_map(move |(text, style)| wrapped(text).map(|line| (line, *style)))
    }
}

impl<E> Component<Step<E>> for TextViewer {
    fn key(&mut self, key: KeyEvent, _cx: &mut Cx) -> Handled<Step<E>> {
        if !self.scroll.key(key) && CLOSE.find(&key).is_some() {
            return Handled::close();
        }
        Handled::Consumed
    }

    fn readable(&self, _session: &Session) -> Option<Untrusted> {
        let paragraphs: Vec<&str> = self.paragraphs.iter().map(|(text, _)| text.as_str()).collect();
        Some(paragraphs.join("\n").into())
    }

    fn hints(&self) -> Vec<Hint> {
        self.scroll.hints()
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        vec![(THIS_DIALOG, [Scroll::help(), CLOSE.help()].concat())]
    }

    fn typing(&self) -> bool {
        true
    }

    fn arrange(&mut self, area: Rect, session: &Session, _now: Instant) {
        let len = self.lines(area).count();
        self.scroll.arrange_box(len, area, session.palette);
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let theme = context.theme;
        let lines: Vec<Line> = self.lines(area).map(|(line, style)| Line::styled(line, style(theme))).collect();
        self.scroll.render_box(frame, area, self.title, &lines, theme);
    }
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![CLOSE.listed()]
}
