//! A completion request as it arrives: every field checked in the order and words of the interface.

use crate::engine::language::spelling;
use crate::service::check::{self, Fields};
use crate::service::input::Input;
use crate::service::reject::Reject;
use crate::service::sampling::{self, SamplingFields};

/// Choices of one prompt.
const CHOICES: i64 = 128;
/// Choices that are written for one prompt to return the best of.
const BEST_OF: i64 = 20;
/// Alternatives to a token.
const ALTERNATIVES: i64 = 5;
/// Prompts of one request.
const PROMPTS: usize = 2048;
/// Tokens of a completion where the request names none.
const TOKENS: i64 = 16;
/// The prompt where the request names none: a new text.
const PROMPT: &str = "<|endoftext|>";
/// Fields besides [`SamplingFields::FIELDS`].
const FIELDS: [&str; 10] =
    ["model", "prompt", "suffix", "max_tokens", "n", "stream", "stream_options", "logprobs", "echo", "best_of"];

/// A completion request whose every field is in range.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Request {
    pub(super) model: String,
    pub(super) prompt: Input,
    /// The text after the gap; empty: none.
    pub(super) suffix: String,
    pub(super) max_tokens: u64,
    pub(super) n: u32,
    /// At least `n`.
    pub(super) best_of: u32,
    pub(super) stream: bool,
    pub(super) include_usage: bool,
    /// Alternatives listed with each token; `None`: no log-probabilities.
    pub(super) logprobs: Option<usize>,
    pub(super) echo: bool,
    pub(super) sampling: SamplingFields,
}

impl Request {
    /// Reads and checks a body; `engine` is the model that the path names, if it does. Fails at the first field that is
    /// wrong.
    pub(super) fn read(body: &[u8], engine: Option<&str>) -> Result<Self, Reject> {
        let map = check::body(body)?;
        let fields = Fields::of(&map);
        let known: Vec<&str> = FIELDS.iter().chain(&SamplingFields::FIELDS).copied().collect();
        fields.refuse_unknown(&known)?;
        let named = fields.model()?;
        let model = engine.or(named).ok_or_else(Reject::no_model)?.to_owned();
        let stream = fields.flag("stream")?.unwrap_or(false);
        let n = fields.integer("n", 1, CHOICES)?.unwrap_or(1) as u32;
        Ok(Self {
            model,
            prompt: prompt(&fields)?,
            suffix: fields.text("suffix")?.unwrap_or_default().to_owned(),
            max_tokens: fields.integer("max_tokens", 0, i64::from(u32::MAX))?.unwrap_or(TOKENS) as u64,
            n,
            best_of: best_of(&fields, n, stream)?,
            stream,
            include_usage: sampling::include_usage(&fields, stream)?,
            logprobs: fields.integer("logprobs", 0, ALTERNATIVES)?.map(|most| most as usize),
            echo: fields.flag("echo")?.unwrap_or(false),
            sampling: SamplingFields::read(&fields)?,
        })
    }
}

fn prompt(fields: &Fields<'_>) -> Result<Input, Reject> {
    let prompt = Input::read(fields, "prompt", PROMPTS)?;
    if let Some(Input::Tokens(lists)) = &prompt
        && let Some(id) = lists.iter().flatten().find(|id| **id > spelling::LARGEST)
    {
        let message = format!("{id} is greater than the maximum of {} - 'prompt'", spelling::LARGEST);
        return Err(Reject::bad(message));
    }
    Ok(prompt.unwrap_or_else(|| Input::Texts(vec![PROMPT.into()])))
}

fn best_of(fields: &Fields<'_>, n: u32, stream: bool) -> Result<u32, Reject> {
    let Some(best_of) = fields.integer("best_of", 0, BEST_OF)? else { return Ok(n) };
    if best_of < i64::from(n) {
        return Err(Reject::bad(format!(
            "You requested that the server return more choices than it will generate (HINT: 'n' is {n} and must be at \
             most 'best_of', which is {best_of}; leave either of them out if you do not need it.)"
        )));
    }
    if stream && best_of > 1 {
        return Err(Reject::bad(format!(
            "The best of several completions cannot be streamed: 'best_of' is {best_of} and 'stream' is true. Leave \
             either of them out."
        )));
    }
    Ok(best_of as u32)
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::*;

    fn read(more: Value) -> Result<Request, String> {
        let mut body = json!({"model": "text-davinci-003"});
        for (name, value) in more.as_object().unwrap() {
            body[name] = value.clone();
        }
        Request::read(body.to_string().as_bytes(), None).map_err(|reject| reject.message)
    }

    #[test]
    fn null_means_default_in_every_field() {
        let plain = read(json!({})).unwrap();
        let names = FIELDS.iter().chain(&SamplingFields::FIELDS).filter(|name| **name != "model");
        let nulls: Map<String, Value> = names.map(|name| ((*name).to_owned(), Value::Null)).collect();
        assert_eq!(read(nulls.into()).unwrap(), plain);
        assert_eq!(plain.prompt, Input::Texts(vec!["<|endoftext|>".into()]));
        assert_eq!((plain.max_tokens, plain.n, plain.best_of, plain.logprobs), (16, 1, 1, None));
        assert!(!plain.stream && !plain.echo && plain.suffix.is_empty());
    }

    #[test]
    fn best_of_is_n_unless_said() {
        assert_eq!(read(json!({"n": 30})).unwrap().best_of, 30);
        assert_eq!(read(json!({"n": 2, "stream": true})).unwrap().best_of, 2);
        assert_eq!(read(json!({"best_of": 1, "stream": true})).unwrap().best_of, 1);
        assert_eq!(read(json!({"n": 2, "best_of": 20})).unwrap().best_of, 20);
        for refused in [json!({"n": 2, "best_of": 1}), json!({"best_of": 0}), json!({"best_of": 2, "stream": true})] {
            assert!(read(refused.clone()).is_err(), "{refused}");
        }
    }

    #[test]
    fn the_path_names_the_model_before_the_body_does() {
        let of = |body: &str| Request::read(body.as_bytes(), Some("ada")).map(|request| request.model);
        assert_eq!(of("{}").ok().as_deref(), Some("ada"));
        assert_eq!(of(r#"{"model": "babbage"}"#).ok().as_deref(), Some("ada"));
    }
}
