//! The palette: every command of the tab in front, of the shell and of the other tabs.

use super::App;
use super::dialog_answer::{DialogAnswer, PaletteCommand};
use super::dialogs::PickerDialog;
use super::keys::{Action, ShellState, THEME_WORDS};
use crate::component::{Command, money};
use crate::text::Untrusted;
use crate::ui::picker::{Item, Picker};

/// How many palette entries count as recent.
const RECENT: usize = 8;

impl App {
    /// Opens the palette: recent commands first, then the tab's, the shell's and those of other tabs.
    pub(super) fn open_palette(&mut self) {
        let mut items = self.tab_items(self.front);
        items.extend(self.shell_items());
        for index in (0..self.tabs.len()).filter(|index| *index != self.front) {
            let label = format!("Go to {}", self.tabs[index].title());
            items.push(
                Item::new(PaletteCommand::Act(Action::Go(index)), label, (index + 1).to_string())
                    .keywords("tab switch open"),
            );
        }
        for index in (0..self.tabs.len()).filter(|index| *index != self.front) {
            items.extend(self.tab_items(index).into_iter().map(Item::elsewhere));
        }
        let place = |label: &str| self.recent.iter().position(|recent| recent == label).unwrap_or(RECENT);
        items.sort_by_key(|item| place(item.label()));
        let chosen = |command, label: &str| DialogAnswer::PaletteCommand(command, label.to_owned());
        self.dialogs.open(PickerDialog::new(Picker::new("Commands", items), "run", chosen));
    }

    /// Returns a tab's commands, with its name if it is not in front.
    fn tab_items(&self, index: usize) -> Vec<Item<PaletteCommand>> {
        let tab = &self.tabs[index];
        let item = |command: Command| {
            let named = index == self.front || command.title.starts_with(tab.title());
            let label = if named { command.title } else { format!("{}: {}", tab.title(), command.title) };
            let item = Item::new(PaletteCommand::Tab(index, command.id), label, self.named_key(command.key))
                .keywords(command.keywords);
            disabled(item, command.disabled)
        };
        tab.commands().into_iter().map(item).collect()
    }

    /// Returns the shell's commands, with the profiles, models and themes to choose from.
    fn shell_items(&self) -> Vec<Item<PaletteCommand>> {
        let has_defaults = self.session.defaults(&self.session.profile, &self.model()).is_some();
        let state = ShellState { is_local: self.session.local, has_defaults };
        let has_params = self.has_params();
        let mut items = Vec::new();
        for (action, command) in self.input.keys.palette(&state) {
            if !has_params && matches!(action, Action::KeepParams | Action::ForgetParams) {
                continue;
            }
            let detail = self.detail(action).unwrap_or_else(|| self.named_key(command.key).into());
            let item = Item::new(PaletteCommand::Act(action), command.title, detail).keywords(command.keywords);
            items.push(disabled(item, command.disabled));
            match action {
                Action::ChooseModel => items.extend(self.profile_choices()),
                Action::Facts => items.extend(self.model_choices()),
                Action::ChooseTheme => items.extend(self.theme_choices()),
                _ => {}
            }
        }
        items
    }

    /// Returns what stands beside an action of the shell; `None`: its key.
    fn detail(&self, action: Action) -> Option<Untrusted> {
        Some(match action {
            Action::NewKey | Action::Facts => self.session.profile_name.clone(),
            Action::KeepParams | Action::ForgetParams => self.model(),
            Action::Cost => money::total(self.session.today).into(),
            Action::Mouse => if self.mouse { "on" } else { "off" }.into(),
            _ => return None,
        })
    }

    fn profile_choices(&self) -> impl Iterator<Item = Item<PaletteCommand>> {
        self.profiles.iter().map(|profile| {
            let label = format!("Profile: {}", profile.name.line());
            let item = Item::new(PaletteCommand::Profile(profile.id.clone()), label, profile.host.clone());
            item.keywords("switch change use server")
        })
    }

    fn model_choices(&self) -> impl Iterator<Item = Item<PaletteCommand>> {
        self.session.models.iter().map(|model| {
            let item = Item::new(PaletteCommand::Model(model.clone()), format!("Model: {}", model.line()), "");
            item.keywords("switch change use")
        })
    }

    fn theme_choices(&self) -> impl Iterator<Item = Item<PaletteCommand>> {
        let item = |choice, name: &str| {
            let (command, label) = (PaletteCommand::Theme(choice), format!("Theme: {name}"));
            self.themes.item(command, label, choice).keywords(THEME_WORDS)
        };
        self.themes.choices().map(move |(choice, name)| item(choice, name))
    }

    /// Remembers that an entry was chosen.
    pub(super) fn remember_command(&mut self, label: String) {
        self.recent.retain(|recent| *recent != label);
        self.recent.insert(0, label);
        self.recent.truncate(RECENT);
    }

    /// Runs a command.
    pub(super) fn run_command(&mut self, command: PaletteCommand) {
        match command {
            PaletteCommand::Act(action) => self.run_action(action),
            PaletteCommand::Tab(index, id) => {
                if self.lacks_endpoint() && index == self.front {
                    self.open_anyway();
                }
                self.pass_endpoint(index);
                if index != self.front {
                    self.go_to_tab(index);
                }
                self.with_tab(index, |tab, cx| tab.command(id, cx));
            }
            PaletteCommand::Model(model) => self.set_model(model),
            PaletteCommand::Profile(id) => self.set_profile(&id),
            PaletteCommand::Theme(choice) => self.use_theme(choice),
        }
    }
}

/// Returns an entry that cannot be chosen now if there is a reason.
fn disabled(item: Item<PaletteCommand>, reason: Option<String>) -> Item<PaletteCommand> {
    match reason {
        Some(reason) => item.disabled(reason),
        None => item,
    }
}
