//! What is said in passing, and what stays until it is dismissed.

use std::time::{Duration, Instant};

use benchtop::app::Event;
use benchtop::tabs::Notice;
use crossterm::event::{KeyCode, KeyModifiers};

use crate::desk::{app, key, press, screen};

#[test]
fn notices_are_made_safe_and_kept() {
    let mut app = app();
    app.update(Event::Unsaved("the disk is full\u{1b}[2J".into()), Instant::now(), 0);
    let text = screen(&mut app, 80, 24);
    assert!(text.contains("✕ not saved: the disk is full␛[2J"), "{text}");
    assert_eq!(app.due(), None, "what stays costs no wake-ups");
    app.update(Event::Said(Notice::ok("copied")), Instant::now(), 0);
    app.tick(app.due().unwrap(), 0);
    assert!(!screen(&mut app, 80, 24).contains("copied"));
    press(&mut app, "^pmessages\n");
    let text = screen(&mut app, 80, 24);
    assert!(text.contains("copied") && text.contains("the disk is full␛[2J"), "{text}");
}

#[test]
fn a_second_ctrl_c_is_asked_for_as_long_as_it_counts() {
    let (mut app, start) = (app(), Instant::now());
    app.update(key(KeyCode::Char('c'), KeyModifiers::CONTROL), start, 0);
    assert!(screen(&mut app, 80, 24).contains("press ^C again"));
    let end = start + Duration::from_millis(1500);
    assert_eq!(app.due(), Some(end));
    app.tick(end, 0);
    assert!(!screen(&mut app, 80, 24).contains("press ^C again"));
}

#[test]
fn a_notice_taller_than_the_room_begins_and_messages_have_all_of_it() {
    let mut app = app();
    let words: Vec<String> = (0..120).map(|n| format!("word{n}")).collect();
    app.update(Event::Kept(Notice::error(words.join(" "))), Instant::now(), 0);
    let text = screen(&mut app, 40, 12);
    assert!(text.contains("✕ word0 word1") && !text.contains("word119"), "{text}");
    press(&mut app, "\u{1b}\u{1b}^pmessages\n");
    assert!(!screen(&mut app, 40, 12).contains("word119"));
    press(&mut app, "G");
    let end = screen(&mut app, 40, 12);
    assert!(end.contains("word119"), "{end}");
    press(&mut app, "j");
    assert_eq!(screen(&mut app, 40, 12), end, "there is nothing below the end");
    press(&mut app, "k");
    let above = screen(&mut app, 40, 12);
    assert!(above != end && !above.contains("word119"), "one row up shows at once:\n{above}");
}

#[test]
fn a_hint_is_no_success() {
    let mut app = app();
    press(&mut app, "\u{1b}");
    let text = screen(&mut app, 80, 24);
    assert!(text.contains("· q quits") && !text.contains('✓'), "{text}");
}
