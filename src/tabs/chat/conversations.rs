//! The conversations: the list of all, those in memory, the one that is open, and what the store is asked about them.

use std::collections::HashMap;

use super::conversation::{AnswerRequest, OpenConversation};
use super::conversation_list::{ConversationsPane, TabStatus};
use crate::api::call::Ticket;
use crate::component::{Animation, Cx, Notice, Pending, Session};
use crate::record::{Conversation, Id, Record};
use crate::ui::rule::cut;

/// The setting that holds the conversation last open.
pub(super) const LAST: &str = "chat.last";
/// Columns of a title in a notice.
const NOTICE_TITLE: usize = 30;

/// Returns the record that this conversation was open last.
pub(super) fn last_open(id: Id) -> Record {
    Record::Setting(LAST.into(), id.0.to_string().into())
}

/// What the store was asked for.
#[derive(Clone, Debug)]
pub(super) enum StoreRequest {
    /// With [`Conversations::records`] as it was then, if the store had carried all of them out.
    Heads(Option<u64>),
    Last,
    Conversation(Id),
    Outline(Id),
    /// The conversation, and which of its turns.
    Turns(Id, Vec<Id>),
    /// The conversation, and which of its turns the tokens belong to.
    Tokens(Id, Id),
    /// The words that texts are to hold.
    Found(String),
    Save(Id),
    /// The conversation, and the prompt that is sent when it is on disk.
    Commit(Id, Id),
    /// The drafts of a conversation besides the one in the message box.
    Drafts,
    Purge,
}

/// The conversations.
#[derive(Debug)]
pub(super) struct Conversations {
    /// The pane that lists all of them.
    pub(super) list: ConversationsPane,
    /// Those in memory: the open one, and those that work or hold what is not on disk.
    pub(super) in_memory: HashMap<Id, OpenConversation>,
    pub(super) open: Id,
    pub(super) pending: Pending<StoreRequest>,
    /// How many records the store was given.
    pub(super) records: u64,
}

impl Conversations {
    pub(super) fn new() -> Self {
        // The first event gives the blank conversation its real id; nothing is recorded under this one.
        let open = Id(0);
        Self {
            list: ConversationsPane::default(),
            in_memory: HashMap::from([(open, OpenConversation::blank(open, 0, &Session::default()))]),
            open,
            pending: Pending::default(),
            records: 0,
        }
    }

    /// Returns the conversation that is open.
    pub(super) fn current(&self) -> &OpenConversation {
        self.in_memory.get(&self.open).expect("the open conversation is always in memory")
    }

    /// Returns the conversation that is open, to change it.
    pub(super) fn current_mut(&mut self) -> &mut OpenConversation {
        self.in_memory.get_mut(&self.open).expect("the open conversation is always in memory")
    }

    pub(super) fn get(&self, id: Id) -> Option<&OpenConversation> {
        self.in_memory.get(&id)
    }

    pub(super) fn get_mut(&mut self, id: Id) -> Option<&mut OpenConversation> {
        self.in_memory.get_mut(&id)
    }

    /// Returns the conversations that wait for an answer.
    pub(super) fn answering(&self) -> Vec<Id> {
        self.in_memory.iter().filter(|(_, conversation)| conversation.answer.is_some()).map(|(id, _)| *id).collect()
    }

    /// Returns whether a conversation has a line in the list.
    pub(super) fn is_listed(&self, id: Id) -> bool {
        self.list.items.head(id).is_some()
    }

    /// Makes an empty conversation.
    pub(super) fn add_blank(&mut self, cx: &mut Cx) -> Id {
        let id = cx.id();
        self.in_memory.insert(id, OpenConversation::blank(id, cx.unix_ms, cx.session));
        id
    }

    /// Gives the conversation that was there before the first event its real id.
    pub(super) fn begin(&mut self, cx: &mut Cx) {
        if self.open == Id(0) {
            self.in_memory.remove(&self.open);
            self.open = self.add_blank(cx);
        }
    }

    /// Takes a conversation of the list into memory, where it is not yet. Returns whether it is there now.
    pub(super) fn fetch(&mut self, id: Id, cx: &mut Cx) -> bool {
        if self.in_memory.contains_key(&id) {
            return true;
        }
        let Some(head) = self.list.items.head(id) else { return false };
        self.in_memory.insert(id, OpenConversation::new(head.conversation.clone()));
        // The row of the list may be outdated: another copy may have continued the conversation.
        self.load(id, cx);
        true
    }

    /// Makes a conversation that is in memory the open one. Returns the one that is left.
    pub(super) fn show(&mut self, id: Id, cx: &mut Cx) -> Id {
        let left = std::mem::replace(&mut self.open, id);
        self.release(left);
        self.list.drawer = false;
        // It is not offered to the store again: nobody would miss it.
        cx.try_save(last_open(id));
        self.load_turns(id, cx);
        left
    }

    /// Lets go of a conversation that is not open, unless it works or holds what is not on disk.
    pub(super) fn release(&mut self, id: Id) {
        let at_rest = |conversation: &OpenConversation| !conversation.is_busy() && conversation.saves.is_saved();
        if id != self.open && self.get(id).is_some_and(at_rest) {
            self.in_memory.remove(&id);
        }
    }

    /// Tells the list what the rest of the tab does; `focus`: it has the keys, `covered`: something lies over it.
    pub(super) fn update_list(&mut self, focus: bool, covered: bool, animation: Animation) {
        let busy = self.in_memory.iter().filter(|(_, conversation)| conversation.is_busy());
        let working = busy.map(|(id, _)| *id).collect();
        self.list.set_status(TabStatus { open: Some(self.open), working, focus, covered, animation });
    }

    /// Saves something of a conversation; its title says `saving…` until that is on disk.
    pub(super) fn save(&mut self, id: Id, record: Record, cx: &mut Cx) {
        let ticket = self.write(id, record, cx);
        self.pending.insert(ticket, StoreRequest::Save(id));
    }

    /// Saves records as [`Conversations::save`] does, and keeps the request that is sent when they are on disk.
    pub(super) fn commit(&mut self, id: Id, record: Record, asking: AnswerRequest, cx: &mut Cx) {
        let ticket = self.write(id, record, cx);
        self.pending.insert(ticket, StoreRequest::Commit(id, asking.parent));
        if let Some(conversation) = self.get_mut(id) {
            conversation.ask(asking);
        }
    }

    fn write(&mut self, id: Id, record: Record, cx: &mut Cx) -> Ticket {
        self.records += 1;
        match self.get_mut(id) {
            Some(conversation) => conversation.saves.save(record, cx),
            None => cx.save(record),
        }
    }

    /// Saves a conversation's own fields, and shows them in the list at once.
    pub(super) fn save_head(&mut self, id: Id, cx: &mut Cx) {
        let Some(conversation) = self.get(id) else { return };
        if conversation.is_begun() || self.is_listed(id) {
            let head = conversation.head();
            self.list.put(head.clone(), cx);
            self.save(id, Record::Conversation(Box::new(head.conversation)), cx);
        }
    }

    /// Saves a change of the open conversation with the end of its branch, whole or not at all.
    pub(super) fn save_change(&mut self, mut records: Vec<Record>, cx: &mut Cx) {
        let head = self.current().head();
        records.insert(0, Record::Conversation(Box::new(head.conversation.clone())));
        self.list.put(head, cx);
        self.save(self.open, Record::Batch(records), cx);
    }

    /// Moves a conversation of the list to the trash, or back. Returns whether it is in the list.
    pub(super) fn set_trashed(&mut self, id: Id, away: bool, cx: &mut Cx) -> bool {
        let Some(head) = self.list.items.head(id) else { return false };
        let title = cut(&head.conversation.title.line(), NOTICE_TITLE);
        let at_ms = away.then_some(cx.unix_ms);
        self.list.items.set_trashed(id, at_ms);
        if let Some(conversation) = self.get_mut(id) {
            conversation.record.trashed_ms = at_ms;
        }
        self.save(id, Record::Trashed { conversation: id, at_ms }, cx);
        let words = if away {
            format!("“{title}” is in the trash; u brings it back")
        } else {
            format!("“{title}” is back")
        };
        cx.notify(Notice::ok(words).about(format!("trash {}", id.0)));
        true
    }

    /// Deletes a conversation that is not open for good.
    pub(super) fn purge(&mut self, id: Id, cx: &mut Cx) {
        self.list.purge(id);
        self.in_memory.remove(&id);
        self.records += 1;
        // It is not offered to the store again: a conversation that another copy took out of the trash is not deleted,
        // and the user is told.
        let ticket = cx.try_save(Record::Purge(id));
        self.pending.insert(ticket, StoreRequest::Purge);
    }

    /// Gives a conversation another title.
    pub(super) fn rename(&mut self, id: Id, title: &str, cx: &mut Cx) {
        let title = title.trim();
        if title.is_empty() {
            return;
        }
        let name = |conversation: &mut Conversation| {
            conversation.title = title.into();
            conversation.titled = true;
        };
        if let Some(conversation) = self.get_mut(id) {
            name(&mut conversation.record);
        }
        if self.is_listed(id) {
            self.list.items.change(id, name);
            self.save(id, Record::Title { conversation: id, title: title.into() }, cx);
        }
    }
}
