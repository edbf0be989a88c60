//! Changes one message of a conversation and leaves the others as they are: edits it in place, deletes it, takes that
//! back.

use super::conversation::OpenConversation;
use super::undo::{DeletedTurn, EditedTurn};
use crate::record::{Block, Id, Record, Turn};

impl OpenConversation {
    /// Puts turns after another one; the record that keeps that.
    fn reparent(&mut self, turns: &[Id], parent: Option<Id>) -> Record {
        self.tree.move_to(turns, parent);
        Record::Moved { turns: turns.to_vec(), parent }
    }

    /// Puts a message `new` with this text in the place of an old one, which stays as a version of it. What followed the
    /// old one here follows the new one. Returns what keeps that; `None`: there is no such message, or no other text.
    pub(super) fn replace_turn(&mut self, old: Id, new: Id, text: String, unix_ms: i64) -> Option<Vec<Record>> {
        let found = self.tree.turn(old)?;
        if text.trim().is_empty() || found.content == *text || self.is_busy() {
            return None;
        }
        let stays = |block: &&Block| matches!(block, Block::File { .. } | Block::ResultOf { .. } | Block::Call { .. });
        let blocks = found.blocks.iter().filter(stays).cloned().collect();
        let turn = Turn { blocks, ..self.typed_turn(new, found.parent, found.role.clone(), text, unix_ms) };
        let next = self.path.iter().skip_while(|turn| **turn != old).nth(1).copied();
        self.tree.put(turn.clone());
        self.check_calls([new]);
        let moved = self.reparent(next.as_slice(), Some(new));
        let leaf = if next.is_some() { self.record.leaf } else { Some(new) };
        self.go_to(leaf);
        Some(vec![Record::Turn(Box::new(turn)), moved])
    }

    /// Takes a message out; what followed it follows the one before it. Returns what brings it back, and what keeps
    /// that.
    pub(super) fn delete_turn(&mut self, turn: Id) -> Option<(DeletedTurn, Vec<Record>)> {
        let found = self.tree.turn(turn).cloned()?;
        let (leaf, children) = (self.record.leaf, self.tree.children(Some(turn)).to_vec());
        let tokens = self.tokens.remove(turn).and_then(|tokens| tokens.all(turn));
        let sibling = self.tree.siblings(turn).iter().rev().copied().find(|other| *other != turn);
        let moved = self.reparent(&children, found.parent);
        self.tree.remove(turn);
        let end = match leaf {
            // After the last message, another version of it is shown, else the message before it.
            Some(leaf) if leaf == turn => sibling.map(|sibling| self.tree.latest_leaf(sibling)).or(found.parent),
            leaf => leaf,
        };
        self.go_to(end);
        let records = vec![moved, Record::DeleteTurn { turn, parent: found.parent }];
        Some((DeletedTurn { turn: found, mark: None, tokens, children, leaf }, records))
    }

    /// Takes an edit back. Returns what keeps that; `None`: the message is no longer here.
    pub(super) fn undo_edit(&mut self, edit: &EditedTurn) -> Option<Vec<Record>> {
        let EditedTurn { old, new } = *edit;
        if !self.tree.contains(new) || !self.tree.contains(old) {
            return None;
        }
        // Turns that were added after it since are included.
        let after = self.tree.children(Some(new)).to_vec();
        let shown = self.path.contains(&new);
        let leaf = self.record.leaf.filter(|leaf| *leaf != new);
        let moved = self.reparent(&after, Some(old));
        self.tree.remove(new);
        let leaf = if shown { leaf.or(Some(old)) } else { self.record.leaf };
        self.go_to(leaf);
        Some(vec![moved, Record::DeleteTurn { turn: new, parent: Some(old) }])
    }

    /// Puts a deleted message back into its place. Returns what keeps that.
    pub(super) fn undo_deletion(&mut self, deletion: DeletedTurn) -> Vec<Record> {
        let DeletedTurn { turn, mark, tokens, mut children, leaf } = deletion;
        let back = turn.id;
        self.tree.put(turn.clone());
        children.retain(|child| self.tree.contains(*child));
        let moved = self.reparent(&children, Some(back));
        let leaf = leaf.filter(|leaf| self.tree.contains(*leaf)).or(Some(back));
        self.go_to(leaf);
        let mark = mark.map(|mark| Record::Mark(Box::new(mark)));
        [Record::Turn(Box::new(turn)), moved].into_iter().chain(tokens).chain(mark).collect()
    }
}
