//! A run against a server and a disk that do as they like.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::requests::EndedRequest;
use super::schedule::{Batch, UNSAVED};
use super::*;
use crate::api::call::{Failure, FailureKind, Ticket};

const LIMITS: BatchLimits = BatchLimits { requests: 8, items: 1, weight: u64::MAX };

fn items(count: usize) -> Vec<BatchItem> {
    vec![BatchItem { weight: 1, rows: 1 }; count]
}

/// A run and who answers it.
struct Desk {
    batch: Batch,
    now: Instant,
    next: u64,
    sent: Vec<(Ticket, Vec<u32>)>,
}

impl Desk {
    fn new(limits: BatchLimits, items: Vec<BatchItem>) -> Self {
        Self { batch: Batch::new(limits, items, 0), now: Instant::now(), next: 0, sent: Vec::new() }
    }

    fn send(&mut self) {
        let (next, sent) = (&mut self.next, &mut self.sent);
        self.batch.send(self.now, |items| {
            *next += 1;
            sent.push((Ticket(*next), items.to_vec()));
            Ticket(*next)
        });
    }

    /// Ends a request that was sent, with this outcome.
    fn end<Outcome>(&mut self, at: usize, outcome: Outcome) -> EndedRequest<Outcome> {
        let (ticket, _) = self.sent.remove(at);
        self.batch.requests.end(ticket, outcome, self.now).expect("it is under way")
    }

    /// Ends a request with an answer, and returns the items it asked about.
    fn accept(&mut self, at: usize) -> Vec<AcceptedItem> {
        let request = self.end(at, ());
        self.batch.accept(request)
    }

    fn fail(&mut self, at: usize, kind: FailureKind) {
        let request = self.end(at, Failure::new(kind, "it failed; try again"));
        self.batch.fail(request);
    }

    fn answer(&mut self, at: usize) {
        let came: Vec<u32> = self.accept(at).iter().map(AcceptedItem::place).collect();
        self.batch.note_saved(&came);
    }

    fn wait(&mut self) {
        let BatchState::Held { until: Some(until), .. } = self.batch.state() else { panic!("nothing to wait for") };
        self.now = until;
    }
}

#[test]
fn order_and_sizes_are_kept() {
    let weights = [3, 3, 3, 20, 1, 1];
    let items = weights.map(|weight| BatchItem { weight, rows: 2 });
    let mut desk = Desk::new(BatchLimits { requests: 2, items: 3, weight: 8 }, items.to_vec());
    desk.send();
    assert_eq!(desk.sent.iter().map(|(_, items)| &items[..]).collect::<Vec<_>>(), [&[0, 1][..], &[2]]);
    assert_eq!(desk.batch.tally(), BatchTally { total: 12, under_way: 6, ..BatchTally::default() });
    desk.answer(1);
    desk.send();
    assert_eq!(desk.sent[1].1, [3], "one that is over the limit by itself goes alone");
    desk.answer(0);
    desk.send();
    assert_eq!(desk.sent[1].1, [4, 5]);
    assert_eq!(desk.batch.tally().done, 6);
}

#[test]
fn a_bad_text_is_found_in_its_request() {
    let mut desk = Desk::new(BatchLimits { requests: 4, items: 8, weight: 100 }, items(8));
    desk.send();
    let mut requests = 0;
    while !desk.sent.is_empty() {
        requests += 1;
        if desk.sent[0].1.contains(&5) {
            desk.fail(0, FailureKind::Refused);
        } else {
            desk.answer(0);
        }
        desk.send();
    }
    assert_eq!(desk.batch.failures(), [FailedItem { item: 5, why: "it failed; try again".into() }]);
    assert_eq!((desk.batch.state(), desk.batch.tally().done, requests), (BatchState::Finished, 7, 7));
    desk.batch.retry_failed();
    assert_eq!(desk.batch.tally().failed, 0);
    desk.send();
    desk.answer(0);
    assert_eq!((desk.batch.state(), desk.batch.tally().done), (BatchState::Finished, 8));
}

#[test]
fn a_run_without_an_end_forgets_what_is_settled() {
    let mut desk = Desk::new(BatchLimits { requests: 2, items: 1, weight: 100 }, Vec::new());
    let mut given_up = Vec::new();
    for pair in 0..1_000 {
        for item in items(2) {
            desk.batch.push(item);
        }
        desk.send();
        assert_eq!(desk.sent.iter().map(|(_, items)| items[0]).collect::<Vec<_>>(), [pair * 2, pair * 2 + 1]);
        desk.answer(0);
        // The first one is settled; the other is under way.
        desk.batch.forget_before(pair * 2 + 1);
        assert_eq!(desk.batch.kept(), 1);
        assert!(desk.batch.is_left(pair * 2 + 1) && !desk.batch.is_left(pair * 2));
        desk.fail(0, FailureKind::Refused);
        given_up.extend(desk.batch.take_failures().into_iter().map(|failed| failed.item));
        desk.batch.forget_before(pair * 2 + 2);
    }
    assert_eq!(given_up, (0..1_000).map(|pair| pair * 2 + 1).collect::<Vec<_>>());
    assert_eq!(desk.batch.kept(), 0);
    let tally = desk.batch.tally();
    assert_eq!((tally.total, tally.done, tally.failed), (2_000, 1_000, 1_000));
}

#[test]
fn what_concerns_everything_waits_once_for_all_requests() {
    let mut desk = Desk::new(LIMITS, items(20));
    desk.send();
    assert_eq!(desk.sent.len(), 8);
    let begin = desk.now;
    while !desk.sent.is_empty() {
        desk.fail(0, FailureKind::RateLimit);
    }
    let BatchState::Held { until: Some(until), .. } = desk.batch.state() else { panic!("not held") };
    assert_eq!((until - begin).as_secs(), 5, "eight failures are one");
    desk.send();
    assert!(desk.sent.is_empty());
    desk.wait();
    desk.send();
    assert_eq!(desk.sent.len(), 1, "one goes ahead");
    desk.answer(0);
    desk.send();
    assert_eq!(desk.sent.len(), 8);
    assert_eq!(desk.batch.failures(), []);
}

#[test]
fn a_key_that_is_refused_waits_for_somebody() {
    let mut desk = Desk::new(LIMITS, items(3));
    desk.send();
    desk.fail(0, FailureKind::Auth);
    desk.fail(0, FailureKind::Offline);
    assert!(matches!(desk.batch.state(), BatchState::Held { until: None, .. }));
    desk.now += Duration::from_hours(1);
    desk.send();
    assert_eq!(desk.sent.len(), 1);
    desk.batch.resume();
    desk.answer(0);
    desk.send();
    assert_eq!(desk.sent.len(), 2);
}

#[test]
fn a_server_that_has_never_answered_is_not_waited_for_without_end() {
    let mut desk = Desk::new(LIMITS, items(1));
    for _ in 0..4 {
        desk.send();
        desk.fail(0, FailureKind::Offline);
        desk.wait();
    }
    desk.send();
    desk.fail(0, FailureKind::Offline);
    assert!(matches!(desk.batch.state(), BatchState::Held { until: None, .. }));
    desk.batch.resume();
    desk.send();
    assert_eq!(desk.sent.len(), 1, "the user may send it again");

    let mut answered = Desk::new(BatchLimits { requests: 1, ..LIMITS }, items(2));
    answered.send();
    answered.answer(0);
    for _ in 0..9 {
        answered.send();
        answered.fail(0, FailureKind::Offline);
        answered.wait();
    }
}

#[test]
fn a_text_the_server_fails_at_is_given_up_and_one_that_is_down_is_not() {
    let mut desk = Desk::new(LIMITS, items(30));
    desk.send();
    for _ in 0..1_000 {
        if desk.batch.state() == BatchState::Finished {
            break;
        }
        if desk.sent.is_empty() {
            desk.wait();
        } else if desk.sent[0].1 == [4] {
            desk.fail(0, FailureKind::Server);
        } else {
            desk.answer(0);
        }
        desk.send();
    }
    assert_eq!((desk.batch.tally().done, desk.batch.tally().failed), (29, 1));
    // Down from the first request on.
    let mut desk = Desk::new(LIMITS, items(30));
    for _ in 0..100 {
        desk.send();
        if desk.sent.is_empty() {
            match desk.batch.state() {
                BatchState::Held { until: None, .. } => break,
                _ => desk.wait(),
            }
        } else {
            desk.fail(0, FailureKind::Server);
        }
    }
    assert!(matches!(desk.batch.state(), BatchState::Held { until: None, .. }), "somebody is to look");
    assert_eq!(desk.batch.tally(), BatchTally { total: 30, ..BatchTally::default() });
}

#[test]
fn where_nobody_watches_the_text_that_the_server_fails_at_is_found_without_a_wait() {
    let mut desk = Desk::new(BatchLimits { requests: 8, items: 16, weight: 100 }, items(40));
    desk.batch.split_before_waiting();
    desk.send();
    let mut requests = 0;
    while desk.batch.state() == BatchState::Running {
        requests += 1;
        // Other requests are answered while the one that fails is tried again.
        match desk.sent.iter().position(|(_, items)| !items.contains(&20)) {
            Some(at) => desk.answer(at),
            None => desk.fail(0, FailureKind::Server),
        }
        desk.send();
    }
    assert_eq!(desk.batch.failures(), [FailedItem { item: 20, why: "it failed; try again".into() }]);
    assert_eq!((desk.batch.state(), desk.batch.tally().done, requests), (BatchState::Finished, 39, 11));
}

#[test]
fn where_nobody_watches_a_server_that_is_down_is_sent_few_requests() {
    for answers in [0, 1] {
        let mut desk = Desk::new(BatchLimits { requests: 8, items: 16, weight: 100 }, items(1_000));
        desk.batch.split_before_waiting();
        desk.send();
        for _ in 0..answers {
            desk.answer(0);
            desk.send();
        }
        let mut requests = 0;
        for _ in 0..4 {
            while !desk.sent.is_empty() {
                requests += 1;
                desk.fail(0, FailureKind::Server);
                desk.send();
            }
            desk.wait();
            desk.send();
        }
        assert_eq!((desk.batch.failures().len(), requests), (0, 8 + 8 + 3), "each is split once, then one goes ahead");
    }
}

#[test]
fn a_model_nobody_knows_does_not_use_up_the_file() {
    let mut desk = Desk::new(LIMITS, items(1_000));
    while desk.batch.state() == BatchState::Running {
        desk.send();
        desk.fail(0, FailureKind::Refused);
    }
    while !desk.sent.is_empty() {
        desk.fail(0, FailureKind::Refused);
    }
    assert!(desk.batch.tally().failed < 30);
    let BatchState::Held { why, until: None } = desk.batch.state() else { panic!("not held") };
    assert!(why.contains("20 texts in a row failed"));
}

#[test]
fn a_slow_disk_holds_the_requests_back() {
    let mut desk = Desk::new(BatchLimits { items: 512, ..LIMITS }, items(10_000));
    let mut came = Vec::new();
    loop {
        desk.send();
        let Some(last) = desk.sent.len().checked_sub(1) else { break };
        came.extend(desk.accept(last).iter().map(AcceptedItem::place));
    }
    assert!(came.len() >= UNSAVED && came.len() <= UNSAVED + 8 * 512, "{}", came.len());
    assert_eq!(desk.batch.state(), BatchState::Running);
    desk.batch.note_saved(&came);
    desk.send();
    assert_eq!(desk.sent.len(), 8);
}

#[test]
fn a_wait_for_the_disk_neither_shortens_nor_ends_one_for_the_server() {
    for kind in [FailureKind::Auth, FailureKind::RateLimit] {
        let mut desk = Desk::new(LIMITS, items(50));
        desk.send();
        desk.fail(0, kind);
        desk.sent.clear();
        let until = |desk: &Desk| match desk.batch.state() {
            BatchState::Held { until, .. } => until,
            other => panic!("{other:?}"),
        };
        let before = until(&desk);
        desk.batch.hold("the disk is full".into(), Some(desk.now + Duration::from_secs(1)));
        assert_eq!(until(&desk), before);
        desk.now += Duration::from_secs(2);
        desk.send();
        desk.batch.set_storage_refusal(Some("the disk is full".into()));
        desk.batch.set_storage_refusal(None);
        desk.send();
        assert_eq!((desk.sent.len(), until(&desk)), (0, before));
    }
}

#[test]
fn a_disk_that_saves_again_ends_no_wait_for_the_user() {
    let mut desk = Desk::new(LIMITS, items(50));
    desk.batch.hold("the server gives vectors of another length".into(), None);
    desk.batch.set_storage_refusal(Some("the disk is full".into()));
    desk.batch.set_storage_refusal(None);
    desk.send();
    assert!(desk.sent.is_empty(), "what the server refused is not sent again");
    assert!(matches!(desk.batch.state(), BatchState::Held { why, .. } if why.line().contains("another length")));
    desk.batch.resume();
    desk.send();
    assert!(!desk.sent.is_empty());
}

#[test]
fn a_wait_that_is_over_is_not_due_again_while_the_disk_is_behind() {
    let mut desk = Desk::new(BatchLimits { items: 512, ..LIMITS }, items(10_000));
    loop {
        desk.send();
        let Some(last) = desk.sent.len().checked_sub(1) else { break };
        desk.accept(last);
    }
    desk.batch.hold("the disk is full".into(), Some(desk.now + Duration::from_secs(5)));
    desk.now += Duration::from_secs(5);
    desk.send();
    assert_eq!((desk.sent.len(), desk.batch.due(desk.now)), (0, None));
}

#[test]
fn a_server_that_takes_no_lists_is_asked_for_one_text_each() {
    let mut desk = Desk::new(BatchLimits { requests: 2, items: 4, weight: 100 }, items(9));
    desk.send();
    desk.batch.set_request_size(1);
    while !desk.sent.is_empty() {
        let request = desk.end(0, ());
        desk.batch.resend(request);
    }
    for row in 0..9 {
        desk.send();
        assert_eq!(desk.sent[0].1, [row]);
        desk.answer(0);
    }
    assert_eq!(desk.batch.state(), BatchState::Finished);
}

#[test]
fn items_sent_again_one_by_one_stay_single_whatever_the_size_is() {
    let mut desk = Desk::new(BatchLimits { requests: 2, items: 4, weight: 100 }, items(12));
    desk.send();
    let request = desk.end(0, ());
    desk.batch.resend_each(request);
    let mut sizes = Vec::new();
    loop {
        desk.send();
        let Some((_, items)) = desk.sent.first() else { break };
        sizes.push(items.len());
        desk.answer(0);
    }
    assert_eq!((sizes, desk.batch.tally().done), (vec![4, 1, 1, 1, 1, 4], 12));
}

#[test]
fn what_is_given_up_at_once_holds_nothing_and_is_no_good_answer() {
    let mut desk = Desk::new(LIMITS, items(50));
    desk.send();
    desk.fail(0, FailureKind::RateLimit);
    while !desk.sent.is_empty() {
        desk.answer(0);
    }
    desk.wait();
    desk.send();
    let asked = desk.sent[0].1.clone();
    let request = desk.end(0, Failure::new(FailureKind::Bug, "no"));
    assert_eq!(desk.batch.give_up(request), asked);
    desk.send();
    assert_eq!(desk.sent.len(), 1, "still one goes ahead");
    desk.answer(0);
    for _ in 0..30 {
        desk.send();
        let request = desk.end(0, Failure::new(FailureKind::Bug, "no"));
        desk.batch.give_up(request);
    }
    assert_eq!((desk.batch.state(), desk.batch.tally().failed), (BatchState::Running, 31));
}

#[derive(Clone, Debug)]
enum Event {
    Answer(usize),
    Fail(usize, FailureKind),
    Keep(usize),
    Refuse(usize),
    Again(usize),
    Pause,
    Resume,
    Stop,
    Wait(u64),
    Restart,
}

fn event() -> impl Strategy<Value = Event> {
    let kinds = proptest::sample::select(vec![
        FailureKind::Offline,
        FailureKind::Timeout,
        FailureKind::Auth,
        FailureKind::Unsupported,
        FailureKind::RateLimit,
        FailureKind::Quota,
        FailureKind::TooLong,
        FailureKind::Refused,
        FailureKind::Server,
        FailureKind::CutOff,
        FailureKind::Malformed,
        FailureKind::Bug,
    ]);
    prop_oneof![
        8 => (0..8_usize).prop_map(Event::Answer),
        4 => (0..8_usize, kinds).prop_map(|(at, kind)| Event::Fail(at, kind)),
        6 => (0..40_usize).prop_map(Event::Keep),
        1 => (0..40_usize).prop_map(Event::Refuse),
        1 => (0..8_usize).prop_map(Event::Again),
        1 => Just(Event::Pause),
        2 => Just(Event::Resume),
        1 => Just(Event::Stop),
        3 => (0..400_u64).prop_map(Event::Wait),
        1 => Just(Event::Restart),
    ]
}

/// What the world knows: of each text whether it is on disk, given up, or how it may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Free,
    Sent,
    Came,
    Kept,
    GivenUp,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Any order of answers, failures, pauses and restarts: each text is done or given up exactly once, no more
    /// requests are under way than may be, and nothing is sent again unless it failed, was stopped or the program began
    /// again.
    #[test]
    fn every_text_is_done_or_given_up_once(
        count in 1..60_usize,
        flights in 1..9_usize,
        texts in 1..7_usize,
        events in proptest::collection::vec(event(), 0..300),
    ) {
        let limits = BatchLimits { requests: flights, items: texts, weight: 5 };
        let mut world = vec![Known::Free; count];
        // The texts of the run that is on, by their places in it.
        let mut rows: Vec<usize> = (0..count).collect();
        let mut desk = Desk::new(limits, items(count));
        let mut came: Vec<AcceptedItem> = Vec::new();
        // At the end everything goes well.
        let end = (0..4 * count + 40).flat_map(|_| [Event::Wait(400), Event::Resume, Event::Answer(0), Event::Keep(0)]);
        for event in events.into_iter().chain(end) {
            match event {
                Event::Answer(at) if !desk.sent.is_empty() => {
                    let at = at % desk.sent.len();
                    let (ticket, asked) = desk.sent[at].clone();
                    let sent = desk.batch.requests.all().iter().find(|request| request.ticket == ticket);
                    prop_assert_eq!(sent.map(|request| &request.items), Some(&asked));
                    let items = desk.accept(at);
                    prop_assert_eq!(items.iter().map(AcceptedItem::place).collect::<Vec<_>>(), &asked[..]);
                    for item in asked {
                        world[rows[item as usize]] = Known::Came;
                    }
                    came.extend(items);
                }
                Event::Fail(at, kind) if !desk.sent.is_empty() => {
                    let at = at % desk.sent.len();
                    let asked = desk.sent[at].1.clone();
                    desk.fail(at, kind);
                    let failed: Vec<u32> = desk.batch.failures().iter().map(|failed| failed.item).collect();
                    for item in asked {
                        let given = failed.contains(&item);
                        world[rows[item as usize]] = if given { Known::GivenUp } else { Known::Free };
                    }
                }
                Event::Keep(at) if !came.is_empty() => {
                    let item = came.swap_remove(at % came.len());
                    desk.batch.note_saved(&[item.place()]);
                    world[rows[item.place() as usize]] = Known::Kept;
                }
                Event::Refuse(at) if !came.is_empty() => {
                    let item = came.swap_remove(at % came.len());
                    world[rows[item.place() as usize]] = Known::GivenUp;
                    desk.batch.refuse(item, "nothing".into());
                }
                Event::Again(at) if !desk.sent.is_empty() => {
                    let at = at % desk.sent.len();
                    let request = desk.end(at, ());
                    let asked = request.items().to_vec();
                    desk.batch.resend(request);
                    for item in asked {
                        world[rows[item as usize]] = Known::Free;
                    }
                }
                Event::Pause => desk.batch.pause(),
                Event::Resume => desk.batch.resume(),
                Event::Stop => {
                    let mut tickets = desk.batch.stop();
                    let mut known: Vec<Ticket> = desk.sent.iter().map(|(ticket, _)| *ticket).collect();
                    tickets.sort();
                    known.sort();
                    prop_assert_eq!(tickets, known);
                    for (_, asked) in std::mem::take(&mut desk.sent) {
                        for item in asked {
                            world[rows[item as usize]] = Known::Free;
                        }
                    }
                }
                Event::Wait(secs) => desk.now += Duration::from_secs(secs),
                Event::Restart => {
                    // Only what is on disk is known then.
                    for known in &mut world {
                        if *known != Known::Kept {
                            *known = Known::Free;
                        }
                    }
                    rows = (0..count).filter(|row| world[*row] == Known::Free).collect();
                    let skipped = (count - rows.len()) as u64;
                    desk.batch = Batch::new(limits, items(rows.len()), skipped);
                    desk.sent.clear();
                    came.clear();
                }
                _ => {}
            }
            let before = desk.sent.len();
            desk.send();
            for (_, asked) in &desk.sent[before..] {
                prop_assert!(!asked.is_empty() && asked.len() <= texts.min(5));
                for item in asked {
                    let known = &mut world[rows[*item as usize]];
                    prop_assert_eq!(*known, Known::Free, "sent again");
                    *known = Known::Sent;
                }
            }
            prop_assert!(desk.sent.len() <= flights);
            let tally = desk.batch.tally();
            let count_of = |known| world.iter().filter(|other| **other == known).count() as u64;
            prop_assert_eq!(tally.total, count as u64);
            prop_assert_eq!(tally.done, count_of(Known::Kept));
            prop_assert_eq!(tally.failed, count_of(Known::GivenUp));
            prop_assert_eq!(tally.under_way, count_of(Known::Sent));
            prop_assert_eq!(tally.unsaved, count_of(Known::Came));
        }
        prop_assert_eq!(desk.batch.state(), BatchState::Finished);
        let tally = desk.batch.tally();
        prop_assert_eq!(tally.done + tally.failed, count as u64);
        let mut failed: Vec<u32> = desk.batch.failures().iter().map(|failed| failed.item).collect();
        failed.sort_unstable();
        failed.dedup();
        prop_assert_eq!(failed.len(), desk.batch.failures().len(), "given up once");
    }
}
