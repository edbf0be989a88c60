//! The parameter panel: every request field with its bounds.

use crate::record::parameter_bounds::Bounds;
use crate::record::{ChatParams, CompletionParams};
use crate::tabs::generation::params::{number, text};
pub(super) use crate::tabs::generation::params::{set, summary};
use crate::ui::form::{Field, Form, Kind};

/// Returns a field's value as the panel shows it: as it is sent, which `stream` always is.
pub(super) fn shown(params: &ChatParams, name: &str) -> String {
    if name == "stream" { params.stream.unwrap_or(true).to_string() } else { text(params, name) }
}

/// A field: its name in the request, its label, what it takes, its default and its help.
type FieldRow = (&'static str, &'static str, Kind, &'static str, &'static str);

const FIELDS: [FieldRow; 20] = [
    (
        "temperature",
        "Temperature",
        number(Bounds::TEMPERATURE, 0.1),
        "1",
        "0 to 2; higher is more random. Change this or top_p, not both.",
    ),
    (
        "top_p",
        "Top p",
        number(Bounds::TOP_P, 0.05),
        "1",
        "0 to 1; tokens are chosen from the likeliest that together have this probability.",
    ),
    (
        "max_tokens",
        "Max tokens",
        number(Bounds::CHAT_TOKENS, 64.0),
        "what fits",
        "1 or more; an answer that is cut off there has finish_reason length.",
    ),
    (
        "n",
        "Choices (n)",
        number(Bounds::CHOICES, 1.0),
        "1",
        "1 to 128 answers at once; < > switches between them. Each costs its own tokens.",
    ),
    (
        "stop",
        "Stop",
        Kind::Text,
        "none",
        "Up to 4 texts, separated by |, at which the answer ends; \\n is a line break, \\s a space.",
    ),
    (
        "presence_penalty",
        "Presence penalty",
        number(Bounds::PENALTY, 0.1),
        "0",
        "−2 to 2; above 0 makes new topics likelier.",
    ),
    (
        "frequency_penalty",
        "Frequency penalty",
        number(Bounds::PENALTY, 0.1),
        "0",
        "−2 to 2; above 0 makes verbatim repetition less likely.",
    ),
    (
        "logit_bias",
        "Logit bias",
        Kind::Text,
        "none",
        "50256=-100, … or {\"50256\": -100}; a token's id with −100 (never) to 100 (always).",
    ),
    (
        "seed",
        "Seed",
        Kind::Text,
        "none",
        "A whole number; with the same seed and request, servers that support it repeat their answer.",
    ),
    ("user", "User", Kind::Text, "none", "An opaque identifier of the end user, for the server's abuse monitoring."),
    ("stream", "Stream", Kind::Toggle, "true", "Whether the answer is shown while it is written."),
    (
        "tools",
        "Tools",
        Kind::Long,
        "none",
        "A JSON array of tools that the model may call; o opens a file, ⏎ $EDITOR, i types it here.",
    ),
    (
        "tool_choice",
        "Tool choice",
        Kind::Text,
        "auto",
        "auto, none, required, or the name of the tool that the model must call.",
    ),
    (
        "max_completion_tokens",
        "Max completion",
        number(Bounds::CHAT_TOKENS, 64.0),
        "what fits",
        "1 or more, reasoning included; today's name for max_tokens, which it replaces.",
    ),
    (
        "reasoning_effort",
        "Reasoning effort",
        Kind::Text,
        "model's",
        "none, minimal, low, medium, high or xhigh; only models that reason take it.",
    ),
    (
        "top_k",
        "Top k",
        number(Bounds::TOP_K, 10.0),
        "none",
        "1 or more; tokens are chosen from this many of the likeliest. Not every server takes it.",
    ),
    (
        "min_p",
        "Min p",
        number(Bounds::MIN_P, 0.05),
        "0",
        "0 to 1; tokens below this share of the likeliest one's probability are left out. Not every server takes it.",
    ),
    (
        "response_format",
        "Answer format",
        Kind::Long,
        "text",
        "json_object or a JSON schema, against which the answer is checked. ⏎ opens $EDITOR, i types it here.",
    ),
    (
        "extra",
        "Further fields",
        Kind::Long,
        "none",
        "A JSON object of any other fields, such as {\"verbosity\": \"low\"}. ⏎ opens $EDITOR, i types it here.",
    ),
    (
        "top_logprobs",
        "Probabilities",
        number(Bounds::CHAT_LOGPROBS, 1.0),
        "none",
        "0 to 20 alternatives per token; l shows them. Not every server sends them.",
    ),
];

/// The two names of one limit; servers refuse both in one request.
const LIMITS: [&str; 2] = ["max_tokens", "max_completion_tokens"];

/// Sets the other name of a limit back, where this one was set. Returns that name if it was set.
pub(super) fn clear_other_limit(params: &mut ChatParams, name: &str) -> Option<&'static str> {
    let other = LIMITS[1 - LIMITS.iter().position(|limit| *limit == name)?];
    let both = params.max_tokens.is_some() && params.max_completion_tokens.is_some();
    both.then(|| set(params, other, "").ok().map(|()| other))?
}

/// Returns the parameters that a conversation with a model begins with: of its two limits the one that servers take
/// today.
pub(super) fn defaults(kept: Option<&CompletionParams>) -> ChatParams {
    let mut params = kept.map(|kept| kept.common.clone()).unwrap_or_default();
    // `max_tokens: 0` scores a prompt in Complete; here it is not a limit of the answer.
    params.max_tokens = params.max_tokens.filter(|tokens| *tokens > 0);
    clear_other_limit(&mut params, "max_completion_tokens");
    params
}

/// Returns the most tokens that an answer may have.
pub(super) fn limit(params: &ChatParams) -> Option<u64> {
    params.max_completion_tokens.or(params.max_tokens)
}

/// Returns the panel for these parameters.
pub(super) fn form(params: &ChatParams) -> Form {
    let field = |(name, label, kind, default, help)| Field {
        name,
        label,
        kind,
        value: shown(params, name),
        default,
        help,
        optional: true,
    };
    Form::new(FIELDS.map(field).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_take_what_the_interface_takes_and_say_what_is_wrong() {
        let mut params = ChatParams::default();
        set(&mut params, "stop", "END | \\n\\n").unwrap();
        assert_eq!(params.stop, ["END", "\n\n"]);
        for stop in ["\"", "a b", " x", "a|b", "\\n", "C:\\new", "\n\t"] {
            params.stop = vec![stop.to_owned(), "END".to_owned()];
            let shown = form(&params).fields.iter().find(|field| field.name == "stop").unwrap().value.clone();
            set(&mut params, "stop", &shown).unwrap();
            assert_eq!(params.stop, [stop, "END"], "{shown}");
        }
        assert!(set(&mut params, "stop", "a|b|c|d|e").unwrap_err().contains("at most 4"));
        set(&mut params, "logit_bias", "50256=-100, 12: 5").unwrap();
        let typed = params.logit_bias.clone();
        assert_eq!(typed.len(), 2);
        for json in ["{\"50256\": -100, \"12\": 5}", "{\"12\":5,\"50256\":-100.0}", "{ \"50256\" : -1e2, 12: 5, }"] {
            params.logit_bias.clear();
            set(&mut params, "logit_bias", json).unwrap();
            assert_eq!(params.logit_bias, typed, "{json}");
        }
        for wrong in ["12=101", "{\"a\": 1}", "{\"12\": }", "12", "[12]"] {
            let why = set(&mut params, "logit_bias", wrong).unwrap_err();
            assert!(why.contains("50256=-100, … or {\"50256\": -100}, each −100 to 100"), "{why}");
        }
        assert!(set(&mut params, "seed", "x").unwrap_err().contains("whole number"));
        set(&mut params, "temperature", "").unwrap();
        assert_eq!(params.temperature, None);
    }
}
