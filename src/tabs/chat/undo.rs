//! Changes of conversations that can be taken back.

use crate::record::{Id, Mark, Record, Turn};

/// Something that can be taken back in this run of the program.
#[derive(Debug)]
pub(super) enum ChatUndo {
    /// A conversation went to the trash.
    Trashed(Id),
    /// A message of a conversation was edited in place.
    Edited(Id, EditedTurn),
    /// A message of a conversation was deleted.
    Deleted(Id, Box<DeletedTurn>),
}

/// A message that stands in the place of another one.
#[derive(Debug)]
pub(super) struct EditedTurn {
    pub(super) old: Id,
    pub(super) new: Id,
}

/// A message that was taken out.
#[derive(Debug)]
pub(super) struct DeletedTurn {
    pub(super) turn: Turn,
    pub(super) mark: Option<Mark>,
    /// What gave the store its tokens, where they are known.
    pub(super) tokens: Option<Record>,
    /// The turns that followed it.
    pub(super) children: Vec<Id>,
    /// The end of the branch.
    pub(super) leaf: Option<Id>,
}
