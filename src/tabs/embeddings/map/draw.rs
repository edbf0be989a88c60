//! Draws the map.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;

use super::super::pane::framed;
use super::super::pane_data::VectorStatus;
use super::{MapMethod, MapPane};
use crate::component::RenderContext;
use crate::ui::meter;
use crate::ui::pane::{Pane, Spacing, Surface};
use crate::ui::rule::cut;
use crate::ui::scatter::density_key;
use crate::ui::theme::{Depth, Kind, Theme};
use crate::ui::wrap;

/// What is always said below a map.
const WARNING: &str = "Distances on a map mislead; the matrix has the numbers.";
/// The same in fewer words, for low windows.
const SHORT: &str = "Distances on a map mislead.";
/// Lines from which on there is room for all that is said below.
const HIGH: u16 = 16;

/// From so many columns on the legend stands beside the map.
const BESIDE: u16 = 72;
/// Columns of the legend beside the map.
const LEGEND: u16 = 40;
/// Lines below a map that has its legend beside it, at most.
const FOOT: u16 = 7;

/// The legend as it stands with the map.
enum Legend {
    Beside(Rect, Vec<Line<'static>>),
    Below(Vec<Line<'static>>),
}

/// Returns what the legend and so many lines below leave of an area.
fn map_area(area: Rect, legend: &Legend, foot: usize) -> Rect {
    let (width, lines) = match legend {
        Legend::Beside(..) => (area.width - LEGEND - 1, 0),
        // The last column may be the screen's.
        Legend::Below(lines) => (area.width.saturating_sub(1), lines.len()),
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
        let right = self.right(area.width, context);
        let spacing = context.session.spacing();
        // Beside the matrix it is a side pane.
        let surface = if self.resize.is_empty() { Surface::Ground } else { Surface::Panel };
        let (right_style, focus) = (context.theme.muted, self.has_focus());
        let pane = Pane { title: "Map", note: "", right: &right, right_style, focus, surface };
        pane.render(area, frame.buffer_mut(), context.theme, spacing);
        let area = framed(area, spacing);
        let inner = Rect { y: area.y + 1, height: area.height - 1, ..area };
        if !self.is_drawn() {
            return self.nothing(frame, inner, context);
        }
        let mut foot = self.foot(inner, context.theme);
        self.tell_tsne(&mut foot, usize::from(inner.width).saturating_sub(1), context);
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
        for (line, y) in foot.iter().zip(map.bottom() + legend.len() as u16..inner.bottom()) {
            frame.buffer_mut().set_line(inner.x + 1, y, line, inner.width.saturating_sub(1));
        }
    }

    /// Says in the last line of the foot how far t-SNE is, or why it failed: the line is there in any case.
    fn tell_tsne(&self, foot: &mut [Line<'static>], width: usize, context: RenderContext) {
        let theme = context.theme;
        let failed = self.tsne.failed().filter(|_| self.method == MapMethod::Tsne);
        let said = match (self.tsne.progress(context.now, context.session.motion), failed) {
            (Some(progress), _) => Line::styled(progress.line(width), theme.busy),
            (None, Some(why)) => Line::styled(cut(&format!("✕ {}", why.line()), width), theme.bad),
            (None, None) => return,
        };
        if let Some(last) = foot.last_mut() {
            *last = said;
        }
    }

    /// Returns whether there are points to draw.
    pub(super) fn is_drawn(&self) -> bool {
        self.map().is_some_and(|map| map.points.iter().flatten().next().is_some())
    }

    /// Returns the area of the points alone in the pane's area.
    pub(super) fn map_area(&self, area: Rect, spacing: Spacing) -> Rect {
        let area = framed(area, spacing);
        // Styles do not matter for the size.
        let theme = Theme::of(Kind::Mono, Depth::None);
        let inner = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
        map_area(inner, &self.legend(inner, &theme), self.foot(inner, &theme).len())
    }

    /// Returns the legend of the labels: beside the map where there is room for both, else below it.
    fn legend(&self, area: Rect, theme: &Theme) -> Legend {
        let width = usize::from(area.width);
        // Beside the list, which counts them, there is no need of it until the map has the keys.
        let needed = self.has_focus() || self.resize.is_empty();
        let Some(groups) = self.shown_groups().filter(|_| needed) else { return Legend::Below(Vec::new()) };
        let rows = |width, rows: u16| self.groups.legend(groups, width, usize::from(rows), theme);
        if area.height < HIGH {
            return Legend::Below(self.groups.line(groups, width, theme).into_iter().collect());
        }
        if area.width < BESIDE {
            return Legend::Below(rows(width, area.height / 3));
        }
        let side = Rect { x: area.right() - LEGEND, width: LEGEND, ..area };
        let lines = rows(usize::from(LEGEND), side.height - FOOT);
        if lines.is_empty() { Legend::Below(lines) } else { Legend::Beside(side, lines) }
    }

    /// Returns the zoom, the variance shown and how to resize, as far as there is room: `2.3×   PCA 61%   + wider`.
    fn right(&self, width: u16, context: RenderContext) -> String {
        let mut parts = Vec::new();
        if let Some(busy) = [&self.components, &self.tsne].into_iter().find(|points| points.is_busy()) {
            parts.push(meter::spinner(busy.elapsed(context.now), context.session.motion).to_owned());
        }
        if !self.view.scale().is_empty() {
            parts.push(self.view.scale());
        }
        match self.laid_out() {
            Some((_, MapMethod::Tsne)) => parts.push("t-SNE".to_owned()),
            Some((map, MapMethod::Components)) => {
                let share = map.share.iter().sum::<f32>();
                if share.is_finite() {
                    parts.push(format!("PCA {}", meter::percent(f64::from(share))));
                }
            }
            None => {}
        }
        let known = parts.join("   ");
        parts.push(self.resize.to_owned());
        let resize = parts.join("   ");
        if self.resize.is_empty() || wrap::width(&resize) + 14 > usize::from(width) { known } else { resize }
    }

    /// Returns what is said below the map.
    fn foot(&self, area: Rect, theme: &Theme) -> Vec<Line<'static>> {
        let data = &self.data;
        let width = usize::from(area.width).saturating_sub(1);
        let high = area.height >= HIGH;
        let mut foot = Vec::new();
        let mut say = |words: String, style: Style| foot.push(Line::styled(cut(&words, width), style));
        if high {
            say(String::new(), theme.text);
        }
        if self.has_focus() {
            let row = data.cursor.0;
            let mark = if self.in_map(row) { "◆" } else { "—" };
            let label = self.shown_groups().and_then(|groups| groups.all.name(row));
            let label = label.map(|label| format!("{label} · ")).unwrap_or_default();
            say(format!("{mark} {}  {label}{}", data.letter(row), data.words(row)), theme.text);
            let mut near = String::new();
            for (row, cosine) in self.near.rows(data) {
                let next = format!("  {} {cosine:.2}", data.letter(*row as usize));
                if wrap::width("nearest") + wrap::width(&near) + wrap::width(&next) > width {
                    break;
                }
                near += &next;
            }
            if !near.is_empty() {
                say(format!("nearest{near}"), theme.text);
            }
        }
        let absent = self.map().map_or(0, |map| map.points.iter().filter(|point| point.is_none()).count());
        if absent > 0 {
            let what = if absent == 1 { "text" } else { "texts" };
            let words = format!("{} {what} not shown", meter::count(absent as u64));
            let whole = format!("{words}: no vector, or not only numbers");
            say(if wrap::width(&whole) < width { whole } else { words }, theme.warn);
        }
        if let Some(retry) = &self.retry {
            say(retry.clone(), theme.warn);
        }
        if high && self.on(|map| map.is_crowded(&self.view, area)) == Some(true) {
            foot.push(density_key(self.shown_groups().is_some(), theme));
        }
        if high {
            foot.extend(wrap::lines(WARNING, width).into_iter().map(|line| Line::styled(line.to_owned(), theme.faint)));
        } else {
            let words = if wrap::width(WARNING) <= width { WARNING } else { SHORT };
            foot.push(Line::styled(words, theme.faint));
        }
        foot
    }

    fn in_map(&self, row: usize) -> bool {
        self.map().and_then(|map| *map.points.get(row)?).is_some()
    }

    /// Draws why there is no map.
    fn nothing(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let data = &self.data;
        let theme = context.theme;
        let present = data.table.as_ref().map_or(0, |table| table.present());
        let blank_rows = u16::from(area.height > 6);
        let area = Rect {
            x: area.x + 1,
            y: area.y + blank_rows,
            width: area.width.saturating_sub(2),
            height: area.height - blank_rows,
        };
        let (words, style) = match self.components.failed() {
            Some(why) => (format!("✕ {}", why.line()), theme.bad),
            None if data.texts.is_empty() => return,
            None if data.texts.len() < 2 => ("A map needs two texts: a adds one.".to_owned(), theme.muted),
            None if data.table.is_none() && data.matrix.is_some() => {
                ("These are similarities without vectors, so there is no map.".to_owned(), theme.muted)
            }
            None if present < 2 && data.statuses.contains(&VectorStatus::Waiting) => match &self.retry {
                Some(retry) => (retry.clone(), theme.warn),
                None => ("The map waits for two vectors.".to_owned(), theme.muted),
            },
            None if present < 2 => ("No vectors here yet: ^R embeds the texts.".to_owned(), theme.muted),
            None if self.components.is_busy() => {
                if let Some(progress) = self.components.progress(context.now, context.session.motion) {
                    let y = area.y + 1.min(area.height.saturating_sub(1));
                    progress.render(Rect { y, height: 1.min(area.height), ..area }, frame.buffer_mut(), theme);
                }
                return;
            }
            None => ("None of the vectors can be placed on the map; H shows why.".to_owned(), theme.warn),
        };
        for (line, y) in wrap::lines(&words, usize::from(area.width)).iter().zip(area.y..area.bottom()) {
            frame.buffer_mut().set_stringn(area.x, y, line, usize::from(area.width), style);
        }
    }
}
