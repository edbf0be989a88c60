//! The profiles of the config file, as they are read and changed while the program runs.

use std::env::VarError;
use std::sync::{Mutex, MutexGuard, PoisonError};

use benchtop::app::Profile;
use benchtop::component::{EditedProfile, NewKeySource, NewProfile, PastedKey, ProfileChange, StartupChoice};
use benchtop::settings::edit_fields::OpenedProfile;
use benchtop::settings::{self, Endpoint, KeySource, PriceRow, ProfileId, Profiles};
use benchtop::tokens::Tariff;

/// The profiles in memory and in the config file.
pub(super) struct SharedProfiles {
    /// Locked while the file changes: of two changes at a time one would be lost.
    profiles: Mutex<Profiles>,
    prices: Vec<PriceRow>,
    paths: settings::Paths,
    /// The variables that held keys at the start. They still do when their profiles have other keys.
    first_key_variables: Vec<String>,
}

impl SharedProfiles {
    pub(super) fn new(profiles: Profiles, prices: Vec<PriceRow>, paths: settings::Paths) -> Self {
        let first_key_variables = key_variables(&profiles);
        Self { profiles: Mutex::new(profiles), prices, paths, first_key_variables }
    }

    fn lock(&self) -> MutexGuard<'_, Profiles> {
        self.profiles.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns where a profile's requests go, with its key. Fails with a sentence.
    pub(super) fn resolve(&self, id: &ProfileId) -> Result<Endpoint, String> {
        let (profile, hidden) = {
            let profiles = self.lock();
            (profiles.get(id).cloned(), [&*self.first_key_variables, &*key_variables(&profiles)].concat())
        };
        let profile = profile.ok_or_else(|| format!("there is no profile {}: choose another", id.0))?;
        settings::resolve(&profile, &self.paths, env, &hidden)
    }

    /// Adds a profile. Returns all profiles.
    pub(super) fn add(&self, new: NewProfile) -> Result<Vec<Profile>, String> {
        let mut profiles = self.lock();
        if profiles.contains_key(&ProfileId(new.name.clone())) {
            return Err(format!("there is a profile {} already: add this one with another name", new.name));
        }
        let (id, profile) = write_profile(new, &self.paths)?;
        profiles.insert(id, profile);
        Ok(shown(&profiles, &self.prices))
    }

    /// Reads a profile of the config file, to be edited.
    pub(super) fn open(&self, id: &ProfileId) -> Result<OpenedProfile, String> {
        settings::edit_fields::open(&self.paths, id)
    }

    /// Changes a profile. Returns all profiles, and what could not be done besides.
    pub(super) fn change(&self, change: ProfileChange) -> Result<(Vec<Profile>, Option<String>), String> {
        let mut profiles = self.lock();
        let left = change_profile(change, &mut profiles, &self.paths)?;
        Ok((shown(&profiles, &self.prices), left))
    }

    /// Gives a profile another key. Returns all profiles.
    pub(super) fn replace_key(&self, new: PastedKey) -> Result<Vec<Profile>, String> {
        let mut profiles = self.lock();
        let profile = profiles.get_mut(&new.profile).ok_or("the profile is gone: choose another")?;
        profile.key = settings::keep::replace_key(&self.paths, &new.profile, profile, env, &new.key.into())?;
        Ok(shown(&profiles, &self.prices))
    }

    /// Stores a choice for the next start.
    pub(super) fn remember(&self, choice: StartupChoice) -> Result<(), String> {
        remember(choice, &self.paths, &mut self.lock())
    }
}

/// Returns the value of an environment variable.
pub(super) fn env(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Fails with a sentence if an environment variable has a value that is no text: it would count as not set.
pub(super) fn check_variable(name: &str) -> Result<(), settings::Unusable> {
    match std::env::var(name) {
        Err(VarError::NotUnicode(_)) => {
            Err(settings::Unusable(format!("the environment variable {name} is not UTF-8: correct it, or unset it")))
        }
        _ => Ok(()),
    }
}

/// Returns a profile's name as it is shown. The profile of flags and environment has no name: its host is shown
/// instead.
pub(super) fn name(id: &ProfileId, profile: Option<&settings::Profile>) -> String {
    match profile {
        Some(profile) if *id == ProfileId::env() => {
            let origin = settings::origin(&profile.base_url);
            origin.split_once("://").map_or(origin, |(_, host)| host).to_owned()
        }
        _ => id.0.clone(),
    }
}

/// Returns the profiles as the shell shows them.
pub(super) fn shown(profiles: &Profiles, prices: &[PriceRow]) -> Vec<Profile> {
    let show = |(id, profile): (&ProfileId, &settings::Profile)| {
        let local = *id == ProfileId::local();
        let host = if local { "inside benchtop".to_owned() } else { settings::parts(&profile.base_url).0.to_owned() };
        Profile {
            id: id.clone(),
            name: name(id, Some(profile)).into(),
            host: host.into(),
            model: profile.model.as_str().into(),
            key: profile.key.clone(),
            local,
            fine_tunes: profile.fine_tunes,
            params: profile.models.clone(),
            tariff: Tariff::new(&profile.base_url, &profile.prices, prices),
        }
    };
    profiles.iter().map(show).collect()
}

/// Returns the environment variables that hold keys, which child processes do not get.
pub(super) fn key_variables(profiles: &Profiles) -> Vec<String> {
    let named = profiles.values().filter_map(|profile| match &profile.key {
        KeySource::Env(name) => Some(name.clone()),
        _ => None,
    });
    std::iter::once("OPENAI_API_KEY".to_owned()).chain(named).collect()
}

/// Writes a new profile into the config file, and its key, if one was pasted, beside it.
fn write_profile(new: NewProfile, paths: &settings::Paths) -> Result<(ProfileId, settings::Profile), String> {
    let key = match new.key {
        NewKeySource::Env(name) => KeySource::Env(name),
        NewKeySource::Command(command) => KeySource::Command(command),
        NewKeySource::None => KeySource::None,
        NewKeySource::Pasted(key) => {
            settings::keep::keep_key(&paths.keys(), &new.name, settings::origin(&new.base_url), &key.into())?;
            KeySource::Kept(new.name.clone())
        }
    };
    let (id, mut profile) = (ProfileId(new.name), settings::Profile::new(new.base_url, key));
    profile.allow_http = new.allow_http;
    settings::keep::save_profile(&paths.config, &id, &profile)?;
    Ok((id, profile))
}

/// Changes a profile in the config file, and in memory. Returns what could not be done besides.
fn change_profile(
    change: ProfileChange,
    profiles: &mut Profiles,
    paths: &settings::Paths,
) -> Result<Option<String>, String> {
    use settings::edit;
    let mut left = None;
    match change {
        ProfileChange::Rename(from, to) => {
            left = edit::rename(paths, &from, &to)?;
            profiles.rename(&from, to.clone());
            if let Some(profile) = profiles.get_mut(&to) {
                profile.key = profile.key.renamed(&to.0);
            }
        }
        ProfileChange::Duplicate(from, to) => {
            edit::duplicate(paths, &from, &to)?;
            if let Some(profile) = profiles.get(&from).cloned() {
                let key = profile.key.renamed(&to.0);
                profiles.insert(to, settings::Profile { key, ..profile });
            }
        }
        ProfileChange::Delete(id) => {
            left = edit::delete(paths, &id)?;
            profiles.remove(&id);
        }
        ProfileChange::Edit(edited) => {
            let EditedProfile { opened, name, profile } = *edited;
            let id = if opened.exists() { opened.id.clone() } else { name.clone() };
            if id != name {
                edit::check_name(&paths.config, &name)?;
            }
            // The key is named after the profile, which gets its name when everything else is written.
            let written = settings::Profile { key: profile.key.renamed(&id.0), ..profile.clone() };
            settings::edit_fields::save(paths, &opened, &id, &written)?;
            profiles.insert(id.clone(), written);
            if id != name {
                left = edit::rename(paths, &id, &name)?;
                profiles.rename(&id, name.clone());
                profiles.insert(name, profile);
            }
        }
        ProfileChange::Up(id) => edit::shift(&paths.config, &id, true)?,
        ProfileChange::Down(id) => edit::shift(&paths.config, &id, false)?,
    }
    // What is written also counts if the file cannot be read again.
    if let Ok(order) = edit::order(&paths.config) {
        profiles.sort_as(&order);
    }
    Ok(left)
}

/// Stores a choice in the config file, a price of the environment's profile in the file of prices.
fn remember(choice: StartupChoice, files: &settings::Paths, profiles: &mut Profiles) -> Result<(), String> {
    let config = &files.config;
    match choice {
        // Without a file that says otherwise the local service is the first profile.
        StartupChoice::Profile(id) if id == ProfileId::local() && !config.exists() => Ok(()),
        StartupChoice::Profile(id) => settings::keep::set_default(config, &id),
        StartupChoice::Theme(None) if !config.exists() => Ok(()),
        StartupChoice::Theme(theme) => settings::keep::set_theme(config, theme.as_deref()),
        StartupChoice::Model(id, model) => {
            settings::keep::set_model(config, &id, model.raw())?;
            if let Some(profile) = profiles.get_mut(&id) {
                model.raw().clone_into(&mut profile.model);
            }
            Ok(())
        }
        StartupChoice::Price(id, row) => {
            let profile = profiles.get_mut(&id).ok_or("the profile is gone: choose another")?;
            settings::set_price(files, &id, &profile.base_url, &row)?;
            profile.prices.retain(|other| other.model != row.model || other.since.is_some());
            profile.prices.push(row);
            Ok(())
        }
        StartupChoice::Params(id, model, params) => {
            let profile = profiles.get_mut(&id).ok_or("the profile is gone: choose another")?;
            let model = model.line();
            settings::set_params(files, &id, &profile.base_url, &model, &params)?;
            settings::model_params::set_defaults(&mut profile.models, &model, *params);
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::path::Path;

    use super::*;
    use benchtop::record::CompletionParams;
    use benchtop::settings::edit_fields::open;

    const FILE: &str = "[profiles.work]\nbase_url = \"https://a.example/v1\"\nmodel = \"small\"\n";

    fn work(folder: &Path) -> (settings::Paths, Profiles, ProfileId) {
        let config = folder.join("config.toml");
        std::fs::write(&config, FILE).unwrap();
        let (paths, id) = (settings::Paths::find(Some(&config), Some(folder)).unwrap(), ProfileId("work".into()));
        let mut profiles = Profiles::default();
        profiles.insert(id.clone(), open(&paths, &id).unwrap().profile);
        (paths, profiles, id)
    }

    #[test]
    fn a_chosen_model_is_that_of_the_profile_from_then_on() {
        let folder = tempfile::tempdir().unwrap();
        let (paths, mut profiles, id) = work(folder.path());
        remember(StartupChoice::Model(id.clone(), "large".into()), &paths, &mut profiles).unwrap();
        assert_eq!(profiles[&id].model, "large");
        assert_eq!(shown(&profiles, &[])[0].model.raw(), "large");
    }

    #[test]
    fn defaults_of_a_model_hold_until_none_is_set_any_more() {
        let folder = tempfile::tempdir().unwrap();
        let (paths, mut profiles, id) = work(folder.path());
        let common = benchtop::record::ChatParams { temperature: Some(0.5), ..Default::default() };
        for params in [CompletionParams { common, ..Default::default() }, CompletionParams::default()] {
            let is_set = params != CompletionParams::default();
            remember(StartupChoice::Params(id.clone(), "m".into(), Box::new(params)), &paths, &mut profiles).unwrap();
            assert_eq!(shown(&profiles, &[])[0].params.contains_key("m"), is_set);
            assert_eq!(std::fs::read_to_string(&paths.config).unwrap().contains("temperature = 0.5"), is_set);
        }
    }

    #[test]
    fn a_name_that_is_taken_in_the_file_is_refused_before_anything_is_saved() {
        let folder = tempfile::tempdir().unwrap();
        let (paths, mut profiles, id) = work(folder.path());
        let opened = open(&paths, &id).unwrap();
        let file = format!("{FILE}[profiles.home]\nbase_url = \"https://b.example/v1\"\n");
        std::fs::write(&paths.config, &file).unwrap();
        let profile = settings::Profile { model: "large".into(), ..opened.profile.clone() };
        let edited = EditedProfile { opened, name: ProfileId("home".into()), profile };
        let why = change_profile(ProfileChange::Edit(Box::new(edited)), &mut profiles, &paths).unwrap_err();
        assert!(why.contains("of this name already"), "{why}");
        assert_eq!(std::fs::read_to_string(&paths.config).unwrap(), file);
        assert_eq!(profiles[&id].model, "small");
    }
}
