//! The entries of the transcript: what of a turn each shows, and how.

use std::collections::HashSet;
use std::ops::Range;

use ratatui::text::Line;

use crate::record::{Block, Id, Turn, TurnStatus};
use crate::tabs::chat::attachments;
use crate::tabs::chat::conversation::OpenConversation;
use crate::tabs::chat::message_lines::MessageContext;
use crate::tabs::chat::reasoning::ReasoningSplit;
use crate::text::Untrusted;
use crate::ui::transcript::{Entry, EntryLook};

/// What an entry of the transcript is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum EntryKey {
    /// A turn's reasoning, folded or not.
    Reasoning(Id),
    /// A turn.
    Turn(Id),
    /// A block of a turn, by its place.
    Block(Id, usize),
}

impl EntryKey {
    pub(super) fn turn(self) -> Id {
        match self {
            Self::Reasoning(id) | Self::Turn(id) | Self::Block(id, _) => id,
        }
    }

    /// Returns the entries a branch needs, from the first turn after which all are loaded.
    pub(super) fn of_branch(conversation: &OpenConversation) -> Vec<Self> {
        let first =
            conversation.path.iter().rposition(|id| conversation.tree.turn(*id).is_none()).map_or(0, |at| at + 1);
        let turns = conversation.path[first..].iter().filter_map(|id| conversation.tree.turn(*id));
        turns
            .flat_map(|turn| {
                let reasoning = ReasoningSplit::of(turn).is_reasoned().then_some(Self::Reasoning(turn.id));
                let blocks = (0..turn.blocks.len()).map(|at| Self::Block(turn.id, at));
                reasoning.into_iter().chain([Self::Turn(turn.id)]).chain(blocks)
            })
            .collect()
    }
}

/// How entries are shown.
#[derive(Debug, Default)]
pub(super) struct EntryOptions {
    /// Turns whose reasoning is unfolded.
    pub(super) unfolded: HashSet<Id>,
    /// Whether messages are shown as they are, and not as Markdown.
    pub(super) raw: bool,
}

impl EntryOptions {
    /// Returns what an entry shows of its turn: folded reasoning shows nothing.
    pub(super) fn text<'turn>(&self, key: EntryKey, turn: &'turn Turn) -> (&'turn Untrusted, Range<usize>) {
        let shown = ReasoningSplit::of(turn);
        match key {
            EntryKey::Reasoning(id) if self.unfolded.contains(&id) => shown.reasoning(),
            EntryKey::Reasoning(_) => (&turn.reasoning, 0..0),
            EntryKey::Turn(_) => shown.answer(),
            EntryKey::Block(_, at) => {
                let shown = |block: &Block| match block {
                    // The title says everything.
                    Block::ResultOf { .. } => 0,
                    Block::File { .. } => attachments::excerpt(block),
                    block => block.body().len(),
                };
                turn.blocks.get(at).map_or((&turn.content, 0..0), |block| (block.body(), 0..shown(block)))
            }
        }
    }

    /// Returns the entry of a turn that is loaded.
    pub(super) fn entry(&self, key: EntryKey, turn: &Turn, context: &MessageContext) -> Entry<EntryKey> {
        let streaming = turn.status == TurnStatus::Streaming;
        let (whole, range) = self.text(key, turn);
        let block = if let EntryKey::Block(_, at) = key { turn.blocks.get(at) } else { None };
        let listing = match block {
            Some(Block::Call { arguments, .. }) if !streaming => arguments.json_listing(),
            _ => None,
        };
        let listed = listing.is_some();
        let text = listing.unwrap_or_else(|| whole.part(range));
        let mut entry = if streaming {
            let mut entry = Entry::streaming(key, Line::default());
            entry.append(text);
            entry
        } else {
            Entry::new(key, Line::default(), text)
        };
        match key {
            EntryKey::Reasoning(_) => {
                entry.doc_mut().set_raw(true);
                entry.set_look(EntryLook::Aside);
            }
            EntryKey::Block(..) => {
                let words = matches!(block, Some(Block::Refusal { .. } | Block::Transcript(_)));
                // Arguments as they are written, and addresses, are no Markdown.
                entry.doc_mut().set_raw(!(words || listed));
                entry.set_look(EntryLook::Part);
            }
            EntryKey::Turn(_) => {
                // The user's messages are shown as they were typed.
                if self.raw || turn.role != "assistant" {
                    entry.doc_mut().set_raw(true);
                }
                if turn.role != "assistant" {
                    entry.set_look(EntryLook::Written);
                }
            }
        }
        self.set_lines(&mut entry, context);
        entry
    }

    /// Sets the lines above and below an entry.
    pub(super) fn set_lines(&self, entry: &mut Entry<EntryKey>, context: &MessageContext) {
        let key = entry.id();
        let Some(turn) = context.conversation.tree.turn(key.turn()) else { return };
        entry.set_title(match key {
            EntryKey::Reasoning(id) => context.reasoning(turn, self.unfolded.contains(&id)),
            EntryKey::Turn(_) => context.head(turn),
            EntryKey::Block(_, at) => {
                turn.blocks.get(at).map(|block| context.block_title(turn, block)).unwrap_or_default()
            }
        });
        set_notes(entry, turn, context);
    }
}

/// Sets the lines below an entry: those of its turn, where it is the turn's last one.
pub(super) fn set_notes(entry: &mut Entry<EntryKey>, turn: &Turn, context: &MessageContext) {
    let last = match turn.blocks.len().checked_sub(1) {
        None => EntryKey::Turn(turn.id),
        Some(at) => EntryKey::Block(turn.id, at),
    };
    entry.set_notes(if entry.id() == last { context.notes(turn) } else { Vec::new() });
}
