//! Dialogs over a tab: help, past notices, palette, pickers, the profile form, the question before quitting.

use std::fmt;
use std::sync::LazyLock;
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::dialog_answer::DialogAnswer;
use super::notices::PastNotice;
use super::page_rows::Row;
use super::pages::TextPages;
use super::{App, Effect};
use crate::component::{
    Bindings, Component, Cx, DialogHelp, FindBar, Handled, Hint, Modals, RenderContext, Session, Step, THIS_DIALOG,
    bind, help_in_use_first,
};
use crate::text::Untrusted;
use crate::ui::key_table::{KeyContext, KeyPlace, ListedKeys};
use crate::ui::overlay::{Answer, Confirm};
use crate::ui::picker::{Item, Picked, Picker};
use crate::ui::vim;

/// Subject of notices about which profile is in use, and with which key.
pub(super) const PROFILE: &str = "profile";

/// What a key does in a list beside what it does in every picker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PickerAction {
    /// Uses the typed text even if it matches a listed name; a server may not list all its models.
    UseTyped,
    /// Opens the page about the items.
    Details,
}

/// Which of these keys a list has.
#[derive(Clone, Copy, Debug)]
struct PickerExtras {
    uses_typed: bool,
    has_page: bool,
}

static PICKER_KEYS: LazyLock<Bindings<PickerAction, PickerExtras>> = LazyLock::new(|| {
    Bindings::while_typing(
        KeyContext::new("picker-entries").ignoring_shift().used_in(KeyPlace::ShellDialog),
        vec![
            bind("alt-enter", PickerAction::UseTyped, "use what is typed", "use what is typed, whatever it matches")
                .disabled_when(|extras| (!extras.uses_typed).then_some("no other name can be used")),
            bind("ctrl-o", PickerAction::Details, "details", "details of the entries")
                .disabled_when(|extras| (!extras.has_page).then_some("the entries have no page")),
        ],
    )
});

/// The key that quits at once when it is pressed again.
static QUIT_KEYS: LazyLock<Bindings<(), ()>> = LazyLock::new(|| {
    Bindings::new(
        KeyContext::new("quit").used_in(KeyPlace::ShellDialog),
        vec![bind("ctrl-c", (), "", "quit").named(&["quit"])],
    )
});

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
    /// Whether it dims what is behind it.
    dims: bool,
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
        Self { picker, verb, chosen: Box::new(chosen), typed: None, page: None, dims: true }
    }

    /// Accepts a typed name that is not listed, too.
    pub(super) fn or_typed(self, answer: fn(Untrusted) -> DialogAnswer) -> Self {
        Self { picker: self.picker.accepting_typed(), typed: Some(answer), ..self }
    }

    /// Sets the page with more about the items that Ctrl+O opens.
    pub(super) fn with_page(self, answer: fn(Option<T>) -> DialogAnswer) -> Self {
        Self { page: Some(answer), ..self }
    }

    /// Leaves what is behind it as bright as it is.
    pub(super) fn without_dimming(self) -> Self {
        Self { dims: false, ..self }
    }

    fn extras(&self) -> PickerExtras {
        let uses_typed = self.typed.is_some() && self.picker.typed().is_some();
        PickerExtras { uses_typed, has_page: self.page.is_some() }
    }
}

impl<T: Clone> Component<Step<DialogAnswer>> for PickerDialog<T> {
    fn key(&mut self, key: KeyEvent, _cx: &mut Cx) -> Handled<Step<DialogAnswer>> {
        let action = PICKER_KEYS.find_enabled(&key, &self.extras());
        let picked = match (action, self.picker.typed(), self.page) {
            (Some(PickerAction::UseTyped), Some(name), _) => Picked::Typed(name.to_owned()),
            (Some(PickerAction::Details), _, Some(answer)) => {
                return Handled::answer(answer(self.picker.selected_item().map(|item| item.value.clone())));
            }
            _ => self.picker.key(&key),
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
        hints.extend(PICKER_KEYS.footer(&[PickerAction::UseTyped, PickerAction::Details], &self.extras()));
        hints
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        let extras = PickerExtras { uses_typed: self.typed.is_some(), ..self.extras() };
        vec![(THIS_DIALOG, [PICKER_KEYS.help_enabled(&extras), Hint::help_of_picker(self.verb)].concat())]
    }

    fn typing(&self) -> bool {
        true
    }

    fn dims(&self) -> bool {
        self.dims
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
        if QUIT_KEYS.find(&key).is_some() {
            return Handled::answer(DialogAnswer::Quit);
        }
        match self.0.key(key) {
            Answer::Open => Handled::Consumed,
            Answer::Cancelled => Handled::close(),
            Answer::Chosen => Handled::answer(DialogAnswer::Quit),
        }
    }

    fn hints(&self) -> Vec<Hint> {
        Hint::of_question(&self.0)
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        vec![(THIS_DIALOG, [QUIT_KEYS.help(), Hint::help_of_question(&self.0)].concat())]
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
        let mut effects = Vec::new();
        let mut cx = Cx::new(&self.session, self.now, self.unix_ms, &mut self.requests.last_ticket, &mut effects);
        let handled = pass(&mut self.dialogs, &mut cx);
        for effect in effects {
            match effect {
                Effect::EditText => self.effects.extend(self.dialogs.editable().map(Effect::OpenEditor)),
                Effect::Notify(notice) => self.say(notice),
                Effect::ResolveNotice(about) => self.notices.resolve(about),
                effect => self.effects.push(effect),
            }
        }
        let Handled::Emit(answer) = handled else { return };
        match answer {
            DialogAnswer::Command(command) => self.run_command(command),
            DialogAnswer::PaletteCommand(command, label) => {
                self.remember_command(label);
                self.run_command(command);
            }
            DialogAnswer::Give(index, offer) => self.give_offer(index, offer),
            DialogAnswer::Profile(answer) => self.handle_profile_answer(answer),
            DialogAnswer::Fact(answer) => self.handle_fact_answer(answer),
            DialogAnswer::Models(answer) => self.handle_models_answer(answer),
            DialogAnswer::Quit => self.effects.push(Effect::Quit),
        }
    }

    /// Returns whether the top dialog is a text to read: the help or past notices.
    pub(super) fn shows_text(&self) -> bool {
        self.dialogs.top::<TextPages>().is_some()
    }

    /// Returns every key that works now by context: those of the dialog over the screen or of the find bar, or those of
    /// the tab in front after those of its dialog.
    fn keys_by_context(&self) -> Vec<(&'static str, Vec<Hint>)> {
        let tab = &self.tabs[self.front];
        if self.dialogs.is_open() {
            return self.dialogs.help();
        }
        let groups = match tab.dialog_help() {
            _ if self.lacks_endpoint() => Self::missing_endpoint_help(),
            DialogHelp::FindBar => return vec![FindBar::help_group()],
            DialogHelp::Dialog(groups) => groups,
        };
        let of_tab = tab.help();
        let of_tab = if of_tab.is_empty() { vec![(tab.title(), tab.hints())] } else { of_tab };
        if groups.is_empty() {
            return of_tab;
        }
        // A dialog takes all keys. A tab may list those of its dialogs too.
        let others = of_tab
            .into_iter()
            .filter(|(name, hints)| !hints.is_empty() && groups.iter().all(|(shown, _)| shown != name));
        help_in_use_first([(true, groups.clone()), (false, others.collect())])
    }

    /// Opens the help with the keys of what is in front, then those of the shell.
    pub(super) fn open_help(&mut self) {
        let mut rows = Vec::new();
        let mut groups = self.keys_by_context();
        self.add_vim_commands(&mut groups);
        for (context, hints) in groups {
            let heading = if hints.is_empty() { Row::Part } else { Row::Heading };
            rows.push(heading(context.to_owned()));
            rows.extend(self.named_keys(hints).into_iter().map(Row::Key));
        }
        rows.push(Row::Compact("Everywhere".to_owned()));
        rows.extend(self.named_keys(self.input.keys.help(self.tabs.len())).into_iter().map(Row::Key));
        self.dialogs.open(TextPages::new(format!("Help · {}", self.tabs[self.front].title()), rows));
    }

    /// Adds the commands of vim, if text boxes have modes and one has the keys or could be given them: what lies over the
    /// tab takes all keys.
    fn add_vim_commands(&self, groups: &mut Vec<(&'static str, Vec<Hint>)>) {
        let is_in_use = self.in_vim_text_box();
        let is_covered = self.dialogs.is_open()
            || self.lacks_endpoint()
            || self.tabs[self.front].dialog_help() != DialogHelp::Dialog(Vec::new());
        if !is_in_use && (is_covered || !vim::is_enabled()) {
            return;
        }
        // What is not in use is below a heading without keys.
        let elsewhere = groups.iter().position(|(_, hints)| hints.is_empty()).filter(|_| is_in_use);
        let commands = vim::COMMANDS.map(|(keys, does)| Hint::new(keys, does)).into();
        groups.insert(elsewhere.unwrap_or(groups.len()), ("Text boxes: commands of vim", commands));
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

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![PICKER_KEYS.listed(), QUIT_KEYS.listed()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_means_two_things() {
        assert_eq!([PICKER_KEYS.keymap().clashes(), QUIT_KEYS.keymap().clashes()].concat(), []);
    }
}
