//! What stands below the matrix, and how much of it has room.

use ratatui::text::Line;

use crate::ui::heatmap::NUMBERS;

/// Below so many rows each line counts.
pub(super) const LOW: u16 = 12;
/// The place of the pair's figures below the matrix, after the scale.
pub(super) const PAIR: u8 = 1;
/// Stands for the legend in the layout.
pub(super) const LEGEND: &str = "%";

/// What stands below the matrix, weightiest first: its lines, and whether a blank one goes before it.
pub(super) struct MatrixSection {
    pub(super) lines: Vec<Line<'static>>,
    /// Its place among the notes.
    pub(super) place: u8,
}

/// Lays out what fits: rows of the matrix, and the lines below it, with the scale of the colours where there are any.
pub(super) fn fit(
    height: u16,
    (wanted, airy): (u16, Option<u16>),
    size: usize,
    (sections, scale): (Vec<MatrixSection>, bool),
    edge: &Line<'static>,
) -> (u16, Vec<Line<'static>>) {
    // A dense matrix shows a window of any height; of a small one all rows are wanted.
    let least = if size > NUMBERS { height * 3 / 5 } else { size as u16 + 1 };
    // Where there is little room, one line for the pair and one for what has to be said are worth two rows.
    let least = if height < LOW { least.min(height.saturating_sub(2)) } else { least }.min(wanted).max(3);
    let mut room = height.saturating_sub(least.min(height)) as usize;
    let mut taken: Vec<MatrixSection> = Vec::new();
    let legend = MatrixSection { lines: vec![Line::raw(LEGEND)], place: 0 };
    let mut all = sections;
    if scale {
        all.insert(2.min(all.len()), legend);
    }
    for mut section in all.into_iter().filter(|section| !section.lines.is_empty()) {
        if room == 0 {
            break;
        }
        section.lines.truncate(room);
        room -= section.lines.len();
        // A blank line before it, where there is one left.
        if room > 0 && height >= LOW {
            room -= 1;
            section.lines.insert(0, if section.place == PAIR { edge.clone() } else { Line::default() });
        }
        taken.push(section);
    }
    taken.sort_by_key(|section| section.place);
    let lines: Vec<Line<'static>> = taken.into_iter().flat_map(|section| section.lines).collect();
    let room = height.saturating_sub(lines.len() as u16);
    (airy.filter(|airy| *airy <= room).unwrap_or(wanted.min(room)), lines)
}
