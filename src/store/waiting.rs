//! Records that the disk refused, in the order they were given, until it takes them.
//!
//! They are offered again on a timer, with the next order and once at the end. A record that could be written goes ahead
//! of one that still waits, unless it depends on it.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use super::about::size;
use super::limits::{HELD, LONGEST_PAUSE, PAUSE};
use super::write::Refusal;
use crate::api::call::Ticket;
use crate::record::{Id, Record};
use crate::text::Untrusted;

/// Something a record changes, or needs to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key<'a> {
    /// A row by its id.
    Row(Id),
    /// The drafts of a conversation.
    Draft(Id),
    /// The tokens of a row.
    Tokens(Id),
    /// A setting.
    Name(&'a str),
}

/// What a record depends on. One that shares a key with an earlier one that waits has to wait behind it.
pub(super) trait Depends {
    /// Names what this changes.
    fn changes<'a>(&'a self, _name: &mut dyn FnMut(Key<'a>)) {}
    /// Names what has to be there before.
    fn needs<'a>(&'a self, _name: &mut dyn FnMut(Key<'a>)) {}
}

/// The records that were refused in one attempt, and why.
#[derive(Default)]
pub(super) struct Refused<'a> {
    keys: HashSet<Key<'a>>,
    why: String,
}

impl<'a> Refused<'a> {
    /// Holds back a record that depends on one of them.
    pub(super) fn pass(&self, record: &impl Depends) -> Result<(), Refusal> {
        let mut held = false;
        if !self.keys.is_empty() {
            let mut look = |key: Key<'_>| held |= self.keys.contains(&key);
            record.changes(&mut look);
            record.needs(&mut look);
        }
        if held { Err(Refusal::Waits(self.why.clone())) } else { Ok(()) }
    }

    /// What became of a record.
    pub(super) fn note(&mut self, record: &'a impl Depends, result: &Result<(), Refusal>) {
        if let Err(refusal) = result
            && refusal.passes()
        {
            self.why = refusal.sentence();
            record.changes(&mut |key| self.keys.extend([key]));
        }
    }
}

/// A record and those who wait for it.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) record: Record,
    pub(super) tickets: Vec<Ticket>,
    /// How many of these know why it waits.
    told: usize,
}

impl Depends for Entry {
    fn changes<'a>(&'a self, name: &mut dyn FnMut(Key<'a>)) {
        self.record.changes(name);
    }

    fn needs<'a>(&'a self, name: &mut dyn FnMut(Key<'a>)) {
        self.record.needs(name);
    }
}

impl Entry {
    /// Whether both change the same.
    fn meets(&self, later: &Record) -> bool {
        let mut meets = false;
        later.changes(&mut |key| self.record.changes(&mut |other| meets |= key == other));
        meets
    }
}

/// Adds a record behind the others, or makes the one that it supersedes or continues stand for both.
pub(super) fn add(entries: &mut Vec<Entry>, ticket: Ticket, record: Record) {
    let mut record = record;
    if can_merge(&record)
        && let Some(earlier) = entries.iter_mut().rev().find(|entry| entry.meets(&record))
    {
        match merge(&mut earlier.record, record) {
            None => return earlier.tickets.push(ticket),
            Some(back) => record = back,
        }
    }
    entries.push(Entry { record, tickets: vec![ticket], told: 0 });
}

fn can_merge(record: &Record) -> bool {
    matches!(
        record,
        Record::Draft { .. }
            | Record::Setting(..)
            | Record::Sheet(_)
            | Record::Grow { .. }
            | Record::Extend { .. }
            | Record::Tokens { .. }
    )
}

/// Takes a later record into an earlier one; gives it back where that cannot be.
fn merge(earlier: &mut Record, later: Record) -> Option<Record> {
    match (earlier, later) {
        (Record::Draft { text, .. }, Record::Draft { text: newer, .. }) => *text = newer,
        (Record::Setting(_, value), Record::Setting(_, newer)) => *value = newer,
        (Record::Sheet(sheet), Record::Sheet(newer)) => *sheet = newer,
        (Record::Grow { at, text, .. }, Record::Grow { at: next, text: more, .. }) if follows(*at, text, next) => {
            text.push(more.raw());
        }
        (
            Record::Extend { content_at, content, reasoning_at, reasoning, .. },
            Record::Extend {
                content_at: next, content: more, reasoning_at: next_reasoning, reasoning: thought, ..
            },
        ) if follows(*content_at, content, next) && follows(*reasoning_at, reasoning, next_reasoning) => {
            content.push(more.raw());
            reasoning.push(thought.raw());
        }
        (Record::Tokens { at, tokens, .. }, Record::Tokens { at: next, tokens: more, .. })
            if *at + tokens.len() as u64 == next =>
        {
            tokens.extend(more);
        }
        (_, later) => return Some(later),
    }
    None
}

fn follows(at: u64, text: &Untrusted, next: u64) -> bool {
    at + text.len() as u64 == next
}

/// The records that wait.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    entries: Vec<Entry>,
    bytes: usize,
    /// Why the first of them was refused last.
    why: String,
    pause: Duration,
    due: Option<Instant>,
}

impl Waiting {
    /// When they are offered again; `None`: nothing waits.
    pub(super) fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Why they wait; `None`: nothing waits.
    pub(super) fn why(&self) -> Option<String> {
        self.due.map(|_| self.why.clone())
    }

    /// Adds a new record behind them. An error: so much waits already that it cannot be kept; why.
    pub(super) fn add(&mut self, ticket: Ticket, record: Record) -> Result<(), String> {
        if self.due.is_some() {
            self.bytes += size(&record);
            if self.bytes > HELD {
                self.bytes -= size(&record);
                return Err(format!("{}; {} MiB wait to be saved already", self.why, HELD >> 20));
            }
        }
        add(&mut self.entries, ticket, record);
        Ok(())
    }

    /// Takes all out for another attempt, of which [`Waiting::put`] gets what is left.
    pub(super) fn take(&mut self) -> Vec<Entry> {
        std::mem::take(&mut self.entries)
    }

    /// What an attempt left, and why. Tells those who wait, unless they know it.
    pub(super) fn put(&mut self, mut entries: Vec<Entry>, why: Option<String>, tell: impl Fn(Ticket, &str)) {
        let why = why.unwrap_or_default();
        for entry in &mut entries {
            let known = if self.why == why { entry.told } else { 0 };
            entry.tickets[known..].iter().for_each(|ticket| tell(*ticket, &why));
            entry.told = entry.tickets.len();
        }
        if self.due.is_none() {
            self.pause = PAUSE;
        }
        self.due = (!entries.is_empty()).then(|| Instant::now() + self.pause);
        self.bytes = entries.iter().map(|entry| size(&entry.record)).sum();
        (self.entries, self.why) = (entries, why);
    }

    /// The time has come and nothing was ordered: the next pause is longer.
    pub(super) fn lapsed(&mut self) {
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(records: Vec<Record>) -> Vec<(Vec<u64>, Record)> {
        let mut entries = Vec::new();
        for (ticket, record) in (0..).map(Ticket).zip(records) {
            add(&mut entries, ticket, record);
        }
        entries.into_iter().map(|entry| (entry.tickets.iter().map(|ticket| ticket.0).collect(), entry.record)).collect()
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
        let orders =
            vec![draft(1, "a"), setting.clone(), draft(2, "b"), draft(1, "c"), Record::Purge(Id(1)), draft(1, "d")];
        let expected = [
            (vec![0, 3], draft(1, "c")),
            (vec![1], setting),
            (vec![2], draft(2, "b")),
            (vec![4], Record::Purge(Id(1))),
            (vec![5], draft(1, "d")),
        ];
        assert_eq!(added(orders), expected);
    }

    #[test]
    fn pieces_of_one_text_become_one_piece() {
        let orders =
            vec![grow(1, 0, "Hé"), grow(2, 0, "other"), grow(1, 3, "llo"), grow(1, 9, "gap"), grow(1, 12, "!")];
        let expected =
            [(vec![0, 2], grow(1, 0, "Héllo")), (vec![1], grow(2, 0, "other")), (vec![3, 4], grow(1, 9, "gap!"))];
        assert_eq!(added(orders), expected);
    }

    #[test]
    fn what_waits_is_bounded() {
        let mut waiting = Waiting::default();
        waiting.add(Ticket(1), draft(1, "first")).unwrap();
        let entries = waiting.take();
        waiting.put(entries, Some("disk full".into()), |_, _| {});
        let half = "x".repeat(HELD / 2);
        waiting.add(Ticket(2), grow(1, 0, &half)).unwrap();
        let why = waiting.add(Ticket(3), grow(2, 0, &half)).unwrap_err();
        assert_eq!(why, "disk full; 64 MiB wait to be saved already");
        waiting.add(Ticket(4), grow(3, 0, "small")).unwrap();
    }
}
