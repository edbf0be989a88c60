//! The transcript kept in step with the state: what changed is passed on, nothing else is touched.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::time::{Duration, Instant};

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

use super::conversation::OpenConversation;
use super::message_lines::MessageContext;
use super::reasoning::ReasoningSplit;
use super::state::{ChatPane, State};
use super::streaming_answer::StreamingAnswer;
use super::view_requests::ViewChange;
use crate::component::{RenderContext, Session};
use crate::record::{Block, Id, Turn, TurnStatus};
use crate::text::Untrusted;
use crate::ui::meter;
use crate::ui::theme::{Depth, Kind, Theme};
use crate::ui::transcript::{Entry, Transcript};

/// While text streams a listing is coloured once it has been on the screen for so long.
const STILL: Duration = Duration::from_millis(100);

/// What an entry of the transcript is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum EntryKey {
    /// A turn's reasoning, folded or not.
    Reasoning(Id),
    /// A turn.
    Turn(Id),
    /// A block of a turn, by its place.
    Block(Id, usize),
}

impl EntryKey {
    fn turn(self) -> Id {
        match self {
            Self::Reasoning(id) | Self::Turn(id) | Self::Block(id, _) => id,
        }
    }
}

/// A listing that wants colours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CodeListing {
    pub(super) turn: Id,
    pub(super) block: usize,
    pub(super) language: Untrusted,
    pub(super) code: Untrusted,
}

/// What identifies the picture made so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TranscriptShape {
    conversation: Id,
    revision: u64,
}

#[derive(Debug)]
pub(super) struct TranscriptView {
    transcript: Transcript<EntryKey>,
    shape: Option<TranscriptShape>,
    width: usize,
    /// What titles and notes were dressed with.
    theme: Theme,
    shown: Vec<EntryKey>,
    /// Bytes passed on of entries that grow.
    passed: HashMap<EntryKey, usize>,
    /// Bytes of blocks of a turn that grows, as of when they were last looked at.
    sizes: HashMap<EntryKey, usize>,
    /// Reasoning that is unfolded.
    open: HashSet<Id>,
    /// Reasoning that was folded or unfolded since the last frame.
    turned: Vec<Id>,
    /// The turn to be selected once it is on the page.
    select: Option<Id>,
    /// What is then looked for from there on.
    seek: Option<String>,
    /// Whether letters are typed: keys that act on messages are then a key further away.
    typing: bool,
    /// Messages shown as they are.
    raw: bool,
    /// Listings to colour, found while the tab is arranged.
    pub(super) uncoloured: Vec<CodeListing>,
    asked: HashSet<(Id, usize, usize)>,
    /// Listings on the screen while text streams, and since when.
    still: HashMap<(Id, usize, usize), Instant>,
}

impl TranscriptView {
    pub(super) fn new() -> Self {
        Self {
            transcript: Transcript::new(),
            shape: None,
            width: 0,
            theme: Theme::of(Kind::Mono, Depth::Indexed),
            shown: Vec::new(),
            passed: HashMap::new(),
            sizes: HashMap::new(),
            open: HashSet::new(),
            turned: Vec::new(),
            select: None,
            seek: None,
            typing: false,
            raw: false,
            uncoloured: Vec::new(),
            asked: HashSet::new(),
            still: HashMap::new(),
        }
    }

    /// Returns whether nothing of a conversation can be shown yet.
    pub(super) fn is_loading(&self, conversation: &OpenConversation) -> bool {
        !conversation.loaded || (self.shown.is_empty() && !conversation.path.is_empty())
    }

    /// Passes on what has changed since it was last called.
    pub(super) fn sync(&mut self, state: &mut State, width: u16, session: &Session, now: Instant) {
        let changes = std::mem::take(&mut state.view_requests.changes);
        let to_top = state.view_requests.to_top && state.conversation().unloaded().is_empty();
        state.view_requests.to_top &= !to_top;
        let mut sought = None;
        let conversation = state.conversation();
        let columns = usize::from(width).min(crate::ui::transcript::COLUMN);
        let typing = state.focus == ChatPane::Composer;
        let theme = &self.theme.clone();
        let around = MessageContext { conversation, session, theme, now, marks: &state.marks, width: columns, typing };
        let shape = TranscriptShape { conversation: state.open, revision: conversation.revision };
        if self.shape.is_none_or(|old| old.conversation != shape.conversation) {
            self.transcript.clear();
            self.shown.clear();
            self.passed.clear();
            self.sizes.clear();
            self.asked.clear();
        }
        // Reasoning may begin within an answer, and that may end before anybody has seen it begin.
        let ended =
            changes.iter().filter_map(|change| if let ViewChange::Turn(id) = change { Some(*id) } else { None });
        let growing = conversation.answer.iter().flat_map(StreamingAnswer::turns);
        let begun = ended.chain(growing).any(|id| {
            let reasoned = conversation.tree.turn(id).is_some_and(|turn| ReasoningSplit::of(turn).is_reasoned());
            reasoned && self.shown.contains(&EntryKey::Turn(id)) && !self.shown.contains(&EntryKey::Reasoning(id))
        });
        if begun || self.shape != Some(shape) {
            self.shape = Some(shape);
            self.show_branch(&around);
        }
        if let Some(turn) = self.select.take() {
            self.transcript.select(Some((EntryKey::Turn(turn), None)));
            if let Some(words) = self.seek.take() {
                sought = Some(self.seek_from(turn, &words));
            }
        }
        let target = state.focus == ChatPane::Transcript;
        self.transcript.set_target(conversation.path.last().filter(|_| target).map(|turn| EntryKey::Turn(*turn)));
        if self.width != columns {
            self.width = columns;
            self.dress_all(&around);
        } else if self.typing != typing {
            for entry in self.transcript.entries_mut() {
                let key = entry.id();
                if let Some(turn) = conversation.tree.turn(key.turn()).filter(|turn| MessageContext::has_keys(turn)) {
                    entry.set_notes(notes(key, turn, &around));
                }
            }
        }
        self.typing = typing;
        for id in std::mem::take(&mut self.turned) {
            self.turn_over(EntryKey::Reasoning(id), &around);
        }
        if to_top {
            self.transcript.top();
        }
        for change in changes {
            match change {
                ViewChange::Turn(id) => self.update(id, &around),
                ViewChange::Tints(id, block, code, tints) => {
                    if let Some(entry) = self.transcript.get_mut(EntryKey::Turn(id))
                        && entry.doc().uncoloured(block).is_some_and(|found| found.text == code)
                    {
                        entry.doc_mut().set_tints(block, &tints);
                    }
                }
            }
        }
        if let Some(answer) = &conversation.answer {
            for turn in answer.turns() {
                self.update(turn, &around);
            }
        }
        if let Some(found) = sought {
            state.find.set(&found);
        }
    }

    /// Makes titles and notes anew for another theme, and those of what grows for the moment of the frame.
    pub(super) fn restyle(&mut self, state: &State, context: RenderContext) {
        let RenderContext { session, theme, now } = context;
        let (conversation, typing) = (state.conversation(), self.typing);
        let around =
            MessageContext { conversation, session, theme, now, marks: &state.marks, width: self.width, typing };
        if self.theme != *theme {
            self.theme = theme.clone();
            self.dress_all(&around);
        }
        for turn in conversation.answer.iter().flat_map(StreamingAnswer::turns) {
            let blocks = conversation.tree.turn(turn).map_or(0, |turn| turn.blocks.len());
            let blocks = (0..blocks).map(|at| EntryKey::Block(turn, at));
            for key in [EntryKey::Reasoning(turn), EntryKey::Turn(turn)].into_iter().chain(blocks) {
                self.dress(key, &around);
            }
        }
    }

    fn dress_all(&mut self, around: &MessageContext) {
        for entry in self.transcript.entries_mut() {
            dress(entry, &self.open, around);
        }
    }

    /// Looks for words from a turn on: for all of them as they stand, else for one of them; the message that has them is
    /// selected. What was found; empty: nothing.
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
    fn update(&mut self, id: Id, around: &MessageContext) {
        let mut changed = vec![EntryKey::Reasoning(id), EntryKey::Turn(id)];
        if let Some(turn) = around.conversation.tree.turn(id) {
            let streaming = turn.status == TurnStatus::Streaming;
            for (at, block) in turn.blocks.iter().enumerate() {
                let (key, last) = (EntryKey::Block(id, at), at + 1 == turn.blocks.len());
                let known = self.sizes.insert(key, block.len());
                // The turn's notes stand below the last one.
                if !streaming || last || known != Some(block.len()) {
                    changed.push(key);
                }
            }
            if !streaming {
                self.sizes.retain(|key, _| key.turn() != id);
            }
        }
        for key in changed {
            self.feed(key, around);
            self.dress(key, around);
        }
    }

    /// Returns the entries a branch needs, from the first turn after which all are loaded.
    fn wanted(conversation: &OpenConversation) -> Vec<EntryKey> {
        let first =
            conversation.path.iter().rposition(|id| conversation.tree.turn(*id).is_none()).map_or(0, |at| at + 1);
        let turns = conversation.path[first..].iter().filter_map(|id| conversation.tree.turn(*id));
        turns
            .flat_map(|turn| {
                let reasoning = ReasoningSplit::of(turn).is_reasoned().then_some(EntryKey::Reasoning(turn.id));
                let blocks = (0..turn.blocks.len()).map(|at| EntryKey::Block(turn.id, at));
                reasoning.into_iter().chain([EntryKey::Turn(turn.id)]).chain(blocks)
            })
            .collect()
    }

    /// Makes the entries those of the branch; what stays is not touched.
    fn show_branch(&mut self, around: &MessageContext) {
        let wanted = Self::wanted(around.conversation);
        if !self.shown.is_empty() && wanted.len() > self.shown.len() && wanted.ends_with(&self.shown) {
            let older = &wanted[..wanted.len() - self.shown.len()];
            let entries = older.iter().filter_map(|key| self.entry(*key, around)).collect();
            self.transcript.prepend(entries);
            self.shown = wanted;
            return;
        }
        let same = self.shown.iter().zip(&wanted).take_while(|(old, new)| old == new).count();
        self.remove_from(same);
        for key in &wanted[same..] {
            if let Some(entry) = self.entry(*key, around) {
                self.transcript.push(entry);
            }
        }
        // The title of the last one that stays may count versions.
        for key in &wanted[same.saturating_sub(1)..same] {
            self.dress(*key, around);
        }
        self.shown = wanted;
    }

    fn entry(&mut self, key: EntryKey, around: &MessageContext) -> Option<Entry<EntryKey>> {
        let turn = around.conversation.tree.turn(key.turn())?;
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
            self.passed.insert(key, text.len());
            let mut entry = Entry::streaming(key, Line::default());
            entry.append(text);
            entry
        } else {
            Entry::new(key, Line::default(), text)
        };
        match key {
            EntryKey::Reasoning(_) => {
                entry.doc_mut().set_raw(true);
                entry.set_aside();
            }
            EntryKey::Block(..) => {
                let words = matches!(block, Some(Block::Refusal(_) | Block::Transcript(_)));
                // Arguments as they are written, and addresses, are no Markdown.
                entry.doc_mut().set_raw(!(words || listed));
            }
            EntryKey::Turn(_) => {
                // What people type is shown as they typed it.
                if self.raw || turn.role != "assistant" {
                    entry.doc_mut().set_raw(true);
                }
            }
        }
        dress(&mut entry, &self.open, around);
        Some(entry)
    }

    /// Makes the entry of a reasoning anew, folded or not; what is unfolded comes into view.
    fn turn_over(&mut self, key: EntryKey, around: &MessageContext) {
        if self.transcript.get_mut(key).is_none() {
            return;
        }
        self.passed.remove(&key);
        if let Some(new) = self.entry(key, around)
            && let Some(entry) = self.transcript.get_mut(key)
        {
            *entry = new;
        }
        if self.open.contains(&key.turn()) {
            self.transcript.show_entry(key);
        }
    }

    /// Returns what an entry shows of its turn: folded reasoning shows nothing.
    fn text<'turn>(&self, key: EntryKey, turn: &'turn Turn) -> (&'turn Untrusted, Range<usize>) {
        let shown = ReasoningSplit::of(turn);
        match key {
            EntryKey::Reasoning(id) if self.open.contains(&id) => shown.reasoning(),
            EntryKey::Reasoning(_) => (&turn.reasoning, 0..0),
            EntryKey::Turn(_) => shown.answer(),
            EntryKey::Block(_, at) => {
                turn.blocks.get(at).map_or((&turn.content, 0..0), |block| (block.body(), 0..block.body().len()))
            }
        }
    }

    /// Passes on the new text of an entry that grows.
    fn feed(&mut self, key: EntryKey, around: &MessageContext) {
        let Some(turn) = around.conversation.tree.turn(key.turn()) else { return };
        let (text, range) = self.text(key, turn);
        let Some(passed) = self.passed.get_mut(&key) else {
            // A failed turn that is tried again: its text comes into the entry that was complete.
            if turn.status == TurnStatus::Streaming
                && self.transcript.get_mut(key).is_some()
                && let Some(new) = self.entry(key, around)
                && let Some(entry) = self.transcript.get_mut(key)
            {
                *entry = new;
            }
            return;
        };
        let Some(entry) = self.transcript.get_mut(key) else { return };
        if range.len() > *passed {
            entry.append(text.part(range.start + *passed..range.end));
            *passed = range.len();
        }
        if turn.status != TurnStatus::Streaming {
            entry.share(text);
            entry.finish();
            self.passed.remove(&key);
            if let EntryKey::Block(..) = key
                && let Some(new) = self.entry(key, around)
                && let Some(entry) = self.transcript.get_mut(key)
            {
                *entry = new;
            }
            // The last parse may have found other listings.
            self.asked.retain(|(turn, ..)| *turn != key.turn());
        }
    }

    fn dress(&mut self, key: EntryKey, around: &MessageContext) {
        if let Some(entry) = self.transcript.get_mut(key) {
            dress(entry, &self.open, around);
        }
    }

    /// Takes entries out from this one on; what was known about them goes with them.
    fn remove_from(&mut self, at: usize) {
        let Some(first) = self.shown.get(at).copied() else { return };
        self.transcript.remove_from(first);
        let gone: HashSet<EntryKey> = self.shown.drain(at..).collect();
        self.passed.retain(|key, _| !gone.contains(key));
        self.asked.retain(|(turn, ..)| !gone.contains(&EntryKey::Turn(*turn)));
    }

    /// Fits the transcript to its area, and finds the listings in view that want colours.
    pub(super) fn arrange(&mut self, area: Rect, streaming: bool, now: Instant) {
        let area = with_margin(area);
        self.transcript.arrange(area);
        self.find_listings(area, streaming, now);
    }

    /// Draws the transcript; `caret` stands behind what streams.
    pub(super) fn render(&mut self, area: Rect, frame: &mut Frame, theme: &Theme, caret: Option<&str>) {
        self.transcript.render(with_margin(area), frame.buffer_mut(), theme, caret);
    }

    /// Finds the listings on the screen that want colours. A long message has many, of which few are there.
    fn find_listings(&mut self, area: Rect, streaming: bool, now: Instant) {
        let mut still = HashMap::new();
        let rows = (area.y..area.bottom()).filter_map(|y| self.transcript.hit(Position::new(area.x, y)));
        let mut shown: Vec<(EntryKey, usize)> = rows.filter_map(|hit| Some((hit.id, hit.code?))).collect();
        shown.dedup();
        // What has left the screen may have lost its colours when it comes back.
        self.asked.retain(|(turn, ..)| shown.iter().any(|(id, _)| id.turn() == *turn));
        for (id, block) in shown {
            let EntryKey::Turn(turn) = id else { continue };
            let Some(found) = self.transcript.get_mut(id).and_then(|entry| entry.doc().uncoloured(block)) else {
                continue;
            };
            let key = (turn, block, found.text.len());
            if self.asked.contains(&key) {
                continue;
            }
            // What streams past faster than anybody reads is not worth the work.
            let since = self.still.get(&key).copied().unwrap_or(now);
            if streaming && now.saturating_duration_since(since) < STILL {
                still.insert(key, since);
                continue;
            }
            self.asked.insert(key);
            let (language, code) = (found.language.clone(), found.text.clone());
            self.uncoloured.push(CodeListing { turn, block, language, code });
        }
        self.still = still;
    }

    /// Returns where the view is: following, or how much came since, and how far down.
    pub(super) fn place(&mut self) -> String {
        let percent = self.transcript.percent();
        let found = match self.matches() {
            found if found.is_empty() => found,
            found => format!("{found} · n N · "),
        };
        let raw = if self.raw { "raw text · R · " } else { "" };
        let raw = format!("{found}{raw}");
        if self.transcript.follow() {
            return format!("{raw}↓ following · {percent}%");
        }
        match self.transcript.new_lines() {
            0 => format!("{raw}{percent}%"),
            1 => format!("{raw}↓ 1 new line · G · {percent}%"),
            lines => format!("{raw}↓ {} new lines · G · {percent}%", meter::count(lines as u64)),
        }
    }

    /// Returns the row where the terminal's cursor stands while the transcript has the keys.
    pub(super) fn cursor_row(&mut self, area: Rect) -> u16 {
        let selected = self.transcript.selected().map(|(key, _)| key);
        let row = (area.y..area.bottom()).find(|y| {
            let hit = self.transcript.hit(Position::new(area.x, *y));
            hit.is_some() && hit.map(|hit| hit.id) == selected
        });
        row.unwrap_or(area.y)
    }

    /// Returns whether the view has come near the oldest turn that is loaded.
    pub(super) fn wants_older(&self) -> bool {
        !self.transcript.follow() && self.transcript.visible().start < 3
    }

    pub(super) fn selected(&self) -> Option<Id> {
        self.transcript.selected().map(|(key, _)| key.turn())
    }

    pub(super) fn toggle_raw(&mut self, conversation: &OpenConversation) {
        self.raw = !self.raw;
        for entry in self.transcript.entries_mut() {
            let EntryKey::Turn(id) = entry.id() else { continue };
            if conversation.tree.turn(id).is_some_and(|turn| turn.role == "assistant") {
                entry.doc_mut().set_raw(self.raw);
            }
        }
        self.asked.clear();
    }

    pub(super) fn toggle_reasoning(&mut self, turn: Id) {
        if !self.open.remove(&turn) {
            self.open.insert(turn);
        }
        self.turned.push(turn);
    }

    /// Folds or unfolds the selected message, or the first in view that is long enough. Whether there is one.
    pub(super) fn toggle_fold(&mut self) -> bool {
        if let Some(turn) = self.selected() {
            return self.transcript.get_mut(EntryKey::Turn(turn)).is_some_and(Entry::toggle);
        }
        let visible = self.transcript.visible();
        self.transcript.entries_mut()[visible].iter_mut().any(Entry::toggle)
    }

    /// Selects a turn that the next frame shows, and looks for words from there on, where there are any.
    pub(super) fn select(&mut self, turn: Id, words: Option<String>) {
        self.select = Some(turn);
        self.seek = words;
    }

    /// Returns which match of what is looked for one is at, and of how many; empty: nothing is looked for.
    pub(super) fn matches(&mut self) -> String {
        match self.transcript.matches() {
            None => String::new(),
            Some((_, 0)) => "no match".to_owned(),
            Some((nth, of)) => format!("{} of {}", meter::count(nth as u64), meter::count(of as u64)),
        }
    }

    /// Returns the block that is selected: its turn and its place there.
    pub(super) fn selected_block(&self) -> Option<(Id, usize)> {
        match self.transcript.selected() {
            Some((EntryKey::Block(id, at), _)) => Some((id, at)),
            _ => None,
        }
    }

    /// The turn whose reasoning is selected.
    pub(super) fn selected_reasoning(&self) -> Option<Id> {
        match self.transcript.selected() {
            Some((EntryKey::Reasoning(id), None)) => Some(id),
            _ => None,
        }
    }

    /// Returns the code block to copy, with its language.
    pub(super) fn block_text(&self) -> Option<(Untrusted, Untrusted)> {
        let (key, code) = self.transcript.offered()?;
        let entry = self.transcript.entries().iter().rev().find(|entry| entry.id() == key)?;
        let (_, code) = entry.doc().code(code?)?;
        Some((code.text.clone(), code.language.clone()))
    }

    /// What a click selects.
    pub(super) fn click(&mut self, at: Position) {
        if let Some(hit) = self.transcript.hit(at) {
            self.transcript.mark(hit.id, hit.code);
        }
    }

    pub(super) fn transcript(&mut self) -> &mut Transcript<EntryKey> {
        &mut self.transcript
    }
}

/// Returns an area with the column before it: the mark of what is selected stands in the pane's margin.
fn with_margin(area: Rect) -> Rect {
    Rect { x: area.x.saturating_sub(1), width: area.width + 1, ..area }
}

/// Title and notes of an entry.
fn dress(entry: &mut Entry<EntryKey>, open: &HashSet<Id>, around: &MessageContext) {
    let key = entry.id();
    let Some(turn) = around.conversation.tree.turn(key.turn()) else { return };
    entry.set_title(match key {
        EntryKey::Reasoning(id) => around.reasoning(turn, open.contains(&id)),
        EntryKey::Turn(_) => around.head(turn),
        EntryKey::Block(_, at) => turn.blocks.get(at).map(|block| around.block_title(block)).into_iter().collect(),
    });
    entry.set_notes(notes(key, turn, around));
}

/// Returns the lines below an entry: those of its turn, where it is the turn's last one.
fn notes(key: EntryKey, turn: &Turn, around: &MessageContext) -> Vec<Line<'static>> {
    let last = match turn.blocks.len().checked_sub(1) {
        None => EntryKey::Turn(turn.id),
        Some(at) => EntryKey::Block(turn.id, at),
    };
    if key == last { around.notes(turn) } else { Vec::new() }
}
