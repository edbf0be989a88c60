//! Reads thresholds from a file.

use serde_json::Value;

use super::ThresholdProfile;
use crate::tabs::moderation::category::CategoryKey;
use crate::text::Untrusted;

/// Profiles of one file at most.
const MOST: usize = 100;

/// Reads the profiles of a file: one object `{"name": …, "default": 0.5, "categories": {"hate": 0.4}}`, or a list of
/// them. Only the numbers must be there. The error says what is wrong, and where.
pub(super) fn read(json: &str) -> Result<Vec<ThresholdProfile>, String> {
    let value: Value = serde_json::from_str(json).map_err(|why| format!("it is not JSON: {why}"))?;
    let profiles = match &value {
        Value::Array(all) if all.is_empty() => Err("it contains no profile".to_owned()),
        Value::Array(all) if all.len() > MOST => {
            Err(format!("it contains {} profiles; at most {MOST} are allowed", all.len()))
        }
        Value::Array(all) => {
            all.iter().enumerate().map(|(at, one)| profile(one, &format!("profile {}: ", at + 1))).collect()
        }
        one => profile(one, "").map(|profile| vec![profile]),
    };
    // The error may quote the file, which is untrusted.
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

#[cfg(test)]
mod tests {
    use super::*;

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
