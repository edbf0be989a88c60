//! Exchanges data with the store: saves, loads, and takes its answers.

use super::answers::saved_failure;
use super::conversation::{AnswerRequest, OpenConversation};
use super::open_call::result_of;
use super::state::{LAST, Request, State, TabStart};
use super::turn_tree::TurnTree;
use super::view_requests::ViewChange;
use crate::api::call::Ticket;
use crate::component::{Cx, Effect, Notice, Offer};
use crate::record::work::{Done, Work};
use crate::record::{Conversation, Id, Query, Record, Rows, Stored, Turn, TurnStatus};

/// Turns loaded at a time.
const LOADED: usize = 200;
/// What a notice is about that says why a prompt was not sent.
pub(super) const NOT_SENT: &str = "chat prompt";
/// Why a prompt is not sent that the disk does not take.
pub(super) const NOT_SAVED: &str =
    "The prompt could not be saved and was not sent; press r in the transcript to send it";

impl State {
    /// Comes to the front; the first time it asks for what is on disk.
    pub(super) fn enter(&mut self, cx: &mut Cx) {
        self.list.sync(cx);
        if self.start != TabStart::Hidden {
            return;
        }
        self.start = TabStart::Entered;
        self.animation.start(cx.now);
        self.animation.set_motion(cx.session.motion);
        self.composer.enter_newline = cx.session.enter.inserts_newline;
        if self.open == Id(0) {
            self.conversations.remove(&Id(0));
            self.open = cx.id();
            self.conversations.insert(self.open, OpenConversation::blank(self.open, cx.unix_ms, cx.session));
        }
        self.load_list(cx);
        let ticket = cx.load(Query::Setting(LAST.into()));
        self.pending.insert(ticket, Request::Last);
    }

    /// Asks for the conversations there are: other copies make some, too.
    pub(super) fn load_list(&mut self, cx: &mut Cx) {
        let at_rest =
            !self.pending.any(|asked| matches!(asked, Request::Save(_) | Request::Commit(..) | Request::Purge));
        let ticket = cx.load(Query::Heads);
        self.pending.insert(ticket, Request::Heads(at_rest.then_some(self.records)));
    }

    /// Saves something of a conversation; its title says `saving…` until that is on disk.
    pub(super) fn save(&mut self, id: Id, record: Record, cx: &mut Cx) {
        let ticket = self.write(id, record, cx);
        self.pending.insert(ticket, Request::Save(id));
    }

    /// Saves records as [`State::save`] does, and starts the request when they are on disk.
    pub(super) fn commit(&mut self, id: Id, record: Record, asking: AnswerRequest, cx: &mut Cx) {
        let ticket = self.write(id, record, cx);
        self.pending.insert(ticket, Request::Commit(id, asking.parent));
        if let Some(conversation) = self.conversations.get_mut(&id) {
            conversation.committing = Some(asking);
        }
    }

    fn write(&mut self, id: Id, record: Record, cx: &mut Cx) -> Ticket {
        self.records += 1;
        match self.conversations.get_mut(&id) {
            Some(conversation) => conversation.saves.save(record, cx),
            None => cx.save(record),
        }
    }

    /// Saves a conversation's own fields, and shows them in the list at once.
    pub(super) fn save_conversation(&mut self, id: Id, cx: &mut Cx) {
        let Some(conversation) = self.conversations.get(&id) else { return };
        if conversation.is_begun() || self.is_listed(id) {
            let head = conversation.head();
            self.list.put(head.clone(), cx);
            self.save(id, Record::Conversation(Box::new(head.conversation)), cx);
        }
    }

    /// Returns whether a conversation has a line in the list.
    pub(super) fn is_listed(&self, id: Id) -> bool {
        self.list.items.head(id).is_some()
    }

    pub(super) fn handle_stored(&mut self, ticket: Ticket, stored: Stored, cx: &mut Cx) {
        let Some(asked) = self.pending.take(ticket) else { return };
        if let Request::Save(id) | Request::Commit(id, _) = asked {
            return self.saved(ticket, id, &asked, &stored, cx);
        }
        match stored {
            Stored::Rows(rows) => self.rows(asked, rows, cx),
            Stored::Failed(why) => {
                match asked {
                    Request::Heads(_) => self.list.loaded = true,
                    // A request that waits for these turns would wait forever.
                    Request::Turns(id, _) => {
                        self.refuse_request(
                            id,
                            "a part of this conversation could not be read, so it was not sent",
                            cx,
                        );
                        // Turns that are loaded later must not be sent to another tab unexpectedly.
                        self.offering = self.offering.filter(|offered| *offered != id);
                    }
                    Request::Tokens(id, turn) => self.loaded_tokens(id, turn, None),
                    _ => {}
                }
                cx.notify(Notice::error(why));
            }
            Stored::Committed | Stored::Waiting(_) => {}
        }
    }

    /// Takes the store's answer to a record of a conversation.
    fn saved(&mut self, ticket: Ticket, id: Id, asked: &Request, stored: &Stored, cx: &mut Cx) {
        let refusal = match stored {
            Stored::Waiting(why) | Stored::Failed(why) => Some(why),
            _ => None,
        };
        if let Some(conversation) = self.conversations.get_mut(&id) {
            conversation.saves.stored(ticket, stored);
        } else if let Stored::Failed(why) = stored {
            // A conversation that is not loaded has no title to show this in.
            cx.notify(Notice::error(format!("not saved: {}", why.line())));
        }
        if refusal.is_some() {
            // A request that waits for it is not sent later, when the disk accepts it: the user would not expect that.
            match asked {
                Request::Commit(_, prompt) => self.refuse_unsaved(id, *prompt, cx),
                _ => self.refuse_unsaved_request(id, cx),
            }
            if matches!(stored, Stored::Waiting(_)) {
                return self.pending.insert(ticket, Request::Save(id));
            }
            return self.release(id);
        }
        // The request waited for its prompt, or for everything unsaved, to be on disk; it is now.
        let ready = |conversation: &OpenConversation| match (asked, &conversation.committing) {
            (Request::Commit(_, prompt), Some(asking)) if asking.parent == *prompt => true,
            (_, waits) => waits.is_some() && conversation.saves.is_answered(),
        };
        if self.conversations.get(&id).is_some_and(ready) {
            self.start_request(id, cx);
        }
        self.release(id);
    }

    /// Returns whether the user has begun nothing yet.
    fn is_untouched(&self) -> bool {
        let begun = self.start == TabStart::AskedNew || self.conversation().is_begun() || self.conversation().is_busy();
        !begun && self.composer.editor.is_empty() && !self.is_covered()
    }

    fn rows(&mut self, asked: Request, rows: Rows, cx: &mut Cx) {
        match rows {
            Rows::Heads(heads) => {
                // The answer of the store may lack what was saved meanwhile.
                let current = matches!(asked, Request::Heads(Some(records)) if records == self.records);
                let conversations = &self.conversations;
                self.list.merge(heads, |id| !current || conversations.contains_key(&id), cx);
            }
            Rows::Setting(_, Some(id)) if matches!(asked, Request::Last) => {
                if let Ok(id) = id.line().parse::<i64>()
                    && self.is_untouched()
                {
                    self.load(Id(id), cx);
                }
            }
            Rows::Conversation(Some(record)) => self.conversation_loaded(*record, cx),
            Rows::Conversation(None) => {
                if let Request::Conversation(id) = asked {
                    self.conversation_gone(id, cx);
                }
            }
            Rows::Outline(id, outline) => self.outline_loaded(id, outline, cx),
            Rows::Drafts(id, drafts) => {
                if let Some(conversation) = self.conversations.get_mut(&id) {
                    conversation.drafts = drafts;
                }
            }
            Rows::Marks(_, marks) => self.marked(marks),
            Rows::Turns(turns) => {
                if let Request::Turns(id, wanted) = asked {
                    self.turns_loaded(id, &wanted, turns, cx);
                    if self.offering == Some(self.open) && id == self.open {
                        self.offer_all(cx);
                    }
                }
            }
            Rows::Tokens(found) => {
                if let Request::Tokens(id, turn) = asked {
                    let of = found.into_iter().find(|(of, _)| *of == turn);
                    self.loaded_tokens(id, turn, Some(of.map(|(_, tokens)| tokens).unwrap_or_default()));
                }
            }
            Rows::Found(found) => {
                if let Request::Found(words) = asked {
                    self.list.found(&words, found.into_iter().map(|(id, turn, _)| (id, turn)).collect());
                }
            }
            // No conversation was open last. This tab asks for no other kind of row.
            _ => {}
        }
    }

    /// Takes a conversation, and opens it unless the user has begun something else.
    fn conversation_loaded(&mut self, record: Conversation, cx: &mut Cx) {
        let (id, draft) = (record.id, record.draft.clone());
        if record.trashed_ms.is_some() && self.open != id {
            return;
        }
        let changing = self.open == id && (self.composer.system_changed || self.is_covered());
        let conversation = self.conversations.entry(id).or_insert_with(|| OpenConversation::new(record.clone()));
        if !conversation.loaded {
            if !changing {
                conversation.record = record;
                if self.open == id {
                    self.params.show(&conversation.record.params);
                }
            }
            let ticket = cx.load(Query::Outline(id));
            self.pending.insert(ticket, Request::Outline(id));
            let ticket = cx.load(Query::Drafts(id));
            self.pending.insert(ticket, Request::Drafts);
        }
        if self.open != id && self.is_untouched() {
            self.show(id, cx);
        }
        if self.open == id && self.composer.editor.is_empty() {
            self.composer.editor.set_text(&draft);
        }
    }

    /// Takes the ids of a conversation's turns, each with its parent.
    fn outline_loaded(&mut self, id: Id, outline: Vec<(Id, Option<Id>)>, cx: &mut Cx) {
        let Some(conversation) = self.conversations.get_mut(&id).filter(|conversation| !conversation.loaded) else {
            return;
        };
        conversation.loaded = true;
        conversation.tree = TurnTree::of(outline);
        let leaf = conversation.record.leaf.or_else(|| conversation.tree.newest());
        conversation.go_to(leaf);
        self.reach_goal(id, cx);
        self.load_turns(id, cx);
        self.load_marks(id, cx);
    }

    /// Removes a conversation that is not on disk any more.
    fn conversation_gone(&mut self, id: Id, cx: &mut Cx) {
        self.list.items.remove(id);
        if self.open == id && !self.conversation().loaded {
            cx.notify(Notice::warn("another copy of benchtop has deleted this conversation"));
            let fresh = cx.id();
            self.conversations.insert(fresh, OpenConversation::blank(fresh, cx.unix_ms, cx.session));
            self.show(fresh, cx);
            self.conversations.remove(&id);
        }
    }

    /// Asks again for a conversation that could not be read.
    pub(super) fn reload(&mut self, id: Id, cx: &mut Cx) {
        let coming = |asked: &Request| matches!(asked, Request::Conversation(of) | Request::Outline(of) if *of == id);
        if !self.pending.any(coming) {
            self.load(id, cx);
        }
    }

    /// Asks the store for a conversation, to be opened when it comes.
    pub(super) fn load(&mut self, id: Id, cx: &mut Cx) {
        let ticket = cx.load(Query::Conversation(id));
        self.pending.insert(ticket, Request::Conversation(id));
    }

    /// Asks for the newest turns of the shown branch that are not here.
    pub(super) fn load_turns(&mut self, id: Id, cx: &mut Cx) {
        self.load_newest(id, LOADED, cx);
    }

    /// Asks for all turns of the shown branch that are not here.
    pub(super) fn load_all(&mut self, id: Id, cx: &mut Cx) {
        self.load_newest(id, usize::MAX, cx);
    }

    fn load_newest(&mut self, id: Id, most: usize, cx: &mut Cx) {
        let Some(conversation) = self.conversations.get(&id) else { return };
        let waiting = self.pending.any(|asked| matches!(asked, Request::Turns(other, _) if *other == id));
        if !waiting {
            let missing = conversation.unloaded();
            self.load_these(id, missing[missing.len().saturating_sub(most)..].to_vec(), cx);
        }
    }

    /// Asks for exactly these turns.
    pub(super) fn load_these(&mut self, id: Id, turns: Vec<Id>, cx: &mut Cx) {
        if !turns.is_empty() {
            let ticket = cx.load(Query::Turns(turns.clone()));
            self.pending.insert(ticket, Request::Turns(id, turns));
        }
    }

    fn turns_loaded(&mut self, id: Id, wanted: &[Id], turns: Vec<Turn>, cx: &mut Cx) {
        let Some(conversation) = self.conversations.get_mut(&id) else { return };
        for mut turn in turns {
            if turn.status == TurnStatus::Streaming && !conversation.streaming(turn.id) {
                turn.status = TurnStatus::CutOff;
                turn.error = "the program ended meanwhile".into();
            }
            if conversation.tree.turn(turn.id).is_none() {
                conversation.failures.extend(saved_failure(&turn).map(|why| (turn.id, why)));
                conversation.tree.put(turn);
            }
        }
        conversation.check_calls(wanted.iter().copied());
        // Turns that the store does not have are not asked for again: another copy may have deleted them.
        conversation.lost.extend(wanted.iter().filter(|turn| conversation.tree.turn(**turn).is_none()));
        conversation.revision += 1;
        // A request may have waited for these turns.
        if conversation.committing.is_some() && conversation.may_send() {
            self.start_request(id, cx);
        }
        self.composer.count_soon(cx.now);
    }

    /// Has the files read for the message as it is to be sent now. Returns whether any is still being read.
    pub(super) fn read_files_anew(&mut self, cx: &mut Cx) -> bool {
        self.composer.attachments.refresh();
        self.ask_files(cx)
    }

    /// Has the files read that the message names. Returns whether any is still being read.
    pub(super) fn ask_files(&mut self, cx: &mut Cx) -> bool {
        let edited = self.composer.editing.and_then(|turn| self.conversation().tree.turn(turn));
        if self.composer.result_of.is_some() || edited.is_some_and(|turn| result_of(turn).is_some()) {
            // The result of a call is text alone.
            self.composer.attachments.clear();
            return false;
        }
        let text = self.composer.editor.text();
        for name in self.composer.attachments.set_text(&text) {
            let ticket = cx.work(Work::Attach { path: name.clone() });
            self.pending.insert(ticket, Request::Attach(name));
        }
        self.composer.attachments.is_reading()
    }

    pub(super) fn handle_worked(&mut self, ticket: Ticket, done: Done, cx: &mut Cx) {
        if matches!(done, Done::Moved { .. }) {
            return;
        }
        match (self.pending.take(ticket), done) {
            (Some(Request::Count(count)), Done::Counted(_, counts)) => self.counted(&count, &counts, cx),
            (Some(Request::Count(count)), _) => self.counted(&count, &[], cx),
            (Some(Request::Highlight { turn, block, code }), Done::Highlighted(tints)) => {
                self.view_requests.changes.push(ViewChange::Tints(turn, block, code, tints));
            }
            (Some(Request::Differences(of)), done) => {
                let found = if let Done::Differences(found) = done { found } else { Vec::new() };
                self.view_requests.differences = Some((of, found));
            }
            (Some(Request::Attach(name)), done) => self.composer.attachments.take(&name, done),
            (Some(Request::Rows(words)), Done::Saved(path)) => {
                cx.notify(Notice::ok(format!("{}: {words}", path.line())).about("marks"));
                cx.push(Effect::Offer(Offer::Local(path)));
            }
            (Some(Request::Rows(_)), Done::Failed(why)) => cx.notify(Notice::error(why)),
            (Some(Request::SaveFile(..)), Done::Saved(path)) => {
                cx.notify(Notice::ok(format!("saved to {}", path.line())));
            }
            (Some(Request::SaveFile(path, text)), Done::Failed(why)) => {
                cx.notify(Notice::error(why));
                // The text comes back for another attempt, unless something else has been begun.
                if !self.is_covered() {
                    self.open_save(&path, text);
                }
            }
            _ => {}
        }
    }
}
