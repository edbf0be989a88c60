//! A box with lines to scroll through and search: the help page and past notices. Long lines are wrapped.

use std::sync::LazyLock;
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::page_rows::{Row, TWO_COLUMNS, lay_out};
use crate::component::{
    Bindings, Component, Cx, FindBar, FindBarEvent, Handled, Hint, RenderContext, Scroll, Session, Step, bind,
};
use crate::text::Untrusted;
use crate::ui::key_table::{KeyContext, KeyPlace, ListedKeys};
use crate::ui::overlay::{Words, below, boxed, inside, rows_below_title};
use crate::ui::pane::Spacing;
use crate::ui::theme::{Depth, Kind, Theme};

/// Columns of the box, if there are that many.
const NARROW: u16 = 76;
/// Columns without text: border and margin on both sides.
const EDGES: u16 = 4;

/// What a key does to the box, beside scrolling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Search,
    /// Shows all lines again after a search, then closes the box.
    Back,
    Close,
    /// Closes the box even while a search text is typed.
    CloseAlways,
}

static KEYS: LazyLock<Bindings<Action, ()>> = LazyLock::new(|| {
    Bindings::new(
        KeyContext::new("text-page").used_in(KeyPlace::ShellDialog),
        vec![
            bind("/", Action::Search, "search", ""),
            bind("esc", Action::Back, "", "").does(&["show all lines again, else close"]),
            bind("enter q ?", Action::Close, "", "").does(&["close"]),
            bind("ctrl-c f1", Action::CloseAlways, "", "").does(&["close, also while a search text is typed"]),
        ],
    )
});

/// Lines to scroll through.
#[derive(Debug)]
pub(super) struct TextPages {
    title: String,
    rows: Vec<Row>,
    scroll: Scroll,
    /// The search text: only lines that contain it are shown.
    find: FindBar,
}

impl TextPages {
    pub(super) fn new(title: String, rows: Vec<Row>) -> Self {
        Self { title, rows, scroll: Scroll::default(), find: FindBar::default() }
    }

    /// Handles a key while the search text is typed.
    fn typed_key(&mut self, key: KeyEvent) {
        match self.find.key(key) {
            FindBarEvent::Changed => self.scroll.to_first(),
            FindBarEvent::Moved(motion) => self.scroll.move_by(motion),
            FindBarEvent::Ignored => _ = self.scroll.key(key),
            FindBarEvent::Submitted | FindBarEvent::Cancelled => {}
        }
    }

    /// Returns what the next Esc does.
    fn next_escape(&self) -> &'static str {
        if self.find.is_shown() { "show all" } else { "close" }
    }

    /// Returns the rows that match the search. Some type a `/` before a word, as before a command: it does not count
    /// where nothing has it.
    fn matching_rows(&self) -> Vec<&Row> {
        let words = self.find.text().trim().to_lowercase();
        let found = self.rows_with(&words);
        let rest = words.trim_start_matches('/').trim_start();
        if found.is_empty() && !rest.is_empty() { self.rows_with(rest) } else { found }
    }

    /// Returns the rows with these words, with their headings; all rows of a heading that has them.
    fn rows_with(&self, words: &str) -> Vec<&Row> {
        let (mut found, mut part, mut head, mut whole) = (Vec::new(), None, None, false);
        for row in &self.rows {
            let has = row.text().to_lowercase().contains(words);
            match row {
                Row::Part(_) => (part, head, whole) = (Some(row), None, false),
                Row::Heading(_) => (head, whole) = (Some(row), has),
                // It belongs to no part.
                Row::Compact(_) => (part, head, whole) = (None, Some(row), has),
                _ if has || whole => {
                    found.extend(part.take());
                    found.extend(head.take());
                    found.push(row);
                }
                _ => {}
            }
        }
        found
    }

    /// Returns how many lines fit into a box of this height, with `blank_rows` below its title.
    fn room(&self, height: u16, blank_rows: u16) -> usize {
        usize::from(height.saturating_sub(2 + blank_rows + u16::from(self.find.is_shown())))
    }

    /// Returns the matching lines, and the size of the box with so many blank rows below its title.
    fn layout<'a>(&'a self, body: Rect, blank_rows: u16, theme: &Theme) -> (Vec<Line<'a>>, (u16, u16)) {
        let is_keys = self.rows.iter().any(|row| matches!(row, Row::Key(_)));
        let width =
            if is_keys && body.width >= TWO_COLUMNS + EDGES { TWO_COLUMNS + EDGES } else { NARROW.min(body.width) };
        let lay_out = |rows: &[&'a Row]| lay_out(rows, width.saturating_sub(EDGES), theme);
        let mut shown = lay_out(&self.matching_rows());
        if shown.is_empty() {
            shown.push(Line::styled("nothing matches", theme.muted));
        }
        // The box keeps its size while a search is typed.
        let all = if self.find.is_shown() { lay_out(&self.rows.iter().collect::<Vec<_>>()).len() } else { shown.len() };
        let above = blank_rows + u16::from(self.find.is_shown());
        (shown, (width, u16::try_from(all).unwrap_or(u16::MAX).saturating_add(2 + above).min(body.height)))
    }
}

impl<E> Component<Step<E>> for TextPages {
    fn key(&mut self, key: KeyEvent, _cx: &mut Cx) -> Handled<Step<E>> {
        match KEYS.find(&key) {
            Some(Action::CloseAlways) => return Handled::close(),
            _ if self.find.is_typing() => self.typed_key(key),
            Some(Action::Search) => self.find.start_typing(),
            Some(Action::Back) if self.find.is_shown() => self.find.clear(),
            Some(Action::Back | Action::Close) => return Handled::close(),
            None => _ = self.scroll.key(key),
        }
        Handled::Consumed
    }

    fn paste(&mut self, text: &str, _cx: &mut Cx) -> Handled<Step<E>> {
        if self.find.paste(text) {
            self.scroll.to_first();
        }
        Handled::Consumed
    }

    fn readable(&self, _session: &Session) -> Option<Untrusted> {
        let rows: Vec<_> = self.rows.iter().map(Row::text).collect();
        Some(rows.join("\n").into())
    }

    fn hints(&self) -> Vec<Hint> {
        if self.find.is_typing() {
            return [FindBar::hints(), self.scroll.hints_while_typing()].concat();
        }
        [self.scroll.hints(), KEYS.footer(&[Action::Search], &())].concat()
    }

    fn escape(&self) -> Option<&'static str> {
        Some(self.next_escape())
    }

    fn arrange(&mut self, area: Rect, session: &Session, _now: Instant) {
        let blank_rows = rows_below_title(area, session.palette);
        let area = box_area(area, session);
        let (shown, (_, height)) = self.layout(area, blank_rows, &Theme::of(Kind::Mono, Depth::None));
        let room = self.room(height, blank_rows);
        let len = shown.len();
        self.scroll.fit(len, room);
    }

    fn render(&self, frame: &mut Frame, body: Rect, context: RenderContext) {
        let theme = context.theme;
        let blank_rows = rows_below_title(body, context.session.palette);
        let body = box_area(body, context.session);
        let (shown, size) = self.layout(body, blank_rows, theme);
        let (visible, count) = (self.scroll.visible(), self.scroll.count());
        let place = if self.scroll.is_partial() {
            let more = if visible.end < count { " ↓" } else { "" };
            format!("{}–{} of {count}{more}", visible.start + 1, visible.end)
        } else {
            String::new()
        };
        // The box shows no keys: they are in the footer.
        let words = Words { title: &self.title, right: &place, ..Words::default() };
        boxed(frame, body, size, &words, theme);
        let mut inner = below(inside(body, size), blank_rows);
        if self.find.is_shown() && !inner.is_empty() {
            self.find.render(frame, Rect { height: 1, ..inner }, "", theme);
            inner = Rect { y: inner.y + 1, height: inner.height - 1, ..inner };
        }
        if !self.find.is_typing() && !inner.is_empty() {
            frame.set_cursor_position((inner.x, inner.y));
        }
        for (line, y) in shown.into_iter().skip(visible.start).zip(inner.y..inner.bottom()) {
            frame.render_widget(line, Rect { y, height: 1, ..inner });
        }
    }
}

/// Returns the area for the box: a row less above and below if its background extends beyond it.
fn box_area(body: Rect, session: &Session) -> Rect {
    let blank_rows = u16::from(session.spacing() == Spacing::Roomy);
    Rect { y: body.y + blank_rows, height: body.height.saturating_sub(2 * blank_rows), ..body }
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}
