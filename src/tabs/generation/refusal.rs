//! Finds the request field that a server's refusal is about.

use crate::api::call::{Failure, FailureKind};
use crate::api::error::read_error;
use crate::text::Untrusted;

/// Returns the field that a refusal names, and what to say there; `None`: it names none, or is no refusal of the
/// request. Of the settings come their names and their values as they are typed, empty where they are not set.
pub fn refused_field(
    failure: &Failure,
    settings: impl Iterator<Item = (&'static str, String)>,
) -> Option<(&'static str, Untrusted)> {
    if failure.kind != FailureKind::Refused {
        return None;
    }
    // Made safe: the words are for the screen, and a name has no odd characters.
    let error = read_error(failure.body.screen().as_bytes());
    if error.param.as_deref() == Some("model") || error.code.as_deref() == Some("model_not_found") {
        return Some((
            "model",
            format!("the server refuses this model: {}; ⏎ chooses another", reason(&error.message)).into(),
        ));
    }
    let named = |name: &str| match error.param.as_deref() {
        // The first name of a path is the field's.
        Some(param) if param.split(['.', '[']).next() == Some(name) => Some(0),
        // Alternatives are asked for under either name.
        Some("logprobs") if name == "top_logprobs" => Some(1),
        _ => rank(&error.message, name),
    };
    let found = settings.filter_map(|(name, value)| Some((named(name)?, name, value)));
    let Some((_, name, value)) = found.min_by_key(|(rank, ..)| *rank) else {
        // The suffix is not a setting but the text after the caret; many servers do not know it.
        named("suffix")?;
        let why = format!("the server refuses a suffix: {}; the caret at the end sends none", reason(&error.message));
        return Some(("suffix", why.into()));
    };
    // The new sentence names the field itself.
    let path = format!(" - '{name}'");
    let reason = reason(error.message.strip_suffix(&path).unwrap_or(&error.message));
    let what = if value.is_empty() { name.to_owned() } else { format!("{name} {value}") };
    Some((name, format!("the server refuses {what}: {reason}; 0 resets it").into()))
}

/// Returns a server's words as a part of a sentence.
fn reason(words: &str) -> &str {
    let words = words.trim_end_matches(['.', ' ', ';']);
    if words.is_empty() { "it gave no reason" } else { words }
}

/// Returns how surely a message is about a field, the lower the surer; `None`: it is not.
fn rank(message: &str, name: &str) -> Option<usize> {
    // The path of the field at fault ends a message of the interface: `… - 'stop'`, `… - 'logit_bias.50256'`.
    if let Some((_, path)) = message.rsplit_once(" - '")
        && path.split(['.', '\'']).next() == Some(name)
    {
        return Some(1);
    }
    // `Unrecognized request arguments supplied: x, echo`: all of what follows are names.
    if let Some((_, names)) = message.split_once(" supplied: ")
        && names.split([',', ' ']).any(|found| found.trim_end_matches('.') == name)
    {
        return Some(1);
    }
    let quoted = ['\'', '`', '"'].iter().filter_map(|mark| message.find(&format!("{mark}{name}{mark}"))).min();
    if let Some(at) = quoted {
        return Some(2 + at);
    }
    // A name that is a common word stands for a field without quotation marks only as the first word.
    let first = message.split(|char: char| !(char.is_alphanumeric() || char == '_')).next();
    if first == Some(name) {
        return Some(2);
    }
    // One of a list of complaints: `n: …; user: …`.
    if let Some(at) = message.find(&format!("; {name}: ")) {
        return Some(2 + at);
    }
    let bare = name.contains('_').then(|| message.find(name)).flatten();
    bare.map(|at| 2 + message.len() + at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::ChatParams;
    use crate::tabs::generation::params;

    /// Returns the settings of a request for a completion, some of them set.
    fn settings() -> Vec<(&'static str, String)> {
        let mut common = ChatParams { stop: ["a", "b"].map(str::to_owned).into(), ..ChatParams::default() };
        common.logit_bias.insert("50256".into(), 200.0);
        let names = ["max_tokens", "temperature", "top_p", "frequency_penalty", "presence_penalty", "n", "best_of"];
        let more = ["stop", "logit_bias", "logprobs", "echo", "seed", "user", "stream"];
        let value = |name| match name {
            "best_of" => "25".to_owned(),
            "logit_bias" => "1 token".to_owned(),
            name => params::text(&common, name),
        };
        names.into_iter().chain(more).map(|name| (name, value(name))).collect()
    }

    fn read_body(body: &str) -> Option<(&'static str, String)> {
        let mut failure = Failure::new(FailureKind::Refused, "400");
        failure.body = body.into();
        refused_field(&failure, settings().into_iter()).map(|(name, why)| (name, why.line().into_owned()))
    }

    fn message(message: &str) -> Option<(&'static str, String)> {
        read_body(&serde_json::json!({"error": {"message": message, "param": null}}).to_string())
    }

    #[test]
    fn a_refusal_stands_at_the_field_it_names() {
        let best = "the server refuses best_of 25: 25 is greater than the maximum of 20; 0 resets it";
        assert_eq!(message("25 is greater than the maximum of 20 - 'best_of'"), Some(("best_of", best.into())));
        let bias = message("200 is greater than the maximum of 100 - 'logit_bias.50256'").unwrap();
        assert_eq!(bias.0, "logit_bias");
        assert!(bias.1.starts_with("the server refuses logit_bias 1 token: 200 is"), "{}", bias.1);
        assert_eq!(message("['a', 'n'] is too long - 'stop'").unwrap().0, "stop", "the path is surer than the value");
        assert_eq!(message("max_tokens is too large").unwrap().0, "max_tokens");
        assert_eq!(message("Unrecognized request argument supplied: best_of").unwrap().0, "best_of");
        assert_eq!(message("`logprobs` must be at most 5.").unwrap().0, "logprobs");
        let named = r#"{"error":{"message":"Invalid value.","param":"top_p"}}"#;
        assert_eq!(read_body(named), Some(("top_p", "the server refuses top_p: Invalid value; 0 resets it".into())));
        let model = r#"{"error":{"message":"The model: `x` does not exist","code":"model_not_found"}}"#;
        let (name, why) = read_body(model).unwrap();
        assert_eq!((name, why.ends_with("⏎ chooses another")), ("model", true));
    }

    #[test]
    fn each_servers_way_to_name_a_field_is_known() {
        for (body, field) in [
            (r#"{"error":{"message":"2.5 is greater than the maximum of 2 - 'temperature'"}}"#, Some("temperature")),
            (r#"{"error":{"message":"[] is too short - 'stop.0'"}}"#, Some("stop")),
            (r#"{"error":{"message":"no","param":"logprobs"}}"#, Some("logprobs")),
            (r#"{"error":{"message":"no","param":"logit_bias.50256"}}"#, Some("logit_bias")),
            (r#"{"error":{"message":"Unrecognized request argument supplied: echo"}}"#, Some("echo")),
            (r#"{"error":{"message":"Unrecognized request arguments supplied: x, echo."}}"#, Some("echo")),
            (
                r#"{"error":{"message":"Additional properties are not allowed ('best_of' was unexpected)"}}"#,
                Some("best_of"),
            ),
            (r#"{"error":{"message":"You can't stream more than one: 'best_of' must be 1"}}"#, Some("best_of")),
            (r#"{"detail":[{"loc":["body","temperature"],"msg":"too hot"}]}"#, Some("temperature")),
            (r#"{"detail":[{"loc":["body","x"],"msg":"no"},{"loc":["body","user"],"msg":"no"}]}"#, Some("user")),
            (r#"{"error":{"message":"no such model","param":"model"}}"#, Some("model")),
            (r#"{"error":{"message":"the temperature outside"}}"#, None),
        ] {
            assert_eq!(read_body(body).map(|(name, _)| name), field, "{body}");
        }
    }

    #[test]
    fn a_server_without_suffixes_is_told_from_one_without_settings() {
        let (name, why) = message("suffix is not currently supported").unwrap();
        assert_eq!(name, "suffix");
        assert!(why.ends_with("refuses a suffix: suffix is not currently supported; the caret at the end sends none"));
        assert_eq!(message("n must be at least 1, got 0.").unwrap().0, "n");
        assert_eq!(message("best_of must be greater than or equal to n, got n=2 and best_of=1.").unwrap().0, "best_of");
    }

    #[test]
    fn what_names_no_field_is_left_to_the_others() {
        assert_eq!(message("no stop of this seed or user came near"), None, "common words are no fields");
        assert_eq!(read_body("<html>nothing</html>"), None);
        let mut failure = Failure::new(FailureKind::Server, "500");
        failure.body = "{\"error\":{\"message\":\"x - 'stop'\"}}".into();
        assert_eq!(refused_field(&failure, settings().into_iter()), None, "the server's own failure is no refusal");
    }
}
