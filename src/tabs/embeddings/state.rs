//! The Embed tab's state. Events in, effects out.

use super::compare::Compare;
use super::hygiene::Hygiene;
use super::map::Map;
use super::pairs::Pairs;
use super::pane::{Page, Pane, Read};
use super::query::Query;

/// All of the tab that is not its picture.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) read: Read,
    pub(super) page: Page,
    pub(super) map: Map,
    pub(super) pairs: Pairs,
    pub(super) query: Query,
    pub(super) compare: Compare,
    pub(super) hygiene: Hygiene,
}

impl State {
    /// The pane with the keys, where it is one over the vectors, and what it may read.
    pub(super) fn pane(&mut self) -> Option<(&mut dyn Pane, &Read)> {
        let pane: &mut dyn Pane = match self.page {
            Page::Inputs | Page::Matrix | Page::Pair => return None,
            Page::Map => &mut self.map,
            Page::Pairs => &mut self.pairs,
            Page::Query => &mut self.query,
            Page::Compare => &mut self.compare,
            Page::Hygiene => &mut self.hygiene,
        };
        Some((pane, &self.read))
    }
}
