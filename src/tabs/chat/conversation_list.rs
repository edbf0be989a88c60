//! The conversation list as rows: by age, filtered, the trash below.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use jiff::civil::Date;

use crate::record::{Conversation, Head, Id};
use crate::text::Untrusted;
use crate::ui::time::Zone;

/// Longest title made from a prompt, in characters.
const TITLE: usize = 60;

/// One row of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ListRow {
    /// `Today`, `Yesterday`, …
    Section(String),
    /// A conversation.
    Item { id: Id, title: Untrusted, trashed: bool, updated_ms: i64 },
    /// The trash, folded or not, with its count.
    Trash(usize),
}

/// All conversations, and the rows that are shown of them. The rows are made when they are first asked for after a
/// change, so that a frame costs nothing however many there are.
#[derive(Debug, Default)]
pub(super) struct ConversationList {
    /// Newest first.
    heads: Vec<Head>,
    filter: Untrusted,
    /// Conversations whose text holds the filter's words, and the turn that does best.
    found: HashMap<Id, Id>,
    /// Conversations that no filter hides: the one that is open, and those that work.
    kept_in: Vec<Id>,
    trash_open: bool,
    rows: OnceCell<Vec<ListRow>>,
    /// How many there are besides those in the trash, as long as `rows` are there.
    count: OnceCell<usize>,
    /// How many hold the filter's words, as long as `rows` are there.
    found_count: OnceCell<usize>,
}

impl ConversationList {
    pub(super) fn head(&self, id: Id) -> Option<&Head> {
        self.heads.iter().find(|head| head.conversation.id == id)
    }

    /// Returns how many there are besides those in the trash.
    pub(super) fn count(&self) -> usize {
        let kept = |head: &&Head| head.conversation.trashed_ms.is_none();
        *self.count.get_or_init(|| self.heads.iter().filter(kept).count())
    }

    /// Returns how many hold the filter's words, those in the trash among them.
    pub(super) fn found_count(&self) -> usize {
        *self.found_count.get_or_init(|| {
            let words = self.words();
            self.heads.iter().filter(|head| self.holds(head, &words)).count()
        })
    }

    /// Returns the filter's words as they are compared.
    fn words(&self) -> String {
        self.filter.line().trim().to_lowercase()
    }

    /// Returns whether a conversation holds the words in its title, or was found by its text.
    fn holds(&self, head: &Head, words: &str) -> bool {
        let Conversation { id, title, .. } = &head.conversation;
        words.is_empty() || title.line().to_lowercase().contains(words) || self.found.contains_key(id)
    }

    /// Has rows rebuilt.
    fn mark_outdated(&mut self) {
        self.rows.take();
        self.count.take();
        self.found_count.take();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// Returns a conversation's line, to be changed.
    pub(super) fn head_mut(&mut self, id: Id) -> Option<&mut Head> {
        self.mark_outdated();
        self.heads.iter_mut().find(|head| head.conversation.id == id)
    }

    /// Replaces a conversation's line, or adds it.
    pub(super) fn put(&mut self, head: Head) {
        self.remove(head.conversation.id);
        let at = self.heads.partition_point(|other| other.conversation.updated_ms > head.conversation.updated_ms);
        self.heads.insert(at, head);
    }

    pub(super) fn remove(&mut self, id: Id) {
        self.mark_outdated();
        self.heads.retain(|head| head.conversation.id != id);
    }

    /// Takes in what the store has: also what other copies have changed. What is in use here is newer here; what holds
    /// nothing has no line.
    pub(super) fn merge(&mut self, heads: Vec<Head>, in_use: impl Fn(Id) -> bool) {
        self.mark_outdated();
        self.heads.retain(|head| in_use(head.conversation.id));
        let known: HashSet<Id> = self.heads.iter().map(|head| head.conversation.id).collect();
        let new = |head: &Head| !known.contains(&head.conversation.id);
        let holds = |head: &Head| head.turns > 0 || !head.conversation.is_empty();
        self.heads.extend(heads.into_iter().filter(|head| new(head) && holds(head)));
        self.heads.sort_by_key(|head| std::cmp::Reverse(head.conversation.updated_ms));
    }

    /// Shows what holds these words in its title, and soon what holds them in its text.
    pub(super) fn filter(&mut self, words: &str) {
        self.mark_outdated();
        self.filter = words.into();
        self.found.clear();
    }

    /// Takes the conversations whose text holds the filter's words, each with the turn that does.
    pub(super) fn found(&mut self, found: HashMap<Id, Id>) {
        self.mark_outdated();
        self.found = found;
    }

    /// Returns the turn in which a conversation holds the filter's words, as far as the store can tell; `None`: it was
    /// not found.
    pub(super) fn match_in(&self, id: Id) -> Option<Id> {
        self.found.get(&id).copied().filter(|turn| *turn != Id(0))
    }

    /// Keeps these in the list whatever the filter is. Returns whether that shows other rows.
    pub(super) fn keep_in(&mut self, ids: Vec<Id>) -> bool {
        let changed = self.kept_in != ids;
        if changed {
            self.kept_in = ids;
            if !self.filter.is_empty() {
                self.mark_outdated();
            }
        }
        changed && !self.filter.is_empty()
    }

    pub(super) fn is_trash_open(&self) -> bool {
        self.trash_open
    }

    pub(super) fn toggle_trash(&mut self) {
        self.mark_outdated();
        self.trash_open = !self.trash_open;
    }

    /// Returns the rows at this moment (Unix milliseconds). The day's end is noticed with the next change.
    pub(super) fn rows(&self, now_ms: i64, zone: &Zone) -> &[ListRow] {
        self.rows.get_or_init(|| rows(self, now_ms, zone))
    }
}

/// Returns the rows to show.
fn rows(list: &ConversationList, now_ms: i64, zone: &Zone) -> Vec<ListRow> {
    let ConversationList { heads, kept_in, trash_open, .. } = list;
    let words = list.words();
    let matches = |head: &&Head| list.holds(head, &words) || kept_in.contains(&head.conversation.id);
    let today = zone.day(now_ms);
    let mut rows = Vec::new();
    let mut section = String::new();
    // A conversation without turns is a draft: its title says so.
    for head in heads.iter().filter(|head| head.conversation.trashed_ms.is_none()).filter(matches) {
        let name = age(zone.day(head.conversation.updated_ms), today);
        if name != section {
            rows.push(ListRow::Section(name.clone()));
            section = name;
        }
        rows.push(item(head));
    }
    let trashed: Vec<&Head> =
        heads.iter().filter(|head| head.conversation.trashed_ms.is_some()).filter(matches).collect();
    if !trashed.is_empty() {
        rows.push(ListRow::Trash(trashed.len()));
        if *trash_open {
            rows.extend(trashed.into_iter().map(item));
        }
    }
    rows
}

fn item(head: &Head) -> ListRow {
    let Conversation { title, draft, .. } = &head.conversation;
    let title = match title_of(draft) {
        _ if !title.is_empty() => title.clone(),
        first if first.is_empty() => "Draft".into(),
        first => format!("Draft: {first}").into(),
    };
    let Conversation { id, trashed_ms, updated_ms, .. } = head.conversation;
    ListRow::Item { id, title, trashed: trashed_ms.is_some(), updated_ms }
}

/// Returns a title: the first line that says something.
pub(super) fn title_of(prompt: &str) -> String {
    let line = prompt.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    line.chars().take(TITLE).collect()
}

/// Returns how a day is called, seen from today.
fn age(then: Date, today: Date) -> String {
    let days = today.since(then).map_or(0, |span| span.get_days());
    match days {
        ..=0 => "Today".to_owned(),
        1 => "Yesterday".to_owned(),
        2..=7 => "Last 7 days".to_owned(),
        8..=30 => "Last 30 days".to_owned(),
        _ => then.strftime("%B %Y").to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_called_as_people_call_them() {
        let today = Date::constant(2026, 3, 10);
        let called = |month, day| age(Date::constant(2026, month, day), today);
        assert_eq!(called(3, 10), "Today");
        assert_eq!(called(3, 9), "Yesterday");
        assert_eq!(called(3, 4), "Last 7 days");
        assert_eq!(called(2, 20), "Last 30 days");
        assert_eq!(called(1, 2), "January 2026");
    }
}
