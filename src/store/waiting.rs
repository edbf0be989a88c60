//! Records that the disk refused, in the order of arrival, until it accepts them.
//!
//! They are offered again on a timer and once at the end: those that the disk refuses for now, and those whose owner
//! wants them kept as long as they may become valid. A record that can be written overtakes one that still waits,
//! unless it depends on it.

use std::collections::HashSet;
use std::mem::discriminant;
use std::time::{Duration, Instant};

use super::about::size;
use super::error::WriteError;
use super::limits::{HELD, LONGEST_PAUSE, PAUSE};
use crate::api::call::Ticket;
use crate::record::{Id, Record};
use crate::text::Untrusted;

/// Something that a record changes, or needs.
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

/// What happens to a record that does not fit what is stored. One that the disk does not take now is offered again in
/// any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OnRefusal {
    /// Report to the owner, and drop it.
    Report,
    /// Keep it and offer it again, unless it can never be written.
    Retry,
}

impl OnRefusal {
    /// Returns whether a refused record waits.
    pub(super) fn waits(self, refusal: &WriteError) -> bool {
        refusal.is_temporary() || self == Self::Retry && !matches!(refusal, WriteError::Obsolete(_))
    }
}

/// What a record depends on. One that shares a key with an earlier record that waits has to wait behind it.
pub(super) trait Depends {
    /// Calls back with each key that this changes.
    fn changes<'a>(&'a self, _name: &mut dyn FnMut(Key<'a>)) {}
    /// Calls back with each key that must exist before.
    fn needs<'a>(&'a self, _name: &mut dyn FnMut(Key<'a>)) {}
    /// Returns what happens to this if it does not fit what is stored.
    fn on_refusal(&self) -> OnRefusal {
        OnRefusal::Report
    }
}

/// The records that were refused in one attempt, and the reason.
#[derive(Default)]
pub(super) struct RefusedRecords<'a> {
    keys: HashSet<Key<'a>>,
    reason: String,
}

impl<'a> RefusedRecords<'a> {
    /// Fails for a record that depends on one of them.
    pub(super) fn check(&self, record: &impl Depends) -> Result<(), WriteError> {
        if self.blocks(record) { Err(WriteError::Deferred(self.reason.clone())) } else { Ok(()) }
    }

    /// Returns whether a record depends on one of them.
    fn blocks(&self, record: &impl Depends) -> bool {
        let mut held = false;
        if !self.keys.is_empty() {
            let mut look = |key: Key<'_>| held |= self.keys.contains(&key);
            record.changes(&mut look);
            record.needs(&mut look);
        }
        held
    }

    fn add(&mut self, record: &'a impl Depends) {
        record.changes(&mut |key| self.keys.extend([key]));
    }

    /// Notes the result of a record.
    pub(super) fn add_result(&mut self, record: &'a impl Depends, result: &Result<(), WriteError>) {
        if let Err(refusal) = result
            && record.on_refusal().waits(refusal)
        {
            self.reason = refusal.sentence();
            self.add(record);
        }
    }
}

/// A record and the tickets that wait for it.
#[derive(Debug)]
pub(super) struct WaitingRecord {
    pub(super) record: Record,
    pub(super) tickets: Vec<Ticket>,
    on_refusal: OnRefusal,
    /// Number of these whose owners know why they wait.
    notified: usize,
}

impl Depends for WaitingRecord {
    fn changes<'a>(&'a self, name: &mut dyn FnMut(Key<'a>)) {
        self.record.changes(name);
    }

    fn needs<'a>(&'a self, name: &mut dyn FnMut(Key<'a>)) {
        self.record.needs(name);
    }

    fn on_refusal(&self) -> OnRefusal {
        self.on_refusal
    }
}

impl WaitingRecord {
    /// Returns whether both change the same key.
    fn shares_key(&self, later: &Record) -> bool {
        let mut meets = false;
        later.changes(&mut |key| self.record.changes(&mut |other| meets |= key == other));
        meets
    }

    /// Returns whether this changes what the later one needs.
    fn provides(&self, later: &Record) -> bool {
        let mut provides = false;
        later.needs(&mut |key| self.record.changes(&mut |other| provides |= key == other));
        provides
    }
}

/// Returns the place of the record that a later one replaces or continues; `None`: it stays separate.
fn earlier(entries: &[WaitingRecord], record: &Record) -> Option<usize> {
    if !replaces(record) && !matches!(record, Record::Grow { .. } | Record::Extend { .. } | Record::Tokens { .. }) {
        return None;
    }
    // A turn's text and its blocks may be written in any order.
    let apart = |one: &Record| {
        matches!(
            (one, record),
            (Record::Extend { .. }, Record::Blocks { .. }) | (Record::Blocks { .. }, Record::Extend { .. })
        )
    };
    let at = entries.iter().rposition(|entry| entry.shares_key(record) && !apart(&entry.record))?;
    // Not before what it needs.
    let free = !entries[at + 1..].iter().any(|entry| entry.provides(record));
    (free && joins(&entries[at].record, record)).then_some(at)
}

/// Returns whether a record replaces an earlier one of its kind with the same key.
fn replaces(record: &Record) -> bool {
    matches!(record, Record::Draft { .. } | Record::Setting(..) | Record::Sheet(_) | Record::Blocks { .. })
}

/// Returns whether the two records can be merged.
fn joins(earlier: &Record, later: &Record) -> bool {
    match (earlier, later) {
        (Record::Grow { at, text, .. }, Record::Grow { at: next, .. }) => follows(*at, text, *next),
        (
            Record::Extend { content_at, content, reasoning_at, reasoning, .. },
            Record::Extend { content_at: next, reasoning_at: next_reasoning, .. },
        ) => follows(*content_at, content, *next) && follows(*reasoning_at, reasoning, *next_reasoning),
        (Record::Tokens { at, tokens, .. }, Record::Tokens { at: next, .. }) => *at + tokens.len() as u64 == *next,
        _ => replaces(later) && discriminant(earlier) == discriminant(later),
    }
}

/// Merges a later record into an earlier one that it [`joins`].
fn merge(earlier: &mut Record, later: Record) {
    match (earlier, later) {
        (Record::Grow { text, .. }, Record::Grow { text: more, .. }) => text.push(more.raw()),
        (Record::Extend { content, reasoning, .. }, Record::Extend { content: more, reasoning: thought, .. }) => {
            content.push(more.raw());
            reasoning.push(thought.raw());
        }
        (Record::Tokens { tokens, .. }, Record::Tokens { tokens: more, .. }) => tokens.extend(more),
        (earlier, later) => *earlier = later,
    }
}

fn follows(at: u64, text: &Untrusted, next: u64) -> bool {
    at + text.len() as u64 == next
}

/// The records that wait.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    entries: Vec<WaitingRecord>,
    /// Number of them that were attempted; the later ones are new.
    old: usize,
    bytes: usize,
    /// Why the first one was refused last.
    reason: String,
    pause: Duration,
    due: Option<Instant>,
}

impl Waiting {
    /// Returns when they are offered again; `None`: nothing waits.
    pub(super) fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Returns whether the waiting records are paused.
    pub(super) fn is_paused(&self) -> bool {
        self.due.is_some_and(|due| Instant::now() < due)
    }

    /// Returns the reason for which they wait; `None`: nothing waits.
    pub(super) fn reason(&self) -> Option<String> {
        self.due.map(|_| self.reason.clone())
    }

    /// Appends a new record, or merges it into the one that it replaces or continues. Fails, with the reason, if too
    /// much waits already.
    pub(super) fn add(&mut self, ticket: Ticket, record: Record, on_refusal: OnRefusal) -> Result<(), String> {
        let earlier = earlier(&self.entries, &record);
        let replaced = earlier.filter(|_| replaces(&record)).map_or(0, |at| size(&self.entries[at].record));
        let bytes = self.bytes + size(&record) - replaced;
        // What is offered again until it is written stays in memory in any case.
        if self.due.is_some() && bytes > HELD && on_refusal == OnRefusal::Report {
            return Err(format!("{}; {} MiB are already waiting to be saved", self.reason, HELD >> 20));
        }
        match earlier {
            Some(at) => {
                let entry = &mut self.entries[at];
                let before = size(&entry.record);
                merge(&mut entry.record, record);
                entry.tickets.push(ticket);
                if on_refusal == OnRefusal::Retry {
                    entry.on_refusal = on_refusal;
                }
                self.bytes = self.bytes + size(&entry.record) - before;
            }
            None => {
                self.entries.push(WaitingRecord { record, tickets: vec![ticket], on_refusal, notified: 0 });
                self.bytes = bytes;
            }
        }
        Ok(())
    }

    /// Takes all out for another attempt; the rest goes back by [`Waiting::put_back`].
    pub(super) fn take(&mut self) -> Vec<WaitingRecord> {
        std::mem::take(&mut self.entries)
    }

    /// Takes out what is new and depends on nothing that waits, for an attempt while the others are paused.
    pub(super) fn take_new(&mut self) -> Vec<WaitingRecord> {
        let mut waits = self.take();
        let new = waits.split_off(self.old);
        let mut held = RefusedRecords::default();
        for entry in &waits {
            held.add(entry);
        }
        let mut free = Vec::with_capacity(new.len());
        for entry in &new {
            free.push(!held.blocks(entry));
            if free.last() == Some(&false) {
                held.add(entry);
            }
        }
        drop(held);
        let (taken, behind): (Vec<_>, Vec<_>) = new.into_iter().zip(free).partition(|(_, free)| *free);
        waits.extend(behind.into_iter().map(|(entry, _)| entry));
        self.entries = waits;
        taken.into_iter().map(|(entry, _)| entry).collect()
    }

    /// Puts back what an attempt left. Tells the tickets the reason, unless they know it.
    pub(super) fn put_back(&mut self, left: Vec<WaitingRecord>, reason: Option<String>, tell: impl Fn(Ticket, &str)) {
        // Otherwise some were paused, and stay so until their pause is over.
        let all = self.entries.is_empty();
        self.entries.extend(left);
        if all {
            let reason = reason.unwrap_or_default();
            if self.reason != reason {
                self.entries.iter_mut().for_each(|entry| entry.notified = 0);
            }
            self.reason = reason;
            self.pause = if self.due.is_none() { PAUSE } else { (self.pause * 2).min(LONGEST_PAUSE) };
            self.due = (!self.entries.is_empty()).then(|| Instant::now() + self.pause);
        }
        for entry in &mut self.entries {
            entry.tickets[entry.notified..].iter().for_each(|ticket| tell(*ticket, &self.reason));
            entry.notified = entry.tickets.len();
        }
        self.bytes = self.entries.iter().map(|entry| size(&entry.record)).sum();
        self.old = self.entries.len();
    }
}

#[cfg(test)]
mod tests;
