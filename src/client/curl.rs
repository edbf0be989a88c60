//! Writes a call as a shell command.

use std::cmp::Reverse;
use std::fmt::Write as _;

use secrecy::ExposeSecret;

use super::chat::{self, Chat};
use super::completion::{self, Complete};
use super::redact::{is_secret, queries, secret_fields};
use super::request_body::Body;
use super::stream_format::StreamFormat;
use super::{embedding, endpoints, moderation};
use crate::api::call::Call;
use crate::settings::{Endpoint, parts};

/// The variable for a key that has none of its own. No other program uses this name, so the key of another server is
/// not sent.
const DEFAULT_KEY_VARIABLE: &str = "BENCHTOP_KEY";

/// Bytes of the longest body that is passed as an argument; a longer one is piped in. Systems accept no single argument
/// of more than 128 KiB.
const MAX_ARGUMENT_BYTES: usize = 96 << 10;

/// Returns a call as a `curl` command over several lines for a POSIX shell, with the body of its first attempt. It
/// holds no secret: the key is read from its variable (`BENCHTOP_KEY` if it has none) wherever it would stand, and the
/// values of the profile's own headers, of its query and of body fields with the name of a secret, from variables named
/// after them (`HEADER_X_TEAM`).
pub fn curl(endpoint: &Endpoint, call: &Call) -> String {
    let quote = Quote::of(endpoint);
    let (path, body) = match call {
        Call::Models => (endpoints::MODELS, None),
        Call::Chat(asked) => (Chat::PATH, Some(chat::body((**asked).clone(), endpoint))),
        Call::Complete(asked) => (Complete::PATH, Some(completion::body(asked, endpoint))),
        Call::Moderate(asked) => (endpoints::MODERATIONS, Some(moderation::body(asked, endpoint).into())),
        Call::Embed(asked) => (endpoints::EMBEDDINGS, Some(embedding::body(asked, endpoint).into())),
        // Other calls are not offered as commands.
        _ => return String::new(),
    };
    let is_streamed = body.as_ref().is_some_and(Body::is_streamed);
    let options = if is_streamed { "--no-buffer " } else { "" };
    let mut lines = vec![format!("curl {options}{}", url(endpoint, path, &quote))];
    if !endpoint.authorities.certificates.is_empty() {
        lines.push(format!("--cacert {}", quote.text(&endpoint.authorities.file.display().to_string())));
    }
    lines.extend(header_options(endpoint, &quote));
    let mut input = String::new();
    if let Some(mut body) = body {
        if is_streamed {
            body.request_usage();
        }
        lines.push("-H 'Content-Type: application/json'".to_owned());
        let body = serde_json::to_string(&body).expect("a request of strings and numbers is always JSON");
        let body = quote.text(&body);
        if body.len() > MAX_ARGUMENT_BYTES {
            input = format!("printf %s {body} |\n");
            lines.push("--data-binary @-".to_owned());
        } else {
            lines.push(format!("--data-binary {body}"));
        }
    }
    format!("{input}{}", lines.join(" \\\n  "))
}

/// Returns the URL of a path, quoted. Possible secrets in the base URL's query are read from a variable (`QUERY_CODE`).
fn url(endpoint: &Endpoint, path: &str, quote: &Quote<'_>) -> String {
    let mut url = quote.text(&format!("{}{path}", parts(&endpoint.base_url).0));
    for (at, (name, value)) in queries(&endpoint.base_url).enumerate() {
        let mark = if at == 0 { '?' } else { '&' };
        if value.is_empty() || !is_secret(name) {
            url.push_str(&quote.text(&format!("{mark}{name}={value}")));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(url, "{}\"$QUERY_{}\"", quote.text(&format!("{mark}{name}=")), variable_part(name));
        }
    }
    url
}

/// Returns whether the name is valid for a shell variable.
fn is_variable(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Converts a name into a part of a shell variable's name.
fn variable_part(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect()
}

/// Returns the options for the headers that come from the profile.
fn header_options(endpoint: &Endpoint, quote: &Quote<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    if endpoint.key.is_some() {
        lines.push(format!("-H \"Authorization: Bearer ${}\"", quote.variable));
    }
    if let Some(organization) = &endpoint.organization {
        lines.push(format!("-H {}", quote.text(&format!("OpenAI-Organization: {organization}"))));
    }
    for name in endpoint.headers.keys() {
        // Fields of the profile take precedence over headers of the same name.
        let is_replaced = (endpoint.key.is_some() && name.eq_ignore_ascii_case("authorization"))
            || (endpoint.organization.is_some() && name.eq_ignore_ascii_case("openai-organization"));
        if !is_replaced {
            lines.push(format!("-H {}\"$HEADER_{}\"", quote.text(&format!("{name}: ")), variable_part(name)));
        }
    }
    lines
}

/// Quotes texts as single words of a shell.
struct Quote<'a> {
    /// Name of the variable that holds the key.
    variable: &'a str,
    /// The secrets, each as it is and as it stands in JSON, with what the shell is given for it; the longest first.
    secrets: Vec<(String, String)>,
}

impl<'a> Quote<'a> {
    /// Collects the secrets of an endpoint, each with a variable of its own.
    fn of(endpoint: &'a Endpoint) -> Self {
        let key_variable =
            endpoint.key_variable.as_deref().filter(|name| is_variable(name)).unwrap_or(DEFAULT_KEY_VARIABLE);
        let mut variables: Vec<(&str, String)> = Vec::new();
        if let Some(key) = &endpoint.key {
            variables.push((key.expose_secret(), key_variable.to_owned()));
        }
        for (name, secret) in secret_fields(&endpoint.extra_body) {
            if variables.iter().all(|(known, _)| *known != secret) {
                let name = format!("BODY_{}", variable_part(name));
                let names = (2..).map(|number| format!("{name}_{number}"));
                let mut names = std::iter::once(name.clone()).chain(names);
                let free = names.find(|name| variables.iter().all(|(_, taken)| taken != name));
                variables.push((secret, free.expect("there is always another number")));
            }
        }
        let mut secrets = Vec::new();
        for (secret, variable) in variables.into_iter().filter(|(secret, _)| !secret.is_empty()) {
            let escaped = serde_json::to_string(secret).expect("a text is always JSON");
            let escaped = &escaped[1..escaped.len() - 1];
            if escaped != secret {
                let expansion = format!(r#""$(printf %s "${variable}" | sed 's/[\\"]/\\&/g')""#);
                secrets.push((escaped.to_owned(), expansion));
            }
            secrets.push((secret.to_owned(), format!("\"${variable}\"")));
        }
        secrets.sort_by_key(|(secret, _)| Reverse(secret.len()));
        Self { variable: key_variable, secrets }
    }

    /// Puts a text into single quotes, except for the secrets, which become variables.
    fn text(&self, text: &str) -> String {
        quoted(text, &self.secrets)
    }
}

/// Quotes a text around these secrets.
fn quoted(text: &str, secrets: &[(String, String)]) -> String {
    match secrets.split_first() {
        Some(((secret, expansion), others)) => {
            text.split(secret.as_str()).map(|part| quoted(part, others)).collect::<Vec<_>>().join(expansion)
        }
        None => format!("'{}'", text.replace('\'', r"'\''")),
    }
}
