//! What goes on in the tabs, as it is told outside the screen: in the window's title, and by a desktop notification
//! when something long ends while another window has the focus.

use super::activity_watch::{PACE, SeenActivity};
use super::{App, Effect};
use crate::ui::ascii;

impl App {
    /// Returns the window's title: what goes on, else the tab in front.
    pub fn title(&self) -> String {
        let going_on = self.frames.activities.words();
        let title = if going_on.is_empty() {
            format!("benchtop · {}", self.tabs[self.front].title())
        } else {
            format!("benchtop: {going_on}")
        };
        if self.session.terminal.ascii { ascii::text(&title) } else { title }
    }

    /// Notices what began and ended in the tabs, sets the window's title, and tells what ended. `is_part`: a part of an
    /// answer came, after which it is enough to look once a second.
    pub(super) fn watch_activities(&mut self, is_part: bool) {
        if is_part && *self.frames.activities.look_due.get_or_insert(self.now + PACE) > self.now {
            return;
        }
        let watch = &mut self.frames.activities;
        watch.look_due = None;
        let of_tab = self.tabs.iter().map(|tab| tab.activities()).enumerate();
        let all = of_tab.flat_map(|(tab, all)| all.into_iter().map(move |activity| (tab, activity)));
        for SeenActivity { tab, activity, .. } in watch.see(all, self.now) {
            watch.note_ended(activity.kind, self.tabs[tab].outcome(&activity), self.now);
        }
        if let Some(words) = watch.take_ended_words(self.now) {
            self.effects.push(Effect::DesktopNotification(words));
        }
        let title = self.title();
        if self.frames.activities.title.changes_to(&title, self.now) {
            self.set_title();
        }
    }

    /// Sets the window's title; from the first time on it follows what goes on.
    pub(super) fn set_title(&mut self) {
        let title = self.title();
        self.frames.activities.title.note_set(title.clone(), self.now);
        self.effects.push(Effect::Title(title));
    }
}
