//! Panes, lists and windows: the focus is where one sees it, keys mean what is said.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use benchtop::api::call::Progress;
use benchtop::app::Event;
use benchtop::component::{Component, Effect, Session};
use benchtop::record::work::Done;
use benchtop::record::{Conversation, Head, Id, Query, Record, Rows, Stored};
use benchtop::tabs::{Badge, Tab};
use benchtop::text::Tint;
use benchtop::ui::theme::{Depth, Kind, Theme};
use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use crate::desk::{Desk, Disk, call, chunk, failure, records, retrying};

#[test]
fn the_focus_is_always_on_the_screen() {
    // Trashing what is open where the list is hidden.
    let mut desk = Desk::new();
    desk.talk("first", "x");
    desk.fresh();
    desk.talk("second", "x");
    desk.press("\u{1b}");
    desk.press("x");
    assert!(desk.view(80, 22).contains("━━ ▸"));
    let second = desk.press("jx");
    assert_eq!(records(&second).len(), 0, "nothing unseen is trashed");
    // The list had it and the screen has shrunk.
    desk.view(120, 34);
    desk.press("b");
    desk.press("b");
    desk.press("\t");
    assert!(desk.view(120, 34).contains("━━ ▸ Conversations"));
    assert!(desk.view(80, 22).contains("━━ ▸"));
    // A click into the drawer opens what it hits, and closes it.
    desk.press("\u{1b}");
    desk.press("b");
    let picture = desk.view(80, 22);
    let row = picture.lines().position(|line| line.contains("first")).unwrap() as u16;
    let click =
        MouseEvent { kind: MouseEventKind::Down(MouseButton::Left), column: 4, row, modifiers: KeyModifiers::NONE };
    desk.with(|chat, cx| chat.mouse(click, cx));
    assert!(desk.view(80, 22).contains("━━ ▸"));
}

#[test]
fn the_list_over_the_conversation_and_the_parameters_make_way_for_each_other() {
    let mut desk = Desk::new();
    desk.talk("first", "x");
    desk.view(80, 24);
    desk.press("\u{1b}b");
    assert!(desk.view(80, 24).contains("▸ Conversations"));
    desk.press("t");
    let picture = desk.view(80, 24);
    assert!(picture.contains("▸ Parameters") && !picture.contains("Conversations"), "{picture}");
    assert_eq!(desk.app.tab.escape(), Some("close"));
    desk.press("\t\tb");
    let picture = desk.view(80, 24);
    assert!(picture.contains("▸ Conversations") && !picture.contains("Parameters"), "{picture}");
}

#[test]
fn where_the_parameters_cover_the_message_box_it_takes_no_keys() {
    let mut desk = Desk::new();
    desk.view(70, 22);
    desk.press("\u{1b}");
    desk.press("t");
    desk.view(70, 22);
    desk.press("\t");
    desk.press("unseen");
    assert_eq!(desk.draft(), "");
    desk.press("\u{1b}");
    assert!(desk.view(70, 22).contains("━━ ▸ New conversation"), "back to the pane they were opened from");
}

#[test]
fn what_is_pasted_into_find_is_found_and_new_is_new() {
    let mut desk = Desk::new();
    desk.talk("a needle", &"x\n\n".repeat(60));
    desk.talk("q", &format!("{}needle here", "y\n\n".repeat(60)));
    desk.view(80, 22);
    desk.press("\u{1b}");
    desk.press("/");
    desk.paste("needle");
    assert!(desk.view(80, 22).contains("needle here"), "the nearest one");
    desk.press("\n");
    desk.press("n");
    assert!(desk.view(80, 22).contains("a needle"));
    desk.press("/");
    desk.press("^u");
    desk.press("straw");
    assert!(desk.view(80, 22).contains("no match"));
    assert_eq!(desk.press("\n"), [], "it is said where the matches are counted");
    desk.with(|chat, cx| chat.command("new", cx));
    assert!(desk.view(80, 22).contains("New conversation"));
}

#[test]
fn every_window_takes_its_letters_itself() {
    let mut desk = Desk::new();
    let ticket = desk.ask("a");
    desk.progress(ticket, Progress::Closed(Err(failure("no", Some(401)))));
    desk.press("\u{1b}");
    desk.press("d");
    assert!(desk.view(80, 22).contains("What the server said"));
    assert!(desk.app.tab.typing(), "else q would end the program");
    desk.press("q");
    assert!(!desk.view(80, 22).contains("What the server said"));
}

#[test]
fn a_retried_answer_is_on_the_screen_while_it_comes_and_after() {
    let mut desk = Desk::new();
    let ticket = desk.ask("hi");
    desk.progress(ticket, Progress::Closed(Err(failure("401 wrong key", Some(401)))));
    assert!(desk.view(80, 22).contains("401 wrong key"));
    desk.press("\u{1b}");
    let again = desk.press("r");
    let ticket = call(&again).unwrap().0;
    desk.view(80, 22);
    desk.progress(ticket, chunk("Hello again"));
    assert!(desk.view(80, 22).contains("Hello again"));
    desk.progress(ticket, Progress::Closed(Ok(())));
    let picture = desk.view(80, 22);
    assert!(picture.contains("Hello again") && !picture.contains("401"), "{picture}");
}

#[test]
fn only_enter_ends_a_countdown() {
    let mut desk = Desk::new();
    let ticket = desk.ask("a");
    let again = retrying(desk.now);
    desk.progress(ticket, again);
    desk.press("\t");
    assert!(!desk.press("i").contains(&Effect::RetryNow(ticket)));
    desk.press("\t");
    assert!(desk.press("\n").contains(&Effect::RetryNow(ticket)));
}

#[test]
fn deleting_for_good_stops_the_answer_and_books_it() {
    let mut desk = Desk::new();
    desk.view(120, 34);
    let ticket = desk.ask("hi");
    desk.progress(ticket, chunk("a"));
    desk.press("\t");
    let mut all = desk.press("x");
    desk.press("G");
    desk.press("\n");
    all.extend(desk.press("GX"));
    desk.press("\t");
    all.extend(desk.press("\n"));
    assert!(all.contains(&Effect::Cancel(ticket)));
    let kept = records(&all);
    let booked = |record: &Record| format!("{record:?}").contains("Ledger");
    let at = kept.iter().position(booked).expect("a line in the ledger");
    assert!(kept[at..].iter().any(|record| matches!(record, Record::Purge(_))), "{kept:?}");
}

#[test]
fn a_failure_nobody_saw_is_marked_until_somebody_does() {
    let mut desk = Desk::new();
    let ticket = desk.ask("first");
    desk.fresh();
    desk.progress(ticket, Progress::Closed(Err(failure("no", Some(401)))));
    desk.view(80, 22);
    assert_eq!(desk.app.tab.badge(), Some(Badge::Failed));
    let picture = desk.view(120, 34);
    assert!(picture.lines().any(|line| line.contains("first") && line.contains('✕')), "{picture}");
    desk.open(1);
    desk.view(80, 22);
    assert_eq!(desk.app.tab.badge(), None);
}

#[test]
fn a_listing_that_comes_back_is_coloured_again() {
    let mut desk = Desk::new();
    desk.talk("code", "```rust\nlet a = 1;\n```\n");
    desk.view(80, 22);
    let work = |effects: &[Effect]| {
        effects.iter().find_map(|effect| if let Effect::Work(ticket, _) = effect { Some(*ticket) } else { None })
    };
    desk.holds = |effect| matches!(effect, Effect::Work(..));
    let ticket = work(&desk.with(Component::tick)).expect("asked for");
    desk.event(Event::Worked(ticket, Done::Highlighted(vec![(0..3, Tint::Keyword)])));
    desk.view(80, 22);
    desk.press("\u{1b}");
    let again = desk.press("r");
    let ticket = call(&again).unwrap().0;
    desk.progress(ticket, chunk("other"));
    desk.progress(ticket, Progress::Closed(Ok(())));
    desk.view(80, 22);
    desk.press("<");
    assert!(desk.view(80, 22).contains("let a"));
    assert!(work(&desk.with(Component::tick)).is_some(), "asked for again");
}

#[test]
fn a_listing_that_is_complete_and_stands_still_is_coloured_and_stays_so() {
    let mut desk = Desk::new();
    let ticket = desk.ask("code");
    desk.progress(ticket, chunk("```rust\nlet a = 1;\n"));
    desk.view(80, 22);
    assert!(!desk.with(Component::tick).iter().any(|effect| matches!(effect, Effect::Work(..))), "not before");
    desk.progress(ticket, chunk("```\n\nThat was"));
    desk.view(80, 22);
    assert!(
        !desk.with(Component::tick).iter().any(|effect| matches!(effect, Effect::Work(..))),
        "it may be gone at once"
    );
    desk.now += Duration::from_millis(125);
    desk.view(80, 22);
    desk.holds = |effect| matches!(effect, Effect::Work(..));
    let asked = desk.with(Component::tick);
    let work = asked.iter().find_map(|effect| if let Effect::Work(ticket, _) = effect { Some(*ticket) } else { None });
    let tints = Done::Highlighted(vec![(0..3, Tint::Keyword)]);
    desk.event(Event::Worked(work.expect("asked for"), tints));
    desk.view(80, 22);
    desk.progress(ticket, chunk(" all."));
    desk.progress(ticket, Progress::Closed(Ok(())));
    let keyword = |desk: &mut Desk| {
        let mut terminal = Terminal::new(TestBackend::new(80, 22)).unwrap();
        let theme = Theme::of(Kind::Dark, Depth::True);
        let (app, now) = (&mut desk.app, desk.now);
        terminal.draw(|frame| app.draw_in(&theme, frame, now)).unwrap();
        let buffer = terminal.backend().buffer();
        let cell =
            buffer.content().iter().zip(&buffer.content()[1..]).find(|(a, b)| (a.symbol(), b.symbol()) == ("l", "e"));
        cell.unwrap().0.fg == theme.code_keyword.fg.unwrap()
    };
    assert!(keyword(&mut desk), "the end of the answer takes no colour away");
}

#[test]
fn titles_follow_the_theme() {
    let mut desk = Desk::new();
    desk.talk("a", "b");
    let mut colour = |kind| {
        let mut terminal = Terminal::new(TestBackend::new(80, 22)).unwrap();
        let theme = Theme::of(kind, Depth::True);
        let (app, now) = (&mut desk.app, desk.now);
        terminal.draw(|frame| app.draw_in(&theme, frame, now)).unwrap();
        let buffer = terminal.backend().buffer();
        let row = (0..22).find(|y| buffer[(1, *y)].symbol() == "y" && buffer[(2, *y)].symbol() == "o").unwrap();
        buffer[(1, row)].fg
    };
    assert_ne!(colour(Kind::Ansi), colour(Kind::Dark));
}

#[test]
fn the_lists_spinner_turns() {
    let session = Session { motion: true, ..Desk::new().app.session };
    let mut desk = Desk::on(&Disk::new(), session);
    desk.view(120, 34);
    let ticket = desk.ask("hi");
    desk.progress(ticket, chunk("a"));
    desk.fresh();
    let mut seen = BTreeSet::new();
    for _ in 0..10 {
        desk.now = desk.app.tab.due().unwrap();
        desk.with(Component::tick);
        let picture = desk.view(120, 34);
        seen.extend(picture.lines().find(|line| line.contains(" hi ")).map(str::to_owned));
    }
    assert!(seen.len() > 1, "{seen:?}");
}

/// Creates a desk with a stored conversation of these turns, open; the store does not return their texts.
fn kept(outline: Vec<(Id, Option<Id>)>) -> Desk {
    let mut desk = Desk::new();
    desk.talk("kept", "x");
    let leaf = outline.last().map(|(id, _)| *id);
    let conversation = Conversation { leaf, ..desk.disk.conversations().remove(0) };
    desk.answers = Box::new(move |query| {
        Some(Stored::Rows(match query {
            Query::Heads => Rows::Heads(vec![Head { conversation: conversation.clone(), turns: outline.len() as u64 }]),
            Query::Outline(id) => Rows::Outline(*id, outline.clone()),
            Query::Turns(_) => Rows::Turns(Vec::new()),
            Query::Setting(name) => Rows::Setting(name.clone(), None),
            _ => return None,
        }))
    });
    desk.restart();
    desk.view(120, 34);
    desk.press("\u{1b}\tgj\n");
    desk
}

#[test]
fn turns_that_are_not_in_the_store_any_more_are_said_and_not_asked_for_again() {
    let mut desk = kept(vec![(Id(11), None), (Id(12), Some(Id(11)))]);
    desk.press("hi");
    let after = desk.press("\n");
    assert!(!after.iter().any(|effect| matches!(effect, Effect::Load(..))), "{after:?}");
    assert!(call(&after).is_none());
    assert!(
        after.iter().any(|effect| matches!(effect, Effect::Notify(notice) if notice.text.contains("no longer in")))
    );
    assert_eq!(desk.draft(), "hi");
}

#[test]
fn a_click_focuses_what_is_under_it_and_the_wheel_scrolls_it() {
    let mut desk = Desk::new();
    let long: Vec<String> = (1..=60).map(|line| format!("row {line}\n")).collect();
    desk.talk("hi", &long.join("\n"));
    assert!(desk.view(80, 22).contains("row 60"));
    let mouse = |desk: &mut Desk, kind, column, row| {
        desk.with(|chat, cx| chat.mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }, cx));
    };
    for _ in 0..10 {
        mouse(&mut desk, MouseEventKind::ScrollUp, 10, 5);
    }
    assert!(!desk.view(80, 22).contains("row 60"));
    assert!(desk.app.tab.typing(), "the wheel moves no focus");
    mouse(&mut desk, MouseEventKind::Down(MouseButton::Left), 10, 5);
    assert!(!desk.app.tab.typing());
    mouse(&mut desk, MouseEventKind::Down(MouseButton::Left), 10, 20);
    assert!(desk.app.tab.typing());
}

#[test]
fn without_motion_it_wakes_twice_a_second_at_most() {
    let mut desk = Desk::new();
    let ticket = desk.ask("hi");
    desk.progress(ticket, chunk("a"));
    desk.rest();
    let due: Instant = desk.app.tab.due().unwrap();
    assert!(due - desk.now >= Duration::from_millis(500));
}
