//! A map of points in a plane: few with their names, many as braille dots.
//!
//! ```text
//!          ● B                 ⠂⠄ ⢀⣀
//!        ◆ A                  ⠐⣷⣿⣦⡄⠁
//!                ● 3           ⠈⠛⠋ ◆ 412
//!      ● H   ● C D
//! ```
//!
//! Both axes have the same scale, so that distances can be compared. Up to [`NAMED`] visible points have a mark and a
//! name; names of points in one cell are side by side if there is space, else the mark shows their number (`● 3`). More
//! points are dots, 2 × 4 a cell, or `·` if the terminal has no braille; the chosen one (`◆`) keeps its name. Points in
//! groups have their group's mark and colour instead, also if there are many. The number of points in a cell is visible
//! without colour (`density.rs`). Names of groups may be on the map ([`Caption`]). Faint dots form a grid (`grid.rs`).

mod density;
mod grid;
mod name;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::canvas::Canvas;
use super::theme::Theme;
use name::TakenCells;

pub use density::density_key;

/// Visible points up to which each has its name.
pub const NAMED: usize = 60;

/// The most steps of zoom.
const MOST: u8 = 24;
/// Factor of a zoom step.
const STEP: f64 = 1.5;

/// The visible part of the map: kept between frames.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ScatterView {
    /// Steps of zoom; 0: all points.
    steps: u8,
    /// The middle of the view, from the middle of all points, in widths of all (the larger of both sides).
    middle: (f64, f64),
}

impl ScatterView {
    /// Zooms in (positive) or out by steps of half as much again.
    pub fn zoom(&mut self, steps: i8) {
        self.steps = self.steps.saturating_add_signed(steps).min(MOST);
        if self.steps == 0 {
            self.reset();
        }
    }

    /// Scrolls by a quarter of the visible part for each step: right, up.
    pub fn pan(&mut self, right: i8, up: i8) {
        let step = 0.25 / self.factor();
        let moved = |at: f64, steps: i8| (at + f64::from(steps) * step).clamp(-0.5, 0.5);
        self.middle = (moved(self.middle.0, right), moved(self.middle.1, up));
    }

    /// Shows all points again.
    pub fn reset(&mut self) {
        *self = Self::default();
    }

    /// Returns the scale, as `2.3×`; empty: all points are visible.
    pub fn scale(&self) -> String {
        match self.factor() {
            _ if self.steps == 0 => String::new(),
            factor if factor < 10.0 => format!("{factor:.1}×"),
            factor => format!("{factor:.0}×"),
        }
    }

    fn factor(&self) -> f64 {
        STEP.powi(i32::from(self.steps))
    }
}

/// Marks of the first groups, in their order. Other points of a map with groups have [`OTHER`].
pub const SIGNS: [&str; 6] = ["●", "■", "▲", "○", "□", "△"];
/// The mark of a point in a later group, or in none.
pub const OTHER: &str = "*";

/// The points' groups.
#[derive(Clone, Copy)]
pub struct Groups<'a> {
    /// The group of each point, counted from 0; `None`: none.
    pub of: &'a dyn Fn(usize) -> Option<usize>,
    /// The only visible group, besides the chosen point; `None`: all are visible.
    pub only: Option<usize>,
}

/// Returns the mark of a group and its style.
pub fn sign(group: Option<usize>, theme: &Theme) -> (&'static str, Style) {
    let known = group.and_then(|group| SIGNS.get(group).copied().zip(theme.series.get(group).copied()));
    known.unwrap_or((OTHER, theme.muted))
}

/// The name of a group, at a place of the map.
#[derive(Clone, Debug, PartialEq)]
pub struct Caption {
    /// The place: right, up.
    pub at: [f32; 2],
    /// The name, safe to show on one line.
    pub words: String,
}

/// The map for drawing once.
#[derive(Clone, Copy)]
pub struct Scatter<'a> {
    /// The points: right, up. Missing ones and those with NaN or infinity are omitted.
    pub points: &'a [Option<[f32; 2]>],
    /// A point's name, safe to show: `A`.
    pub name: &'a dyn Fn(usize) -> String,
    /// The chosen point.
    pub selected: Option<usize>,
    /// Whether the terminal draws braille; if not, `·` is used.
    pub braille: bool,
    /// Whether it has the focus.
    pub focus: bool,
    /// What marks and colours distinguish; `None`: all points look the same.
    pub groups: Option<Groups<'a>>,
    /// Names of groups, placed where no point and no point's name is.
    pub captions: &'a [Caption],
}

/// The centre of all points and the larger side of their bounding box.
#[derive(Clone, Copy)]
struct Bounds {
    middle: (f64, f64),
    side: f64,
    /// Width and height.
    sides: (f64, f64),
}

/// Maps places to dots of the screen, 2 × 4 a cell, from the upper left.
struct Lens {
    middle: (f64, f64),
    /// Dots per unit.
    scale: f64,
    /// Number of dots.
    dots: (f64, f64),
    /// The origin of the grid: the middle of all points.
    origin: (f64, f64),
    /// Magnification relative to the view of all points.
    factor: f64,
}

impl Lens {
    /// Returns the dot of a place; `None`: it is not visible.
    fn dot(&self, place: (f64, f64)) -> Option<(usize, usize)> {
        let (right, down) = self.unrounded(place);
        let (right, down) = (right.round(), down.round());
        let inside = right >= 0.0 && down >= 0.0 && right < self.dots.0 && down < self.dots.1;
        inside.then_some((right as usize, down as usize))
    }

    /// Returns a place in dots, though it may not be visible.
    fn unrounded(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let right = (self.dots.0 - 1.0) / 2.0 + (x - self.middle.0) * self.scale;
        let down = (self.dots.1 - 1.0) / 2.0 - (y - self.middle.1) * self.scale;
        (right, down)
    }
}

impl Scatter<'_> {
    /// Draws the map. Returns where the chosen point is, if it is visible and the map has the focus.
    pub fn render(&self, view: &ScatterView, area: Rect, buf: &mut Buffer, theme: &Theme) -> Option<Position> {
        let area = area.intersection(buf.area);
        if area.is_empty() {
            return None;
        }
        let lens = self.lens(view, area)?;
        let mut taken = TakenCells::new(area);
        let chosen = self.selected.and_then(|at| Some((at, lens.dot(self.place(at)?)?)));
        let at = chosen.map(|(at, (right, down))| (at, right / 2, down / 4));
        if self.few(&lens) {
            let seen: Vec<_> = self.seen(&lens).map(|(at, (right, down))| (at, right / 2, down / 4)).collect();
            self.names(&seen, at, &mut taken, Canvas { area, buf: &mut *buf, theme });
        } else {
            let crowd = self.draw_density(&lens, Canvas { area, buf: &mut *buf, theme });
            // The name of the chosen one may cover others, those of groups may not.
            self.names(at.as_slice(), at, &mut taken, Canvas { area, buf: &mut *buf, theme });
            for (x, y) in crowd {
                taken.take(x, y, 1);
            }
        }
        self.caption(&lens, &mut taken, Canvas { area, buf: &mut *buf, theme });
        // Without braille a point among many looks like the grid would.
        if self.braille || self.groups.is_some() || self.few(&lens) {
            grid::draw(&lens, &taken, Canvas { area, buf, theme });
        }
        let (_, x, y) = at?;
        self.focus.then(|| Position::new(area.x + x as u16, area.y + y as u16))
    }

    /// Returns whether so many points are visible in an area that they have no names and cells are shaded by how many
    /// share them.
    pub fn is_crowded(&self, view: &ScatterView, area: Rect) -> bool {
        !area.is_empty() && self.lens(view, area).is_some_and(|lens| !self.few(&lens))
    }

    fn few(&self, lens: &Lens) -> bool {
        self.seen(lens).take(NAMED + 1).count() <= NAMED
    }

    /// Returns whether the chosen point is visible in an area.
    pub fn shows(&self, view: &ScatterView, area: Rect) -> bool {
        let chosen = self.selected.and_then(|at| self.place(at));
        chosen.zip(self.lens(view, area)).is_some_and(|(place, lens)| lens.dot(place).is_some())
    }

    /// Returns the nearest point to the chosen one in a direction (right, up; −1 to 1); without a chosen one the first
    /// of all.
    pub fn next(&self, right: i8, up: i8) -> Option<usize> {
        let places = || self.shown().filter_map(|at| Some((at, self.place(at)?)));
        let Some((from, (x, y))) = self.selected.and_then(|at| Some((at, self.place(at)?))) else {
            return places().next().map(|(at, _)| at);
        };
        let (right, up) = (f64::from(right), f64::from(up));
        let cost = |(at, place): (usize, (f64, f64))| {
            let (dx, dy) = (place.0 - x, place.1 - y);
            let (ahead, aside) = (dx * right + dy * up, (dx * up - dy * right).abs());
            // A point straight ahead counts as nearer than one as far to the side.
            (at != from && ahead > 0.0).then_some((at, ahead + 2.0 * aside))
        };
        places().filter_map(cost).min_by(|a, b| a.1.total_cmp(&b.1)).map(|(at, _)| at)
    }

    /// Returns the point nearest to the middle of the visible part.
    pub fn middle(&self, view: &ScatterView) -> Option<usize> {
        let bounds = self.bounds()?;
        let (x, y) = bounds.seen_from(view);
        let far = |at: usize| self.place(at).map(|place| (at, (place.0 - x).hypot(place.1 - y)));
        self.shown().filter_map(far).min_by(|a, b| a.1.total_cmp(&b.1)).map(|(at, _)| at)
    }

    /// Scrolls so that the chosen point is in the middle half, if it is not.
    pub fn reveal(&self, view: &mut ScatterView) {
        let (Some(bounds), Some(place)) = (self.bounds(), self.selected.and_then(|at| self.place(at))) else { return };
        let half = 0.25 / view.factor();
        let into = |middle: f64, at: f64| if (at - middle).abs() > half { at } else { middle };
        let at = |place: f64, middle: f64| (place - middle) / bounds.side;
        if view.steps > 0 {
            view.middle =
                (into(view.middle.0, at(place.0, bounds.middle.0)), into(view.middle.1, at(place.1, bounds.middle.1)));
        }
    }

    /// Returns a point's place, if it has one.
    fn place(&self, at: usize) -> Option<(f64, f64)> {
        let [x, y] = (*self.points.get(at)?)?;
        (x.is_finite() && y.is_finite()).then_some((f64::from(x), f64::from(y)))
    }

    fn bounds(&self) -> Option<Bounds> {
        let mut bounds: Option<(f64, f64, f64, f64)> = None;
        for (x, y) in (0..self.points.len()).filter_map(|at| self.place(at)) {
            let (left, right, low, high) = bounds.unwrap_or((x, x, y, y));
            bounds = Some((left.min(x), right.max(x), low.min(y), high.max(y)));
        }
        let (left, right, low, high) = bounds?;
        let sides = (right - left, high - low);
        let side = sides.0.max(sides.1);
        // If all points are at one place, that is in the middle.
        let side = if side > 0.0 { side } else { 1.0 };
        Some(Bounds { middle: (f64::midpoint(left, right), f64::midpoint(low, high)), side, sides })
    }

    fn lens(&self, view: &ScatterView, area: Rect) -> Option<Lens> {
        let bounds = self.bounds()?;
        let dots = (f64::from(area.width) * 2.0, f64::from(area.height) * 4.0);
        // Names need some columns after their points; reserved on both sides, to keep the middle.
        let room = ((dots.0 - 1.0 - 8.0).max(dots.0 / 2.0), (dots.1 - 1.0 - 3.0).max(1.0));
        let fit = |room: f64, side: f64| if side > 0.0 { room / side } else { f64::INFINITY };
        let scale = fit(room.0, bounds.sides.0).min(fit(room.1, bounds.sides.1));
        let scale = if scale.is_finite() { scale } else { 1.0 };
        let factor = view.factor();
        Some(Lens { middle: bounds.seen_from(view), scale: scale * factor, dots, origin: bounds.middle, factor })
    }

    /// Returns the points that are not filtered out.
    fn shown(&self) -> impl Iterator<Item = usize> {
        let only = self.groups.and_then(|groups| Some((groups.of, groups.only?)));
        (0..self.points.len())
            .filter(move |at| self.selected == Some(*at) || only.is_none_or(|(of, only)| of(*at) == Some(only)))
    }

    /// Returns the mark of a point that is not the chosen one.
    fn sign(&self, at: usize, theme: &Theme) -> (&'static str, Style) {
        self.groups.map_or((SIGNS[0], theme.series[0]), |groups| sign((groups.of)(at), theme))
    }

    /// Returns the visible points, with their dots.
    fn seen(&self, lens: &Lens) -> impl Iterator<Item = (usize, (usize, usize))> {
        self.shown().filter_map(|at| Some((at, lens.dot(self.place(at)?)?)))
    }
}

impl Bounds {
    /// Returns the place in the middle of the visible part.
    fn seen_from(&self, view: &ScatterView) -> (f64, f64) {
        (self.middle.0 + view.middle.0 * self.side, self.middle.1 + view.middle.1 * self.side)
    }
}

#[cfg(test)]
mod tests;
