//! A map of points: `●A` where few show, braille dots (2 × 4 a cell) where many do.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::theme::Theme;

/// Points up to which those that show have their names.
pub const NAMED: usize = 60;

/// The part of the map that shows: kept between frames.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct View {
    /// Steps of zoom; each shows half as much again as less. 0: all points.
    steps: u8,
    /// The middle of what shows, as a share of the whole from its middle.
    middle: (f64, f64),
}

impl View {
    /// Closer (positive) or farther by steps.
    pub fn zoom(&mut self, steps: i8) {
        self.steps = self.steps.saturating_add_signed(steps).min(40);
    }

    /// Moves what shows by quarters of it: right, up.
    pub fn pan(&mut self, right: i8, up: i8) {
        let _ = (right, up);
    }

    /// All points again.
    pub fn reset(&mut self) {
        *self = Self::default();
    }

    /// `2.3×`; empty: all points show.
    pub fn scale(&self) -> String {
        String::new()
    }
}

/// A map as it is drawn once.
#[derive(Clone, Copy)]
pub struct Scatter<'a> {
    /// The points: right, up. Those that are missing or hold what is no number are left out.
    pub points: &'a [Option<[f32; 2]>],
    /// A point's name, safe to show: `A`.
    pub name: &'a dyn Fn(usize) -> String,
    /// The chosen point.
    pub selected: Option<usize>,
    /// Whether the terminal has braille; else `·`.
    pub braille: bool,
    /// Whether it has the focus.
    pub focus: bool,
}

impl Scatter<'_> {
    /// Draws it. Where the chosen point is, if it shows and the map has the focus.
    pub fn render(&self, view: &mut View, area: Rect, buf: &mut Buffer, theme: &Theme) -> Option<Position> {
        let _ = (view, area, buf, theme);
        None
    }

    /// The nearest point to the chosen one in a direction (right, up; −1 to 1), or the first of all.
    pub fn next(&self, right: i8, up: i8) -> Option<usize> {
        let _ = (right, up);
        None
    }
}
