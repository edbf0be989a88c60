//! What actions ask of the view, kept until it is arranged next.

use std::ops::Range;

use super::comparison_view::ComparedTexts;
use crate::record::Id;
use crate::record::work::WordMarks;
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
}

impl ViewRequests {
    /// Has a turn drawn again.
    pub(super) fn redraw(&mut self, turn: Id) {
        let change = ViewChange::Turn(turn);
        if self.changes.last() != Some(&change) {
            self.changes.push(change);
        }
    }
}
