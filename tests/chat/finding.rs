//! Finding: in a conversation with a count and an open view, and conversations in a list that hides none that is at work.

use crossterm::event::{KeyCode, KeyEvent};

use crate::disk::Disk;

#[test]
fn the_matches_are_counted_and_an_old_failure_is_forgotten() {
    let mut disk = Disk::new();
    disk.talk("a needle in here", "one needle, two needles");
    disk.key(KeyCode::Esc);
    disk.keys("/");
    disk.keys("straw");
    disk.shows(&["Find in this conversation", "no match"], &[]);
    disk.key(KeyCode::Enter);
    disk.shows(&["no match"], &[]);
    disk.keys("/");
    disk.clear();
    disk.keys("needle");
    disk.shows(&["3 of 3"], &["no match"]);
    disk.key(KeyCode::Enter);
    disk.keys("n");
    disk.shows(&["1 of 3 · n N"], &["no match"]);
    disk.key(KeyCode::Esc);
    disk.shows(&[], &["of 3", "no match"]);
}

#[test]
fn what_is_searched_is_not_covered() {
    for size in [(120, 34), (80, 24), (40, 10)] {
        let mut disk = Disk::new();
        let rows: Vec<String> = (1..=200).map(|row| format!("row {row}.")).collect();
        disk.talk("q", &format!("```\n{}\n```", rows.join("\n")));
        disk.desk.picture(size.0, size.1);
        disk.key(KeyCode::Esc);
        disk.keys("/");
        for row in [200, 77, 1] {
            disk.clear();
            disk.keys(&format!("row {row}."));
            let picture = disk.desk.picture(size.0, size.1);
            // Once where it stands, once where it is typed.
            assert_eq!(picture.matches(&format!("row {row}.")).count(), 2, "{size:?}: {picture}");
        }
    }
}

/// Two conversations, the older one with the words in its first answer.
fn two() -> Disk {
    let mut disk = Disk::new();
    disk.talk("fruit", &format!("It was a quince.\n\n{}", "And more of it.\n\n".repeat(60)));
    disk.talk("more", &"And so on.\n\n".repeat(60));
    disk.fresh();
    disk.talk("tools", "A hammer.");
    disk.picture();
    disk
}

/// Filters the list.
fn filter(disk: &mut Disk, words: &str) {
    disk.key(KeyCode::Esc);
    disk.key(KeyCode::Tab);
    disk.keys("/");
    disk.keys(words);
    disk.key(KeyCode::Enter);
    disk.picture();
}

#[test]
fn a_conversation_found_by_its_words_is_opened_where_they_stand() {
    let mut disk = two();
    filter(&mut disk, "quince");
    disk.keys("g");
    while !disk.picture().lines().any(|line| line.starts_with("▌ fruit") || line.contains("▌fruit")) {
        disk.keys("j");
    }
    disk.key(KeyCode::Enter);
    disk.picture();
    disk.shows(&["It was a quince.", "1 of 1"], &["And so on."]);
    assert_eq!(disk.desk.front(), "Transcript", "where n and N walk the matches");
}

#[test]
fn a_filter_hides_neither_what_is_open_nor_what_is_at_work() {
    let mut disk = two();
    filter(&mut disk, "quince");
    disk.shows(&["fruit", "▌tools"], &[]);
    disk.keys("n");
    disk.keys("a new one");
    let sent = disk.key(KeyCode::Enter);
    assert!(crate::desk::call(&sent).is_some());
    disk.picture();
    disk.shows(&["fruit", "▌a new one"], &["tools"]);
    // It streams on while another one is open.
    disk.key(KeyCode::Tab);
    disk.key(KeyCode::Tab);
    disk.act(|chat, cx| benchtop::component::Component::key(chat, KeyEvent::from(KeyCode::Char('g')), cx));
    while !disk.picture().contains("▌fruit") {
        disk.keys("j");
    }
    disk.key(KeyCode::Enter);
    disk.picture();
    disk.shows(&["▌fruit", "a new one"], &["tools"]);
}
