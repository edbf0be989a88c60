//! Nothing typed or received is lost, and nothing is sent, marked or billed that should not be.

use std::time::Duration;

use benchtop::api::call::Progress;
use benchtop::component::{Component, Effect, Offer};
use benchtop::record::{Conversation, Id, Query, Record, Stored, TurnStatus};
use benchtop::tabs::Tab;
use crossterm::event::KeyCode;

use crate::desk::{Desk, Writes, call, chunk, end, part, records, turns};

#[test]
fn an_edit_that_was_changed_is_not_replaced_by_another() {
    let mut desk = Desk::new();
    desk.talk("first", "x");
    desk.talk("second", "y");
    desk.view(80, 22);
    desk.press("\u{1b}");
    desk.press("kke");
    assert_eq!(desk.draft(), "second");
    desk.press(" and a careful change");
    desk.press("\t");
    desk.view(80, 22);
    let said = desk.press("kke");
    assert_eq!(desk.draft(), "second and a careful change");
    assert!(matches!(said.as_slice(), [Effect::Notify(_)]), "{said:?}");
}

#[test]
fn a_prompt_is_never_sent_before_it_is_on_disk() {
    let mut desk = Desk::new();
    desk.press("hi");
    desk.writes = Writes::Waiting;
    assert!(call(&desk.press("\n")).is_none());
    desk.press("\u{1b}\u{1b}");
    let again = desk.press("r");
    assert!(call(&again).is_none(), "{again:?}");
    assert!(call(&desk.release()).is_some(), "then it is");
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
    assert!(records(&kept).iter().any(slow));
}

#[test]
fn a_choice_that_came_to_its_end_is_not_stopped_with_the_others() {
    let mut desk = Desk::new();
    let ticket = desk.ask("q");
    desk.progress(ticket, part(0, "whole", ""));
    desk.progress(ticket, part(1, "half", ""));
    desk.progress(ticket, end(0, "stop"));
    let ended = turns(&desk.press("\u{1b}"));
    let status = |text: &str| ended.iter().find(|turn| turn.content == *text).unwrap().status;
    assert_eq!((status("whole"), status("half")), (TurnStatus::Done, TurnStatus::Stopped));
}

#[test]
fn the_prices_of_choices_add_up_to_the_price_of_the_answer() {
    let mut desk = Desk::new();
    desk.app.session.model = "gpt-4".into();
    let ticket = desk.ask(&"many words ".repeat(100));
    for index in 0..3 {
        desk.progress(ticket, part(index, "an answer", ""));
    }
    desk.now += Duration::from_secs(1);
    let ended = desk.progress(ticket, Progress::Closed(Ok(())));
    let costs: i64 = turns(&ended).iter().map(|turn| turn.cost_nano.unwrap()).sum();
    let whole = desk.app.tab.meter().unwrap().cost.nano;
    assert!(costs > 0 && costs == whole, "{costs} of {whole}");
    let picture = desk.view(120, 34);
    assert!(picture.contains(" · ~$0.0"), "and each is an estimate: {picture}");
}

#[test]
fn a_request_whose_turns_cannot_be_read_is_not_waited_for() {
    let mut desk = Desk::new();
    desk.talk("first", "x");
    desk.fresh();
    desk.talk("second", "y");
    desk.view(120, 34);
    desk.press("\t");
    desk.press("\t");
    desk.press("j");
    desk.holds = |effect| matches!(effect, Effect::Load(_, Query::Turns(_)));
    desk.press("\n");
    assert_eq!(desk.waiting.len(), 1);
    desk.refuse("the disk does not answer");
    desk.press("third");
    let asked = desk.press("\n");
    assert!(call(&asked).is_none() && desk.app.tab.badge().is_some(), "it waits for the turns before it");
    desk.refuse("the disk does not answer");
    assert!(desk.app.tab.badge().is_none(), "and not for ever");
    assert_eq!(desk.draft(), "third", "the prompt is back");
}

#[test]
fn what_is_begun_while_the_store_opens_stays_open() {
    for begin in ["pbe nice", "p", "n"] {
        let mut desk = Desk::new();
        desk.talk("old", "x");
        desk.holds = |effect| matches!(effect, Effect::Load(_, Query::Setting(_)));
        desk.restart();
        assert!(!desk.waiting.is_empty());
        desk.view(80, 22);
        desk.press("\u{1b}");
        desk.press(begin);
        assert_eq!(desk.release(), [], "what was open last does not come under the system prompt");
    }
}

#[test]
fn an_offered_model_is_the_sessions_and_another_can_be_chosen() {
    let mut desk = Desk::new();
    let offered = desk.with(|chat, cx| chat.accept(Offer::Model("offered".into()), cx));
    assert_eq!(offered, [Effect::SetModel("offered".into())]);
    desk.app.session.model = "chosen".into();
    desk.press("hi");
    let kept = desk.press("\n");
    assert_eq!(call(&kept).unwrap().1.model, "chosen");
}

#[test]
fn reasoning_opens_and_closes_where_one_is_and_is_copied_also_folded() {
    let mut desk = Desk::new();
    for _ in 0..2 {
        let ticket = desk.ask("q");
        for progress in [part(0, "", "because of THINKING"), part(0, "answer", ""), Progress::Closed(Ok(()))] {
            desk.progress(ticket, progress);
        }
    }
    desk.view(80, 30);
    desk.press("\u{1b}");
    desk.press("g");
    desk.view(80, 30);
    desk.press("jj");
    let copied = desk.press("y");
    assert!(copied.contains(&Effect::Copy("because of THINKING".into())), "{copied:?}");
    desk.press("o");
    let open = desk.view(80, 30);
    assert_eq!(open.matches("THINKING").count(), 1);
    assert!(!open.contains("new line"), "nothing came: {open}");
    desk.press("o");
    assert_eq!(desk.view(80, 30).matches("THINKING").count(), 0);
}

#[test]
fn a_match_that_is_folded_away_is_shown() {
    let mut desk = Desk::new();
    let ticket = desk.ask("q");
    let long = "row\n\n".repeat(2500) + "needle\n";
    for progress in [chunk(&long), Progress::Closed(Ok(()))] {
        desk.progress(ticket, progress);
    }
    desk.fresh();
    desk.talk("other", "y");
    desk.open(1);
    assert!(desk.view(80, 22).contains("more rows"));
    desk.press("\u{1b}");
    desk.press("/");
    desk.press("needle");
    desk.press("\n");
    let found = desk.view(80, 22);
    // Behind the mark of the message that keys act on.
    assert!(found.lines().any(|row| row.trim_start_matches('▌').trim() == "needle"), "{found}");
}

#[test]
fn a_conversation_in_the_trash_says_so_and_comes_back_when_it_goes_on() {
    let mut desk = Desk::new();
    desk.talk("first", "x");
    desk.view(120, 34);
    desk.press("\u{1b}");
    desk.press("x");
    desk.view(120, 34);
    // The trash is the list's only row: it opens, and then the conversation in it.
    for code in [KeyCode::Enter, KeyCode::Char('j'), KeyCode::Enter] {
        desk.code(code);
    }
    assert!(desk.view(120, 34).contains("in the trash"));
    desk.press("more");
    let kept = desk.press("\n");
    let back = |record: &Record| matches!(record, Record::Trashed { at_ms: None, .. });
    assert!(records(&kept).iter().any(back), "{kept:?}");
    assert!(!desk.view(120, 34).contains("in the trash"));
}

#[test]
fn the_estimate_of_an_edit_leaves_out_what_it_replaces() {
    let mut desk = Desk::new();
    desk.talk(&"long ".repeat(400), &"and longer ".repeat(400));
    desk.press("x");
    let tokens = |picture: &str| {
        let rule = picture.lines().find(|row| row.contains(" tok of 4,096 ≈ ")).unwrap();
        let number = rule.split('~').nth(1).unwrap().split(' ').next().unwrap().replace(',', "");
        number.parse::<u64>().unwrap()
    };
    let with_all = tokens(&desk.view(120, 34));
    desk.press("^u");
    desk.press("\u{1b}");
    desk.press("e");
    desk.press("^u");
    desk.press("x");
    let without = tokens(&desk.view(120, 34));
    assert!(with_all > 500 && without < 20, "{with_all} and {without}");
}

#[test]
fn a_prompt_that_came_back_leaves_the_box_when_it_is_sent_after_all() {
    let mut desk = Desk::new();
    desk.press("hi");
    desk.writes = Writes::Waiting;
    desk.press("\n");
    desk.refuse("disk full");
    assert_eq!(desk.draft(), "hi");
    // Nothing can be saved in this store by now: it is sent all the same.
    desk.app.session.unsaved = Some("disk full".into());
    desk.press("\t");
    let again = desk.press("r");
    assert!(call(&again).is_some());
    assert!(again.contains(&Effect::ResolveNotice("chat prompt")), "the error goes");
    assert_eq!(desk.draft(), "");
}

#[test]
fn what_the_store_keeps_for_later_is_not_saved_until_it_is() {
    let mut desk = Desk::new();
    desk.press("hi");
    desk.writes = Writes::Waiting;
    let kept = desk.press("\n");
    assert!(turns(&kept).iter().any(|turn| turn.content == *"hi"));
    let saved = kept.iter().any(|effect| matches!(effect, Effect::Save(..)));
    assert!(saved && desk.waiting.len() == 1, "the store keeps it whatever happens");
    assert!(call(&desk.put_off("disk full; free some space")).is_none(), "it is not sent");
    assert_eq!(desk.draft(), "hi", "and can be sent again");
    assert!(desk.view(80, 22).contains("✕ not saved: disk full"));
    desk.put_off("the disk reports an error");
    // Another order does not make it saved, nor does it order it again.
    desk.writes = Writes::Done;
    desk.press(" there");
    desk.now += Duration::from_secs(2);
    let again = records(&desk.with(Component::tick));
    assert!(matches!(&again[..], [Record::Draft { .. }]), "{again:?}");
    assert!(desk.view(80, 22).contains("✕ not saved: the disk reports an error"));
    assert!(call(&desk.release()).is_none(), "what was given up is not sent by surprise");
    assert!(desk.view(80, 22).contains("saved ✓"));
}

#[test]
fn an_answer_that_ended_while_nobody_looked_is_marked_until_somebody_does() {
    let mut desk = Desk::new();
    let ticket = desk.ask("first");
    desk.fresh();
    desk.progress(ticket, chunk("done"));
    desk.progress(ticket, Progress::Closed(Ok(())));
    let marked = |desk: &mut Desk| {
        let list = desk.view(120, 34).lines().map(|row| row.chars().take(27).collect()).collect::<Vec<String>>();
        list.iter().any(|row| row.contains("first") && row.contains('✓'))
    };
    assert!(marked(&mut desk));
    assert!(desk.app.tab.badge().is_none(), "and no badge");
    desk.open(1);
    assert!(!marked(&mut desk), "seen");
}

#[test]
fn the_list_shows_what_other_copies_did_when_one_goes_to_it() {
    let mut desk = Desk::new();
    desk.talk("mine", "x");
    let other = Conversation { id: Id(7), title: "theirs".into(), ..desk.disk.conversations().remove(0) };
    desk.view(120, 34);
    desk.disk.record(Record::Conversation(Box::new(other)));
    let go = |desk: &mut Desk| {
        desk.press("\u{1b}\t");
        desk.view(120, 34)
    };
    assert!(go(&mut desk).contains("theirs"));
    desk.disk.record(Record::Trashed { conversation: Id(7), at_ms: Some(1) });
    assert_eq!(desk.disk.record(Record::Purge(Id(7))), Stored::Committed);
    let picture = go(&mut desk);
    assert!(!picture.contains("theirs") && picture.contains("mine"), "{picture}");
}

#[test]
fn after_a_conversation_went_to_the_trash_the_cursor_is_on_another() {
    let mut desk = Desk::new();
    desk.talk("first", "x");
    desk.fresh();
    desk.talk("second", "y");
    desk.view(120, 34);
    desk.press("\u{1b}");
    desk.press("x");
    desk.view(120, 34);
    let trashed = desk.press("x");
    assert!(records(&trashed).iter().any(|record| matches!(record, Record::Trashed { .. })), "{trashed:?}");
    assert!(desk.view(120, 34).contains("Trash (2)"));
}
