//! Reads token counts and the cost as the server reports them.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::lenient::{Flat, object_or_none};
use super::limits::{ANSWER_DOLLARS, TOKENS};

/// What one answer used, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Tokens of the prompt; 0 also where the server does not say.
    #[serde(deserialize_with = "count_or_zero")]
    pub prompt_tokens: u64,
    /// Tokens of the answer, all choices together. Absent when nothing was generated.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "count")]
    pub completion_tokens: Option<u64>,
    /// Prompt and answer together.
    #[serde(deserialize_with = "count_or_zero")]
    pub total_tokens: u64,
    /// What is known of the prompt's tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "object_or_none")]
    pub prompt_tokens_details: Option<PromptDetails>,
    /// What the answer cost, in nano-dollars; on the wire in dollars. Few servers say it.
    #[serde(rename = "cost", skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "cost", serialize_with = "dollars")]
    pub cost_nano: Option<i64>,
}

impl Usage {
    /// Returns the tokens of the prompt that the server had in its cache.
    pub fn cached_tokens(&self) -> u64 {
        self.prompt_tokens_details.map_or(0, |details| details.cached_tokens)
    }

    /// Adds the usage of another answer. What one of them does not report is not reported of both.
    pub fn add(&mut self, other: &Self) {
        self.prompt_tokens += other.prompt_tokens;
        self.total_tokens += other.total_tokens;
        let sum = |one: Option<u64>, other: Option<u64>| Some(one? + other?);
        self.completion_tokens = sum(self.completion_tokens, other.completion_tokens);
        let cached = |usage: &Self| usage.prompt_tokens_details.map(|details| details.cached_tokens);
        self.prompt_tokens_details =
            sum(cached(self), cached(other)).map(|cached_tokens| PromptDetails { cached_tokens });
        self.cost_nano = self.cost_nano.zip(other.cost_nano).map(|(one, other)| one + other);
    }
}

/// The prompt's tokens by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PromptDetails {
    /// Those that the server had in its cache.
    #[serde(deserialize_with = "count_or_zero")]
    pub cached_tokens: u64,
}

/// Reads a count of tokens, also as a float without a fraction. Returns `None` for anything else, also for
/// numbers that are negative or above [`TOKENS`].
fn count<'de, D: Deserializer<'de>>(input: D) -> Result<Option<u64>, D::Error> {
    let Value::Number(number) = Flat::deserialize(input)?.0 else { return Ok(None) };
    let to_whole =
        |float: f64| (float >= 0.0 && float.fract() == 0.0 && float <= TOKENS as f64).then_some(float as u64);
    Ok(number.as_u64().or_else(|| number.as_f64().and_then(to_whole)).filter(|count| *count <= TOKENS))
}

fn count_or_zero<'de, D: Deserializer<'de>>(input: D) -> Result<u64, D::Error> {
    Ok(count(input)?.unwrap_or_default())
}

/// Reads dollars as a number or as text, in nano-dollars: finite, not negative, at most [`ANSWER_DOLLARS`]. An amount
/// above 0 is never rounded to 0.
fn cost<'de, D: Deserializer<'de>>(input: D) -> Result<Option<i64>, D::Error> {
    let dollars = match Flat::deserialize(input)?.0 {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse::<f64>().ok(),
        _ => None,
    };
    let within = dollars.filter(|dollars| (0.0..=ANSWER_DOLLARS).contains(dollars));
    Ok(within.map(|dollars| ((dollars * 1e9).round() as i64).max(i64::from(dollars > 0.0))))
}

// The signature is serde's.
#[allow(clippy::ref_option)]
fn dollars<S: Serializer>(nano: &Option<i64>, output: S) -> Result<S::Ok, S::Error> {
    nano.map(|nano| nano as f64 / 1e9).serialize(output)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(usage: &str) -> Usage {
        serde_json::from_str(usage).unwrap()
    }

    #[test]
    fn counts_are_whole_numbers_in_either_form() {
        let found = read(r#"{"prompt_tokens": 12.0, "completion_tokens": 3e2, "total_tokens": 312}"#);
        assert_eq!((found.prompt_tokens, found.completion_tokens, found.total_tokens), (12, Some(300), 312));
        for odd in ["-1", "-1.0", "1.5", "1e300", "18446744073709551615", "\"12\"", "null", "true", "[3]", "{}"] {
            let found = read(&format!(r#"{{"prompt_tokens": {odd}, "completion_tokens": {odd}}}"#));
            assert_eq!(found, Usage::default(), "{odd}");
        }
        let most = read(&format!(r#"{{"completion_tokens": {TOKENS}}}"#));
        assert_eq!(most.completion_tokens, Some(TOKENS));
        assert_eq!(read(&format!(r#"{{"completion_tokens": {}}}"#, TOKENS + 1)).completion_tokens, None);
    }

    #[test]
    fn a_servers_own_cost_is_dollars_and_bounded() {
        let cost = |cost: &str| read(&format!(r#"{{"cost": {cost}}}"#)).cost_nano;
        assert_eq!(cost("0.95"), Some(950_000_000));
        assert_eq!(cost("\" 0.00014 \""), Some(140_000));
        assert_eq!((cost("0"), cost("1e-12"), cost("3")), (Some(0), Some(1), Some(3_000_000_000)));
        assert_eq!(cost("1e6"), Some(1_000_000_000_000_000));
        for odd in ["-0.1", "1000000.1", "\"NaN\"", "\"inf\"", "\"free\"", "null", "{}", "true", "[1]"] {
            assert_eq!(cost(odd), None, "{odd}");
        }
    }

    #[test]
    fn cached_tokens_are_read_and_all_of_it_is_written_back() {
        let wire = json!({
            "prompt_tokens": 194, "completion_tokens": 2, "total_tokens": 196, "cost": 0.95,
            "prompt_tokens_details": {"cached_tokens": 128}
        });
        let found: Usage = serde_json::from_value(wire.clone()).unwrap();
        assert_eq!(found.cached_tokens(), 128);
        assert_eq!(serde_json::to_value(found).unwrap(), wire);
        let plain = json!({"prompt_tokens": 1, "total_tokens": 1});
        assert_eq!(serde_json::to_value(serde_json::from_value::<Usage>(plain.clone()).unwrap()).unwrap(), plain);
        assert_eq!(read(r#"{"prompt_tokens_details": {"cached_tokens": 8.0}}"#).cached_tokens(), 8);
        assert_eq!(read(r#"{"prompt_tokens_details": [1]}"#).cached_tokens(), 0);
    }
}
