//! The comparison on the screen: what is compared, the figures in words, the pairs that moved most.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::super::pane::{Look, Read};
use super::{Compare, With};
use crate::record::VectorKey;
use crate::record::vectors::Agreement;
use crate::ui::meter;
use crate::ui::rule::{Rule, cut, cut_middle};
use crate::ui::table::{Align, Cell, Column, Row, Table, Width};
use crate::ui::wrap;

/// From so many columns on a pair's texts stand beside its letters.
const WIDE: u16 = 60;
/// Cells of the bar beside a share.
const BAR: usize = 20;

impl Compare {
    pub(super) fn draw(&mut self, frame: &mut Frame, area: Rect, look: &Look, read: &Read) {
        let theme = look.theme;
        let right = match (&self.told, self.asked) {
            (_, Some(_)) => "comparing…".to_owned(),
            (Some(told), _) => self.view.position(told.moved.len()),
            _ => String::new(),
        };
        let rule = Rule { title: "Compare", right: &right, right_style: theme.muted, focus: look.focus };
        rule.render(Rect { height: 1.min(area.height), ..area }, frame.buffer_mut(), theme);
        if area.height < 2 || area.width < 10 {
            return;
        }
        let width = usize::from(area.width - 2);
        let air = area.height >= 18;
        let mut lines = self.sides(look, read, width);
        if let Some((done, total)) = self.coming {
            lines.push((progress(done, total, width), theme.busy));
        }
        if let Some(why) = &self.why {
            let words = format!("✕ {}", why.line());
            lines.extend(wrap::lines(&words, width).into_iter().map(|line| (line.to_owned(), theme.error)));
        }
        if let Some(told) = &self.told {
            if air {
                lines.push((String::new(), theme.text));
            }
            lines.extend(figures(told, width).into_iter().map(|line| (line, theme.text)));
            if air {
                lines.push((String::new(), theme.text));
            }
        }
        let mut y = area.y + 1;
        for (line, style) in lines {
            if y < area.bottom() {
                frame.buffer_mut().set_stringn(area.x + 1, y, line, width, style);
                y += 1;
            }
        }
        if self.typing.is_some() {
            self.length(frame, Rect { y, height: area.bottom().saturating_sub(y).min(1), ..area }, look);
            y += 1;
        }
        self.pairs(frame, Rect { y, height: area.bottom().saturating_sub(y), ..area }, look, read);
    }

    /// What is compared with what.
    fn sides(&self, look: &Look, read: &Read, width: usize) -> Vec<(String, Style)> {
        let theme = look.theme;
        let Some(table) = &read.table else {
            return said("The texts have no vectors yet: ^R embeds them.", width, theme.muted);
        };
        let length = |length: usize| format!("{} numbers", meter::count(length as u64));
        let first = format!("1  {} · {}", name(&read.key, width / 2), length(table.dimensions()));
        let second = match &self.with {
            With::Nothing => {
                let words = "Compare them with another model (m), or with their own first numbers (d): do both find the \
                             same texts alike, and which pairs move most?";
                return [vec![(first, theme.text)], said(words, width, theme.muted)].concat();
            }
            With::Cut(cut) => format!("2  their first {}", length(*cut)),
            With::Model(key) => {
                let many = self.other.as_ref().map(|table| format!(" · {}", length(table.dimensions())));
                format!("2  {}{}", name(key, width / 2), many.unwrap_or_default())
            }
        };
        let waits = matches!(self.with, With::Model(_)) && self.other.is_none() && self.coming.is_none();
        let ask = if waits && self.why.is_none() {
            said("The texts are others now: ^R asks for its vectors of them.", width, theme.muted)
        } else {
            Vec::new()
        };
        [vec![(cut(&first, width), theme.text), (cut(&second, width), theme.text)], ask].concat()
    }

    /// The line where a length is typed.
    fn length(&self, frame: &mut Frame, area: Rect, look: &Look) {
        let Some(line) = &self.typing else { return };
        if area.is_empty() {
            return;
        }
        let label = "first numbers: ";
        let columns = wrap::width(label) as u16 + 1;
        frame.buffer_mut().set_stringn(area.x + 1, area.y, label, usize::from(area.width - 1), look.theme.accent);
        let room = area.width.saturating_sub(columns + 1);
        let place = Rect { x: area.x + columns.min(area.width), width: room, ..area };
        line.render(frame, place, look.theme.text, look.focus);
    }

    fn pairs(&mut self, frame: &mut Frame, area: Rect, look: &Look, read: &Read) {
        let theme = look.theme;
        let Some(told) = &self.told else { return };
        if area.height < 2 {
            return;
        }
        if told.moved.is_empty() {
            let words = if told.rows < 3 {
                "Fewer than three texts have a vector in both: there is nothing to rank."
            } else {
                "No pair has moved: both put them in the same order."
            };
            let width = usize::from(area.width - 2);
            for (line, y) in wrap::lines(words, width).into_iter().zip(area.y..area.bottom()) {
                frame.buffer_mut().set_stringn(area.x + 1, y, line, width, theme.muted);
            }
            return;
        }
        let most = told.moved.iter().map(|moved| moved.rank.0.max(moved.rank.1)).max().unwrap_or(0);
        let digits = meter::count(u64::from(most)).len().max(4) as u16;
        let wide = area.width >= WIDE;
        let fixed =
            |title: &str, width| Column { title: title.into(), width: Width::Fixed(width), align: Align::Right };
        let letters = if read.texts.len() > 702 { 11 } else { 5 };
        let pair = Column { title: "pair".into(), width: Width::Fixed(letters), align: Align::Left };
        // Narrow: how far comes before the ranks it is the difference of.
        let mut columns = vec![pair, fixed("cos 1", 5), fixed("cos 2", 5)];
        let ranks = [fixed("rank 1", digits.max(6)), fixed("rank 2", digits.max(6))];
        let far = fixed("moved", (digits + 1).max(5));
        if wide {
            columns.extend(ranks);
            columns.push(far);
            let text = Width::Share { weight: 1, least: 10 };
            columns.push(Column { title: "texts".into(), width: text, align: Align::Left });
        } else {
            columns.push(far);
            columns.extend(ranks);
        }
        let row = |at: usize| {
            let Some(moved) = told.moved.get(at) else { return Row::default() };
            let (one, other) = (moved.pair.0 as usize, moved.pair.1 as usize);
            let rank = |rank: u32| Cell::new(meter::count(u64::from(rank)), theme.muted);
            let far = meter::count(u64::from(moved.rank.0.abs_diff(moved.rank.1)));
            let far = if moved.rank.1 < moved.rank.0 {
                Cell::new(format!("↑{far}"), theme.ok)
            } else {
                Cell::new(format!("↓{far}"), theme.warn)
            };
            let mut cells = vec![
                Cell::new(format!("{}–{}", read.letter(one), read.letter(other)), theme.text),
                Cell::new(format!("{:.2}", moved.cosine.0), theme.text),
                Cell::new(format!("{:.2}", moved.cosine.1), theme.text),
            ];
            let ranks = [rank(moved.rank.0), rank(moved.rank.1)];
            if wide {
                cells.extend(ranks);
                cells.push(far);
                cells.push(Cell::new(format!("{} · {}", read.words(one), read.words(other)), theme.muted));
            } else {
                cells.push(far);
                cells.extend(ranks);
            }
            Row { cells, marked: false }
        };
        let mut list = area;
        if area.height > 6 {
            let title = "Pairs that moved most";
            frame.buffer_mut().set_stringn(area.x + 1, area.y, title, usize::from(area.width - 1), theme.heading);
            list = Rect { y: area.y + 1, height: area.height - 1, ..area };
        }
        let focus = look.focus && self.typing.is_none();
        let table = Table { columns: &columns, sort: None, len: told.moved.len(), row: &row, focus };
        let cursor = table.render(&mut self.view, list, frame.buffer_mut(), theme);
        if let Some(cursor) = cursor.filter(|_| focus) {
            frame.set_cursor_position(cursor);
        }
    }
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
    if width < BAR + 20 { words } else { format!("{}  {words}", meter::bar(share, BAR)) }
}

/// The figures: number, bar and words.
fn figures(told: &Agreement, width: usize) -> Vec<String> {
    let wide = width >= 58;
    let bar = |share: f64| if wide { format!("  {}", meter::bar(share.clamp(0.0, 1.0), BAR)) } else { String::new() };
    let spearman = if told.spearman.is_nan() {
        "Spearman     —   nothing to rank".to_owned()
    } else {
        let words = match told.spearman {
            s if s >= 0.95 => "nearly the same order",
            s if s >= 0.8 => "much the same order",
            s if s >= 0.5 => "alike in the large",
            s if s >= 0.2 => "little agreement",
            s if s > -0.2 => "no agreement",
            _ => "opposite orders",
        };
        format!("Spearman  {:>5.2}{}  {words}", told.spearman, bar(told.spearman))
    };
    let overlap = |(k, share): &(usize, f64)| {
        let words = match k {
            _ if !wide => String::new(),
            1 => "  both name the same one".to_owned(),
            _ => format!("  of each text's {k}, both name"),
        };
        format!("nearest {k:<2} {share:>4.0} %{}{words}", bar(*share), share = share * 100.0)
    };
    let rows = format!("{} texts in both", meter::count(told.rows as u64));
    let lines = std::iter::once(spearman).chain(told.overlap.iter().map(overlap)).chain([rows]);
    lines.map(|line| cut(&line, width)).collect()
}
