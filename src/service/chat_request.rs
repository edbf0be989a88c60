//! A chat request as it arrives: every field checked in the order and words of the interface, newer clients' fields
//! known.

use serde_json::Value;

use super::check::{self, Fields};
use super::limits::MESSAGES;
use super::reject::Reject;
use super::sampling::{self, SamplingFields};

/// Choices of one request.
const CHOICES: i64 = 128;
/// Alternatives a token of an answer can be listed with.
const ALTERNATIVES: i64 = 20;
/// Roles of the interface, as its checker lists them.
const ROLES: [&str; 3] = ["system", "assistant", "user"];
/// Roles that newer clients send and what they mean here.
const NEWER_ROLES: [(&str, Role); 3] = [("developer", Role::System), ("tool", Role::User), ("function", Role::User)];
/// Fields with an effect, besides [`SamplingFields::FIELDS`].
const FIELDS: [&str; 10] = [
    "model",
    "messages",
    "n",
    "stream",
    "max_tokens",
    "stream_options",
    "max_completion_tokens",
    "response_format",
    "logprobs",
    "top_logprobs",
];
/// Fields that newer clients send and that change nothing for a small text model. What would change the answer (a JSON
/// schema, tools) is refused by [`is_object`] and [`refuse_tools`], not silently ignored.
const IGNORED: [&str; 18] = [
    "audio",
    "function_call",
    "functions",
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
    "verbosity",
    "web_search_options",
    "prompt_cache_options",
];
/// Fields of a message: the interface's, and what newer clients send back from an answer.
const MESSAGE_FIELDS: [&str; 12] = [
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

/// The author of a message.
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
pub(crate) struct ChatRequest {
    pub(crate) model: String,
    pub(crate) messages: Vec<Message>,
    pub(crate) sampling: SamplingFields,
    pub(crate) n: u32,
    pub(crate) stream: bool,
    pub(crate) include_usage: bool,
    /// `None`: as many as the context leaves.
    pub(crate) max_tokens: Option<u64>,
    /// Alternatives listed with each token; `None`: no log-probabilities.
    pub(crate) logprobs: Option<usize>,
    /// Whether the answer is to be a JSON object.
    pub(crate) is_object: bool,
}

impl ChatRequest {
    /// Reads and checks a body. Fails at the first field that is unknown, missing, of the wrong type or out of range.
    pub(crate) fn read(body: &[u8]) -> Result<Self, Reject> {
        let map = check::body(body)?;
        let fields = Fields::of(&map);
        let known: Vec<&str> = FIELDS.iter().chain(&SamplingFields::FIELDS).chain(&IGNORED).copied().collect();
        fields.refuse_unknown(&known)?;
        let model = fields.model()?;
        let model = model.ok_or_else(Reject::no_model)?.to_owned();
        let messages = messages(&fields)?;
        let stream = fields.flag("stream")?.unwrap_or(false);
        refuse_tools(&fields)?;
        let logprobs = logprobs(&fields)?;
        Ok(Self {
            model,
            messages,
            sampling: SamplingFields::read(&fields)?,
            n: fields.integer("n", 1, CHOICES)?.unwrap_or(1) as u32,
            stream,
            include_usage: sampling::include_usage(&fields, stream)?,
            max_tokens: max_tokens(&fields)?,
            is_object: is_object(&fields, logprobs.is_some())?,
            logprobs,
        })
    }
}

fn messages(fields: &Fields<'_>) -> Result<Vec<Message>, Reject> {
    let value = fields.require("messages")?;
    let list = fields.list("messages")?.map_or(&[][..], Vec::as_slice);
    if list.is_empty() {
        return Err(check::too_short(value, "messages"));
    }
    if list.len() > MESSAGES {
        let message = format!("Too many messages in one request: {}. Please send {MESSAGES} at most.", list.len());
        return Err(Reject::bad(message).param("messages"));
    }
    list.iter().enumerate().map(|(at, value)| message(value, format!("messages.{at}"))).collect()
}

fn message(value: &Value, path: String) -> Result<Message, Reject> {
    let fields = Fields::at(value, path.clone())?;
    if let Some(name) = fields.first_unknown(&MESSAGE_FIELDS) {
        let name = super::reject::short(name, 200);
        let message = format!("Additional properties are not allowed ('{name}' was unexpected) - '{path}'");
        return Err(Reject::bad(message));
    }
    let named = fields.require("role")?;
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

/// Reads a content: a string; an array of text parts, joined; or null if an assistant called a tool instead of writing.
/// Fails for anything else.
fn content(fields: &Fields<'_>, message: &Value, role: Role) -> Result<String, Reject> {
    let path = fields.path("content");
    match fields.get("content") {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(Value::Array(parts)) => {
            let parts = parts.iter().enumerate().map(|(at, part)| part_text(part, format!("{path}.{at}")));
            Ok(parts.collect::<Result<Vec<_>, _>>()?.concat())
        }
        Some(other) => Err(check::not_type(other, "string", &path)),
        // Null was written on purpose, a missing field was forgotten; only an assistant's message may lack it.
        None if message.get("content").is_some() || role == Role::Assistant => Ok(String::new()),
        None => fields.require("content").map(|_| String::new()),
    }
}

fn part_text(part: &Value, path: String) -> Result<&str, Reject> {
    let fields = Fields::at(part, path)?;
    let kind = fields.require("type")?;
    match check::text(kind, &fields.path("type"))? {
        "text" => check::text(fields.require("text")?, &fields.path("text")),
        "refusal" => check::text(fields.require("refusal")?, &fields.path("refusal")),
        _ => Err(check::not_one_of(kind, &["text"], &fields.path("type"))),
    }
}

fn max_tokens(fields: &Fields<'_>) -> Result<Option<u64>, Reject> {
    let most = i64::from(u32::MAX);
    let older = fields.integer("max_tokens", 1, most)?;
    let newer = fields.integer("max_completion_tokens", 1, most)?;
    if older.is_some() && newer.is_some() {
        let message = "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.";
        return Err(Reject::bad(message).param("max_tokens"));
    }
    Ok(newer.or(older).map(|tokens| tokens as u64))
}

fn logprobs(fields: &Fields<'_>) -> Result<Option<usize>, Reject> {
    let wanted = fields.flag("logprobs")?.unwrap_or(false);
    let alternatives = fields.integer("top_logprobs", 0, ALTERNATIVES)?;
    if alternatives.is_some() && !wanted {
        let message = "The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled.";
        return Err(Reject::bad(message).param("top_logprobs"));
    }
    Ok(wanted.then_some(alternatives.unwrap_or(0) as usize))
}

/// Reads whether the answer is to be a JSON object. A schema is refused: the small models do not follow one.
fn is_object(fields: &Fields<'_>, logprobs: bool) -> Result<bool, Reject> {
    let Some(format) = fields.get("response_format") else { return Ok(false) };
    let format = Fields::at(format, "response_format".into())?;
    let kind = format.require("type")?;
    match check::text(kind, "response_format.type")? {
        "text" => Ok(false),
        "json_object" if logprobs => {
            let message = "'logprobs' is not supported with a 'response_format' of 'json_object'.";
            Err(Reject::bad(message).param("logprobs").code("unsupported_parameter"))
        }
        "json_object" => Ok(true),
        _ => Err(check::not_one_of(kind, &["text", "json_object"], "response_format.type")),
    }
}

/// Refuses tools, which the small models cannot call.
fn refuse_tools(fields: &Fields<'_>) -> Result<(), Reject> {
    for name in ["tools", "functions"] {
        if fields.list(name)?.is_some_and(|list| !list.is_empty()) {
            let message = format!("Unsupported parameter: '{name}' is not supported with this model.");
            return Err(Reject::bad(message).param(name).code("unsupported_parameter"));
        }
    }
    if let Some(choice) = fields.get("tool_choice")
        && !matches!(choice.as_str(), Some("auto" | "none"))
    {
        return Err(check::not_one_of(choice, &["none", "auto"], "tool_choice"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(more: Value) -> Result<ChatRequest, String> {
        let mut body = json!({"model": "gpt-3.5-turbo", "messages": [{"role": "user", "content": "hi"}]});
        for (name, value) in more.as_object().unwrap() {
            body[name] = value.clone();
        }
        ChatRequest::read(body.to_string().as_bytes()).map_err(|reject| reject.message)
    }

    #[test]
    fn null_means_default_in_every_field() {
        let plain = read(json!({})).unwrap();
        let nulls: serde_json::Map<String, Value> = FIELDS
            .iter()
            .chain(&SamplingFields::FIELDS)
            .chain(&IGNORED)
            .filter(|name| !["model", "messages"].contains(name))
            .map(|name| ((*name).to_owned(), Value::Null))
            .collect();
        assert_eq!(read(nulls.into()).unwrap(), plain);
        let sampling = &plain.sampling;
        assert_eq!((sampling.temperature, sampling.top_p, plain.n, plain.stream), (1.0, 1.0, 1, false));
        assert_eq!((plain.max_tokens, sampling.seed, sampling.stop.len(), plain.logprobs), (None, None, 0, None));
    }

    #[test]
    fn newer_clients_are_understood() {
        let request = read(json!({
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
        let said: Vec<_> = request.messages.iter().map(|m| (m.role, m.content.as_str())).collect();
        assert_eq!(said, [(Role::System, "be short"), (Role::Assistant, ""), (Role::User, "4")]);
        assert_eq!((request.max_tokens, request.sampling.seed, request.include_usage), (Some(9), Some(-3), true));
    }

    #[test]
    fn stops_are_up_to_four_and_never_empty() {
        assert_eq!(read(json!({"stop": "\n"})).unwrap().sampling.stop, ["\n"]);
        assert_eq!(read(json!({"stop": ["a", "", "b"]})).unwrap().sampling.stop, ["a", "b"]);
        assert_eq!(
            read(json!({"stop": ["a", "b", "c", "d", "e"]})).unwrap_err(),
            "['a', 'b', 'c', 'd', 'e'] is too long - 'stop'"
        );
        assert_eq!(read(json!({"stop": 5})).unwrap_err(), "5 is not valid under any of the given schemas - 'stop'");
    }

    #[test]
    fn log_probabilities_are_given_with_up_to_twenty_others() {
        assert_eq!(read(json!({"logprobs": true})).unwrap().logprobs, Some(0));
        assert_eq!(read(json!({"logprobs": true, "top_logprobs": 20})).unwrap().logprobs, Some(20));
        assert_eq!(read(json!({"logprobs": false})).unwrap().logprobs, None);
    }

    #[test]
    fn what_cannot_be_done_is_refused_not_dropped() {
        for more in [
            json!({"response_format": {"type": "json_schema"}}),
            json!({"tool_choice": "required"}),
            json!({"tool_choice": {"type": "function"}}),
            json!({"top_logprobs": 2}),
            json!({"logprobs": true, "top_logprobs": 21}),
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
