//! Flags for the fields of a request. Their values have the bounds that the forms of the tabs have.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Map, Value};

use crate::record::parameter_bounds;

/// Fields of a chat's or completion's request.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Fields of the request")]
pub(crate) struct FieldArgs {
    /// 0 to 2
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) temperature: Option<f64>,
    /// 0 to 1
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) top_p: Option<f64>,
    /// Most tokens of the answer
    #[arg(long, value_name = "TOKENS", allow_negative_numbers = true)]
    pub(crate) max_tokens: Option<i64>,
    /// Text at which the answer ends; up to four of them
    #[arg(long, value_name = "TEXT")]
    pub(crate) stop: Vec<String>,
    /// Seed, for answers that can be repeated
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) seed: Option<i64>,
    /// −2 to 2
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) presence_penalty: Option<f64>,
    /// −2 to 2
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
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
    /// Further fields, a JSON object
    #[arg(long, value_name = "JSON")]
    pub(crate) extra: Option<String>,
}

impl FieldArgs {
    /// Returns the fields that are set, by name.
    ///
    /// # Errors
    /// A value is out of its bounds; a sentence.
    pub(crate) fn fields(&self) -> Result<Map<String, Value>, String> {
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
}

impl ChatFieldArgs {
    /// Returns the fields that are set, by name.
    ///
    /// # Errors
    /// A value is not what the field takes, or the file cannot be read; a sentence.
    pub(crate) fn fields(&self) -> Result<Map<String, Value>, String> {
        let format = match &self.response_format {
            Some(file) if file.as_os_str() == "json_object" => Some("json_object".to_owned()),
            Some(file) => {
                let text = std::fs::read_to_string(file);
                Some(text.map_err(|why| format!("--response-format: {} cannot be read: {why}", file.display()))?)
            }
            None => None,
        };
        checked([
            ("reasoning_effort", self.reasoning_effort.clone().map(Value::from)),
            ("response_format", format.map(Value::from)),
            ("extra", self.extra.clone().map(Value::from)),
        ])
    }
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
