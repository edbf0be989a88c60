//! What is written into the config file: a choice for the next start, a new profile, another key.

use crate::record::CompletionParams;
use crate::settings::edit_fields::OpenedProfile;
use crate::settings::{PriceRow, Profile, ProfileId, parts};
use crate::text::Untrusted;

/// What the user chose for this start and the next, to be kept in the config file.
#[derive(Clone, Debug, PartialEq)]
pub enum StartupChoice {
    /// A profile.
    Profile(ProfileId),
    /// A theme, by its name; `None`: the one that fits the terminal.
    Theme(Option<String>),
    /// The model of a profile.
    Model(ProfileId, Untrusted),
    /// What tokens of a profile's model cost.
    Price(ProfileId, PriceRow),
    /// The parameters that requests to a profile's model begin with; none set: the server's own.
    Params(ProfileId, Untrusted, Box<CompletionParams>),
}

/// A profile of the config file with other settings, or a new one. Its `Debug` hides what may be a secret.
#[derive(Clone, Debug, PartialEq)]
pub struct EditedProfile {
    /// The profile as it was opened.
    pub opened: OpenedProfile,
    /// Its new name.
    pub name: ProfileId,
    /// Its new settings.
    pub profile: Profile,
}

/// A change to a profile of the config file.
#[derive(Clone, Debug, PartialEq)]
pub enum ProfileChange {
    /// It gets another name, and keeps its pasted key.
    Rename(ProfileId, ProfileId),
    /// A copy of it gets this name.
    Duplicate(ProfileId, ProfileId),
    /// It is deleted, with its pasted key.
    Delete(ProfileId),
    /// It changes places with the one above it.
    Up(ProfileId),
    /// It changes places with the one below it.
    Down(ProfileId),
    /// It gets other settings, or is added with them.
    Edit(Box<EditedProfile>),
}

/// A profile as it was entered in the form. Its `Debug` hides the key.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct NewProfile {
    /// Its name.
    pub name: String,
    /// Base URL including `/v1`.
    pub base_url: String,
    /// Where the key comes from.
    pub key: NewKeySource,
    /// Whether the key may go unencrypted to another machine.
    pub allow_http: bool,
}

impl std::fmt::Debug for NewProfile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewProfile")
            .field("name", &self.name)
            .field("base_url", &parts(&self.base_url).0)
            .finish_non_exhaustive()
    }
}

/// A new key for an existing profile. Its `Debug` hides the key.
#[derive(Clone, PartialEq, Eq)]
pub struct PastedKey {
    /// The profile whose key it is.
    pub profile: ProfileId,
    /// The key, to be kept in a private file.
    pub key: String,
}

impl std::fmt::Debug for PastedKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PastedKey").field("profile", &self.profile).finish_non_exhaustive()
    }
}

/// Where a key comes from.
#[derive(Clone, PartialEq, Eq, Default)]
pub enum NewKeySource {
    /// This environment variable.
    Env(String),
    /// The key itself, to be kept in a private file.
    Pasted(String),
    /// What this command prints.
    Command(String),
    /// The server wants none.
    #[default]
    None,
}
