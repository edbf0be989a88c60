//! Keeps what is secret out of what is shown: servers echo keys and headers in their complaints.

use reqwest::Url;
use secrecy::ExposeSecret;

use crate::api::call::Failure;
use crate::settings::Endpoint;

/// A shorter value is no secret, and would take words out of every sentence.
const LEAST: usize = 4;

/// The secrets of an endpoint, each with what is shown in its place; the longest first.
pub(super) struct Secrets(Vec<(String, String)>);

impl Secrets {
    /// The key, the values of the profile's headers, and a proxy's name and password.
    pub(super) fn of(endpoint: &Endpoint) -> Self {
        let key = endpoint.key.as_ref().map(|key| key.expose_secret().to_owned());
        let headers = endpoint.headers.values().flat_map(|value| {
            // `Bearer …`, `Basic …`: the secret is what follows.
            let bare = value.rsplit(' ').next().unwrap_or_default();
            [value.trim().to_owned(), bare.to_owned()]
        });
        let proxies = [&endpoint.route.https, &endpoint.route.all].into_iter().flatten();
        let proxies = proxies.filter_map(|proxy| Url::parse(proxy).ok()).flat_map(|proxy| {
            [proxy.username().to_owned(), proxy.password().unwrap_or_default().to_owned(), proxy.authority().to_owned()]
                .into_iter()
                .take(if proxy.password().is_some() { 3 } else { 0 })
                .collect::<Vec<_>>()
        });
        let mut found: Vec<(String, String)> = key
            .into_iter()
            .chain(headers)
            .chain(proxies)
            .filter(|secret| secret.len() >= LEAST)
            .flat_map(|secret| {
                let mask = mask(&secret);
                // As it stands, and as it stands in JSON.
                let quoted = serde_json::Value::from(secret.as_str()).to_string();
                let escaped = quoted[1..quoted.len() - 1].to_owned();
                let slashed = escaped.replace('/', "\\/");
                [(secret, mask.clone()), (escaped, mask.clone()), (slashed, mask)]
            })
            .collect();
        found.sort_by(|one, other| other.0.len().cmp(&one.0.len()).then_with(|| one.cmp(other)));
        found.dedup();
        Self(found)
    }

    /// A body as text without secrets. To be done before anything is cut from it: half a key would not be found.
    pub(super) fn body(&self, body: &[u8]) -> String {
        let mut text = String::from_utf8_lossy(body).into_owned();
        self.text(&mut text);
        text
    }

    /// Takes the secrets out of all texts of a failure.
    pub(super) fn failure(&self, failure: &mut Failure) {
        self.text(&mut failure.sentence);
        self.text(&mut failure.body);
        for text in [&mut failure.code, &mut failure.request_id].into_iter().flatten() {
            self.text(text);
        }
        for (_, value) in &mut failure.headers {
            self.text(value);
        }
    }

    /// Takes the secrets out of a text.
    pub(super) fn text(&self, text: &mut String) {
        for (secret, mask) in &self.0 {
            if text.contains(secret) {
                *text = text.replace(secret, mask);
            }
        }
    }
}

/// What stands for a secret: its last four characters, where it is long enough that they give nothing away.
fn mask(secret: &str) -> String {
    let last = secret.char_indices().rev().nth(3).filter(|_| secret.len() > 12);
    last.map_or("…".to_owned(), |(at, _)| format!("…{}", &secret[at..]))
}
