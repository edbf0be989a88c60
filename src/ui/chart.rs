//! Curves over steps in braille, 2 × 4 dots a cell, or `·` where the terminal has none.
//!
//! ```text
//!  2.0┤⠤⡄
//!     │⣀⡹⢶
//!  1.0┤ ⠹⢼⡆⢠⡄
//!     │  ⠈⠻⣟⡇⠤⣄⣀   B
//!  0.0┤     ⣷⣦⠉⠉⠛⠒A
//!     └──────────────
//!      0    500  1,240
//! ```
//!
//! For any number of points, each column of dots shows the whole range of the values in it: a single spike among a
//! million is drawn. NaN breaks the line. Work that depends on the number of points is done when the data, the visible
//! part or the size changes ([`View`] caches it); the cost of a frame depends on its cells.

mod axis;
mod curves;
mod draw;
mod number;
mod raster;
mod scale;
mod trace;
mod view;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use self::curves::last_until;
use super::theme::Theme;

pub use self::curves::{BY_LENGTH, Chart, LOOKS, LeftOut, Series};
pub use self::number::{exact, tick};
pub use self::view::View;

impl Chart<'_> {
    /// Fits the view to an area, as a frame does: the distance that keys move depends on it.
    pub fn fit(&self, view: &mut View, area: Rect) {
        if !area.is_empty() {
            draw::fit(self, view, area);
        }
    }

    /// Draws the chart with axes and labels. Returns where the cursor is, if it is visible.
    pub fn render(&self, view: &mut View, area: Rect, buf: &mut Buffer, theme: &Theme) -> Option<Position> {
        let area = area.intersection(buf.area);
        if area.is_empty() {
            return None;
        }
        draw::draw(self, view, area, buf, theme)
    }

    /// Moves the cursor by columns of cells, right if positive, to a step with a value; without a cursor to the last
    /// visible step. The view follows.
    pub fn go(&self, view: &mut View, columns: i16) {
        let (Some((first, last)), Some(extent)) = (self.span(), self.extent()) else { return };
        let (low, high) = view.window.unwrap_or(extent);
        let Some(at) = view.cursor.filter(|at| (first..=last).contains(at)) else {
            view.cursor = self.before(high).or_else(|| self.after(high));
            return;
        };
        let column = (high / 2.0 - low / 2.0) / f64::from(view.columns.max(2) - 1) * 2.0;
        let wanted = at + column * f64::from(columns);
        // A column without values is skipped.
        let to = if columns > 0 {
            self.after(wanted.min(last).max(at.next_up()))
        } else {
            self.before(wanted.max(first).min(at.next_down()))
        };
        view.cursor = to.or(view.cursor);
        self.reveal(view);
    }

    /// Moves the cursor to the next (positive) or previous step that has a value.
    pub fn step(&self, view: &mut View, steps: i16) {
        for _ in 0..steps.unsigned_abs() {
            let Some(at) = view.cursor else { return self.go(view, 0) };
            let to = if steps > 0 { self.after(at.next_up()) } else { self.before(at.next_down()) };
            view.cursor = to.or(view.cursor);
        }
        self.reveal(view);
    }

    /// Moves the cursor to the first (`false`) or the last step of all.
    pub fn edge(&self, view: &mut View, last: bool) {
        view.cursor = self.span().map(|span| if last { span.1 } else { span.0 });
        self.reveal(view);
    }

    /// Shows half as many steps for each step of zoom, or twice as many where negative, around the cursor; without one
    /// around the middle.
    pub fn zoom(&self, view: &mut View, steps: i8) {
        let Some((first, last)) = self.extent() else { return };
        let (low, high) = view.window.unwrap_or((first, last));
        let half = (high / 2.0 - low / 2.0) * 0.5_f64.powi(i32::from(steps));
        let middle = view.cursor.filter(|at| (low..=high).contains(at)).unwrap_or(low / 2.0 + high / 2.0);
        let least = (last / 2.0 - first / 2.0) * 1e-9;
        if half <= least && steps > 0 {
            return;
        }
        view.window = Some(inside((middle - half, middle + half), (first, last)))
            .filter(|window| window.0 > first || window.1 < last);
    }

    /// Scrolls by quarters of the visible part, right if positive.
    pub fn pan(&self, view: &mut View, quarters: i8) {
        let (Some((low, high)), Some(span)) = (view.window, self.extent()) else { return };
        let by = (high - low) / 4.0 * f64::from(quarters);
        view.window = Some(inside((low + by, high + by), span));
    }

    /// Returns for each curve the exact last point at or before the cursor's step; `None`: it has none there.
    pub fn at_cursor(&self, view: &View) -> Vec<Option<(f64, f64)>> {
        let Some(step) = view.cursor else { return vec![None; self.series.len()] };
        self.series.iter().map(|series| last_until(series.points, step)).collect()
    }

    /// Returns the ends of the axis of steps if all are visible: from 0 where the curves begin near it.
    fn extent(&self) -> Option<(f64, f64)> {
        let (first, last) = self.span()?;
        Some(if first > 0.0 && first <= (last - first) / 4.0 { (0.0, last) } else { (first, last) })
    }

    /// Returns the first step of all curves from `step` on.
    fn after(&self, step: f64) -> Option<f64> {
        let next = |series: &Series| series.points.get(series.points.partition_point(|point| point.0 < step)).copied();
        self.series.iter().filter_map(next).map(|point| point.0).reduce(f64::min)
    }

    /// Returns the last step of all curves up to `step`.
    fn before(&self, step: f64) -> Option<f64> {
        let last = |series: &Series| last_until(series.points, step);
        self.series.iter().filter_map(last).map(|point| point.0).reduce(f64::max)
    }

    /// Scrolls so that the cursor is visible.
    fn reveal(&self, view: &mut View) {
        let (Some((low, high)), Some(at), Some(span)) = (view.window, view.cursor, self.extent()) else { return };
        let by = if at < low { at - low } else { (at - high).max(0.0) };
        if by != 0.0 {
            view.window = Some(inside((low + by, high + by), span));
        }
    }
}

/// Moves a window, and cuts it if necessary, to lie within a span.
fn inside((low, high): (f64, f64), (first, last): (f64, f64)) -> (f64, f64) {
    let width = high - low;
    if low < first {
        (first, (first + width).min(last))
    } else if high > last {
        ((last - width).max(first), last)
    } else {
        (low, high)
    }
}

#[cfg(test)]
mod tests;
