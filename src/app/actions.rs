//! What the user does: keys, pastes and clicks become actions of the shell, or go to the tab in front.

use std::time::{Duration, Instant};

use crossterm::event::{Event as Input, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::layout::Position;

use super::dialog_answer::DialogAnswer;
use super::dialogs::PickerDialog;
use super::keys::{Action, ShellKeys};
use super::mouse_selection::MouseSelection;
use super::paste::PasteGuard;
use super::profile_editor::ProfileEditor;
use super::profile_form::ProfileForm;
use super::{App, Effect, keys, paste};
use crate::component::{Modals, Notice, Offer, money};
use crate::tabs::Badge;
use crate::ui::ascii;
use crate::ui::editing::EditAction;
use crate::ui::picker::{Item, Picker};
use crate::ui::vim::{self, VimKeys};

/// Time within which the second Ctrl+C quits.
const QUIT_WINDOW: Duration = Duration::from_millis(1500);
/// Time for which it is said that Esc has nothing to close.
const QUIT_HINT_TIME: Duration = Duration::from_secs(2);
/// Time after the last change of size before the screen is wrapped again.
const RESIZE_DELAY: Duration = Duration::from_millis(30);

/// State of the keys pressed before.
#[derive(Default)]
pub(super) struct InputState {
    pub(super) keys: ShellKeys,
    /// The mode of the text box, where text boxes have modes.
    pub(super) vim: VimKeys,
    /// The text box that this mode is of; `None`: none.
    vim_place: Option<(usize, bool, bool)>,
    /// Where the left button of the mouse was pressed; `None`: it is not.
    pub(super) pressed: Option<Position>,
    /// What is selected with the mouse.
    pub(super) selection: Option<MouseSelection>,
    guard: PasteGuard,
    /// Time of the first Ctrl+C.
    interrupted: Option<Instant>,
    /// Whether it was said how to quit.
    has_said_quit: bool,
}

impl App {
    /// Handles a key, a paste, the mouse or another size of the screen.
    pub(super) fn handle_input(&mut self, input: Input) {
        self.arrange(self.now);
        match input {
            // Some systems report releases too.
            Input::Key(key) if key.kind == KeyEventKind::Release => {}
            Input::Key(key) => {
                self.input.selection = None;
                // A terminal that reports no focus, or had another program in it meanwhile.
                self.frames.activities.set_focused(true);
                self.frames.clock.touch_now(self.now);
                self.handle_key(key);
            }
            Input::Paste(text) => {
                self.frames.clock.touch_now(self.now);
                self.input.guard.note_paste(self.now);
                self.handle_paste(&paste::clean(&text));
            }
            Input::Mouse(event) => {
                self.frames.clock.touch_now(self.now);
                self.handle_mouse(event);
            }
            Input::Resize(width, height) => {
                (self.input.pressed, self.input.selection) = (None, None);
                self.resize(width, height);
                self.frames.clock.delay(self.now, RESIZE_DELAY);
            }
            Input::FocusGained => self.frames.activities.set_focused(true),
            Input::FocusLost => self.frames.activities.set_focused(false),
        }
    }

    /// Passes pasted text to the top dialog, or to the tab in front.
    fn handle_paste(&mut self, text: &str) {
        if self.dialogs.is_open() {
            self.pass_to_dialog(|dialogs, cx| dialogs.paste(text, cx));
        } else if !self.lacks_endpoint() {
            self.with_tab(self.front, |tab, cx| tab.paste(text, cx));
        }
    }

    /// Handles a key: the shell's own keys and dialogs come first, then the tab in front.
    fn handle_key(&mut self, key: KeyEvent) {
        // Whatever key goes back: everything else knows it as Esc.
        let goes_back = self.input.keys.action(&key, self.is_typing(), self.tabs.len()) == Some(Action::Back);
        let key = if goes_back { KeyEvent::from(KeyCode::Esc) } else { key };
        // After Ctrl+X, Esc only ends that: `Null` takes the place of the second key, and no text box gives it a meaning.
        let ends_prefix = key.code == KeyCode::Esc && !self.follow_up_hints().is_empty();
        let key = if ends_prefix { KeyEvent::from(KeyCode::Null) } else { key };
        if matches!(key.code, KeyCode::Char(_)) && !key.modifiers.contains(KeyModifiers::CONTROL) {
            self.input.guard.note_char(self.now);
        }
        if let Some(keys) = self.vim_keys(&key) {
            for key in keys {
                self.pass_key(key);
            }
        } else {
            self.pass_key(key);
        }
    }

    /// Returns the keys that take the place of one pressed in a text box with modes; `None`: it stays as it is.
    fn vim_keys(&mut self, key: &KeyEvent) -> Option<Vec<KeyEvent>> {
        let text_box = self.in_vim_text_box().then(|| self.text_box_place());
        if text_box.is_none() || text_box != self.input.vim_place {
            (self.input.vim, self.input.vim_place) = (VimKeys::default(), text_box);
        }
        text_box?;
        // What follows Ctrl+X is no command.
        if self.follow_up_hints().is_empty() { self.input.vim.translate(key) } else { None }
    }

    /// Returns what tells text boxes apart: the tab in front, and whether a dialog of the shell or of the tab is open.
    fn text_box_place(&self) -> (usize, bool, bool) {
        (self.front, self.dialogs.is_open(), self.tabs[self.front].has_dialog())
    }

    /// Returns whether keys go to a text box with modes.
    pub(super) fn in_vim_text_box(&self) -> bool {
        let in_text_box = || {
            if self.dialogs.is_open() {
                return self.dialogs.in_text_box();
            }
            !self.lacks_endpoint() && self.tabs[self.front].in_text_box()
        };
        vim::is_enabled() && in_text_box()
    }

    /// Returns whether letters are no keys of the shell, as text is typed or a dialog is open.
    fn is_typing(&self) -> bool {
        self.dialogs.is_open() || (!self.lacks_endpoint() && self.tabs[self.front].typing())
    }

    /// Passes a key to the shell, the top dialog or the tab in front.
    fn pass_key(&mut self, key: KeyEvent) {
        let typing = self.is_typing();
        let action = self.input.keys.action(&key, typing, self.tabs.len());
        if action != Some(Action::Interrupt) {
            self.input.interrupted = None;
        }
        if self.dialogs.is_open() {
            match action {
                Some(action @ (Action::Quit | Action::Suspend | Action::Repaint | Action::Mouse | Action::Pager)) => {
                    self.run_action(action);
                }
                // In the help itself the key closes it.
                Some(Action::Help) if !self.shows_text() => self.open_help(),
                Some(Action::Go(index)) => self.leave_dialog_for_tab(index),
                _ => self.pass_to_dialog(|dialogs, cx| dialogs.key(key, cx)),
            }
            return;
        }
        if let Some(action) = action {
            self.run_action(action);
            let tab = matches!(action, Action::Go(_) | Action::Left | Action::Right);
            if tab && !typing && !self.lacks_endpoint() && !key.modifiers.contains(KeyModifiers::ALT) {
                self.with_tab(self.front, |tab, cx| tab.browse(cx));
            }
            return;
        }
        if self.lacks_endpoint() {
            return self.missing_endpoint_key(key);
        }
        match key.code {
            KeyCode::Enter if typing && key.modifiers.is_empty() && self.input.guard.is_enter_pasted(self.now) => {
                if let Some(newline) = EditAction::Newline.key() {
                    self.with_tab(self.front, |tab, cx| tab.key(newline, cx));
                }
            }
            // With a modifier, which some terminals report.
            KeyCode::Esc => self.handle_escape(),
            _ => match keys::escaped_letter(&key).filter(|_| typing) {
                Some(letter) => {
                    self.pass_key(KeyEvent::from(KeyCode::Esc));
                    self.pass_key(KeyEvent::new(KeyCode::Char(letter), key.modifiers - KeyModifiers::ALT));
                }
                None => {
                    self.with_tab(self.front, |tab, cx| tab.key(key, cx));
                }
            },
        }
    }

    /// Returns whether the next Esc dismisses a notice that stays: stopping what runs and closing a dialog come first.
    pub(super) fn escape_dismisses_notice(&self) -> bool {
        let tab = &self.tabs[self.front];
        let stops_or_closes = tab.badge() == Some(Badge::Busy) || tab.has_dialog();
        !self.dialogs.is_open() && !stops_or_closes && self.notices.has_kept(self.front)
    }

    /// Handles Esc: closes one layer, or says once how to quit if there is none left.
    fn handle_escape(&mut self) {
        if self.escape_dismisses_notice() || self.lacks_endpoint() {
            return self.notices.dismiss_kept(self.front);
        }
        let idle = self.tabs[self.front].escape().is_none();
        self.with_tab(self.front, |tab, cx| tab.key(KeyEvent::from(KeyCode::Esc), cx));
        if idle && !self.notices.dismiss(self.front) && !std::mem::replace(&mut self.input.has_said_quit, true) {
            let said = Notice::info("nothing to go back to; q quits");
            self.notices.say_for(said, QUIT_HINT_TIME, self.now, self.unix_ms);
        }
    }

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
        self.effects.push(Effect::Mouse(self.mouse));
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
    fn leave_dialog_for_tab(&mut self, index: usize) {
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

    /// Handles Ctrl+C: stops what runs in front; otherwise the second press quits.
    fn handle_interrupt(&mut self) {
        if self.with_tab(self.front, |tab, cx| tab.interrupt(cx)) {
            return;
        }
        if self.input.interrupted.take().is_some_and(|at| self.now.duration_since(at) <= QUIT_WINDOW) {
            return self.quit();
        }
        self.input.interrupted = Some(self.now);
        self.notices.say_for(Notice::warn("press ^C again to quit"), QUIT_WINDOW, self.now, self.unix_ms);
    }

    /// Passes an offer to the tab that takes it; if several do, the user chooses.
    pub(super) fn pass_offer(&mut self, offer: Offer) {
        let takers: Vec<(usize, &'static str)> =
            self.tabs.iter().enumerate().filter_map(|(index, tab)| Some((index, tab.takes(&offer)?))).collect();
        match takers.as_slice() {
            [] => self.say(Notice::warn("no tab can receive this yet")),
            [(index, _)] => self.give_offer(*index, offer),
            _ => {
                let items = takers.iter().map(|(index, does)| Item::new(*index, *does, "")).collect();
                let chosen = move |index, _: &str| DialogAnswer::Give(index, offer.clone());
                self.dialogs.open(PickerDialog::new(Picker::new("Where to?", items), "send", chosen));
            }
        }
    }

    /// Brings a tab to the front and gives it an offer.
    pub(super) fn give_offer(&mut self, index: usize, offer: Offer) {
        self.pass_endpoint(index);
        self.go_to_tab(index);
        self.with_tab(index, |tab, cx| tab.accept(offer, cx));
    }
}
