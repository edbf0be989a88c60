//! Thresholds of the user's own, a number for each category, under a name; and what a score means beside one.

use std::collections::BTreeMap;

use ratatui::style::Style;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::category::CategoryKey;
use crate::component::{Cx, Notice};
use crate::record::work::Done;
use crate::text::Untrusted;
use crate::ui::theme::Theme;

/// The setting they are saved in.
pub(super) const SETTING: &str = "moderate.thresholds";
/// The threshold where the user has set none.
pub(super) const DEFAULT: f64 = 0.5;
/// One step of a threshold.
pub(super) const STEP: f64 = 0.01;
/// Five steps.
pub(super) const LEAP: f64 = 0.05;
/// A score within this share of its threshold is near it.
const NEAR: f64 = 0.2;
/// Letters of a profile's name at most.
const NAME: usize = 40;
/// Profiles of one file at most.
const MOST: usize = 100;

/// A named set of thresholds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ThresholdProfile {
    pub(super) name: String,
    /// The threshold of a category that has none of its own, 0 to 1.
    #[serde(rename = "default")]
    pub(super) usual: f64,
    /// Thresholds of their own, 0 to 1, by category.
    #[serde(rename = "categories")]
    own: BTreeMap<String, f64>,
}

impl ThresholdProfile {
    /// A profile with nothing but the default, 0.50.
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

    /// Moves the default, and with it all categories without one of their own.
    pub(super) fn shift_usual(&mut self, by: f64) {
        self.usual = hundredths(self.usual + by);
    }

    /// Removes a category's own threshold; whether it had one.
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

    /// Returns which profile is in use.
    pub(super) fn chosen(&self) -> usize {
        self.chosen
    }

    /// Uses another profile.
    pub(super) fn choose(&mut self, at: usize) {
        self.chosen = at.min(self.profiles.len() - 1);
    }

    /// Makes a profile like the one in use, and uses it. A name that is taken gets a number.
    pub(super) fn create(&mut self, name: &str) {
        let profile = ThresholdProfile { name: self.free(name), ..self.profile().clone() };
        self.add(profile);
    }

    /// Deletes one; the last one is not deleted. The one that went.
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

    /// Puts one in, and uses it. A name that is taken gets a number.
    pub(super) fn add(&mut self, profile: ThresholdProfile) {
        let profile = ThresholdProfile { name: self.free(&profile.name), ..profile };
        self.profiles.push(profile);
        self.chosen = self.profiles.len() - 1;
    }

    fn free(&self, name: &str) -> String {
        let name: String = name.trim().chars().take(NAME).collect();
        let name = if name.is_empty() { "thresholds".to_owned() } else { name };
        let taken = |name: &str| self.profiles.iter().any(|profile| profile.name == name);
        let names = (1..).map(|n| if n == 1 { name.clone() } else { format!("{name} ({n})") });
        names.into_iter().find(|name| !taken(name)).unwrap_or_default()
    }

    /// Adds the profiles of a file that was read, and says what has come of it; whether some were added.
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

/// Reads the profiles of a file: one object `{"name": …, "default": 0.5, "categories": {"hate": 0.4}}`, or a list of them.
/// Only the numbers must be there. The error says what is wrong, and where.
pub(super) fn read(json: &str) -> Result<Vec<ThresholdProfile>, String> {
    let value: Value = serde_json::from_str(json).map_err(|why| format!("it is not JSON: {why}"))?;
    let profiles = match &value {
        Value::Array(all) if all.is_empty() => Err("it holds no profile".to_owned()),
        Value::Array(all) if all.len() > MOST => {
            Err(format!("it holds {} profiles; at most {MOST} are allowed", all.len()))
        }
        Value::Array(all) => {
            all.iter().enumerate().map(|(at, one)| profile(one, &format!("profile {}: ", at + 1))).collect()
        }
        one => profile(one, "").map(|profile| vec![profile]),
    };
    // Its words may be a stranger's.
    profiles.map_err(|why| Untrusted::from(why).line().into_owned())
}

fn profile(value: &Value, at: &str) -> Result<ThresholdProfile, String> {
    let Value::Object(fields) = value else {
        return Err(format!("{at}it is not an object with “default” and “categories”"));
    };
    let mut profile = ThresholdProfile::new("");
    for (name, value) in fields {
        match (name.as_str(), value) {
            ("name", Value::String(name)) => profile.name = Untrusted::from(name.as_str()).line().into_owned(),
            ("name", _) => return Err(format!("{at}“name” is not a text")),
            ("default", value) => profile.usual = threshold(value, "default", at)?,
            ("categories", Value::Object(own)) => {
                for (name, value) in own {
                    let threshold = threshold(value, &format!("categories.{name}"), at)?;
                    profile.own.insert(CategoryKey::of(&name.as_str().into()).as_str().to_owned(), threshold);
                }
            }
            ("categories", _) => return Err(format!("{at}“categories” is not an object of numbers by name")),
            _ => return Err(format!("{at}“{name}” is none of “name”, “default” and “categories”")),
        }
    }
    if !fields.contains_key("default") && !fields.contains_key("categories") {
        return Err(format!("{at}there is neither “default” nor “categories”"));
    }
    Ok(profile)
}

fn threshold(value: &Value, name: &str, at: &str) -> Result<f64, String> {
    let number = value.as_f64().ok_or_else(|| format!("{at}“{name}” is not a number"))?;
    if !(0.0..=1.0).contains(&number) {
        return Err(format!("{at}“{name}” is {number}; a threshold goes from 0 to 1"));
    }
    Ok(number)
}

/// How a score compares with its threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Sign {
    /// The service flagged it.
    Flagged,
    /// Over the user's threshold, and not flagged.
    Over,
    /// Below it by a fifth of it at most.
    Near,
    /// Nothing to say.
    Clear,
}

impl Sign {
    /// Returns the sign of a score and a flag at a threshold. A score that equals the threshold is over it.
    pub(super) fn of(score: Option<f64>, flag: Option<bool>, threshold: f64) -> Self {
        match score {
            _ if flag == Some(true) => Self::Flagged,
            Some(score) if score >= threshold => Self::Over,
            // At a threshold of 0 every score is over it.
            Some(score) if score >= threshold * (1.0 - NEAR) => Self::Near,
            _ => Self::Clear,
        }
    }

    /// Returns the sign itself, one column wide.
    pub(super) fn glyph(self) -> &'static str {
        match self {
            Self::Flagged => "⚑",
            Self::Over => "▲",
            Self::Near => "!",
            Self::Clear => " ",
        }
    }

    /// Returns the style of the sign.
    pub(super) fn style(self, theme: &Theme) -> Style {
        match self {
            Self::Flagged | Self::Over => theme.bad,
            Self::Near => theme.warn,
            Self::Clear => theme.text,
        }
    }
}

/// Returns the style of a bar and its number: muted below half the threshold, warn near it, error above it. The number says it all.
pub(super) fn tint(score: f64, threshold: f64, theme: &Theme) -> Style {
    match Sign::of(Some(score), None, threshold) {
        Sign::Over | Sign::Flagged => theme.bad,
        Sign::Near => theme.warn,
        Sign::Clear if score < threshold / 2.0 => theme.muted,
        Sign::Clear => theme.text,
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
    fn signs_follow_the_threshold() {
        let sign = |score, flag, threshold| Sign::of(Some(score), flag, threshold).glyph();
        assert_eq!(sign(0.93, Some(true), 0.5), "⚑");
        assert_eq!(sign(0.58, Some(false), 0.5), "▲");
        assert_eq!(sign(0.47, None, 0.5), "!");
        assert_eq!([sign(0.5, None, 0.5), sign(0.4, None, 0.5), sign(0.39, None, 0.5)], ["▲", "!", " "]);
        assert_eq!(sign(0.1, Some(true), 0.9), "⚑", "what the service says stands, whatever the threshold");
        assert_eq!(Sign::of(None, None, 0.5), Sign::Clear);
        assert_eq!(Sign::of(None, Some(true), 0.5), Sign::Flagged);
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

    #[test]
    fn bad_input_is_named() {
        for (json, words) in [
            ("{", "not JSON"),
            ("7", "not an object"),
            ("[]", "no profile"),
            ("{}", "neither"),
            (r#"{"default": "x"}"#, "“default” is not a number"),
            (r#"{"categories": {"hate": 1.4}}"#, "“categories.hate” is 1.4; a threshold goes from 0 to 1"),
            (r#"{"categories": {"hate": null}}"#, "“categories.hate” is not a number"),
            (r#"{"categories": [1]}"#, "“categories” is not an object"),
            (r#"[{"default": 0.5}, {"name": 3, "default": 1}]"#, "profile 2: “name” is not a text"),
            (r#"{"default": 0.5, "treshold": 1}"#, "“treshold” is none of"),
        ] {
            let why = read(json).unwrap_err();
            assert!(why.contains(words), "{json}: {why}");
        }
    }
}
