//! Scrolling through a text in a dialog: the keys, which lines are visible, and the box for a text alone.

use std::ops::Range;
use std::sync::LazyLock;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

use super::{Bindings, Hint, Motion, bind, border, motions};
use crate::ui::key_table::{KeyContext, KeyPlace, ListedKeys};
use crate::ui::overlay;
use crate::ui::theme::{Kind, Theme};

/// The most columns of the box.
const WIDTH: u16 = 96;

/// The keys that scroll.
static KEYS: LazyLock<Bindings<Motion, Scroll>> = LazyLock::new(|| {
    let mut list = motions(|motion| motion, "scroll");
    list.push(bind("space", Motion::PageDown, "", "").named(&["move-page-down"]));
    Bindings::new(
        KeyContext::new("scroll").ignoring_shift().used_in(KeyPlace::Dialog),
        list.into_iter().map(|binding| binding.disabled_when(Scroll::why_not)).collect(),
    )
});

/// The visible lines of a text.
#[derive(Debug, Default)]
pub struct Scroll {
    /// First visible line.
    top: usize,
    /// Lines of the text, and how many of them are visible.
    len: usize,
    page: usize,
}

impl Scroll {
    /// Handles a key that scrolls. Returns whether it is one.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        let motion = KEYS.find(&key);
        motion.inspect(|motion| self.move_by(*motion)).is_some()
    }

    /// Moves the visible lines.
    pub fn move_by(&mut self, motion: Motion) {
        self.top = self.top.saturating_add_signed(motion.rows(self.page)).min(self.last_top());
    }

    /// Scrolls to the first line.
    pub fn to_first(&mut self) {
        self.top = 0;
    }

    /// Scrolls no further than needed for these lines to be visible; the last of them, if they are too many.
    pub fn reveal(&mut self, lines: Range<usize>) {
        self.top = self.top.min(lines.start).max(lines.end.saturating_sub(self.page)).min(self.last_top());
    }

    /// Sets how many lines there are, and how many fit.
    pub fn fit(&mut self, len: usize, page: usize) {
        (self.len, self.page) = (len, page);
        self.top = self.top.min(self.last_top());
    }

    /// Returns the visible lines.
    pub fn visible(&self) -> Range<usize> {
        self.top..(self.top + self.page).min(self.len)
    }

    /// Returns the number of lines.
    pub fn count(&self) -> usize {
        self.len
    }

    /// Returns whether some lines are not visible.
    pub fn is_partial(&self) -> bool {
        self.page < self.len
    }

    fn last_top(&self) -> usize {
        self.len.saturating_sub(self.page)
    }

    fn why_not(&self) -> Option<&'static str> {
        (!self.is_partial()).then_some("all of it is visible")
    }

    /// Returns the keys for the footer; none if all lines are visible.
    pub fn hints(&self) -> Vec<Hint> {
        KEYS.footer(&[Motion::Down], self)
    }

    /// Returns the keys for the footer while letters are text.
    pub fn hints_while_typing(&self) -> Vec<Hint> {
        let keys = KEYS.keymap_while_typing();
        let hint = Hint::new(keys.key(Motion::Up) + &keys.key(Motion::Down), "scroll");
        self.is_partial().then_some(hint).into_iter().collect()
    }

    /// Returns all keys for the help page.
    pub fn help() -> Vec<Hint> {
        KEYS.help()
    }

    /// Returns the columns of a text in a box over `area`.
    pub fn text_columns(area: Rect) -> usize {
        usize::from(area.width.min(WIDTH)).saturating_sub(4).max(8)
    }

    /// Fits the lines to a box over `area`.
    pub fn arrange_box(&mut self, len: usize, area: Rect, kind: Kind) {
        let blank_rows = overlay::rows_below_title(area, kind);
        self.fit(len, usize::from(box_height(len, blank_rows, area).saturating_sub(2 + blank_rows)));
    }

    /// Draws the visible lines in a box over `area`, with the keys in its border.
    pub fn render_box(&self, frame: &mut Frame, area: Rect, title: &str, lines: &[Line], theme: &Theme) {
        let blank_rows = overlay::rows_below_title(area, theme.kind);
        let size = (WIDTH, box_height(lines.len(), blank_rows, area));
        let foot = border(&self.hints(), "close", WIDTH.min(area.width));
        let inside = overlay::below(overlay::frame(frame, area, size, title, &foot, theme), blank_rows);
        for (line, y) in lines.iter().skip(self.top).zip(inside.y..inside.bottom()) {
            frame.buffer_mut().set_line(inside.x + 1, y, line, inside.width.saturating_sub(2));
        }
        frame.set_cursor_position(Position::new(inside.x + 1, inside.y));
    }
}

/// Returns the height of a box for so many lines, with so many blank rows below its title.
fn box_height(len: usize, blank_rows: u16, area: Rect) -> u16 {
    u16::try_from(len + 2).unwrap_or(u16::MAX).max(5).saturating_add(blank_rows).min(area.height)
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}

#[cfg(test)]
mod tests {
    use crossterm::event::KeyCode;

    use super::*;

    #[test]
    fn every_key_scrolls_within_the_text_and_a_page_keeps_a_line_visible() {
        assert_eq!(KEYS.keymap().clashes(), []);
        let mut scroll = Scroll::default();
        scroll.fit(30, 10);
        let mut press = |code| {
            assert!(scroll.key(KeyEvent::from(code)), "{code:?}");
            scroll.visible()
        };
        assert_eq!(press(KeyCode::Char('j')), 1..11);
        assert_eq!(press(KeyCode::PageDown), 10..20);
        assert_eq!(press(KeyCode::Char(' ')), 19..29);
        assert_eq!(press(KeyCode::Down), 20..30);
        assert_eq!(press(KeyCode::Char('j')), 20..30, "not beyond the end");
        assert_eq!(press(KeyCode::Char('k')), 19..29, "nor is the way back longer");
        assert_eq!(press(KeyCode::PageUp), 10..20);
        assert_eq!(press(KeyCode::Char('g')), 0..10);
        assert_eq!(press(KeyCode::Up), 0..10);
        assert_eq!(press(KeyCode::Char('G')), 20..30);
        assert!(!scroll.key(KeyEvent::from(KeyCode::Enter)));
    }

    #[test]
    fn the_keys_are_shown_only_where_there_is_more_than_fits() {
        let mut scroll = Scroll::default();
        scroll.fit(10, 10);
        assert_eq!((scroll.hints(), scroll.hints_while_typing()), (Vec::new(), Vec::new()));
        scroll.fit(11, 10);
        assert_eq!(scroll.hints(), [Hint::new("j k", "scroll")]);
        assert_eq!(scroll.hints_while_typing(), [Hint::new("↑↓", "scroll")]);
    }

    #[test]
    fn lines_are_made_visible_with_the_least_movement() {
        let mut scroll = Scroll::default();
        scroll.fit(30, 10);
        let mut reveal = |lines| {
            scroll.reveal(lines);
            scroll.visible().start
        };
        assert_eq!((reveal(12..14), reveal(5..7), reveal(1..20), reveal(0..2)), (4, 4, 10, 0));
    }
}
