//! Notices: toasts for a few seconds, and all of them in Messages.

use std::collections::{BTreeSet, VecDeque};
use std::time::{Duration, Instant};

use ratatui::style::Style;
use unicode_width::UnicodeWidthStr as _;

use crate::component::{Level, Notice, palette_key};
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

/// A tab by its index, and the page that is shown of it.
pub(super) type Place = (usize, &'static str);

/// A notice on the screen.
#[derive(Debug)]
pub(super) struct ShownNotice {
    pub(super) notice: Notice,
    /// The time until which it is shown; `None`: until it is dismissed.
    until: Option<Instant>,
    /// Where a tab said it, and when; `None`: the shell did.
    said: Option<(Place, Instant)>,
}

impl ShownNotice {
    /// Returns whether it stays until it is dismissed.
    pub(super) fn stays(&self) -> bool {
        self.until.is_none()
    }

    /// Returns the page on which its tab said it; `None`: the shell did.
    pub(super) fn page(&self) -> Option<&'static str> {
        self.said.map(|((_, page), _)| page)
    }

    /// Returns the tab over which alone it is shown: the one that said it, if it stays until it is dismissed.
    fn only_over(&self) -> Option<usize> {
        self.said.filter(|_| self.stays()).map(|((tab, _), _)| tab)
    }

    /// Returns whether it is shown with this tab in front; `None`: a tab that said nothing.
    fn is_over(&self, front: Option<usize>) -> bool {
        self.only_over().is_none_or(|tab| front == Some(tab))
    }
}

/// All notices.
#[derive(Debug, Default)]
pub(super) struct Notices {
    past: VecDeque<PastNotice>,
    shown: Vec<ShownNotice>,
    /// Since when a dialog of the tab in front is open, and one of the shell; `None`: none is.
    dialogs: [Option<Instant>; 2],
}

impl Notices {
    /// Shows a notice: an error until it is dismissed or solved, others for as long as it takes to read.
    pub(super) fn say(&mut self, notice: Notice, now: Instant, unix_ms: i64) {
        let until = time_shown(&notice).map(|time| now + time);
        self.add(ShownNotice { notice, until, said: None }, unix_ms);
    }

    /// Shows a notice of a tab: an error only over that tab.
    pub(super) fn say_of_tab(&mut self, place: Place, notice: Notice, now: Instant, unix_ms: i64) {
        let until = time_shown(&notice).map(|time| now + time);
        self.add(ShownNotice { notice, until, said: Some((place, now)) }, unix_ms);
    }

    /// Removes what a tab said before it or its page was left, and what is not kept: it is about what was on the screen
    /// then, and may name keys that now do something else. What it said as it was left stays.
    pub(super) fn leave_page(&mut self, left: usize, now: Instant) {
        let is_of_page = |((tab, _), at): (Place, Instant)| tab == left && at != now;
        self.shown.retain(|shown| shown.stays() || !shown.said.is_some_and(is_of_page));
    }

    /// Notes whether a dialog of the tab in front is open, and one of the shell: until it is closed, what that tab said
    /// before, and what is not kept, is not shown. It may name keys, which are the dialog's now.
    pub(super) fn note_dialogs(&mut self, open: [bool; 2], now: Instant) {
        for (since, is_open) in self.dialogs.iter_mut().zip(open) {
            *since = is_open.then(|| since.unwrap_or(now));
        }
    }

    /// Shows several warnings as one notice, which says where they are; Messages has each of them.
    pub(super) fn say_all(&mut self, warnings: Vec<String>, place: &str, now: Instant, unix_ms: i64) {
        let count = warnings.len();
        if count <= 2 {
            return warnings.into_iter().for_each(|warning| self.say(Notice::warn(warning), now, unix_ms));
        }
        let summary = format!("{count} warnings {place} ({} Messages shows all); {}", palette_key(), warnings[0]);
        for warning in warnings.into_iter().rev() {
            self.add_to_past(Notice::warn(warning), unix_ms);
        }
        let notice = Notice::warn(summary);
        let until = time_shown(&notice).map(|time| now + time);
        self.show(ShownNotice { notice, until, said: None });
    }

    /// Shows a notice for a given time.
    pub(super) fn say_for(&mut self, notice: Notice, time: Duration, now: Instant, unix_ms: i64) {
        self.add(ShownNotice { notice, until: Some(now + time), said: None }, unix_ms);
    }

    /// Shows a notice that stays until it is dismissed.
    pub(super) fn keep(&mut self, notice: Notice, unix_ms: i64) {
        self.add(ShownNotice { notice, until: None, said: None }, unix_ms);
    }

    /// Adds a notice to Messages.
    pub(super) fn add_to_past(&mut self, notice: Notice, unix_ms: i64) {
        self.past.push_front(PastNotice { notice, unix_ms });
        self.past.truncate(MAX_PAST);
    }

    /// Adds a notice to the screen and to Messages.
    fn add(&mut self, new: ShownNotice, unix_ms: i64) {
        self.add_to_past(new.notice.clone(), unix_ms);
        self.show(new);
    }

    /// Adds a notice to the screen.
    fn show(&mut self, new: ShownNotice) {
        let notice = &new.notice;
        // An earlier notice about the same subject is obsolete.
        let is_replaced = |shown: &Notice| shown == notice || (shown.about.is_some() && shown.about == notice.about);
        self.shown.retain(|shown| !is_replaced(&shown.notice));
        self.make_space(&new);
        self.shown.push(new);
    }

    /// Removes notices so that there is space for a new one over each tab that it is shown over.
    fn make_space(&mut self, new: &ShownNotice) {
        // `None`: a tab without errors of its own.
        let tabs = self.shown.iter().chain([new]).map(ShownNotice::only_over).filter(|tab| new.is_over(*tab));
        for tab in tabs.collect::<BTreeSet<_>>() {
            let over = || (0..self.shown.len()).filter(|at| self.shown[*at].is_over(tab));
            if over().count() >= MAX_SHOWN {
                // Notices that stay are removed last.
                let oldest = over().find(|at| !self.shown[*at].stays()).or_else(|| over().next());
                oldest.map(|at| self.shown.remove(at));
            }
        }
    }

    /// Removes the notices about a subject: it is solved.
    pub(super) fn resolve(&mut self, about: &str) {
        self.shown.retain(|shown| shown.notice.about.as_deref() != Some(about));
    }

    /// Removes the notices about a subject that give this reason.
    pub(super) fn resolve_reason(&mut self, about: &str, reason: &str) {
        let gives = |notice: &Notice| notice.text.line().contains(reason);
        self.shown.retain(|ShownNotice { notice, .. }| notice.about.as_deref() != Some(about) || !gives(notice));
    }

    /// Returns whether a notice over this tab stays until it is dismissed.
    pub(super) fn has_kept(&self, front: usize) -> bool {
        self.shown(front).any(ShownNotice::stays)
    }

    /// Returns whether an error of this tab is shown when the tab is in front.
    pub(super) fn has_error_of(&self, tab: usize) -> bool {
        self.shown.iter().any(|shown| shown.only_over() == Some(tab))
    }

    /// Removes the newest notice over this tab that stays.
    pub(super) fn dismiss_kept(&mut self, front: usize) {
        _ = self.dismiss_where(|shown| shown.stays() && shown.is_over(Some(front)));
    }

    /// Removes the newest toast over this tab; returns whether there was one.
    pub(super) fn dismiss(&mut self, front: usize) -> bool {
        self.dismiss_where(|shown| shown.is_over(Some(front)))
    }

    fn dismiss_where(&mut self, is_meant: impl Fn(&ShownNotice) -> bool) -> bool {
        let newest = self.shown.iter().rposition(is_meant);
        newest.map(|newest| self.shown.remove(newest)).is_some()
    }

    /// Removes toasts that were shown long enough; returns whether there were any.
    pub(super) fn tick(&mut self, now: Instant) -> bool {
        let before = self.shown.len();
        self.shown.retain(|shown| shown.until.is_none_or(|until| until > now));
        self.shown.len() != before
    }

    /// Returns when the next toast ends.
    pub(super) fn due(&self) -> Option<Instant> {
        self.shown.iter().filter_map(|shown| shown.until).min()
    }

    /// Returns the toasts over this tab, or over a dialog that is open over it, oldest first.
    pub(super) fn shown(&self, front: usize) -> impl DoubleEndedIterator<Item = &ShownNotice> {
        self.shown.iter().filter(move |shown| shown.is_over(Some(front)) && !self.is_behind_dialog(shown, front))
    }

    /// Returns whether this tab said it before the newest dialog was opened that is over it.
    fn is_behind_dialog(&self, shown: &ShownNotice, front: usize) -> bool {
        let newest = self.dialogs.iter().flatten().max();
        let is_before = |((tab, _), at): (Place, Instant)| tab == front && newest.is_some_and(|since| at < *since);
        !shown.stays() && shown.said.is_some_and(is_before)
    }

    /// Returns all notices, newest first.
    pub(super) fn past(&self) -> impl Iterator<Item = &PastNotice> {
        self.past.iter()
    }
}

/// Returns how long a notice is shown: as long as it takes to read; `None`: until it is dismissed.
fn time_shown(notice: &Notice) -> Option<Duration> {
    let least = match notice.level {
        Level::Info | Level::Ok => Duration::from_secs(4),
        Level::Warn => Duration::from_secs(7),
        Level::Error => return None,
    };
    let reading = TIME_TO_NOTICE + TIME_PER_COLUMN * notice.text.line().width() as u32;
    Some(least.max(reading))
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
        let shown = notices.shown(0).map(|shown| shown.notice.text.line().into_owned()).collect::<Vec<_>>();
        assert_eq!(shown, ["two is in the trash", "one is back", "copied"]);
        assert_eq!(notices.past().count(), 4, "Messages keeps them all");
    }

    #[test]
    fn several_warnings_are_one_toast_and_each_is_in_messages_once() {
        let (mut notices, now) = (Notices::default(), Instant::now());
        notices.say_all(["one", "two", "three"].map(str::to_owned).into(), "at startup", now, 0);
        let shown = notices.shown(0).map(|shown| shown.notice.text.line().into_owned()).collect::<Vec<_>>();
        assert!(shown.len() == 1 && shown[0].starts_with("3 warnings at startup ("), "{shown:?}");
        let past = notices.past().map(|past| past.notice.text.line().into_owned()).collect::<Vec<_>>();
        assert_eq!(past, ["one", "two", "three"]);
    }

    #[test]
    fn toasts_end_and_messages_stay() {
        let (mut notices, now) = (Notices::default(), Instant::now());
        notices.keep(Notice::error("not saved"), 0);
        for n in 0..5 {
            notices.say(Notice::ok(format!("copied {n}")), now, 0);
        }
        assert_eq!(notices.shown(0).count(), MAX_SHOWN);
        assert!(notices.shown(0).any(|shown| shown.notice.text == "not saved"));
        assert!(notices.tick(now + Duration::from_secs(5)));
        assert_eq!(notices.shown(0).count(), 1);
        assert_eq!(notices.due(), None, "what stays costs no wake-ups");
        assert_eq!(notices.past().count(), 6);
        assert!(notices.dismiss(0) && !notices.dismiss(0));
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
        assert_eq!(notices.shown(0).map(ShownNotice::stays).collect::<Vec<_>>(), [true, true]);
        notices.resolve("models");
        assert_eq!(notices.shown(0).count(), 1, "solved");
        notices.dismiss_kept(0);
        assert!(!notices.has_kept(0));
    }

    #[test]
    fn what_a_tab_said_is_removed_when_it_or_its_page_is_left_unless_it_stays_or_was_said_then() {
        let (mut notices, before) = (Notices::default(), Instant::now());
        let now = before + Duration::from_secs(1);
        notices.say(Notice::ok("mouse on"), before, 0);
        notices.say_of_tab((0, ""), Notice::ok("copied"), before, 0);
        notices.leave_page(1, now);
        assert_eq!(notices.shown(0).count(), 2, "another tab was left");
        notices.say_of_tab((0, ""), Notice::ok("sent to Moderate"), now, 0);
        notices.leave_page(0, now);
        let shown =
            |notices: &Notices| notices.shown(0).map(|said| said.notice.text.line().into_owned()).collect::<Vec<_>>();
        assert_eq!(shown(&notices), ["mouse on", "sent to Moderate"]);
        notices.say_of_tab((2, ""), Notice::error("not saved"), before, 0);
        notices.leave_page(2, now);
        assert_eq!([0, 2].map(|tab| notices.has_kept(tab)), [false, true]);
        assert_eq!(notices.past().count(), 4);
    }

    #[test]
    fn what_the_tab_in_front_said_before_a_dialog_is_shown_again_after_it() {
        let (mut notices, before) = (Notices::default(), Instant::now());
        let open = before + Duration::from_secs(1);
        notices.say_of_tab((0, ""), Notice::info("deleted; u restores it"), before, 0);
        notices.say_of_tab((1, ""), Notice::ok("the run has ended"), before, 0);
        notices.note_dialogs([true, false], open);
        notices.say_of_tab((0, ""), Notice::warn("this name is taken"), open, 0);
        notices.note_dialogs([true, false], open + Duration::from_secs(1));
        let shown =
            |notices: &Notices| notices.shown(0).map(|said| said.notice.text.line().into_owned()).collect::<Vec<_>>();
        assert_eq!(shown(&notices), ["the run has ended", "this name is taken"]);
        // One of the shell over that of the tab.
        notices.note_dialogs([true, true], open + Duration::from_secs(2));
        assert_eq!(shown(&notices), ["the run has ended"]);
        notices.note_dialogs([true, false], open + Duration::from_secs(3));
        assert_eq!(shown(&notices), ["the run has ended", "this name is taken"]);
        notices.note_dialogs([false, false], open + Duration::from_secs(4));
        assert_eq!(shown(&notices), ["deleted; u restores it", "the run has ended", "this name is taken"]);
        notices.say_of_tab((0, ""), Notice::error("not saved"), before, 0);
        notices.note_dialogs([false, true], open);
        assert_eq!(shown(&notices).last().unwrap(), "not saved", "it stays until it is dismissed");
    }

    #[test]
    fn an_error_of_a_tab_is_shown_over_it_alone() {
        let (mut notices, now) = (Notices::default(), Instant::now());
        for n in 0..4 {
            notices.say_of_tab((1, ""), Notice::error(format!("failure {n}")), now, 0);
            notices.say_of_tab((2, ""), Notice::error(format!("refusal {n}")), now, 0);
        }
        notices.say(Notice::error("not saved"), now, 0);
        let over = |notices: &Notices, tab| -> Vec<String> {
            notices.shown(tab).map(|said| said.notice.text.line().into_owned()).collect()
        };
        assert_eq!(over(&notices, 0), ["not saved"]);
        assert_eq!(over(&notices, 2).last().unwrap(), "not saved");
        assert!(!over(&notices, 2).iter().any(|said| said.starts_with("failure")));
        notices.dismiss_kept(2);
        assert_eq!(over(&notices, 0), [""; 0], "that of the shell is dismissed anywhere");
        notices.dismiss_kept(0);
        assert_eq!([0, 1, 2].map(|tab| notices.has_error_of(tab)), [false, true, true]);
        assert_eq!(over(&notices, 1).last().unwrap(), "failure 3");
        notices.dismiss_kept(1);
        assert_eq!(over(&notices, 1).last().unwrap(), "failure 2");
    }

    #[test]
    fn news_is_shown_beside_any_number_of_errors() {
        let (mut notices, now) = (Notices::default(), Instant::now());
        for n in 0..5 {
            notices.say(Notice::error(format!("failure {n}")), now, 0);
        }
        notices.say(Notice::ok("copied"), now, 0);
        let shown = notices.shown(0).map(|shown| shown.notice.text.line().into_owned()).collect::<Vec<_>>();
        assert_eq!(shown, ["failure 3", "failure 4", "copied"]);
    }
}
