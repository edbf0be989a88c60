//! Sends a request as its server is known to take it, and learns from a refusal that names a field.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use reqwest::Response;
use reqwest::header::HeaderMap;
use serde_json::{Map, Value};

use super::extra_body::Body;
use super::headers::header;
use super::http::{Http, Request};
use super::progress::ProgressSender;
use crate::api::call::{Failure, Progress};
use crate::api::capability::{Adaptation, Fact, Finding, Subject};
use crate::api::error::read_error;
use crate::settings::{Endpoint, parts};

/// Asks for token counts at the end of a stream.
pub(super) const USAGE: &str = "stream_options";
/// How vectors are written.
pub(super) const FORMAT: &str = "encoding_format";

/// Characters of what is said of a rate limit.
const LIMIT_WORDS: usize = 80;

/// Paths of the interface that a server may lack.
const ENDPOINTS: &[&str] = &[
    "/chat/completions",
    "/completions",
    "/embeddings",
    "/files",
    "/fine-tunes",
    "/fine_tuning/jobs",
    "/models",
    "/moderations",
];

/// Fields that no user asked for: a refusal that names one is about it, whatever else it says.
const OWN: &[(&str, &[&str])] = &[(USAGE, &[USAGE, "include_usage"]), (FORMAT, &[FORMAT, "encoding format", "base64"])];

/// Fields without which the answer is still one to what was asked.
const OPTIONAL: &[&str] = &[
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
const NAMES: &[(&str, &str)] = &[("max_tokens", "max_completion_tokens"), ("max_completion_tokens", "max_tokens")];

/// Fields that make no sense without another one.
const DEPENDENT: &[(&str, &str)] = &[("top_logprobs", "logprobs")];

/// Phrases by which servers refuse a field itself and not its value. `unsupported value` is said of a field with one
/// possible value.
const REFUSING: &[&str] = &[
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

/// Fields whose names are words of any message.
const PLAIN: &[&str] = &["input", "messages", "model", "n", "prompt", "stop", "stream", "user"];

/// Words directly before the name of a field in a refusal, other names of fields aside.
const INTRODUCING: &[&str] =
    &["argument", "arguments", "body", "field", "fields", "name", "parameter", "parameters", "params", "supplied"];

/// Phrases of a refusal that holds only beside something else in the request.
const CONDITIONAL: &[&str] = &["while", "unless", "when", "with tools"];

/// Words by which servers refuse fields that are fine each by itself.
const EXCLUDING: &[&str] = &["both", "together", "at the same time"];

/// What is known of servers, by their base URLs.
#[derive(Default)]
pub(super) struct Knowledge(Mutex<HashMap<String, HashMap<Subject, Finding>>>);

impl Knowledge {
    /// Returns what is known of a server about something.
    pub(super) fn of(&self, endpoint: &Endpoint, subject: &Subject) -> Option<Finding> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(server(endpoint))?.get(subject).cloned()
    }

    /// Takes in a fact; `None`: what was known of the subject is forgotten.
    pub(super) fn set(&self, server: &str, subject: Subject, finding: Option<Finding>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let facts = known.entry(server.to_owned()).or_default();
        match finding {
            Some(finding) => drop(facts.insert(subject, finding)),
            None => drop(facts.remove(&subject)),
        }
    }

    /// Learns whether a server has an endpoint, from an answer to a request to its path.
    pub(super) async fn has(&self, endpoint: &Endpoint, path: &str, finding: Finding, sender: &ProgressSender) {
        let path = parts(path).0;
        // What is below an endpoint may be missing for other reasons.
        if ENDPOINTS.contains(&path) {
            self.learn(endpoint, Subject::Endpoint(path.to_owned()), finding, sender).await;
        }
    }

    /// Learns how much is left of the rate limits that the headers of an answer tell.
    pub(super) async fn limits(&self, endpoint: &Endpoint, headers: &HeaderMap, sender: &ProgressSender) {
        for what in ["requests", "tokens"] {
            let of = |part: &str| header(headers, &format!("x-ratelimit-{part}-{what}"));
            if let (Some(limit), Some(left)) = (of("limit"), of("remaining")) {
                let reset = of("reset").map(|reset| format!(", resets in {reset}")).unwrap_or_default();
                let words: String = format!("{left} of {limit} left{reset}").chars().take(LIMIT_WORDS).collect();
                self.learn(endpoint, Subject::RateLimit(what.to_owned()), Finding::Text(words), sender).await;
            }
        }
    }

    /// Learns something, and tells the shell where it is new.
    pub(super) async fn learn(&self, endpoint: &Endpoint, subject: Subject, finding: Finding, sender: &ProgressSender) {
        if self.of(endpoint, &subject).as_ref() == Some(&finding) {
            return;
        }
        let server = server(endpoint).to_owned();
        if let Some(opposite) = subject.opposite(&finding) {
            self.set(&server, opposite, None);
        }
        self.set(&server, subject.clone(), Some(finding.clone()));
        sender.send(Progress::Learned(Box::new(Fact { server, subject, finding }))).await;
    }
}

/// Returns what names a server: its base URL without the query, which may hold a secret.
fn server(endpoint: &Endpoint) -> &str {
    parts(&endpoint.base_url).0
}

/// Sends a POST as its server is known to take it, up to the headers of a good answer. After a refusal that names a field
/// that can be changed it is sent once more, with that change.
pub(super) async fn post(
    http: &Http,
    endpoint: &Endpoint,
    path: &'static str,
    mut body: Body,
    sender: &ProgressSender,
) -> Result<Response, Failure> {
    let kept = body.kept;
    let model = body.fields.get("model").and_then(Value::as_str).unwrap_or_default().to_owned();
    let known = known(&http.knowledge, endpoint, (path, &model), &body.fields);
    for change in known.into_iter().filter(|change| kept != Some(change.finding().0)) {
        apply(&mut body.fields, &change);
        sender.send(Progress::Adapted(change)).await;
    }
    let mut names: Vec<String> = body.fields.keys().filter(|name| kept != Some(name.as_str())).cloned().collect();
    let request = Request::post(path, body);
    let why = match http.exchange(endpoint, &request, sender).await {
        Err(why) => why,
        answer => return answer,
    };
    let changes = changes(&why, &model, &names);
    if changes.is_empty() {
        return Err(why);
    }
    for change in &changes {
        sender.send(Progress::Adapted(change.clone())).await;
        names.retain(|name| *name != change.finding().0);
    }
    let answer = http.exchange(endpoint, &request.changed(|fields| apply_all(fields, &changes)), sender).await;
    // The server took it, or has got as far as the next field. What is refused beside another field may be taken without.
    let took = answer.as_ref().err().is_none_or(|why| !self::changes(why, &model, &names).is_empty());
    if took && !is_conditional(&why, &model, &names) {
        for change in &changes {
            let (field, finding) = change.finding();
            http.knowledge.learn(endpoint, Subject::field(path, &model, field), finding, sender).await;
        }
    }
    answer
}

/// Returns the changes that a server is known to want.
fn known(
    knowledge: &Knowledge,
    endpoint: &Endpoint,
    (path, model): (&str, &str),
    fields: &Map<String, Value>,
) -> Vec<Adaptation> {
    let change = |field: &String| {
        let finding = knowledge.of(endpoint, &Subject::field(path, model, field))?;
        Adaptation::of(field, &finding).filter(|change| !matches!(change, Adaptation::Single(_)))
    };
    fields.keys().filter_map(change).collect()
}

/// Returns the changes after which a refused request may be taken. None: the refusal names no field that can be changed.
fn changes(why: &Failure, model: &str, names: &[String]) -> Vec<Adaptation> {
    // With 403 OpenAI refuses log-probabilities; of a user, a model or a prompt it says other things with that.
    let can_be_about = |name: &String| match why.status {
        Some(400 | 422) => true,
        Some(403) => !PLAIN.contains(&name.as_str()),
        _ => false,
    };
    let error = read_error(why.body.raw().as_bytes());
    let code = error.code.as_deref().unwrap_or_default();
    let words = without_model(&format!("{} {code}", error.message), model);
    // A field that the server names as the one at fault is the only one.
    let fault = error.param.as_deref().filter(|param| names.iter().any(|name| name == param));
    let is_named = |field: &str| match fault {
        Some(fault) => fault == field,
        None if PLAIN.contains(&field) => places(&words, field).any(|at| is_introduced(&words[..at], names)),
        None => has_word(&words, field),
    };
    let refuses = REFUSING.iter().any(|phrase| words.contains(phrase));
    // Which of several goes is the user's choice.
    if EXCLUDING.iter().any(|word| has_word(&words, word)) {
        return Vec::new();
    }
    let change = |name: &String| {
        let own = OWN.iter().find(|(field, _)| field == name);
        if let Some((_, marks)) = own {
            return marks.iter().any(|mark| is_named(mark)).then(|| Adaptation::Omitted(name.clone()));
        }
        if !refuses || !is_named(name) {
            return None;
        }
        if let Some((_, to)) = NAMES.iter().find(|(field, _)| field == name) {
            let taken = names.iter().any(|name| name == to);
            return (!taken).then(|| Adaptation::Renamed { field: name.clone(), to: (*to).to_owned() });
        }
        OPTIONAL.contains(&name.as_str()).then(|| Adaptation::Omitted(name.clone()))
    };
    names.iter().filter(|name| can_be_about(name)).filter_map(change).collect()
}

/// Whether a refusal may hold only beside something else: it says so, or names a field of the request that stays.
fn is_conditional(why: &Failure, model: &str, staying: &[String]) -> bool {
    let words = without_model(&read_error(why.body.raw().as_bytes()).message, model);
    let says = CONDITIONAL.iter().any(|phrase| has_word(&words, phrase));
    says || staying.iter().any(|name| !PLAIN.contains(&name.as_str()) && has_word(&words, name))
}

/// Returns a server's words in lower case without the model's id, with or without the names before its slashes: it may
/// hold the name of a field.
fn without_model(words: &str, model: &str) -> String {
    let (mut words, model) = (words.to_lowercase(), model.to_lowercase());
    let tails = model.match_indices('/').map(|(at, _)| &model[at + 1..]);
    for id in std::iter::once(model.as_str()).chain(tails).filter(|id| !id.is_empty()) {
        let found: Vec<usize> = places(&words, id).collect();
        for at in found.into_iter().rev() {
            words.replace_range(at..at + id.len(), "");
        }
    }
    words
}

/// Whether what stands before a name introduces it as a field's, directly or in a list with other fields.
fn is_introduced(before: &str, names: &[String]) -> bool {
    let before = before.trim_end_matches(|char| !is_part(char));
    let start = before.trim_end_matches(is_part).len();
    let word = &before[start..];
    INTRODUCING.contains(&word) || (names.iter().any(|name| name == word) && is_introduced(&before[..start], names))
}

/// Whether a word stands in a text, and not as a part of a longer name.
fn has_word(text: &str, word: &str) -> bool {
    places(text, word).next().is_some()
}

/// Returns where a word stands in a text, and not as a part of a longer name.
fn places<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.match_indices(word).map(|(at, _)| at).filter(move |at| {
        !text[..*at].chars().next_back().is_some_and(is_part)
            && !text[at + word.len()..].chars().next().is_some_and(is_part)
    })
}

fn is_part(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_'
}

fn apply_all(fields: &mut Map<String, Value>, changes: &[Adaptation]) {
    for change in changes {
        apply(fields, change);
    }
}

/// Makes a change to a request's fields.
fn apply(fields: &mut Map<String, Value>, change: &Adaptation) {
    match change {
        Adaptation::Omitted(field) => {
            fields.remove(field);
            for (dependent, _) in DEPENDENT.iter().filter(|(_, needed)| needed == field) {
                fields.remove(*dependent);
            }
        }
        Adaptation::Renamed { field, to } => {
            if let Some(value) = fields.remove(field) {
                fields.entry(to.clone()).or_insert(value);
            }
        }
        Adaptation::Single(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
        &["model", "messages", "max_tokens", "temperature", "logprobs", "top_logprobs", "stop", USAGE];

    fn of(body: &Value) -> Vec<Adaptation> {
        let names: Vec<String> = FIELDS.iter().map(|&name| name.to_owned()).collect();
        changes(&refusal(400, &body.to_string()), "m", &names)
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
            (error("Unrecognized request argument supplied: stream_options", None, Value::Null), vec![omitted(USAGE)]),
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
            assert_eq!(of(&body), expected, "{body}");
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
            assert_eq!(of(&json!({"error": {"message": message}})), [], "{message}");
        }
        let names = ["temperature".to_owned()];
        assert_eq!(changes(&refusal(500, r#"{"error":"unsupported: temperature"}"#), "m", &names), []);
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
            ("bytedance/seed", "bytedance/seed does not support tools", None),
            ("openrouter/seed", "seed does not support tools", None),
            ("bytedance/seed-1.6", "Bytedance/Seed-1.6 does not support tools", None),
            ("bytedance/seed-1.6", "seed is not supported by bytedance/seed-1.6", Some("seed")),
        ] {
            let body = json!({"error": {"message": message}}).to_string();
            let expected: Vec<_> = expected.into_iter().flat_map(|fields| fields.split(' ')).map(omitted).collect();
            assert_eq!(changes(&refusal(400, &body), model, &names), expected, "{message}");
        }
        let body = r#"{"error":{"message":"not supported","param":"user"}}"#;
        assert_eq!(changes(&refusal(400, body), "m", &names), [omitted("user")]);
    }

    #[test]
    fn the_names_here_are_known_as_fields() {
        let pairs = NAMES.iter().chain(DEPENDENT).flat_map(|(one, other)| [one, other]);
        let own = OWN.iter().map(|(name, _)| name);
        for name in OPTIONAL.iter().chain(PLAIN).chain(pairs).chain(own) {
            assert!(crate::api::field_scopes::is_known(name), "{name}");
        }
    }

    #[test]
    fn what_depends_on_a_field_goes_with_it_and_a_new_name_keeps_the_value() {
        let Value::Object(mut fields) = json!({"logprobs": true, "top_logprobs": 3, "max_tokens": 5}) else { panic!() };
        apply(&mut fields, &omitted("logprobs"));
        apply(&mut fields, &Adaptation::Renamed { field: "max_tokens".into(), to: "max_completion_tokens".into() });
        assert_eq!(Value::Object(fields), json!({"max_completion_tokens": 5}));
    }
}
