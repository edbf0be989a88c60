//! Remembers which events of a job were reported, by a hash of each.
//!
//! A server replays a job's history from the start. The n-th event of the replay is the n-th of the history, and is new
//! if fewer were reported: so two events with the same text are two events.
//!
//! A replay that differs from the reported events comes from a server that lost a part of its history, or that sends it
//! in another order. From the first difference on, an event counts as replayed if as many equal ones were reported as
//! have come again, and as new if not. That loses no event that differs from all reported ones, and repeats none: the
//! only possible error concerns an event that equals one which the server has lost, in the same second. Nothing marks
//! the end of a replay, not even a pause, so no event counts as new because it is late.
//!
//! Events with an id are recognised by it, at any position. The same event can come with an id and without one: a
//! stream numbers events that a list does not, or the list has ids that the stream lacks. So each is hashed too, and
//! one that was reported without its present id is found by the hash.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

use crate::api::job::JobEvent;

/// The events reported, and how far this connection has replayed them.
#[derive(Debug, Default)]
pub(super) struct SeenEvents {
    hasher: RandomState,
    /// All events, in the order they were reported.
    order: Vec<u64>,
    /// Ids, the events' own and the stream's.
    ids: HashSet<u64>,
    /// Reported events whose id is not known yet, with their counts.
    unnamed: HashMap<u64, Unnamed>,
    /// How many events of `order` were replayed in their places.
    replayed_in_order: usize,
    /// Since the first difference: how many of each event are still to be replayed.
    remaining: Option<HashMap<u64, u32>>,
    replayed: u64,
}

/// Equal events, reported without an id.
#[derive(Clone, Copy, Debug, Default)]
struct Unnamed {
    /// Without an id of their own.
    own: u32,
    /// Without any id.
    any: u32,
}

impl SeenEvents {
    /// Begins a new connection, which may replay the history.
    pub(super) fn begin_connection(&mut self) {
        (self.replayed_in_order, self.remaining, self.replayed) = (0, None, 0);
    }

    /// Returns the number of events reported.
    pub(super) fn count(&self) -> u64 {
        self.order.len() as u64
    }

    /// Returns the number of events replayed over this connection.
    pub(super) fn replayed(&self) -> u64 {
        self.replayed
    }

    /// Returns whether all reported events were replayed.
    pub(super) fn is_replay_complete(&self) -> bool {
        self.replayed >= self.count()
    }

    /// Returns whether an event with this id was reported.
    pub(super) fn has_id(&self, id: &str) -> bool {
        self.ids.contains(&self.hasher.hash_one(id))
    }

    /// Notes an event, and returns whether it is new. `id` is the stream's own id, for an event that has none.
    pub(super) fn insert(&mut self, event: &JobEvent, id: Option<&str>) -> bool {
        let hash = self.hasher.hash_one((event.created_at, &event.level, &event.message));
        let is_new = match event.id.as_deref().or(id) {
            Some(known) => self.insert_id(known, hash, event.id.is_some()),
            None => !self.match_replayed(hash),
        };
        if !is_new {
            self.replayed += 1;
            return false;
        }
        // An event with an id can be new before the replay is complete, if the server continues after the last id.
        let is_complete = self.remaining.is_none() && self.replayed_in_order == self.order.len();
        self.order.push(hash);
        if is_complete {
            self.replayed_in_order = self.order.len();
        }
        if event.id.is_none() {
            let unnamed = self.unnamed.entry(hash).or_default();
            unnamed.own += 1;
            unnamed.any += u32::from(id.is_none());
        }
        true
    }

    /// Notes the id of an event, its own or the stream's, and returns whether the event is new.
    fn insert_id(&mut self, id: &str, hash: u64, is_own: bool) -> bool {
        if self.ids.insert(self.hasher.hash_one(id)) {
            // The event may have been reported without this id.
            let Some(unnamed) = self.unnamed.get_mut(&hash) else { return true };
            let left = if is_own { unnamed.own } else { unnamed.any };
            if left == 0 {
                return true;
            }
            unnamed.own -= u32::from(is_own);
            unnamed.any = unnamed.any.saturating_sub(1);
        }
        // It also counts as replayed among the events without ids.
        match &mut self.remaining {
            None if self.order.get(self.replayed_in_order) == Some(&hash) => self.replayed_in_order += 1,
            None => {}
            Some(left) => {
                if let Some(left) = left.get_mut(&hash) {
                    *left = left.saturating_sub(1);
                }
            }
        }
        false
    }

    /// Returns whether an event without an id is a replayed one, and counts it as such.
    fn match_replayed(&mut self, hash: u64) -> bool {
        if self.remaining.is_none() {
            match self.order.get(self.replayed_in_order) {
                None => return false,
                Some(reported) if *reported == hash => {
                    self.replayed_in_order += 1;
                    return true;
                }
                Some(_) => {
                    let mut left = HashMap::new();
                    for reported in &self.order[self.replayed_in_order..] {
                        *left.entry(*reported).or_insert(0) += 1;
                    }
                    self.remaining = Some(left);
                }
            }
        }
        match self.remaining.as_mut().and_then(|left| left.get_mut(&hash)) {
            Some(left) if *left > 0 => {
                *left -= 1;
                true
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the events that are new over a connection that sends these, a letter each.
    fn new_events(seen: &mut SeenEvents, sent: &str) -> String {
        seen.begin_connection();
        continue_with(seen, sent)
    }

    fn continue_with(seen: &mut SeenEvents, sent: &str) -> String {
        new_events_at(seen, 7, sent)
    }

    fn new_events_at(seen: &mut SeenEvents, created_at: i64, sent: &str) -> String {
        let event = |letter: &char| JobEvent { message: letter.to_string(), created_at, ..JobEvent::default() };
        sent.chars().filter(|letter| seen.insert(&event(letter), None)).collect()
    }

    #[test]
    fn the_same_text_can_honestly_occur_twice() {
        let mut seen = SeenEvents::default();
        assert_eq!(new_events(&mut seen, "abb"), "abb");
        assert_eq!(new_events(&mut seen, "abbbc"), "bc");
        assert_eq!((seen.replayed(), seen.count()), (3, 5));
        assert_eq!(new_events(&mut seen, "abbbc"), "");
        assert!(seen.is_replay_complete());
        assert_eq!(continue_with(&mut seen, "cc"), "cc");
        assert_eq!(new_events(&mut seen, "abb"), "");
        assert!(!seen.is_replay_complete());
        assert_eq!(new_events(&mut seen, "abbbcccd"), "d");
    }

    #[test]
    fn a_server_that_lost_its_history_repeats_nothing_and_loses_nothing_new() {
        let mut seen = SeenEvents::default();
        new_events(&mut seen, "abcd");
        // The server lost the end; what comes is of another second.
        assert_eq!(new_events(&mut seen, "ab"), "");
        assert_eq!(new_events_at(&mut seen, 8, "cx"), "cx");
        assert_eq!(new_events(&mut seen, "ab"), "");
        assert_eq!(new_events_at(&mut seen, 8, "cx"), "");
        assert_eq!(continue_with(&mut seen, "xy"), "xy");
        // The server lost something in the middle, or everything.
        assert_eq!(new_events(&mut seen, "axyz"), "z");
        assert_eq!(new_events(&mut seen, "q"), "q");
    }

    #[test]
    fn another_order_is_no_other_history() {
        let mut seen = SeenEvents::default();
        new_events(&mut seen, "abbc");
        assert_eq!(new_events(&mut seen, "dcbba"), "d");
        assert_eq!(new_events(&mut seen, "dcbba"), "");
        assert_eq!(new_events(&mut seen, "babcbd"), "b");
    }

    #[test]
    fn an_event_is_the_same_with_an_id_and_without() {
        let event =
            |id: Option<&str>| JobEvent { id: id.map(str::to_owned), message: "same".into(), ..JobEvent::default() };
        // Numbered by the stream, then listed without ids, then with ids of their own.
        let mut seen = SeenEvents::default();
        assert!(["1", "2", "3"].iter().all(|id| seen.insert(&event(None), Some(id))));
        seen.begin_connection();
        assert!((0..3).all(|_| !seen.insert(&event(None), None)) && seen.is_replay_complete());
        assert!(seen.insert(&event(None), None));
        seen.begin_connection();
        assert!(["a", "b", "c", "d"].iter().all(|id| !seen.insert(&event(Some(id)), None)));
        assert!(seen.insert(&event(Some("e")), None) && seen.count() == 5);
        // Cut off before its id, which then comes with it.
        let mut seen = SeenEvents::default();
        assert!(seen.insert(&event(None), None));
        seen.begin_connection();
        assert!(!seen.insert(&event(None), Some("1")) && seen.insert(&event(None), Some("2")));
        seen.begin_connection();
        assert!(!seen.insert(&event(None), Some("1")) && !seen.insert(&event(None), Some("2")));
    }

    #[test]
    fn an_id_is_known_wherever_it_stands() {
        let mut seen = SeenEvents::default();
        let event = |id: &str| JobEvent { id: Some(id.into()), message: "same".into(), ..JobEvent::default() };
        assert!(seen.insert(&event("1"), None) && seen.insert(&event("2"), Some("x")));
        seen.begin_connection();
        assert!(seen.insert(&event("3"), None) && !seen.insert(&event("1"), None));
        assert!(seen.has_id("2") && !seen.has_id("x"));
        assert!(seen.insert(&JobEvent::default(), Some("x")) && !seen.insert(&JobEvent::default(), Some("x")));
    }
}
