//! The themes: which there are, which one is in use, and which one is shown.

use crate::settings::theme_files::AUTOMATIC;
use crate::text::Untrusted;
use crate::ui::picker::Item;
use crate::ui::theme::{Appearance, Choice, Kind};

/// Which themes there are, and which is shown.
pub(super) struct Themes {
    pub(super) appearance: Appearance,
    /// The choice that is shown: the one that is used, or the one under the cursor of the list.
    pub(super) shown: Option<Choice>,
}

impl Themes {
    pub(super) fn new(appearance: Appearance) -> Self {
        Self { shown: appearance.choice, appearance }
    }

    /// Returns every choice with its name.
    pub(super) fn choices(&self) -> impl Iterator<Item = (Option<Choice>, &str)> {
        let named = self.appearance.choices().map(|(choice, name)| (Some(choice), name));
        named.chain([(None, AUTOMATIC)])
    }

    /// Returns the item of a choice in a list.
    pub(super) fn item<T>(&self, value: T, label: impl Into<Untrusted>, choice: Option<Choice>) -> Item<T> {
        let colourless = self.appearance.terminal.no_colour;
        let used = if colourless { Some(Choice::BuiltIn(Kind::Mono)) } else { self.appearance.choice };
        let detail = match choice {
            _ if choice == used => "in use",
            None => "fits the terminal",
            Some(Choice::Own(_)) => "your own",
            Some(Choice::BuiltIn(_)) => "",
        };
        let item = Item::new(value, label, detail);
        if colourless && choice != used { item.disabled("NO_COLOR is set") } else { item }
    }
}
