//! Limits of the tab, each just below, at and just above it.

use std::time::Duration;

use benchtop::component::{Component, Effect};
use benchtop::record::Record;
use benchtop::ui::editor::PASTE_MOST;

use crate::desk::{Desk, chunk, records};

/// Returns the bytes of an answer that an event stores.
fn kept(effects: &[Effect]) -> Option<usize> {
    records(effects).iter().find_map(|record| match record {
        Record::Extend { content, .. } => Some(content.len()),
        _ => None,
    })
}

#[test]
fn an_answer_is_kept_every_4_kib() {
    let mut desk = Desk::new();
    let ticket = desk.ask("hi");
    assert_eq!(kept(&desk.progress(ticket, chunk(&"x".repeat(4095)))), None);
    assert_eq!(kept(&desk.progress(ticket, chunk("x"))), Some(4096), "no time has gone by");
    assert_eq!(kept(&desk.progress(ticket, chunk(&"é".repeat(2047)))), None);
    assert_eq!(kept(&desk.progress(ticket, chunk("é!"))), Some(4097));
}

#[test]
fn and_every_second_also_when_nothing_more_comes() {
    let mut desk = Desk::new();
    let ticket = desk.ask("hi");
    let begun = desk.now;
    desk.progress(ticket, chunk("abc"));
    assert!(desk.app.tab.due().unwrap() <= begun + Duration::from_secs(1), "it asks to be woken");
    desk.now = begun + Duration::from_millis(999);
    assert_eq!(kept(&desk.with(Component::tick)), None);
    desk.now = begun + Duration::from_secs(1);
    assert_eq!(kept(&desk.with(Component::tick)), Some(3));
    desk.now += Duration::from_secs(5);
    assert_eq!(kept(&desk.with(Component::tick)), None, "all of it is kept already");
}

#[test]
fn a_paste_is_taken_up_to_10_mb() {
    for (bytes, taken) in [(PASTE_MOST - 1, true), (PASTE_MOST, true), (PASTE_MOST + 1, false)] {
        let mut desk = Desk::new();
        let text = "x".repeat(bytes);
        let said = desk.paste(&text);
        assert_eq!(desk.draft() == text, taken, "{bytes}");
        let refused =
            said.iter().any(|effect| matches!(effect, Effect::Notify(notice) if notice.text.contains("over 10 MB")));
        assert_eq!(refused, !taken);
    }
    assert_eq!(PASTE_MOST, 10_000_000, "as the sentence says");
}
