//! Which events of a job were reported: a hash of each, never a text.
//!
//! A server replays a job's history from the start. The n-th event of the replay is the n-th of the history, and is new
//! if fewer were reported: so two events with the same text are two events.
//!
//! A replay that differs from the reported events comes from a server that lost a part of its history, or that sends it
//! in another order. From the first difference on, an event counts as replayed if as many equal ones were reported as
//! have come again, and as new if not. That loses no event that differs from all reported ones, and repeats none: the
//! only possible error is an event equal to, and of the same second as, one that the server has lost. Nothing marks the
//! end of a replay, and a pause does not either: so no event counts as new because it is late.
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
    /// Events of `order` that were replayed in their places.
    at: usize,
    /// Since the first difference: number of each that are still to be replayed.
    odd: Option<HashMap<u64, u32>>,
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
    pub(super) fn begin(&mut self) {
        (self.at, self.odd, self.replayed) = (0, None, 0);
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
    pub(super) fn is_through(&self) -> bool {
        self.replayed >= self.count()
    }

    /// Returns whether an event with this id was reported.
    pub(super) fn knows(&self, id: &str) -> bool {
        self.ids.contains(&self.hasher.hash_one(id))
    }

    /// Returns whether an event is new, and counts it as reported then. `id`: the stream's own, for an event without
    /// one.
    pub(super) fn is_new(&mut self, event: &JobEvent, id: Option<&str>) -> bool {
        let hash = self.hasher.hash_one((event.created_at, &event.level, &event.message));
        let new = match event.id.as_deref().or(id) {
            Some(known) => self.is_unknown(known, hash, event.id.is_some()),
            None => !self.is_replay(hash),
        };
        if !new {
            self.replayed += 1;
            return false;
        }
        // With an id it can be new before the replay is complete, where the server continues after the last id.
        let through = self.odd.is_none() && self.at == self.order.len();
        self.order.push(hash);
        if through {
            self.at = self.order.len();
        }
        if event.id.is_none() {
            let unnamed = self.unnamed.entry(hash).or_default();
            unnamed.own += 1;
            unnamed.any += u32::from(id.is_none());
        }
        true
    }

    /// Returns whether an event with this id, its own or the stream's, is new.
    fn is_unknown(&mut self, id: &str, hash: u64, own: bool) -> bool {
        if self.ids.insert(self.hasher.hash_one(id)) {
            // Reported without this id, which it has from now on.
            let Some(unnamed) = self.unnamed.get_mut(&hash) else { return true };
            let left = if own { unnamed.own } else { unnamed.any };
            if left == 0 {
                return true;
            }
            unnamed.own -= u32::from(own);
            unnamed.any = unnamed.any.saturating_sub(1);
        }
        // It also counts as replayed among those without ids.
        match &mut self.odd {
            None if self.order.get(self.at) == Some(&hash) => self.at += 1,
            None => {}
            Some(left) => {
                if let Some(left) = left.get_mut(&hash) {
                    *left = left.saturating_sub(1);
                }
            }
        }
        false
    }

    fn is_replay(&mut self, hash: u64) -> bool {
        if self.odd.is_none() {
            match self.order.get(self.at) {
                None => return false,
                Some(told) if *told == hash => {
                    self.at += 1;
                    return true;
                }
                Some(_) => {
                    let mut left = HashMap::new();
                    for told in &self.order[self.at..] {
                        *left.entry(*told).or_insert(0) += 1;
                    }
                    self.odd = Some(left);
                }
            }
        }
        match self.odd.as_mut().and_then(|left| left.get_mut(&hash)) {
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
    fn tell(told: &mut SeenEvents, sent: &str) -> String {
        told.begin();
        more(told, sent)
    }

    fn more(told: &mut SeenEvents, sent: &str) -> String {
        at(told, 7, sent)
    }

    fn at(told: &mut SeenEvents, created_at: i64, sent: &str) -> String {
        let event = |letter: &char| JobEvent { message: letter.to_string(), created_at, ..JobEvent::default() };
        sent.chars().filter(|letter| told.is_new(&event(letter), None)).collect()
    }

    #[test]
    fn the_same_text_can_honestly_occur_twice() {
        let mut told = SeenEvents::default();
        assert_eq!(tell(&mut told, "abb"), "abb");
        assert_eq!(tell(&mut told, "abbbc"), "bc");
        assert_eq!((told.replayed(), told.count()), (3, 5));
        assert_eq!(tell(&mut told, "abbbc"), "");
        assert!(told.is_through());
        assert_eq!(more(&mut told, "cc"), "cc");
        assert_eq!(tell(&mut told, "abb"), "");
        assert!(!told.is_through());
        assert_eq!(tell(&mut told, "abbbcccd"), "d");
    }

    #[test]
    fn a_server_that_lost_its_history_repeats_nothing_and_loses_nothing_new() {
        let mut told = SeenEvents::default();
        tell(&mut told, "abcd");
        // The server lost the end; what comes is of another second.
        assert_eq!(tell(&mut told, "ab"), "");
        assert_eq!(at(&mut told, 8, "cx"), "cx");
        assert_eq!(tell(&mut told, "ab"), "");
        assert_eq!(at(&mut told, 8, "cx"), "");
        assert_eq!(more(&mut told, "xy"), "xy");
        // The server lost something in the middle, or everything.
        assert_eq!(tell(&mut told, "axyz"), "z");
        assert_eq!(tell(&mut told, "q"), "q");
    }

    #[test]
    fn another_order_is_no_other_history() {
        let mut told = SeenEvents::default();
        tell(&mut told, "abbc");
        assert_eq!(tell(&mut told, "dcbba"), "d");
        assert_eq!(tell(&mut told, "dcbba"), "");
        assert_eq!(tell(&mut told, "babcbd"), "b");
    }

    #[test]
    fn an_event_is_the_same_with_an_id_and_without() {
        let event =
            |id: Option<&str>| JobEvent { id: id.map(str::to_owned), message: "same".into(), ..JobEvent::default() };
        // Numbered by the stream, then listed without ids, then with ids of their own.
        let mut told = SeenEvents::default();
        assert!(["1", "2", "3"].iter().all(|id| told.is_new(&event(None), Some(id))));
        told.begin();
        assert!((0..3).all(|_| !told.is_new(&event(None), None)) && told.is_through());
        assert!(told.is_new(&event(None), None));
        told.begin();
        assert!(["a", "b", "c", "d"].iter().all(|id| !told.is_new(&event(Some(id)), None)));
        assert!(told.is_new(&event(Some("e")), None) && told.count() == 5);
        // Cut off before its id, which then comes with it.
        let mut told = SeenEvents::default();
        assert!(told.is_new(&event(None), None));
        told.begin();
        assert!(!told.is_new(&event(None), Some("1")) && told.is_new(&event(None), Some("2")));
        told.begin();
        assert!(!told.is_new(&event(None), Some("1")) && !told.is_new(&event(None), Some("2")));
    }

    #[test]
    fn an_id_is_known_wherever_it_stands() {
        let mut told = SeenEvents::default();
        let event = |id: &str| JobEvent { id: Some(id.into()), message: "same".into(), ..JobEvent::default() };
        assert!(told.is_new(&event("1"), None) && told.is_new(&event("2"), Some("x")));
        told.begin();
        assert!(told.is_new(&event("3"), None) && !told.is_new(&event("1"), None));
        assert!(told.knows("2") && !told.knows("x"));
        assert!(told.is_new(&JobEvent::default(), Some("x")) && !told.is_new(&JobEvent::default(), Some("x")));
    }
}
