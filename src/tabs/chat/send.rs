//! What the user does to a conversation: send, edit and resend, regenerate, continue, stop, switch versions.

use super::kept::{UNKEPT, UNSENT};
use super::list::title_of;
use super::room::Asking;
use super::state::{Focus, Request, State, Touch};
use super::undo::Undo;
use crate::api::call::Failure;
use crate::component::{Cx, Effect, Notice, Session};
use crate::record::{Id, Record, TurnStatus};
use crate::tabs::generation::Phase;
use crate::text::Untrusted;
use crate::ui::rule::cut;

/// Columns of a title in a notice.
const TOAST_TITLE: usize = 30;

impl State {
    /// Sends the composer's text. While an answer is under way nothing is queued: the text stays.
    pub(super) fn send(&mut self, cx: &mut Cx) {
        if self.room().is_busy() {
            let key = cx.session.send_key();
            cx.notify(Notice::warn(format!("an answer is under way; esc stops it, then {key} sends")));
            return;
        }
        let text = self.editor.text();
        if text.trim().is_empty() {
            return;
        }
        if !self.room().loaded {
            let key = cx.session.send_key();
            cx.notify(Notice::warn(format!("this conversation is still being read; {key} again in a moment")));
            self.reload(self.open, cx);
            return;
        }
        if cx.session.model.is_empty() && !self.is_trial() {
            // The text stays where it is until the list has come; without a model in it one is chosen first.
            self.waiting = Some((cx.session.profile.clone(), self.open));
            cx.push(Effect::AskModels);
            return;
        }
        if let Some(why) = self.over_limit(cx.session).filter(|_| !self.is_trial()) {
            cx.notify(Notice::error(why).about("limit"));
            return;
        }
        let id = self.open;
        if self.room().conversation.trashed_ms.is_some() {
            // Who goes on with it does not want it thrown away.
            self.trash(id, false, cx);
        }
        let turn_id = cx.id();
        let parent = self.before_draft();
        let edited = self.editing.take();
        let chosen = Untrusted::from(std::mem::replace(&mut self.role, "user"));
        let role = edited.and_then(|turn| self.room().tree.turn(turn)).map_or(chosen, |turn| turn.role.clone());
        let room = self.room_mut();
        let title = title_of(&text);
        let turn = room.typed_turn(turn_id, parent, role.clone(), text, cx.unix_ms);
        room.put(turn.clone());
        room.go_to(Some(turn_id));
        let conversation = &mut room.conversation;
        if conversation.title.is_empty() {
            conversation.title = title.into();
        }
        conversation.updated_ms = cx.unix_ms;
        let draft = std::mem::take(&mut conversation.draft);
        conversation.profile = cx.session.profile.0.as_str().into();
        conversation.model.clone_from(&cx.session.model);
        let kept = vec![
            Record::Conversation(Box::new(conversation.clone())),
            Record::Turn(Box::new(turn)),
            Record::DraftSent { conversation: id, text: draft },
            Record::Setting("chat.last".into(), id.0.to_string().into()),
        ];
        let head = crate::record::Head { conversation: conversation.clone(), turns: room.tree.len() as u64 };
        self.put_head(head);
        self.draft_became(turn_id, self.room().tree.turn(turn_id).map_or(0, |turn| turn.content.len()));
        self.editor.set_text("");
        self.history = None;
        // The batch holds them too.
        (self.draft_due, self.system_changed) = (None, false);
        self.recount(cx.now);
        let kept = Record::Batch(kept);
        if role == "user" {
            let voice = self.first_voice(id);
            self.commit(id, kept, Asking { parent: turn_id, continues: None, replaces: None, voice }, cx);
        } else {
            self.keep(id, kept, cx);
        }
    }

    /// Whether the message is to be sent as soon as the list of models names one.
    pub(super) fn waits_for_model(&self, session: &Session) -> bool {
        let waits = self.waiting.as_ref();
        waits.is_some_and(|(profile, room)| *profile == session.profile && *room == self.open)
    }

    /// Puts a turn's text into the composer; sending it makes a branch beside the turn.
    pub(super) fn edit(&mut self, turn: Id, cx: &mut Cx) {
        let Some(found) = self.room().tree.turn(turn) else { return };
        if Self::is_answer(found) {
            cx.notify(Notice::warn("only what you wrote can be edited; r regenerates an answer"));
            return;
        }
        let content = found.content.clone();
        if self.editor.is_empty() || self.is_edit_unchanged() {
            self.editor.edit(&content);
            self.editing = Some(turn);
            self.focus = Focus::Composer;
            self.drafted(cx.now);
        } else {
            cx.notify(Notice::warn("the message box holds another text; send or clear it first"));
        }
    }

    /// Asks for another answer in place of this turn, or to it when it is the user's.
    pub(super) fn regenerate(&mut self, turn: Id, cx: &mut Cx) {
        let id = self.open;
        let room = self.room();
        if room.is_busy() {
            cx.notify(Notice::warn("an answer is under way; esc stops it"));
            return;
        }
        let Some(found) = room.tree.turn(turn) else { return };
        let asking = if found.role == "assistant" {
            let Some(parent) = found.parent else { return };
            let empty = found.status == TurnStatus::Failed && found.is_silent();
            let model = found.model.clone();
            let voice = self.same_voice(id, &model);
            Asking { parent, continues: None, replaces: empty.then_some(turn), voice }
        } else {
            let voice = self.first_voice(id);
            Asking { parent: turn, continues: None, replaces: None, voice }
        };
        self.ask(asking, cx);
    }

    /// Asks for the rest of an answer that was stopped or cut off.
    pub(super) fn go_on(&mut self, turn: Id, cx: &mut Cx) {
        let room = self.room();
        let Some(found) = room.tree.turn(turn) else { return };
        if room.is_busy() || found.role != "assistant" || !Self::unfinished(found) {
            cx.notify(Notice::warn("this answer is complete; r asks for another"));
            return;
        }
        let Some(parent) = found.parent else { return };
        let model = found.model.clone();
        let voice = self.same_voice(self.open, &model);
        self.ask(Asking { parent, continues: Some(turn), replaces: None, voice }, cx);
    }

    /// The request starts once all of the conversation is on disk, which mostly it is, or at once where the disk refuses it:
    /// the user has been told.
    fn ask(&mut self, asking: Asking, cx: &mut Cx) {
        let id = self.open;
        let room = self.room_mut();
        room.committing = Some(asking);
        if room.unsaved.is_empty() || room.waits.is_some() {
            self.begin(id, cx);
        }
    }

    /// Stops what streams here; what came is kept. Whether there was anything to stop.
    pub(super) fn stop(&mut self, cx: &mut Cx) -> bool {
        let id = self.open;
        self.silence(id);
        let room = self.room_mut();
        if room.committing.take().is_some() {
            return true;
        }
        let Some(answer) = &room.answer else { return false };
        cx.cancel(answer.run.ticket);
        let asked = answer.parent;
        if let Phase::Retrying { why, .. } = &answer.run.phase {
            let why = Failure { sentence: format!("given up: {}", why.sentence.line()).into(), ..why.clone() };
            self.finish(id, TurnStatus::Failed, Some(why), cx);
            self.give_back(asked, cx);
        } else {
            self.finish(id, TurnStatus::Stopped, None, cx);
        }
        true
    }

    /// Puts a prompt that got no answer back into an empty composer.
    fn give_back(&mut self, asked: Id, cx: &mut Cx) {
        if !self.editor.is_empty() {
            return;
        }
        let prompt = self.room().tree.turn(asked).map(|turn| turn.content.clone());
        if let Some(prompt) = prompt {
            self.editor.edit(&prompt);
            self.editing = Some(asked);
            self.drafted(cx.now);
        }
    }

    /// A prompt could not be kept: it is not sent, unless another has been sent instead.
    pub(super) fn unkept(&mut self, id: Id, prompt: Id, cx: &mut Cx) {
        let waits = self.rooms.get(&id).and_then(|room| room.committing.as_ref());
        if waits.is_some_and(|asking| asking.parent == prompt) {
            self.unkept_request(id, cx);
        }
    }

    /// The disk does not take what a request waits for. It is sent all the same where nothing can be saved in this store,
    /// which is said all the time.
    pub(super) fn unkept_request(&mut self, id: Id, cx: &mut Cx) {
        if cx.session.unsaved.is_some() {
            self.begin(id, cx);
        } else {
            self.unsent(id, UNKEPT, cx);
        }
    }

    /// Nothing is sent, and why; the prompt goes back to the composer if that is empty.
    pub(super) fn unsent(&mut self, id: Id, why: &str, cx: &mut Cx) {
        let Some(asking) = self.rooms.get_mut(&id).and_then(|room| room.committing.take()) else { return };
        cx.notify(Notice::error(why).about(UNSENT));
        if id == self.open {
            self.give_back(asking.parent, cx);
        }
    }

    /// Whether the composer holds a turn's text as it is there.
    pub(super) fn is_edit_unchanged(&self) -> bool {
        let turn = self.editing.and_then(|turn| self.room().tree.turn(turn));
        turn.is_some_and(|turn| turn.content == *self.editor.text())
    }

    /// Ends an edit. An unchanged text leaves the composer, its turn has it; a changed one stays as a message.
    pub(super) fn drop_edit(&mut self, cx: &mut Cx) -> bool {
        if self.editing.is_none() {
            return false;
        }
        if self.is_edit_unchanged() {
            self.editor.set_text("");
        }
        self.editing = None;
        self.drafted(cx.now);
        true
    }

    /// Ends a retry's countdown. Whether there was one.
    pub(super) fn hurry(&mut self, cx: &mut Cx) -> bool {
        let Some(answer) = &self.room().answer else { return false };
        let counting = matches!(answer.run.phase, Phase::Retrying { .. });
        if counting {
            cx.hurry(answer.run.ticket);
        }
        counting
    }

    /// The version before or after this one.
    pub(super) fn sibling(&self, turn: Id, way: isize) -> Option<Id> {
        let tree = &self.room().tree;
        tree.siblings(turn).get(tree.version(turn).0.checked_add_signed(way)?).copied()
    }

    /// Shows the version before or after this one, with the branch that follows it. Whether there is one.
    pub(super) fn switch(&mut self, turn: Id, way: isize, cx: &mut Cx) -> bool {
        let id = self.open;
        let Some(to) = self.sibling(turn, way) else { return false };
        let room = self.room_mut();
        let leaf = room.tree.leaf(to);
        room.go_to(Some(leaf));
        self.keep_conversation(id, cx);
        self.load_turns(id, cx);
        true
    }

    /// Moves a conversation to the trash, or back.
    pub(super) fn trash(&mut self, id: Id, away: bool, cx: &mut Cx) {
        let Some(head) = self.shelf.head_mut(id) else { return };
        head.conversation.trashed_ms = away.then_some(cx.unix_ms);
        let at_ms = head.conversation.trashed_ms;
        let title = cut(&head.conversation.title.line(), TOAST_TITLE);
        let subject = format!("trash {}", id.0);
        if let Some(room) = self.rooms.get_mut(&id) {
            room.conversation.trashed_ms = at_ms;
        }
        self.keep(id, Record::Trashed { conversation: id, at_ms }, cx);
        if away {
            self.undos.push(Undo::Trashed(id));
            cx.notify(Notice::ok(format!("“{title}” is in the trash; u brings it back")).about(subject));
            if self.open == id {
                self.fresh(cx);
                self.focus = Focus::List;
            }
            self.settle_cursor();
        } else {
            self.forget_trashed(id);
            cx.notify(Notice::ok(format!("“{title}” is back")).about(subject));
            self.open(id, cx);
            self.point_at(id);
        }
    }

    /// A conversation is not in the trash any more: nothing is left to undo.
    fn forget_trashed(&mut self, id: Id) {
        self.undos.retain(|undo| !matches!(undo, Undo::Trashed(other) if *other == id));
    }

    /// Deletes a trashed conversation for good.
    pub(super) fn purge(&mut self, id: Id, cx: &mut Cx) {
        if let Some(answer) = self.rooms.get(&id).and_then(|room| room.answer.as_ref()) {
            // It is billed all the same, and says so in the ledger.
            cx.cancel(answer.run.ticket);
            self.trials.remove(&id);
            self.finish(id, TurnStatus::Stopped, None, cx);
        }
        self.shelf.remove(id);
        self.forget_trashed(id);
        self.unseen.remove(&id);
        self.purged.insert(id);
        if self.open == id {
            self.rooms.remove(&id);
            let fresh = cx.id();
            self.rooms.insert(fresh, super::room::Room::blank(fresh, cx.unix_ms, cx.session));
            self.show(fresh, cx);
        }
        self.rooms.remove(&id);
        self.orders += 1;
        let ticket = cx.record(Record::Purge(id));
        self.pending.insert(ticket, Request::Purge);
    }

    /// Gives a conversation another title.
    pub(super) fn rename(&mut self, id: Id, title: &str, cx: &mut Cx) {
        let title = title.trim();
        if title.is_empty() {
            return;
        }
        if let Some(head) = self.shelf.head_mut(id) {
            head.conversation.title = title.into();
            head.conversation.titled = true;
            if let Some(room) = self.rooms.get_mut(&id) {
                room.conversation.title = title.into();
                room.conversation.titled = true;
            }
            self.keep(id, Record::Title { conversation: id, title: title.into() }, cx);
        } else if let Some(room) = self.rooms.get_mut(&id) {
            room.conversation.title = title.into();
            room.conversation.titled = true;
        }
    }

    /// The prompt before (`way` 1) or after (−1) the one the composer shows, from the newest on. What is being written
    /// is not replaced: only an empty composer begins to look back.
    pub(super) fn recall(&mut self, way: isize, cx: &mut Cx) {
        let next = match (self.history, way) {
            (None, 1) if self.editor.is_empty() => Some(0),
            (Some(at), _) => at.checked_add_signed(way),
            _ => return,
        };
        let room = self.room();
        let typed = room.path.iter().rev().filter_map(|id| room.tree.turn(*id)).filter(|turn| turn.role == "user");
        let mut prompts = typed.map(|turn| &turn.content);
        match next {
            None => {
                self.editor.set_text("");
                self.history = None;
            }
            Some(next) => {
                let Some(prompt) = prompts.nth(next).cloned() else { return };
                self.editor.edit(&prompt);
                self.history = Some(next);
            }
        }
        self.drafted(cx.now);
    }

    /// The picture of a turn has to be made anew.
    pub(super) fn touch(&mut self, turn: Id) {
        let touch = Touch::Turn(turn);
        if self.touched.last() != Some(&touch) {
            self.touched.push(touch);
        }
    }
}
