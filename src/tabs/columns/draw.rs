//! Draws the outputs.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use super::part::first_difference;
use super::wrapped::Wrapped;
use super::{Column, Columns, LEAST, OutputState};
use crate::tabs::generation::score::signed;
use crate::ui::canvas::Canvas;
use crate::ui::pane::{Pane, Spacing, Surface};
use crate::ui::rule::{cut, cut_middle};
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Which outputs show, and how large each is.
#[derive(Clone, Copy)]
struct ColumnsLayout {
    /// The first that shows.
    first: usize,
    /// How many outputs are shown.
    shown: usize,
    width: u16,
    /// Rows below each.
    foot: u16,
}

impl ColumnsLayout {
    /// Returns the layout of `columns`, of which there is one at least, with `focus` in view.
    fn new(area: Rect, columns: &[Column], focus: usize) -> Self {
        let shown = columns.len().min(usize::from((area.width + 1) / (LEAST + 1)).max(1));
        let first = focus.saturating_sub(shown - 1).min(columns.len() - shown);
        let whole = shown as u16;
        let width = (area.width - (whole - 1)) / whole;
        // The foot has two rows where there is room for it.
        let long = columns.iter().any(|column| wrap::width(column.foot) + 1 > usize::from(width));
        let foot = match area.height {
            16.. if long => 3,
            8.. => 2,
            height => u16::from(height >= 4),
        };
        Self { first, shown, width, foot }
    }

    fn range(self) -> std::ops::Range<usize> {
        self.first..self.first + self.shown
    }
}

impl Columns {
    /// Wraps the outputs for the area and fits focus and scroll position to them.
    pub(crate) fn arrange(&mut self, area: Rect, spacing: Spacing, columns: &[Column]) {
        if area.is_empty() || columns.is_empty() {
            return;
        }
        self.focus = self.focus.min(columns.len() - 1);
        self.alone.resize(columns.len(), 0);
        self.wrapped.resize_with(columns.len(), Wrapped::default);
        let layout = ColumnsLayout::new(area, columns, self.focus);
        let content = spacing.pane(Rect { width: layout.width, ..area }).content;
        self.window = usize::from(content.height.saturating_sub(layout.foot));
        let width = usize::from(content.width).max(1);
        // The others are compared with the first output, whether it is shown or not.
        for at in compared(columns).map(|(first, beside)| [first, beside]).into_iter().flatten() {
            self.wrapped[at].update(columns[at].text, width);
        }
        for at in layout.range() {
            self.wrapped[at].update(columns[at].text, width);
        }
        self.longest = self.wrapped[layout.range()].iter().map(Wrapped::len).max().unwrap_or(0);
        if std::mem::take(&mut self.to_parting) {
            self.show_parting(columns);
        }
    }

    /// Draws as many outputs as fit, always the one with the focus, as they were [arranged](Self::arrange).
    pub(crate) fn draw(&self, area: Rect, buf: &mut Buffer, columns: &[Column], (spacing, theme): (Spacing, &Theme)) {
        if area.is_empty() || columns.is_empty() || self.wrapped.len() != columns.len() {
            return;
        }
        let layout = ColumnsLayout::new(area, columns, self.focus);
        let ColumnsLayout { first, shown: fit, width, foot } = layout;
        for nth in layout.range() {
            let x = area.x + (nth - first) as u16 * (width + 1);
            let last = nth + 1 == first + fit;
            let place = Rect { x, width: if last { area.right() - x } else { width }, ..area };
            let page = (nth == self.focus && fit < columns.len()).then(|| page(nth, columns.len(), place.width));
            let room = page.as_deref().map_or(0, wrap::width);
            let canvas = Canvas { area: place, buf: &mut *buf, theme };
            self.column(nth, columns, (foot, room), spacing, canvas);
            if !last && !theme.kind.has_surfaces() {
                for y in area.y + 1..area.bottom() {
                    buf.set_stringn(place.right(), y, "│", 1, theme.rule);
                }
            }
            if let Some(page) = page {
                let title = spacing.pane(place).title;
                let at = place.right().saturating_sub(room as u16 + 1).max(place.x);
                buf.set_stringn(at, title.y, page, usize::from(place.right() - at), theme.accent);
            }
        }
    }

    fn parting_of(&self, nth: usize, columns: &[Column]) -> Option<std::ops::Range<usize>> {
        let (base, beside) = compared(columns)?;
        let other = match columns.get(nth).filter(|column| has_come(column)) {
            None => return None,
            // The first output is marked where the one beside it differs from it.
            Some(_) if nth == base => beside,
            Some(_) => base,
        };
        let ([one, this], [from, to]) = ([other, nth].map(|at| &columns[at]), [other, nth].map(|at| &self.wrapped[at]));
        first_difference(from.text(), to.text(), this.tokens, one.state.grows(), this.state.grows())
    }

    /// Scrolls so that the row where the output with the focus parts from the first is in sight.
    fn show_parting(&mut self, columns: &[Column]) {
        let Some(at) = self.parting_of(self.focus, columns) else { return };
        let row = self.wrapped[self.focus].row_of(at.start);
        self.alone.fill(0);
        self.top = row.saturating_sub(self.window / 3).min(self.longest.saturating_sub(self.window));
    }

    /// Draws one, with so many rows under it and so many columns left free at the right end of its title.
    fn column(&self, nth: usize, columns: &[Column], (below, free): (u16, usize), spacing: Spacing, canvas: Canvas) {
        let Canvas { area: place, buf, theme } = canvas;
        let column = &columns[nth];
        let focus = self.active && nth == self.focus;
        let title = cut_middle(&column.title.line(), usize::from(place.width).saturating_sub(9 + free));
        let surface = Surface::Panel;
        let pane = Pane { title: &title, note: "", right: "", right_style: theme.muted, focus, surface };
        pane.render(place, buf, theme, spacing);
        let content = spacing.pane(place).content;
        let body = Rect { height: content.height.saturating_sub(below), ..content };
        let wrapped = &self.wrapped[nth];
        let most = wrapped.len().saturating_sub(usize::from(body.height));
        let top = self.top.saturating_add_signed(self.alone[nth]).min(most);
        let width = usize::from(body.width);
        let marked = self.parting_of(nth, columns).map(|range| {
            let (line, from) = wrapped.place(range.start);
            // A token that continues after the end of its line is marked up to that end.
            let (end, to) = wrapped.place(range.end);
            (line, from, if end == line { to } else { usize::MAX })
        });
        wrapped.visible(top, usize::from(body.height), |down, row, text, last| {
            let y = body.y + down as u16;
            buf.set_stringn(body.x, y, text, width, theme.text);
            if let Some((_, from, to)) = marked.filter(|(line, ..)| *line == row.line.start) {
                let canvas = Canvas { area: Rect { y, height: 1, ..body }, buf: &mut *buf, theme };
                mark(text, (from, to), row.part.clone(), last, canvas);
            }
        });
        if column.text.is_empty() {
            words(column, body, buf, theme);
        }
        foot(
            column,
            Rect { y: body.bottom(), height: below.min(content.bottom().saturating_sub(body.bottom())), ..body },
            wrapped.len() > top + usize::from(body.height),
            buf,
            theme,
        );
    }
}

/// Marks the bytes `from` to `to` of a line in one of its rows, which has `part` of them: reversed, or as `┃` where
/// there are none, and `┃` beside the row with the first.
fn mark(text: &str, (from, to): (usize, usize), part: std::ops::Range<usize>, last: bool, canvas: Canvas) {
    let Canvas { area: place, buf, theme } = canvas;
    let first = part.contains(&from) || (last && from == part.end);
    if first {
        buf.set_stringn(place.x.saturating_sub(1), place.y, "┃", 1, theme.accent);
    }
    let within = |at: usize| text.floor_char_boundary(at.clamp(part.start, part.end) - part.start);
    let (start, end) = (within(from), within(to));
    let x = place.x + wrap::width(&text[..start]) as u16;
    let room = usize::from(place.right().saturating_sub(x));
    if start < end {
        let style = theme.text.add_modifier(Modifier::REVERSED);
        buf.set_stringn(x, place.y, &text[start..end], room, style);
    } else if first && room > 0 {
        buf.set_stringn(x, place.y, "┃", 1, theme.accent);
    }
}

/// Returns whether there is anything of an output to compare.
fn has_come(column: &Column) -> bool {
    match column.state {
        OutputState::Unsent | OutputState::Waiting | OutputState::Retrying(_) | OutputState::Failed(_) => false,
        OutputState::Streaming | OutputState::Done => true,
        OutputState::Stopped | OutputState::CutOff(_) => !column.text.is_empty(),
    }
}

/// Returns the first output that has text, with which the others are compared, and the next one; `None`: there are not
/// two.
fn compared(columns: &[Column]) -> Option<(usize, usize)> {
    let mut come = columns.iter().enumerate().filter(|(_, column)| has_come(column)).map(|(at, _)| at);
    come.next().zip(come.next())
}

/// Returns the label of the one output that is shown, where there is no room for all: `◂ 2 of 3 ▸`.
fn page(nth: usize, of: usize, width: u16) -> String {
    if width < 36 { format!(" ◂{}/{of}▸ ", nth + 1) } else { format!(" ◂ {} of {of} ▸ ", nth + 1) }
}

/// Draws the line below an output: its state, its tokens and its time.
fn foot(column: &Column, place: Rect, more: bool, buf: &mut Buffer, theme: &Theme) {
    if place.height == 0 {
        return;
    }
    let (state, style) = match column.state {
        OutputState::Unsent => ("○ not run yet".to_owned(), theme.muted),
        OutputState::Waiting => ("… waiting".to_owned(), theme.busy),
        OutputState::Retrying(_) => ("… trying again".to_owned(), theme.warn),
        OutputState::Streaming => ("● streaming".to_owned(), theme.busy),
        OutputState::Done => ("✓ done".to_owned(), theme.good),
        OutputState::Stopped => ("■ stopped".to_owned(), theme.warn),
        OutputState::CutOff(why) => (format!("✕ cut off: {}", why.line()), theme.bad),
        OutputState::Failed(_) => ("✕ failed".to_owned(), theme.bad),
    };
    let mean = column.mean.map(|mean| format!(" · mean {}", signed(mean, 2))).unwrap_or_default();
    let more = if more { " · ↓ more" } else { "" };
    let width = usize::from(place.width);
    let mut put = |y: u16, text: &str, style| {
        buf.set_stringn(place.x, y, cut(text, width), width, style);
    };
    put(place.y, &format!("{state}{mean}{more}"), style);
    // Where there is a row for the words, and one more for those that do not fit.
    match place.height {
        0 | 1 => {}
        2 => put(place.y + 1, column.foot, theme.muted),
        rows => {
            for (line, y) in wrap::lines(column.foot, width.max(1)).into_iter().zip(place.y + 1..place.y + rows) {
                put(y, line.trim_end_matches([' ', '·']), theme.muted);
            }
        }
    }
}

/// Draws what is shown where an output has no text.
fn words(column: &Column, body: Rect, buf: &mut Buffer, theme: &Theme) {
    let width = usize::from(body.width).max(1);
    let (words, style) = match column.state {
        OutputState::Failed(why) => (format!("✕ {}", why.line()), theme.bad),
        OutputState::Retrying(why) => (format!("✕ {}", why.line()), theme.warn),
        OutputState::Done => ("No text.".to_owned(), theme.muted),
        _ => return,
    };
    for (line, y) in wrap::lines(&words, width).into_iter().zip(body.y..body.bottom()) {
        buf.set_stringn(body.x, y, line, width, style);
    }
}
