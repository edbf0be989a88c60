//! The pane with all conversations: the list, its filter, whether it is on the screen.

use std::collections::{HashMap, HashSet};

use super::conversation_list::ConversationList;
use crate::component::{Cx, FindBar};
use crate::record::{Head, Id};

/// The pane with all conversations.
#[derive(Debug, Default)]
pub(super) struct ConversationsPane {
    pub(super) items: ConversationList,
    /// The words that the list is filtered by.
    pub(super) filter: FindBar,
    /// Whether they have come from the store.
    pub(super) loaded: bool,
    /// Whether it is hidden where there is room for it beside the rest.
    pub(super) hidden: bool,
    /// Whether it is open as a drawer where there is not.
    pub(super) drawer: bool,
    /// Deleted for good in this run.
    purged: HashSet<Id>,
    /// Conversations whose answer ended while nobody saw them, and whether it failed.
    pub(super) unseen: HashMap<Id, bool>,
}

impl ConversationsPane {
    /// Takes the time of an event.
    pub(super) fn sync(&mut self, cx: &Cx) {
        self.items.set_time(cx.unix_ms, &cx.session.zone);
    }

    /// Puts a conversation's line in its place.
    pub(super) fn put(&mut self, head: Head, cx: &Cx) {
        self.sync(cx);
        self.items.put(head);
    }

    /// Shows all conversations again.
    pub(super) fn clear_filter(&mut self) {
        self.filter.clear();
        self.items.filter("");
    }

    /// Takes the conversations whose text holds these words, each with the turn that does; what was found for other
    /// words than those of the filter comes too late.
    pub(super) fn found(&mut self, words: &str, found: HashMap<Id, Id>) {
        if words == self.filter.text() {
            self.items.found(found);
        }
    }

    /// Takes in what the store has, but for what is `in_use`, which is newer here.
    pub(super) fn merge(&mut self, mut heads: Vec<Head>, in_use: impl Fn(Id) -> bool, cx: &Cx) {
        self.sync(cx);
        self.loaded = true;
        heads.retain(|head| !self.purged.contains(&head.conversation.id));
        self.items.merge(heads, in_use);
    }

    /// Takes out a conversation that is deleted for good.
    pub(super) fn purge(&mut self, id: Id) {
        self.items.remove(id);
        self.unseen.remove(&id);
        self.purged.insert(id);
    }
}
