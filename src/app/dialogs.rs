//! Dialogs over a tab: help, past notices, palette, pickers, the profile form, the question before quitting.

use std::fmt;
use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Frame;
use ratatui::layout::Rect;

use super::dialog_answer::DialogAnswer;
use super::notices::PastNotice;
use super::pages::{Row, TextPages};
use super::{App, Effect};
use crate::component::{Component, Cx, Handled, Hint, Modals, RenderContext, Session, Step};
use crate::text::Untrusted;
use crate::ui::overlay::{Answer, Confirm};
use crate::ui::picker::{Item, Picked, Picker};

/// Subject of notices about which profile is in use, and with which key.
pub(super) const PROFILE: &str = "profile";

/// Makes the answer from a choice and its label.
type OnChoice<T> = Box<dyn Fn(T, &str) -> DialogAnswer>;

/// A list to choose from.
pub(super) struct PickerDialog<T> {
    pub(super) picker: Picker<T>,
    /// The verb for Enter, for the footer.
    verb: &'static str,
    chosen: OnChoice<T>,
    /// Makes the answer from a typed name that is not listed; `None`: only listed items can be chosen.
    typed: Option<fn(Untrusted) -> DialogAnswer>,
    /// Makes the answer of Ctrl+O from the item under the cursor; `None`: the items have no page of their own.
    page: Option<fn(Option<T>) -> DialogAnswer>,
}

impl<T> fmt::Debug for PickerDialog<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PickerDialog").finish_non_exhaustive()
    }
}

impl<T: Clone> PickerDialog<T> {
    pub(super) fn new(
        picker: Picker<T>,
        verb: &'static str,
        chosen: impl Fn(T, &str) -> DialogAnswer + 'static,
    ) -> Self {
        Self { picker, verb, chosen: Box::new(chosen), typed: None, page: None }
    }

    /// Accepts a typed name that is not listed, too.
    pub(super) fn or_typed(self, answer: fn(Untrusted) -> DialogAnswer) -> Self {
        Self { picker: self.picker.accepting_typed(), typed: Some(answer), ..self }
    }

    /// Sets the page with more about the items that Ctrl+O opens.
    pub(super) fn with_page(self, answer: fn(Option<T>) -> DialogAnswer) -> Self {
        Self { page: Some(answer), ..self }
    }
}

impl<T: Clone> Component<Step<DialogAnswer>> for PickerDialog<T> {
    fn key(&mut self, key: KeyEvent, _cx: &mut Cx) -> Handled<Step<DialogAnswer>> {
        let opens_page = key.code == KeyCode::Char('o') && key.modifiers.contains(KeyModifiers::CONTROL);
        if let Some(answer) = self.page.filter(|_| opens_page) {
            return Handled::answer(answer(self.picker.selected_item().map(|item| item.value.clone())));
        }
        // Alt+Enter uses the typed text even if it matches a listed name; a server may not list all its models.
        let uses_typed = key.code == KeyCode::Enter && key.modifiers.contains(KeyModifiers::ALT);
        let picked = match self.picker.typed().filter(|_| uses_typed && self.typed.is_some()) {
            Some(name) => Picked::Typed(name.to_owned()),
            None => self.picker.key(&key),
        };
        match picked {
            Picked::Open => Handled::Consumed,
            Picked::Closed => Handled::close(),
            Picked::Typed(name) => self.typed.map_or(Handled::Consumed, |answer| Handled::answer(answer(name.into()))),
            Picked::Chosen(value) => {
                let label = self.picker.selected_item().map(Item::label).unwrap_or_default();
                Handled::answer((self.chosen)(value, label))
            }
        }
    }

    fn paste(&mut self, text: &str, _cx: &mut Cx) -> Handled<Step<DialogAnswer>> {
        self.picker.paste(text);
        Handled::Consumed
    }

    fn hints(&self) -> Vec<Hint> {
        let mut hints = Vec::new();
        if self.picker.selected_item().is_some() || self.typed.is_some() {
            hints.extend(Hint::of_picker(self.verb));
        }
        if self.typed.is_some() && self.picker.typed().is_some() {
            hints.push(Hint::new("alt+⏎", "use what is typed"));
        }
        if self.page.is_some() {
            hints.push(Hint::new("^O", "details"));
        }
        hints
    }

    fn typing(&self) -> bool {
        true
    }

    fn arrange(&mut self, area: Rect, session: &Session, _now: Instant) {
        self.picker.arrange(area, session.palette);
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        self.picker.render(frame, area, context.theme);
    }
}

/// The question before quitting, with what would be lost.
#[derive(Debug)]
pub(super) struct QuitDialog(pub(super) Confirm);

impl Component<Step<DialogAnswer>> for QuitDialog {
    fn key(&mut self, key: KeyEvent, _cx: &mut Cx) -> Handled<Step<DialogAnswer>> {
        if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) {
            return Handled::answer(DialogAnswer::Quit);
        }
        match self.0.key(key) {
            Answer::Open => Handled::Consumed,
            Answer::Cancelled => Handled::close(),
            Answer::Chosen => Handled::answer(DialogAnswer::Quit),
        }
    }

    fn hints(&self) -> Vec<Hint> {
        vec![Hint::new("←→", "choose"), Hint::new("⏎", "confirm")]
    }

    fn escape(&self) -> Option<&'static str> {
        Some("stay")
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        self.0.render(frame, area, context.theme);
    }
}

impl App {
    /// Passes a key or a text to the top dialog, and carries out its answer.
    pub(super) fn pass_to_dialog(
        &mut self,
        pass: impl FnOnce(&mut Modals<DialogAnswer>, &mut Cx) -> Handled<DialogAnswer>,
    ) {
        let mut cx = Cx::new(&self.session, self.now, self.unix_ms, &mut self.requests.last_ticket, &mut self.effects);
        let handled = pass(&mut self.dialogs, &mut cx);
        if self.effects.contains(&Effect::Edit) {
            self.effects.retain(|effect| *effect != Effect::Edit);
            self.effects.extend(self.dialogs.editable().map(Effect::OpenEditor));
        }
        let Handled::Emit(answer) = handled else { return };
        match answer {
            DialogAnswer::Command(command) => self.run_command(command),
            DialogAnswer::PaletteCommand(command, label) => {
                self.remember_command(label);
                self.run_command(command);
            }
            DialogAnswer::Give(index, offer) => self.give_offer(index, offer),
            DialogAnswer::AddProfile(profile) => self.effects.push(Effect::AddProfile(profile)),
            DialogAnswer::ReplaceKey(key) => self.effects.push(Effect::ReplaceKey(key)),
            DialogAnswer::Profile(answer) => self.handle_profile_answer(answer),
            DialogAnswer::Fact(answer) => self.handle_fact_answer(answer),
            DialogAnswer::Models(answer) => self.handle_models_answer(answer),
            DialogAnswer::Quit => self.effects.push(Effect::Quit),
        }
    }

    /// Opens the help with the keys of the tab in front, then those of the shell.
    pub(super) fn open_help(&mut self) {
        let tab = &self.tabs[self.front];
        let title = tab.title();
        let mut lines = Vec::new();
        for (context, hints) in tab.help() {
            lines.push(Row::Heading(context.to_owned()));
            lines.extend(hints.into_iter().map(Row::Key));
        }
        if lines.is_empty() {
            lines.push(Row::Heading(title.to_owned()));
            lines.extend(tab.hints().into_iter().map(Row::Key));
        }
        lines.push(Row::Heading("Everywhere".into()));
        lines.extend(self.input.keys.help().into_iter().map(Row::Key));
        lines.push(Row::Key(Hint::new("esc", "close, leave or stop, one level at a time; never quits")));
        self.dialogs.open(TextPages::new(format!("Help · {title}"), lines));
    }

    /// Opens the list of all notices so far.
    pub(super) fn open_messages(&mut self) {
        let line = |said: &PastNotice| Row::Notice(self.session.zone.time_of_day(said.unix_ms), said.notice.clone());
        let mut lines: Vec<Row> = self.notices.past().map(line).collect();
        if lines.is_empty() {
            lines.push(Row::Text("No messages yet.".into()));
        }
        self.dialogs.open(TextPages::new("Messages".to_owned(), lines));
    }
}
