//! Profiles: where calls go and with which key.

use std::collections::BTreeMap;
use std::time::Duration;

use secrecy::SecretString;
use serde_json::{Map, Value};

use super::limits;

/// Names a profile (its name in the config file; `local` is the local service, `env` the environment's).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProfileId(pub String);

/// A resolved profile: what the client needs to reach its server. Cheap to share behind an `Arc`.
pub struct Endpoint {
    /// Base URL including `/v1`, no trailing slash.
    pub base_url: String,
    /// The key; `None`: a server without keys. Sent only to `base_url`'s origin.
    pub key: Option<SecretString>,
    /// `OpenAI-Organization`.
    pub organization: Option<String>,
    /// More headers of the profile's.
    pub headers: BTreeMap<String, String>,
    /// More fields for every request body.
    pub extra_body: Map<String, Value>,
    /// Limit from request to headers.
    pub headers_limit: Duration,
    /// Limit between two reads of a body.
    pub idle_limit: Duration,
    /// Proxy URL of the profile; `None`: `HTTPS_PROXY`/`ALL_PROXY`/`NO_PROXY` for hosts other than loopback.
    pub proxy: Option<String>,
}

impl Endpoint {
    /// A server with the default limits, no organisation, nothing extra.
    pub fn new(base_url: impl Into<String>, key: Option<SecretString>) -> Self {
        Self {
            base_url: base_url.into(),
            key,
            organization: None,
            headers: BTreeMap::new(),
            extra_body: Map::new(),
            headers_limit: limits::HEADERS,
            idle_limit: limits::IDLE,
            proxy: None,
        }
    }
}
