//! How an answer is sampled: the fields that chat and completions have in common.

use std::collections::BTreeMap;

use serde_json::Value;

use super::check::{self, Fields};
use super::reject::{Reject, short};
use super::secret;
use crate::engine::language::Sampling;

/// Stop sequences of one request.
const MAX_STOPS: usize = 4;

/// The fields, each in range.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SamplingFields {
    pub(crate) temperature: f64,
    pub(crate) top_p: f64,
    pub(crate) stop: Vec<String>,
    pub(crate) presence_penalty: f64,
    pub(crate) frequency_penalty: f64,
    pub(crate) logit_bias: BTreeMap<u32, f64>,
    pub(crate) seed: Option<i64>,
}

impl SamplingFields {
    /// Their names.
    pub(crate) const FIELDS: [&str; 8] =
        ["temperature", "top_p", "stop", "presence_penalty", "frequency_penalty", "logit_bias", "user", "seed"];

    /// Reads the fields; fails at the first that is out of range or of the wrong type.
    pub(crate) fn read(fields: &Fields<'_>) -> Result<Self, Reject> {
        fields.text("user")?;
        Ok(Self {
            temperature: fields.number("temperature", 0.0, 2.0)?.unwrap_or(1.0),
            top_p: fields.number("top_p", 0.0, 1.0)?.unwrap_or(1.0),
            stop: stop(fields)?,
            presence_penalty: fields.number("presence_penalty", -2.0, 2.0)?.unwrap_or(0.0),
            frequency_penalty: fields.number("frequency_penalty", -2.0, 2.0)?.unwrap_or(0.0),
            logit_bias: logit_bias(fields)?,
            seed: fields.integer("seed", i64::MIN, i64::MAX)?,
        })
    }

    /// Returns the seed asked for, or a random one.
    pub(crate) fn seed(&self) -> u64 {
        self.seed.map_or_else(secret::seed, i64::cast_unsigned)
    }

    /// Converts the fields for the engine: at most `most` tokens, `logprobs` alternatives each, without the seed.
    pub(crate) fn to_engine(&self, most: u64, logprobs: usize) -> Sampling {
        Sampling {
            temperature: self.temperature as f32,
            top_p: self.top_p as f32,
            presence_penalty: self.presence_penalty as f32,
            frequency_penalty: self.frequency_penalty as f32,
            logit_bias: self.logit_bias.iter().map(|(id, bias)| (*id, *bias as f32)).collect(),
            seed: None,
            max_tokens: most,
            stop: self.stop.clone(),
            logprobs,
        }
    }
}

/// Returns whether the last event of a stream shall have the usage. Fails for options without a stream.
pub(crate) fn include_usage(fields: &Fields<'_>, stream: bool) -> Result<bool, Reject> {
    let Some(options) = fields.get("stream_options") else { return Ok(false) };
    let options = Fields::at(options, "stream_options".into())?;
    if !stream {
        let message = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
        return Err(Reject::bad(message).param("stream_options"));
    }
    Ok(options.flag("include_usage")?.unwrap_or(false))
}

fn stop(fields: &Fields<'_>) -> Result<Vec<String>, Reject> {
    let stops = match fields.get("stop") {
        None => Vec::new(),
        Some(Value::String(one)) => vec![one.clone()],
        Some(value @ Value::Array(many)) if many.len() > MAX_STOPS => return Err(check::too_long(value, "stop")),
        Some(Value::Array(many)) => {
            let texts = many.iter().enumerate().map(|(at, one)| check::text(one, &format!("stop.{at}")));
            texts.map(|text| text.map(str::to_owned)).collect::<Result<_, _>>()?
        }
        Some(other) => return Err(check::no_shape(other, "stop")),
    };
    // An empty sequence would end every answer at once.
    Ok(stops.into_iter().filter(|stop| !stop.is_empty()).collect())
}

fn logit_bias(fields: &Fields<'_>) -> Result<BTreeMap<u32, f64>, Reject> {
    let Some(value) = fields.get("logit_bias") else { return Ok(BTreeMap::new()) };
    let Value::Object(map) = value else { return Err(check::not_type(value, "object", "logit_bias")) };
    let pairs = map.iter().map(|(id, bias)| {
        let digits = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
        let id = id.parse().ok().filter(|_| digits).ok_or_else(|| {
            let id = short(id, 100);
            let message = format!(
                "Invalid key in 'logit_bias': {id}. You should only be submitting non-negative integers that are token ids."
            );
            Reject::bad(message).param("logit_bias")
        })?;
        Ok((id, check::number(bias, &format!("logit_bias.{id}"), -100.0, 100.0)?))
    });
    pairs.collect()
}
