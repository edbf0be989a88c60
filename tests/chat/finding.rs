//! Finding: in a conversation with a count and an open view, and conversations in a list.

use benchtop::component::{Component, Effect};
use benchtop::record::Query;
use benchtop::tabs::Tab as _;
use crossterm::event::KeyCode;

use crate::desk::Desk;

#[test]
fn the_matches_are_counted_and_an_old_failure_is_forgotten() {
    let mut desk = Desk::in_folder();
    desk.talk("a needle in here", "one needle, two needles");
    desk.press("\u{1b}");
    desk.press("/");
    desk.press("straw");
    desk.has(&["/ straw", "no match", "Message"], &[]);
    assert_eq!(desk.app.tab.escape(), Some("end find"));
    desk.press("\n");
    desk.has(&["/ straw", "no match"], &[]);
    assert_eq!(desk.app.tab.escape(), Some("end find"));
    desk.press("/");
    desk.press("^u");
    desk.press("needle");
    desk.has(&["3 of 3"], &["no match"]);
    desk.press("\n");
    desk.press("n");
    desk.has(&["/ needle", "1 of 3 · "], &["no match", "following"]);
    for (command, place) in [("next", "2 of 3"), ("next", "3 of 3"), ("previous", "2 of 3")] {
        desk.with(|chat, cx| chat.command(command, cx));
        desk.has(&[place], &[]);
    }
    desk.press("\u{1b}");
    desk.has(&["following"], &["of 3", "no match", "/ needle"]);
}

#[test]
fn versions_side_by_side_give_way_to_what_is_looked_for() {
    let mut desk = Desk::in_folder();
    desk.talk("q", "one needle");
    desk.view(80, 22);
    desk.press("\u{1b}");
    let again = desk.press("r");
    desk.says(crate::desk::call(&again).unwrap().0, "two needles");
    desk.press("D");
    desk.has(&["1 of 2", "2 of 2"], &[]);
    desk.press("/");
    desk.press("needle");
    desk.has(&["/ needle", "1 of 1"], &["1 of 2"]);
}

#[test]
fn nothing_is_looked_for_where_nothing_was_said() {
    let mut desk = Desk::in_folder();
    desk.press("\u{1b}");
    desk.press("/");
    assert_eq!(desk.front(), "Transcript");
    desk.press("i");
    desk.press("typed");
    assert_eq!(desk.draft(), "typed");
}

#[test]
fn what_is_searched_is_not_covered() {
    for size in [(120, 34), (80, 24), (40, 10)] {
        let mut desk = Desk::in_folder();
        let rows: Vec<String> = (1..=200).map(|row| format!("row {row}.")).collect();
        desk.talk("q", &format!("```\n{}\n```", rows.join("\n")));
        desk.view(size.0, size.1);
        desk.press("\u{1b}");
        desk.press("/");
        for row in [200, 77, 1] {
            desk.press("^u");
            desk.press(&format!("row {row}."));
            let picture = desk.view(size.0, size.1);
            // Once where it stands, once where it is typed.
            assert_eq!(picture.matches(&format!("row {row}.")).count(), 2, "{size:?}: {picture}");
        }
    }
}

/// Creates two conversations, the older one with the words in its first answer.
fn two() -> Desk {
    let mut desk = Desk::in_folder();
    desk.talk("fruit", &format!("It was a quince.\n\n{}", "And more of it.\n\n".repeat(60)));
    desk.talk("more", &"And so on.\n\n".repeat(60));
    desk.fresh();
    desk.talk("tools", "A hammer.");
    desk.view(120, 34);
    desk
}

/// Filters the list.
fn filter(desk: &mut Desk, words: &str) {
    desk.press("\u{1b}");
    desk.press("\t");
    desk.press("/");
    desk.press(words);
    desk.press("\n");
    desk.view(120, 34);
}

#[test]
fn a_conversation_found_by_its_words_is_opened_where_they_stand() {
    let mut desk = two();
    filter(&mut desk, "quince");
    desk.press("g");
    desk.press_until("j", "▌fruit");
    desk.press("\n");
    desk.view(120, 34);
    desk.has(&["It was a quince.", "1 of 1"], &["And so on."]);
    assert_eq!(desk.front(), "Transcript", "where n and N walk the matches");
}

#[test]
fn the_filter_is_typed_in_the_list_beside_how_many_it_leaves_and_esc_keeps_the_cursor_on_its_conversation() {
    let mut desk = two();
    desk.press("\u{1b}");
    desk.press("\t");
    desk.press("/");
    assert_eq!(desk.app.tab.escape(), Some("clear filter"));
    desk.press("quince");
    desk.view(120, 34);
    desk.has(&["/ quince", "1 found", "fruit"], &["▌tools"]);
    desk.press("^u");
    desk.press("no such words");
    desk.view(120, 34);
    desk.has(&["/ no such words", "0 found", "esc  clear filter"], &["fruit", "▌tools"]);
    desk.press("^u");
    desk.press("fruit");
    desk.view(120, 34);
    desk.press_until("↓", "▌fruit");
    desk.press("\u{1b}");
    desk.has(&["/ filter", "fruit", "tools"], &["found"]);
    assert!(desk.view(120, 34).contains("▌fruit"), "the cursor stays on it");
    // Where the list is not beside the conversation, the words are typed in the drawer.
    desk.press("\u{1b}");
    desk.view(60, 20);
    desk.press("b");
    desk.press("/quince");
    desk.view(60, 20);
    desk.has(&["/ quince", "1 found"], &[]);
}

#[test]
fn a_filter_leaves_what_was_found_and_says_so_where_that_is_nothing() {
    let mut desk = two();
    filter(&mut desk, "quince");
    desk.has(&["1 found", "▌fruit"], &["▌tools"]);
    for size in [(120, 34), (80, 24), (40, 12)] {
        let mut desk = two();
        desk.view(size.0, size.1);
        desk.with(|chat, cx| chat.command("filter", cx));
        desk.press("no such words");
        for _ in ["typed", "entered"] {
            let picture = desk.view(size.0, size.1);
            let list: Vec<&str> = picture.lines().map(|line| line.split('│').next().unwrap_or_default()).collect();
            let list = list.join(" ");
            let words = list.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(words.contains("0 found") && words.contains("these words."), "{size:?}: {picture}");
            assert!(!words.contains("fruit"), "{size:?}: {picture}");
            assert_eq!(desk.app.tab.escape(), Some("clear filter"), "{size:?}");
            desk.press("\n");
        }
        desk.press("\u{1b}");
        desk.view(size.0, size.1);
        desk.has(&["fruit"], &["found", "these words"]);
    }
}

/// Starts to filter the list from a new, empty conversation that has no line in it.
fn filter_from_blank(desk: &mut Desk) {
    desk.fresh();
    desk.view(120, 34);
    desk.press("\u{1b}");
    desk.press("\t");
    desk.press("/");
}

/// Holds back what the store finds.
fn hold_searches(desk: &mut Desk) {
    desk.holds = |effect| matches!(effect, Effect::Load(_, Query::Search(_)));
}

#[test]
fn enter_opens_the_only_conversation_that_was_found_by_its_text() {
    let mut desk = two();
    filter_from_blank(&mut desk);
    desk.press("quince");
    desk.press("\n");
    desk.view(120, 34);
    desk.has(&["/ quince", "1 found"], &["It was a quince."]);
    desk.press("\n");
    desk.view(120, 34);
    desk.has(&["It was a quince."], &[]);
}

#[test]
fn what_is_found_late_leaves_the_cursor_on_its_conversation() {
    let mut desk = Desk::in_folder();
    for (prompt, answer) in [("pear one", "x"), ("pear two", "x"), ("zebra", "It was a pear.")] {
        desk.fresh();
        desk.talk(prompt, answer);
    }
    filter_from_blank(&mut desk);
    hold_searches(&mut desk);
    desk.press("pear");
    desk.code(KeyCode::Down);
    desk.view(120, 34);
    desk.has(&["▌pear one", "2 found"], &["zebra"]);
    desk.release();
    desk.view(120, 34);
    desk.has(&["▌pear one", "3 found", "zebra"], &[]);
}

#[test]
fn what_was_found_for_older_words_is_not_shown() {
    let mut desk = two();
    filter_from_blank(&mut desk);
    hold_searches(&mut desk);
    desk.press("hammer");
    desk.press("^u");
    desk.press("fruit");
    for _ in "hammer".chars() {
        desk.release_one();
    }
    desk.view(120, 34);
    desk.has(&["/ fruit", "▌fruit", "1 found"], &["tools"]);
}

#[test]
fn words_are_not_typed_below_the_page_of_marked_answers() {
    for command in ["filter", "find"] {
        let mut desk = two();
        desk.press("\u{1b}");
        desk.press("v");
        desk.view(120, 34);
        desk.has(&["Marked answers"], &[]);
        desk.with(|chat, cx| chat.command(command, cx));
        desk.press("hammer");
        desk.view(120, 34);
        desk.has(&["/ hammer"], &["Marked answers"]);
    }
}

#[test]
fn words_go_to_the_line_that_was_asked_for_last() {
    let mut desk = two();
    desk.press("\u{1b}");
    desk.press("/");
    desk.press("hammer");
    desk.with(|chat, cx| chat.command("filter", cx));
    desk.view(120, 34);
    desk.press("fruit");
    desk.view(120, 34);
    desk.has(&["/ hammer", "/ fruit", "1 found"], &["hammerfruit"]);
    desk.with(|chat, cx| chat.command("find", cx));
    desk.view(120, 34);
    desk.press("s");
    desk.view(120, 34);
    desk.has(&["/ hammers", "/ fruit"], &["fruits"]);
}
