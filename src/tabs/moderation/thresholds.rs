//! The user's own thresholds, a number for each category, under a name.

mod file;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use self::file::read;
use super::category::CategoryKey;
use crate::component::{Cx, Notice};
use crate::record::work::Done;
use crate::text::Untrusted;

/// The setting they are saved in.
pub(super) const SETTING: &str = "moderate.thresholds";
/// The threshold until the user sets one.
pub(super) const DEFAULT: f64 = 0.5;
/// One step of a threshold.
pub(super) const STEP: f64 = 0.01;
/// A large step of a threshold.
pub(super) const LEAP: f64 = 0.05;
/// Letters of a profile's name at most.
const NAME: usize = 40;

/// A named set of thresholds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ThresholdProfile {
    pub(super) name: String,
    /// The threshold of categories without their own, 0 to 1.
    #[serde(rename = "default")]
    pub(super) usual: f64,
    /// The categories' own thresholds, 0 to 1.
    #[serde(rename = "categories")]
    own: BTreeMap<String, f64>,
}

impl ThresholdProfile {
    /// Creates a profile with nothing but the default, 0.50.
    pub(super) fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), usual: DEFAULT, own: BTreeMap::new() }
    }

    /// Returns a category's threshold.
    pub(super) fn of(&self, key: &CategoryKey) -> f64 {
        self.own.get(key.as_str()).copied().unwrap_or(self.usual)
    }

    /// Sets a category's own threshold, kept within 0 and 1 and to hundredths.
    pub(super) fn set(&mut self, key: &CategoryKey, threshold: f64) {
        self.own.insert(key.as_str().to_owned(), hundredths(threshold));
    }

    /// Moves a category's threshold.
    pub(super) fn shift(&mut self, key: &CategoryKey, by: f64) {
        self.set(key, self.of(key) + by);
    }

    /// Moves the default, and with it all categories without their own threshold.
    pub(super) fn shift_usual(&mut self, by: f64) {
        self.usual = hundredths(self.usual + by);
    }

    /// Removes a category's own threshold. Returns whether it had one.
    pub(super) fn clear(&mut self, key: &CategoryKey) -> bool {
        self.own.remove(key.as_str()).is_some()
    }

    /// Counts the categories with a threshold of their own.
    pub(super) fn count(&self) -> usize {
        self.own.len()
    }
}

/// Rounds a threshold to hundredths within its bounds, so that steps add up.
fn hundredths(threshold: f64) -> f64 {
    (threshold * 100.0).round().clamp(0.0, 100.0) / 100.0
}

/// All profiles, and which one is in use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Thresholds {
    profiles: Vec<ThresholdProfile>,
    chosen: usize,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self { profiles: vec![ThresholdProfile::new("default")], chosen: 0 }
    }
}

impl Thresholds {
    /// Reads them as they were saved; what cannot be read is the default.
    pub(super) fn saved(json: &Untrusted) -> Self {
        let kept: Self = serde_json::from_str(json.raw()).unwrap_or_default();
        if kept.profiles.is_empty() {
            return Self::default();
        }
        Self { chosen: kept.chosen.min(kept.profiles.len() - 1), ..kept }
    }

    /// Returns them as JSON, to be saved.
    pub(super) fn json(&self) -> String {
        serde_json::to_string(self).expect("texts and numbers are always JSON")
    }

    /// Returns the profile in use.
    pub(super) fn profile(&self) -> &ThresholdProfile {
        &self.profiles[self.chosen]
    }

    /// Returns the profile in use, to be changed.
    pub(super) fn profile_mut(&mut self) -> &mut ThresholdProfile {
        &mut self.profiles[self.chosen]
    }

    /// Returns all profiles; there is at least one.
    pub(super) fn profiles(&self) -> &[ThresholdProfile] {
        &self.profiles
    }

    /// Returns the index of the profile in use.
    pub(super) fn chosen(&self) -> usize {
        self.chosen
    }

    /// Uses another profile.
    pub(super) fn choose(&mut self, at: usize) {
        self.chosen = at.min(self.profiles.len() - 1);
    }

    /// Adds a copy of the profile in use, and uses it. A name that is taken gets a number.
    pub(super) fn create(&mut self, name: &str) {
        let profile = ThresholdProfile { name: self.free_name(name), ..self.profile().clone() };
        self.add(profile);
    }

    /// Deletes a profile, but not the last one. Returns what was deleted.
    pub(super) fn delete(&mut self, at: usize) -> Option<ThresholdProfile> {
        if self.profiles.len() < 2 || at >= self.profiles.len() {
            return None;
        }
        let gone = self.profiles.remove(at);
        if self.chosen > at || self.chosen == self.profiles.len() {
            self.chosen -= 1;
        }
        Some(gone)
    }

    /// Adds a profile, and uses it. A name that is taken gets a number.
    pub(super) fn add(&mut self, profile: ThresholdProfile) {
        let profile = ThresholdProfile { name: self.free_name(&profile.name), ..profile };
        self.profiles.push(profile);
        self.chosen = self.profiles.len() - 1;
    }

    /// Returns a name for a new profile that no other profile has.
    fn free_name(&self, name: &str) -> String {
        let name: String = name.trim().chars().take(NAME).collect();
        let name = if name.is_empty() { "thresholds".to_owned() } else { name };
        let taken = |name: &str| self.profiles.iter().any(|profile| profile.name == name);
        let names = (1..).map(|n| if n == 1 { name.clone() } else { format!("{name} ({n})") });
        names.into_iter().find(|name| !taken(name)).unwrap_or_default()
    }

    /// Adds the profiles of a file that was read, and says what the result is. Returns whether some were added.
    pub(super) fn import(&mut self, done: Done, cx: &mut Cx) -> bool {
        let json = match done {
            Done::Read(json) => json,
            Done::Failed(why) => {
                cx.notify(Notice::error(why));
                return false;
            }
            _ => return false,
        };
        let profiles = match read(json.raw()) {
            Ok(profiles) => profiles,
            Err(why) => {
                cx.notify(Notice::error(format!("no thresholds were imported: {why}")));
                return false;
            }
        };
        let count = profiles.len();
        for profile in profiles {
            self.add(profile);
        }
        let name = &self.profile().name;
        let notice = if count == 1 {
            format!("“{name}” is in use")
        } else {
            format!("{count} profiles imported; “{name}” is in use")
        };
        cx.notify(Notice::ok(notice).about("thresholds"));
        true
    }

    /// Returns the profile in use as a file.
    pub(super) fn export(&self) -> String {
        let mut json = serde_json::to_string_pretty(self.profile()).expect("texts and numbers are always JSON");
        json.push('\n');
        json
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> CategoryKey {
        CategoryKey::of(&name.into())
    }

    fn of(profile: &ThresholdProfile, name: &str) -> String {
        format!("{:.2}", profile.of(&key(name)))
    }

    #[test]
    fn steps_stay_on_hundredths_and_within_bounds() {
        let mut profile = ThresholdProfile::new("x");
        for _ in 0..7 {
            profile.shift(&key("hate"), -STEP);
        }
        assert_eq!(of(&profile, "hate"), "0.43");
        assert_eq!(of(&profile, "other"), "0.50");
        for _ in 0..40 {
            profile.shift(&key("hate"), LEAP);
        }
        assert_eq!(of(&profile, "hate"), "1.00");
        for _ in 0..40 {
            profile.shift(&key("hate"), -LEAP);
        }
        assert_eq!(of(&profile, "hate"), "0.00");
        assert!(profile.clear(&key("hate")) && !profile.clear(&key("hate")));
        profile.shift_usual(-0.2);
        assert_eq!((of(&profile, "hate"), profile.count()), ("0.30".to_owned(), 0));
    }

    #[test]
    fn profiles_are_kept_chosen_made_and_deleted() {
        let mut all = Thresholds::default();
        all.profile_mut().set(&key("hate/threatening"), 0.3);
        all.create("strict");
        all.profile_mut().set(&key("hate_threatening"), 0.2);
        all.create("strict");
        assert_eq!(all.profile().name, "strict (2)");
        assert_eq!(of(all.profile(), "hate/threatening"), "0.20", "a new one begins as the one in use");
        assert_eq!(Thresholds::saved(&all.json().into()), all);
        assert_eq!(all.delete(2).map(|gone| gone.name), Some("strict (2)".to_owned()));
        assert_eq!(all.profile().name, "strict");
        all.choose(0);
        assert_eq!(of(all.profile(), "hate/threatening"), "0.30");
        assert!(all.delete(1).is_some() && all.delete(0).is_none(), "the last one stays");
        for odd in ["", "{}", "[]", r#"{"profiles":[],"chosen":3}"#] {
            assert_eq!(Thresholds::saved(&odd.into()), Thresholds::default(), "{odd}");
        }
    }

    #[test]
    fn what_is_exported_is_imported() {
        let mut all = Thresholds::default();
        all.create("strict");
        all.profile_mut().set(&key("self-harm/intent"), 0.25);
        all.profile_mut().shift_usual(0.1);
        assert_eq!(read(&all.export()), Ok(vec![all.profile().clone()]));
        let two = format!("[{}, {{\"default\": 1}}]", all.export());
        assert_eq!(read(&two).map(|all| all.len()), Ok(2));
    }
}
