//! A box with lines to scroll through and search: the help page and past notices. Long lines are wrapped.

use std::borrow::Cow;
use std::sync::LazyLock;
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr as _;

use super::notices;
use crate::component::{
    Bindings, Component, Cx, FindBar, FindBarEvent, Handled, Hint, Notice, RenderContext, Scroll, Session, Step, bind,
};
use crate::ui::overlay::{Words, below, boxed, inside, rows_below_title};
use crate::ui::pane::{self, Spacing};
use crate::ui::theme::{Depth, Kind, Theme};
use crate::ui::wrap;

/// Columns of the box, if there are that many.
const NARROW: u16 = 76;
/// Columns of the box with two columns of keys, if there are that many.
const TWO_COLUMNS: u16 = 98;
/// Columns between these two.
const GAP: usize = 3;
/// Columns without text: border and margin on both sides.
const EDGES: u16 = 4;
/// Columns of the keys at most: longer ones have a row of their own.
const KEY_COLUMNS: usize = 14;
/// The same if a line has fewer than 60 columns.
const KEY_COLUMNS_NARROW: usize = 9;

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
    Bindings::new(vec![
        bind("/", Action::Search, "search", ""),
        bind("esc", Action::Back, "", ""),
        bind("enter q ?", Action::Close, "", ""),
        bind("ctrl-c f1", Action::CloseAlways, "", ""),
    ])
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

/// A row of the box before it is wrapped.
#[derive(Debug)]
pub(super) enum Row {
    /// A heading.
    Heading(String),
    /// A key and its action.
    Key(Hint),
    /// A notice with its time.
    Notice(String, Notice),
    /// Plain text.
    Text(String),
}

impl TextPages {
    pub(super) fn new(title: String, rows: Vec<Row>) -> Self {
        Self { title, rows, scroll: Scroll::default(), find: FindBar::default() }
    }

    /// Handles a key while the search text is typed.
    fn typed_key(&mut self, key: KeyEvent) {
        match self.find.key(key) {
            FindBarEvent::Changed => self.scroll.to_first(),
            FindBarEvent::Moved(motion) => self.scroll.by(motion),
            FindBarEvent::Ignored => _ = self.scroll.key(key),
            FindBarEvent::Submitted | FindBarEvent::Cancelled => {}
        }
    }

    /// Returns what the next Esc does.
    fn next_escape(&self) -> &'static str {
        if self.find.is_shown() { "show all" } else { "close" }
    }

    /// Returns the rows that match the search, with their headings; all rows of a heading that matches itself.
    fn matching_rows(&self) -> Vec<&Row> {
        let words = self.find.text().trim().to_lowercase();
        let (mut found, mut head, mut whole) = (Vec::new(), None, false);
        for row in &self.rows {
            let has = row.text().to_lowercase().contains(&words);
            if let Row::Heading(_) = row {
                (head, whole) = (Some(row), has);
            } else if has || whole {
                found.extend(head.take());
                found.push(row);
            }
        }
        found
    }

    /// Returns how many lines fit into a box of this height, with `blank_rows` below its title.
    fn room(&self, height: u16, blank_rows: u16) -> usize {
        usize::from(height.saturating_sub(2 + blank_rows + u16::from(self.find.is_shown())))
    }

    /// Returns the matching lines, and the size of the box with so many blank rows below its title.
    fn layout(&self, body: Rect, blank_rows: u16, theme: &Theme) -> (Vec<Line<'_>>, (u16, u16)) {
        let is_keys = self.rows.iter().any(|row| matches!(row, Row::Key(_)));
        let width = if is_keys && body.width >= TWO_COLUMNS { TWO_COLUMNS } else { NARROW.min(body.width) };
        let found = self.matching_rows();
        let mut shown = lay_out(&found, width, theme);
        if shown.is_empty() {
            shown.push(Line::styled("nothing matches", theme.muted));
        }
        // The box keeps its size while a search is typed.
        let all = if self.find.is_shown() {
            lay_out(&self.rows.iter().collect::<Vec<_>>(), width, theme).len()
        } else {
            shown.len()
        };
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

impl Row {
    /// Returns the text of the row.
    fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Heading(text) | Self::Text(text) => text.into(),
            Self::Key(hint) => format!("{} {}", hint.key, hint.does).into(),
            Self::Notice(time, notice) => format!("{time} {}", notice.text.line()).into(),
        }
    }
}

/// Returns the lines of these rows in a box of this width, in two columns if it is wide enough; the rows of a heading
/// stay together.
fn lay_out<'a>(rows: &[&'a Row], width: u16, theme: &Theme) -> Vec<Line<'a>> {
    let inner = usize::from(width.saturating_sub(EDGES));
    let groups = rows.chunk_by(|_, next| !matches!(next, Row::Heading(_)));
    let keys = rows.iter().filter_map(|row| if let Row::Key(hint) = row { Some(hint.key.width()) } else { None });
    let most = if (60..TWO_COLUMNS).contains(&width) { KEY_COLUMNS } else { KEY_COLUMNS_NARROW };
    let widest = keys.filter(|width| *width <= most).max().unwrap_or(0);
    if width < TWO_COLUMNS {
        let groups: Vec<Vec<Line>> = groups.map(|group| wrap_rows(group, inner, widest, theme)).collect();
        return join_groups(groups);
    }
    let column = (inner - GAP) / 2;
    let groups: Vec<Vec<Line>> = groups.map(|group| wrap_rows(group, column, widest, theme)).collect();
    let total = groups.iter().map(|group| group.len() + 1).sum::<usize>();
    let (mut left, mut right, mut used) = (Vec::new(), Vec::new(), 0);
    for group in groups {
        let middle = used + group.len() / 2;
        used += group.len() + 1;
        // All groups after the first one at the right are there, too: the left column is read first.
        if right.is_empty() && (left.is_empty() || middle <= total / 2) { left.push(group) } else { right.push(group) }
    }
    let (left, mut right) = (join_groups(left), join_groups(right));
    let mut rows = Vec::new();
    right.resize(right.len().max(left.len()), Line::default());
    let rest = std::iter::repeat(Line::default());
    for (mut row, beside) in left.into_iter().chain(rest).zip(right) {
        row.spans.push(Span::raw(" ".repeat((column + GAP).saturating_sub(row.width()))));
        row.spans.extend(beside.spans);
        rows.push(row);
    }
    rows
}

/// Returns the lines of all groups, separated by blank ones.
fn join_groups(groups: Vec<Vec<Line<'_>>>) -> Vec<Line<'_>> {
    let mut all = Vec::new();
    for group in groups {
        if !all.is_empty() {
            all.push(Line::default());
        }
        all.extend(group);
    }
    all
}

/// Returns the lines of these rows at this many columns; `column`: columns of the keys.
fn wrap_rows<'a>(rows: &[&'a Row], width: usize, column: usize, theme: &Theme) -> Vec<Line<'a>> {
    let mut lines = Vec::new();
    for row in rows {
        let (front, words, style) = match row {
            Row::Heading(head) => {
                let heading = pane::heading(head, theme);
                (Vec::new(), heading.content, heading.style)
            }
            Row::Key(hint) => {
                let margin = Span::raw(if width < 40 { " " } else { "  " });
                let (key, does) = (Span::styled(hint.key.as_str(), theme.key()), Cow::from(&hint.does));
                let gap = 1 + margin.width();
                match column.checked_sub(hint.key.width()) {
                    Some(short) => {
                        let pad = Span::raw(" ".repeat(short + gap.min(2)));
                        (vec![margin, key, pad], does, theme.text)
                    }
                    None => {
                        let indent = " ".repeat(margin.width() + column + gap.min(2));
                        lines.push(Line::from(vec![margin, key]));
                        (vec![Span::raw(indent)], does, theme.text)
                    }
                }
            }
            Row::Notice(time, notice) => {
                let (mark, style) = notices::mark(notice.level, theme);
                let time = Span::styled(format!("{time} "), theme.muted);
                (vec![time, Span::styled(format!("{mark} "), style)], notice.text.line(), theme.text)
            }
            Row::Text(words) => (Vec::new(), Cow::from(words), theme.text),
        };
        let indent: usize = front.iter().map(Span::width).sum();
        let mut front = Some(front);
        for words in wrap::lines(&words, width.saturating_sub(indent)) {
            // Further lines stand under the words of the first one.
            let mut spans = front.take().unwrap_or_else(|| vec![Span::raw(" ".repeat(indent))]);
            spans.push(Span::styled(words.to_owned(), style));
            lines.push(Line::from(spans));
        }
    }
    lines
}
