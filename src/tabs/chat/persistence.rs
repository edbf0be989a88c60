//! Loads conversations from the store, and takes its answers.

use super::conversation::OpenConversation;
use super::conversations::{Conversations, LAST, StoreRequest};
use super::turn_tree::TurnTree;
use crate::api::call::Ticket;
use crate::component::{Cx, Notice};
use crate::record::{Conversation, Id, Query, Rows, Stored};
use crate::text::Untrusted;

/// Turns loaded at a time.
const LOADED: usize = 200;

/// What an answer of the store means for the rest of the tab.
#[derive(Debug)]
pub(super) enum StoreEvent {
    /// This conversation was open last.
    Last(Id),
    /// A conversation, not yet with its turns.
    Conversation(Box<Conversation>),
    /// It is known which turns a conversation has, and which branch is shown.
    Outline(Id),
    /// Turns of a conversation are here.
    Turns(Id),
    /// Turns of a conversation could not be read, for this reason.
    TurnsFailed(Id, Untrusted),
    /// The tokens of this turn are here.
    Tokens(Id),
    /// The open conversation is not on disk any more.
    Gone,
    /// The request that waits in a conversation can begin.
    Ready(Id),
    /// A record of a conversation is not on disk; the prompt that was sent with it.
    Refused(Id, Option<Id>),
}

impl Conversations {
    /// Asks which conversation was open last.
    pub(super) fn load_last(&mut self, cx: &mut Cx) {
        let ticket = cx.load(Query::Setting(LAST.into()));
        self.pending.insert(ticket, StoreRequest::Last);
    }

    /// Asks for the conversations there are: other copies make some, too.
    pub(super) fn load_list(&mut self, cx: &mut Cx) {
        let writes = |asked: &StoreRequest| {
            matches!(asked, StoreRequest::Save(_) | StoreRequest::Commit(..) | StoreRequest::Purge)
        };
        let at_rest = !self.pending.any(writes);
        let ticket = cx.load(Query::Heads);
        self.pending.insert(ticket, StoreRequest::Heads(at_rest.then_some(self.records)));
    }

    /// Searches the texts of conversations for words.
    pub(super) fn search(&mut self, words: String, cx: &mut Cx) {
        if !words.trim().is_empty() {
            let ticket = cx.load(Query::Search(words.clone()));
            self.pending.insert(ticket, StoreRequest::Found(words));
        }
    }

    /// Asks the store for a conversation, to be opened when it comes.
    pub(super) fn load(&mut self, id: Id, cx: &mut Cx) {
        let ticket = cx.load(Query::Conversation(id));
        self.pending.insert(ticket, StoreRequest::Conversation(id));
    }

    /// Asks again for the open conversation, which could not be read.
    pub(super) fn reload(&mut self, cx: &mut Cx) {
        let id = self.open;
        let coming = |asked: &StoreRequest| matches!(asked, StoreRequest::Conversation(of) | StoreRequest::Outline(of) if *of == id);
        if !self.pending.any(coming) {
            self.load(id, cx);
        }
    }

    /// Asks for the newest turns of the shown branch that are not here.
    pub(super) fn load_turns(&mut self, id: Id, cx: &mut Cx) {
        self.load_newest(id, LOADED, cx);
    }

    /// Asks for all turns of the open conversation's branch that are not here.
    pub(super) fn load_all(&mut self, cx: &mut Cx) {
        self.load_newest(self.open, usize::MAX, cx);
    }

    fn load_newest(&mut self, id: Id, most: usize, cx: &mut Cx) {
        let Some(conversation) = self.get(id) else { return };
        let waiting = self.pending.any(|asked| matches!(asked, StoreRequest::Turns(other, _) if *other == id));
        if !waiting {
            let missing = conversation.unloaded();
            self.load_these(id, missing[missing.len().saturating_sub(most)..].to_vec(), cx);
        }
    }

    /// Asks for exactly these turns.
    pub(super) fn load_these(&mut self, id: Id, turns: Vec<Id>, cx: &mut Cx) {
        if !turns.is_empty() {
            let ticket = cx.load(Query::Turns(turns.clone()));
            self.pending.insert(ticket, StoreRequest::Turns(id, turns));
        }
    }

    /// Asks for the tokens of a turn of the open conversation, where they are not known.
    pub(super) fn load_tokens(&mut self, turn: Id, cx: &mut Cx) {
        if self.current_mut().tokens.begin_load(turn) {
            let ticket = cx.load(Query::Tokens(vec![turn]));
            self.pending.insert(ticket, StoreRequest::Tokens(self.open, turn));
        }
    }

    /// Takes an answer of the store. Returns what it means for the rest of the tab.
    pub(super) fn handle_stored(&mut self, ticket: Ticket, stored: Stored, cx: &mut Cx) -> Option<StoreEvent> {
        let asked = self.pending.take(ticket)?;
        match asked {
            StoreRequest::Save(id) => return self.saved(ticket, (id, None), &stored, cx),
            StoreRequest::Commit(id, prompt) => return self.saved(ticket, (id, Some(prompt)), &stored, cx),
            _ => {}
        }
        match stored {
            Stored::Rows(rows) => self.rows(asked, rows, cx),
            Stored::Failed(why) => {
                match asked {
                    StoreRequest::Turns(id, _) => return Some(StoreEvent::TurnsFailed(id, why)),
                    StoreRequest::Heads(_) => self.list.loaded = true,
                    StoreRequest::Tokens(id, turn) => {
                        // They may be asked for again.
                        self.get_mut(id).and_then(|conversation| conversation.tokens.remove(turn));
                    }
                    _ => {}
                }
                cx.notify(Notice::error(why));
                None
            }
            Stored::Committed | Stored::Waiting(_) => None,
        }
    }

    /// Takes the store's answer to a record of a conversation, which may have been saved with a prompt.
    fn saved(
        &mut self,
        ticket: Ticket,
        (id, prompt): (Id, Option<Id>),
        stored: &Stored,
        cx: &mut Cx,
    ) -> Option<StoreEvent> {
        if let Some(conversation) = self.get_mut(id) {
            conversation.saves.stored(ticket, stored);
        } else if let Stored::Failed(why) = stored {
            // A conversation that is not loaded has no title to show this in.
            cx.notify(Notice::error(format!("not saved: {}", why.line())));
        }
        if let Stored::Waiting(_) = stored {
            self.pending.insert(ticket, StoreRequest::Save(id));
        }
        if let Stored::Waiting(_) | Stored::Failed(_) = stored {
            return Some(StoreEvent::Refused(id, prompt));
        }
        // The request waited for its prompt, or for everything unsaved, to be on disk; it is now.
        let ready = |conversation: &OpenConversation| match (prompt, &conversation.committing) {
            (Some(prompt), Some(asking)) if asking.parent == prompt => true,
            (_, waits) => waits.is_some() && conversation.saves.is_answered(),
        };
        if self.get(id).is_some_and(ready) {
            return Some(StoreEvent::Ready(id));
        }
        self.release(id);
        None
    }

    fn rows(&mut self, asked: StoreRequest, rows: Rows, cx: &mut Cx) -> Option<StoreEvent> {
        match (rows, asked) {
            (Rows::Heads(heads), asked) => {
                // The answer of the store may lack what was saved meanwhile.
                let current = matches!(asked, StoreRequest::Heads(Some(records)) if records == self.records);
                let in_memory = &self.in_memory;
                self.list.merge(heads, |id| !current || in_memory.contains_key(&id), cx);
            }
            (Rows::Setting(_, Some(id)), StoreRequest::Last) => {
                return id.line().parse::<i64>().ok().map(|id| StoreEvent::Last(Id(id)));
            }
            (Rows::Conversation(Some(record)), _) => return Some(StoreEvent::Conversation(record)),
            (Rows::Conversation(None), StoreRequest::Conversation(id)) => {
                self.list.items.remove(id);
                return (self.open == id && !self.current().loaded).then_some(StoreEvent::Gone);
            }
            (Rows::Outline(id, outline), _) => {
                let conversation = self.get_mut(id).filter(|conversation| !conversation.loaded)?;
                conversation.loaded = true;
                conversation.tree = TurnTree::of(outline);
                let leaf = conversation.record.leaf.or_else(|| conversation.tree.newest());
                conversation.go_to(leaf);
                return Some(StoreEvent::Outline(id));
            }
            (Rows::Drafts(id, drafts), _) => self.get_mut(id)?.drafts = drafts,
            (Rows::Turns(turns), StoreRequest::Turns(id, wanted)) => {
                self.get_mut(id)?.add_loaded(&wanted, turns);
                return Some(StoreEvent::Turns(id));
            }
            (Rows::Tokens(found), StoreRequest::Tokens(id, turn)) => {
                let of = found.into_iter().find(|(of, _)| *of == turn);
                let tokens = of.map(|(_, tokens)| tokens).unwrap_or_default();
                return self.get_mut(id)?.tokens.loaded(turn, tokens).then_some(StoreEvent::Tokens(turn));
            }
            (Rows::Found(found), StoreRequest::Found(words)) => {
                self.list.found(&words, found.into_iter().map(|(id, turn, _)| (id, turn)).collect());
            }
            // No conversation was open last. This tab asks for no other kind of row.
            _ => {}
        }
        None
    }

    /// Takes a conversation into memory; `keeps`: its own fields are newer here. Returns whether these were taken.
    pub(super) fn take(&mut self, record: Conversation, keeps: bool, cx: &mut Cx) -> bool {
        let id = record.id;
        let conversation = self.in_memory.entry(id).or_insert_with(|| OpenConversation::new(record.clone()));
        if conversation.loaded {
            return false;
        }
        if !keeps {
            conversation.record = record;
        }
        // The outline comes last: with it the conversation counts as loaded, and its other drafts are known.
        let ticket = cx.load(Query::Drafts(id));
        self.pending.insert(ticket, StoreRequest::Drafts);
        let ticket = cx.load(Query::Outline(id));
        self.pending.insert(ticket, StoreRequest::Outline(id));
        !keeps
    }
}
