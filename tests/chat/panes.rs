//! Panes, lists and windows: the focus is where one sees it, keys mean what is said.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use benchtop::api::call::Progress;
use benchtop::component::{Component, Effect, RenderContext, Response};
use benchtop::record::work::Done;
use benchtop::record::{Conversation, Head, Id, Query, Record, Rows, Stored};
use benchtop::tabs::{Badge, Tab};
use benchtop::text::Tint;
use benchtop::ui::theme::{Depth, Kind, Theme};
use crossterm::event::{KeyCode, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use crate::desk::{Desk, call, chunk, failure, records, retrying};

#[test]
fn the_focus_is_always_on_the_screen() {
    // Trashing what is open where the list is hidden.
    let mut desk = Desk::new();
    desk.talk("first", "x");
    desk.fresh();
    desk.talk("second", "x");
    desk.key(KeyCode::Esc);
    desk.keys("x");
    assert!(desk.picture(80, 22).contains("━━ ▸"));
    let second = desk.keys("jx");
    assert_eq!(records(&second).count(), 0, "nothing unseen is trashed");
    // The list had it and the screen has shrunk.
    desk.picture(120, 34);
    desk.keys("b");
    desk.keys("b");
    desk.key(KeyCode::Tab);
    assert!(desk.picture(120, 34).contains("━━ ▸ Conversations"));
    assert!(desk.picture(80, 22).contains("━━ ▸"));
    // A click into the drawer opens what it hits, and closes it.
    desk.key(KeyCode::Esc);
    desk.keys("b");
    let picture = desk.picture(80, 22);
    let row = picture.lines().position(|line| line.contains("first")).unwrap() as u16;
    let click =
        MouseEvent { kind: MouseEventKind::Down(MouseButton::Left), column: 4, row, modifiers: KeyModifiers::NONE };
    desk.with(|chat, cx| chat.mouse(click, cx));
    assert!(desk.picture(80, 22).contains("━━ ▸"));
}

#[test]
fn where_the_parameters_cover_the_message_box_it_takes_no_keys() {
    let mut desk = Desk::new();
    desk.picture(70, 22);
    desk.key(KeyCode::Esc);
    desk.keys("t");
    desk.picture(70, 22);
    desk.key(KeyCode::Tab);
    desk.text("unseen");
    assert_eq!(desk.draft(), "");
    desk.key(KeyCode::Esc);
    assert!(desk.picture(70, 22).contains("━━ ▸ New conversation"), "back to the pane they were opened from");
}

#[test]
fn what_is_pasted_into_find_is_found_and_new_is_new() {
    let mut desk = Desk::new();
    desk.talk("a needle", &"x\n\n".repeat(60));
    desk.talk("q", &format!("{}needle here", "y\n\n".repeat(60)));
    desk.picture(80, 22);
    desk.key(KeyCode::Esc);
    desk.keys("/");
    desk.with(|chat, cx| chat.paste("needle", cx));
    assert!(desk.picture(80, 22).contains("needle here"), "the nearest one");
    desk.key(KeyCode::Enter);
    desk.keys("n");
    assert!(desk.picture(80, 22).contains("a needle"));
    desk.keys("/");
    desk.control('u');
    desk.text("straw");
    assert!(desk.picture(80, 22).contains("no match"));
    assert_eq!(desk.key(KeyCode::Enter), [], "it is said where the matches are counted");
    desk.with(|chat, cx| chat.command("new", cx));
    assert!(desk.picture(80, 22).contains("New conversation"));
}

#[test]
fn every_window_takes_its_letters_itself() {
    let mut desk = Desk::new();
    let ticket = desk.ask("a");
    desk.progress(ticket, Progress::Closed(Err(failure("no", Some(401)))));
    desk.key(KeyCode::Esc);
    desk.keys("d");
    assert!(desk.picture(80, 22).contains("What the server said"));
    assert!(desk.chat.typing(), "else q would end the program");
    desk.keys("q");
    assert!(!desk.picture(80, 22).contains("What the server said"));
}

#[test]
fn a_retried_answer_is_on_the_screen_while_it_comes_and_after() {
    let mut desk = Desk::new();
    let ticket = desk.ask("hi");
    let kept = desk.progress(ticket, Progress::Closed(Err(failure("401 wrong key", Some(401)))));
    desk.commit(&kept);
    assert!(desk.picture(80, 22).contains("401 wrong key"));
    desk.key(KeyCode::Esc);
    let again = desk.keys("r");
    let ticket = call(&again).unwrap().0;
    desk.picture(80, 22);
    desk.progress(ticket, chunk("Hello again"));
    assert!(desk.picture(80, 22).contains("Hello again"));
    desk.progress(ticket, Progress::Closed(Ok(())));
    let picture = desk.picture(80, 22);
    assert!(picture.contains("Hello again") && !picture.contains("401"), "{picture}");
}

#[test]
fn only_enter_hurries_a_countdown() {
    let mut desk = Desk::new();
    let ticket = desk.ask("a");
    let again = retrying(&desk);
    desk.progress(ticket, again);
    desk.key(KeyCode::Tab);
    assert!(!desk.keys("i").contains(&Effect::Hurry(ticket)));
    desk.key(KeyCode::Tab);
    assert!(desk.key(KeyCode::Enter).contains(&Effect::Hurry(ticket)));
}

#[test]
fn deleting_for_good_stops_the_answer_and_books_it() {
    let mut desk = Desk::new();
    desk.picture(120, 34);
    let ticket = desk.ask("hi");
    desk.progress(ticket, chunk("a"));
    desk.key(KeyCode::Tab);
    let mut all = desk.keys("x");
    desk.keys("G");
    desk.key(KeyCode::Enter);
    all.extend(desk.keys("GX"));
    desk.key(KeyCode::Tab);
    all.extend(desk.key(KeyCode::Enter));
    assert!(all.contains(&Effect::Cancel(ticket)));
    let kept: Vec<&Record> = records(&all).map(|(_, record)| record).collect();
    let booked = |record: &&Record| format!("{record:?}").contains("Ledger");
    let at = kept.iter().position(booked).expect("a line in the ledger");
    assert!(kept[at..].iter().any(|record| matches!(record, Record::Purge(_))), "{kept:?}");
}

#[test]
fn a_failure_nobody_saw_is_marked_until_somebody_does() {
    let mut desk = Desk::new();
    let ticket = desk.ask("first");
    desk.fresh();
    desk.progress(ticket, Progress::Closed(Err(failure("no", Some(401)))));
    desk.picture(80, 22);
    assert_eq!(desk.chat.badge(), Some(Badge::Failed));
    let picture = desk.picture(120, 34);
    assert!(picture.lines().any(|line| line.contains("first") && line.contains('✕')), "{picture}");
    desk.open(1);
    desk.picture(80, 22);
    assert_eq!(desk.chat.badge(), None);
}

#[test]
fn a_listing_that_comes_back_is_coloured_again() {
    let mut desk = Desk::new();
    desk.talk("code", "```rust\nlet a = 1;\n```\n");
    desk.picture(80, 22);
    let work = |effects: &[Effect]| {
        effects.iter().find_map(|effect| if let Effect::Work(ticket, _) = effect { Some(*ticket) } else { None })
    };
    let ticket = work(&desk.with(Component::tick)).expect("asked for");
    desk.with(|chat, cx| chat.reply(ticket, &mut Response::Work(Done::Highlighted(vec![(0..3, Tint::Keyword)])), cx));
    desk.picture(80, 22);
    desk.key(KeyCode::Esc);
    let again = desk.keys("r");
    let ticket = call(&again).unwrap().0;
    desk.progress(ticket, chunk("other"));
    desk.progress(ticket, Progress::Closed(Ok(())));
    desk.picture(80, 22);
    desk.keys("<");
    assert!(desk.picture(80, 22).contains("let a"));
    assert!(work(&desk.with(Component::tick)).is_some(), "asked for again");
}

#[test]
fn a_listing_that_is_complete_and_stands_still_is_coloured_and_stays_so() {
    let mut desk = Desk::new();
    let ticket = desk.ask("code");
    desk.progress(ticket, chunk("```rust\nlet a = 1;\n"));
    desk.picture(80, 22);
    assert!(!desk.with(Component::tick).iter().any(|effect| matches!(effect, Effect::Work(..))), "not before");
    desk.progress(ticket, chunk("```\n\nThat was"));
    desk.picture(80, 22);
    assert!(
        !desk.with(Component::tick).iter().any(|effect| matches!(effect, Effect::Work(..))),
        "it may be gone at once"
    );
    desk.now += Duration::from_millis(125);
    desk.picture(80, 22);
    let asked = desk.with(Component::tick);
    let work = asked.iter().find_map(|effect| if let Effect::Work(ticket, _) = effect { Some(*ticket) } else { None });
    let tints = Done::Highlighted(vec![(0..3, Tint::Keyword)]);
    desk.with(|chat, cx| chat.reply(work.expect("asked for"), &mut Response::Work(tints), cx));
    desk.picture(80, 22);
    desk.progress(ticket, chunk(" all."));
    desk.progress(ticket, Progress::Closed(Ok(())));
    let keyword = |desk: &mut Desk| {
        let mut terminal = Terminal::new(TestBackend::new(80, 22)).unwrap();
        let theme = Theme::of(Kind::Dark, Depth::True);
        desk.arrange();
        let (chat, session, now) = (&desk.chat, &desk.session, desk.now);
        terminal.draw(|frame| chat.render(frame, frame.area(), RenderContext { session, theme: &theme, now })).unwrap();
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
        desk.arrange();
        let (chat, session, now) = (&desk.chat, &desk.session, desk.now);
        terminal.draw(|frame| chat.render(frame, frame.area(), RenderContext { session, theme: &theme, now })).unwrap();
        let buffer = terminal.backend().buffer();
        let row = (0..22).find(|y| buffer[(1, *y)].symbol() == "y" && buffer[(2, *y)].symbol() == "o").unwrap();
        buffer[(1, row)].fg
    };
    assert_ne!(colour(Kind::Ansi), colour(Kind::Dark));
}

#[test]
fn the_lists_spinner_turns() {
    let mut desk = Desk::new();
    desk.session.motion = true;
    let mut chat = Desk { chat: benchtop::tabs::chat::Chat::new(), ..desk };
    chat.with(Tab::enter);
    chat.picture(120, 34);
    let ticket = chat.ask("hi");
    chat.progress(ticket, chunk("a"));
    chat.fresh();
    let mut seen = BTreeSet::new();
    for _ in 0..10 {
        chat.now = chat.chat.due().unwrap();
        let effects = chat.with(Component::tick);
        chat.commit(&effects);
        let picture = chat.picture(120, 34);
        seen.extend(picture.lines().find(|line| line.contains(" hi ")).map(str::to_owned));
    }
    assert!(seen.len() > 1, "{seen:?}");
}

/// A desk whose store has one conversation with these turns, which is open.
fn kept(outline: Vec<(Id, Option<Id>)>) -> Desk {
    let mut desk = Desk::new();
    desk.chat = benchtop::tabs::chat::Chat::new();
    let asked = desk.with(Tab::enter);
    let conversation = Conversation {
        id: Id(1),
        title: "kept".into(),
        titled: true,
        created_ms: 0,
        updated_ms: desk.unix_ms,
        trashed_ms: None,
        profile: "".into(),
        model: "".into(),
        system: String::new(),
        params: benchtop::record::ChatParams::default(),
        leaf: outline.last().map(|(id, _)| *id),
        draft: String::new(),
    };
    for effect in asked {
        if let Effect::Load(ticket, Query::Heads) = effect {
            let heads = vec![Head { conversation: conversation.clone(), turns: outline.len() as u64 }];
            desk.with(|chat, cx| chat.reply(ticket, &mut Response::Store(Stored::Rows(Rows::Heads(heads))), cx));
        }
    }
    desk.picture(120, 34);
    desk.key(KeyCode::Esc);
    desk.key(KeyCode::Tab);
    desk.keys("gj");
    let opened = desk.key(KeyCode::Enter);
    let ticket = loading(&opened).expect("its outline is asked for");
    let next =
        desk.with(|chat, cx| chat.reply(ticket, &mut Response::Store(Stored::Rows(Rows::Outline(Id(1), outline))), cx));
    let ticket = loading(&next).expect("its turns are asked for");
    desk.with(|chat, cx| chat.reply(ticket, &mut Response::Store(Stored::Rows(Rows::Turns(Vec::new()))), cx));
    desk
}

fn loading(effects: &[Effect]) -> Option<benchtop::api::call::Ticket> {
    effects.iter().find_map(|effect| if let Effect::Load(ticket, _) = effect { Some(*ticket) } else { None })
}

#[test]
fn turns_that_are_not_in_the_store_any_more_are_said_and_not_asked_for_again() {
    let mut desk = kept(vec![(Id(11), None), (Id(12), Some(Id(11)))]);
    desk.text("hi");
    let kept = desk.key(KeyCode::Enter);
    let after = desk.commit(&kept);
    assert_eq!(loading(&after), None, "{after:?}");
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
    assert!(desk.picture(80, 22).contains("row 60"));
    let mouse = |desk: &mut Desk, kind, column, row| {
        desk.with(|chat, cx| chat.mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }, cx));
    };
    for _ in 0..10 {
        mouse(&mut desk, MouseEventKind::ScrollUp, 10, 5);
    }
    assert!(!desk.picture(80, 22).contains("row 60"));
    assert!(desk.chat.typing(), "the wheel moves no focus");
    mouse(&mut desk, MouseEventKind::Down(MouseButton::Left), 10, 5);
    assert!(!desk.chat.typing());
    mouse(&mut desk, MouseEventKind::Down(MouseButton::Left), 10, 20);
    assert!(desk.chat.typing());
}

#[test]
fn without_motion_it_wakes_twice_a_second_at_most() {
    let mut desk = Desk::new();
    let ticket = desk.ask("hi");
    desk.progress(ticket, chunk("a"));
    desk.rest();
    let due: Instant = desk.chat.due().unwrap();
    assert!(due - desk.now >= Duration::from_millis(500));
}
