//! Carries out the actions of the shell.

use super::keys::Action;
use super::profile_editor::ProfileEditor;
use super::profile_form::ProfileForm;
use super::{App, Effect};
use crate::component::{Modals, Notice, money};
use crate::ui::ascii;

impl App {
    /// Carries out an action of the shell.
    pub(super) fn run_action(&mut self, action: Action) {
        let last = self.tabs.len().saturating_sub(1);
        match action {
            Action::Go(index) => self.go_to_tab(index),
            Action::Left => self.go_to_tab(self.front.checked_sub(1).unwrap_or(last)),
            Action::Right => self.go_to_tab(if self.front == last { 0 } else { self.front + 1 }),
            Action::Help => self.open_help(),
            Action::Palette => self.open_palette(),
            Action::Interrupt => self.handle_interrupt(),
            Action::Quit => self.quit(),
            Action::Suspend => self.effects.push(Effect::Suspend),
            Action::Repaint => self.effects.push(Effect::Repaint),
            Action::NextProfile => self.step_profile(1),
            Action::ProfileBefore => self.step_profile(-1),
            Action::Back => self.handle_escape(),
            Action::Pager => self.open_pager(),
            Action::Mouse => self.switch_mouse(),
            Action::ChooseProfile => self.open_profiles(),
            Action::ChooseModel => self.choose_model(),
            Action::AddProfile => self.open_profile_form(),
            Action::NewKey => {
                let used = self.session.profile.clone();
                self.open_key_form(&used);
            }
            Action::Models => self.open_models(None),
            Action::KeepParams => self.keep_params(self.front, &self.model()),
            Action::ForgetParams => self.forget_params(&self.model()),
            Action::Facts => self.open_facts(),
            Action::Refresh => self.fetch_models(),
            Action::Cost => self.show_cost(),
            Action::Config => self.show_config_path(),
            Action::EditBindings => self.effects.push(Effect::EditBindings),
            Action::ChooseTheme => self.choose_theme(),
            Action::Messages => self.open_messages(),
        }
    }

    /// Switches mouse capture on or off.
    fn switch_mouse(&mut self) {
        self.mouse = !self.mouse;
        self.effects.push(Effect::SetMouseCapture(self.mouse));
        let said = if self.mouse { "mouse on" } else { "mouse off: select text with the terminal" };
        self.say(Notice::ok(said));
    }

    /// Opens the text that is read in front in the pager, as it is shown on the screen.
    fn open_pager(&mut self) {
        let session = &self.session;
        let text = if self.dialogs.is_open() {
            self.dialogs.readable(session)
        } else if self.lacks_endpoint() {
            None
        } else {
            self.tabs[self.front].readable(session)
        };
        match text.filter(|text| !text.is_empty()) {
            Some(text) => {
                let text = text.screen();
                let text = if session.terminal.ascii { ascii::text(&text) } else { text.into_owned() };
                self.effects.push(Effect::OpenPager(text));
            }
            None => self.say(Notice::info("there is no text to read here").about("pager")),
        }
    }

    /// Shows the path of the config file, and copies it.
    fn show_config_path(&mut self) {
        let path = self.session.found.config.clone();
        self.say(Notice::info(format!("the config file is {}", path.line())).about("config"));
        self.effects.push(Effect::Copy(path));
    }

    /// Shows today's cost of the profile in use.
    fn show_cost(&mut self) {
        let (cost, profile) = (money::total(self.session.today), self.session.profile_name.line());
        let unknown = self.session.today.is_some_and(|cost| cost.unknown);
        let more = if unknown { "; the prices of some answers are unknown" } else { "" };
        let said = Notice::info(format!("spent today with {profile}: {cost}{more}")).about("cost");
        self.say(said);
    }

    /// Brings a tab to the front.
    pub(super) fn go_to_tab(&mut self, index: usize) {
        if index >= self.tabs.len() {
            return;
        }
        self.front = index;
        // Only the tab that was in front shows that failure.
        self.requests.shown_failure = None;
        self.enter_tab(index);
    }

    /// Closes all dialogs and goes to a tab, unless entered text would be lost.
    pub(super) fn leave_dialog_for_tab(&mut self, index: usize) {
        if self.dialogs.find::<ProfileForm>().is_some() || self.dialogs.find::<ProfileEditor>().is_some() {
            let said = Notice::info("esc closes the form and discards what you entered").about("form");
            return self.say(said);
        }
        self.stop_test();
        self.stop_probe();
        self.dialogs = Modals::default();
        self.go_to_tab(index);
    }

    /// Tells a tab that it is in front, unless its server lacks what it needs.
    pub(super) fn enter_tab(&mut self, index: usize) {
        if !self.check_endpoint(index) {
            return;
        }
        self.with_tab(index, |tab, cx| tab.enter(cx));
    }
}
