//! What the user does: keys, pastes and clicks become actions of the shell, or go to the tab in front.

use std::time::{Duration, Instant};

use crossterm::event::{Event as Input, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseEvent, MouseEventKind};

use super::dialog_answer::DialogAnswer;
use super::dialogs::PickerDialog;
use super::keys::{Action, ShellKeys};
use super::paste::PasteGuard;
use super::profile_editor::ProfileEditor;
use super::profile_form::ProfileForm;
use super::{App, Effect, keys, paste};
use crate::component::{Modals, Notice, Offer};
use crate::tabs::Badge;
use crate::ui::picker::{Item, Picker};

/// Time within which the second Ctrl+C quits.
const TWICE: Duration = Duration::from_millis(1500);
/// How long a resize has to rest before the screen is wrapped again.
const SETTLE: Duration = Duration::from_millis(30);

/// State of the keys pressed before.
#[derive(Default)]
pub(super) struct InputState {
    pub(super) keys: ShellKeys,
    guard: PasteGuard,
    /// Time of the first Ctrl+C.
    interrupted: Option<Instant>,
    told_quit: bool,
}

impl App {
    pub(super) fn input(&mut self, input: Input) {
        self.arrange(self.now);
        match input {
            // Some systems report releases too.
            Input::Key(key) if key.kind == KeyEventKind::Release => {}
            Input::Key(key) => {
                self.frames.clock.touch_now(self.now);
                self.key(key);
            }
            Input::Paste(text) => {
                self.frames.clock.touch_now(self.now);
                self.input.guard.paste(self.now);
                self.paste(&paste::clean(&text));
            }
            Input::Mouse(event) => {
                self.frames.clock.touch_now(self.now);
                self.mouse_event(event);
            }
            Input::Resize(width, height) => {
                self.resize(width, height);
                self.frames.clock.put_off(self.now, SETTLE);
            }
            Input::FocusGained | Input::FocusLost => {}
        }
    }

    fn paste(&mut self, text: &str) {
        if self.dialogs.is_open() {
            self.dialog(|dialogs, cx| dialogs.paste(text, cx));
        } else if !self.lacks_endpoint() {
            self.tab(self.front, |tab, cx| tab.paste(text, cx));
        }
    }

    fn key(&mut self, key: KeyEvent) {
        let typing = self.dialogs.is_open() || (!self.lacks_endpoint() && self.tabs[self.front].typing());
        if matches!(key.code, KeyCode::Char(_)) && !key.modifiers.contains(KeyModifiers::CONTROL) {
            self.input.guard.char(self.now);
        }
        let action = self.input.keys.action(&key, typing, self.tabs.len());
        if action != Some(Action::Interrupt) {
            self.input.interrupted = None;
        }
        if self.dialogs.is_open() {
            match action {
                Some(action @ (Action::Quit | Action::Suspend | Action::Repaint | Action::Mouse)) => self.act(action),
                Some(Action::Go(index)) => self.leave_for(index),
                _ => self.dialog(|dialogs, cx| dialogs.key(key, cx)),
            }
            return;
        }
        if let Some(action) = action {
            self.act(action);
            let tab = matches!(action, Action::Go(_) | Action::Left | Action::Right);
            if tab && !typing && !self.lacks_endpoint() && !key.modifiers.contains(KeyModifiers::ALT) {
                self.tab(self.front, |tab, cx| tab.browse(cx));
            }
            return;
        }
        if self.lacks_endpoint() {
            return self.missing_endpoint_key(key);
        }
        match key.code {
            KeyCode::Enter if typing && key.modifiers.is_empty() && self.input.guard.enter(self.now) => {
                let newline = KeyEvent::new(KeyCode::Char('j'), KeyModifiers::CONTROL);
                self.tab(self.front, |tab, cx| tab.key(newline, cx));
            }
            KeyCode::Esc => self.escape(key),
            _ => match keys::escaped_letter(&key).filter(|_| typing) {
                Some(letter) => {
                    self.escape(KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE));
                    self.key(KeyEvent::new(KeyCode::Char(letter), key.modifiers - KeyModifiers::ALT));
                }
                None => self.tab(self.front, |tab, cx| tab.key(key, cx)),
            },
        }
    }

    /// Returns whether the next Esc dismisses a notice that stays. Stopping what runs comes first, and so does closing
    /// a dialog.
    pub(super) fn esc_dismisses(&self) -> bool {
        let tab = &self.tabs[self.front];
        let first = tab.badge() == Some(Badge::Busy) || tab.has_dialog();
        !self.dialogs.is_open() && !first && self.notices.has_kept()
    }

    /// Handles Esc: closes one layer, or says once how to quit if there is none left.
    fn escape(&mut self, key: KeyEvent) {
        if self.esc_dismisses() {
            return self.notices.dismiss_kept();
        }
        let idle = self.tabs[self.front].escape().is_none();
        self.tab(self.front, |tab, cx| tab.key(key, cx));
        if idle && !self.notices.dismiss() && !std::mem::replace(&mut self.input.told_quit, true) {
            self.notices.say(Notice::info("nothing to go back to; q quits"), self.now, self.unix_ms);
        }
    }

    pub(super) fn act(&mut self, action: Action) {
        let last = self.tabs.len().saturating_sub(1);
        match action {
            Action::Go(index) => self.go(index),
            Action::Left => self.go(self.front.checked_sub(1).unwrap_or(last)),
            Action::Right => self.go(if self.front == last { 0 } else { self.front + 1 }),
            Action::Help => self.open_help(),
            Action::Palette => self.open_palette(),
            Action::Interrupt => self.interrupt(),
            Action::Quit => self.quit(),
            Action::Suspend => self.effects.push(Effect::Suspend),
            Action::Repaint => self.effects.push(Effect::Repaint),
            Action::NextProfile => self.step_profile(1),
            Action::ProfileBefore => self.step_profile(-1),
            Action::Mouse => {
                self.mouse = !self.mouse;
                self.effects.push(Effect::Mouse(self.mouse));
                let said = if self.mouse { "mouse on" } else { "mouse off: select text with the terminal" };
                self.notices.say(Notice::ok(said), self.now, self.unix_ms);
            }
        }
    }

    pub(super) fn go(&mut self, index: usize) {
        if index >= self.tabs.len() {
            return;
        }
        self.front = index;
        // Another tab does not show that failure.
        self.requests.failed = None;
        self.effects.push(Effect::Title(self.title()));
        self.enter(index);
    }

    /// Goes to a tab from a dialog, which is closed unless entered text would be lost.
    fn leave_for(&mut self, index: usize) {
        if self.dialogs.find::<ProfileForm>().is_some() || self.dialogs.find::<ProfileEditor>().is_some() {
            let said = Notice::info("esc closes the form and discards what you entered").about("form");
            return self.notices.say(said, self.now, self.unix_ms);
        }
        self.stop_test();
        self.stop_probe();
        self.dialogs = Modals::default();
        self.go(index);
    }

    pub(super) fn enter(&mut self, index: usize) {
        if !self.check_endpoint(index) {
            return;
        }
        self.tab(index, |tab, cx| tab.enter(cx));
    }

    /// Handles Ctrl+C: stops what runs in front; otherwise the second press quits.
    fn interrupt(&mut self) {
        let mut stopped = false;
        self.tab(self.front, |tab, cx| stopped = tab.interrupt(cx));
        if stopped {
            return;
        }
        if self.input.interrupted.take().is_some_and(|at| self.now.duration_since(at) <= TWICE) {
            return self.quit();
        }
        self.input.interrupted = Some(self.now);
        self.notices.say_for(Notice::warn("press ^C again to quit"), TWICE, self.now, self.unix_ms);
    }

    /// Passes an offer to the tab that takes it; if there are several the user chooses.
    pub(super) fn offer(&mut self, offer: Offer) {
        let takers: Vec<(usize, &'static str)> =
            self.tabs.iter().enumerate().filter_map(|(index, tab)| Some((index, tab.takes(&offer)?))).collect();
        match takers.as_slice() {
            [] => self.notices.say(Notice::warn("no tab can receive this yet"), self.now, self.unix_ms),
            [(index, _)] => self.give(*index, offer),
            _ => {
                let items = takers.iter().map(|(index, does)| Item::new(*index, *does, "")).collect();
                let chosen = move |index, _: &str| DialogAnswer::Give(index, offer.clone());
                self.dialogs.open(PickerDialog::new(Picker::new("Where to?", items), "send", chosen));
            }
        }
    }

    pub(super) fn give(&mut self, index: usize, offer: Offer) {
        self.pass_endpoint(index);
        self.go(index);
        self.tab(index, |tab, cx| tab.accept(offer, cx));
    }

    fn mouse_event(&mut self, event: MouseEvent) {
        if self.dialogs.is_open() {
            return;
        }
        if event.row == self.area.y {
            if matches!(event.kind, MouseEventKind::Down(_))
                && let Some(index) = self.tab_at(event.column)
            {
                self.go(index);
            }
            return;
        }
        if !self.lacks_endpoint() {
            self.tab(self.front, |tab, cx| tab.mouse(event, cx));
        }
    }
}
