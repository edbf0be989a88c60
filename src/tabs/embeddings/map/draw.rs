//! The map on the screen.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;

use super::super::pane::{Look, Read};
use super::Map;
use crate::ui::meter;
use crate::ui::rule::{Rule, cut};
use crate::ui::wrap;

/// What is always said below a map.
const WARNING: &str = "distances on a 2-D map mislead; trust the numbers in the matrix";
/// The same in fewer words, for low windows.
const SHORT: &str = "2-D distances mislead: trust numbers";
/// Lines from which on there is room for all that is said below.
const HIGH: u16 = 16;

/// From so many columns on the legend stands beside the map.
const BESIDE: u16 = 72;
/// Columns of the legend beside the map.
const LEGEND: u16 = 40;
/// Lines below a map that has its legend beside it, at most.
const FOOT: u16 = 6;

impl Map {
    pub(super) fn draw(&mut self, frame: &mut Frame, area: Rect, look: &Look, read: &Read) {
        let area = area.intersection(frame.area());
        if area.is_empty() {
            return;
        }
        let right = self.right(look, read);
        let rule = Rule { title: "Map", right: &right, right_style: look.theme.muted, focus: look.focus };
        rule.render(Rect { height: 1, ..area }, frame.buffer_mut(), look.theme);
        let inner = Rect { y: area.y + 1, height: area.height - 1, ..area };
        if self.chosen != read.cursor.0 {
            self.chosen = read.cursor.0;
            let mut view = self.view;
            self.on(read, |map| map.reveal(&mut view));
            self.view = view;
        }
        if self.points(read).is_none_or(|points| points.iter().flatten().next().is_none()) {
            self.in_sight = false;
            self.nothing(frame, inner, look, read);
            return;
        }
        let (width, legend) = self.legend(frame, inner, look, read);
        let mut foot = self.foot(inner, look, read);
        let high = ((foot.len() + legend.len()) as u16).min(inner.height.saturating_sub(2));
        let map = Rect { width, height: inner.height - high, ..inner };
        let at = self.on(read, |scatter| scatter.render(&self.view, map, frame.buffer_mut(), look.theme));
        if let Some(at) = at {
            if self.in_sight != at.is_some() {
                self.in_sight = at.is_some();
                // As many lines, one of which says what Enter does now.
                foot = self.foot(inner, look, read);
            }
            if let Some(at) = at.filter(|_| look.focus) {
                frame.set_cursor_position(at);
            }
        }
        for (line, y) in legend.iter().zip(map.bottom()..inner.bottom()) {
            frame.buffer_mut().set_line(inner.x, y, line, inner.width);
        }
        for ((words, style), y) in foot.iter().zip(map.bottom() + legend.len() as u16..inner.bottom()) {
            let room = usize::from(inner.width).saturating_sub(1);
            frame.buffer_mut().set_stringn(inner.x + 1, y, cut(words, room), room, *style);
        }
    }

    /// The legend of the labels: beside the map where there is room for both, else the lines that go below it. Gives the
    /// map's width.
    fn legend(&self, frame: &mut Frame, area: Rect, look: &Look, read: &Read) -> (u16, Vec<Line<'static>>) {
        if area.width >= BESIDE && area.height >= HIGH {
            let side = Rect { x: area.right() - LEGEND, width: LEGEND, ..area };
            let lines = self.groups.legend(read, usize::from(side.width), usize::from(side.height - FOOT), look.theme);
            if lines.is_empty() {
                return (area.width, lines);
            }
            for (line, y) in lines.iter().zip(side.y..side.bottom()) {
                frame.buffer_mut().set_line(side.x, y, line, side.width);
            }
            return (area.width - LEGEND - 1, Vec::new());
        }
        let width = usize::from(area.width);
        if area.height < HIGH {
            return (area.width, self.groups.line(read, width, look.theme).into_iter().collect());
        }
        (area.width, self.groups.legend(read, width, usize::from(area.height / 3), look.theme))
    }

    /// `2.3× · PCA 61%`.
    fn right(&self, look: &Look, read: &Read) -> String {
        let mut parts = Vec::new();
        if self.flight.of().is_some() {
            parts.push(meter::spinner(self.flight.elapsed(look.now), look.session.motion).to_owned());
        }
        if !self.view.scale().is_empty() {
            parts.push(self.view.scale());
        }
        if let Some((_, map)) = self.known.as_ref().filter(|_| self.points(read).is_some()) {
            let share = map.share.iter().sum::<f32>();
            if share.is_finite() {
                parts.push(format!("PCA {:.0}%", share * 100.0));
            }
        }
        parts.join(" · ")
    }

    /// What is said below the map.
    fn foot(&mut self, area: Rect, look: &Look, read: &Read) -> Vec<(String, Style)> {
        let theme = look.theme;
        let width = usize::from(area.width).saturating_sub(1);
        let high = area.height >= HIGH;
        let mut foot = Vec::new();
        if high {
            foot.push(("┄".repeat(width.saturating_sub(1)), theme.faint));
        }
        if look.focus {
            let row = read.cursor.0;
            let mark = if self.in_map(read, row) { "◆" } else { "—" };
            let label = read.labels.name(row).map(|label| format!("{label} · ")).unwrap_or_default();
            foot.push((format!("{mark} {}  {label}{}", read.letter(row), read.words(row)), theme.text));
            let mut near = String::new();
            for (row, cosine) in self.near.rows(read) {
                let next = format!("  {} {cosine:.2}", read.letter(*row as usize));
                if wrap::width("nearest") + wrap::width(&near) + wrap::width(&next) > width {
                    break;
                }
                near += &next;
            }
            if !near.is_empty() {
                foot.push((format!("nearest{near}"), theme.text));
            }
        }
        let absent = self.points(read).map_or(0, |points| points.iter().filter(|point| point.is_none()).count());
        if absent > 0 {
            let what = if absent == 1 { "text has" } else { "texts have" };
            let words = format!("{} {what} no place", meter::count(absent as u64));
            let whole = format!("{words}: no vector, or no numbers");
            foot.push((if wrap::width(&whole) < width { whole } else { words }, theme.warn));
        }
        if high {
            let enter = if look.focus && self.in_sight { "pair" } else { "select" };
            let keys = ["+ − zoom", "arrows pan", &format!("⏎ {enter}")];
            // Beside other panes blanks go before words.
            let keys = [keys.join("   "), keys.join(" ")].into_iter().find(|keys| wrap::width(keys) < width);
            foot.push((keys.unwrap_or_else(|| "+ − zoom".to_owned()), theme.muted));
            foot.extend(wrap::lines(WARNING, width).into_iter().map(|line| (line.to_owned(), theme.muted)));
        } else {
            let words = if wrap::width(WARNING) <= width { WARNING } else { SHORT };
            foot.push((words.to_owned(), theme.muted));
        }
        foot
    }

    fn in_map(&self, read: &Read, row: usize) -> bool {
        self.points(read).and_then(|points| *points.get(row)?).is_some()
    }

    /// Why there is no map.
    fn nothing(&self, frame: &mut Frame, area: Rect, look: &Look, read: &Read) {
        let theme = look.theme;
        let present = read.table.as_ref().map_or(0, |table| table.present());
        let air = u16::from(area.height > 6);
        let area =
            Rect { x: area.x + 1, y: area.y + air, width: area.width.saturating_sub(2), height: area.height - air };
        let (words, style) = match self.flight.failed() {
            Some(why) => (format!("✕ {}", why.line()), theme.error),
            None if read.texts.len() < 2 => ("A map needs two texts: i adds them.".to_owned(), theme.muted),
            None if read.table.is_none() && read.matrix.is_some() => {
                ("There are similarities here and no vectors, so there is no map.".to_owned(), theme.muted)
            }
            None if present < 2 => ("No vectors here yet: ^R embeds the texts.".to_owned(), theme.muted),
            None if self.flight.of().is_some() => {
                if let Some(progress) = self.flight.progress("turns", look.now, look.session.motion) {
                    let y = area.y + 1.min(area.height.saturating_sub(1));
                    progress.render(Rect { y, height: 1.min(area.height), ..area }, frame.buffer_mut(), theme);
                }
                return;
            }
            None => ("None of the vectors has a place: hygiene says what is wrong with them.".to_owned(), theme.warn),
        };
        for (line, y) in wrap::lines(&words, usize::from(area.width)).iter().zip(area.y..area.bottom()) {
            frame.buffer_mut().set_stringn(area.x, y, line, usize::from(area.width), style);
        }
    }
}
