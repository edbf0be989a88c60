//! A text being typed, and what undo takes back.

use std::cell::RefCell;

use super::pane_data::TextItem;
use crate::record::Id;
use crate::text::Untrusted;
use crate::ui::editor::Editor;

/// A text being typed.
#[derive(Debug)]
pub(super) struct Writing {
    /// The text that is changed; `None`: a new one, at the end.
    pub(super) row: Option<usize>,
    /// A frame fits its first row to the area.
    pub(super) editor: RefCell<Editor>,
}

/// What undo takes back.
#[derive(Clone, Debug)]
pub(super) enum Undo {
    /// These came.
    Added(Vec<Id>),
    /// This stood there.
    Deleted(usize, TextItem),
    /// This said that.
    Edited(Id, Untrusted),
    /// These two changed places.
    Moved(usize, usize),
}
