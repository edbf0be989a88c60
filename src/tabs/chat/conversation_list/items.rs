//! The list of conversations: by age, filtered, the trash below.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use jiff::civil::Date;

use crate::component::Motion;
use crate::record::{Conversation, Head, Id};
use crate::text::Untrusted;
use crate::ui::item_list::{ItemList, Keyed};
use crate::ui::list::Cursor;
use crate::ui::time::Zone;

/// Longest title made from a prompt, in characters.
const TITLE: usize = 60;
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
    /// Conversations that no filter hides: the one that is open, and those that work.
    kept_in: Vec<Id>,
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
        list.items_mut().push(ListItem::Trash);
        let mut list = Self {
            list,
            lines: Vec::new(),
            top: 0,
            words: String::new(),
            found: HashMap::new(),
            kept_in: Vec::new(),
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
    pub(super) fn set_time(&mut self, now_ms: i64, zone: &Zone) {
        self.now_ms = now_ms;
        self.zone.clone_from(zone);
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
            if holds || self.kept_in.contains(&id) {
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
            self.list.view.by(0, self.list.len());
        }
    }

    /// Replaces a conversation's line, or adds it.
    pub(super) fn put(&mut self, head: Head) {
        let items = self.list.items_mut();
        items.retain(|item| *item.key() != head.conversation.id);
        items.insert(0, ListItem::Conversation(Box::new(head)));
        self.refresh();
    }

    pub(crate) fn remove(&mut self, id: Id) {
        self.list.items_mut().retain(|item| *item.key() != id);
        self.refresh();
    }

    /// Takes in what the store has: also what other copies have changed. What is in use here is newer here; what holds
    /// nothing has no line.
    pub(super) fn merge(&mut self, heads: Vec<Head>, in_use: impl Fn(Id) -> bool) {
        let items = self.list.items_mut();
        items.retain(|item| item.head().is_none_or(|head| in_use(head.conversation.id)));
        let known: HashSet<Id> = items.iter().map(|item| *item.key()).collect();
        let new = |head: &Head| !known.contains(&head.conversation.id);
        let holds = |head: &Head| head.turns > 0 || !head.conversation.is_empty();
        let heads = heads.into_iter().filter(|head| new(head) && holds(head));
        items.extend(heads.map(|head| ListItem::Conversation(Box::new(head))));
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

    /// Keeps these in the list whatever the filter is.
    pub(super) fn keep_in(&mut self, ids: Vec<Id>) {
        if self.kept_in != ids {
            self.kept_in = ids;
            if !self.words.is_empty() {
                self.refresh();
            }
        }
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
        self.list.view.by(motion.rows(1), self.list.len());
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

/// Returns what a conversation is called in the list: by its title, else by its draft.
pub(super) fn label(conversation: &Conversation) -> Untrusted {
    let Conversation { title, draft, .. } = conversation;
    match title_of(draft) {
        _ if !title.is_empty() => title.clone(),
        first if first.is_empty() => "Draft".into(),
        first => format!("Draft: {first}").into(),
    }
}

/// Returns a title: the first line that says something.
pub(crate) fn title_of(prompt: &str) -> String {
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
    use crate::component::Session;
    use crate::tabs::chat::conversation::OpenConversation;

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

    const DAY: i64 = 24 * 60 * 60 * 1000;

    fn head(id: i64, updated_ms: i64) -> Head {
        let blank = OpenConversation::blank(Id(id), updated_ms, &Session::default()).record;
        let conversation = Conversation { updated_ms, title: "t".into(), ..blank };
        Head { conversation, turns: 1 }
    }

    /// Returns a list of conversations 1 to 4, two of today and two of yesterday.
    fn list() -> ConversationList {
        let mut list = ConversationList::default();
        list.set_time(9 * DAY, &Zone::default());
        let heads = [(1, 9 * DAY), (2, 9 * DAY - 1), (3, 8 * DAY - 1), (4, 8 * DAY - 2)];
        list.merge(heads.map(|(id, at)| head(id, at)).into(), |_| false);
        list
    }

    fn picture(list: &ConversationList) -> Vec<String> {
        let words = |line| match line {
            ListLine::Section(name) => name.to_owned(),
            ListLine::Conversation(head) => head.conversation.id.0.to_string(),
            ListLine::Trash(count, unfolded) => format!("trash {count} {unfolded}"),
        };
        (0..list.line_count()).filter_map(|at| list.line(at)).map(words).collect()
    }

    #[test]
    fn the_cursor_passes_over_titles_and_the_first_one_comes_into_view_again() {
        let mut list = list();
        assert_eq!(picture(&list), ["Today", "1", "Yesterday", "2", "Last 7 days", "3", "4"]);
        assert!(!list.select_line(2), "a title");
        assert_eq!((list.selected(), list.selected_line()), (Some((Id(1), false)), Some(1)));
        list.move_cursor(Motion::Last);
        list.arrange(3);
        assert_eq!((list.selected(), list.top()), (Some((Id(4), false)), 4));
        for expected in [3, 2, 1, 1] {
            list.move_cursor(Motion::Up);
            assert_eq!(list.selected(), Some((Id(expected), false)));
        }
        list.arrange(3);
        assert_eq!(list.top(), 0);
    }

    #[test]
    fn what_goes_to_the_trash_leaves_the_cursor_on_its_row() {
        let mut list = list();
        list.select(Id(2));
        list.set_trashed(Id(2), Some(9 * DAY));
        assert_eq!(picture(&list), ["Today", "1", "Last 7 days", "3", "4", "trash 1 false"]);
        assert_eq!((list.selected(), list.count()), (Some((Id(3), false)), 3));
        list.move_cursor(Motion::Last);
        assert!(list.is_on_trash());
        list.toggle_trash();
        assert!(list.is_on_trash() && picture(&list).ends_with(&["trash 1 true".to_owned(), "2".to_owned()]));
        list.select(Id(1));
        list.set_trashed(Id(1), Some(9 * DAY));
        assert_eq!(list.selected(), Some((Id(3), false)), "also where the trash is unfolded");
        list.put(head(5, 9 * DAY + 1));
        assert_eq!(list.selected(), Some((Id(3), false)), "the cursor stays on its conversation");
        list.filter("none");
        list.keep_in(vec![Id(4)]);
        assert_eq!((picture(&list), list.found_count()), (vec!["Last 7 days".to_owned(), "4".to_owned()], 0));
    }
}
