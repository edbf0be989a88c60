//! Changes of conversations that can be taken back.

use crate::record::{Id, Mark, Record, Turn};

/// What can be taken back, the last change last.
#[derive(Debug, Default)]
pub(super) struct UndoList(Vec<ChatUndo>);

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

impl UndoList {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn push(&mut self, undo: ChatUndo) {
        self.0.push(undo);
    }

    /// Returns what is taken back next while this conversation is open: a conversation in the trash, or a change of the
    /// open one.
    pub(super) fn next(&mut self, open: Id) -> Option<NextUndo<'_>> {
        let at = self.0.iter().rposition(|undo| match undo {
            ChatUndo::Trashed(_) => true,
            ChatUndo::Edited(id, _) | ChatUndo::Deleted(id, _) => *id == open,
        })?;
        Some(NextUndo { list: &mut self.0, at })
    }

    /// Forgets that a conversation went to the trash: it is not there any more.
    pub(super) fn forget_trashed(&mut self, id: Id) {
        self.0.retain(|undo| !matches!(undo, ChatUndo::Trashed(other) if *other == id));
    }
}

/// What is taken back next; it stays in the list until it is taken.
pub(super) struct NextUndo<'a> {
    list: &'a mut Vec<ChatUndo>,
    at: usize,
}

impl NextUndo<'_> {
    /// Returns whether it changes the conversation that is open.
    pub(super) fn changes_open(&self) -> bool {
        !matches!(self.list[self.at], ChatUndo::Trashed(_))
    }

    /// Removes and returns it.
    pub(super) fn take(self) -> ChatUndo {
        self.list.remove(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_another_conversation_is_not_taken_back_and_the_trash_always_is() {
        let mut undos = UndoList::default();
        undos.push(ChatUndo::Trashed(Id(3)));
        undos.push(ChatUndo::Edited(Id(1), EditedTurn { old: Id(10), new: Id(11) }));
        undos.push(ChatUndo::Trashed(Id(4)));
        undos.forget_trashed(Id(4));
        assert!(!undos.next(Id(2)).unwrap().changes_open(), "the conversation in the trash");
        assert!(undos.next(Id(1)).unwrap().changes_open(), "what was not taken stays");
        assert!(matches!(undos.next(Id(1)).unwrap().take(), ChatUndo::Edited(Id(1), _)));
        assert!(matches!(undos.next(Id(1)).unwrap().take(), ChatUndo::Trashed(Id(3))));
        assert!(undos.is_empty() && undos.next(Id(1)).is_none());
    }
}
