//! What was said in passing: toasts for a few seconds, and all of it in Messages.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::tabs::Notice;
use crate::tabs::tab::Level;

/// Lines kept for Messages.
const KEPT: usize = 200;
/// Toasts on the screen at once.
const SHOWN: usize = 3;

/// A notice and when it was said.
#[derive(Clone, Debug)]
pub(super) struct Said {
    /// The notice.
    pub(super) notice: Notice,
    /// Unix milliseconds.
    pub(super) unix_ms: i64,
}

/// All notices.
#[derive(Debug, Default)]
pub(super) struct Notices {
    past: VecDeque<Said>,
    /// Notice and its end; `None`: stays until dismissed.
    shown: Vec<(Notice, Option<Instant>)>,
}

impl Notices {
    /// Says something for a few seconds.
    pub(super) fn say(&mut self, notice: Notice, now: Instant, unix_ms: i64) {
        let long = match notice.level {
            Level::Hint | Level::Ok => 4,
            Level::Warn => 7,
            Level::Error => 10,
        };
        self.say_for(notice, Duration::from_secs(long), now, unix_ms);
    }

    /// Says something for as long as it is true.
    pub(super) fn say_for(&mut self, notice: Notice, long: Duration, now: Instant, unix_ms: i64) {
        self.add(notice, Some(now + long), unix_ms);
    }

    /// Says something that stays until it is dismissed.
    pub(super) fn keep(&mut self, notice: Notice, unix_ms: i64) {
        self.add(notice, None, unix_ms);
    }

    fn add(&mut self, notice: Notice, until: Option<Instant>, unix_ms: i64) {
        self.past.push_front(Said { notice: notice.clone(), unix_ms });
        self.past.truncate(KEPT);
        // What was said of the same thing before is no longer true.
        let again = |shown: &Notice| *shown == notice || (shown.about.is_some() && shown.about == notice.about);
        self.shown.retain(|(shown, _)| !again(shown));
        self.shown.push((notice, until));
        if self.shown.len() > SHOWN {
            // What stays is the last to make room.
            let oldest = self.shown.iter().position(|(_, until)| until.is_some()).unwrap_or(0);
            self.shown.remove(oldest);
        }
    }

    /// Takes the newest toast off the screen; whether there was one.
    pub(super) fn dismiss(&mut self) -> bool {
        self.shown.pop().is_some()
    }

    /// Takes off what has been shown long enough; whether anything was.
    pub(super) fn tick(&mut self, now: Instant) -> bool {
        let before = self.shown.len();
        self.shown.retain(|(_, until)| until.is_none_or(|until| until > now));
        self.shown.len() != before
    }

    /// When the next toast ends.
    pub(super) fn due(&self) -> Option<Instant> {
        self.shown.iter().filter_map(|(_, until)| *until).min()
    }

    /// Toasts, oldest first.
    pub(super) fn shown(&self) -> impl Iterator<Item = &Notice> {
        self.shown.iter().map(|(notice, _)| notice)
    }

    /// Everything said, newest first.
    pub(super) fn past(&self) -> impl Iterator<Item = &Said> {
        self.past.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_about_the_same_thing_replaces_the_one_before() {
        let (mut notices, now) = (Notices::default(), Instant::now());
        notices.say(Notice::ok("one is in the trash").about("1"), now, 0);
        notices.say(Notice::ok("two is in the trash").about("2"), now, 0);
        notices.say(Notice::ok("one is back").about("1"), now, 0);
        notices.say(Notice::ok("copied"), now, 0);
        let shown = notices.shown().map(|notice| notice.text.line().into_owned()).collect::<Vec<_>>();
        assert_eq!(shown, ["two is in the trash", "one is back", "copied"]);
        assert_eq!(notices.past().count(), 4, "Messages keeps them all");
    }

    #[test]
    fn toasts_end_and_messages_stay() {
        let (mut notices, now) = (Notices::default(), Instant::now());
        notices.keep(Notice::error("not saved"), 0);
        for n in 0..5 {
            notices.say(Notice::ok(format!("copied {n}")), now, 0);
        }
        assert_eq!(notices.shown().count(), SHOWN);
        assert!(notices.shown().any(|notice| notice.text == "not saved"));
        assert!(notices.tick(now + Duration::from_secs(5)));
        assert_eq!(notices.shown().count(), 1);
        assert_eq!(notices.due(), None, "what stays costs no wake-ups");
        assert_eq!(notices.past().count(), 6);
        assert!(notices.dismiss() && !notices.dismiss());
    }
}
