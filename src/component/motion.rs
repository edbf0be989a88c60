//! Keys that move through rows, the same in every list and page.

use super::{Binding, bind_all};

/// How a key moves through rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// One row up.
    Up,
    /// One row down.
    Down,
    /// One page up.
    PageUp,
    /// One page down.
    PageDown,
    /// Half a page up.
    HalfUp,
    /// Half a page down.
    HalfDown,
    /// To the first row.
    First,
    /// To the last row.
    Last,
}

impl Motion {
    /// Returns by how many rows it moves where a page has `page` rows, of which one stays in view.
    pub fn rows(self, page: usize) -> isize {
        let page = page.saturating_sub(1).max(1) as isize;
        match self {
            Self::Up => -1,
            Self::Down => 1,
            Self::PageUp => -page,
            Self::PageDown => page,
            Self::HalfUp => -(page / 2).max(1),
            Self::HalfDown => (page / 2).max(1),
            Self::First => isize::MIN,
            Self::Last => isize::MAX,
        }
    }
}

/// Returns the bindings of all motions, whose names are the same in every context; `row` is what moves, for the footer.
pub fn motions<A: Copy + PartialEq, S>(action: fn(Motion) -> A, row: &'static str) -> Vec<Binding<A, S>> {
    let pair = |[(on, down), (back, up)]: [(&'static str, Motion); 2], label, help| {
        bind_all([(on, action(down)), (back, action(up))], label, help)
    };
    vec![
        pair([("j down", Motion::Down), ("k up", Motion::Up)], row, "down, up")
            .named(&["move-down", "move-up"])
            .does(&["down", "up"]),
        pair([("pagedown", Motion::PageDown), ("pageup", Motion::PageUp)], "page", "page down, up")
            .named(&["move-page-down", "move-page-up"])
            .does(&["page down", "page up"]),
        pair([("ctrl-d", Motion::HalfDown), ("ctrl-u", Motion::HalfUp)], "half a page", "half a page down, up")
            .named(&["move-half-down", "move-half-up"])
            .does(&["half a page down", "half a page up"]),
        pair([("g home", Motion::First), ("G end", Motion::Last)], "first, last", "first, last")
            .named(&["move-first", "move-last"])
            .does(&["first", "last"]),
    ]
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyEvent};

    use super::*;
    use crate::component::Bindings;

    #[test]
    fn motions_have_their_keys_and_move_by_pages_with_a_row_in_common() {
        let table: Bindings<Motion, ()> = Bindings::new("test", motions(|motion| motion, "row"));
        assert_eq!(table.keymap().clashes(), []);
        let find = |code| table.find(&KeyEvent::from(code));
        assert_eq!((find(KeyCode::Up), find(KeyCode::Char('G'))), (Some(Motion::Up), Some(Motion::Last)));
        assert_eq!((Motion::PageDown.rows(10), Motion::PageUp.rows(0), Motion::HalfUp.rows(2)), (9, -1, -1));
    }
}
