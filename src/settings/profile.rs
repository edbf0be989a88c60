//! Profiles: where calls go and with which key.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use secrecy::SecretString;
use serde_json::{Map, Value};

use super::certificates::Authorities;
use super::keyring::{self, KeyringEntry};
use super::limits;
use super::prices::PriceRow;
use crate::api::job::Dialect;
use crate::record::ModelParams;

/// Names a profile (its name in the config file; `local` is the local service, `env` the environment's).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProfileId(pub String);

impl ProfileId {
    /// Returns the id of the local service.
    pub fn local() -> Self {
        Self("local".to_owned())
    }

    /// Returns the id of the profile of flags and environment.
    pub fn env() -> Self {
        Self("env".to_owned())
    }

    /// Returns whether it is one of those that the config file does not define.
    pub fn is_reserved(&self) -> bool {
        matches!(self.0.as_str(), "local" | "env")
    }
}

/// A server as it is configured. Its key is looked up when it is first used. `Debug` leaves out what may contain a
/// secret: the values of headers, extra fields, the proxy, a key command.
#[derive(Clone, PartialEq)]
pub struct Profile {
    /// Base URL including `/v1`, no trailing slash, with the query that goes with each request, if it has one; empty
    /// for the local service, whose address is known when it runs.
    pub base_url: String,
    /// Model to begin with; empty: the first of the server's that chats.
    pub model: String,
    /// `OpenAI-Organization`.
    pub organization: Option<String>,
    /// Where the key comes from.
    pub key: KeySource,
    /// Extra headers.
    pub headers: BTreeMap<String, String>,
    /// Extra fields for request bodies that have none of that name. Fields about how a text is generated
    /// (`temperature`, `stop`, `tools`, …) are added to chat and completions alone, those about vectors not to
    /// moderations.
    pub extra_body: Map<String, Value>,
    /// The interface to fine-tunes the server has; `None`: it is found by asking.
    pub fine_tunes: Option<Dialect>,
    /// Limit to open a connection.
    pub connect_limit: Duration,
    /// Limit from request to headers.
    pub headers_limit: Duration,
    /// Limit between two reads of a body.
    pub idle_limit: Duration,
    /// File with certificates to trust besides the machine's; empty: none.
    pub ca_file: String,
    /// Which proxy is used.
    pub proxy: Proxy,
    /// Whether the key may go to another machine unencrypted.
    pub allow_http: bool,
    /// What its server's models cost, where the user says so.
    pub prices: Vec<PriceRow>,
    /// The parameters that requests to its models begin with.
    pub models: ModelParams,
}

impl fmt::Debug for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Profile")
            .field("base_url", &parts(&self.base_url).0)
            .field("model", &self.model)
            .field("key", &self.key)
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

impl Profile {
    /// Creates a profile with defaults for all but its base URL and key.
    pub fn new(base_url: impl Into<String>, key: KeySource) -> Self {
        Self {
            base_url: base_url.into(),
            model: String::new(),
            organization: None,
            key,
            headers: BTreeMap::new(),
            extra_body: Map::new(),
            fine_tunes: None,
            connect_limit: limits::CONNECT,
            headers_limit: limits::HEADERS,
            idle_limit: limits::IDLE,
            ca_file: String::new(),
            proxy: Proxy::Environment,
            allow_http: false,
            prices: Vec::new(),
            models: ModelParams::new(),
        }
    }
}

/// Where a profile's key comes from.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum KeySource {
    /// There is none.
    #[default]
    None,
    /// This environment variable.
    Env(String),
    /// The first line that this shell command prints.
    Command(String),
    /// The file of pasted keys, by this profile's name and the base URL's origin.
    Kept(String),
    /// The system's keyring.
    Keyring(KeyringEntry),
}

impl KeySource {
    /// Returns the source for a profile of another name: keys that are stored under the name are stored under that one.
    pub fn renamed(&self, name: &str) -> Self {
        match self {
            Self::Kept(_) => Self::Kept(name.to_owned()),
            Self::Keyring(entry) => Self::Keyring(KeyringEntry { profile: name.to_owned(), ..entry.clone() }),
            other => other.clone(),
        }
    }

    /// Returns whether keys that are pasted are stored there.
    pub fn stores_pasted_keys(&self) -> bool {
        match self {
            Self::Kept(_) => true,
            Self::Keyring(_) => keyring::AVAILABLE,
            Self::None | Self::Env(_) | Self::Command(_) => false,
        }
    }

    /// Returns whether both are the same store of keys.
    pub fn is_same_store(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Keyring(entry), Self::Keyring(other)) => entry.service == other.service,
            _ => matches!((self, other), (Self::Kept(_), Self::Kept(_))),
        }
    }

    /// Says where the key comes from, for the screen: never the key, nor a command that may hold one.
    pub fn words(&self) -> String {
        match self {
            Self::None => "no key".to_owned(),
            Self::Env(name) => format!("${name}"),
            Self::Command(_) => "key command".to_owned(),
            Self::Kept(_) => "stored key".to_owned(),
            Self::Keyring(_) => "system keyring".to_owned(),
        }
    }
}

impl fmt::Debug for KeySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("None"),
            Self::Env(name) => write!(f, "Env({name})"),
            // A command may carry a secret of its own.
            Self::Command(_) => f.write_str("Command(…)"),
            Self::Kept(profile) => write!(f, "Kept({profile})"),
            Self::Keyring(entry) => write!(f, "Keyring({entry:?})"),
        }
    }
}

/// Which proxy a profile uses.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum Proxy {
    /// What `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` say. `HTTP_PROXY` is not asked: it would see the key.
    #[default]
    Environment,
    /// None.
    Direct,
    /// This URL, for everything.
    Through(String),
}

/// The proxies to use.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Route {
    /// Proxy URL for `https` alone; takes precedence over `all`.
    pub https: Option<String>,
    /// Proxy URL for everything.
    pub all: Option<String>,
    /// Hosts that are reached without a proxy, as in `NO_PROXY`.
    pub except: Option<String>,
}

impl Proxy {
    /// Returns the proxies to use in this environment. Variables in upper case take precedence over those in lower
    /// case.
    pub(super) fn route(&self, env: impl Fn(&str) -> Option<String>) -> Route {
        let named = |name: &str| {
            [name.to_owned(), name.to_ascii_lowercase()]
                .iter()
                .find_map(|name| env(name).filter(|value| !value.trim().is_empty()))
        };
        match self {
            Self::Environment => {
                Route { https: named("HTTPS_PROXY"), all: named("ALL_PROXY"), except: named("NO_PROXY") }
            }
            Self::Direct => Route::default(),
            Self::Through(url) => Route { all: Some(url.clone()), ..Route::default() },
        }
    }
}

/// A resolved profile: what the client needs to reach its server. Cheap to share behind an `Arc`.
pub struct Endpoint {
    /// Base URL including `/v1`, no trailing slash, with the query that goes with each request, if it has one.
    pub base_url: String,
    /// The key; `None`: a server without keys. Sent only to `base_url`'s origin.
    pub key: Option<SecretString>,
    /// The environment variable the key comes from; `None`: it comes from elsewhere.
    pub key_variable: Option<String>,
    /// `OpenAI-Organization`.
    pub organization: Option<String>,
    /// Extra headers of the profile.
    pub headers: BTreeMap<String, String>,
    /// Extra fields for request bodies that have none of that name. Fields about how a text is generated
    /// (`temperature`, `stop`, `tools`, …) are added to chat and completions alone, those about vectors not to
    /// moderations.
    pub extra_body: Map<String, Value>,
    /// The interface to fine-tunes the server has; `None`: it is found by asking.
    pub fine_tunes: Option<Dialect>,
    /// Limit to open a connection to another machine.
    pub connect_limit: Duration,
    /// How long a request is sent again while nothing listens at the address; zero except for a local service that another
    /// process runs.
    pub takeover_limit: Duration,
    /// Limit from request to headers.
    pub headers_limit: Duration,
    /// Limit between two reads of a body.
    pub idle_limit: Duration,
    /// Certificates to trust besides the machine's.
    pub authorities: Authorities,
    /// Proxies between here and there, for hosts other than loopback. The default: none.
    pub route: Route,
}

impl Endpoint {
    /// Creates an endpoint with default limits and without organization, headers or extra fields.
    pub fn new(base_url: impl Into<String>, key: Option<SecretString>) -> Self {
        Self {
            base_url: base_url.into(),
            key,
            key_variable: None,
            organization: None,
            headers: BTreeMap::new(),
            extra_body: Map::new(),
            fine_tunes: None,
            connect_limit: limits::CONNECT,
            takeover_limit: Duration::ZERO,
            headers_limit: limits::HEADERS,
            idle_limit: limits::IDLE,
            authorities: Authorities::default(),
            route: Route::default(),
        }
    }
}

/// Returns a base URL in normalized form: with a scheme, without a slash at the end of its path, with its query. The
/// error is a sentence.
pub(crate) fn normalize_base_url(text: &str) -> Result<String, String> {
    let (given, query) = parts(text.trim());
    let path = given.trim_end_matches('/');
    let query = query.filter(|query| !query.is_empty());
    match given.strip_prefix("https://").or_else(|| given.strip_prefix("http://")) {
        None => {
            Err(format!("the base URL {given:?} does not begin with http:// or https://; write it as https://host/v1"))
        }
        Some(rest) if rest.trim_end_matches('/').is_empty() => {
            Err(format!("the base URL {given:?} has no host; write it as https://host/v1"))
        }
        Some(rest) if rest.contains(['@', ' ', '#']) || query.is_some_and(|query| query.contains([' ', '#'])) => {
            Err("a base URL cannot contain a user name, fragment or space; write it as https://host/v1".to_owned())
        }
        Some(_) => {
            let url = query.map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"));
            match reqwest::Url::parse(&url) {
                Ok(_) => Ok(url),
                Err(why) => Err(format!("the base URL {path:?} cannot be used: {why}; write it as https://host/v1")),
            }
        }
    }
}

/// Splits a base URL into what may be shown, and the query, which goes with each request and may contain a secret.
pub fn parts(base_url: &str) -> (&str, Option<&str>) {
    base_url.split_once('?').map_or((base_url, None), |(shown, query)| (shown, Some(query)))
}

/// Returns scheme, host and port of a base URL: what a key belongs to.
pub fn origin(base_url: &str) -> &str {
    let start = base_url.find("://").map_or(0, |at| at + 3);
    base_url[start..].find(['/', '?']).map_or(base_url, |at| &base_url[..start + at])
}

/// Returns whether requests to a URL go to another machine unencrypted.
pub(crate) fn is_exposed(base_url: &str) -> bool {
    base_url.starts_with("http://") && !is_this_machine(base_url)
}

/// Returns whether a base URL leads to this machine.
pub(crate) fn is_this_machine(base_url: &str) -> bool {
    let authority = origin(base_url).split_once("://").map_or("", |(_, authority)| authority);
    let host = match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, _)) => host,
        None => authority.split(':').next().unwrap_or_default(),
    };
    is_loopback(host)
}

/// Returns whether a host, as it is written in a URL, is this machine.
pub(crate) fn is_loopback(host: &str) -> bool {
    let host = host.trim_matches(['[', ']']);
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}
