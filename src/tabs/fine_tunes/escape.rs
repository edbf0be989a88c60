//! What Esc does on each page, and what the footer says of it.

use super::state::{State, TunePage, TunePane};
use crate::component::{Component, Cx};

/// What the next Esc does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TuneEscape {
    /// The key is for what is open: a dialog, another page, a line that is typed.
    PassOn,
    /// Closes what is open in the curves.
    Curves,
    /// Ends finding words in the events.
    Find,
    /// Shows all jobs.
    Filter,
    /// Takes all marks away.
    Marks,
    /// Closes the files that are drawn.
    Files,
    /// Gives the focus to the jobs.
    Jobs,
    /// Shows the list.
    List,
}

impl State {
    /// Returns what the next Esc does, and how the footer calls it; `None`: nothing.
    fn next_escape(&self) -> Option<(TuneEscape, &'static str)> {
        let page = |label: Option<&'static str>| label.map(|label| (TuneEscape::PassOn, label));
        if self.modals.is_open() {
            return page(self.modals.escape());
        }
        match self.page {
            TunePage::Create => return page(self.create.escape()),
            TunePage::Evaluation => return page(self.evaluation.escape()),
            TunePage::Trial => return page(self.trial.escape()),
            TunePage::Details => return page(self.details.escape()),
            TunePage::Jobs => {}
        }
        if self.filtering.is_typing() || self.log.bar.is_typing() {
            return page(Some("clear"));
        }
        if self.pane == TunePane::Chart
            && let Some(label) = self.curves.escape()
        {
            return Some((TuneEscape::Curves, label));
        }
        let list = self.list();
        if !self.log.find().is_empty() {
            Some((TuneEscape::Find, "end search"))
        } else if list.is_some_and(|list| !list.filter.is_empty()) {
            Some((TuneEscape::Filter, "all jobs"))
        } else if list.is_some_and(|list| list.jobs.marked_count() > 0) {
            Some((TuneEscape::Marks, "unmark"))
        } else if self.curves.has_files() {
            Some((TuneEscape::Files, "close files"))
        } else if self.pane != TunePane::Jobs && self.layout.wide {
            Some((TuneEscape::Jobs, "jobs"))
        } else if !self.layout.wide && !self.shows_list && list.is_some_and(|list| !list.jobs.items().is_empty()) {
            Some((TuneEscape::List, "list"))
        } else {
            None
        }
    }

    /// Returns what the next Esc does, for the footer.
    pub(super) fn escape(&self) -> Option<&'static str> {
        self.next_escape().map(|(_, label)| label)
    }

    /// Does what the next Esc does on the page with the jobs.
    pub(super) fn escape_key(&mut self, cx: &mut Cx) {
        let Some((escape, _)) = self.next_escape() else { return };
        match escape {
            TuneEscape::PassOn => {}
            TuneEscape::Curves => self.curves.close(),
            TuneEscape::Find => self.log.clear_find(),
            TuneEscape::Filter => {
                if let Some(list) = self.list_mut() {
                    list.filter.clear();
                    list.sort_and_filter();
                }
                self.selection_changed(cx);
            }
            TuneEscape::Marks => {
                if let Some(list) = self.list_mut() {
                    _ = list.jobs.clear_marks();
                }
                self.show_curves(cx);
            }
            TuneEscape::Files => self.curves.clear_files(cx),
            TuneEscape::Jobs => self.pane = TunePane::Jobs,
            TuneEscape::List => {
                self.shows_list = true;
                self.pane = TunePane::Jobs;
            }
        }
    }
}
