//! A text being typed, and what undo takes back.

use super::pane_data::TextItem;
use crate::record::Id;
use crate::text::Untrusted;
use crate::ui::editor::Editor;

/// A text being typed.
#[derive(Debug)]
pub(super) struct RowEditor {
    /// The text that is changed; `None`: a new one, at the end.
    pub(super) row: Option<usize>,
    pub(super) editor: Editor,
    /// Whether Enter inserts a newline and Alt+Enter takes the text.
    pub(super) enter_newline: bool,
}

/// What undo takes back.
#[derive(Clone, Debug)]
pub(super) enum UndoEntry {
    /// These texts were added.
    Added(Vec<Id>),
    /// This stood there.
    Deleted(usize, TextItem),
    /// This said that.
    Edited(Id, Untrusted),
    /// These two texts changed places.
    Moved(usize, usize),
}
