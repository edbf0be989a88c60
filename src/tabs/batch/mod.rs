//! A long list of texts sent in requests of some texts each, a few at a time: what is done, what is under way, how fast, and
//! how long it will take. Pauses, goes on after a restart, and keeps the order.
//!
//! Pure: it is told what happened and when, and says what to send. Texts are named by their place in the list that it was
//! begun with, so that results have their row whatever order the answers come in. After a restart its owner begins it
//! again with the texts that have no kept result.

mod hold;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::Instant;

use self::hold::{Hold, Reach};
use crate::api::call::{Failure, Ticket};
use crate::text::Untrusted;

/// So many texts that have come and are not on disk yet are enough: no more are asked for until some are.
const UNKEPT: usize = 2_048;
/// A request that a server failed at so often, while it answered others, is looked at text by text, and given up.
const TRIES: u8 = 3;

/// What one run may have under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Requests at a time, at least 1.
    pub flights: usize,
    /// Texts in a request, at least 1.
    pub texts: usize,
    /// Bytes or tokens in a request, whichever the texts are weighed in. One text alone may weigh more.
    pub weight: u64,
}

/// One text of a run: each once, however many rows have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// What it weighs, in the measure of [`Limits::weight`].
    pub weight: u32,
    /// How many rows it stands for, at least 1.
    pub rows: u32,
}

/// How far a run is, in rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// In all.
    pub total: u64,
    /// Had a result before the run began.
    pub skipped: u64,
    /// Have one now, on disk, those before included.
    pub done: u64,
    /// Given up, each with a sentence in [`Batch::failures`].
    pub failed: u64,
    /// In requests under way.
    pub under_way: u64,
    /// Came, and are not on disk yet.
    pub unkept: u64,
}

impl Tally {
    /// Rows that are neither done nor given up.
    pub fn left(&self) -> u64 {
        self.total.saturating_sub(self.done + self.failed)
    }
}

/// What a run does just now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State<'a> {
    /// Sends, or waits for answers or the disk.
    Running,
    /// Somebody paused it. Requests under way come to their end.
    Paused,
    /// Something that concerns every text went wrong.
    Held {
        /// What, and what to do.
        why: &'a Untrusted,
        /// When it goes on by itself; `None`: when somebody says so.
        until: Option<Instant>,
    },
    /// Every text is done or given up.
    Finished,
}

/// A text that was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// Its place.
    pub item: u32,
    /// Why.
    pub why: Untrusted,
}

/// What became of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Waiting,
    Sent,
    Came,
    Done,
    Failed,
}

/// A request under way.
#[derive(Debug)]
struct Flight {
    ticket: Ticket,
    items: Vec<u32>,
}

/// A run.
#[derive(Debug)]
pub struct Batch {
    limits: Limits,
    items: Box<[Item]>,
    fates: Box<[Fate]>,
    /// Not sent yet, in order.
    waiting: VecDeque<u32>,
    /// Requests that are made again as they were or as halves, by their first text.
    parts: BTreeMap<u32, Vec<u32>>,
    flights: Vec<Flight>,
    failures: Vec<Failed>,
    /// Of requests that a server failed at, by their first text: how often, and how many answers there were by then.
    tries: HashMap<u32, (u8, u64)>,
    /// Good answers so far.
    answers: u64,
    /// Texts given up since the last good answer.
    streak: u32,
    /// Waits since the last good answer.
    rests: u32,
    paused: bool,
    hold: Option<Hold>,
    /// A reason of the owner's, beside the server's.
    own: Option<Hold>,
    /// Whether one request goes ahead of the others, to see whether the server answers again.
    probing: bool,
    came: usize,
    tally: Tally,
}

impl Batch {
    /// A run over these texts, in order; `skipped` rows had a result before.
    pub fn new(limits: Limits, items: impl IntoIterator<Item = Item>, skipped: u64) -> Self {
        let items: Box<[Item]> = items.into_iter().collect();
        let total = skipped + items.iter().map(|item| u64::from(item.rows)).sum::<u64>();
        Self {
            limits,
            fates: vec![Fate::Waiting; items.len()].into(),
            waiting: (0..items.len() as u32).collect(),
            items,
            parts: BTreeMap::new(),
            flights: Vec::new(),
            failures: Vec::new(),
            tries: HashMap::new(),
            answers: 0,
            streak: 0,
            rests: 0,
            paused: false,
            hold: None,
            own: None,
            probing: false,
            came: 0,
            tally: Tally { total, skipped, done: skipped, ..Tally::default() },
        }
    }

    /// Sends what may be sent now: `ask` makes a request of the texts at these places and names it.
    pub fn send(&mut self, now: Instant, mut ask: impl FnMut(&[u32]) -> Ticket) {
        while let Some(items) = self.take(now) {
            let ticket = ask(&items);
            for item in &items {
                self.turn(*item, Fate::Sent);
            }
            self.flights.push(Flight { ticket, items });
        }
    }

    /// Whether a ticket is one of this run's.
    pub fn has(&self, ticket: Ticket) -> bool {
        self.flights.iter().any(|flight| flight.ticket == ticket)
    }

    /// The places a request asked about, in its order.
    pub fn asked(&self, ticket: Ticket) -> Option<&[u32]> {
        self.flights.iter().find(|flight| flight.ticket == ticket).map(|flight| &flight.items[..])
    }

    /// A request was answered well. Its texts count as done when they are [kept](Self::kept); one the answer has nothing of is
    /// [refused](Self::refused).
    pub fn answered(&mut self, ticket: Ticket) -> Vec<u32> {
        let Some(items) = self.land(ticket) else { return Vec::new() };
        for item in &items {
            self.turn(*item, Fate::Came);
        }
        self.answers += 1;
        self.streak = 0;
        if self.hold.is_none() {
            (self.rests, self.probing) = (0, false);
        }
        items
    }

    /// These texts' results are on disk.
    pub fn kept(&mut self, items: &[u32]) {
        for item in items {
            if self.fates.get(*item as usize) == Some(&Fate::Came) {
                self.turn(*item, Fate::Done);
            }
        }
    }

    /// A text of an answer came to nothing: it is given up.
    pub fn refused(&mut self, item: u32, why: Untrusted) {
        if self.fates.get(item as usize) == Some(&Fate::Came) {
            self.give_up(item, why);
        }
    }

    /// A request came to nothing. If that is about its texts, one alone is given up, of several each half is asked about by
    /// itself; if it is about everything, all of it waits.
    pub fn failed(&mut self, ticket: Ticket, why: &Failure, now: Instant) {
        let Some(items) = self.land(ticket) else { return };
        let reach = hold::reach(why);
        if reach == Reach::Texts || (reach == Reach::Server && self.is_worn(&items)) {
            return self.part(items, why);
        }
        self.back(items);
        self.wait(reach, why, now);
    }

    /// A request is made again: it came to nothing that was its texts' fault or the server's.
    pub fn again(&mut self, ticket: Ticket) {
        if let Some(items) = self.land(ticket) {
            self.back(items);
        }
    }

    /// From now on one text a request.
    pub fn one_each(&mut self) {
        self.limits.texts = 1;
    }

    /// From now on so many texts a request again, at least 1.
    pub fn several(&mut self, texts: usize) {
        self.limits.texts = texts.max(1);
    }

    /// Nothing more is sent until [`Self::resume`]. Requests under way come to their end.
    pub fn pause(&mut self) {
        self.paused = true;
    }

    /// Goes on, also where it would have waited.
    pub fn resume(&mut self) {
        self.paused = false;
        self.own = None;
        self.probing |= self.hold.take().is_some();
        (self.streak, self.rests) = (0, 0);
    }

    /// Nothing is sent before a moment, or before [`Self::resume`], for a reason of the owner's.
    pub fn hold(&mut self, why: Untrusted, until: Option<Instant>) {
        self.own = Some(Hold { why, until });
    }

    /// The reason of the owner's is gone: goes on, unless somebody paused it or the server has asked for a wait.
    pub fn release(&mut self) {
        self.own = None;
    }

    /// Stops and pauses: these requests are to be cancelled, and their texts wait again.
    pub fn stop(&mut self) -> Vec<Ticket> {
        self.paused = true;
        let flights = std::mem::take(&mut self.flights);
        let mut tickets = Vec::with_capacity(flights.len());
        for flight in flights {
            tickets.push(flight.ticket);
            self.back(flight.items);
        }
        tickets
    }

    /// Texts that were given up wait again, at the end.
    pub fn retry(&mut self) {
        for failed in std::mem::take(&mut self.failures) {
            self.turn(failed.item, Fate::Waiting);
            self.tries.remove(&failed.item);
            self.waiting.push_back(failed.item);
        }
        self.streak = 0;
    }

    /// What was given up, as it happened.
    pub fn failures(&self) -> &[Failed] {
        &self.failures
    }

    /// How far it is.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// Requests under way.
    pub fn flights(&self) -> usize {
        self.flights.len()
    }

    /// What it does just now.
    pub fn state(&self) -> State<'_> {
        let idle = self.flights.is_empty() && self.came == 0;
        // Of two waits the one that ends last.
        let ends = |hold: &&Hold| (hold.until.is_none(), hold.until);
        match [&self.hold, &self.own].into_iter().flatten().max_by_key(ends) {
            _ if idle && self.waiting.is_empty() && self.parts.is_empty() => State::Finished,
            _ if self.paused => State::Paused,
            Some(hold) => State::Held { why: &hold.why, until: hold.until },
            None => State::Running,
        }
    }

    /// When it wants to be asked again ([`Self::send`]) without anything having happened: each second of a countdown, and
    /// its end.
    pub fn due(&self, now: Instant) -> Option<Instant> {
        match self.state() {
            State::Held { until: Some(until), .. } => Some(hold::next_second(now, until)),
            _ => None,
        }
    }

    /// The texts of the next request; `None`: none may go now.
    fn take(&mut self, now: Instant) -> Option<Vec<u32>> {
        if self.paused {
            return None;
        }
        // A wait that is over is forgotten also where nothing may be sent, or its end would be waited for again and again.
        let over = |hold: &mut Hold| hold.until.is_some_and(|until| until <= now);
        self.probing |= self.hold.take_if(over).is_some();
        self.own.take_if(over);
        if self.hold.is_some() || self.own.is_some() || self.came >= UNKEPT {
            return None;
        }
        let most = if self.probing { 1 } else { self.limits.flights.max(1) };
        if self.flights.len() >= most {
            return None;
        }
        // Whether the server answers is asked with what it has not failed at.
        if (!self.probing || self.waiting.is_empty())
            && let Some((_, mut part)) = self.parts.pop_first()
        {
            let rest = part.split_off(part.len().min(self.limits.texts.max(1)));
            if let Some(first) = rest.first() {
                self.parts.insert(*first, rest);
            }
            return Some(part);
        }
        let mut items = vec![self.waiting.pop_front()?];
        let mut weight = self.weight(items[0]);
        while items.len() < self.limits.texts
            && let Some(next) = self.waiting.front().copied()
            && weight + self.weight(next) <= self.limits.weight
        {
            weight += self.weight(next);
            items.push(next);
            self.waiting.pop_front();
        }
        Some(items)
    }

    fn weight(&self, item: u32) -> u64 {
        u64::from(self.items[item as usize].weight)
    }

    /// Takes a request out of those under way.
    fn land(&mut self, ticket: Ticket) -> Option<Vec<u32>> {
        let at = self.flights.iter().position(|flight| flight.ticket == ticket)?;
        Some(self.flights.swap_remove(at).items)
    }

    /// A request's texts wait again, together.
    fn back(&mut self, items: Vec<u32>) {
        for item in &items {
            self.turn(*item, Fate::Waiting);
        }
        if let Some(first) = items.first() {
            self.parts.insert(*first, items);
        }
    }

    /// Looks for the texts that a failure is about.
    fn part(&mut self, mut items: Vec<u32>, why: &Failure) {
        if items.len() > 1 {
            let half = items.split_off(items.len().div_ceil(2));
            self.back(items);
            return self.back(half);
        }
        for item in items {
            self.give_up(item, why.sentence.clone());
        }
        self.streak += 1;
        if self.streak >= hold::STREAK {
            self.hold = Some(Hold { why: hold::streak(why), until: None });
        }
    }

    fn give_up(&mut self, item: u32, why: Untrusted) {
        self.turn(item, Fate::Failed);
        self.failures.push(Failed { item, why });
    }

    /// Whether the server failed at this request often enough, answering others meanwhile.
    fn is_worn(&mut self, items: &[u32]) -> bool {
        let Some(first) = items.first() else { return false };
        let (tries, answers) = self.tries.entry(*first).or_insert((0, self.answers));
        if *tries == 0 || *answers < self.answers {
            *tries += 1;
        }
        *answers = self.answers;
        *tries >= TRIES
    }

    /// Something concerns everything: waits for the user or for a while.
    fn wait(&mut self, reach: Reach, why: &Failure, now: Instant) {
        let forever = self.hold.as_ref().is_some_and(|hold| hold.until.is_none());
        if forever {
            return;
        }
        // What fails together counts as one failure.
        if self.hold.is_none() {
            self.rests += 1;
        }
        let tired = reach == Reach::Server && self.rests > hold::RESTS;
        let until = (reach != Reach::User && !tired).then(|| now + hold::rest(self.rests, why.retry_after));
        let before = self.hold.as_ref().and_then(|hold| hold.until);
        let until = until.map(|until| before.map_or(until, |before| before.max(until)));
        self.hold = Some(Hold { why: why.sentence.clone(), until });
    }

    /// A text's fate changes, and with it the sums.
    fn turn(&mut self, item: u32, fate: Fate) {
        let rows = u64::from(self.items[item as usize].rows);
        let before = std::mem::replace(&mut self.fates[item as usize], fate);
        if let Some(sum) = self.sum(before) {
            *sum -= rows;
        }
        if let Some(sum) = self.sum(fate) {
            *sum += rows;
        }
        self.came = self.came + usize::from(fate == Fate::Came) - usize::from(before == Fate::Came);
    }

    fn sum(&mut self, fate: Fate) -> Option<&mut u64> {
        let tally = &mut self.tally;
        match fate {
            Fate::Waiting => None,
            Fate::Sent => Some(&mut tally.under_way),
            Fate::Came => Some(&mut tally.unkept),
            Fate::Done => Some(&mut tally.done),
            Fate::Failed => Some(&mut tally.failed),
        }
    }
}
