//! Routes input: the shell's own keys, then the top dialog, then the tab in front.

use std::time::{Duration, Instant};

use crossterm::event::{Event as Input, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::layout::Position;

use super::keys::{Action, ShellKeys};
use super::mouse_selection::MouseSelection;
use super::paste::PasteGuard;
use super::{App, keys, paste};
use crate::component::Notice;
use crate::tabs::Badge;
use crate::ui::editing::{CANCEL_PREFIX, EditAction};
use crate::ui::vim::{self, VimKeys};

/// Time within which the second Ctrl+C quits.
const QUIT_WINDOW: Duration = Duration::from_millis(1500);
/// How long the hint that Esc has nothing to close is shown.
const QUIT_HINT_TIME: Duration = Duration::from_secs(2);
/// Time after the last change of size before the screen is wrapped again.
const RESIZE_DELAY: Duration = Duration::from_millis(30);

/// State of the keys pressed before.
#[derive(Default)]
pub(super) struct InputState {
    pub(super) keys: ShellKeys,
    /// The mode of the text box, where text boxes have modes.
    pub(super) vim: VimKeys,
    /// Where the text box is that `vim` belongs to; `None`: no text box with modes has the keys.
    vim_place: Option<TextBoxPlace>,
    /// Where the left button of the mouse went down, while it is held.
    pub(super) mouse_down_at: Option<Position>,
    /// What is selected with the mouse.
    pub(super) selection: Option<MouseSelection>,
    paste_guard: PasteGuard,
    /// Time of the first Ctrl+C.
    interrupted_at: Option<Instant>,
    /// Whether it was said how to quit.
    has_shown_quit_hint: bool,
}

/// Where a text box is that has the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TextBoxPlace {
    tab: usize,
    in_shell_dialog: bool,
    in_tab_dialog: bool,
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
                self.input.paste_guard.note_paste(self.now);
                self.handle_paste(&paste::clean(&text));
            }
            Input::Mouse(event) => {
                self.frames.clock.touch_now(self.now);
                self.handle_mouse(event);
            }
            Input::Resize(width, height) => {
                (self.input.mouse_down_at, self.input.selection) = (None, None);
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
        // After Ctrl+X, Esc only ends that.
        let ends_prefix = key.code == KeyCode::Esc && self.is_prefix_pending();
        let key = if ends_prefix { KeyEvent::from(CANCEL_PREFIX) } else { key };
        if matches!(key.code, KeyCode::Char(_)) && !key.modifiers.contains(KeyModifiers::CONTROL) {
            self.input.paste_guard.note_char(self.now);
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
        if self.is_prefix_pending() { None } else { self.input.vim.translate(key) }
    }

    /// Returns where a text box is that has the keys.
    fn text_box_place(&self) -> TextBoxPlace {
        TextBoxPlace {
            tab: self.front,
            in_shell_dialog: self.dialogs.is_open(),
            in_tab_dialog: self.tabs[self.front].has_dialog(),
        }
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

    /// Returns whether the next key is one after Ctrl+X.
    pub(super) fn is_prefix_pending(&self) -> bool {
        if self.dialogs.is_open() {
            return self.dialogs.is_prefix_pending();
        }
        !self.lacks_endpoint() && self.tabs[self.front].is_prefix_pending()
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
            self.input.interrupted_at = None;
        }
        if self.dialogs.is_open() {
            return self.pass_key_to_dialog(key, action);
        }
        if let Some(action) = action {
            self.run_action(action);
            let changes_tab = matches!(action, Action::Go(_) | Action::Left | Action::Right);
            // Only after a key that a text box would take as text: Alt and a digit can be pressed in one again.
            if changes_tab && !typing && !self.lacks_endpoint() && !key.modifiers.contains(KeyModifiers::ALT) {
                self.with_tab(self.front, |tab, cx| tab.browse(cx));
            }
            return;
        }
        if self.lacks_endpoint() {
            return self.missing_endpoint_key(key);
        }
        match key.code {
            KeyCode::Enter
                if typing && key.modifiers.is_empty() && self.input.paste_guard.is_enter_pasted(self.now) =>
            {
                if let Some(newline) = EditAction::Newline.key() {
                    self.with_tab(self.front, |tab, cx| tab.key(newline, cx));
                }
            }
            // Esc with a modifier, as some terminals report it; Esc alone is `Action::Back`.
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

    /// Passes a key, which is that of an action of the shell or of none, to the top dialog, or carries the action out.
    fn pass_key_to_dialog(&mut self, key: KeyEvent, action: Option<Action>) {
        match action {
            Some(action @ (Action::Quit | Action::Suspend | Action::Repaint | Action::Mouse | Action::Pager)) => {
                self.run_action(action);
            }
            // In the help itself the key closes it.
            Some(Action::Help) if !self.shows_text() => self.open_help(),
            Some(Action::Go(index)) => self.leave_dialog_for_tab(index),
            _ => self.pass_to_dialog(|dialogs, cx| dialogs.key(key, cx)),
        }
    }

    /// Returns whether the next Esc dismisses a notice that stays: stopping what runs and closing a dialog come first.
    pub(super) fn escape_dismisses_notice(&self) -> bool {
        let tab = &self.tabs[self.front];
        let stops_or_closes = tab.badge() == Some(Badge::Busy) || tab.has_dialog();
        !self.dialogs.is_open() && !stops_or_closes && self.notices.has_kept(self.front)
    }

    /// Handles Esc: closes one layer, or says once how to quit if there is none left.
    pub(super) fn handle_escape(&mut self) {
        if self.escape_dismisses_notice() || self.lacks_endpoint() {
            return self.notices.dismiss_kept(self.front);
        }
        let idle = self.tabs[self.front].escape().is_none();
        self.with_tab(self.front, |tab, cx| tab.key(KeyEvent::from(KeyCode::Esc), cx));
        if idle && !self.notices.dismiss(self.front) && !std::mem::replace(&mut self.input.has_shown_quit_hint, true) {
            let said = Notice::info("nothing to go back to; q quits");
            self.notices.say_for(said, QUIT_HINT_TIME, self.now, self.unix_ms);
        }
    }

    /// Handles Ctrl+C: stops what runs in front; otherwise the second press quits.
    pub(super) fn handle_interrupt(&mut self) {
        if self.with_tab(self.front, |tab, cx| tab.interrupt(cx)) {
            return;
        }
        if self.input.interrupted_at.take().is_some_and(|at| self.now.duration_since(at) <= QUIT_WINDOW) {
            return self.quit();
        }
        self.input.interrupted_at = Some(self.now);
        self.notices.say_for(Notice::warn("press ^C again to quit"), QUIT_WINDOW, self.now, self.unix_ms);
    }
}
