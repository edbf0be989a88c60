//! What actions ask of the view, kept until it is arranged next, and the parts of the tab that it is then lent.

use std::ops::Range;

use super::chat_pane::ChatPane;
use super::comparison_view::Compared;
use super::marks::Marks;
use super::transcript::CodeListing;
use super::version_marks::ComparedTexts;
use crate::api::call::Ticket;
use crate::component::{Cx, FindBar, Pending};
use crate::record::Id;
use crate::record::work::{Done, WordMarks, Work};
use crate::text::{Tint, Untrusted};

/// What the view has to update.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ViewChange {
    /// Title or notes of a turn.
    Turn(Id),
    /// Colours of a listing.
    Tints(Id, usize, Untrusted, Vec<(Range<usize>, Tint)>),
}

/// What is to be shown, and what has changed, since the view was arranged last.
#[derive(Debug, Default)]
pub(super) struct ViewRequests {
    pub(super) changes: Vec<ViewChange>,
    /// The first message is to come into view once all of them are here.
    pub(super) to_top: bool,
    /// The conversation that is to be opened at a turn of it.
    pub(super) goal: Option<(Id, Id)>,
    /// The turn to be selected once it is here.
    pub(super) turn: Option<Id>,
    /// What is then looked for from there on.
    pub(super) seek: Option<String>,
    /// An answer that is to be seen beside its versions.
    pub(super) versions: Option<Id>,
    /// What was found in versions that were compared.
    pub(super) differences: Option<(ComparedTexts, Vec<WordMarks>)>,
    /// Work for what is in view.
    pending: Pending<ViewWork>,
}

/// The parts of the tab that the messages on the screen are made of.
pub(super) struct ViewedParts<'a> {
    pub(super) compared: Compared<'a>,
    pub(super) marks: &'a Marks,
    pub(super) focus: ChatPane,
    pub(super) requests: &'a mut ViewRequests,
    /// Its words become those that are looked for from a turn on.
    pub(super) find: &'a mut FindBar,
}

/// What work for the view is of.
#[derive(Clone, Debug)]
enum ViewWork {
    /// Colours of a listing: the turn, its number there, its text.
    Colours(Id, usize, Untrusted),
    /// Versions that are compared.
    Differences(ComparedTexts),
}

impl ViewRequests {
    /// Has a turn drawn again.
    pub(super) fn redraw(&mut self, turn: Id) {
        let change = ViewChange::Turn(turn);
        if self.changes.last() != Some(&change) {
            self.changes.push(change);
        }
    }

    /// Asks for the colours of a listing.
    pub(super) fn ask_colours(&mut self, listing: CodeListing, cx: &mut Cx) {
        let CodeListing { turn, block, language, code } = listing;
        let ticket = cx.work(Work::Highlight { language, code: code.clone() });
        self.pending.insert(ticket, ViewWork::Colours(turn, block, code));
    }

    /// Asks for the differences of versions.
    pub(super) fn ask_differences(&mut self, of: ComparedTexts, work: Work, cx: &mut Cx) {
        let ticket = cx.work(work);
        self.pending.insert(ticket, ViewWork::Differences(of));
    }

    /// Takes what work has done, if it was asked for here.
    pub(super) fn take(&mut self, ticket: Ticket, done: Done) {
        match (self.pending.take(ticket), done) {
            (Some(ViewWork::Colours(turn, block, code)), Done::Highlighted(tints)) => {
                self.changes.push(ViewChange::Tints(turn, block, code, tints));
            }
            (Some(ViewWork::Differences(of)), done) => {
                let found = if let Done::Differences(found) = done { found } else { Vec::new() };
                self.differences = Some((of, found));
            }
            _ => {}
        }
    }
}
