//! What waits for the disk, in which order, and how much of it.

use super::*;
use crate::record::{Block, Details, Turn, TurnStatus};

fn added(records: Vec<Record>) -> Vec<(Vec<u64>, Record)> {
    let mut waiting = Waiting::default();
    for (ticket, record) in (0..).map(Ticket).zip(records) {
        waiting.add(ticket, record, OnRefusal::Report).unwrap();
    }
    waiting
        .take()
        .into_iter()
        .map(|entry| (entry.tickets.iter().map(|ticket| ticket.0).collect(), entry.record))
        .collect()
}

fn draft(id: i64, text: &str) -> Record {
    Record::Draft { conversation: Id(id), text: text.to_owned() }
}

fn grow(step: i64, at: u64, text: &str) -> Record {
    Record::Grow { step: Id(step), at, text: text.into() }
}

#[test]
fn of_waiting_drafts_the_last_is_kept() {
    let setting = Record::Setting("x".into(), "1".into());
    let records =
        vec![draft(1, "a"), setting.clone(), draft(2, "b"), draft(1, "c"), Record::Purge(Id(1)), draft(1, "d")];
    let expected = [
        (vec![0, 3], draft(1, "c")),
        (vec![1], setting),
        (vec![2], draft(2, "b")),
        (vec![4], Record::Purge(Id(1))),
        (vec![5], draft(1, "d")),
    ];
    assert_eq!(added(records), expected);
}

#[test]
fn pieces_of_one_text_become_one_piece() {
    let records = vec![grow(1, 0, "Hé"), grow(2, 0, "other"), grow(1, 3, "llo"), grow(1, 9, "gap"), grow(1, 12, "!")];
    let expected =
        [(vec![0, 2], grow(1, 0, "Héllo")), (vec![1], grow(2, 0, "other")), (vec![3, 4], grow(1, 9, "gap!"))];
    assert_eq!(added(records), expected);
}

fn call(length: usize) -> Block {
    let empty = Untrusted::default;
    Block::Call { index: 0, id: empty(), name: empty(), arguments: "x".repeat(length).into() }
}

#[test]
fn blocks_and_details_count_as_what_they_hold() {
    let blocks = vec![call(1 << 20), Block::Refusal { words: "no".repeat(1 << 20).into(), profile: "work".into() }];
    assert!(size(&Record::Blocks { turn: Id(1), blocks: blocks.clone() }) > 3 << 20);
    let body = "x".repeat(1 << 20).into();
    let turn = Turn {
        id: Id(1),
        conversation: Id(1),
        parent: None,
        role: "assistant".into(),
        content: "".into(),
        reasoning: "".into(),
        blocks,
        model: "m".into(),
        choice: 0,
        status: TurnStatus::Failed,
        error: "".into(),
        details: Some(Box::new(Details { body, ..Details::default() })),
        finish_reason: "".into(),
        created_ms: 0,
        prompt_tokens: 0,
        completion_tokens: 0,
        estimated: false,
        cost_nano: None,
        first_token_ms: 0,
        total_ms: 0,
    };
    assert!(size(&Record::Turn(Box::new(turn))) > 4 << 20);
}

#[test]
fn of_waiting_blocks_the_last_are_kept() {
    let blocks = |turn, length| Record::Blocks { turn: Id(turn), blocks: vec![call(length)] };
    let more = |at, text: &str| Record::Extend {
        turn: Id(1),
        content_at: at,
        content: text.into(),
        reasoning_at: 0,
        reasoning: "".into(),
    };
    let records = vec![
        blocks(1, 1),
        more(0, "a"),
        blocks(2, 1),
        blocks(1, 2),
        more(1, "b"),
        Record::DeleteMark(Id(1)),
        blocks(1, 3),
    ];
    let expected = [
        (vec![0, 3], blocks(1, 2)),
        (vec![1, 4], more(0, "ab")),
        (vec![2], blocks(2, 1)),
        (vec![5], Record::DeleteMark(Id(1))),
        (vec![6], blocks(1, 3)),
    ];
    assert_eq!(added(records), expected);
}

#[test]
fn a_call_that_grows_while_the_disk_is_full_counts_once() {
    let mut waiting = Waiting::default();
    waiting.add(Ticket(1), draft(1, "first"), OnRefusal::Report).unwrap();
    let entries = waiting.take();
    waiting.put_back(entries, Some("disk full".into()), |_, _| {});
    for ticket in 2..20 {
        let blocks = vec![call(HELD / 2)];
        waiting.add(Ticket(ticket), Record::Blocks { turn: Id(1), blocks }, OnRefusal::Report).unwrap();
    }
    assert_eq!(waiting.take().len(), 2);
}

#[test]
fn what_waits_is_bounded() {
    let mut waiting = Waiting::default();
    waiting.add(Ticket(1), draft(1, "first"), OnRefusal::Report).unwrap();
    let entries = waiting.take();
    waiting.put_back(entries, Some("disk full".into()), |_, _| {});
    let half = "x".repeat(HELD / 2);
    waiting.add(Ticket(2), grow(1, 0, &half), OnRefusal::Report).unwrap();
    let why = waiting.add(Ticket(3), grow(2, 0, &half), OnRefusal::Report).unwrap_err();
    assert_eq!(why, "disk full; 64 MiB are already waiting to be saved");
    waiting.add(Ticket(4), grow(3, 0, "small"), OnRefusal::Report).unwrap();
}
