//! The rows at the foot of a list.

use std::borrow::Cow;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::component::{FindBar, RenderContext};
use crate::text::Untrusted;
use crate::ui::rule::cut;
use crate::ui::wrap;

/// Rows at the foot of a list at most.
const FOOTER: u16 = 3;

/// Returns how many rows a sentence takes at the foot of a list.
pub(super) fn footer_rows(said: &str, area: Rect) -> u16 {
    let width = usize::from(area.width).max(1);
    (wrap::lines(said, width).len() as u16).min(FOOTER).min(area.height / 3)
}

/// Returns what is above the rows at the foot.
pub(super) fn above_foot(area: Rect, rows: u16) -> Rect {
    Rect { height: area.height - if area.height >= 3 { rows } else { 0 }, ..area }
}

/// The lowest rows of a list: the words typed to filter, else what is to be said.
pub(super) struct ListFooter<'a> {
    pub(super) typed: Option<&'a FindBar>,
    pub(super) filter: &'a str,
    /// How many rows contain the words.
    pub(super) found: usize,
    pub(super) said: Option<(Cow<'a, str>, Style)>,
}

impl ListFooter<'_> {
    pub(super) fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        if area.is_empty() {
            return;
        }
        let line = context.session.spacing().padded(area);
        let room = usize::from(line.width);
        if let Some(typed) = self.typed {
            typed.render(frame, line, &FindBar::found(self.found), context.theme);
        } else if !self.filter.is_empty() {
            let filter = Untrusted::from(format!("/ {} · esc show all", self.filter));
            frame.buffer_mut().set_stringn(line.x, line.y, cut(&filter.line(), room), room, context.theme.accent);
        } else if let Some((said, style)) = &self.said {
            let rows = wrap::lines(said, room.max(1));
            let last = usize::from(line.height).saturating_sub(1);
            for (at, y) in (0..rows.len()).zip(line.y..line.bottom()) {
                // The last row says that there is more.
                let words = if at == last { cut(&rows[at..].join(" "), room) } else { rows[at].to_owned() };
                frame.buffer_mut().set_stringn(line.x, y, words, room, *style);
            }
        }
    }
}

/// Returns the rows of an area below its first part.
pub(super) fn rest(area: Rect, part: Rect) -> Rect {
    Rect { y: part.bottom(), height: area.bottom() - part.bottom(), ..area }
}

/// Returns a path in so many columns, of a longer one its end, which matters most: whole names where one fits.
pub(super) fn end_of(path: &str, width: usize) -> String {
    use unicode_segmentation::UnicodeSegmentation as _;
    if crate::ui::wrap::width(path) <= width || width < 4 {
        return path.to_owned();
    }
    let mut names = path.match_indices(['/', '\\']).map(|(at, _)| &path[at..]).filter(|end| end.len() > 1);
    if let Some(end) = names.find(|end| crate::ui::wrap::width(end) < width) {
        return format!("…{end}");
    }
    let (mut start, mut used) = (path.len(), 1);
    for (at, grapheme) in path.grapheme_indices(true).rev() {
        used += crate::ui::wrap::width(grapheme);
        if used > width {
            break;
        }
        start = at;
    }
    format!("…{}", &path[start..])
}

/// Places the terminal's cursor where a list has no row.
pub(super) fn place(frame: &mut Frame, area: Rect, focus: bool) {
    if focus && !area.is_empty() {
        frame.set_cursor_position((area.x, area.y));
    }
}
