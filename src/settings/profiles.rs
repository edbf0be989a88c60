//! All profiles, in their order: the local service, the environment's, then those of the config file as they stand
//! there.

use std::ops::Index;

use super::profile::{Profile, ProfileId};

/// Profiles by name, in order.
#[derive(Clone, Debug, Default)]
pub struct Profiles(Vec<(ProfileId, Profile)>);

impl Profiles {
    /// Returns a profile.
    pub fn get(&self, id: &ProfileId) -> Option<&Profile> {
        self.iter().find(|(other, _)| *other == id).map(|(_, profile)| profile)
    }

    /// Returns a profile to change.
    pub fn get_mut(&mut self, id: &ProfileId) -> Option<&mut Profile> {
        self.0.iter_mut().find(|(other, _)| other == id).map(|(_, profile)| profile)
    }

    /// Returns whether there is a profile of this name.
    pub fn contains_key(&self, id: &ProfileId) -> bool {
        self.get(id).is_some()
    }

    /// Replaces a profile, or adds it as the last one.
    pub fn insert(&mut self, id: ProfileId, profile: Profile) {
        match self.get_mut(&id) {
            Some(old) => *old = profile,
            None => self.0.push((id, profile)),
        }
    }

    /// Adds a profile before all others.
    pub(super) fn insert_first(&mut self, id: ProfileId, profile: Profile) {
        self.0.insert(0, (id, profile));
    }

    /// Removes a profile, and returns it.
    pub fn remove(&mut self, id: &ProfileId) -> Option<Profile> {
        let at = self.0.iter().position(|(other, _)| other == id)?;
        Some(self.0.remove(at).1)
    }

    /// Gives a profile another name.
    pub fn rename(&mut self, id: &ProfileId, to: ProfileId) {
        if let Some((name, _)) = self.0.iter_mut().find(|(other, _)| other == id) {
            *name = to;
        }
    }

    /// Puts the profiles into the order of these names; others stay before them.
    pub fn sort_as(&mut self, names: &[String]) {
        self.0.sort_by_key(|(id, _)| names.iter().position(|name| *name == id.0).map_or(0, |at| at + 1));
    }

    /// Returns the names and profiles, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&ProfileId, &Profile)> {
        self.0.iter().map(|(id, profile)| (id, profile))
    }

    /// Returns the names, in order.
    pub fn keys(&self) -> impl Iterator<Item = &ProfileId> {
        self.iter().map(|(id, _)| id)
    }

    /// Returns the profiles, in order.
    pub fn values(&self) -> impl Iterator<Item = &Profile> {
        self.iter().map(|(_, profile)| profile)
    }
}

impl Index<&ProfileId> for Profiles {
    type Output = Profile;

    /// Returns a profile.
    ///
    /// # Panics
    /// If there is no such profile.
    fn index(&self, id: &ProfileId) -> &Profile {
        self.get(id).expect("a profile of this name")
    }
}
