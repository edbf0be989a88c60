//! Faint dots at equal distances, which move with the map: they show scrolling and zoom.

use super::Lens;
use super::name::TakenCells;
use crate::ui::canvas::Canvas;

/// Distance of the grid's dots, in dots of the screen, when all points are visible: 8 columns, 4 rows.
const APART: f64 = 16.0;
/// Columns and rows of a map from which on it has a grid.
const LEAST: (u16, u16) = (20, 6);

/// Draws the grid in cells that are empty.
pub(super) fn draw(lens: &Lens, taken: &TakenCells, canvas: Canvas) {
    let Canvas { area, buf, theme } = canvas;
    if area.width < LEAST.0 || area.height < LEAST.1 {
        return;
    }
    let mut apart = APART * lens.factor;
    while apart >= 2.0 * APART {
        apart /= 2.0;
    }
    let places = |origin: f64, dots: f64, cell: usize| {
        let first = origin.rem_euclid(apart);
        let all = (0..).map(move |nth| first + f64::from(nth) * apart).take_while(move |at| at.round() < dots);
        all.map(move |at| at.round() as usize / cell)
    };
    let (right, down) = lens.unrounded(lens.origin);
    for y in places(down, lens.dots.1, 4) {
        for x in places(right, lens.dots.0, 2) {
            if taken.alone(x, y) {
                buf.set_stringn(area.x + x as u16, area.y + y as u16, "·", 1, theme.faint);
            }
        }
    }
}
