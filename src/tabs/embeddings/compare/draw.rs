//! Draws the comparison: what is compared, the figures in words, the pairs that moved most.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::super::pane::framed;
use super::{Comparand, ComparePane, Page};
use crate::component::RenderContext;
use crate::record::VectorKey;
use crate::record::vectors::Agreement;
use crate::ui::meter;
use crate::ui::pane::{Pane, Spacing, Surface};
use crate::ui::rule::{cut, cut_middle};
use crate::ui::size_class::MEDIUM;
use crate::ui::table::{Align, Table, TableCell, TableColumn, TableRow, Width};
use crate::ui::theme::{Depth, Kind, Theme};
use crate::ui::wrap;

/// Cells of the bar beside a share.
const BAR: usize = 20;

impl ComparePane {
    /// Fits the list to the area it will be drawn in.
    pub(super) fn fit(&mut self, area: Rect, spacing: Spacing) {
        let area = framed(area, spacing);
        // Styles do not matter for the size.
        let above = self.lines(area, &Theme::of(Kind::Mono, Depth::None)).len();
        let (columns, list) = (self.columns(area.width), list_area(self.below(area, above)));
        self.view.fit(&columns, self.moved_pairs(), list);
    }

    /// Returns what so many lines below the title and the line of a length leave of an area.
    fn below(&self, area: Rect, lines: usize) -> Rect {
        let y = area.y.saturating_add(1 + lines as u16).min(area.bottom()) + u16::from(self.typing.is_some());
        Rect { y, height: area.bottom().saturating_sub(y), ..area }
    }

    /// Returns the lines below the title.
    fn lines(&self, area: Rect, theme: &Theme) -> Vec<(String, Style)> {
        let width = usize::from(area.width.saturating_sub(2));
        let has_blank_rows = area.height >= 18;
        let mut lines = self.sides(theme, width);
        if let Some((done, total)) = self.coming {
            lines.push((progress(done, total, width), theme.busy));
        }
        if let Some(retry) = &self.retry {
            lines.extend(wrap::lines(retry, width).into_iter().map(|line| (line.to_owned(), theme.warn)));
        }
        if let Some(why) = &self.error {
            let words = format!("✕ {}", why.line());
            lines.extend(wrap::lines(&words, width).into_iter().map(|line| (line.to_owned(), theme.bad)));
        }
        if let Some(agreement) = &self.agreement {
            let blank = has_blank_rows.then(|| (String::new(), theme.text));
            lines.extend(blank.clone());
            lines.extend(figures(agreement, width).into_iter().map(|line| (line, theme.text)));
            lines.extend(blank);
        }
        lines
    }

    pub(super) fn draw(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let theme = context.theme;
        let focus = self.data.focus == Some(Page::Compare);
        let right = match (&self.agreement, self.asked) {
            (_, Some(_)) => "comparing…".to_owned(),
            (Some(agreement), _) => self.view.position(agreement.moved.len()),
            _ => String::new(),
        };
        let spacing = context.session.spacing();
        let (right_style, surface) = (theme.muted, Surface::Ground);
        let pane = Pane { title: "Compare", note: "", right: &right, right_style, focus, surface };
        pane.render(area, frame.buffer_mut(), theme, spacing);
        let area = framed(area, spacing);
        if area.height < 2 || area.width < 10 {
            return;
        }
        let width = usize::from(area.width - 2);
        let lines = self.lines(area, theme);
        for ((line, style), y) in lines.iter().zip(area.y + 1..area.bottom()) {
            frame.buffer_mut().set_stringn(area.x + 1, y, line, width, *style);
        }
        let below = self.below(area, lines.len());
        if self.typing.is_some() {
            let y = below.y - 1;
            let line = Rect { y, height: area.bottom().saturating_sub(y).min(1), ..area };
            self.length(frame, line, focus, context);
        }
        self.pairs(frame, below, focus && self.typing.is_none(), context);
    }

    /// Says what is compared with what.
    fn sides(&self, theme: &Theme, width: usize) -> Vec<(String, Style)> {
        let data = &self.data;
        let Some(table) = &data.table else {
            return said("The texts have no vectors yet: ^R embeds them.", width, theme.muted);
        };
        let length = |length: usize| format!("{} numbers", meter::count(length as u64));
        let first = format!("1  {} · {}", name(&data.key, width / 2), length(table.dimensions()));
        let second = match &self.with {
            Comparand::Nothing => {
                let words = "m compares with another model, d with the same vectors cut shorter: how well the two agree \
                             on what is similar, and which pairs move most.";
                return [vec![(first, theme.text)], said(words, width, theme.muted)].concat();
            }
            Comparand::Cut(cut) => format!("2  their first {}", length(*cut)),
            Comparand::Model(key) => {
                let many = self.other.as_ref().map(|table| format!(" · {}", length(table.dimensions())));
                format!("2  {}{}", name(key, width / 2), many.unwrap_or_default())
            }
        };
        let waits = matches!(self.with, Comparand::Model(_)) && self.other.is_none() && self.coming.is_none();
        let ask = if waits && self.error.is_none() {
            said("The texts have changed: ^R asks for their vectors under this model.", width, theme.muted)
        } else {
            Vec::new()
        };
        [vec![(cut(&first, width), theme.text), (cut(&second, width), theme.text)], ask].concat()
    }

    /// Draws the line where a length is typed.
    fn length(&self, frame: &mut Frame, area: Rect, focus: bool, context: RenderContext) {
        let Some(line) = &self.typing else { return };
        if area.is_empty() {
            return;
        }
        let label = "first numbers: ";
        let columns = wrap::width(label) as u16 + 1;
        frame.buffer_mut().set_stringn(area.x + 1, area.y, label, usize::from(area.width - 1), context.theme.accent);
        let room = area.width.saturating_sub(columns + 1);
        let place = Rect { x: area.x + columns.min(area.width), width: room, ..area };
        line.render(frame, place, context.theme.text, focus);
    }

    fn columns(&self, width: u16) -> Vec<TableColumn> {
        let moved = self.agreement.iter().flat_map(|agreement| &agreement.moved);
        let most = moved.map(|moved| moved.rank.0.max(moved.rank.1)).max().unwrap_or(0);
        let digits = meter::count(u64::from(most)).len().max(4) as u16;
        let fixed =
            |title: &str, width| TableColumn { title: title.into(), width: Width::Fixed(width), align: Align::Right };
        let letters = if self.data.texts.len() > 702 { 11 } else { 5 };
        let pair = TableColumn { title: "pair".into(), width: Width::Fixed(letters), align: Align::Left };
        // Narrow: how far comes before the ranks it is the difference of.
        let mut columns = vec![pair, fixed("cos 1", 5), fixed("cos 2", 5)];
        let ranks = [fixed("rank 1", digits.max(6)), fixed("rank 2", digits.max(6))];
        let far = fixed("moved", (digits + 1).max(5));
        if width >= MEDIUM {
            columns.extend(ranks);
            columns.push(far);
            let text = Width::Share { weight: 1, least: 10 };
            columns.push(TableColumn { title: "texts".into(), width: text, align: Align::Left });
        } else {
            columns.push(far);
            columns.extend(ranks);
        }
        columns
    }

    fn pairs(&self, frame: &mut Frame, area: Rect, focus: bool, context: RenderContext) {
        let (theme, data) = (context.theme, &self.data);
        let Some(agreement) = self.agreement.as_ref().filter(|_| area.height >= 2) else { return };
        if agreement.moved.is_empty() {
            let words = if agreement.rows < 3 {
                "Fewer than three texts have a vector in both: there is nothing to rank."
            } else {
                "No pair has moved: both have the same order."
            };
            let width = usize::from(area.width - 2);
            for (line, y) in wrap::lines(words, width).into_iter().zip(area.y..area.bottom()) {
                frame.buffer_mut().set_stringn(area.x + 1, y, line, width, theme.muted);
            }
            return;
        }
        let (columns, wide) = (self.columns(area.width), area.width >= MEDIUM);
        let row = |at: usize| {
            let Some(moved) = agreement.moved.get(at) else { return TableRow::default() };
            let (one, other) = (moved.pair.0 as usize, moved.pair.1 as usize);
            let rank = |rank: u32| TableCell::new(meter::count(u64::from(rank)), theme.muted);
            let far = meter::count(u64::from(moved.rank.0.abs_diff(moved.rank.1)));
            // Neither way is good or bad.
            let arrow = if moved.rank.1 < moved.rank.0 { "↑" } else { "↓" };
            let far = TableCell::new(format!("{arrow}{far}"), theme.text);
            let mut cells = vec![
                TableCell::new(format!("{}–{}", data.letter(one), data.letter(other)), theme.text),
                TableCell::new(format!("{:.2}", moved.cosine.0), theme.text),
                TableCell::new(format!("{:.2}", moved.cosine.1), theme.text),
            ];
            let ranks = [rank(moved.rank.0), rank(moved.rank.1)];
            if wide {
                cells.extend(ranks);
                cells.push(far);
                cells.push(TableCell::new(format!("{} · {}", data.words(one), data.words(other)), theme.muted));
            } else {
                cells.push(far);
                cells.extend(ranks);
            }
            TableRow { cells, marked: false }
        };
        let list = list_area(area);
        if list.y > area.y {
            let title = "Pairs that moved most";
            frame.buffer_mut().set_stringn(area.x + 1, area.y, title, usize::from(area.width - 1), theme.heading);
        }
        let table = Table { columns: &columns, sort: None, len: agreement.moved.len(), row: &row, focus };
        if let Some(cursor) = table.render(self.view, list, frame.buffer_mut(), theme).filter(|_| focus) {
            frame.set_cursor_position(cursor);
        }
    }
}

/// Returns the area of the list of pairs, below its title where there is room for one.
fn list_area(area: Rect) -> Rect {
    if area.height > 6 { Rect { y: area.y + 1, height: area.height - 1, ..area } } else { area }
}

fn name(key: &VectorKey, width: usize) -> String {
    let model = cut_middle(&key.model.line(), width.max(8));
    key.dimensions.map_or(model.clone(), |dimensions| format!("{model} at {}", meter::count(u64::from(dimensions))))
}

fn said(words: &str, width: usize, style: Style) -> Vec<(String, Style)> {
    wrap::lines(words, width).into_iter().map(|line| (line.to_owned(), style)).collect()
}

fn progress(done: usize, total: usize, width: usize) -> String {
    let count = |number: usize| meter::count(number as u64);
    let share = done as f64 / total.max(1) as f64;
    let words = format!("{} of {} texts", count(done), count(total));
    if width < BAR + 20 { words } else { format!("{}  {words}", meter::thin(share, BAR)) }
}

/// Returns the figures as lines: number, bar and words.
fn figures(agreement: &Agreement, width: usize) -> Vec<String> {
    let wide = width >= 58;
    let bar = |share: f64| if wide { format!("  {}", meter::thin(share.clamp(0.0, 1.0), BAR)) } else { String::new() };
    let spearman = if agreement.spearman.is_nan() {
        "Spearman     —   nothing to rank".to_owned()
    } else {
        let words = match agreement.spearman {
            s if s >= 0.95 => "nearly the same order",
            s if s >= 0.8 => "much the same order",
            s if s >= 0.5 => "roughly the same order",
            s if s >= 0.2 => "little agreement",
            s if s > -0.2 => "no agreement",
            _ => "opposite orders",
        };
        format!("Spearman  {:>5.2}{}  {words}", agreement.spearman, bar(agreement.spearman))
    };
    let overlap = |(k, share): &(usize, f64)| {
        let words = match k {
            _ if !wide => String::new(),
            1 => "  the same for both".to_owned(),
            _ => format!("  of each text's {k} are the same"),
        };
        format!("nearest {k:<2} {:>5} {}{words}", meter::percent(*share), bar(*share))
    };
    let rows = format!("{} texts in both", meter::count(agreement.rows as u64));
    let lines = std::iter::once(spearman).chain(agreement.overlap.iter().map(overlap)).chain([rows]);
    lines.map(|line| cut(&line, width)).collect()
}
