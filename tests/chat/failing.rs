//! A store that fails or is late: nothing is sent too early, called saved too early, or lost.

use std::time::Duration;

use benchtop::api::call::Progress;
use benchtop::component::{Component, Effect, Response};
use benchtop::record::{Head, Query, Record, Rows, Stored, TurnStatus};
use benchtop::tabs::Tab;
use crossterm::event::KeyCode;

use crate::desk::{Desk, call, chunk, records, turns};

fn flat(record: &Record) -> Vec<Record> {
    match record {
        Record::Batch(all) => all.iter().flat_map(flat).collect(),
        record => vec![record.clone()],
    }
}

impl Desk {
    /// Carries out all that is ordered, and what that leads to; everything that reached the disk.
    fn settle(&mut self, effects: &[Effect]) -> Vec<Record> {
        let mut kept = Vec::new();
        let mut next = effects.to_vec();
        while records(&next).next().is_some() {
            kept.extend(records(&next).flat_map(|(_, record)| flat(record)));
            next = self.commit(&next);
        }
        kept
    }

    /// The disk takes nothing of what is ordered. The store keeps what is saved, and offers it again.
    fn refuse(&mut self, effects: &[Effect]) {
        for (ticket, record) in records(effects) {
            let kept = effects.contains(&Effect::Save(ticket, record.clone()));
            assert!(kept || matches!(record, Record::Setting(..)), "{record:?}");
            self.with(|chat, cx| {
                chat.reply(ticket, &mut Response::Store(Stored::Waiting("the disk is full".into())), cx)
            });
        }
    }
}

/// "one" is sent and stopped before it is on disk, then "two" is sent.
fn two_prompts(desk: &mut Desk) -> [Vec<Effect>; 2] {
    desk.text("one");
    let first = desk.key(KeyCode::Enter);
    desk.key(KeyCode::Esc);
    desk.text("two");
    [first, desk.key(KeyCode::Enter)]
}

#[test]
fn a_prompt_is_not_sent_because_another_one_is_on_disk() {
    let mut desk = Desk::new();
    let [first, second] = two_prompts(&mut desk);
    assert!(call(&desk.commit(&first)).is_none());
    assert!(call(&desk.commit(&second)).is_some());
}

#[test]
fn a_prompt_is_sent_although_another_one_could_not_be_kept() {
    let mut desk = Desk::new();
    let [first, second] = two_prompts(&mut desk);
    desk.refuse(&first);
    assert!(call(&desk.commit(&second)).is_some(), "{:?}", desk.draft());
}

#[test]
fn drafts_titles_and_the_ledger_are_kept_later_too() {
    let mut desk = Desk::new();
    desk.talk("first", "x");
    desk.with(|chat, cx| chat.command("rename", cx));
    desk.text("!");
    let renamed = desk.key(KeyCode::Enter);
    desk.refuse(&renamed);
    assert!(desk.picture(120, 34).contains("✕ not saved: the disk is full"));
    let kept = desk.settle(&renamed);
    assert!(kept.iter().any(|record| matches!(record, Record::Title { title, .. } if *title == *"first!")), "{kept:?}");

    let mut desk = Desk::new();
    let ticket = desk.ask("q");
    desk.progress(ticket, chunk("answer"));
    let ended = desk.progress(ticket, Progress::Closed(Ok(())));
    desk.refuse(&ended);
    desk.text("a careful draft");
    desk.now += Duration::from_secs(1);
    let draft = desk.with(Component::tick);
    desk.refuse(&draft);
    let kept = desk.settle(&[ended, draft].concat());
    assert!(kept.iter().any(|record| matches!(record, Record::Ledger(_))), "{kept:?}");
    let draft = |record: &Record| matches!(record, Record::Draft { text, .. } if text == "a careful draft");
    assert!(kept.iter().any(draft), "{kept:?}");
    assert!(desk.picture(120, 34).contains("saved ✓"));
}

#[test]
fn what_another_copy_writes_is_left_to_it() {
    let mut desk = Desk::new();
    desk.talk("first", "half of it");
    let id = *desk.conversations.keys().next().unwrap();
    let theirs = desk.disk.iter_mut().find(|turn| turn.role == "assistant").unwrap();
    theirs.status = TurnStatus::Streaming;
    let theirs = theirs.id;
    desk.chat = benchtop::tabs::chat::Chat::new();
    let asked = desk.with(Tab::enter);
    for effect in &asked {
        if let Effect::Load(ticket, Query::Setting(name)) = effect {
            let last = Stored::Rows(Rows::Setting(name.clone(), Some(id.0.to_string().into())));
            let next = desk.with(|chat, cx| chat.reply(*ticket, &mut Response::Store(last), cx));
            desk.look_up(&next);
        }
    }
    assert!(desk.picture(120, 34).contains("cut off"));
    desk.text("draft");
    desk.now += Duration::from_secs(1);
    let draft = desk.with(Component::tick);
    desk.refuse(&draft);
    desk.text("s");
    desk.now += Duration::from_secs(1);
    let kept = [draft, desk.with(Component::tick)].concat();
    let next = desk.commit(&kept);
    assert!(records(&kept).count() >= 2, "{kept:?}");
    assert!(turns(&[kept, next].concat()).iter().all(|turn| turn.id != theirs));
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
    desk.text("draft");
    desk.now += Duration::from_secs(1);
    let draft = desk.with(Component::tick);
    desk.refuse(&draft);
    desk.key(KeyCode::Tab);
    let asked = desk.keys("r");
    let wanted = asked.iter().find_map(|effect| match effect {
        Effect::Load(ticket, Query::Turns(ids)) => Some((*ticket, ids.clone())),
        _ => None,
    });
    let (ticket, ids) = wanted.expect("the beginning of the conversation is asked for");
    let turns = desk.disk.iter().filter(|turn| ids.contains(&turn.id)).cloned().collect();
    let sent = desk.with(|chat, cx| chat.reply(ticket, &mut Response::Store(Stored::Rows(Rows::Turns(turns))), cx));
    assert!(call(&sent).is_some(), "{sent:?}");
}

#[test]
fn a_list_read_before_a_deletion_does_not_bring_it_back() {
    let mut desk = Desk::new();
    desk.talk("gone", "x");
    let head = Head { conversation: desk.conversations.values().next().unwrap().clone(), turns: 2 };
    desk.picture(120, 34);
    desk.key(KeyCode::Tab);
    let asked = desk.key(KeyCode::Tab);
    let heads = asked.iter().find_map(|effect| match effect {
        Effect::Load(ticket, Query::Heads) => Some(*ticket),
        _ => None,
    });
    desk.keys("x");
    desk.picture(120, 34);
    desk.keys("G");
    desk.key(KeyCode::Enter);
    desk.keys("GX");
    desk.key(KeyCode::Right);
    let purged = desk.key(KeyCode::Enter);
    assert!(records(&purged).any(|(_, record)| matches!(record, Record::Purge(_))), "{purged:?}");
    desk.settle(&purged);
    desk.with(|chat, cx| chat.reply(heads.unwrap(), &mut Response::Store(Stored::Rows(Rows::Heads(vec![head]))), cx));
    let picture = desk.picture(120, 34);
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
    desk.picture(120, 34);
    desk.key(KeyCode::Esc);
    let asked = desk.key(KeyCode::Char('g'));
    let mut failed = 0;
    for effect in &asked {
        if let Effect::Load(ticket, Query::Turns(_)) = effect {
            failed += 1;
            desk.with(|chat, cx| {
                chat.reply(*ticket, &mut Response::Store(Stored::Failed("the disk does not answer".into())), cx)
            });
        }
    }
    assert_eq!(failed, 1);
    desk.picture(120, 34);
    desk.key(KeyCode::Tab);
    desk.keys("k");
    let asked = desk.key(KeyCode::Enter);
    desk.look_up(&asked);
    desk.picture(120, 34);
    assert!(desk.picture(120, 34).contains("following"));
}

#[test]
fn a_conversation_that_could_not_be_read_is_asked_for_again_by_enter() {
    let mut desk = Desk::new();
    desk.talk("first", "x");
    desk.fresh();
    desk.talk("second", "y");
    desk.picture(120, 34);
    desk.key(KeyCode::Tab);
    desk.key(KeyCode::Tab);
    desk.keys("j");
    let asked = desk.key(KeyCode::Enter);
    for effect in &asked {
        if let Effect::Load(ticket, Query::Conversation(_)) = effect {
            desk.with(|chat, cx| {
                chat.reply(*ticket, &mut Response::Store(Stored::Failed("the disk does not answer".into())), cx)
            });
        }
    }
    desk.text("third");
    let again = desk.key(KeyCode::Enter);
    assert!(again.iter().any(|effect| matches!(effect, Effect::Load(_, Query::Conversation(_)))), "{again:?}");
    desk.look_up(&again);
    let kept = desk.key(KeyCode::Enter);
    assert!(call(&desk.commit(&kept)).is_some());
}
