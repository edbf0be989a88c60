//! Updates the transcript after the state has changed: only what changed is passed on.

use std::collections::HashSet;
use std::time::Instant;

use super::TranscriptView;
use super::entries::{EntryKey, set_notes};
use crate::component::session::Hyperlinks;
use crate::component::{RenderContext, Session};
use crate::record::{Id, TurnStatus};
use crate::tabs::chat::chat_pane::ChatPane;
use crate::tabs::chat::conversation::OpenConversation;
use crate::tabs::chat::marks::Marks;
use crate::tabs::chat::message_lines::MessageContext;
use crate::tabs::chat::reasoning::ReasoningSplit;
use crate::tabs::chat::streaming_answer::StreamingAnswer;
use crate::tabs::chat::view_requests::{ViewChange, ViewedParts};
use crate::ui::transcript::{COLUMN, Entry};

impl TranscriptView {
    /// Passes on what has changed since it was last called. Once the requested turn is here, the words that are looked
    /// for from there on become those of the search.
    pub(crate) fn sync(&mut self, viewed: &mut ViewedParts, width: u16, session: &Session, now: Instant) {
        let (conversation, marks, focus) = (viewed.compared.conversation, viewed.marks, viewed.focus);
        let changes = std::mem::take(&mut viewed.requests.changes);
        let to_top = viewed.requests.to_top && conversation.unloaded().is_empty();
        viewed.requests.to_top &= !to_top;
        let width = usize::from(width).min(COLUMN);
        let typing = focus == ChatPane::Composer;
        let theme = &self.theme.clone();
        let spacing = session.spacing();
        let context = &MessageContext { conversation, session, theme, now, marks, width, typing };
        self.transcript.set_hyperlinks(session.terminal.hyperlinks == Hyperlinks::On);
        self.transcript.set_spacing(spacing);
        if self.shown.is_none_or(|(shown, _)| shown != conversation.record.id) {
            self.clear();
        }
        let shown = Some((conversation.record.id, conversation.revision));
        if self.shown != shown || self.begins_reasoning(&changes, conversation) {
            self.shown = shown;
            self.show_branch(context);
        }
        if let Some(words) = self.select_requested() {
            viewed.find.set_text(&words);
        }
        let target = focus == ChatPane::Transcript;
        self.transcript.set_target(conversation.path.last().filter(|_| target).map(|turn| EntryKey::Turn(*turn)));
        self.update_lines(context);
        for id in std::mem::take(&mut self.toggled) {
            self.fold(EntryKey::Reasoning(id), context);
        }
        if to_top {
            self.transcript.top();
        }
        for change in changes {
            self.apply(change, context);
        }
        for turn in conversation.answer.iter().flat_map(StreamingAnswer::turns) {
            self.update(turn, context);
        }
    }

    /// Removes everything: another conversation is shown.
    fn clear(&mut self) {
        self.transcript.clear();
        self.keys.clear();
        self.appended.clear();
        self.sizes.clear();
        self.listings.retain(|_| false);
    }

    /// Returns whether a turn has reasoning that has no entry. It may begin within an answer, and that may end before
    /// anybody has seen it begin.
    fn begins_reasoning(&self, changes: &[ViewChange], conversation: &OpenConversation) -> bool {
        let changed =
            changes.iter().filter_map(|change| if let ViewChange::Turn(id) = change { Some(*id) } else { None });
        let growing = conversation.answer.iter().flat_map(StreamingAnswer::turns);
        changed.chain(growing).any(|id| {
            let reasoned = conversation.tree.turn(id).is_some_and(|turn| ReasoningSplit::of(turn).is_reasoned());
            reasoned && self.keys.contains(&EntryKey::Turn(id)) && !self.keys.contains(&EntryKey::Reasoning(id))
        })
    }

    /// Selects the turn that was asked for. Returns the words that were found from there on; `None`: none were asked
    /// for.
    fn select_requested(&mut self) -> Option<String> {
        let (turn, words) = self.select.take()?;
        self.transcript.select(Some((EntryKey::Turn(turn), None)));
        words.map(|words| self.seek_from(turn, &words))
    }

    /// Makes titles and notes again for another width, and notes that name keys for another focus.
    fn update_lines(&mut self, context: &MessageContext) {
        let fit = (context.width, context.session.spacing());
        if self.fit != fit {
            self.fit = fit;
            self.set_all_lines(context);
        } else if self.typing != context.typing {
            for entry in self.transcript.entries_mut() {
                let turn = context.conversation.tree.turn(entry.id().turn());
                if let Some(turn) = turn.filter(|turn| MessageContext::has_keys(turn)) {
                    set_notes(entry, turn, context);
                }
            }
        }
        self.typing = context.typing;
    }

    fn apply(&mut self, change: ViewChange, context: &MessageContext) {
        match change {
            ViewChange::Turn(id) => self.update(id, context),
            ViewChange::Tints(id, block, code, tints) => {
                if let Some(entry) = self.transcript.get_mut(EntryKey::Turn(id))
                    && entry.doc().uncoloured(block).is_some_and(|found| found.text == code)
                {
                    entry.doc_mut().set_tints(block, &tints);
                }
            }
        }
    }

    /// Makes titles and notes again in the colours of another theme; how many lines they are depends on the session.
    pub(crate) fn restyle(&mut self, (conversation, marks): (&OpenConversation, &Marks), context: RenderContext) {
        let RenderContext { session, theme, now } = context;
        if self.theme != *theme {
            self.theme = theme.clone();
            let (width, typing) = (self.fit.0, self.typing);
            self.set_all_lines(&MessageContext { conversation, session, theme, now, marks, width, typing });
        }
    }

    fn set_all_lines(&mut self, context: &MessageContext) {
        self.transcript.entries_mut().iter_mut().for_each(|entry| self.options.set_lines(entry, context));
    }

    fn set_lines(&mut self, key: EntryKey, context: &MessageContext) {
        if let Some(entry) = self.transcript.get_mut(key) {
            self.options.set_lines(entry, context);
        }
    }

    /// Looks for words from a turn on: for all of them as they stand, else for one of them; the message that has them
    /// is selected. Returns what was found; empty: nothing.
    fn seek_from(&mut self, turn: Id, words: &str) -> String {
        let words = words.trim();
        let mut ways = std::iter::once(words).chain(words.split_whitespace());
        let found = ways.find(|words| self.transcript.find_in(EntryKey::Turn(turn), words));
        match self.transcript.found() {
            Some(key) => self.transcript.mark(key, None),
            None => {
                self.transcript.find("");
                self.transcript.select(None);
                self.transcript.set_follow(true);
            }
        }
        found.unwrap_or_default().to_owned()
    }

    /// Passes on what is new of a turn.
    fn update(&mut self, id: Id, context: &MessageContext) {
        let mut changed = vec![EntryKey::Reasoning(id), EntryKey::Turn(id)];
        if let Some(turn) = context.conversation.tree.turn(id) {
            let streaming = turn.status == TurnStatus::Streaming;
            for (at, block) in turn.blocks.iter().enumerate() {
                let (key, last) = (EntryKey::Block(id, at), at + 1 == turn.blocks.len());
                let known = self.sizes.insert(key, block.len());
                // The notes of the turn are below its last entry.
                if !streaming || last || known != Some(block.len()) {
                    changed.push(key);
                }
            }
            if !streaming {
                self.sizes.retain(|key, _| key.turn() != id);
            }
        }
        for key in changed {
            self.append(key, context);
            self.set_lines(key, context);
        }
    }

    /// Makes the entries those of the branch; what stays is not touched.
    fn show_branch(&mut self, context: &MessageContext) {
        let wanted = EntryKey::of_branch(context.conversation);
        if !self.keys.is_empty() && wanted.len() > self.keys.len() && wanted.ends_with(&self.keys) {
            let older = &wanted[..wanted.len() - self.keys.len()];
            let entries = older.iter().filter_map(|key| self.entry(*key, context)).collect();
            self.transcript.prepend(entries);
            self.keys = wanted;
            return;
        }
        let same = self.keys.iter().zip(&wanted).take_while(|(old, new)| old == new).count();
        self.remove_from(same);
        for key in &wanted[same..] {
            if let Some(entry) = self.entry(*key, context) {
                self.transcript.push(entry);
            }
        }
        // The title of the last entry that stays may count versions.
        for key in &wanted[same.saturating_sub(1)..same] {
            self.set_lines(*key, context);
        }
        self.keys = wanted;
    }

    /// Returns a new entry, which has all of the text so far.
    fn entry(&mut self, key: EntryKey, context: &MessageContext) -> Option<Entry<EntryKey>> {
        let turn = context.conversation.tree.turn(key.turn())?;
        if turn.status == TurnStatus::Streaming {
            self.appended.insert(key, self.options.text(key, turn).1.len());
        }
        Some(self.options.entry(key, turn, context))
    }

    /// Makes an entry again, if it is there. Returns whether it is.
    fn replace(&mut self, key: EntryKey, context: &MessageContext) -> bool {
        if self.transcript.get_mut(key).is_none() {
            return false;
        }
        if let Some(new) = self.entry(key, context)
            && let Some(entry) = self.transcript.get_mut(key)
        {
            *entry = new;
        }
        true
    }

    /// Makes the entry of a reasoning again, folded or not; what is unfolded comes into view.
    fn fold(&mut self, key: EntryKey, context: &MessageContext) {
        self.appended.remove(&key);
        if self.replace(key, context) && self.options.unfolded.contains(&key.turn()) {
            self.transcript.show_entry(key);
        }
    }

    /// Passes on the new text of an entry that grows.
    fn append(&mut self, key: EntryKey, context: &MessageContext) {
        let Some(turn) = context.conversation.tree.turn(key.turn()) else { return };
        let streaming = turn.status == TurnStatus::Streaming;
        let (text, range) = self.options.text(key, turn);
        let Some(appended) = self.appended.get_mut(&key) else {
            // A failed turn that is tried again: its text comes into the entry that was complete.
            if streaming {
                self.replace(key, context);
            }
            return;
        };
        let Some(entry) = self.transcript.get_mut(key) else { return };
        if range.len() > *appended {
            entry.append(text.part(range.start + *appended..range.end));
            *appended = range.len();
        }
        if !streaming {
            entry.share(text);
            entry.finish();
            self.appended.remove(&key);
            if let EntryKey::Block(..) = key {
                self.replace(key, context);
            }
            // The last parse may have found other listings.
            self.listings.retain(|turn| turn != key.turn());
        }
    }

    /// Takes entries out from this one on; what was known about them goes with them.
    fn remove_from(&mut self, at: usize) {
        let Some(first) = self.keys.get(at).copied() else { return };
        self.transcript.remove_from(first);
        let gone: HashSet<EntryKey> = self.keys.drain(at..).collect();
        self.appended.retain(|key, _| !gone.contains(key));
        self.listings.retain(|turn| !gone.contains(&EntryKey::Turn(turn)));
    }
}
