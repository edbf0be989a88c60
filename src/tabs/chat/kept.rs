//! Between the tab and the store: what is kept, what is asked for, and what comes back.

use super::answer::kept_failure;
use super::list::Row;
use super::params;
use super::room::{Asking, Room};
use super::state::{LAST, Request, State, Touch};
use super::tree::Tree;
use crate::api::call::Ticket;
use crate::component::{Cx, Effect, Notice, Offer};
use crate::record::work::{Done, Work};
use crate::record::{Head, Id, Query, Record, Rows, Stored, Turn, TurnStatus};
use crate::text::Untrusted;

/// Turns loaded at a time.
const LOADED: usize = 200;
/// What a notice is about that says why a prompt was not sent.
pub(super) const UNSENT: &str = "chat prompt";
/// Why a prompt is not sent that the disk does not take.
pub(super) const UNKEPT: &str = "The prompt could not be saved and was not sent; press r in the transcript to send it";

impl State {
    /// Has come to the front: the first time, ask for what is on disk.
    pub(super) fn enter(&mut self, cx: &mut Cx) {
        self.unix_ms = cx.unix_ms;
        if self.entered {
            return;
        }
        self.entered = true;
        self.born = Some(cx.now);
        self.motion = cx.session.motion;
        self.enter_newline = cx.session.enter_newline;
        if self.open == Id(0) {
            self.rooms.remove(&Id(0));
            self.open = cx.id();
            self.rooms.insert(self.open, Room::blank(self.open, cx.unix_ms, cx.session));
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
        self.pending.insert(ticket, Request::Heads(at_rest.then_some(self.orders)));
    }

    /// Keeps something of a conversation; its title says `saving…` until that is on disk.
    pub(super) fn keep(&mut self, id: Id, record: Record, cx: &mut Cx) {
        self.orders += 1;
        let ticket = cx.record(record);
        self.pending.insert(ticket, Request::Save(id));
        if let Some(room) = self.rooms.get_mut(&id) {
            room.unsaved.push(ticket);
        }
    }

    /// The disk takes something again: all that was written here of a conversation is kept, whatever of it could not be
    /// before.
    fn mend(&mut self, id: Id, cx: &mut Cx) {
        let Some(room) = self.rooms.get_mut(&id) else { return };
        if room.save_error.is_none() || room.mending.is_some() || room.is_busy() {
            return;
        }
        let own = room.tree.loaded().filter(|turn| room.own.contains(&turn.id));
        let turns = own.map(|turn| Record::Turn(Box::new(turn.clone())));
        let mut all = vec![Record::Conversation(Box::new(room.conversation.clone()))];
        all.extend(turns);
        let told = room.told.iter().filter(|(turn, _)| room.own.contains(turn));
        all.extend(told.filter_map(|(turn, told)| told.all(*turn)));
        if room.conversation.titled {
            all.push(Record::Title { conversation: id, title: room.conversation.title.clone() });
        }
        let marked = room.tree.loaded().filter_map(|turn| self.marks.get(&turn.id));
        all.extend(marked.map(|mark| Record::Mark(Box::new(mark.clone()))));
        all.extend(room.spent.iter().cloned().map(Record::Ledger));
        if !room.conversation.draft.is_empty() {
            all.push(Record::Draft { conversation: id, text: room.conversation.draft.clone() });
        }
        self.orders += 1;
        let ticket = cx.record(Record::Batch(all));
        room.unsaved.push(ticket);
        room.mending = Some(ticket);
        self.pending.insert(ticket, Request::Save(id));
    }

    /// As [`State::keep`], and the request starts when it is on disk.
    pub(super) fn commit(&mut self, id: Id, record: Record, asking: Asking, cx: &mut Cx) {
        self.orders += 1;
        let ticket = cx.record(record);
        self.pending.insert(ticket, Request::Commit(id, asking.parent));
        if let Some(room) = self.rooms.get_mut(&id) {
            room.unsaved.push(ticket);
            room.committing = Some(asking);
        }
    }

    /// Keeps a conversation's own fields, and shows them in the list at once.
    pub(super) fn keep_conversation(&mut self, id: Id, cx: &mut Cx) {
        let Some(room) = self.rooms.get(&id) else { return };
        let conversation = room.conversation.clone();
        let turns = room.tree.len() as u64;
        if room.is_begun() || self.is_listed(id) {
            self.put_head(Head { conversation: conversation.clone(), turns });
            self.keep(id, Record::Conversation(Box::new(conversation)), cx);
        }
    }

    /// Whether a conversation has a line in the list.
    pub(super) fn is_listed(&self, id: Id) -> bool {
        self.shelf.head(id).is_some()
    }

    pub(super) fn stored(&mut self, ticket: Ticket, stored: Stored, cx: &mut Cx) {
        if let Some(page) = &mut self.marked
            && page.has(ticket)
        {
            if let Some(file) = page.stored(ticket, stored, cx) {
                let ticket = cx.work(Work::Save { path: file.path, text: file.text.into() });
                self.pending.insert(ticket, Request::Rows(file.words));
            }
            return;
        }
        let Some(asked) = self.pending.take(ticket) else { return };
        if let Request::Save(id) | Request::Commit(id, _) = asked {
            if let Stored::Waiting(why) = stored {
                return self.waits_for_disk(ticket, id, why, cx);
            }
            let failed = matches!(&stored, Stored::Failed(_));
            if let Some(room) = self.rooms.get_mut(&id) {
                room.unsaved.retain(|other| *other != ticket);
                room.waits.take_if(|_| room.unsaved.is_empty());
                let mending = room.mending.take_if(|mending| *mending == ticket).is_some();
                match stored {
                    Stored::Failed(why) => room.save_error = Some(why),
                    _ if mending => room.save_error = None,
                    _ => {}
                }
            } else if let Stored::Failed(why) = stored {
                // Of one that is not open there is no title to say it in.
                cx.notify(Notice::error(format!("not saved: {}", why.line())));
            }
            if !failed {
                self.mend(id, cx);
            }
            if let (Request::Commit(_, prompt), true) = (&asked, failed) {
                self.unkept(id, *prompt, cx);
            }
            // What the request waited for is on disk: its prompt, or all that was still to be kept.
            let ready = |room: &Room| match (&asked, &room.committing) {
                (Request::Commit(_, prompt), Some(asking)) if !failed && asking.parent == *prompt => true,
                (_, waits) => waits.is_some() && room.unsaved.is_empty(),
            };
            if self.rooms.get(&id).is_some_and(ready) {
                self.begin(id, cx);
            }
            self.release(id);
            return;
        }
        match stored {
            Stored::Rows(rows) => self.rows(asked, rows, cx),
            Stored::Failed(why) => {
                match asked {
                    Request::Heads(_) => self.heads_loaded = true,
                    // A request that waits for these turns would wait for ever.
                    Request::Turns(id, _) => {
                        self.unsent(id, "a part of this conversation could not be read, so it was not sent", cx);
                        // What is loaded later is not to be sent to another tab by surprise.
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

    /// The disk refuses something for now: the store keeps it and offers it again. What waited for it is not sent later,
    /// which would come as a surprise.
    fn waits_for_disk(&mut self, ticket: Ticket, id: Id, why: Untrusted, cx: &mut Cx) {
        self.pending.insert(ticket, Request::Save(id));
        match self.rooms.get_mut(&id) {
            Some(room) => room.waits = Some(why),
            None => cx.notify(Notice::error(format!("not saved: {}", why.line()))),
        }
        self.unkept_request(id, cx);
    }

    /// Whether the user has begun nothing yet.
    fn is_untouched(&self) -> bool {
        let begun = self.asked_new || self.room().is_begun() || self.room().is_busy();
        !begun && self.editor.is_empty() && !self.is_covered()
    }

    fn rows(&mut self, asked: Request, rows: Rows, cx: &mut Cx) {
        match rows {
            Rows::Heads(heads) => {
                self.heads_loaded = true;
                let on = self.list().get(self.cursor.selected).cloned();
                // What was ordered meanwhile may not be in it yet.
                let current = matches!(asked, Request::Heads(Some(orders)) if orders == self.orders);
                let (rooms, purged) = (&self.rooms, &self.purged);
                let heads = heads.into_iter().filter(|head| !purged.contains(&head.conversation.id)).collect();
                self.shelf.merge(heads, |id| !current || rooms.contains_key(&id));
                if let Some(Row::Item { id, .. }) = on {
                    self.point_at(id);
                }
            }
            Rows::Setting(_, Some(id)) if matches!(asked, Request::Last) => {
                if let Ok(id) = id.line().parse::<i64>()
                    && self.is_untouched()
                {
                    self.load(Id(id), cx);
                }
            }
            Rows::Conversation(Some(conversation)) => {
                let (id, draft) = (conversation.id, conversation.draft.clone());
                let trashed = conversation.trashed_ms.is_some();
                if trashed && self.open != id {
                    return;
                }
                let changing = self.open == id && (self.system_changed || self.is_covered());
                let room = self.rooms.entry(id).or_insert_with(|| Room::new((*conversation).clone()));
                if !room.loaded {
                    if !changing {
                        room.conversation = *conversation;
                        if self.open == id {
                            self.form = params::form(&self.room().conversation.params);
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
                if self.open == id && self.editor.is_empty() {
                    self.editor.set_text(&draft);
                }
            }
            Rows::Outline(id, outline) => {
                if let Some(room) = self.rooms.get_mut(&id)
                    && !room.loaded
                {
                    room.loaded = true;
                    room.tree = Tree::of(outline);
                    let leaf = room.conversation.leaf.or_else(|| room.tree.newest());
                    room.go_to(leaf);
                    self.reach_goal(id, cx);
                    self.load_turns(id, cx);
                    self.load_marks(id, cx);
                }
            }
            Rows::Drafts(id, drafts) => {
                if let Some(room) = self.rooms.get_mut(&id) {
                    room.drafts = drafts;
                }
            }
            Rows::Marks(_, marks) => self.marked(marks),
            Rows::Turns(turns) => {
                if let Request::Turns(id, wanted) = asked {
                    self.loaded(id, &wanted, turns, cx);
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
                self.shelf.found(found.into_iter().map(|(conversation, turn, _)| (conversation, turn)).collect());
            }
            Rows::Conversation(None) => {
                if let Request::Conversation(id) = asked {
                    self.gone(id, cx);
                }
            }
            // Other tabs'.
            _ => {}
        }
    }

    /// A conversation is not on disk any more.
    fn gone(&mut self, id: Id, cx: &mut Cx) {
        self.shelf.remove(id);
        if self.open == id && !self.room().loaded {
            cx.notify(Notice::warn("another copy of benchtop has deleted this conversation"));
            let fresh = cx.id();
            self.rooms.insert(fresh, Room::blank(fresh, cx.unix_ms, cx.session));
            self.show(fresh, cx);
            self.rooms.remove(&id);
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
        let Some(room) = self.rooms.get(&id) else { return };
        let waiting = self.pending.any(|asked| matches!(asked, Request::Turns(other, _) if *other == id));
        if !waiting {
            let missing = room.unloaded();
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

    fn loaded(&mut self, id: Id, wanted: &[Id], turns: Vec<Turn>, cx: &mut Cx) {
        let Some(room) = self.rooms.get_mut(&id) else { return };
        for mut turn in turns {
            if turn.status == TurnStatus::Streaming && !room.streaming(turn.id) {
                turn.status = TurnStatus::CutOff;
                turn.error = "the program ended meanwhile".into();
            }
            if room.tree.turn(turn.id).is_none() {
                room.failures.extend(kept_failure(&turn).map(|why| (turn.id, why)));
                room.tree.put(turn);
            }
        }
        // What the store does not have is not asked for again: another copy may have deleted it.
        room.lost.extend(wanted.iter().filter(|turn| room.tree.turn(**turn).is_none()));
        room.revision += 1;
        // A request may have waited for what is now here.
        if room.committing.is_some() && room.unsaved.is_empty() {
            self.begin(id, cx);
        }
        self.count_soon(cx.now);
    }

    pub(super) fn worked(&mut self, ticket: Ticket, done: Done, cx: &mut Cx) {
        if matches!(done, Done::Moved { .. }) {
            return;
        }
        match (self.pending.take(ticket), done) {
            (Some(Request::Count(count)), Done::Counted(_, counts)) => self.counted(&count, &counts, cx),
            (Some(Request::Count(count)), _) => self.counted(&count, &[], cx),
            (Some(Request::Highlight { turn, block, code }), Done::Highlighted(tints)) => {
                self.touched.push(Touch::Tints(turn, block, code, tints));
            }
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
                // For another try, unless something else has been begun.
                if !self.is_covered() {
                    self.open_save(path, text);
                }
            }
            _ => {}
        }
    }
}
