//! The rate at which a count grows.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The time over which the rate is averaged.
const WINDOW: Duration = Duration::from_secs(5);
/// Time that must be known before there is a rate.
const ENOUGH: Duration = Duration::from_secs(3);
/// Counts closer in time than this are merged.
const APART: Duration = Duration::from_millis(100);

/// The average of the last 5 seconds.
#[derive(Clone, Debug, Default)]
pub struct Rate {
    /// Times and counts, oldest first, at most some 50: one is older than the window.
    counts: VecDeque<(Instant, u64)>,
    /// Time of the first count since the last start.
    began: Option<Instant>,
}

impl Rate {
    /// Adds the count at a moment. A count, or a moment, that goes back starts again.
    pub fn feed(&mut self, at: Instant, count: u64) {
        if self.counts.back().is_some_and(|(last, before)| at < *last || count < *before) {
            self.clear();
        }
        self.began.get_or_insert(at);
        // The last count is replaced while it is close to the one before it; the first stays, as the count starts from
        // it.
        let near = |at: Instant, to: usize| self.counts.get(to).is_some_and(|(before, _)| at - *before < APART);
        if self.counts.len() > 1 && near(at, self.counts.len() - 2) {
            self.counts.pop_back();
        }
        self.counts.push_back((at, count));
        // One older than the window stays: the window begins between it and the next.
        while self.counts.get(1).is_some_and(|(next, _)| at - *next >= WINDOW) {
            self.counts.pop_front();
        }
    }

    /// Forgets everything: after a pause.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns the rate per second at a moment; `None`: there are not yet 3 seconds of counts.
    pub fn per_second(&self, now: Instant) -> Option<f64> {
        if now.saturating_duration_since(self.began?) < ENOUGH {
            return None;
        }
        let (_, last) = *self.counts.back()?;
        // The count when the window began, or the last one before.
        let from = now.checked_sub(WINDOW);
        let before = |at: Instant| from.is_some_and(|from| at <= from);
        let (at, first) = *self.counts.iter().rev().find(|(at, _)| before(*at)).or(self.counts.front())?;
        let time = now.saturating_duration_since(at).as_secs_f64();
        (time > 0.0).then(|| (last - first) as f64 / time)
    }

    /// Returns how long `remaining` more would take; `None`: not known yet, or nothing moves.
    pub fn left(&self, now: Instant, remaining: u64) -> Option<Duration> {
        let rate = self.per_second(now)?;
        Duration::try_from_secs_f64(remaining as f64 / rate).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds a count that grows by so many each 10 ms, for some seconds from a moment on.
    fn run(rate: &mut Rate, from: Instant, seconds: u64, start: u64, step: u64) -> (Instant, u64) {
        let (mut at, mut count) = (from, start);
        for _ in 0..seconds * 100 {
            rate.feed(at, count);
            at += Duration::from_millis(10);
            count += step;
        }
        rate.feed(at, count);
        (at, count)
    }

    #[test]
    fn it_is_the_average_of_five_seconds_and_known_after_three() {
        let began = Instant::now();
        let mut rate = Rate::default();
        assert_eq!(rate.per_second(began), None);
        let (at, count) = run(&mut rate, began, 2, 0, 1);
        assert_eq!((rate.per_second(at), rate.left(at, 100)), (None, None));
        let (at, count) = run(&mut rate, at, 2, count, 1);
        assert_eq!((rate.per_second(at), rate.left(at, 200)), (Some(100.0), Some(Duration::from_secs(2))));
        let (at, _) = run(&mut rate, at, 6, count, 3);
        let now = rate.per_second(at).unwrap();
        assert!((now - 300.0).abs() < 6.0, "{now}: what was before the window counts no more");
        assert!(rate.counts.len() < 60, "{} counts are kept", rate.counts.len());
    }

    #[test]
    fn where_nothing_moves_nothing_is_promised() {
        let began = Instant::now();
        let mut rate = Rate::default();
        let (at, _) = run(&mut rate, began, 5, 0, 1);
        let later = rate.per_second(at + Duration::from_secs(2)).unwrap();
        assert!((later - 60.0).abs() < 5.0, "{later}: falls while nothing comes");
        assert_eq!(rate.per_second(at + Duration::from_secs(6)), Some(0.0));
        assert_eq!(rate.left(at + Duration::from_secs(6), 10), None);
    }

    #[test]
    fn counts_that_come_seldom_are_spread_over_their_time() {
        let began = Instant::now();
        let mut rate = Rate::default();
        for batch in 0..5 {
            rate.feed(began + Duration::from_secs(20 * batch), 2_000 * batch);
        }
        assert_eq!(rate.per_second(began + Duration::from_secs(80)), Some(100.0));
    }

    #[test]
    fn it_begins_anew_after_a_pause_and_when_the_count_goes_back() {
        let began = Instant::now();
        let mut rate = Rate::default();
        let (at, _) = run(&mut rate, began, 4, 0, 1);
        assert!(rate.per_second(at).is_some());
        rate.feed(at, 3);
        assert_eq!(rate.per_second(at), None);
        let (at, _) = run(&mut rate, at, 4, 3, 1);
        rate.clear();
        assert_eq!(rate.per_second(at), None);
        rate.feed(at, 5);
        rate.feed(began, 9);
        assert_eq!(rate.counts.len(), 1, "a moment that goes back");
    }
}
