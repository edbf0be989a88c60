use super::*;
use crate::component::Session;
use crate::tabs::chat::conversation::OpenConversation;

const DAY: i64 = 24 * 60 * 60 * 1000;

fn head(id: i64, updated_ms: i64) -> Head {
    let blank = OpenConversation::blank(Id(id), updated_ms, &Session::default()).record;
    let conversation = Conversation { updated_ms, title: "t".into(), ..blank };
    Head { conversation, turns: 1 }
}

/// Returns a list of conversations 1 to 4, two of today and two of yesterday.
fn list() -> ConversationList {
    let mut list = ConversationList::default();
    list.set_time(9 * DAY, Zone::default());
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
    assert_eq!((picture(&list), list.found_count()), (Vec::new(), 0));
}
