//! What may lie over a tab: help, palette, pickers, the profile form, past notices, the question before quitting.

use super::keys::Action;
use super::pages::TextPages;
use super::profile_form::ProfileForm;
use crate::component::{Hint, Offer};
use crate::settings::ProfileId;
use crate::text::Untrusted;
use crate::ui::overlay::Confirm;
use crate::ui::picker::{Item, Picker};
use crate::ui::theme::Kind;

/// What notices are about that say which profile is in use, and with which key.
pub(super) const PROFILE: &str = "profile";

/// The one that is open.
pub(super) enum Overlay {
    /// Keys by context.
    Help(TextPages),
    /// All commands.
    Palette(Picker<PaletteCommand>),
    /// The server's models.
    Models(Picker<Untrusted>),
    /// Profiles; `None`: add one.
    Profiles(Picker<Option<ProfileId>>),
    /// Which tab takes an offer.
    Takers(Offer, Picker<usize>),
    /// A new profile, or a new key for one.
    Profile(Box<ProfileForm>),
    /// Past notices.
    Messages(TextPages),
    /// What would be lost by quitting.
    Quit(Confirm),
}

impl Overlay {
    /// Which of several tabs takes an offer.
    pub(super) fn takers(offer: Offer, takers: &[(usize, &'static str)]) -> Self {
        let items = takers.iter().map(|(index, does)| Item::new(*index, *does, "")).collect();
        Self::Takers(offer, Picker::new("Where to?", items))
    }

    /// Pasted text.
    pub(super) fn paste(&mut self, text: &str) {
        match self {
            Self::Palette(picker) => picker.paste(text),
            Self::Models(picker) => picker.paste(text),
            Self::Profiles(picker) => picker.paste(text),
            Self::Takers(_, picker) => picker.paste(text),
            Self::Profile(form) => form.paste(text),
            Self::Help(pages) | Self::Messages(pages) => pages.paste(text),
            Self::Quit(_) => {}
        }
    }

    /// Keys for the footer.
    pub(super) fn hints(&self) -> Vec<Hint> {
        match self {
            Self::Help(pages) | Self::Messages(pages) => pages.hints(),
            Self::Quit(_) => vec![Hint::new("←→", "choose"), Hint::new("⏎", "do it"), Hint::new("esc", "stay")],
            Self::Profile(form) => form.hints(),
            Self::Models(picker) => {
                let mut hints = vec![Hint::new("↑↓", "choose"), Hint::new("⏎", "use")];
                if picker.typed().is_some() {
                    hints.push(Hint::new("alt+⏎", "use what is typed"));
                }
                hints.push(Hint::new("esc", "close"));
                hints
            }
            _ => vec![Hint::new("↑↓", "choose"), Hint::new("⏎", "run"), Hint::new("esc", "close")],
        }
    }
}

/// What a palette entry does.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PaletteCommand {
    /// One of the shell's keys.
    Act(Action),
    /// A tab's command.
    Tab(usize, &'static str),
    /// Choose a model from the list.
    ChooseModel,
    /// Use this model.
    Model(Untrusted),
    /// Choose a profile from the list.
    ChooseProfile,
    /// Use this profile.
    Profile(ProfileId),
    /// The form.
    AddProfile,
    /// Its page for another key of the profile in use.
    NewKey,
    /// Draw with these colours until the end.
    Theme(Kind),
    /// Past notices.
    Messages,
    /// Fetch the models again.
    Refresh,
    /// Say where the config file is, and copy that.
    Config,
    /// Say what today cost.
    Cost,
}
