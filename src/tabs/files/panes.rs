//! Which pane has the keys, and the words a list is filtered by while they are typed.

use super::layout::{FilesLayout, PaneDensity};
use crate::component::FindBar;

/// Which of both lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ListSide {
    #[default]
    Local,
    Server,
}

/// Which pane has the keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum PaneFocus {
    /// The list of [`ListPanes::side`].
    #[default]
    List,
    Preview,
    Transfers,
}

/// The panes: their areas, and which of them has the keys.
#[derive(Debug, Default)]
pub(super) struct ListPanes {
    pub(super) layout: FilesLayout,
    pub(super) side: ListSide,
    pub(super) focus: PaneFocus,
    /// Words to filter by, while they are typed.
    pub(super) find: FindBar,
}

impl ListPanes {
    /// Gives the keys to a list.
    pub(super) fn focus_list(&mut self, side: ListSide) {
        (self.side, self.focus) = (side, PaneFocus::List);
    }

    /// Takes the keys from a pane that is no more.
    pub(super) fn leave(&mut self, pane: PaneFocus) {
        if self.focus == pane {
            self.focus = PaneFocus::List;
        }
    }

    /// Gives the keys to the next pane, or the one before.
    pub(super) fn focus_next(&mut self, by: isize, has_preview: bool, has_transfers: bool) {
        let mut all = vec![(PaneFocus::List, ListSide::Local), (PaneFocus::List, ListSide::Server)];
        if has_preview && self.layout.density == PaneDensity::Three {
            all.push((PaneFocus::Preview, self.side));
        }
        if has_transfers {
            all.push((PaneFocus::Transfers, self.side));
        }
        let is_here = |pane: &(PaneFocus, ListSide)| *pane == (self.focus, self.side);
        let next = all.iter().position(is_here).map_or(0, |at| (at as isize + by).rem_euclid(all.len() as isize));
        (self.focus, self.side) = all[next as usize];
    }
}
