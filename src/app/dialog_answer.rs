//! Answers of the shell's dialogs.

use super::keys::Action;
use crate::component::facts::FactKey;
use crate::component::{EditedProfile, Offer, ProfileChange};
use crate::settings::ProfileId;
use crate::text::Untrusted;
use crate::ui::theme::Choice;

/// What a dialog of the shell asks for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum DialogAnswer {
    /// A command.
    Command(PaletteCommand),
    /// A command of the palette, by its name there.
    PaletteCommand(PaletteCommand, String),
    /// Pass an offer to a tab.
    Give(usize, Offer),
    /// An action on a profile.
    Profile(ProfileAnswer),
    /// An action on a fact about the server.
    Fact(FactAnswer),
    /// An action on a model.
    Models(ModelsAnswer),
    /// Quit now.
    Quit,
}

/// What the list of profiles answers.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ProfileAnswer {
    /// Use the profile.
    Use(ProfileId),
    /// Open the form for a new profile.
    Add,
    /// Choose among the templates for a new profile.
    Templates,
    /// Open the form for a template.
    Template(usize),
    /// Open the form with the profile's settings.
    Edit(ProfileId),
    /// Save the form.
    Save(Box<EditedProfile>),
    /// Open an editor on the text of a row of the form.
    EditText(&'static str),
    /// Store the text of a row of the form.
    Text(&'static str, String),
    /// Ask for another key.
    NewKey(ProfileId),
    /// Ask for the name of a copy.
    AskDuplicate(ProfileId),
    /// Ask for another name.
    AskRename(ProfileId),
    /// Ask whether it is to be deleted.
    AskDelete(ProfileId),
    /// Change the profile.
    Change(ProfileChange),
    /// Open its test.
    Test(ProfileId),
    /// Send the test's request.
    StartTest(ProfileId),
    /// Stop the test.
    StopTest,
    /// The action is not possible, for this reason.
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
    /// Make it a favourite, or undo that.
    Favourite(String),
    /// Hide it, or undo that.
    Hide(String),
    /// Ask for the tab whose default it is to be.
    AskTab(String),
    /// Make it the default of a tab.
    Default(usize, Untrusted),
    /// Ask for its price.
    AskPrice(String),
    /// Set its price: dollars for a million tokens of prompt, answer and cached prompt.
    Price(String, String),
    /// Keep the parameters of the tab in front as its defaults.
    KeepParams(String),
    /// Forget its defaults.
    ForgetParams(String),
    /// Fetch the list again.
    Refresh,
}

/// What the list of facts answers.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum FactAnswer {
    /// Forget a fact.
    Forget(FactKey),
    /// Show the requests of a probe.
    Probe,
    /// Send the requests of the probe.
    SendProbe,
    /// Stop the probe.
    StopProbe,
    /// Ask for a field to omit or rename.
    AskField,
    /// Omit or rename a field: `temperature`, `max_tokens=max_completion_tokens`.
    Field(String),
}

/// What a palette entry does.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PaletteCommand {
    /// An action of the shell.
    Act(Action),
    /// A command of a tab.
    Tab(usize, &'static str),
    /// Use this model.
    Model(Untrusted),
    /// Use this profile.
    Profile(ProfileId),
    /// Use this theme; `None`: the one that fits the terminal.
    Theme(Option<Choice>),
}
