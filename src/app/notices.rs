//! Notices: toasts for a few seconds, and all of them in Messages.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use ratatui::style::Style;
use unicode_width::UnicodeWidthStr as _;

use crate::component::Level;
use crate::component::Notice;
use crate::ui::theme::Theme;

/// Notices that Messages lists at most.
const MAX_PAST: usize = 200;
/// Toasts on the screen at most.
const MAX_SHOWN: usize = 3;

/// Time to notice a toast.
const TIME_TO_NOTICE: Duration = Duration::from_secs(2);
/// Time to read a column of text: 15 a second.
const TIME_PER_COLUMN: Duration = Duration::from_millis(67);

/// A notice and when it was said.
#[derive(Clone, Debug)]
pub(super) struct PastNotice {
    /// The notice.
    pub(super) notice: Notice,
    /// Unix milliseconds.
    pub(super) unix_ms: i64,
}

/// All notices.
#[derive(Debug, Default)]
pub(super) struct Notices {
    past: VecDeque<PastNotice>,
    /// The notices on the screen, each with the time until which it is shown; `None`: until it is dismissed.
    shown: Vec<(Notice, Option<Instant>)>,
}

impl Notices {
    /// Shows a notice: an error until it is dismissed or solved, others for as long as it takes to read.
    pub(super) fn say(&mut self, notice: Notice, now: Instant, unix_ms: i64) {
        let least = match notice.level {
            Level::Info | Level::Ok => Duration::from_secs(4),
            Level::Warn => Duration::from_secs(7),
            Level::Error => return self.keep(notice, unix_ms),
        };
        let reading = TIME_TO_NOTICE + TIME_PER_COLUMN * notice.text.line().width() as u32;
        self.say_for(notice, least.max(reading), now, unix_ms);
    }

    /// Shows several warnings as one notice; Messages has each of them.
    pub(super) fn say_all(&mut self, warnings: Vec<String>, now: Instant, unix_ms: i64) {
        let count = warnings.len();
        if count <= 2 {
            return warnings.into_iter().for_each(|warning| self.say(Notice::warn(warning), now, unix_ms));
        }
        let summary = format!("{count} warnings at startup (^P Messages shows all); {}", warnings[0]);
        for warning in warnings.into_iter().rev() {
            self.add_to_past(Notice::warn(warning), unix_ms);
        }
        self.say(Notice::warn(summary), now, unix_ms);
    }

    /// Shows a notice for a given time.
    pub(super) fn say_for(&mut self, notice: Notice, time: Duration, now: Instant, unix_ms: i64) {
        self.add(notice, Some(now + time), unix_ms);
    }

    /// Shows a notice that stays until it is dismissed.
    pub(super) fn keep(&mut self, notice: Notice, unix_ms: i64) {
        self.add(notice, None, unix_ms);
    }

    /// Adds a notice to Messages.
    pub(super) fn add_to_past(&mut self, notice: Notice, unix_ms: i64) {
        self.past.push_front(PastNotice { notice, unix_ms });
        self.past.truncate(MAX_PAST);
    }

    /// Adds a notice to the screen and to Messages.
    fn add(&mut self, notice: Notice, until: Option<Instant>, unix_ms: i64) {
        self.add_to_past(notice.clone(), unix_ms);
        // An earlier notice about the same subject is obsolete.
        let is_replaced = |shown: &Notice| *shown == notice || (shown.about.is_some() && shown.about == notice.about);
        self.shown.retain(|(shown, _)| !is_replaced(shown));
        if self.shown.len() >= MAX_SHOWN {
            // Notices that stay are removed last.
            let oldest = self.shown.iter().position(|(_, until)| until.is_some()).unwrap_or(0);
            self.shown.remove(oldest);
        }
        self.shown.push((notice, until));
    }

    /// Removes the notices about a subject: it is solved.
    pub(super) fn settle(&mut self, about: &str) {
        self.shown.retain(|(shown, _)| shown.about.as_deref() != Some(about));
    }

    /// Removes the notices about a subject that give this reason.
    pub(super) fn settle_reason(&mut self, about: &str, reason: &str) {
        let gives = |notice: &Notice| notice.text.line().contains(reason);
        self.shown.retain(|(shown, _)| shown.about.as_deref() != Some(about) || !gives(shown));
    }

    /// Returns whether there is a notice that stays until it is dismissed.
    pub(super) fn has_kept(&self) -> bool {
        self.shown.iter().any(|(_, until)| until.is_none())
    }

    /// Removes the newest notice that stays.
    pub(super) fn dismiss_kept(&mut self) {
        if let Some(newest) = self.shown.iter().rposition(|(_, until)| until.is_none()) {
            self.shown.remove(newest);
        }
    }

    /// Removes the newest toast; returns whether there was one.
    pub(super) fn dismiss(&mut self) -> bool {
        self.shown.pop().is_some()
    }

    /// Removes toasts that were shown long enough; returns whether there were any.
    pub(super) fn tick(&mut self, now: Instant) -> bool {
        let before = self.shown.len();
        self.shown.retain(|(_, until)| until.is_none_or(|until| until > now));
        self.shown.len() != before
    }

    /// Returns when the next toast ends.
    pub(super) fn due(&self) -> Option<Instant> {
        self.shown.iter().filter_map(|(_, until)| *until).min()
    }

    /// Returns the toasts, oldest first, and whether each stays until it is dismissed.
    pub(super) fn shown(&self) -> impl DoubleEndedIterator<Item = (&Notice, bool)> {
        self.shown.iter().map(|(notice, until)| (notice, until.is_none()))
    }

    /// Returns all notices, newest first.
    pub(super) fn past(&self) -> impl Iterator<Item = &PastNotice> {
        self.past.iter()
    }
}

/// Returns the sign of a notice's level and its style.
pub(super) fn mark(level: Level, theme: &Theme) -> (&'static str, Style) {
    match level {
        Level::Info => ("·", theme.muted),
        Level::Ok => ("✓", theme.good),
        Level::Warn => ("!", theme.warn),
        Level::Error => ("✕", theme.bad),
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
        let shown = notices.shown().map(|(notice, _)| notice.text.line().into_owned()).collect::<Vec<_>>();
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
        assert_eq!(notices.shown().count(), MAX_SHOWN);
        assert!(notices.shown().any(|(notice, _)| notice.text == "not saved"));
        assert!(notices.tick(now + Duration::from_secs(5)));
        assert_eq!(notices.shown().count(), 1);
        assert_eq!(notices.due(), None, "what stays costs no wake-ups");
        assert_eq!(notices.past().count(), 6);
        assert!(notices.dismiss() && !notices.dismiss());
    }

    #[test]
    fn notices_last_as_long_as_they_take_to_read_and_errors_until_they_are_dismissed_or_solved() {
        let (mut notices, now) = (Notices::default(), Instant::now());
        notices.say(Notice::info("short"), now, 0);
        assert_eq!(notices.due(), Some(now + Duration::from_secs(4)));
        notices.tick(now + Duration::from_secs(4));
        notices.say(Notice::warn("x".repeat(300)), now, 0);
        assert!(notices.due() > Some(now + Duration::from_secs(20)), "300 letters take longer");
        notices.say(Notice::error("no list").about("models"), now, 0);
        notices.say(Notice::error("no room"), now, 0);
        notices.tick(now + Duration::from_hours(1));
        assert_eq!(notices.shown().map(|(_, kept)| kept).collect::<Vec<_>>(), [true, true]);
        notices.settle("models");
        assert_eq!(notices.shown().count(), 1, "solved");
        notices.dismiss_kept();
        assert!(!notices.has_kept());
    }

    #[test]
    fn news_is_shown_beside_any_number_of_errors() {
        let (mut notices, now) = (Notices::default(), Instant::now());
        for n in 0..5 {
            notices.say(Notice::error(format!("failure {n}")), now, 0);
        }
        notices.say(Notice::ok("copied"), now, 0);
        let shown = notices.shown().map(|(notice, _)| notice.text.line().into_owned()).collect::<Vec<_>>();
        assert_eq!(shown, ["failure 3", "failure 4", "copied"]);
    }
}
