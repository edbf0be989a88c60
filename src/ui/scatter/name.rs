//! Marks and names of points and names of groups, without overlaps.

use std::collections::BTreeMap;

use ratatui::layout::Rect;

use super::{Caption, Lens, Scatter};
use crate::ui::canvas::Canvas;
use crate::ui::rule::cut;
use crate::ui::wrap;

/// The most columns of names side by side.
const SIDE: usize = 12;
/// The most columns of one name.
const NAME: usize = 8;
/// The most columns of a group's name.
const CAPTION: usize = 20;
/// Rows above and below its place in which a group's name is placed.
const FAR: isize = 6;

/// Which cells of the map are used.
pub(super) struct TakenCells {
    width: usize,
    height: usize,
    cells: Vec<bool>,
}

impl TakenCells {
    /// Creates an area of which no cell is used.
    pub(super) fn new(area: Rect) -> Self {
        let (width, height) = (usize::from(area.width), usize::from(area.height));
        Self { width, height, cells: vec![false; width * height] }
    }

    /// Returns whether so many cells from one on are free and in the map.
    fn free(&self, x: Option<usize>, y: usize, columns: usize) -> bool {
        x.is_some_and(|x| {
            y < self.height && x + columns <= self.width && !self.cells[y * self.width + x..][..columns].contains(&true)
        })
    }

    /// Returns whether a cell and its neighbours in the row are free.
    pub(super) fn alone(&self, x: usize, y: usize) -> bool {
        let from = x.saturating_sub(1);
        self.free(Some(from), y, (x + 2).min(self.width) - from)
    }

    /// Returns where a name is placed beside a mark, with the blank between them: at the right if there is space for it
    /// and a blank after it, else at the left or without blanks.
    fn place(&self, (x, y): (usize, usize), name: &str) -> Option<(usize, String)> {
        let right = |gap: usize, after: usize| {
            let words = format!("{:gap$}{name}", "");
            let columns = wrap::width(&words);
            // At the edge of the map nothing follows.
            let after = after.min(self.width.saturating_sub(x + 1 + columns));
            self.free(Some(x + 1), y, columns + after).then_some((x + 1, words))
        };
        let left = |gap: usize, before: usize| {
            let words = format!("{name}{:gap$}", "");
            let columns = wrap::width(&words);
            let from = x.checked_sub(columns)?;
            let before = before.min(from);
            self.free(Some(from - before), y, columns + before).then_some((from, words))
        };
        right(1, 1)
            .or_else(|| right(0, 1))
            .or_else(|| left(1, 1))
            .or_else(|| left(0, 1))
            .or_else(|| right(0, 0))
            .or_else(|| left(0, 0))
    }

    /// Marks cells of one row as used.
    pub(super) fn take(&mut self, x: usize, y: usize, columns: usize) {
        let columns = columns.min(self.width.saturating_sub(x));
        self.cells[y * self.width + x.min(self.width)..][..columns].fill(true);
    }
}

impl Scatter<'_> {
    /// Draws points with their cells: a mark in each cell, names beside it. The chosen one goes first.
    pub(super) fn names(
        &self,
        points: &[(usize, usize, usize)],
        chosen: Option<(usize, usize, usize)>,
        taken: &mut TakenCells,
        canvas: Canvas,
    ) {
        let Canvas { area, buf, theme } = canvas;
        let mut cells: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        for (at, x, y) in points {
            cells.entry((*y, *x)).or_default().push(*at);
        }
        let width = usize::from(area.width);
        for (y, x) in cells.keys() {
            taken.take(*x, *y, 1);
        }
        let first = chosen.map(|(_, x, y)| (y, x));
        let chosen = chosen.map(|(at, ..)| at);
        let mut order: Vec<_> = cells.into_iter().collect();
        order.sort_by_key(|(cell, _)| Some(*cell) != first);
        for ((y, x), mut here) in order {
            let is_chosen = here.iter().position(|at| Some(*at) == chosen);
            if let Some(at) = is_chosen {
                here[..=at].rotate_right(1);
            }
            let (mark, style) = if is_chosen.is_some() { ("◆", theme.accent) } else { self.sign(here[0], theme) };
            buf.set_stringn(area.x + x as u16, area.y + y as u16, mark, 1, style);
            let words = self.words(&here, is_chosen.is_some());
            // The chosen one's name must be readable: it may cover the marks of others.
            let forced = is_chosen.map(|_| words[0].clone());
            let placed = words.iter().find_map(|words| taken.place((x, y), words));
            let placed = placed.or_else(|| forced.map(|words| (x + 1, words)));
            if let Some((from, words)) = placed {
                let columns = wrap::width(&words).min(width.saturating_sub(from));
                taken.take(from.min(width), y, columns);
                let style = if is_chosen.is_some() { theme.accent } else { theme.text };
                buf.set_stringn(area.x + from as u16, area.y + y as u16, words, columns, style);
            }
        }
    }

    /// Draws the names of groups, each as near to its place as there is space, or not at all.
    pub(super) fn caption(&self, lens: &Lens, taken: &mut TakenCells, canvas: Canvas) {
        let Canvas { area, buf, theme } = canvas;
        for Caption { at, words } in self.captions {
            let Some((right, down)) = lens.dot((f64::from(at[0]), f64::from(at[1]))) else { continue };
            let words = cut(words, CAPTION.min(taken.width));
            let columns = wrap::width(&words);
            let (middle, row) = (right / 2, (down / 4) as isize);
            let x = middle.saturating_sub(columns / 2).min(taken.width - columns.min(taken.width));
            // Above first: names read as headings.
            let rows = (0..=FAR).flat_map(|far| [row - far, row + far]);
            let mut rows = rows.filter_map(|row| usize::try_from(row).ok());
            // A free cell on both sides, except at the edge of the map.
            let from = x.saturating_sub(1);
            let wide = (x + columns + 1).min(taken.width) - from;
            if let Some(y) = rows.find(|y| taken.free(Some(from), *y, wide)) {
                taken.take(from, y, wide);
                buf.set_stringn(area.x + x as u16, area.y + y as u16, &words, columns, theme.muted);
            }
        }
    }

    /// Returns possible labels for the points of a cell, the best first.
    fn words(&self, here: &[usize], chosen: bool) -> Vec<String> {
        let name = |at: &usize| cut(&(self.name)(*at), NAME);
        let Some(first) = here.first() else { return Vec::new() };
        if here.len() == 1 {
            return vec![name(first)];
        }
        let all = here.iter().map(name).collect::<Vec<_>>().join(" ");
        // The chosen one keeps its name.
        let count = if chosen { format!("{} +{}", name(first), here.len() - 1) } else { here.len().to_string() };
        if wrap::width(&all) > SIDE { vec![count] } else { vec![all, count] }
    }
}
