//! Draws the dialog.

use std::time::Instant;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use unicode_width::UnicodeWidthStr;

use super::columns::{ChooserField, form};
use super::{FileChooser, Looking};
use crate::component::{RenderContext, border};
use crate::record::Bench;
use crate::record::work::{LeftOut, Peek};
use crate::text::Untrusted;
use crate::ui::meter;
use crate::ui::overlay::{self, Words};
use crate::ui::rule::{cut, cut_middle, pad};
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Names shown at once.
const NAMES: u16 = 10;
/// Columns and rows of the box at most.
const WIDEST: u16 = 96;
const HIGHEST: u16 = 20;
/// Columns of a cell that is neither text nor label.
const OTHER: usize = 14;

impl<E> FileChooser<E> {
    /// Draws it as a box over `area`.
    pub(super) fn draw(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let RenderContext { theme, now, session } = context;
        let area = area.intersection(frame.area());
        let title = match self.purpose {
            Bench::Moderate => "A file of texts to moderate",
            Bench::Embed => "A file of texts to embed",
            Bench::Score => "A file of rows to score with",
        };
        let foot = border(&self.keys_now(), self.next_escape(), WIDEST.min(area.width));
        let words = Words { title, foot: &foot, ..Words::default() };
        let inside = overlay::boxed(frame, area, (WIDEST, HIGHEST), &words, theme);
        if inside.is_empty() {
            return;
        }
        match &self.file {
            Some((peek, choice)) => looked_at(frame, inside, peek, *choice, self.left_out.as_ref(), theme),
            None => self.names(frame, inside, theme),
        }
        if let Some(looking) = &self.looking {
            let words = said(looking, now, session.motion);
            let y = inside.bottom() - 1;
            put(frame, Rect { y, height: 1, ..inside }, &words, theme.busy);
        } else if let Some(note) = self.note.clone().or_else(|| self.path.note().map(Into::into)) {
            says(frame, inside, &note, theme);
        }
    }

    /// Fits the list of names to the area the box is drawn over.
    pub(super) fn fit(&mut self, area: Rect) {
        let rows = names(overlay::inside(area, (WIDEST, HIGHEST))).height;
        self.path.arrange(usize::from(rows));
    }

    /// Draws the path that is typed, and the names that complete it.
    fn names(&self, frame: &mut Frame, inside: Rect, theme: &Theme) {
        let label = "path  ";
        let wide = label.width() as u16;
        put(frame, Rect { height: 1, ..inside }, label, theme.muted);
        let line = Rect { x: inside.x + wide, width: inside.width.saturating_sub(wide), height: 1, ..inside };
        self.path.render_line(frame, line, theme);
        let list = names(inside);
        if self.path.has_no_names() {
            let words = match (self.path.is_waiting(), self.path.is_empty()) {
                (true, _) => "",
                (false, true) => "type a path, or drop a file here; tab lists what is in a folder",
                (false, false) => "no file name begins with this",
            };
            for (line, y) in wrap::lines(words, usize::from(list.width).max(1)).into_iter().zip(list.y..list.bottom()) {
                put(frame, Rect { y, height: 1, ..list }, line, theme.faint);
            }
            return;
        }
        self.path.render_names(frame, list, theme);
    }
}

/// Returns where the names stand inside the box.
fn names(inside: Rect) -> Rect {
    Rect { y: inside.y + 2, height: inside.height.saturating_sub(4).min(NAMES), ..inside }
}

/// Draws a file that was looked at: choices, then its first rows.
fn looked_at(
    frame: &mut Frame,
    inside: Rect,
    peek: &Peek,
    choice: ChooserField,
    left_out: Option<&LeftOut>,
    theme: &Theme,
) {
    let width = usize::from(inside.width);
    put(frame, inside, &cut_middle(&peek.path.line(), width), theme.text);
    let count = peek.count.map_or_else(
        || "too large to count".to_owned(),
        |count| match count {
            1 => "1 row".to_owned(),
            count => format!("{} rows", meter::count(count)),
        },
    );
    let rows = inside.height;
    if rows < 4 {
        return;
    }
    let below = Rect { y: inside.y + 1, height: 1, ..inside };
    put(frame, below, &format!("{count} · {}", meter::bytes(peek.bytes)), theme.muted);
    let (columns, choice) = (peek.columns, choice.within(peek.columns.layout));
    let reasons = left_out.map(LeftOut::by_reason).unwrap_or_default();
    let lines: Vec<&str> = reasons.iter().flat_map(|reason| wrap::lines(reason, width)).collect();
    // The choices below stay on the screen.
    let room = usize::from(rows).saturating_sub(3 + ChooserField::all(columns.layout).len()).max(1);
    let mut y = inside.y + 2;
    for (nth, line) in lines.iter().take(room).enumerate() {
        let more = nth + 1 == room && lines.len() > room;
        let line =
            if more { cut(&format!("{}…", cut(line, width.saturating_sub(1))), width) } else { (*line).to_owned() };
        put(frame, Rect { y, height: 1, ..inside }, &line, theme.warn);
        y += 1;
    }
    if reasons.is_empty() || rows > 8 {
        y += 1;
    }
    let fields = Rect { y, height: inside.bottom().saturating_sub(y + 1), ..inside };
    y += draw_fields(frame, fields, peek, choice, theme);
    let table = Rect { y: y + 1, height: inside.bottom().saturating_sub(y + 2), ..inside };
    rows_of(frame, table, peek, theme);
}

/// Draws what the file is read as, the choice under the cursor between arrows. Returns how many rows that takes.
fn draw_fields(frame: &mut Frame, area: Rect, peek: &Peek, choice: ChooserField, theme: &Theme) -> u16 {
    let (columns, width) = (peek.columns, usize::from(area.width));
    let name = |at: usize| peek.names.get(at).map(|name| name.line().into_owned()).unwrap_or_default();
    let fields = ChooserField::all(columns.layout);
    for (each, y) in fields.iter().zip(area.y..area.bottom()) {
        let (label, value) = match each {
            ChooserField::Text => ("text", name(columns.text)),
            ChooserField::Label => ("label", columns.label.map_or_else(|| "none".to_owned(), name)),
            ChooserField::Form => ("format", form(columns.layout).to_owned()),
            ChooserField::Header => ("first row", if columns.header { "column names" } else { "a text" }.to_owned()),
        };
        let is_selected = *each == choice;
        let value = cut(&value, width.saturating_sub(18));
        let words =
            if is_selected { format!("▸ {label:<10} ‹ {value} ›") } else { format!("  {label:<10}   {value}") };
        put(frame, Rect { y, height: 1, ..area }, &words, if is_selected { theme.accent } else { theme.text });
        if is_selected {
            frame.set_cursor_position(Position::new(area.x, y));
        }
    }
    area.height.min(fields.len() as u16)
}

/// Draws the first rows as a table: the text, the label, then what else there is room for.
fn rows_of(frame: &mut Frame, area: Rect, peek: &Peek, theme: &Theme) {
    if area.height < 2 {
        return;
    }
    let columns = peek.columns;
    let chosen = [Some(columns.text), columns.label];
    let others = (0..peek.names.len()).filter(|at| !chosen.contains(&Some(*at)));
    let room = usize::from(area.width);
    let fits = (room / 2 / (OTHER + 2)).saturating_sub(usize::from(columns.label.is_some()));
    let shown: Vec<usize> = columns.label.into_iter().chain(others.take(fits)).collect();
    let widths: Vec<usize> = shown.iter().map(|_| OTHER).collect();
    let first = room.saturating_sub(widths.iter().map(|width| width + 2).sum());
    let head = |at: usize| {
        let name = peek.names[at].line();
        if at == columns.text {
            format!("{name} (text)")
        } else if Some(at) == columns.label {
            format!("{name} (label)")
        } else {
            name.into_owned()
        }
    };
    let empty = Untrusted::default();
    let line = |cell: &dyn Fn(usize) -> String| {
        let mut out = pad(&cell(columns.text), first);
        for (at, width) in shown.iter().zip(&widths) {
            out.push_str("  ");
            out.push_str(&pad(&cell(*at), *width));
        }
        out
    };
    put(frame, Rect { height: 1, ..area }, &line(&head), theme.heading);
    for (row, y) in peek.rows.iter().zip(area.y + 1..area.bottom()) {
        let cell = |at: usize| row.get(at).unwrap_or(&empty).line().into_owned();
        put(frame, Rect { y, height: 1, ..area }, &line(&cell), theme.muted);
    }
}

fn said(looking: &Looking, now: Instant, motion: bool) -> String {
    let spinner = meter::spinner(now.saturating_duration_since(looking.since), motion);
    match looking.moved {
        Some((done, total)) => {
            format!("{spinner} reading it: {} of {}", meter::bytes(done), meter::bytes(total))
        }
        None => format!("{spinner} reading it"),
    }
}

/// Draws a sentence about what failed at the bottom, in at most three rows.
fn says(frame: &mut Frame, inside: Rect, note: &Untrusted, theme: &Theme) {
    let note = note.line();
    let mut lines = wrap::lines(&note, usize::from(inside.width).saturating_sub(2).max(1));
    lines.truncate(usize::from(inside.height).min(3));
    let top = inside.bottom() - lines.len() as u16;
    for (at, (line, y)) in lines.iter().zip(top..).enumerate() {
        let row = Rect { y, height: 1, ..inside };
        frame.render_widget(ratatui::widgets::Clear, row);
        frame.buffer_mut().set_style(row, theme.raised);
        let mark = if at == 0 { "✕ " } else { "  " };
        put(frame, row, &format!("{mark}{line}"), theme.bad);
    }
}

fn put(frame: &mut Frame, area: Rect, words: &str, style: Style) {
    if !area.is_empty() && area.y < frame.area().bottom() {
        frame.buffer_mut().set_stringn(area.x, area.y, words, usize::from(area.width), style);
    }
}
