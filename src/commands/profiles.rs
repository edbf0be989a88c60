//! `benchtop profiles`: lists the profiles.

use clap::Args;
use serde::Serialize;

use super::request::VERSION;
use super::{Output, Status, rows};
use crate::app::Profile;
use crate::settings::{KeySource, ProfileId};
use crate::text::Untrusted;

/// The command line of `benchtop profiles`.
#[derive(Clone, Copy, Debug, Args)]
pub struct ProfilesArgs {
    /// Print a line of JSON for each profile
    #[arg(long)]
    pub json: bool,
}

/// Lists the profiles: server, where the key comes from, model, and which one is in use.
pub fn run(args: ProfilesArgs, profiles: &[Profile], in_use: &ProfileId, out: &mut Output) -> Status {
    if args.json {
        for profile in profiles {
            out.json(&ProfileJson::of(profile, in_use));
        }
        return Status::Done;
    }
    let row = |profile: &Profile| {
        let mark = if profile.id == *in_use { "*" } else { "" };
        let key = Untrusted::from(profile.key.words());
        [Untrusted::from(mark), profile.id.0.as_str().into(), profile.host.clone(), key, profile.model.clone()]
    };
    let all: Vec<_> = profiles.iter().map(row).collect();
    rows::print(["", "PROFILE", "SERVER", "KEY", "MODEL"], &all, out);
    Status::Done
}

/// A profile as JSON.
#[derive(Debug, Serialize)]
struct ProfileJson<'a> {
    version: u32,
    name: &'a str,
    in_use: bool,
    /// Whether it is the local service.
    local: bool,
    /// Null: the local service, whose address is known when it runs.
    base_url: Option<&'a str>,
    /// `none`, `variable`, `command`, `keys_file` or `keyring`.
    key_from: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    key_variable: Option<&'a str>,
    /// Null: none is set.
    model: Option<&'a str>,
}

impl<'a> ProfileJson<'a> {
    fn of(profile: &'a Profile, in_use: &ProfileId) -> Self {
        let (key_from, key_variable) = match &profile.key {
            KeySource::None => ("none", None),
            KeySource::Env(name) => ("variable", Some(name.as_str())),
            KeySource::Command(_) => ("command", None),
            KeySource::Kept(_) => ("keys_file", None),
            KeySource::Keyring(_) => ("keyring", None),
        };
        Self {
            version: VERSION,
            name: &profile.id.0,
            in_use: profile.id == *in_use,
            local: profile.local,
            base_url: (!profile.local).then(|| profile.host.raw()),
            key_from,
            key_variable,
            model: (!profile.model.is_empty()).then(|| profile.model.raw()),
        }
    }
}
