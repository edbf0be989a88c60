//! Changes one message of a conversation and leaves the others as they are: edits it in place, deletes it, takes that
//! back.

use super::conversation::OpenConversation;
use super::state::State;
use super::undo::{ChatUndo, DeletedTurn, EditedTurn};
use crate::component::{Cx, Notice};
use crate::record::{Block, Id, Record, Turn};
use crate::ui::rule::cut;

/// Columns of a message in a notice.
const EXCERPT: usize = 30;

impl OpenConversation {
    /// Puts turns after another one; the record that keeps that.
    fn reparent(&mut self, turns: &[Id], parent: Option<Id>) -> Record {
        self.tree.move_to(turns, parent);
        Record::Moved { turns: turns.to_vec(), parent }
    }
}

impl State {
    /// Opens an editor for a message's text.
    pub(super) fn open_turn_edit(&mut self, turn: Id, cx: &mut Cx) {
        let Some(found) = self.conversation().tree.turn(turn).filter(|_| self.can_change(cx)) else { return };
        let text = found.content.clone();
        self.open_change(turn, &text);
    }

    /// Puts a message with the editor's text in the old one's place, which stays as a version of it. What
    /// followed the old one here follows the new one.
    pub(super) fn finish_turn_edit(&mut self, old: Id, text: String, cx: &mut Cx) {
        let Some(found) = self.conversation().tree.turn(old) else { return };
        if text.trim().is_empty() || found.content == *text || self.conversation().is_busy() {
            return;
        }
        let (id, new) = (self.open, cx.id());
        let (parent, role) = (found.parent, found.role.clone());
        let stays = |block: &&Block| matches!(block, Block::File { .. } | Block::ResultOf { .. } | Block::Call { .. });
        let blocks = found.blocks.iter().filter(stays).cloned().collect();
        let conversation = self.conversation_mut();
        let turn = Turn { blocks, ..conversation.typed_turn(new, parent, role, text, cx.unix_ms) };
        let next = conversation.path.iter().skip_while(|turn| **turn != old).nth(1).copied();
        conversation.tree.put(turn.clone());
        conversation.check_calls([new]);
        let moved = conversation.reparent(next.as_slice(), Some(new));
        let leaf = if next.is_some() { conversation.record.leaf } else { Some(new) };
        conversation.go_to(leaf);
        self.save_change(id, vec![Record::Turn(Box::new(turn)), moved], cx);
        self.undos.push(ChatUndo::Edited(id, EditedTurn { old, new }));
        self.view_requests.turn = Some(new);
        cx.notify(Notice::ok("edited; u or < brings the old text back").about("change"));
    }

    /// Takes a message out of the conversation; what followed it follows the one before it.
    pub(super) fn delete_turn(&mut self, turn: Id, cx: &mut Cx) {
        if !self.can_change(cx) {
            return;
        }
        let id = self.open;
        let conversation = self.conversation_mut();
        let Some(found) = conversation.tree.turn(turn).cloned() else { return };
        let (leaf, children) = (conversation.record.leaf, conversation.tree.children(Some(turn)).to_vec());
        let tokens = conversation.tokens.remove(&turn).and_then(|tokens| tokens.all(turn));
        let sibling = conversation.tree.siblings(turn).iter().rev().copied().find(|other| *other != turn);
        let moved = conversation.reparent(&children, found.parent);
        conversation.tree.remove(turn);
        let end = match leaf {
            // After the last message, another version of it is shown, else the message before it.
            Some(leaf) if leaf == turn => {
                sibling.map(|sibling| conversation.tree.latest_leaf(sibling)).or(found.parent)
            }
            leaf => leaf,
        };
        conversation.go_to(end);
        let mark = self.marks.remove(&turn);
        self.composer.editing = self.composer.editing.filter(|edited| *edited != turn);
        self.save_change(id, vec![moved, Record::DeleteTurn { turn, parent: found.parent }], cx);
        let words = cut(&found.content.line(), EXCERPT);
        cx.notify(Notice::ok(format!("deleted “{words}”; u brings it back")).about("change"));
        self.undos.push(ChatUndo::Deleted(id, Box::new(DeletedTurn { turn: found, mark, tokens, children, leaf })));
        self.load_turns(id, cx);
    }

    /// Takes back what was done last: a conversation in the trash, or a change of the one that is open.
    pub(super) fn undo(&mut self, cx: &mut Cx) {
        let open = self.open;
        let here = |undo: &ChatUndo| match undo {
            ChatUndo::Trashed(_) => true,
            ChatUndo::Edited(id, _) | ChatUndo::Deleted(id, _) => *id == open,
        };
        let Some(at) = self.undos.iter().rposition(here) else {
            return cx.notify(Notice::warn("there is nothing to undo"));
        };
        if !matches!(self.undos[at], ChatUndo::Trashed(_)) && !self.can_change(cx) {
            return;
        }
        match self.undos.remove(at) {
            ChatUndo::Trashed(id) => self.set_trashed(id, false, cx),
            ChatUndo::Edited(id, edit) => self.undo_edit(id, &edit, cx),
            ChatUndo::Deleted(id, deletion) => self.undo_deletion(id, *deletion, cx),
        }
    }

    fn undo_edit(&mut self, id: Id, edit: &EditedTurn, cx: &mut Cx) {
        let conversation = self.conversation_mut();
        if !conversation.tree.contains(edit.new) || !conversation.tree.contains(edit.old) {
            return cx.notify(Notice::warn("the message is no longer here"));
        }
        // Turns that were added after it since are included.
        let after = conversation.tree.children(Some(edit.new)).to_vec();
        let shown = conversation.path.contains(&edit.new);
        let leaf = conversation.record.leaf.filter(|leaf| *leaf != edit.new);
        let moved = conversation.reparent(&after, Some(edit.old));
        conversation.tree.remove(edit.new);
        let leaf = if shown { leaf.or(Some(edit.old)) } else { conversation.record.leaf };
        conversation.go_to(leaf);
        self.save_change(id, vec![moved, Record::DeleteTurn { turn: edit.new, parent: Some(edit.old) }], cx);
        self.view_requests.turn = Some(edit.old);
        cx.notify(Notice::ok("the old text is back").about("change"));
    }

    fn undo_deletion(&mut self, id: Id, deletion: DeletedTurn, cx: &mut Cx) {
        let DeletedTurn { turn, mark, tokens, mut children, leaf } = deletion;
        let back = turn.id;
        let conversation = self.conversation_mut();
        conversation.tree.put(turn.clone());
        children.retain(|child| conversation.tree.contains(*child));
        let moved = conversation.reparent(&children, Some(back));
        let leaf = leaf.filter(|leaf| conversation.tree.contains(*leaf)).or(Some(back));
        conversation.go_to(leaf);
        let mut records = vec![Record::Turn(Box::new(turn)), moved];
        records.extend(tokens);
        if let Some(mark) = mark {
            self.marks.insert(back, mark.clone());
            records.push(Record::Mark(Box::new(mark)));
        }
        self.save_change(id, records, cx);
        self.view_requests.turn = Some(back);
        cx.notify(Notice::ok("the message is back").about("change"));
    }

    /// Returns whether the conversation's messages can be changed now; says why not.
    fn can_change(&self, cx: &mut Cx) -> bool {
        let busy = self.conversation().is_busy();
        if busy {
            cx.notify(Notice::warn("an answer is under way; esc stops it"));
        }
        !busy && self.conversation().loaded
    }

    /// Saves a change with the end of the branch, whole or not at all.
    fn save_change(&mut self, id: Id, mut records: Vec<Record>, cx: &mut Cx) {
        let head = self.conversation().head();
        records.insert(0, Record::Conversation(Box::new(head.conversation.clone())));
        self.list.put(head, cx);
        self.save(id, Record::Batch(records), cx);
        self.composer.recount(cx.now);
    }
}
