//! The map on the screen.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;

use super::MapPane;
use crate::component::RenderContext;
use crate::ui::meter;
use crate::ui::rule::{Rule, cut};
use crate::ui::theme::{Depth, Kind, Theme};
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

/// The legend as it stands with the map.
enum Legend {
    Beside(Rect, Vec<Line<'static>>),
    Below(Vec<Line<'static>>),
}

/// Returns what the legend and so many lines below leave of an area.
fn map_area(area: Rect, legend: &Legend, foot: usize) -> Rect {
    let (width, lines) = match legend {
        Legend::Beside(..) => (area.width - LEGEND - 1, 0),
        Legend::Below(lines) => (area.width, lines.len()),
    };
    let below = ((foot + lines) as u16).min(area.height.saturating_sub(2));
    Rect { width, height: area.height - below, ..area }
}

impl MapPane {
    pub(super) fn draw(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let area = area.intersection(frame.area());
        if area.is_empty() {
            return;
        }
        let right = self.right(context);
        let rule = Rule { title: "Map", right: &right, right_style: context.theme.muted, focus: self.has_focus() };
        rule.render(Rect { height: 1, ..area }, frame.buffer_mut(), context.theme);
        let inner = Rect { y: area.y + 1, height: area.height - 1, ..area };
        if !self.is_drawn() {
            return self.nothing(frame, inner, context);
        }
        let foot = self.foot(inner, context.theme);
        let legend = self.legend(inner, context.theme);
        let map = map_area(inner, &legend, foot.len());
        let at = self.on(|scatter| scatter.render(&self.view, map, frame.buffer_mut(), context.theme)).flatten();
        if let Some(at) = at.filter(|_| self.has_focus()) {
            frame.set_cursor_position(at);
        }
        let legend = match legend {
            Legend::Beside(side, lines) => {
                for (line, y) in lines.iter().zip(side.y..side.bottom()) {
                    frame.buffer_mut().set_line(side.x, y, line, side.width);
                }
                Vec::new()
            }
            Legend::Below(lines) => lines,
        };
        for (line, y) in legend.iter().zip(map.bottom()..inner.bottom()) {
            frame.buffer_mut().set_line(inner.x, y, line, inner.width);
        }
        for ((words, style), y) in foot.iter().zip(map.bottom() + legend.len() as u16..inner.bottom()) {
            let room = usize::from(inner.width).saturating_sub(1);
            frame.buffer_mut().set_stringn(inner.x + 1, y, cut(words, room), room, *style);
        }
    }

    /// Whether there are points to draw.
    pub(super) fn is_drawn(&self) -> bool {
        self.points().is_some_and(|points| points.iter().flatten().next().is_some())
    }

    /// Returns the area of the points alone in the pane's area.
    pub(super) fn map_area(&self, area: Rect) -> Rect {
        // Styles do not matter for the size.
        let theme = Theme::of(Kind::Mono, Depth::None);
        let inner = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
        map_area(inner, &self.legend(inner, &theme), self.foot(inner, &theme).len())
    }

    /// Returns the legend of the labels: beside the map where there is room for both, else below it.
    fn legend(&self, area: Rect, theme: &Theme) -> Legend {
        let width = usize::from(area.width);
        let rows = |width, rows: u16| self.groups.legend(&self.data, width, usize::from(rows), theme);
        if area.height < HIGH {
            return Legend::Below(self.groups.line(&self.data, width, theme).into_iter().collect());
        }
        if area.width < BESIDE {
            return Legend::Below(rows(width, area.height / 3));
        }
        let side = Rect { x: area.right() - LEGEND, width: LEGEND, ..area };
        let lines = rows(usize::from(LEGEND), side.height - FOOT);
        if lines.is_empty() { Legend::Below(lines) } else { Legend::Beside(side, lines) }
    }

    /// Returns the zoom and the variance shown, such as `2.3× · PCA 61%`.
    fn right(&self, context: RenderContext) -> String {
        let mut parts = Vec::new();
        if self.job.of().is_some() {
            parts.push(meter::spinner(self.job.elapsed(context.now), context.session.motion).to_owned());
        }
        if !self.view.scale().is_empty() {
            parts.push(self.view.scale());
        }
        if let Some((_, map)) = self.known.as_ref().filter(|_| self.points().is_some()) {
            let share = map.share.iter().sum::<f32>();
            if share.is_finite() {
                parts.push(format!("PCA {:.0}%", share * 100.0));
            }
        }
        parts.join(" · ")
    }

    /// Returns what is said below the map.
    fn foot(&self, area: Rect, theme: &Theme) -> Vec<(String, Style)> {
        let data = &self.data;
        let width = usize::from(area.width).saturating_sub(1);
        let high = area.height >= HIGH;
        let mut foot = Vec::new();
        if high {
            foot.push(("┄".repeat(width.saturating_sub(1)), theme.faint));
        }
        if self.has_focus() {
            let row = data.cursor.0;
            let mark = if self.in_map(row) { "◆" } else { "—" };
            let label = data.labels.name(row).map(|label| format!("{label} · ")).unwrap_or_default();
            foot.push((format!("{mark} {}  {label}{}", data.letter(row), data.words(row)), theme.text));
            let mut near = String::new();
            for (row, cosine) in self.near.rows(data) {
                let next = format!("  {} {cosine:.2}", data.letter(*row as usize));
                if wrap::width("nearest") + wrap::width(&near) + wrap::width(&next) > width {
                    break;
                }
                near += &next;
            }
            if !near.is_empty() {
                foot.push((format!("nearest{near}"), theme.text));
            }
        }
        let absent = self.points().map_or(0, |points| points.iter().filter(|point| point.is_none()).count());
        if absent > 0 {
            let what = if absent == 1 { "text has" } else { "texts have" };
            let words = format!("{} {what} no place", meter::count(absent as u64));
            let whole = format!("{words}: no vector, or no numbers");
            foot.push((if wrap::width(&whole) < width { whole } else { words }, theme.warn));
        }
        if high {
            let enter = if self.has_focus() && self.in_sight { "pair" } else { "select" };
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

    fn in_map(&self, row: usize) -> bool {
        self.points().and_then(|points| *points.get(row)?).is_some()
    }

    /// Why there is no map.
    fn nothing(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let data = &self.data;
        let theme = context.theme;
        let present = data.table.as_ref().map_or(0, |table| table.present());
        let air = u16::from(area.height > 6);
        let area =
            Rect { x: area.x + 1, y: area.y + air, width: area.width.saturating_sub(2), height: area.height - air };
        let (words, style) = match self.job.failed() {
            Some(why) => (format!("✕ {}", why.line()), theme.bad),
            None if data.texts.len() < 2 => ("A map needs two texts: i adds them.".to_owned(), theme.muted),
            None if data.table.is_none() && data.matrix.is_some() => {
                ("There are similarities here and no vectors, so there is no map.".to_owned(), theme.muted)
            }
            None if present < 2 => ("No vectors here yet: ^R embeds the texts.".to_owned(), theme.muted),
            None if self.job.of().is_some() => {
                if let Some(progress) = self.job.progress("turns", context.now, context.session.motion) {
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
