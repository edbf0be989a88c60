//! The last row of the transcript: the words that are looked for, which match one is at, where the view is.

use ratatui::Frame;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use crate::component::FindBar;
use crate::ui::rule::cut;
use crate::ui::theme::Theme;

/// Columns of the words at least.
const WORDS: u16 = 10;

/// Draws the row; `place`: what stands at its right end.
pub(super) fn render(frame: &mut Frame, row: Rect, place: &str, find: &FindBar, theme: &Theme) {
    let kept = if find.is_shown() { WORDS.min(row.width) } else { 0 };
    let place = cut(place, usize::from(row.width - kept));
    let width = place.width() as u16;
    frame.buffer_mut().set_stringn(row.right() - width, row.y, &place, usize::from(width), theme.muted);
    if find.is_shown() {
        find.render(frame, Rect { width: row.width - width - u16::from(width > 0), ..row }, theme);
    }
}
