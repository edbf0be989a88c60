//! Changes of conversations and of messages that are there: edit, delete, undo, another version, trash, system prompt,
//! parameters, marks.

use std::time::Instant;

use super::conversation::{OpenConversation, is_answer};
use super::state::{ChatPane, State};
use super::undo::{ChatUndo, DeletedTurn, EditedTurn};
use crate::component::{Cx, Notice};
use crate::record::{Id, Record, TurnStatus};
use crate::tabs::generation::RunEnd;
use crate::ui::rule::cut;

/// Columns of a message in a notice.
const EXCERPT: usize = 30;

impl State {
    /// Puts a turn's text into the composer; sending it makes a branch beside the turn.
    pub(super) fn edit(&mut self, turn: Id, cx: &mut Cx) {
        let conversation = self.conversations.current();
        let Some(found) = conversation.tree.turn(turn) else { return };
        if is_answer(found) {
            cx.notify(Notice::warn("only what you wrote can be edited; r regenerates an answer"));
        } else if self.composer.editor.is_empty() || self.composer.is_edit_unchanged(conversation) {
            self.composer.edit(found, ChatPane::Transcript, cx.now);
            self.focus = ChatPane::Composer;
        } else {
            cx.notify(Notice::warn("the message box holds another text; send or clear it first"));
        }
    }

    /// Puts a message with the editor's text in the old one's place.
    pub(super) fn finish_turn_edit(&mut self, old: Id, text: String, cx: &mut Cx) {
        let new = cx.id();
        let Some(records) = self.conversation_mut().replace_turn(old, new, text, cx.unix_ms) else { return };
        self.conversations.save_change(records, cx);
        self.composer.recount(cx.now);
        self.undos.push(ChatUndo::Edited(self.conversations.open, EditedTurn { old, new }));
        self.view_requests.turn = Some(new);
        cx.notify(Notice::ok("edited; u or < brings the old text back").about("change"));
    }

    /// Takes a message out of the conversation; what followed it follows the one before it.
    pub(super) fn delete_turn(&mut self, turn: Id, cx: &mut Cx) {
        let conversation = self.conversations.current_mut();
        if !conversation.can_change(cx) {
            return;
        }
        let Some((deletion, records)) = conversation.delete_turn(turn) else { return };
        let deletion = DeletedTurn { mark: self.marks.remove(turn), ..deletion };
        self.composer.editing = self.composer.editing.filter(|edited| *edited != turn);
        self.conversations.save_change(records, cx);
        self.composer.recount(cx.now);
        let words = cut(&deletion.turn.content.line(), EXCERPT);
        cx.notify(Notice::ok(format!("deleted “{words}”; u brings it back")).about("change"));
        let id = self.conversations.open;
        self.undos.push(ChatUndo::Deleted(id, Box::new(deletion)));
        self.conversations.load_turns(id, cx);
    }

    /// Takes back what was done last: a conversation in the trash, or a change of the one that is open.
    pub(super) fn undo(&mut self, cx: &mut Cx) {
        let open = self.conversations.open;
        let Some(next) = self.undos.next(open) else { return cx.notify(Notice::warn("there is nothing to undo")) };
        let conversation = self.conversations.current_mut();
        if next.changes_open() && !conversation.can_change(cx) {
            return;
        }
        let (records, turn, words) = match next.take() {
            ChatUndo::Trashed(id) => return self.set_trashed(id, false, cx),
            ChatUndo::Edited(_, edit) => match conversation.undo_edit(&edit) {
                None => return cx.notify(Notice::warn("the message is no longer here")),
                Some(records) => (records, edit.old, "the old text is back"),
            },
            ChatUndo::Deleted(_, deletion) => {
                let turn = deletion.turn.id;
                if let Some(mark) = deletion.mark.clone() {
                    self.marks.put_back(mark);
                }
                (conversation.undo_deletion(*deletion), turn, "the message is back")
            }
        };
        self.conversations.save_change(records, cx);
        self.composer.recount(cx.now);
        self.view_requests.turn = Some(turn);
        cx.notify(Notice::ok(words).about("change"));
    }

    /// Shows the version before or after this one, with the branch that follows it. Returns whether there is one.
    pub(super) fn switch_version(&mut self, turn: Id, way: isize, cx: &mut Cx) -> bool {
        let conversation = self.conversations.current_mut();
        let Some(to) = conversation.adjacent_version(turn, way) else { return false };
        let leaf = conversation.tree.latest_leaf(to);
        conversation.go_to(Some(leaf));
        let id = self.conversations.open;
        self.conversations.save_head(id, cx);
        self.conversations.load_turns(id, cx);
        true
    }

    /// Moves a conversation to the trash, or back.
    pub(super) fn set_trashed(&mut self, id: Id, away: bool, cx: &mut Cx) {
        if !self.conversations.set_trashed(id, away, cx) {
            return;
        }
        if away {
            self.undos.push(ChatUndo::Trashed(id));
            if self.conversations.open == id {
                self.new_conversation(cx);
                self.focus = ChatPane::List;
            }
        } else {
            self.undos.forget_trashed(id);
            self.open(id, cx);
            self.conversations.list.items.select(id);
        }
    }

    /// Deletes a trashed conversation for good.
    pub(super) fn purge(&mut self, id: Id, cx: &mut Cx) {
        if let Some(answer) = self.conversations.get(id).and_then(|conversation| conversation.answer.as_ref()) {
            // The answer is billed all the same, and has its row in the ledger.
            answer.run.stop(cx);
            self.comparisons.end(id);
            self.finish(id, RunEnd { status: TurnStatus::Stopped, failure: None }, cx);
        }
        self.undos.forget_trashed(id);
        if self.conversations.open == id {
            let fresh = self.conversations.add_blank(cx);
            self.show(fresh, cx);
        }
        self.conversations.purge(id, cx);
    }

    /// Takes another system prompt.
    pub(super) fn set_system(&mut self, text: String, now: Instant) {
        let conversation = self.conversations.current_mut();
        conversation.record.system = text;
        conversation.counts.forget_system();
        self.composer.system_changed = true;
        self.composer.changed(now);
    }

    /// Sets a parameter of the open conversation.
    pub(super) fn set_param(&mut self, name: &'static str, text: &str, cx: &mut Cx) {
        let conversation = self.conversations.current_mut();
        if self.params.set(&mut conversation.record.params, name, text, cx) {
            if name == "tools" {
                let OpenConversation { call_problems, tree, record, .. } = conversation;
                for turn in call_problems.check_again(tree, &record.params) {
                    self.view_requests.redraw(turn);
                }
            }
            self.conversations.save_head(self.conversations.open, cx);
        }
    }

    /// Saves a change of a turn's mark in the open conversation.
    pub(super) fn save_mark(&mut self, turn: Id, record: Option<Record>, cx: &mut Cx) {
        if let Some(record) = record {
            self.view_requests.redraw(turn);
            self.conversations.save(self.conversations.open, record, cx);
        }
    }
}
