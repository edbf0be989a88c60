//! A job's events as they are shown: a bounded list, with notes about interruptions of the stream.

use std::collections::VecDeque;

use crate::api::job::JobEvent;
use crate::text::Untrusted;

/// Events kept of a job.
const KEPT: usize = 20_000;
/// So many go at once, so that what is shown is not found again with each.
const GO: usize = 1_000;
/// Characters kept of a message.
const MESSAGE: usize = 4_000;

/// How serious a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventLevel {
    Info,
    Warn,
    Error,
}

/// A line of the events pane.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct EventLine {
    /// Unix seconds.
    pub(super) at: i64,
    pub(super) level: EventLevel,
    pub(super) words: Untrusted,
    /// Whether it tells of the stream and not of the job.
    pub(super) ours: bool,
}

/// What is known of a job's history.
#[derive(Clone, Debug, Default)]
pub(super) struct EventBuffer {
    lines: VecDeque<EventLine>,
    /// Lines that went before the first of `lines`.
    gone: u64,
    /// Events of the job so far.
    events: u64,
}

impl EventBuffer {
    /// Takes in events, the first of them at a place of the history. Returns whether older ones had to go.
    pub(super) fn add(&mut self, first: u64, events: &[JobEvent]) -> bool {
        // A call tells each event once; one that asks again begins again.
        let skip = usize::try_from(self.events.saturating_sub(first)).unwrap_or(usize::MAX);
        for event in events.iter().skip(skip) {
            let level = match event.level.as_str() {
                "error" => EventLevel::Error,
                "warn" | "warning" => EventLevel::Warn,
                _ => EventLevel::Info,
            };
            let words: String = event.message.trim_end().chars().take(MESSAGE).collect();
            self.lines.push_back(EventLine { at: event.created_at, level, words: words.into(), ours: false });
        }
        self.events = self.events.max(first.saturating_add(events.len() as u64));
        self.trim()
    }

    /// Says something of the stream.
    pub(super) fn note(&mut self, at: i64, level: EventLevel, words: String) -> bool {
        self.lines.push_back(EventLine { at, level, words: words.into(), ours: true });
        self.trim()
    }

    fn trim(&mut self) -> bool {
        if self.lines.len() <= KEPT {
            return false;
        }
        let go = (self.lines.len() - KEPT).max(GO);
        self.lines.drain(..go);
        self.gone += go as u64;
        true
    }

    /// Events of the job that came so far, those that went since too.
    pub(super) fn count(&self) -> u64 {
        self.events
    }

    /// Returns the numbers of the lines that are kept, counted over all lines of the stream.
    pub(super) fn line_numbers(&self) -> std::ops::Range<u64> {
        self.gone..self.gone + self.lines.len() as u64
    }

    /// Returns the line at a place.
    pub(super) fn line(&self, place: u64) -> Option<&EventLine> {
        self.lines.get(usize::try_from(place.checked_sub(self.gone)?).ok()?)
    }

    /// Returns how many lines were dropped, as there were too many.
    pub(super) fn dropped_count(&self) -> u64 {
        self.gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(range: std::ops::Range<u64>) -> Vec<JobEvent> {
        range.map(|n| JobEvent { message: format!("event {n}"), ..JobEvent::default() }).collect()
    }

    #[test]
    fn each_event_is_there_once_however_often_the_history_is_told() {
        let mut history = EventBuffer::default();
        history.add(0, &events(0..3));
        history.note(0, EventLevel::Warn, "stream dropped".into());
        history.add(1, &events(1..5));
        history.add(0, &events(0..5));
        let shown: Vec<String> =
            history.line_numbers().map(|at| history.line(at).unwrap().words.line().into_owned()).collect();
        assert_eq!(shown, ["event 0", "event 1", "event 2", "stream dropped", "event 3", "event 4"]);
        assert_eq!(history.count(), 5);
    }

    #[test]
    fn it_is_bounded_and_keeps_the_newest() {
        let mut history = EventBuffer::default();
        for chunk in 0..30_u64 {
            history.add(chunk * 1_000, &events(chunk * 1_000..(chunk + 1) * 1_000));
        }
        let places = history.line_numbers();
        assert!((KEPT - GO..=KEPT).contains(&((places.end - places.start) as usize)));
        assert_eq!(history.line(places.end - 1).unwrap().words, "event 29999");
        assert_eq!(history.line(places.start - 1), None);
        assert_eq!(history.dropped_count(), places.start);
    }
}
