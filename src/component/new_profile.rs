//! What is written into the config file: a choice for the next start, a new profile, another key.

use crate::record::CompletionParams;
use crate::settings::edit_fields::OpenedProfile;
use crate::settings::{PriceRow, Profile, ProfileId, parts};
use crate::text::Untrusted;

/// What the user chose for this time and the next, to be kept in the config file.
#[derive(Clone, Debug, PartialEq)]
pub enum StartupChoice {
    /// A profile.
    Profile(ProfileId),
    /// A profile's model.
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
    /// Its name from now on.
    pub name: ProfileId,
    /// Its settings from now on.
    pub profile: Profile,
}

/// What is to become of a profile of the config file.
#[derive(Clone, Debug, PartialEq)]
pub enum ProfileChange {
    /// It gets another name; its pasted key goes with it.
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

/// A profile as the form leaves it. Its `Debug` hides the key.
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

/// Another key for a profile there is. Its `Debug` hides the key.
#[derive(Clone, PartialEq, Eq)]
pub struct PastedKey {
    /// Whose it is.
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
