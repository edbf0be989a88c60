//! A conversation is loaded from the store outside the tab: its record, the outline of its tree, its turns.

use super::conversation::OpenConversation;
use super::turn_tree::TurnTree;
use crate::api::call::Ticket;
use crate::component::Cx;
use crate::record::work::ExportedConversation;
use crate::record::{Id, Query, Rows, Stored};
use crate::text::Untrusted;

/// Which turns are loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// Those of the branch that is shown.
    Branch,
    /// All.
    Whole,
}

/// What an answer of the store means for the conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadUpdate {
    /// More is to come, or it is the answer to something else.
    Nothing,
    /// It is loaded.
    Loaded,
    /// There is no conversation of this id.
    Missing,
    /// It could not be read; why.
    Failed(Untrusted),
}

/// What the store was asked for last.
#[derive(Debug)]
enum Asked {
    Conversation,
    Outline,
    Turns(Vec<Id>),
}

/// A conversation while it is loaded.
#[derive(Debug)]
pub struct LoadingConversation {
    extent: Extent,
    ticket: Ticket,
    asked: Asked,
    conversation: Option<OpenConversation>,
}

impl LoadingConversation {
    /// Begins to load a conversation with all its turns.
    pub fn whole(id: Id, cx: &mut Cx) -> Self {
        Self::begin(id, Extent::Whole, cx)
    }

    /// Begins to load a conversation.
    pub(super) fn begin(id: Id, extent: Extent, cx: &mut Cx) -> Self {
        let ticket = cx.load(Query::Conversation(id));
        Self { extent, ticket, asked: Asked::Conversation, conversation: None }
    }

    /// Takes in an answer of the store.
    pub fn handle(&mut self, ticket: Ticket, stored: Stored, cx: &mut Cx) -> LoadUpdate {
        if ticket != self.ticket {
            return LoadUpdate::Nothing;
        }
        let rows = match stored {
            Stored::Rows(rows) => rows,
            Stored::Failed(why) => return LoadUpdate::Failed(why),
            _ => return LoadUpdate::Nothing,
        };
        match (&self.asked, rows, &mut self.conversation) {
            (Asked::Conversation, Rows::Conversation(None), _) => return LoadUpdate::Missing,
            (Asked::Conversation, Rows::Conversation(Some(record)), conversation) => {
                self.ticket = cx.load(Query::Outline(record.id));
                self.asked = Asked::Outline;
                *conversation = Some(OpenConversation::new(*record));
            }
            (Asked::Outline, Rows::Outline(_, outline), Some(conversation)) => {
                let all = outline.iter().map(|(id, _)| *id).collect();
                conversation.loaded = true;
                conversation.tree = TurnTree::of(outline);
                let leaf = conversation.record.leaf.or_else(|| conversation.tree.newest());
                conversation.go_to(leaf);
                let turns: Vec<Id> = if self.extent == Extent::Whole { all } else { conversation.unloaded() };
                if turns.is_empty() {
                    return LoadUpdate::Loaded;
                }
                self.ticket = cx.load(Query::Turns(turns.clone()));
                self.asked = Asked::Turns(turns);
            }
            (Asked::Turns(wanted), Rows::Turns(turns), Some(conversation)) => {
                conversation.add_loaded(wanted, turns);
                return LoadUpdate::Loaded;
            }
            _ => {}
        }
        LoadUpdate::Nothing
    }

    /// Returns the conversation that was loaded; `None`: it was not.
    pub(super) fn open(self) -> Option<OpenConversation> {
        self.conversation
    }

    /// Returns the conversation that was loaded, as it is exported; `None`: it was not.
    pub fn exported(self) -> Option<ExportedConversation> {
        let conversation = self.open()?;
        let mut turns: Vec<_> = conversation.tree.turns().cloned().collect();
        turns.sort_by_key(|turn| turn.id);
        Some(ExportedConversation { turns, branch: conversation.path, conversation: conversation.record })
    }
}
