//! A chat request as it arrives: every field checked in the order and words of the interface, newer clients' fields known.

use std::collections::BTreeMap;

use serde_json::Value;

use super::check::{self, Fields};
use super::reject::Reject;

/// Choices of one request.
const CHOICES: i64 = 128;
/// Stop sequences of one request.
const STOPS: usize = 4;
/// Roles of the interface, as its checker lists them.
const ROLES: [&str; 3] = ["system", "assistant", "user"];
/// Roles that newer clients send and what they stand for here.
const NEWER_ROLES: [(&str, Role); 3] = [("developer", Role::System), ("tool", Role::User), ("function", Role::User)];
/// Fields that act.
const ACTING: [&str; 16] = [
    "model",
    "messages",
    "temperature",
    "top_p",
    "n",
    "stream",
    "stop",
    "max_tokens",
    "presence_penalty",
    "frequency_penalty",
    "logit_bias",
    "user",
    "seed",
    "stream_options",
    "max_completion_tokens",
    "response_format",
];
/// Fields that newer clients send and that change nothing for a small text model. What would change the answer (a JSON
/// format, a tool that must be called, log-probabilities) is refused by [`harmless`], not dropped in silence.
const IGNORED: [&str; 20] = [
    "audio",
    "function_call",
    "functions",
    "logprobs",
    "metadata",
    "modalities",
    "parallel_tool_calls",
    "prediction",
    "prompt_cache_key",
    "prompt_cache_retention",
    "reasoning_effort",
    "safety_identifier",
    "service_tier",
    "store",
    "tool_choice",
    "tools",
    "top_logprobs",
    "verbosity",
    "web_search_options",
    "prompt_cache_options",
];
/// Fields of a message: the interface's, and what newer clients send back from an answer.
const OF_MESSAGE: [&str; 12] = [
    "role",
    "content",
    "name",
    "annotations",
    "audio",
    "function_call",
    "reasoning",
    "reasoning_content",
    "refusal",
    "tool_call_id",
    "tool_calls",
    "prefix",
];

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    System,
    User,
    Assistant,
}

/// A message of the conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) role: Role,
    pub(crate) content: String,
}

/// A chat request whose every field is in range.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ask {
    pub(crate) model: String,
    pub(crate) messages: Vec<Message>,
    pub(crate) temperature: f64,
    pub(crate) top_p: f64,
    pub(crate) n: u32,
    pub(crate) stream: bool,
    pub(crate) include_usage: bool,
    pub(crate) stop: Vec<String>,
    /// `None`: what the context leaves.
    pub(crate) max_tokens: Option<u64>,
    pub(crate) presence_penalty: f64,
    pub(crate) frequency_penalty: f64,
    pub(crate) logit_bias: BTreeMap<u32, f64>,
    pub(crate) seed: Option<i64>,
}

impl Ask {
    /// Reads a body.
    pub(crate) fn read(body: &[u8]) -> Result<Self, Reject> {
        let map = check::body(body)?;
        let fields = Fields::of(&map);
        let known: Vec<&str> = ACTING.iter().chain(&IGNORED).copied().collect();
        if let Some(name) = fields.beyond(&known) {
            let name = super::reject::short(name, 200);
            return Err(Reject::bad(format!("Unrecognized request argument supplied: {name}")));
        }
        let model = fields.text("model")?.filter(|model| !model.is_empty());
        let model = model.ok_or_else(|| Reject::bad("you must provide a model parameter"))?.to_owned();
        let messages = messages(&fields)?;
        let stream = fields.flag("stream")?.unwrap_or(false);
        harmless(&fields)?;
        Ok(Self {
            model,
            messages,
            temperature: fields.number("temperature", 0.0, 2.0)?.unwrap_or(1.0),
            top_p: fields.number("top_p", 0.0, 1.0)?.unwrap_or(1.0),
            n: fields.whole("n", 1, CHOICES)?.unwrap_or(1) as u32,
            stream,
            include_usage: include_usage(&fields, stream)?,
            stop: stop(&fields)?,
            max_tokens: max_tokens(&fields)?,
            presence_penalty: fields.number("presence_penalty", -2.0, 2.0)?.unwrap_or(0.0),
            frequency_penalty: fields.number("frequency_penalty", -2.0, 2.0)?.unwrap_or(0.0),
            logit_bias: logit_bias(&fields)?,
            seed: {
                fields.text("user")?;
                fields.whole("seed", i64::MIN, i64::MAX)?
            },
        })
    }
}

fn messages(fields: &Fields<'_>) -> Result<Vec<Message>, Reject> {
    let value = fields.need("messages")?;
    let list = fields.list("messages")?.map_or(&[][..], Vec::as_slice);
    if list.is_empty() {
        return Err(check::too_short(value, "messages"));
    }
    list.iter().enumerate().map(|(at, value)| message(value, format!("messages.{at}"))).collect()
}

fn message(value: &Value, path: String) -> Result<Message, Reject> {
    let fields = Fields::at(value, path.clone())?;
    if let Some(name) = fields.beyond(&OF_MESSAGE) {
        let name = super::reject::short(name, 200);
        let message = format!("Additional properties are not allowed ('{name}' was unexpected) - '{path}'");
        return Err(Reject::bad(message));
    }
    let named = fields.need("role")?;
    let spoken = check::text(named, &fields.path("role"))?;
    let newer = NEWER_ROLES.iter().find(|(name, _)| *name == spoken).map(|(_, role)| *role);
    let role = match spoken {
        "system" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        _ => newer.ok_or_else(|| check::not_one_of(named, &ROLES, &fields.path("role")))?,
    };
    let content = content(&fields, value, role)?;
    fields.text("name")?;
    Ok(Message { role, content })
}

/// A string; an array of text parts, joined; null where an assistant called a tool instead of speaking.
fn content(fields: &Fields<'_>, message: &Value, role: Role) -> Result<String, Reject> {
    let path = fields.path("content");
    match fields.get("content") {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(Value::Array(parts)) => {
            let parts = parts.iter().enumerate().map(|(at, part)| part_text(part, format!("{path}.{at}")));
            Ok(parts.collect::<Result<Vec<_>, _>>()?.concat())
        }
        Some(other) => Err(check::not_type(other, "string", &path)),
        // Null is written, absent is forgotten; an assistant's message may do without.
        None if message.get("content").is_some() || role == Role::Assistant => Ok(String::new()),
        None => fields.need("content").map(|_| String::new()),
    }
}

fn part_text(part: &Value, path: String) -> Result<&str, Reject> {
    let fields = Fields::at(part, path)?;
    let kind = fields.need("type")?;
    match check::text(kind, &fields.path("type"))? {
        "text" => check::text(fields.need("text")?, &fields.path("text")),
        "refusal" => check::text(fields.need("refusal")?, &fields.path("refusal")),
        _ => Err(check::not_one_of(kind, &["text"], &fields.path("type"))),
    }
}

fn include_usage(fields: &Fields<'_>, stream: bool) -> Result<bool, Reject> {
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
        Some(value @ Value::Array(many)) if many.len() > STOPS => return Err(check::too_long(value, "stop")),
        Some(Value::Array(many)) => {
            let texts = many.iter().enumerate().map(|(at, one)| check::text(one, &format!("stop.{at}")));
            texts.map(|text| text.map(str::to_owned)).collect::<Result<_, _>>()?
        }
        Some(other) => return Err(check::no_shape(other, "stop")),
    };
    // An empty sequence would end every answer before its first word.
    Ok(stops.into_iter().filter(|stop| !stop.is_empty()).collect())
}

fn max_tokens(fields: &Fields<'_>) -> Result<Option<u64>, Reject> {
    let most = i64::from(u32::MAX);
    let older = fields.whole("max_tokens", 1, most)?;
    let newer = fields.whole("max_completion_tokens", 1, most)?;
    if older.is_some() && newer.is_some() {
        let message = "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.";
        return Err(Reject::bad(message).param("max_tokens"));
    }
    Ok(newer.or(older).map(|tokens| tokens as u64))
}

fn logit_bias(fields: &Fields<'_>) -> Result<BTreeMap<u32, f64>, Reject> {
    let Some(value) = fields.get("logit_bias") else { return Ok(BTreeMap::new()) };
    let Value::Object(map) = value else { return Err(check::not_type(value, "object", "logit_bias")) };
    let pairs = map.iter().map(|(id, bias)| {
        let digits = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
        let id = id.parse().ok().filter(|_| digits).ok_or_else(|| {
            let id = super::reject::short(id, 100);
            let message = format!(
                "Invalid key in 'logit_bias': {id}. You should only be submitting non-negative integers that are token ids."
            );
            Reject::bad(message).param("logit_bias")
        })?;
        Ok((id, check::number(bias, &format!("logit_bias.{id}"), -100.0, 100.0)?))
    });
    pairs.collect()
}

/// Refuses newer fields in the shapes that ask for what the small models cannot do.
fn harmless(fields: &Fields<'_>) -> Result<(), Reject> {
    if let Some(format) = fields.get("response_format") {
        let format = Fields::at(format, "response_format".into())?;
        let kind = format.need("type")?;
        if check::text(kind, "response_format.type")? != "text" {
            return Err(check::not_one_of(kind, &["text"], "response_format.type"));
        }
    }
    if let Some(choice) = fields.get("tool_choice")
        && !matches!(choice.as_str(), Some("auto" | "none"))
    {
        return Err(check::not_one_of(choice, &["none", "auto"], "tool_choice"));
    }
    if fields.flag("logprobs")?.unwrap_or(false) {
        let message = "The local models do not return log-probabilities for chat; leave 'logprobs' out.";
        return Err(Reject::bad(message).param("logprobs"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(more: Value) -> Result<Ask, String> {
        let mut body = json!({"model": "gpt-3.5-turbo", "messages": [{"role": "user", "content": "hi"}]});
        for (name, value) in more.as_object().unwrap() {
            body[name] = value.clone();
        }
        Ask::read(body.to_string().as_bytes()).map_err(|reject| reject.message)
    }

    #[test]
    fn null_means_default_in_every_field() {
        let plain = read(json!({})).unwrap();
        let nulls: serde_json::Map<String, Value> = ACTING
            .iter()
            .chain(&IGNORED)
            .filter(|name| !["model", "messages"].contains(name))
            .map(|name| ((*name).to_owned(), Value::Null))
            .collect();
        assert_eq!(read(nulls.into()).unwrap(), plain);
        assert_eq!((plain.temperature, plain.top_p, plain.n, plain.stream), (1.0, 1.0, 1, false));
        assert_eq!((plain.max_tokens, plain.seed, plain.stop.len()), (None, None, 0));
    }

    #[test]
    fn newer_clients_are_understood() {
        let ask = read(json!({
            "messages": [
                {"role": "developer", "content": [{"type": "text", "text": "be "}, {"type": "text", "text": "short"}]},
                {"role": "assistant", "content": null, "tool_calls": [], "refusal": null},
                {"role": "tool", "content": "4", "tool_call_id": "x"},
            ],
            "max_completion_tokens": 9, "seed": -3, "stream": true, "stream_options": {"include_usage": true},
            "store": true, "metadata": {"a": "b"}, "response_format": {"type": "text"}, "tools": [],
            "tool_choice": "auto", "logprobs": false,
        }))
        .unwrap();
        let said: Vec<_> = ask.messages.iter().map(|m| (m.role, m.content.as_str())).collect();
        assert_eq!(said, [(Role::System, "be short"), (Role::Assistant, ""), (Role::User, "4")]);
        assert_eq!((ask.max_tokens, ask.seed, ask.include_usage), (Some(9), Some(-3), true));
    }

    #[test]
    fn stops_are_up_to_four_and_never_empty() {
        assert_eq!(read(json!({"stop": "\n"})).unwrap().stop, ["\n"]);
        assert_eq!(read(json!({"stop": ["a", "", "b"]})).unwrap().stop, ["a", "b"]);
        assert_eq!(
            read(json!({"stop": ["a", "b", "c", "d", "e"]})).unwrap_err(),
            "['a', 'b', 'c', 'd', 'e'] is too long - 'stop'"
        );
        assert_eq!(read(json!({"stop": 5})).unwrap_err(), "5 is not valid under any of the given schemas - 'stop'");
    }

    #[test]
    fn what_cannot_be_done_is_refused_not_dropped() {
        for more in [
            json!({"response_format": {"type": "json_object"}}),
            json!({"tool_choice": "required"}),
            json!({"tool_choice": {"type": "function"}}),
            json!({"logprobs": true}),
            json!({"max_tokens": 1, "max_completion_tokens": 1}),
            json!({"stream_options": {"include_usage": true}}),
            json!({"logit_bias": {"x": 1}}),
            json!({"logit_bias": {"+1": 1}}),
            json!({"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}]}),
        ] {
            assert!(read(more.clone()).is_err(), "{more}");
        }
    }
}
