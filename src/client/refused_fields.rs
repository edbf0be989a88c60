//! Reads from a server's refusal which fields of the request can be changed so that it is accepted.

use super::request_body::{ENCODING_FORMAT, STREAM_OPTIONS};
use crate::api::call::Failure;
use crate::api::capability::Adaptation;
use crate::api::error::read_error;

/// Fields that benchtop adds itself, with the words by which a refusal names each. A refusal that contains such a word
/// is about the field, whatever else it says.
const OWN_FIELDS: &[(&str, &[&str])] = &[
    (STREAM_OPTIONS, &[STREAM_OPTIONS, "stream options", "include_usage"]),
    (ENCODING_FORMAT, &[ENCODING_FORMAT, "encoding format", "base64"]),
];

/// Fields that may be left out: the answer without them is still one to what was asked.
const OPTIONAL_FIELDS: &[&str] = &[
    "frequency_penalty",
    "logprobs",
    "min_p",
    "presence_penalty",
    "seed",
    "temperature",
    "top_k",
    "top_logprobs",
    "top_p",
    "user",
];

/// Fields that servers know by one of two names.
const OTHER_NAMES: &[(&str, &str)] =
    &[("max_tokens", "max_completion_tokens"), ("max_completion_tokens", "max_tokens")];

/// Fields whose names are ordinary words, which any message may contain.
const WORD_FIELDS: &[&str] = &["input", "messages", "model", "n", "prompt", "stop", "stream", "user"];

/// Phrases by which servers refuse a field itself, not its value. OpenAI says `unsupported value` of a field that has
/// only one possible value.
const REFUSAL_PHRASES: &[&str] = &[
    "additional properties",
    "extra_forbidden",
    "extra inputs",
    "n't support",
    "not allowed",
    "not available",
    "not enabled",
    "not permitted",
    "not support",
    "unexpected",
    "unknown field",
    "unknown name",
    "unknown parameter",
    "unknown_parameter",
    "unrecognized",
    "unsupported",
];

/// Words that stand directly before the name of a field in a refusal.
const INTRODUCING_WORDS: &[&str] = &[
    "argument",
    "arguments",
    "body",
    "field",
    "fields",
    "name",
    "param",
    "parameter",
    "parameters",
    "params",
    "property",
    "supplied",
];

/// Phrases of a refusal that depends on something else in the request.
const CONDITION_PHRASES: &[&str] = &["while", "unless", "when", "with tools"];

/// Phrase before the name of a field that a server accepts in place of the one it refuses.
const SUGGESTION_PHRASE: &str = "did you mean";

/// Phrases by which servers refuse a combination of fields, each of which they accept alone.
const COMBINATION_PHRASES: &[&str] = &["both", "together", "at the same time"];

/// Returns the changes after which the server may accept a request that it refused. `names`: the request's fields.
/// Empty if the refusal names no field that can be changed.
pub(super) fn changes_after(why: &Failure, model: &str, names: &[String]) -> Vec<Adaptation> {
    // With 403 OpenAI refuses log-probabilities, but also users, models and prompts.
    let can_be_about = |name: &String| match why.status {
        Some(400 | 422) => true,
        Some(403) => !WORD_FIELDS.contains(&name.as_str()),
        _ => false,
    };
    let error = read_error(why.body.raw().as_bytes());
    let code = error.code.as_deref().unwrap_or_default();
    let message = refusing_part(&format!("{} {code}", error.message), model);
    // Where the server names the field at fault, it is about that one alone.
    let fault = error.param.as_deref().filter(|param| names.iter().any(|name| name == param));
    let is_named = |field: &str| match fault {
        Some(fault) => fault == field,
        None if WORD_FIELDS.contains(&field) => places_of(&message, field).any(|at| {
            let (before, after) = (&message[..at], &message[at + field.len()..]);
            is_introduced(before, names) || is_listed(before, after)
        }),
        None => has_name(&message, field),
    };
    // Which field of a combination is left out is the user's choice.
    if COMBINATION_PHRASES.iter().any(|phrase| has_word(&message, phrase)) {
        return Vec::new();
    }
    let is_refused = REFUSAL_PHRASES.iter().any(|phrase| message.contains(phrase));
    let change = |name: &String| {
        if let Some((_, marks)) = OWN_FIELDS.iter().find(|(field, _)| field == name) {
            return marks.iter().any(|mark| is_named(mark)).then(|| Adaptation::Omitted(name.clone()));
        }
        if !is_refused || !is_named(name) {
            return None;
        }
        if let Some((_, to)) = OTHER_NAMES.iter().find(|(field, _)| field == name) {
            let is_taken = names.iter().any(|name| name == to);
            return (!is_taken).then(|| Adaptation::Renamed { field: name.clone(), to: (*to).to_owned() });
        }
        OPTIONAL_FIELDS.contains(&name.as_str()).then(|| Adaptation::Omitted(name.clone()))
    };
    names.iter().filter(|name| can_be_about(name)).filter_map(change).collect()
}

/// Returns whether the refusal of a field may depend on something else in the request: it says so, or names one of the
/// fields that stay. A field that benchtop adds itself is left out under any condition.
pub(super) fn is_conditional(why: &Failure, model: &str, field: &str, staying: &[String]) -> bool {
    let message = refusing_part(&read_error(why.body.raw().as_bytes()).message, model);
    !OWN_FIELDS.iter().any(|(own, _)| *own == field)
        && (CONDITION_PHRASES.iter().any(|phrase| has_word(&message, phrase))
            || staying.iter().any(|name| !WORD_FIELDS.contains(&name.as_str()) && has_name(&message, name)))
}

/// Returns what a message refuses, in lower case: without the model's id and without a field that it suggests.
fn refusing_part(message: &str, model: &str) -> String {
    let mut message = without_model(message, model);
    while let Some(at) = message.find(SUGGESTION_PHRASE) {
        let end = message[at..].find('?').map_or(message.len(), |length| at + length);
        message.replace_range(at..end, "");
    }
    message
}

/// Returns a message in lower case without the model's id, which may contain the name of a field. Servers leave out
/// some or all of what precedes a slash in the id.
fn without_model(message: &str, model: &str) -> String {
    let (mut message, model) = (message.to_lowercase(), model.to_lowercase());
    let tails = model.match_indices('/').map(|(at, _)| &model[at + 1..]);
    for id in std::iter::once(model.as_str()).chain(tails).filter(|id| !id.is_empty()) {
        let found: Vec<usize> = places_of(&message, id).collect();
        for at in found.into_iter().rev() {
            message.replace_range(at..at + id.len(), "");
        }
    }
    message
}

/// Returns whether the text before a name introduces it as a field's, directly or in a list with other fields.
fn is_introduced(before: &str, names: &[String]) -> bool {
    let before = before.trim_end_matches(|char| !is_name_char(char));
    let start = before.trim_end_matches(is_name_char).len();
    let word = &before[start..];
    INTRODUCING_WORDS.contains(&word)
        || (names.iter().any(|name| name == word) && is_introduced(&before[..start], names))
}

/// Returns whether a name between these texts is the place of an error in a list: `user: extra inputs are not
/// permitted`.
fn is_listed(before: &str, after: &str) -> bool {
    (before.is_empty() || before.ends_with("; ")) && after.starts_with(": ")
}

/// Returns whether a text in lower case contains the name of a field, as it is or in camel case: xAI writes
/// `presencePenalty`.
fn has_name(text: &str, field: &str) -> bool {
    has_word(text, field) || has_word(text, &field.replace('_', ""))
}

/// Returns whether a text contains a word, other than as a part of a longer name.
fn has_word(text: &str, word: &str) -> bool {
    places_of(text, word).next().is_some()
}

/// Returns where a text contains a word, other than as a part of a longer name.
fn places_of<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.match_indices(word).map(|(at, _)| at).filter(move |at| {
        !text[..*at].chars().next_back().is_some_and(is_name_char)
            && !text[at + word.len()..].chars().next().is_some_and(is_name_char)
    })
}

fn is_name_char(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_'
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::api::call::FailureKind;

    fn refusal(status: u16, body: &str) -> Failure {
        let failure = Failure::new(FailureKind::Refused, "refused");
        Failure { status: Some(status), body: body.into(), ..failure }
    }

    fn omitted(field: &str) -> Adaptation {
        Adaptation::Omitted(field.to_owned())
    }

    const FIELDS: &[&str] =
        &["model", "messages", "max_tokens", "temperature", "logprobs", "top_logprobs", "stop", STREAM_OPTIONS];

    fn changes_of(body: &Value) -> Vec<Adaptation> {
        let names: Vec<String> = FIELDS.iter().map(|&name| name.to_owned()).collect();
        changes_after(&refusal(400, &body.to_string()), "m", &names)
    }

    #[test]
    fn each_server_names_the_field_it_refuses_in_its_own_words() {
        let renamed = || Adaptation::Renamed { field: "max_tokens".into(), to: "max_completion_tokens".into() };
        let error = |message: &str, param: Option<&str>, code: Value| json!({"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}});
        let cases = [
            (
                error(
                    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
                    Some("max_tokens"),
                    json!("unsupported_parameter"),
                ),
                vec![renamed()],
            ),
            (
                error(
                    "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
                    Some("temperature"),
                    json!("unsupported_value"),
                ),
                vec![omitted("temperature")],
            ),
            (
                error("Unrecognized request argument supplied: stream_options", None, Value::Null),
                vec![omitted(STREAM_OPTIONS)],
            ),
            (
                error(
                    "[{'type': 'extra_forbidden', 'loc': ('body', 'temperature'), 'msg': 'Extra inputs are not permitted'}]",
                    None,
                    json!(400),
                ),
                vec![omitted("temperature")],
            ),
            (
                error(
                    "litellm.UnsupportedParamsError: openai does not support parameters: ['temperature', 'logprobs'], for model=o9. To drop these, set `litellm.drop_params=True`",
                    Some("None"),
                    json!("400"),
                ),
                vec![omitted("temperature"), omitted("logprobs")],
            ),
            (
                json!({"detail": [{"loc": ["body", "logprobs"], "msg": "extra inputs are not permitted"}]}),
                vec![omitted("logprobs")],
            ),
        ];
        for (body, expected) in cases {
            assert_eq!(changes_of(&body), expected, "{body}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_value_or_has_no_substitute_is_left_to_the_user() {
        for message in [
            "2.5 is greater than the maximum of 2 - 'temperature'",
            "max_tokens is too large: 90000. This model supports at most 4096 completion tokens.",
            "'stop' is not supported with this model.",
            "Unsupported parameter: 'top_logprobs_more'.",
            "you must provide a model parameter",
            "'temperature' and 'logprobs' cannot be used together: not supported",
        ] {
            assert_eq!(changes_of(&json!({"error": {"message": message}})), [], "{message}");
        }
        let names = ["temperature".to_owned()];
        assert_eq!(changes_after(&refusal(500, r#"{"error":"unsupported: temperature"}"#), "m", &names), []);
    }

    #[test]
    fn a_word_that_is_also_a_name_of_a_field_is_not_taken_for_it() {
        let names = ["model", "messages", "seed", "user", "temperature"].map(str::to_owned);
        for (model, message, expected) in [
            ("m", "Unexpected role 'user' after role 'tool'", None),
            ("m", "This user is not allowed to use the model", None),
            ("m", "json: unknown field \"user\"", Some("user")),
            ("m", "Unrecognized request argument supplied: user", Some("user")),
            ("m", "[{'type': 'extra_forbidden', 'loc': ('body', 'user'), 'msg': 'Extra inputs'}]", Some("user")),
            ("m", "does not support parameters: ['seed', 'user']", Some("seed user")),
            ("m", "property 'user' is unsupported, did you mean 'seed'?", Some("user")),
            ("m", "Unsupported param: user", Some("user")),
            ("m", "this user: not allowed", None),
            ("bytedance/seed", "bytedance/seed does not support tools", None),
            ("openrouter/seed", "seed does not support tools", None),
            ("bytedance/seed-1.6", "Bytedance/Seed-1.6 does not support tools", None),
            ("bytedance/seed-1.6", "seed is not supported by bytedance/seed-1.6", Some("seed")),
        ] {
            let body = json!({"error": {"message": message}}).to_string();
            let expected: Vec<_> = expected.into_iter().flat_map(|fields| fields.split(' ')).map(omitted).collect();
            assert_eq!(changes_after(&refusal(400, &body), model, &names), expected, "{message}");
        }
        let body = r#"{"error":{"message":"not supported","param":"user"}}"#;
        assert_eq!(changes_after(&refusal(400, body), "m", &names), [omitted("user")]);
    }

    #[test]
    fn the_names_here_are_known_as_fields() {
        let pairs = OTHER_NAMES.iter().flat_map(|(one, other)| [one, other]);
        let own = OWN_FIELDS.iter().map(|(name, _)| name);
        for name in OPTIONAL_FIELDS.iter().chain(WORD_FIELDS).chain(pairs).chain(own) {
            assert!(crate::api::field_scopes::is_known(name), "{name}");
        }
    }
}
