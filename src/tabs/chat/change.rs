//! Changes one message of a conversation and leaves the others as they are: edits it in place, deletes it, takes that
//! back.

use super::room::Room;
use super::state::State;
use super::undo::{Deletion, Edit, Undo};
use crate::component::{Cx, Notice};
use crate::record::{Id, Record};
use crate::ui::rule::cut;

/// Columns of a message in a notice.
const EXCERPT: usize = 30;

impl Room {
    /// Puts turns after another one; the order that keeps that.
    fn place(&mut self, turns: &[Id], parent: Option<Id>) -> Record {
        self.tree.move_to(turns, parent);
        Record::Moved { turns: turns.to_vec(), parent }
    }
}

impl State {
    /// Opens an editor for a message's text.
    pub(super) fn begin_change(&mut self, turn: Id, cx: &mut Cx) {
        let Some(found) = self.room().tree.turn(turn).filter(|_| self.can_change(cx)) else { return };
        let text = found.content.clone();
        self.open_change(turn, &text);
    }

    /// The editor is closed: a message with its text stands in the old one's place, which stays as a version of it. What
    /// followed the old one here follows the new one.
    pub(super) fn end_change(&mut self, old: Id, text: String, cx: &mut Cx) {
        let Some(found) = self.room().tree.turn(old) else { return };
        if text.trim().is_empty() || found.content == *text || self.room().is_busy() {
            return;
        }
        let (id, new) = (self.open, cx.id());
        let (parent, role) = (found.parent, found.role.clone());
        let room = self.room_mut();
        let turn = room.typed_turn(new, parent, role, text, cx.unix_ms);
        let next = room.path.iter().skip_while(|turn| **turn != old).nth(1).copied();
        room.put(turn.clone());
        let moved = room.place(next.as_slice(), Some(new));
        let leaf = if next.is_some() { room.conversation.leaf } else { Some(new) };
        room.go_to(leaf);
        self.keep_change(id, vec![Record::Turn(Box::new(turn)), moved], cx);
        self.undos.push(Undo::Edited(id, Edit { old, new }));
        self.show_turn = Some(new);
        cx.notify(Notice::ok("edited; u or < brings the old text back").about("change"));
    }

    /// Takes a message out of the conversation; what followed it follows the one before it.
    pub(super) fn delete_turn(&mut self, turn: Id, cx: &mut Cx) {
        if !self.can_change(cx) {
            return;
        }
        let id = self.open;
        let room = self.room_mut();
        let Some(found) = room.tree.turn(turn).cloned() else { return };
        let (leaf, children) = (room.conversation.leaf, room.tree.children(Some(turn)).to_vec());
        let tokens = room.told.remove(&turn).and_then(|told| told.all(turn));
        let beside = room.tree.siblings(turn).iter().rev().copied().find(|other| *other != turn);
        let moved = room.place(&children, found.parent);
        room.tree.remove(turn);
        let end = match leaf {
            // The last message: another version of it, else the one before.
            Some(leaf) if leaf == turn => beside.map(|beside| room.tree.leaf(beside)).or(found.parent),
            leaf => leaf,
        };
        room.go_to(end);
        let mark = self.marks.remove(&turn);
        self.editing = self.editing.filter(|edited| *edited != turn);
        self.keep_change(id, vec![moved, Record::TurnGone { turn, parent: found.parent }], cx);
        let words = cut(&found.content.line(), EXCERPT);
        cx.notify(Notice::ok(format!("deleted “{words}”; u brings it back")).about("change"));
        self.undos.push(Undo::Deleted(id, Box::new(Deletion { turn: found, mark, tokens, children, leaf })));
        self.load_turns(id, cx);
    }

    /// Takes back what was done last: a conversation in the trash, or a change of the one that is open.
    pub(super) fn undo(&mut self, cx: &mut Cx) {
        let open = self.open;
        let here = |undo: &Undo| match undo {
            Undo::Trashed(_) => true,
            Undo::Edited(id, _) | Undo::Deleted(id, _) => *id == open,
        };
        let Some(at) = self.undos.iter().rposition(here) else {
            return cx.notify(Notice::warn("there is nothing to undo"));
        };
        if !matches!(self.undos[at], Undo::Trashed(_)) && !self.can_change(cx) {
            return;
        }
        match self.undos.remove(at) {
            Undo::Trashed(id) => self.trash(id, false, cx),
            Undo::Edited(id, edit) => self.undo_edit(id, &edit, cx),
            Undo::Deleted(id, deletion) => self.undo_deletion(id, *deletion, cx),
        }
    }

    fn undo_edit(&mut self, id: Id, edit: &Edit, cx: &mut Cx) {
        let room = self.room_mut();
        if !room.tree.contains(edit.new) || !room.tree.contains(edit.old) {
            return cx.notify(Notice::warn("the message is not here any more"));
        }
        // Also what has followed it since.
        let after = room.tree.children(Some(edit.new)).to_vec();
        let shown = room.path.contains(&edit.new);
        let leaf = room.conversation.leaf.filter(|leaf| *leaf != edit.new);
        let moved = room.place(&after, Some(edit.old));
        room.tree.remove(edit.new);
        let leaf = if shown { leaf.or(Some(edit.old)) } else { room.conversation.leaf };
        room.go_to(leaf);
        self.keep_change(id, vec![moved, Record::TurnGone { turn: edit.new, parent: Some(edit.old) }], cx);
        self.show_turn = Some(edit.old);
        cx.notify(Notice::ok("the old text is back").about("change"));
    }

    fn undo_deletion(&mut self, id: Id, deletion: Deletion, cx: &mut Cx) {
        let Deletion { turn, mark, tokens, mut children, leaf } = deletion;
        let back = turn.id;
        let room = self.room_mut();
        room.put(turn.clone());
        children.retain(|child| room.tree.contains(*child));
        let moved = room.place(&children, Some(back));
        let leaf = leaf.filter(|leaf| room.tree.contains(*leaf)).or(Some(back));
        room.go_to(leaf);
        let mut records = vec![Record::Turn(Box::new(turn)), moved];
        records.extend(tokens);
        if let Some(mark) = mark {
            self.marks.insert(back, mark.clone());
            records.push(Record::Mark(Box::new(mark)));
        }
        self.keep_change(id, records, cx);
        self.show_turn = Some(back);
        cx.notify(Notice::ok("the message is back").about("change"));
    }

    /// Whether the conversation's messages can be changed now; says why not.
    fn can_change(&self, cx: &mut Cx) -> bool {
        let busy = self.room().is_busy();
        if busy {
            cx.notify(Notice::warn("an answer is under way; esc stops it"));
        }
        !busy && self.room().loaded
    }

    /// Keeps a change with the end of the branch, whole or not at all.
    fn keep_change(&mut self, id: Id, mut records: Vec<Record>, cx: &mut Cx) {
        let room = self.room_mut();
        records.insert(0, Record::Conversation(Box::new(room.conversation.clone())));
        let head = crate::record::Head { conversation: room.conversation.clone(), turns: room.tree.len() as u64 };
        self.put_head(head);
        self.keep(id, Record::Batch(records), cx);
        self.recount(cx.now);
    }
}
