//! The messages on the screen: what is shown of them, and how.

mod entries;
mod listings;
mod selection;
mod sync;

use std::collections::HashMap;
use std::time::Instant;

use ratatui::Frame;
use ratatui::layout::Rect;

pub(super) use self::entries::EntryKey;
use self::entries::EntryOptions;
pub(super) use self::listings::CodeListing;
use self::listings::CodeListings;
use super::conversation::OpenConversation;
use crate::record::Id;
use crate::ui::pane::Spacing;
use crate::ui::theme::{Depth, Kind, Theme};
use crate::ui::transcript::Transcript;

/// The transcript and what of the conversation is in it.
#[derive(Debug)]
pub(super) struct TranscriptView {
    transcript: Transcript<EntryKey>,
    /// The conversation shown, and its revision.
    shown: Option<(Id, u64)>,
    /// The entries, in their order.
    keys: Vec<EntryKey>,
    options: EntryOptions,
    /// Columns that titles and notes were made for, and how messages are told apart.
    fit: (usize, Spacing),
    /// What titles and notes are styled with.
    theme: Theme,
    /// Whether letters are typed: keys that act on messages are then a key further away.
    typing: bool,
    /// Bytes that entries that grow have been given.
    appended: HashMap<EntryKey, usize>,
    /// Bytes of blocks of a turn that grows, as of when they were last looked at.
    sizes: HashMap<EntryKey, usize>,
    /// Reasoning that was folded or unfolded since the last frame.
    toggled: Vec<Id>,
    /// The turn to be selected once it is here, and what is then looked for from there on.
    select: Option<(Id, Option<String>)>,
    listings: CodeListings,
}

impl TranscriptView {
    pub(super) fn new() -> Self {
        Self {
            transcript: Transcript::new(),
            shown: None,
            keys: Vec::new(),
            options: EntryOptions::default(),
            fit: (0, Spacing::Lines),
            theme: Theme::of(Kind::Mono, Depth::Indexed),
            typing: false,
            appended: HashMap::new(),
            sizes: HashMap::new(),
            toggled: Vec::new(),
            select: None,
            listings: CodeListings::default(),
        }
    }

    /// Returns whether nothing of a conversation can be shown yet.
    pub(super) fn is_loading(&self, conversation: &OpenConversation) -> bool {
        !conversation.loaded || (self.keys.is_empty() && !conversation.path.is_empty())
    }

    /// Fits the transcript to its area, and finds the listings in view that want colours.
    pub(super) fn arrange(&mut self, area: Rect, streaming: bool, now: Instant) {
        let area = with_margin(area);
        self.transcript.arrange(area);
        self.listings.find(&mut self.transcript, area, streaming, now);
    }

    /// Draws the transcript where it was arranged; `caret` is drawn after the text that streams.
    pub(super) fn render(&self, frame: &mut Frame, theme: &Theme, caret: Option<&str>) {
        self.transcript.render(frame.buffer_mut(), theme, caret);
    }

    /// Returns the listings found since this was called last that are shown without colours.
    pub(super) fn take_listings(&mut self) -> Vec<CodeListing> {
        self.listings.take()
    }

    /// Returns whether listings were found that are shown without colours.
    pub(super) fn has_listings(&self) -> bool {
        !self.listings.is_empty()
    }

    /// Shows answers as they are, or as Markdown again.
    pub(super) fn toggle_raw(&mut self, conversation: &OpenConversation) {
        self.options.raw = !self.options.raw;
        for entry in self.transcript.entries_mut() {
            let EntryKey::Turn(id) = entry.id() else { continue };
            if conversation.tree.turn(id).is_some_and(|turn| turn.role == "assistant") {
                entry.doc_mut().set_raw(self.options.raw);
            }
        }
        self.listings.retain(|_| false);
    }

    /// Folds or unfolds the reasoning of a turn.
    pub(super) fn toggle_reasoning(&mut self, turn: Id) {
        if !self.options.unfolded.remove(&turn) {
            self.options.unfolded.insert(turn);
        }
        self.toggled.push(turn);
    }

    /// Selects a turn that the next frame shows, and looks for words from there on, where there are any.
    pub(super) fn select(&mut self, turn: Id, words: Option<String>) {
        self.select = Some((turn, words));
    }

    pub(super) fn transcript(&mut self) -> &mut Transcript<EntryKey> {
        &mut self.transcript
    }
}

/// Returns an area with the column before it: the mark of what is selected stands in the pane's margin.
fn with_margin(area: Rect) -> Rect {
    Rect { x: area.x.saturating_sub(1), width: area.width + 1, ..area }
}
