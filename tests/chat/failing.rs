//! A store that fails or is late: nothing is sent too early, called saved too early, or lost.

use std::time::Duration;

use benchtop::api::call::Progress;
use benchtop::component::{Component, Effect};
use benchtop::record::{Query, Record, Stored, Turn, TurnStatus};
use benchtop::tabs::Tab;

use crate::desk::{Desk, Writes, call, chunk, records, turns};

/// Sends "one" and stops it before it is on disk, then sends "two"; returns the effects that wait for the disk after
/// each.
fn two_prompts(desk: &mut Desk) -> [Vec<Effect>; 2] {
    desk.writes = Writes::Waiting;
    desk.press("one\n");
    let first = std::mem::take(&mut desk.waiting);
    desk.press("\u{1b}");
    desk.waiting.clear();
    desk.press("two\n");
    [first, std::mem::take(&mut desk.waiting)]
}

#[test]
fn a_prompt_is_not_sent_because_another_one_is_on_disk() {
    let mut desk = Desk::new();
    let [first, second] = two_prompts(&mut desk);
    desk.waiting = first;
    assert!(call(&desk.release()).is_none());
    desk.waiting = second;
    assert!(call(&desk.release()).is_some());
}

#[test]
fn a_prompt_is_sent_although_another_one_could_not_be_kept() {
    let mut desk = Desk::new();
    let [first, second] = two_prompts(&mut desk);
    desk.waiting = first;
    desk.put_off("the disk is full");
    desk.waiting = second;
    assert!(call(&desk.release()).is_some(), "{:?}", desk.draft());
}

#[test]
fn drafts_titles_and_the_ledger_are_kept_later_too() {
    let mut desk = Desk::new();
    desk.talk("first", "x");
    desk.with(|chat, cx| chat.command("rename", cx));
    desk.press("!");
    desk.writes = Writes::Waiting;
    desk.press("\n");
    desk.put_off("the disk is full");
    assert!(desk.view(120, 34).contains("✕ not saved: the disk is full"));
    let kept = records(&[desk.waiting.clone(), desk.release()].concat());
    assert!(kept.iter().any(|record| matches!(record, Record::Title { title, .. } if *title == *"first!")), "{kept:?}");

    let mut desk = Desk::new();
    let ticket = desk.ask("q");
    desk.progress(ticket, chunk("answer"));
    desk.writes = Writes::Waiting;
    desk.progress(ticket, Progress::Closed(Ok(())));
    desk.put_off("the disk is full");
    desk.press("a careful draft");
    desk.now += Duration::from_secs(1);
    desk.with(Component::tick);
    desk.put_off("the disk is full");
    let kept = records(&[desk.waiting.clone(), desk.release()].concat());
    assert!(kept.iter().any(|record| matches!(record, Record::Ledger(_))), "{kept:?}");
    let draft = |record: &Record| matches!(record, Record::Draft { text, .. } if text == "a careful draft");
    assert!(kept.iter().any(draft), "{kept:?}");
    assert!(desk.view(120, 34).contains("saved ✓"));
}

#[test]
fn what_another_copy_writes_is_left_to_it() {
    let mut desk = Desk::new();
    desk.talk("first", "half of it");
    let theirs = desk.disk.turns().into_iter().find(|turn| turn.role == "assistant").unwrap();
    let theirs = Turn { status: TurnStatus::Streaming, ..theirs };
    desk.disk.record(Record::Turn(Box::new(theirs.clone())));
    desk.restart();
    assert!(desk.view(120, 34).contains("cut off"));
    desk.press("draft");
    desk.now += Duration::from_secs(1);
    desk.writes = Writes::Waiting;
    desk.with(Component::tick);
    desk.put_off("the disk is full");
    desk.press("s");
    desk.now += Duration::from_secs(1);
    desk.with(Component::tick);
    let kept = [desk.waiting.clone(), desk.release()].concat();
    assert!(records(&kept).len() >= 2 && turns(&kept).iter().all(|turn| turn.id != theirs.id), "{kept:?}");
}

#[test]
fn a_request_that_waits_for_its_turns_is_sent_although_the_disk_is_full() {
    let mut desk = Desk::new();
    for n in 0..110 {
        desk.talk(&format!("long {n}"), "x");
    }
    desk.fresh();
    desk.talk("other", "y");
    desk.open(1);
    desk.press("draft");
    desk.now += Duration::from_secs(1);
    desk.writes = Writes::Waiting;
    desk.with(Component::tick);
    desk.put_off("the disk is full");
    desk.holds = |effect| matches!(effect, Effect::Load(_, Query::Turns(_)));
    let waiting = std::mem::take(&mut desk.waiting);
    desk.press("\tr");
    let wanted = |effect: &Effect| matches!(effect, Effect::Load(_, Query::Turns(_)));
    let load = desk.waiting.iter().position(wanted).expect("the beginning of the conversation is asked for");
    desk.waiting = vec![desk.waiting.remove(load)];
    let sent = desk.release();
    assert!(call(&sent).is_some() && !waiting.is_empty(), "{sent:?}");
}

#[test]
fn a_list_read_before_a_deletion_does_not_bring_it_back() {
    let mut desk = Desk::new();
    desk.talk("gone", "x");
    let heads = desk.disk.load(Query::Heads);
    desk.view(120, 34);
    desk.holds = |effect| matches!(effect, Effect::Load(_, Query::Heads));
    desk.press("\t\tx");
    assert!(!desk.waiting.is_empty());
    desk.view(120, 34);
    desk.press("G\nGX→");
    let purged = desk.press("\n");
    assert!(records(&purged).iter().any(|record| matches!(record, Record::Purge(_))), "{purged:?}");
    desk.answers = Box::new(move |query| matches!(query, Query::Heads).then(|| Stored::Rows(heads.clone())));
    desk.release();
    let picture = desk.view(120, 34);
    assert!(!picture.contains("gone") && !picture.contains("Trash"), "{picture}");
}

#[test]
fn going_to_the_top_ends_with_the_conversation() {
    let mut desk = Desk::new();
    for n in 0..110 {
        desk.talk(&format!("long {n}"), "x");
    }
    desk.fresh();
    desk.talk("other", &"line\n\n".repeat(40));
    desk.open(1);
    desk.view(120, 34);
    desk.press("\u{1b}");
    desk.holds = |effect| matches!(effect, Effect::Load(_, Query::Turns(_)));
    desk.press("g");
    assert_eq!(desk.waiting.len(), 1);
    desk.refuse("the disk does not answer");
    desk.holds = |_| false;
    desk.view(120, 34);
    desk.press("\t");
    desk.press("k");
    desk.press("\n");
    desk.view(120, 34);
    assert!(desk.view(120, 34).contains("following"));
}

#[test]
fn a_conversation_that_could_not_be_read_is_asked_for_again_by_enter() {
    let mut desk = Desk::new();
    desk.talk("first", "x");
    desk.fresh();
    desk.talk("second", "y");
    desk.view(120, 34);
    desk.holds = |effect| matches!(effect, Effect::Load(_, Query::Conversation(_)));
    desk.press("\t\tj\n");
    desk.refuse("the disk does not answer");
    desk.press("third\n");
    assert!(!desk.waiting.is_empty());
    desk.release();
    assert!(call(&desk.press("\n")).is_some());
}
