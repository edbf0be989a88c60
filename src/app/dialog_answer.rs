//! Answers of the shell's dialogs.

use super::keys::Action;
use crate::component::facts::FactKey;
use crate::component::{EditedProfile, NewProfile, Offer, PastedKey, ProfileChange};
use crate::settings::ProfileId;
use crate::text::Untrusted;
use crate::ui::theme::Kind;

/// What a dialog of the shell asks for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum DialogAnswer {
    /// A command.
    Command(PaletteCommand),
    /// A command of the palette, by the name it has there.
    PaletteCommand(PaletteCommand, String),
    /// Hand an offer to a tab.
    Give(usize, Offer),
    /// Add this profile.
    AddProfile(Box<NewProfile>),
    /// Use this key from now on.
    ReplaceKey(Box<PastedKey>),
    /// What is to be done with a profile.
    Profile(ProfileAnswer),
    /// What is to be done with a fact about the server.
    Fact(FactAnswer),
    /// What is to be done with a model.
    Models(ModelsAnswer),
    /// Quit now.
    Quit,
}

/// What the list of profiles answers.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ProfileAnswer {
    /// Use it.
    Use(ProfileId),
    /// Open the form for a new one.
    Add,
    /// Choose among templates for a new one.
    Templates,
    /// Open the form for one of them.
    Template(usize),
    /// Open the form with its settings.
    Edit(ProfileId),
    /// Save what the form has.
    Save(Box<EditedProfile>),
    /// Open an editor on the text of a row of the form.
    EditText(&'static str),
    /// Take the text of a row of the form.
    Text(&'static str, String),
    /// Ask for another key.
    NewKey(ProfileId),
    /// Ask for the name of a copy.
    AskDuplicate(ProfileId),
    /// Ask for another name.
    AskRename(ProfileId),
    /// Ask whether it is to be deleted.
    AskDelete(ProfileId),
    /// Change it.
    Change(ProfileChange),
    /// Open its test.
    Test(ProfileId),
    /// Send the test's request.
    StartTest(ProfileId),
    /// Stop the test.
    StopTest,
    /// Nothing can be done, for this reason.
    Cannot(&'static str),
}

impl DialogAnswer {
    /// Returns the answer that uses a model in the tab in front.
    pub(super) fn use_model(model: Untrusted) -> Self {
        Self::Command(PaletteCommand::Model(model))
    }
}

/// What the page of models and the questions it asks answer; models by their ids.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ModelsAnswer {
    /// Open the page with the cursor on a model.
    Open(Untrusted),
    /// Make it a favourite, or no longer.
    Favourite(String),
    /// Hide it, or show it again.
    Hide(String),
    /// Ask for which tab it is to be the default.
    AskTab(String),
    /// Make it the default of a tab.
    Default(usize, Untrusted),
    /// Ask what it costs.
    AskPrice(String),
    /// It costs this: dollars for a million tokens of prompt, answer and cached prompt.
    Price(String, String),
    /// Fetch the list again.
    Refresh,
}

/// What the list of facts answers.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum FactAnswer {
    /// Forget one.
    Forget(FactKey),
    /// Show the requests of a probe.
    Probe,
    /// Send them.
    SendProbe,
    /// Send no more of them.
    StopProbe,
    /// Ask for a field that is to be left out or renamed.
    AskField,
    /// Leave out or rename a field: `temperature`, `max_tokens=max_completion_tokens`.
    Field(String),
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
    /// All that is known of the models.
    Models,
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
    /// What is known of the server.
    Facts,
    /// Fetch the models again.
    Refresh,
    /// Say where the config file is, and copy that.
    Config,
    /// Say what today cost.
    Cost,
}
