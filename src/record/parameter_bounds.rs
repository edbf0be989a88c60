//! The request fields of [`CompletionParams`](super::CompletionParams) by name: what each takes, and within which
//! bounds.

use serde_json::Value;

/// Most stop texts of a request.
pub const STOPS: usize = 4;
/// What `reasoning_effort` takes.
pub const EFFORTS: &[&str] = &["none", "minimal", "low", "medium", "high", "xhigh"];

/// The bounds of a number, both of them allowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The least.
    pub min: f64,
    /// The most.
    pub max: f64,
    /// Whether it is a whole number.
    pub whole: bool,
}

impl Bounds {
    /// `temperature`
    pub const TEMPERATURE: Self = Self::real(0.0, 2.0);
    /// `top_p`
    pub const TOP_P: Self = Self::real(0.0, 1.0);
    /// `min_p`
    pub const MIN_P: Self = Self::real(0.0, 1.0);
    /// `presence_penalty`, `frequency_penalty`
    pub const PENALTY: Self = Self::real(-2.0, 2.0);
    /// `logit_bias`, each of them
    pub const BIAS: Self = Self::real(-100.0, 100.0);
    /// `n`
    pub const CHOICES: Self = Self::whole(1.0, 128.0);
    /// `max_tokens` of a chat, and `max_completion_tokens`
    pub const CHAT_TOKENS: Self = Self::whole(1.0, 1e9);
    /// `max_tokens` of a completion: 0 scores the prompt alone
    pub const TOKENS: Self = Self::whole(0.0, 1e9);
    /// `top_k`
    pub const TOP_K: Self = Self::whole(1.0, 1e6);
    /// `top_logprobs` of a chat
    pub const CHAT_LOGPROBS: Self = Self::whole(0.0, 20.0);
    /// `logprobs` of a completion
    pub const LOGPROBS: Self = Self::whole(0.0, 5.0);
    /// `best_of`
    pub const BEST_OF: Self = Self::whole(1.0, 20.0);

    const fn real(min: f64, max: f64) -> Self {
        Self { min, max, whole: false }
    }

    const fn whole(min: f64, max: f64) -> Self {
        Self { min, max, whole: true }
    }

    /// Returns a number within the bounds, as JSON has it: `500.0` is 500 where it is whole.
    fn take(self, value: &Value) -> Option<Value> {
        let number = value.as_f64().filter(|number| (self.min..=self.max).contains(number))?;
        if self.whole { (number.fract() == 0.0).then(|| Value::from(number as i64)) } else { Some(Value::from(number)) }
    }
}

/// What a field takes.
enum Kind {
    Number(Bounds),
    /// Any whole number.
    Integer,
    Flag,
    Text,
    Effort,
    Stops,
    Biases,
}

/// Each field by its name.
const FIELDS: [(&str, Kind); 23] = [
    ("temperature", Kind::Number(Bounds::TEMPERATURE)),
    ("top_p", Kind::Number(Bounds::TOP_P)),
    ("n", Kind::Number(Bounds::CHOICES)),
    ("stream", Kind::Flag),
    ("stop", Kind::Stops),
    ("max_tokens", Kind::Number(Bounds::TOKENS)),
    ("presence_penalty", Kind::Number(Bounds::PENALTY)),
    ("frequency_penalty", Kind::Number(Bounds::PENALTY)),
    ("logit_bias", Kind::Biases),
    ("user", Kind::Text),
    ("seed", Kind::Integer),
    ("top_logprobs", Kind::Number(Bounds::CHAT_LOGPROBS)),
    ("max_completion_tokens", Kind::Number(Bounds::CHAT_TOKENS)),
    ("reasoning_effort", Kind::Effort),
    ("top_k", Kind::Number(Bounds::TOP_K)),
    ("min_p", Kind::Number(Bounds::MIN_P)),
    ("response_format", Kind::Text),
    ("extra", Kind::Text),
    ("tools", Kind::Text),
    ("tool_choice", Kind::Text),
    ("logprobs", Kind::Number(Bounds::LOGPROBS)),
    ("echo", Kind::Flag),
    ("best_of", Kind::Number(Bounds::BEST_OF)),
];

/// Returns a field's value as the parameters hold it.
///
/// # Errors
/// There is no such field, or it does not take this value: a sentence without its end.
pub fn field(name: &str, value: &Value) -> Result<Value, String> {
    let Some((_, kind)) = FIELDS.iter().find(|(known, _)| *known == name) else {
        return Err(format!("there is no parameter {name}"));
    };
    let text = || value.as_str().filter(|text| !text.is_empty());
    let taken = match kind {
        Kind::Number(bounds) => bounds.take(value),
        Kind::Integer => value.as_i64().map(Value::from),
        Kind::Flag => value.as_bool().map(Value::from),
        Kind::Text => text().map(Value::from),
        Kind::Effort => text().filter(|effort| EFFORTS.contains(effort)).map(Value::from),
        Kind::Stops => stops(value),
        Kind::Biases => biases(value),
    };
    taken.ok_or_else(|| format!("{name} must be {}", expected(kind)))
}

fn stops(value: &Value) -> Option<Value> {
    let texts = match value {
        Value::Array(texts) => texts.clone(),
        one => vec![one.clone()],
    };
    let good =
        (1..=STOPS).contains(&texts.len()) && texts.iter().all(|text| text.as_str().is_some_and(|t| !t.is_empty()));
    good.then_some(Value::Array(texts))
}

fn biases(value: &Value) -> Option<Value> {
    let pair = |(token, bias): (&String, &Value)| {
        token.parse::<u32>().ok()?;
        Some((token.clone(), Bounds::BIAS.take(bias)?))
    };
    value.as_object()?.iter().map(pair).collect::<Option<serde_json::Map<_, _>>>().map(Value::Object)
}

fn expected(kind: &Kind) -> String {
    match kind {
        Kind::Number(Bounds { min, max, whole: true }) => format!("a whole number from {min} to {max}"),
        Kind::Number(Bounds { min, max, .. }) => format!("a number from {min} to {max}"),
        Kind::Integer => "a whole number".to_owned(),
        Kind::Flag => "true or false".to_owned(),
        Kind::Text => "text in quotes".to_owned(),
        Kind::Effort => format!("one of {}", EFFORTS.join(", ")),
        Kind::Stops => format!("a text or a list of up to {STOPS}"),
        Kind::Biases => {
            let Bounds { min, max, .. } = Bounds::BIAS;
            format!("a table of token ids with numbers from {min} to {max}")
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::record::CompletionParams;

    #[test]
    fn every_field_of_the_parameters_is_known_and_no_other() {
        let Value::Object(all) = serde_json::to_value(CompletionParams::default()).unwrap() else { panic!() };
        let mut known: Vec<&str> = FIELDS.iter().map(|(name, _)| *name).collect();
        let mut wanted: Vec<&str> = all.keys().map(String::as_str).collect();
        known.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(known, wanted);
    }

    #[test]
    fn a_value_is_taken_within_its_bounds_and_read_by_the_parameters() {
        let good = json!({
            "temperature": 2, "top_p": 0, "n": 128, "stream": false, "stop": ["a", "\n"], "max_tokens": 0,
            "presence_penalty": -2, "frequency_penalty": 2.0, "logit_bias": {"50256": -100}, "user": "u", "seed": -7,
            "top_logprobs": 20, "max_completion_tokens": 500.0, "reasoning_effort": "low", "top_k": 1, "min_p": 0.05,
            "response_format": "json_object", "extra": "{}", "tools": "[]", "tool_choice": "auto", "logprobs": 5,
            "echo": true, "best_of": 20
        });
        let Value::Object(good) = good else { panic!() };
        assert_eq!(good.len(), FIELDS.len());
        let taken = good.iter().map(|(name, value)| (name.clone(), field(name, value).unwrap())).collect();
        let params: CompletionParams = serde_json::from_value(Value::Object(taken)).unwrap();
        assert_eq!((params.common.n, params.common.max_completion_tokens), (Some(128), Some(500)));
        assert_eq!((params.common.logit_bias["50256"], params.best_of), (-100.0, Some(20)));
        assert_eq!(field("stop", &json!("END")).unwrap(), json!(["END"]));
    }

    #[test]
    fn what_is_out_of_bounds_is_named_with_its_bounds() {
        for (name, value, said) in [
            ("temperature", json!(2.1), "temperature must be a number from 0 to 2"),
            ("temperature", json!("1"), "temperature must be a number from 0 to 2"),
            ("n", json!(0), "n must be a whole number from 1 to 128"),
            ("max_tokens", json!(1.5), "max_tokens must be a whole number from 0 to 1000000000"),
            ("seed", json!(0.5), "seed must be a whole number"),
            ("stream", json!("yes"), "stream must be true or false"),
            ("reasoning_effort", json!("huge"), "reasoning_effort must be one of none, minimal"),
            ("stop", json!(["a", "b", "c", "d", "e"]), "stop must be a text or a list of up to 4"),
            ("logit_bias", json!({"a": 1}), "logit_bias must be a table of token ids"),
            ("logit_bias", json!({"1": 101}), "logit_bias must be a table of token ids"),
            ("tools", json!([]), "tools must be text in quotes"),
            ("heat", json!(1), "there is no parameter heat"),
        ] {
            let why = field(name, &value).unwrap_err();
            assert!(why.starts_with(said), "{why}");
        }
    }
}
