//! The list of themes: the one under the cursor is shown until the list is closed.

use super::dialog_answer::{DialogAnswer, PaletteCommand};
use super::dialogs::PickerDialog;
use super::{App, Effect};
use crate::component::{Notice, StartupChoice};
use crate::ui::picker::Picker;
use crate::ui::theme::{Background, Choice};

/// The list of themes; `None` among them: the one that fits the terminal.
type ThemeDialog = PickerDialog<Option<Choice>>;

impl App {
    /// Opens the list of themes, with the cursor on the one in use.
    pub(super) fn choose_theme(&mut self) {
        let items = self.themes.choices().map(|(choice, name)| self.themes.item(choice, name, choice)).collect();
        let used = self.themes.appearance.choice;
        let mut picker = Picker::new("Themes", items);
        picker.select_where(|choice| *choice == used);
        let chosen = |choice, _: &str| DialogAnswer::Command(PaletteCommand::Theme(choice));
        // The screen behind it is what shows the colours.
        self.dialogs.open(PickerDialog::new(picker, "use", chosen).without_dimming());
    }

    /// Uses a theme from now on, and at the next start.
    pub(super) fn use_theme(&mut self, choice: Option<Choice>) {
        let appearance = &mut self.themes.appearance;
        appearance.choice = choice;
        let name = choice.and_then(|choice| appearance.name(choice)).map(str::to_owned);
        if choice.is_none() && appearance.background == Background::Unknown && appearance.theme().kind.has_surfaces() {
            // The terminal is asked for it at the start alone.
            self.say(Notice::info("from the next start on the theme fits the terminal's background").about("theme"));
        }
        self.effects.push(Effect::Remember(StartupChoice::Theme(name)));
    }

    /// Shows the theme under the cursor of the list of themes, or the one in use if that is not open.
    pub(super) fn follow_theme_list(&mut self) {
        let under_cursor = self.dialogs.find::<ThemeDialog>().and_then(|dialog| dialog.picker.selected_item());
        let shown = under_cursor.map_or(self.themes.appearance.choice, |item| item.value);
        if shown != self.themes.shown {
            self.themes.shown = shown;
            self.theme = self.themes.appearance.theme_of(shown);
        }
    }

    /// Fits the theme to the terminal's background.
    pub(super) fn handle_background(&mut self, background: Background) {
        let appearance = &mut self.themes.appearance;
        // The answer may have come in time.
        if background != Background::Unknown || appearance.background == Background::Asked {
            appearance.background = background;
            self.theme = appearance.theme_of(self.themes.shown);
        }
    }
}
