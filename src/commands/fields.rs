//! Flags for the fields of a request. Their values have the bounds that the forms of the tabs have.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Map, Value};

use super::input;
use crate::api::field_scopes::has_parameter;
use crate::record::parameter_bounds::{self, Bounds};
use crate::tabs::generation::{json_fields, tools};

/// Parameters of a chat that have no flag: `--extra` sets them.
const WITHOUT_FLAG: [&str; 8] =
    ["n", "stream", "user", "logit_bias", "top_k", "min_p", "max_completion_tokens", "top_logprobs"];

/// Fields of a chat's or completion's request.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Fields of the request")]
pub(crate) struct FieldArgs {
    /// 0 to 2
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, value_parser = number)]
    pub(crate) temperature: Option<f64>,
    /// 0 to 1
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, value_parser = number)]
    pub(crate) top_p: Option<f64>,
    /// Most tokens of the answer
    #[arg(long, value_name = "TOKENS", allow_negative_numbers = true, value_parser = whole_number)]
    pub(crate) max_tokens: Option<i64>,
    /// Text at which the answer ends; up to four of them
    #[arg(long, value_name = "TEXT")]
    pub(crate) stop: Vec<String>,
    /// Seed, for answers that can be repeated
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, value_parser = whole_number)]
    pub(crate) seed: Option<i64>,
    /// −2 to 2
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, value_parser = number)]
    pub(crate) presence_penalty: Option<f64>,
    /// −2 to 2
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, value_parser = number)]
    pub(crate) frequency_penalty: Option<f64>,
}

/// Fields that only chats have.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Fields of the request")]
pub(crate) struct ChatFieldArgs {
    /// How much a model thinks: none, minimal, low, medium, high, xhigh
    #[arg(long, value_name = "EFFORT")]
    pub(crate) reasoning_effort: Option<String>,
    /// File with a JSON schema that the answer has to follow, or json_object
    #[arg(long, value_name = "FILE")]
    pub(crate) response_format: Option<PathBuf>,
    /// Further fields, a JSON object; also those of the parameter panel that have no flag
    #[arg(long, value_name = "JSON")]
    pub(crate) extra: Option<String>,
}

impl FieldArgs {
    /// Returns the fields that are set, by name.
    ///
    /// # Errors
    /// A value is out of its bounds; a sentence.
    pub(crate) fn fields(&self) -> Result<Map<String, Value>, String> {
        if self.stop.iter().any(String::is_empty) {
            return Err("--stop is empty: name a text, or leave it out".to_owned());
        }
        let stop = (!self.stop.is_empty()).then(|| Value::from(self.stop.clone()));
        checked([
            ("temperature", self.temperature.map(Value::from)),
            ("top_p", self.top_p.map(Value::from)),
            ("max_tokens", self.max_tokens.map(Value::from)),
            ("stop", stop),
            ("seed", self.seed.map(Value::from)),
            ("presence_penalty", self.presence_penalty.map(Value::from)),
            ("frequency_penalty", self.frequency_penalty.map(Value::from)),
        ])
    }

    /// Returns the fields that are set for a chat, by name.
    ///
    /// # Errors
    /// A value is out of its bounds; a sentence.
    pub(crate) fn of_chat(&self) -> Result<Map<String, Value>, String> {
        // A completion of 0 tokens scores its prompt; an answer has at least one.
        if self.max_tokens.is_some_and(|tokens| tokens < 1) {
            let Bounds { min, max, .. } = Bounds::CHAT_TOKENS;
            return Err(format!("--max-tokens: max_tokens must be a whole number from {min} to {max}"));
        }
        self.fields()
    }
}

impl ChatFieldArgs {
    /// Returns the fields that are set, by name.
    ///
    /// # Errors
    /// A value is not what the field takes, or the file cannot be read; a sentence.
    pub(crate) fn fields(&self) -> Result<Map<String, Value>, String> {
        let format = self.response_format.as_deref().map(response_format).transpose()?;
        let mut fields = checked([
            ("reasoning_effort", self.reasoning_effort.clone().map(Value::from)),
            ("response_format", format.map(Value::from)),
        ])?;
        if let Some(text) = &self.extra {
            fields.extend(further(text).map_err(|why| format!("--extra: {why}"))?);
        }
        Ok(fields)
    }
}

/// Parses a number.
///
/// # Errors
/// It is none; words that follow the name of the flag.
fn number(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| "it needs a number".to_owned())
}

/// Parses a whole number.
///
/// # Errors
/// It is none; words that follow the name of the flag.
fn whole_number(text: &str) -> Result<i64, String> {
    text.parse().map_err(|_| "it needs a whole number".to_owned())
}

/// Returns the format of the answer that `--response-format` names: `json_object`, or the content of a file.
fn response_format(file: &Path) -> Result<String, String> {
    if file.as_os_str() == "json_object" {
        return Ok("json_object".to_owned());
    }
    let shown = file.display();
    let text = std::fs::read_to_string(file);
    let text = text.map_err(|why| format!("--response-format: {shown} cannot be read: {why}"))?;
    let text = input::without_mark(text);
    json_fields::response_format(&text).map_err(|why| format!("--response-format: {shown} {why}"))?;
    Ok(text)
}

/// Reads the fields of `--extra`: parameters become fields by their names, all others together become `extra`.
fn further(text: &str) -> Result<Map<String, Value>, String> {
    let object: Value = serde_json::from_str(text).map_err(|why| why.to_string())?;
    let Value::Object(object) = object else {
        return Err("it must be a JSON object, such as {\"top_k\": 5}".to_owned());
    };
    let (mut fields, mut extra) = (Map::new(), Map::new());
    for (name, value) in object {
        match name.as_str() {
            "logprobs" => match value {
                // How many alternatives a token has is another field; it counts where both are there.
                Value::Bool(true) => {
                    fields.entry("top_logprobs").or_insert(Value::from(0));
                }
                Value::Bool(false) => {}
                _ => return Err("logprobs must be true or false".to_owned()),
            },
            "tools" => {
                let text = value.to_string();
                tools::read(&text).map_err(|why| format!("tools: {why}"))?;
                fields.insert(name, text.into());
            }
            "tool_choice" => {
                let chosen = value.as_str().or_else(|| value["function"]["name"].as_str());
                let chosen = chosen.ok_or("tool_choice must be auto, none, required or name a function")?.to_owned();
                fields.insert(name, chosen.into());
            }
            known if WITHOUT_FLAG.contains(&known) => {
                let value = parameter_bounds::field(known, &value)?;
                fields.insert(name, value);
            }
            "messages" | "stream_options" => return Err(format!("benchtop sets {name} itself: leave it out")),
            known if has_parameter(known) => {
                return Err(format!("{name} has a flag of its own: --{}", name.replace('_', "-")));
            }
            _ => drop(extra.insert(name, value)),
        }
    }
    if !extra.is_empty() {
        fields.insert("extra".to_owned(), Value::Object(extra).to_string().into());
    }
    Ok(fields)
}

/// Returns the fields that have a value, with each in its bounds.
fn checked<const N: usize>(fields: [(&str, Option<Value>); N]) -> Result<Map<String, Value>, String> {
    let given = fields.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let check = |(name, value): (&str, Value)| {
        let value =
            parameter_bounds::field(name, &value).map_err(|why| format!("--{}: {why}", name.replace('_', "-")))?;
        Ok((name.to_owned(), value))
    };
    given.map(check).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn further_fields_are_parameters_where_those_have_no_flag() {
        let of = |value: Value| further(&value.to_string()).map(Value::Object);
        let given = json!({"top_k": 5, "user": "u", "logprobs": true, "verbosity": "low"});
        let expected = json!({"top_k": 5, "user": "u", "top_logprobs": 0, "extra": "{\"verbosity\":\"low\"}"});
        assert_eq!(of(given), Ok(expected));
        for both in [json!({"logprobs": true, "top_logprobs": 3}), json!({"top_logprobs": 3, "logprobs": true})] {
            assert_eq!(of(both), Ok(json!({"top_logprobs": 3})));
        }
        let tools = json!([{"type": "function", "function": {"name": "now"}}]);
        let choice = json!({"type": "function", "function": {"name": "now"}});
        let read = of(json!({"tools": tools, "tool_choice": choice})).unwrap();
        assert_eq!((&read["tools"], &read["tool_choice"]), (&json!(tools.to_string()), &json!("now")));
        for (wrong, said) in [
            (json!({"temperature": 1}), "temperature has a flag of its own: --temperature"),
            (json!({"messages": []}), "benchtop sets messages itself"),
            (json!({"top_k": 0}), "top_k must be a whole number from 1"),
            (json!({"tools": 1}), "tools: "),
            (json!([1]), "must be a JSON object"),
        ] {
            let why = of(wrong).unwrap_err();
            assert!(why.contains(said), "{why}");
        }
    }

    #[test]
    fn every_parameter_has_a_flag_or_can_be_a_further_field() {
        let command = ChatFieldArgs::augment_args(FieldArgs::augment_args(clap::Command::new("chat")));
        let flags: Vec<_> = command.get_arguments().filter_map(|flag| flag.get_long()).collect();
        let Value::Object(all) = serde_json::to_value(crate::record::ChatParams::default()).unwrap() else { panic!() };
        for name in all.keys().filter(|name| !flags.contains(&name.replace('_', "-").as_str())) {
            let is_taken = WITHOUT_FLAG.contains(&name.as_str()) || name.starts_with("tool");
            assert!(is_taken, "{name}");
        }
    }
}
