//! The palette: every command of the tab in front, of the shell and of the other tabs.

use super::dialog_answer::{DialogAnswer, PaletteCommand};
use super::dialogs::PickerDialog;
use super::keys::Action;
use super::{App, Effect};
use crate::component::Notice;
use crate::component::money;
use crate::ui::picker::{Item, Picker};
use crate::ui::theme::Kind;

/// How many palette entries count as recent.
const RECENT: usize = 8;

impl App {
    /// Opens the palette: recent commands first, then the tab's, the shell's and those of other tabs.
    pub(super) fn open_palette(&mut self) {
        let mut items = self.tab_items(self.front);
        items.extend(self.server_items());
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
        let item = |command: crate::component::Command| {
            let named = index == self.front || command.title.starts_with(tab.title());
            let label = if named { command.title } else { format!("{}: {}", tab.title(), command.title) };
            let item = Item::new(PaletteCommand::Tab(index, command.id), label, command.key).keywords(command.keywords);
            match command.disabled {
                Some(why) => item.disabled(why),
                None => item,
            }
        };
        tab.commands().into_iter().map(item).collect()
    }

    /// Returns the commands for models and profiles.
    fn server_items(&self) -> Vec<Item<PaletteCommand>> {
        let choose = Item::new(PaletteCommand::ChooseProfile, "Profile: choose…", "");
        let mut items = vec![
            choose.keywords(
                "profiles switch change server provider account endpoint list manage edit rename duplicate delete order test",
            ),
            Item::new(PaletteCommand::ChooseModel, "Model: choose…", "m").keywords("switch change select"),
        ];
        for profile in &self.profiles {
            let label = format!("Profile: {}", profile.name.line());
            let item = Item::new(PaletteCommand::Profile(profile.id.clone()), label, profile.host.clone());
            items.push(item.keywords("switch change use server"));
        }
        items.push(Item::new(PaletteCommand::AddProfile, "Profile: add…", "").keywords("new server provider endpoint"));
        let new_key = Item::new(PaletteCommand::NewKey, "Profile: new key…", self.session.profile_name.clone());
        let new_key = new_key.keywords("api token secret login change");
        items.push(if self.session.local { new_key.disabled("the local service needs none") } else { new_key });
        let models = Item::new(PaletteCommand::Models, "Models: details, prices, favourites…", "");
        items.push(models.keywords("context owner hide hidden default list tokens cost"));
        items.extend(self.params_items());
        let facts = Item::new(PaletteCommand::Facts, "Server: what is known…", self.session.profile_name.clone());
        items.push(facts.keywords("capabilities facts limits fields endpoints refused learned"));
        for model in &self.session.models {
            let item = Item::new(PaletteCommand::Model(model.clone()), format!("Model: {}", model.line()), "");
            items.push(item.keywords("switch change use"));
        }
        items.push(Item::new(PaletteCommand::Refresh, "Models: refresh", "").keywords("fetch again reload list"));
        items
    }

    /// Returns the commands for the parameter defaults of the model in use, in a tab whose requests have parameters.
    fn params_items(&self) -> Vec<Item<PaletteCommand>> {
        if !self.has_params() {
            return Vec::new();
        }
        let model = self.model();
        let kept = self.session.defaults(&self.session.profile, &model).is_some();
        let keep = Item::new(PaletteCommand::KeepParams, "Parameters: keep as the model's defaults", model.clone());
        let forget = Item::new(PaletteCommand::ForgetParams, "Parameters: forget the model's defaults", model);
        let forget = forget.keywords("remove reset settings");
        let forget = if kept { forget } else { forget.disabled("none are kept for this model") };
        vec![keep.keywords("save settings temperature preset"), forget]
    }

    /// Returns the commands for the program as a whole.
    fn shell_items(&self) -> Vec<Item<PaletteCommand>> {
        let cost = Item::new(PaletteCommand::Cost, "Cost today", money::total(self.session.today));
        let config = Item::new(PaletteCommand::Config, "Config file: show and copy its path", "");
        let mut items = vec![
            cost.keywords("ledger usage spent price money billing"),
            config.keywords("settings preferences options configuration toml"),
        ];
        for kind in Kind::ALL {
            let used = self.theme.kind == kind;
            let label = format!("Theme: {}", kind.name());
            let item = Item::new(PaletteCommand::Theme(kind), label, if used { "in use" } else { "" });
            let item = item.keywords("colours colors appearance switch change");
            let colourless = self.appearance.terminal.no_colour && !used;
            items.push(if colourless { item.disabled("NO_COLOR is set") } else { item });
        }
        items.push(Item::new(PaletteCommand::Messages, "Messages", "").keywords("notices notifications log errors"));
        let mouse = if self.mouse { "on" } else { "off" };
        for (action, label, keywords) in [
            (Action::Help, "Help", "keys shortcuts bindings hotkeys manual"),
            (Action::Mouse, "Mouse on or off", "select selection click"),
            (Action::Repaint, "Repaint", "redraw refresh screen"),
            (Action::Suspend, "Suspend", "background"),
            (Action::Quit, "Quit", "exit close leave"),
        ] {
            let detail = if action == Action::Mouse { mouse.to_owned() } else { self.input.keys.key(action) };
            items.push(Item::new(PaletteCommand::Act(action), label, detail).keywords(keywords));
        }
        items
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
            PaletteCommand::ChooseModel => self.choose_model(),
            PaletteCommand::Model(model) => self.set_model(model),
            PaletteCommand::Models => self.open_models(None),
            PaletteCommand::KeepParams => self.keep_params(self.front, &self.model()),
            PaletteCommand::ForgetParams => self.forget_params(&self.model()),
            PaletteCommand::ChooseProfile => self.open_profiles(),
            PaletteCommand::Profile(id) => self.set_profile(&id),
            PaletteCommand::AddProfile => self.open_profile_form(),
            PaletteCommand::NewKey => {
                let used = self.session.profile.clone();
                self.open_key_form(&used);
            }
            PaletteCommand::Theme(kind) => {
                self.appearance.choice = Some(kind);
                self.theme = self.appearance.theme();
            }
            PaletteCommand::Messages => self.open_messages(),
            PaletteCommand::Facts => self.open_facts(),
            PaletteCommand::Refresh => self.fetch_models(),
            PaletteCommand::Config => {
                let path = self.session.found.config.clone();
                let said = Notice::info(format!("the config file is {}", path.line())).about("config");
                self.say(said);
                self.effects.push(Effect::Copy(path));
            }
            PaletteCommand::Cost => {
                let (cost, profile) = (money::total(self.session.today), self.session.profile_name.line());
                let unknown = self.session.today.is_some_and(|cost| cost.unknown);
                let more = if unknown { "; the prices of some answers are unknown" } else { "" };
                let said = Notice::info(format!("spent today with {profile}: {cost}{more}")).about("cost");
                self.say(said);
            }
        }
    }
}
