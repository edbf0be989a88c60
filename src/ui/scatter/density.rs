//! Many points: how many share a cell is shown by shape, so that it is visible without colour.
//!
//! Points in groups: a small mark for one point, the group's mark for several, the same reversed for many. Others:
//! braille dots up to as many as a cell has, then shades.

use std::collections::BTreeMap;

use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::{Groups, Lens, OTHER, SIGNS, Scatter, sign};
use crate::ui::canvas::Canvas;
use crate::ui::theme::Theme;

/// Marks of a single point, by group.
const SMALL: [&str; SIGNS.len()] = ["•", "▪", "▴", "◦", "▫", "▵"];
/// Points in a cell from which on the mark of a group is reversed.
const MANY: usize = 10;
/// Dots of a cell.
const DOTS: usize = 8;
/// Points in a cell, and the shade from there on.
const SHADES: [(usize, &str); 3] = [(DOTS + 1, "▒"), (32, "▓"), (128, "█")];

/// Returns what the looks of crowded cells mean, for a line below the map; `groups`: the points are in groups.
pub fn density_key(groups: bool, theme: &Theme) -> Line<'static> {
    let mut spans: Vec<Span<'static>> = Vec::new();
    let mut say = |look: &'static str, style: Style, words: String| {
        spans.push(Span::styled(look, style));
        spans.push(Span::styled(words, theme.muted));
    };
    if groups {
        say(SMALL[0], theme.text, " 1   ".to_owned());
        say(SIGNS[0], theme.text, format!(" 2–{}   ", MANY - 1));
        say(SIGNS[0], theme.text.add_modifier(Modifier::REVERSED), format!(" {MANY}+ a cell"));
    } else {
        say("⠿", theme.text, format!(" 1–{DOTS}"));
        for (from, shade) in SHADES {
            say("   ", theme.text, String::new());
            say(shade, theme.text, format!(" {from}+"));
        }
        say("", theme.text, " a cell".to_owned());
    }
    Line::from(spans)
}

impl Scatter<'_> {
    /// Draws many points without names. Returns the cells that are used.
    pub(super) fn draw_density(&self, lens: &Lens, canvas: Canvas) -> Vec<(usize, usize)> {
        match self.groups {
            Some(groups) => self.signs(groups, lens, canvas),
            None => self.dots(lens, canvas),
        }
    }

    /// Draws in each cell the mark of the group with most points there.
    fn signs(&self, groups: Groups, lens: &Lens, canvas: Canvas) -> Vec<(usize, usize)> {
        let Canvas { area, buf, theme } = canvas;
        let mut cells: BTreeMap<(usize, usize), [usize; SIGNS.len() + 1]> = BTreeMap::new();
        for (at, (right, down)) in self.seen(lens) {
            let group = (groups.of)(at).map_or(SIGNS.len(), |group| group.min(SIGNS.len()));
            cells.entry((right / 2, down / 4)).or_default()[group] += 1;
        }
        for ((x, y), counts) in &cells {
            // Of equal counts the first group.
            let most = counts.iter().enumerate().rev().max_by_key(|(_, count)| **count).map(|(group, _)| group);
            let (mark, style) = sign(most, theme);
            let (mark, style) = match counts.iter().sum::<usize>() {
                1 => (most.and_then(|group| SMALL.get(group).copied()).unwrap_or(OTHER), style),
                2..MANY => (mark, style),
                _ => (mark, style.add_modifier(Modifier::REVERSED)),
            };
            buf.set_stringn(area.x + *x as u16, area.y + *y as u16, mark, 1, style);
        }
        cells.into_keys().collect()
    }

    /// Draws a dot for each point, or a shade where a cell has more points than dots.
    fn dots(&self, lens: &Lens, canvas: Canvas) -> Vec<(usize, usize)> {
        /// The bits of braille by column and row.
        const BITS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
        let Canvas { area, buf, theme } = canvas;
        let width = usize::from(area.width);
        let mut cells = vec![(0_u8, 0_usize); width * usize::from(area.height)];
        for (_, (right, down)) in self.seen(lens) {
            let (bits, count) = &mut cells[down / 4 * width + right / 2];
            *bits |= BITS[right % 2][down % 4];
            *count += 1;
        }
        let mut taken = Vec::new();
        for ((bits, count), at) in cells.into_iter().zip(0..).filter(|((_, count), _)| *count > 0) {
            let (x, y) = (at % width, at / width);
            let shade =
                SHADES.iter().rev().find(|(from, _)| count >= *from).and_then(|(_, shade)| shade.chars().next());
            let dots = if self.braille { char::from_u32(0x2800 + u32::from(bits)) } else { None };
            let symbol = shade.or(dots).unwrap_or('·');
            buf[(area.x + x as u16, area.y + y as u16)].set_char(symbol).set_style(theme.series[0]);
            taken.push((x, y));
        }
        taken
    }
}
