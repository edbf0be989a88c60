//! All panes over the vectors: who has which page, and what concerns all of them.

use std::rc::Rc;

use super::compare::ComparePane;
use super::hygiene::HygienePane;
use super::map::MapPane;
use super::pair::PairPane;
use super::pairs::PairsPane;
use super::pane::{PaneEvent, VectorPane};
use super::pane_data::{Page, PaneData};
use super::query::QueryPane;
use crate::api::call::Ticket;
use crate::component::{Cx, Handled, Response};

/// All panes over the vectors.
#[derive(Debug, Default)]
pub(super) struct Panes {
    pub(super) map: MapPane,
    pub(super) pairs: PairsPane,
    pub(super) pair: PairPane,
    pub(super) query: QueryPane,
    pub(super) compare: ComparePane,
    pub(super) hygiene: HygienePane,
}

impl Panes {
    /// Returns the pane of a page; `None`: the tab draws the page itself.
    pub(super) fn get(&self, page: Page) -> Option<&dyn VectorPane> {
        Some(match page {
            Page::Inputs | Page::Matrix => return None,
            Page::Map => &self.map,
            Page::Pairs => &self.pairs,
            Page::Pair => &self.pair,
            Page::Query => &self.query,
            Page::Compare => &self.compare,
            Page::Hygiene => &self.hygiene,
        })
    }

    /// Returns the pane of a page to change it.
    pub(super) fn get_mut(&mut self, page: Page) -> Option<&mut dyn VectorPane> {
        Some(match page {
            Page::Inputs | Page::Matrix => return None,
            Page::Map => &mut self.map,
            Page::Pairs => &mut self.pairs,
            Page::Pair => &mut self.pair,
            Page::Query => &mut self.query,
            Page::Compare => &mut self.compare,
            Page::Hygiene => &mut self.hygiene,
        })
    }

    fn all(&mut self) -> [&mut dyn VectorPane; 6] {
        [&mut self.map, &mut self.pairs, &mut self.pair, &mut self.query, &mut self.compare, &mut self.hygiene]
    }

    /// Hands the list and its vectors to all panes.
    pub(super) fn update(&mut self, data: PaneData) {
        let data = Rc::new(data);
        self.all().into_iter().for_each(|pane| pane.update(Rc::clone(&data)));
    }

    /// Cancels what all panes compute.
    pub(super) fn cancel(&mut self, cx: &mut Cx) {
        self.all().into_iter().for_each(|pane| pane.cancel(cx));
    }

    /// Passes a reply to the pane that asked for it.
    pub(super) fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> Handled<PaneEvent> {
        for pane in self.all() {
            let handled = pane.reply(ticket, response, cx);
            if !handled.is_ignored() {
                return handled;
            }
        }
        Handled::Ignored
    }
}
