//! Nothing typed or received is lost, and nothing is sent, marked or billed that should not be.

use std::time::Duration;

use benchtop::api::call::{Progress, Reply};
use benchtop::api::chat::{ChatChunk, ChatChunkChoice};
use benchtop::component::{Component, Effect, Offer, Response};
use benchtop::record::{Conversation, Head, Id, Query, Record, Rows, Stored, Turn, TurnStatus};
use benchtop::tabs::Tab;
use crossterm::event::KeyCode;

use crate::desk::{Desk, call, chunk, part, records, turns};

#[test]
fn an_edit_that_was_changed_is_not_replaced_by_another() {
    let mut desk = Desk::new();
    desk.talk("first", "x");
    desk.talk("second", "y");
    desk.picture(80, 22);
    desk.key(KeyCode::Esc);
    desk.keys("kke");
    assert_eq!(desk.draft(), "second");
    desk.text(" and a careful change");
    desk.key(KeyCode::Tab);
    desk.picture(80, 22);
    let said = desk.keys("kke");
    assert_eq!(desk.draft(), "second and a careful change");
    assert!(matches!(said.as_slice(), [Effect::Notify(_)]), "{said:?}");
}

#[test]
fn a_prompt_is_never_sent_before_it_is_on_disk() {
    let mut desk = Desk::new();
    desk.text("hi");
    let kept = desk.key(KeyCode::Enter);
    assert!(call(&kept).is_none());
    desk.key(KeyCode::Esc);
    desk.key(KeyCode::Esc);
    let again = desk.keys("r");
    assert!(call(&again).is_none(), "{again:?}");
    assert!(call(&desk.commit(&kept)).is_some(), "then it is");
}

#[test]
fn a_slow_choice_is_kept_each_second_however_fast_another_comes() {
    let mut desk = Desk::new();
    let ticket = desk.ask("q");
    desk.progress(ticket, part(0, "a", ""));
    desk.progress(ticket, part(1, "slow", ""));
    let much = "x".repeat(5000);
    let mut kept = Vec::new();
    for _ in 0..4 {
        desk.now += Duration::from_millis(500);
        kept.extend(desk.progress(ticket, part(0, &much, "")));
        kept.extend(desk.with(Component::tick));
    }
    let slow = |record: &Record| matches!(record, Record::Extend { content, .. } if content.contains("slow"));
    assert!(records(&kept).any(|(_, record)| slow(record)));
}

/// The server says that a choice is complete.
fn complete(index: u32) -> Progress {
    let choice = ChatChunkChoice { index, finish_reason: Some("stop".into()), ..ChatChunkChoice::default() };
    Progress::Reply(Reply::ChatChunk(ChatChunk { choices: vec![choice], ..ChatChunk::default() }))
}

#[test]
fn a_choice_that_came_to_its_end_is_not_stopped_with_the_others() {
    let mut desk = Desk::new();
    let ticket = desk.ask("q");
    desk.progress(ticket, part(0, "whole", ""));
    desk.progress(ticket, part(1, "half", ""));
    desk.progress(ticket, complete(0));
    let ended = turns(&desk.key(KeyCode::Esc));
    let status = |text: &str| ended.iter().find(|turn| turn.content == *text).unwrap().status;
    assert_eq!((status("whole"), status("half")), (TurnStatus::Done, TurnStatus::Stopped));
}

#[test]
fn the_prices_of_choices_add_up_to_the_price_of_the_answer() {
    let mut desk = Desk::new();
    desk.session.model = "gpt-4".into();
    let ticket = desk.ask(&"many words ".repeat(100));
    for index in 0..3 {
        desk.progress(ticket, part(index, "an answer", ""));
    }
    desk.now += Duration::from_secs(1);
    let ended = desk.progress(ticket, Progress::Closed(Ok(())));
    let costs: i64 = turns(&ended).iter().map(|turn| turn.cost_nano.unwrap()).sum();
    let whole = desk.chat.meter().unwrap().cost.nano;
    assert!(costs > 0 && costs == whole, "{costs} of {whole}");
    let picture = desk.picture(120, 34);
    assert!(picture.contains(" · ~$0.0"), "and each is an estimate: {picture}");
}

#[test]
fn a_request_whose_turns_cannot_be_read_is_not_waited_for() {
    let mut desk = Desk::new();
    desk.talk("first", "x");
    desk.fresh();
    desk.talk("second", "y");
    desk.picture(120, 34);
    desk.key(KeyCode::Tab);
    desk.key(KeyCode::Tab);
    desk.keys("j");
    let mut asked = desk.key(KeyCode::Enter);
    let mut failed = 0;
    for _ in 0..3 {
        let mut next = Vec::new();
        for effect in &asked {
            let Effect::Load(ticket, query) = effect else { continue };
            let answer = match query {
                Query::Conversation(id) => {
                    Stored::Rows(Rows::Conversation(desk.conversations.get(id).cloned().map(Box::new)))
                }
                Query::Outline(id) => {
                    let of: Vec<&Turn> = desk.disk.iter().filter(|turn| turn.conversation == *id).collect();
                    Stored::Rows(Rows::Outline(*id, of.iter().map(|turn| (turn.id, turn.parent)).collect()))
                }
                Query::MarksOf(id) => Stored::Rows(Rows::Marks(*id, Vec::new())),
                Query::Drafts(id) => Stored::Rows(Rows::Drafts(*id, Vec::new())),
                _ => {
                    failed += 1;
                    Stored::Failed("the disk does not answer".into())
                }
            };
            next.extend(desk.with(|chat, cx| chat.reply(*ticket, &mut Response::Store(answer), cx)));
        }
        asked = next;
    }
    assert_eq!(failed, 1);
    desk.text("third");
    let kept = desk.key(KeyCode::Enter);
    let asked = desk.commit(&kept);
    assert!(call(&asked).is_none() && desk.chat.badge().is_some(), "it waits for the turns before it");
    for effect in &asked {
        if let Effect::Load(ticket, _) = effect {
            desk.with(|chat, cx| {
                chat.reply(*ticket, &mut Response::Store(Stored::Failed("the disk does not answer".into())), cx)
            });
        }
    }
    assert!(desk.chat.badge().is_none(), "and not for ever");
    assert_eq!(desk.draft(), "third", "the prompt is back");
}

#[test]
fn what_is_begun_while_the_store_opens_stays_open() {
    for begin in ["pbe nice", "p", "n"] {
        let mut desk = Desk::new();
        desk.talk("old", "x");
        let old = *desk.conversations.keys().next().unwrap();
        desk.chat = benchtop::tabs::chat::Chat::new();
        let asked = desk.with(Tab::enter);
        desk.picture(80, 22);
        desk.key(KeyCode::Esc);
        desk.text(begin);
        for effect in &asked {
            if let Effect::Load(ticket, Query::Setting(name)) = effect {
                let last = Stored::Rows(Rows::Setting(name.clone(), Some(old.0.to_string().into())));
                let next = desk.with(|chat, cx| chat.reply(*ticket, &mut Response::Store(last), cx));
                assert_eq!(next, [], "what was open last does not come under the system prompt");
            }
        }
    }
}

#[test]
fn an_offered_model_is_the_sessions_and_another_can_be_chosen() {
    let mut desk = Desk::new();
    let offered = desk.with(|chat, cx| chat.accept(Offer::Model("offered".into()), cx));
    assert_eq!(offered, [Effect::SetModel("offered".into())]);
    desk.session.model = "chosen".into();
    desk.text("hi");
    let kept = desk.key(KeyCode::Enter);
    assert_eq!(call(&desk.commit(&kept)).unwrap().1.model, "chosen");
}

#[test]
fn reasoning_opens_and_closes_where_one_is_and_is_copied_also_folded() {
    let mut desk = Desk::new();
    for _ in 0..2 {
        let ticket = desk.ask("q");
        for progress in [part(0, "", "because of THINKING"), part(0, "answer", ""), Progress::Closed(Ok(()))] {
            let effects = desk.progress(ticket, progress);
            desk.commit(&effects);
        }
    }
    desk.picture(80, 30);
    desk.key(KeyCode::Esc);
    desk.keys("g");
    desk.picture(80, 30);
    desk.keys("jj");
    let copied = desk.keys("y");
    assert!(copied.contains(&Effect::Copy("because of THINKING".into())), "{copied:?}");
    desk.keys("o");
    let open = desk.picture(80, 30);
    assert_eq!(open.matches("THINKING").count(), 1);
    assert!(!open.contains("new line"), "nothing came: {open}");
    desk.keys("o");
    assert_eq!(desk.picture(80, 30).matches("THINKING").count(), 0);
}

#[test]
fn a_match_that_is_folded_away_is_shown() {
    let mut desk = Desk::new();
    let ticket = desk.ask("q");
    let long = "row\n\n".repeat(2500) + "needle\n";
    for progress in [chunk(&long), Progress::Closed(Ok(()))] {
        let effects = desk.progress(ticket, progress);
        desk.commit(&effects);
    }
    desk.fresh();
    desk.talk("other", "y");
    desk.open(1);
    assert!(desk.picture(80, 22).contains("more rows"));
    desk.key(KeyCode::Esc);
    desk.keys("/");
    desk.text("needle");
    desk.key(KeyCode::Enter);
    let found = desk.picture(80, 22);
    // Behind the mark of the message that keys act on.
    assert!(found.lines().any(|row| row.trim_start_matches('▌').trim() == "needle"), "{found}");
}

#[test]
fn a_conversation_in_the_trash_says_so_and_comes_back_when_it_goes_on() {
    let mut desk = Desk::new();
    desk.talk("first", "x");
    desk.picture(120, 34);
    desk.key(KeyCode::Esc);
    desk.keys("x");
    desk.picture(120, 34);
    // The trash is the list's only row: it opens, and then the conversation in it.
    for code in [KeyCode::Enter, KeyCode::Char('j'), KeyCode::Enter] {
        let asked = desk.key(code);
        desk.look_up(&asked);
    }
    assert!(desk.picture(120, 34).contains("in the trash"));
    desk.text("more");
    let kept = desk.key(KeyCode::Enter);
    let back = |record: &Record| matches!(record, Record::Trashed { at_ms: None, .. });
    assert!(records(&kept).any(|(_, record)| back(record)), "{kept:?}");
    desk.commit(&kept);
    assert!(!desk.picture(120, 34).contains("in the trash"));
}

#[test]
fn the_estimate_of_an_edit_leaves_out_what_it_replaces() {
    let mut desk = Desk::new();
    desk.talk(&"long ".repeat(400), &"and longer ".repeat(400));
    desk.text("x");
    let tokens = |picture: &str| {
        let rule = picture.lines().find(|row| row.contains(" tok of 4,096 ≈ ")).unwrap();
        let number = rule.split('~').nth(1).unwrap().split(' ').next().unwrap().replace(',', "");
        number.parse::<u64>().unwrap()
    };
    let with_all = tokens(&desk.picture(120, 34));
    desk.control('u');
    desk.key(KeyCode::Esc);
    desk.keys("e");
    desk.control('u');
    desk.text("x");
    let without = tokens(&desk.picture(120, 34));
    assert!(with_all > 500 && without < 20, "{with_all} and {without}");
}

#[test]
fn a_prompt_that_came_back_leaves_the_box_when_it_is_sent_after_all() {
    let mut desk = Desk::new();
    desk.text("hi");
    let kept = desk.key(KeyCode::Enter);
    let (ticket, _) = records(&kept).next().unwrap();
    desk.with(|chat, cx| chat.reply(ticket, &mut Response::Store(Stored::Failed("disk full".into())), cx));
    assert_eq!(desk.draft(), "hi");
    // Nothing can be saved in this store by now: it is sent all the same.
    desk.session.unsaved = Some("disk full".into());
    desk.key(KeyCode::Tab);
    let again = desk.key(KeyCode::Char('r'));
    assert!(call(&again).is_some());
    assert!(again.contains(&Effect::Settle("chat prompt")), "the error goes");
    assert_eq!(desk.draft(), "");
}

#[test]
fn what_the_store_keeps_for_later_is_not_saved_until_it_is() {
    let mut desk = Desk::new();
    desk.text("hi");
    let kept = desk.key(KeyCode::Enter);
    let (ticket, record) = records(&kept).next().unwrap();
    assert!(kept.contains(&Effect::Save(ticket, record.clone())), "the store keeps it whatever happens");
    assert!(turns(&kept).iter().any(|turn| turn.content == *"hi"));
    let waits = |why: &str| Stored::Waiting(why.into());
    let effects =
        desk.with(|chat, cx| chat.reply(ticket, &mut Response::Store(waits("disk full; free some space")), cx));
    assert!(call(&effects).is_none(), "it is not sent");
    assert_eq!(desk.draft(), "hi", "and can be sent again");
    assert!(desk.picture(80, 22).contains("✕ not saved: disk full"));
    desk.with(|chat, cx| chat.reply(ticket, &mut Response::Store(waits("the disk reports an error")), cx));
    // Another order does not make it saved, nor does it order it again.
    desk.text(" there");
    desk.now += Duration::from_secs(2);
    let draft = desk.with(Component::tick);
    let again = desk.commit(&draft);
    assert!(records(&again).next().is_none(), "{again:?}");
    assert!(desk.picture(80, 22).contains("✕ not saved: the disk reports an error"));
    let late = desk.with(|chat, cx| chat.reply(ticket, &mut Response::Store(Stored::Committed), cx));
    assert!(call(&late).is_none(), "what was given up is not sent by surprise");
    assert!(desk.picture(80, 22).contains("saved ✓"));
}

#[test]
fn an_answer_that_ended_while_nobody_looked_is_marked_until_somebody_does() {
    let mut desk = Desk::new();
    let ticket = desk.ask("first");
    desk.fresh();
    desk.progress(ticket, chunk("done"));
    let kept = desk.progress(ticket, Progress::Closed(Ok(())));
    desk.commit(&kept);
    let marked = |desk: &mut Desk| {
        let list = desk.picture(120, 34).lines().map(|row| row.chars().take(27).collect()).collect::<Vec<String>>();
        list.iter().any(|row| row.contains("first") && row.contains('✓'))
    };
    assert!(marked(&mut desk));
    assert!(desk.chat.badge().is_none(), "and no badge");
    desk.open(1);
    assert!(!marked(&mut desk), "seen");
}

#[test]
fn the_list_shows_what_other_copies_did_when_one_goes_to_it() {
    let mut desk = Desk::new();
    desk.talk("mine", "x");
    let other =
        Conversation { id: Id(7), title: "theirs".into(), ..desk.conversations.values().next().unwrap().clone() };
    let mut heads: Vec<Head> =
        desk.conversations.values().map(|kept| Head { conversation: kept.clone(), turns: 2 }).collect();
    heads.push(Head { conversation: other, turns: 2 });
    desk.picture(120, 34);
    let go = |desk: &mut Desk, heads: &[Head]| {
        desk.key(KeyCode::Esc);
        let asked = desk.key(KeyCode::Tab);
        let loads = asked
            .iter()
            .filter_map(|effect| if let Effect::Load(ticket, Query::Heads) = effect { Some(*ticket) } else { None });
        for ticket in loads.collect::<Vec<_>>() {
            desk.with(|chat, cx| {
                chat.reply(ticket, &mut Response::Store(Stored::Rows(Rows::Heads(heads.to_vec()))), cx)
            });
        }
        desk.picture(120, 34)
    };
    assert!(go(&mut desk, &heads).contains("theirs"));
    heads.pop();
    let picture = go(&mut desk, &heads);
    assert!(!picture.contains("theirs") && picture.contains("mine"), "{picture}");
}

#[test]
fn after_a_conversation_went_to_the_trash_the_cursor_is_on_another() {
    let mut desk = Desk::new();
    desk.talk("first", "x");
    desk.fresh();
    desk.talk("second", "y");
    desk.picture(120, 34);
    desk.key(KeyCode::Esc);
    desk.keys("x");
    desk.picture(120, 34);
    let trashed = desk.keys("x");
    assert!(records(&trashed).any(|(_, record)| matches!(record, Record::Trashed { .. })), "{trashed:?}");
    assert!(desk.picture(120, 34).contains("Trash (2)"));
}
