//! The fields as rows, and their values as text.

use crate::record::parameter_bounds::Bounds;
use crate::record::{ChatParams, CompletionParams};
use crate::tabs::generation::params::{self as common, number};
use crate::ui::form::{Field, Form, Kind};
use crate::ui::meter;

/// Tokens of a completion where none are asked for: the interface's default.
pub(crate) const MAX_TOKENS: u64 = 16;

/// Name, label, what it takes, default, meaning.
type Row = (&'static str, &'static str, Kind, &'static str, &'static str);

/// Rows that are no settings of a request.
const UNSENT: [&str; 3] = ["model", "mode", "suffix"];

const ROWS: [Row; 17] = [
    ("model", "Model", Kind::Choice, "none yet", "The model that continues the text. ⏎ chooses, 0 uses the profile's."),
    (
        "mode",
        "Mode",
        Kind::Shown,
        "complete",
        "Text after the caret is sent as the suffix, and the model fills the gap.",
    ),
    (
        "max_tokens",
        "Max tokens",
        number(Bounds::TOKENS, 16.0),
        "16",
        "0 or more for each completion. 0 generates nothing: with echo and logprobs the prompt is scored.",
    ),
    ("temperature", "Temperature", number(Bounds::TEMPERATURE, 0.1), "1", "0 to 2; higher is more random."),
    (
        "top_p",
        "Top p",
        number(Bounds::TOP_P, 0.05),
        "1",
        "0 to 1; only the likeliest tokens whose probabilities add up to this are sampled.",
    ),
    (
        "frequency_penalty",
        "Frequency penalty",
        number(Bounds::PENALTY, 0.1),
        "0",
        "−2 to 2; above 0 makes repeating word for word less likely.",
    ),
    (
        "presence_penalty",
        "Presence penalty",
        number(Bounds::PENALTY, 0.1),
        "0",
        "−2 to 2; above 0 makes new topics likelier.",
    ),
    ("n", "Completions (n)", number(Bounds::CHOICES, 1.0), "1", "1 to 128 at once; < > switches between them."),
    (
        "best_of",
        "Best of",
        number(Bounds::BEST_OF, 1.0),
        "same as n",
        "1 to 20, at least n: this many are generated, and the likeliest n are returned.",
    ),
    (
        "logprobs",
        "Log probabilities",
        number(Bounds::LOGPROBS, 1.0),
        "none",
        "0 to 5: the probability of each token, and this many alternatives per token.",
    ),
    ("echo", "Echo", Kind::Toggle, "false", "Whether the prompt is returned too; with logprobs it is scored."),
    (
        "stop",
        "Stop",
        Kind::Text,
        "none",
        "Up to 4 texts, separated by |, at which a completion ends; \\n is a line break, \\s a space.",
    ),
    ("suffix", "Suffix", Kind::Shown, "none", "The text after the caret; move the caret to change it."),
    (
        "seed",
        "Seed",
        Kind::Text,
        "none",
        "A whole number; the same seed and request give the same text if the server supports it.",
    ),
    ("logit_bias", "Logit bias", Kind::Choice, "none", "Tokens made likelier or impossible. ⏎ opens the list."),
    ("user", "User", Kind::Text, "none", "An opaque name of the end user, for the server's abuse monitoring."),
    ("stream", "Stream", Kind::Toggle, "true", "Whether the text arrives as it is generated."),
];

/// Returns the form over these settings.
pub(super) fn form(params: &CompletionParams) -> Form {
    let field = |(name, label, kind, default, help): Row| Field {
        name,
        label,
        kind,
        value: shown(params, name),
        default,
        help,
        optional: !UNSENT.contains(&name),
    };
    Form::new(ROWS.into_iter().map(field).collect())
}

/// Returns the names that a request has, with their values.
pub(crate) fn values(params: &CompletionParams) -> impl Iterator<Item = (&'static str, String)> {
    ROWS.iter().map(|row| row.0).filter(|name| !UNSENT.contains(name)).map(|name| (name, value(params, name)))
}

/// Returns a field's value as the pane shows it: as it is sent, which `stream` always is.
pub(super) fn shown(params: &CompletionParams, name: &str) -> String {
    if name == "stream" { is_streamed(params).to_string() } else { value(params, name) }
}

/// Returns whether a request with these settings streams: the best of several can only be sent whole.
pub(crate) fn is_streamed(params: &CompletionParams) -> bool {
    params.common.stream.unwrap_or(true) && params.best_of.is_none_or(|best| best <= 1)
}

/// Returns a field's value as it is typed, or as it is shown where it is not typed here; empty: not set.
pub(super) fn value(params: &CompletionParams, name: &str) -> String {
    let number = |value: Option<u32>| value.map(|value| value.to_string()).unwrap_or_default();
    match name {
        "best_of" => number(params.best_of),
        "logprobs" => number(params.logprobs),
        "echo" => params.echo.map(|echo| echo.to_string()).unwrap_or_default(),
        "logit_bias" => match params.common.logit_bias.len() {
            0 => String::new(),
            1 => "1 token".to_owned(),
            many => format!("{many} tokens"),
        },
        name => common::text(&params.common, name),
    }
}

/// Sets one field from its text; empty sets it back. The error is what the field takes: words that follow its label.
pub(crate) fn set(params: &mut CompletionParams, name: &str, text: &str) -> Result<(), String> {
    let text = text.trim();
    let number = || -> Result<Option<u32>, String> {
        let number = text.parse::<f64>().map(|number| Some(number as u32));
        if text.is_empty() { Ok(None) } else { number.map_err(|_| "must be a number".to_owned()) }
    };
    match name {
        "best_of" => params.best_of = number()?,
        "logprobs" => params.logprobs = number()?,
        "echo" => params.echo = text.parse().ok(),
        name => common::set(&mut params.common, name, text)?,
    }
    Ok(())
}

/// Returns the settings to begin with: what is kept for a model, as far as completions have it.
pub(super) fn defaults(kept: Option<&CompletionParams>) -> CompletionParams {
    kept.map(|kept| with_chat_only(kept, &ChatParams::default())).unwrap_or_default()
}

/// Returns these settings with the fields that only chat has from elsewhere.
pub(crate) fn with_chat_only(params: &CompletionParams, chat: &ChatParams) -> CompletionParams {
    let chat = chat.clone();
    let common = ChatParams {
        logprobs: chat.logprobs,
        max_completion_tokens: chat.max_completion_tokens,
        reasoning_effort: chat.reasoning_effort,
        top_k: chat.top_k,
        min_p: chat.min_p,
        response_format: chat.response_format,
        extra: chat.extra,
        tools: chat.tools,
        tool_choice: chat.tool_choice,
        ..params.common.clone()
    };
    CompletionParams { common, ..params.clone() }
}

/// Returns how a text with so many tokens after the caret is continued.
pub(super) fn continuation_mode(tokens: u64, estimated: bool) -> String {
    let about = if estimated { "~" } else { "" };
    if tokens == 0 { String::new() } else { format!("insert: {about}{} tok after the caret", meter::count(tokens)) }
}
