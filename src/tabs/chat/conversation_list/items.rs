//! The list of conversations: by age, filtered, the trash below.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::labels::age;
use crate::component::Motion;
use crate::record::{Conversation, Head, Id};
use crate::text::Untrusted;
use crate::ui::item_list::{ItemList, Keyed};
use crate::ui::list::Cursor;
use crate::ui::time::Zone;

/// What the trash itself is known by; no conversation has this id.
static TRASH: Id = Id(0);

/// What the cursor can be on.
#[derive(Debug)]
enum ListItem {
    Conversation(Box<Head>),
    /// The trash itself.
    Trash,
}

impl ListItem {
    fn head(&self) -> Option<&Head> {
        match self {
            Self::Conversation(head) => Some(head),
            Self::Trash => None,
        }
    }

    /// Returns what the items are sorted by: the newest first, then the trash, then what is in it.
    fn order(&self) -> (u8, Reverse<i64>) {
        match self {
            Self::Conversation(head) => (if is_trashed(head) { 2 } else { 0 }, Reverse(head.conversation.updated_ms)),
            Self::Trash => (1, Reverse(0)),
        }
    }
}

impl Keyed for ListItem {
    type Key = Id;

    fn key(&self) -> &Id {
        self.head().map_or(&TRASH, |head| &head.conversation.id)
    }
}

/// A line of the list on the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Line {
    /// `Today`, `Yesterday`, …
    Section(String),
    /// A row of the items.
    Row(usize),
}

/// What a line of the list shows.
#[derive(Clone, Copy, Debug)]
pub(super) enum ListLine<'a> {
    /// `Today`, `Yesterday`, …
    Section(&'a str),
    /// A conversation.
    Conversation(&'a Head),
    /// The trash with its count, and whether it is unfolded.
    Trash(usize, bool),
}

/// All conversations, and what is shown of them.
#[derive(Debug)]
pub(crate) struct ConversationList {
    list: ItemList<ListItem>,
    /// What is on the screen: made with each change, so that a frame costs nothing however many there are.
    lines: Vec<Line>,
    /// The first line on the screen.
    top: usize,
    /// The filter's words as they are compared.
    words: String,
    /// Conversations whose text holds the filter's words, and the turn that does best.
    found: HashMap<Id, Id>,
    trash_open: bool,
    counts: Counts,
    /// Wall clock as of the last event, Unix milliseconds: days are counted from it.
    now_ms: i64,
    zone: Zone,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    /// Besides those in the trash.
    kept: usize,
    /// Those that hold the filter's words, in the trash or not.
    found: usize,
    /// Those in the trash that are shown when it is unfolded.
    trashed: usize,
}

impl Default for ConversationList {
    fn default() -> Self {
        let mut list = ItemList::default();
        list.change_items(|items| items.push(ListItem::Trash));
        let mut list = Self {
            list,
            lines: Vec::new(),
            top: 0,
            words: String::new(),
            found: HashMap::new(),
            trash_open: false,
            counts: Counts::default(),
            now_ms: 0,
            zone: Zone::default(),
        };
        list.refresh();
        list
    }
}

impl ConversationList {
    /// Takes the time of an event. The day's end is noticed with the next change.
    pub(super) fn set_time(&mut self, now_ms: i64, zone: Zone) {
        self.now_ms = now_ms;
        self.zone = zone;
    }

    pub(crate) fn head(&self, id: Id) -> Option<&Head> {
        self.list.get(&id)?.head()
    }

    /// Returns how many there are besides those in the trash.
    pub(super) fn count(&self) -> usize {
        self.counts.kept
    }

    /// Returns how many hold the filter's words, those in the trash among them.
    pub(super) fn found_count(&self) -> usize {
        self.counts.found
    }

    /// Returns whether there is no conversation.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.items().len() == 1
    }

    /// Returns whether no row is shown.
    pub(super) fn shows_nothing(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns whether a conversation holds the filter's words in its title, or was found by its text.
    fn holds(&self, head: &Head) -> bool {
        let Conversation { id, title, .. } = &head.conversation;
        self.words.is_empty() || title.line().to_lowercase().contains(&self.words) || self.found.contains_key(id)
    }

    /// Filters and sorts, after each change.
    fn refresh(&mut self) {
        let mut shown = HashSet::new();
        self.counts = Counts::default();
        for head in self.list.items().iter().filter_map(ListItem::head) {
            let (id, trashed, holds) = (head.conversation.id, is_trashed(head), self.holds(head));
            self.counts.found += usize::from(holds);
            self.counts.kept += usize::from(!trashed);
            if holds {
                self.counts.trashed += usize::from(trashed);
                if !trashed || self.trash_open {
                    shown.insert(id);
                }
            }
        }
        if self.counts.trashed > 0 {
            shown.insert(TRASH);
        }
        let sort = |items: &[ListItem], rows: &mut [usize]| rows.sort_by_key(|at| items[*at].order());
        self.list.filter_and_sort(|item| shown.contains(item.key()), sort);
        self.lines = self.lines();
    }

    /// Returns the rows, with a title above each section.
    fn lines(&self) -> Vec<Line> {
        let today = self.zone.day(self.now_ms);
        let (mut lines, mut section) = (Vec::with_capacity(self.list.len()), String::new());
        for (row, item) in self.list.rows().enumerate() {
            // A conversation without turns is a draft: its title says so.
            if let Some(head) = item.head().filter(|head| !is_trashed(head)) {
                let name = age(self.zone.day(head.conversation.updated_ms), today);
                if name != section {
                    lines.push(Line::Section(name.clone()));
                    section = name;
                }
            }
            lines.push(Line::Row(row));
        }
        lines
    }

    /// Changes a conversation's line, if it has one.
    pub(crate) fn change(&mut self, id: Id, change: impl FnOnce(&mut Conversation)) {
        if let Some(ListItem::Conversation(head)) = self.list.get_mut(&id) {
            change(&mut head.conversation);
            self.refresh();
        }
    }

    /// Moves a conversation into the trash, or out of it. A cursor on it stays on its row.
    pub(crate) fn set_trashed(&mut self, id: Id, at_ms: Option<i64>) {
        let row = self.list.view.cursor.selected;
        let stays = self.list.selected_item().is_some_and(|item| *item.key() == id);
        self.change(id, |conversation| conversation.trashed_ms = at_ms);
        if stays {
            self.list.view.cursor.selected = row;
            self.list.view.cursor.clamp(self.list.len());
        }
    }

    /// Replaces a conversation's line, or adds it.
    pub(super) fn put(&mut self, head: Head) {
        self.list.change_items(|items| {
            items.retain(|item| *item.key() != head.conversation.id);
            items.insert(0, ListItem::Conversation(Box::new(head)));
        });
        self.refresh();
    }

    pub(crate) fn remove(&mut self, id: Id) {
        self.list.change_items(|items| items.retain(|item| *item.key() != id));
        self.refresh();
    }

    /// Takes in what the store has: also what other copies have changed. What is in use here is newer here; what holds
    /// nothing has no line.
    pub(super) fn merge(&mut self, heads: Vec<Head>, in_use: impl Fn(Id) -> bool) {
        self.list.change_items(|items| {
            items.retain(|item| item.head().is_none_or(|head| in_use(head.conversation.id)));
            let known: HashSet<Id> = items.iter().map(|item| *item.key()).collect();
            let new = |head: &Head| !known.contains(&head.conversation.id);
            let holds = |head: &Head| head.turns > 0 || !head.conversation.is_empty();
            let heads = heads.into_iter().filter(|head| new(head) && holds(head));
            items.extend(heads.map(|head| ListItem::Conversation(Box::new(head))));
        });
        self.refresh();
    }

    /// Shows what holds these words in its title, and soon what holds them in its text.
    pub(super) fn filter(&mut self, words: &str) {
        self.words = Untrusted::from(words).line().trim().to_lowercase();
        self.found.clear();
        self.refresh();
    }

    /// Takes the conversations whose text holds the filter's words, each with the turn that does.
    pub(super) fn found(&mut self, found: HashMap<Id, Id>) {
        self.found = found;
        self.refresh();
    }

    /// Returns the turn in which a conversation holds the filter's words, as far as the store can tell; `None`: it was
    /// not found.
    pub(crate) fn match_in(&self, id: Id) -> Option<Id> {
        self.found.get(&id).copied().filter(|turn| *turn != Id(0))
    }

    /// Unfolds the trash, or folds it.
    pub(super) fn toggle_trash(&mut self) {
        self.trash_open = !self.trash_open;
        self.refresh();
    }

    /// Returns the conversation under the cursor, and whether it is in the trash.
    pub(super) fn selected(&self) -> Option<(Id, bool)> {
        let head = self.list.selected_item()?.head()?;
        Some((head.conversation.id, is_trashed(head)))
    }

    /// Returns whether the cursor is on the trash itself.
    pub(super) fn is_on_trash(&self) -> bool {
        matches!(self.list.selected_item(), Some(ListItem::Trash))
    }

    /// Puts the cursor on a conversation, if the list shows it.
    pub(crate) fn select(&mut self, id: Id) {
        self.list.select(&id);
    }

    /// Puts the cursor on what a line shows; a section's title is nothing to be on.
    pub(super) fn select_line(&mut self, at: usize) -> bool {
        let row = self.lines.get(at).and_then(|line| if let Line::Row(row) = line { Some(*row) } else { None });
        self.list.view.cursor.selected = row.unwrap_or(self.list.view.cursor.selected);
        row.is_some()
    }

    /// Moves the cursor. A page is a row: none of the keys moves by more.
    pub(super) fn move_cursor(&mut self, motion: Motion) {
        self.list.view.move_by(motion.rows(1), self.list.len());
    }

    /// Scrolls to the cursor, of its section's title too if it is the first there.
    pub(super) fn arrange(&mut self, height: usize) {
        let at = self.selected_line().unwrap_or(0);
        let mut cursor = Cursor { selected: at, top: self.top };
        if matches!(at.checked_sub(1).map(|above| &self.lines[above]), Some(Line::Section(_))) {
            cursor.selected = at - 1;
            cursor.window(height, self.lines.len());
            cursor.selected = at;
        }
        cursor.window(height, self.lines.len());
        self.top = cursor.top;
    }

    /// Returns the first line on the screen.
    pub(super) fn top(&self) -> usize {
        self.top
    }

    /// Returns how many lines there are.
    pub(super) fn line_count(&self) -> usize {
        self.lines.len()
    }

    /// Returns the line with the cursor.
    pub(super) fn selected_line(&self) -> Option<usize> {
        let selected = self.list.view.cursor.selected;
        self.lines.iter().position(|line| *line == Line::Row(selected))
    }

    /// Returns what a line shows.
    pub(super) fn line(&self, at: usize) -> Option<ListLine<'_>> {
        Some(match self.lines.get(at)? {
            Line::Section(name) => ListLine::Section(name),
            Line::Row(row) => match self.list.row(*row)? {
                ListItem::Conversation(head) => ListLine::Conversation(head),
                ListItem::Trash => ListLine::Trash(self.counts.trashed, self.trash_open),
            },
        })
    }

    /// Returns how a moment is called now: in six columns, with blanks after.
    pub(super) fn age_label(&self, unix_ms: i64) -> String {
        self.zone.when_short(unix_ms, self.now_ms)
    }
}

/// Returns whether a conversation is in the trash.
pub(super) fn is_trashed(head: &Head) -> bool {
    head.conversation.trashed_ms.is_some()
}

#[cfg(test)]
mod tests;
