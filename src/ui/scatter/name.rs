//! Marks and names of points, none over another.

use std::collections::BTreeMap;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::Scatter;
use crate::ui::rule::cut;
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Columns of names side by side at most.
const SIDE: usize = 12;
/// Columns of one name at most.
const NAME: usize = 8;

/// Which cells of the map are taken.
struct TakenCells {
    width: usize,
    cells: Vec<bool>,
}

impl TakenCells {
    /// Whether so many cells from one on are free and in the map.
    fn free(&self, x: Option<usize>, y: usize, columns: usize) -> bool {
        x.is_some_and(|x| x + columns <= self.width && !self.cells[y * self.width + x..][..columns].contains(&true))
    }

    fn take(&mut self, x: usize, y: usize, columns: usize) {
        self.cells[y * self.width + x..][..columns].fill(true);
    }
}

impl Scatter<'_> {
    /// Draws points with their cells: a mark in each cell, names beside it. The chosen one goes first.
    pub(super) fn names(
        &self,
        points: &[(usize, usize, usize)],
        chosen: Option<(usize, usize, usize)>,
        area: Rect,
        buf: &mut Buffer,
        theme: &Theme,
    ) {
        let mut cells: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        for (at, x, y) in points {
            cells.entry((*y, *x)).or_default().push(*at);
        }
        let width = usize::from(area.width);
        let mut taken = TakenCells { width, cells: vec![false; width * usize::from(area.height)] };
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
            // What is chosen is read: its name may stand over the marks of others.
            let forced = is_chosen.map(|_| words[0].clone());
            let placed = words.iter().find_map(|words| {
                let columns = wrap::width(words);
                let left = x.checked_sub(columns);
                [Some(x + 1), left].into_iter().find(|from| taken.free(*from, y, columns)).flatten().zip(Some(words))
            });
            let placed =
                placed.map(|(from, words)| (from, words.clone())).or_else(|| forced.map(|words| (x + 1, words)));
            if let Some((from, words)) = placed {
                let columns = wrap::width(&words).min(width.saturating_sub(from));
                taken.take(from.min(width), y, columns);
                let style = if is_chosen.is_some() { theme.accent } else { theme.text };
                buf.set_stringn(area.x + from as u16, area.y + y as u16, words, columns, style);
            }
        }
    }

    /// What is said of the points of a cell, the best first.
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
