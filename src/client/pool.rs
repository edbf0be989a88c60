//! Creates pools of connections when they are first needed: one for loopback, and one for each combination of proxies
//! and certificate authorities elsewhere.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use reqwest::{Certificate, ClientBuilder, NoProxy, Proxy, Url};

use crate::api::call::{Failure, FailureKind};
use crate::settings::profile::is_loopback;
use crate::settings::{Authorities, Endpoint, Route, limits};

/// All pools.
#[derive(Default)]
pub(super) struct Pools {
    loopback: OnceLock<reqwest::Client>,
    outside: Mutex<HashMap<Connection, reqwest::Client>>,
}

/// What the connections of one pool have in common.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Connection {
    route: Route,
    authorities: Authorities,
    limit: Duration,
}

impl Pools {
    /// Returns the pool for a URL. Loopback never goes through a proxy, whatever the profile or the environment says.
    /// Fails if a proxy or certificate setting is invalid.
    pub(super) fn client_for(&self, url: &Url, endpoint: &Endpoint) -> Result<reqwest::Client, Failure> {
        // The first call installs it; later ones find it installed.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let setup_failure = |error: reqwest::Error| {
            Failure::new(FailureKind::Offline, format!("cannot set up connections: {error}; check the proxy setting"))
        };
        let is_local = is_loopback_url(url);
        if is_local && url.scheme() == "http" {
            if let Some(client) = self.loopback.get() {
                return Ok(client.clone());
            }
            // No certificates: this pool never uses TLS, and loading the platform's costs memory.
            let client = common_builder().tls_certs_only([]).build().map_err(setup_failure)?;
            return Ok(self.loopback.get_or_init(|| client).clone());
        }
        let connection = Connection {
            route: if is_local { Route::default() } else { endpoint.route.clone() },
            authorities: endpoint.authorities.clone(),
            limit: endpoint.connect_limit,
        };
        let mut pools = self.outside.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = pools.get(&connection) {
            return Ok(client.clone());
        }
        // On a machine without a certificate store the built-in roots are used.
        let own = || connection.authorities.certificates.iter().filter_map(|der| Certificate::from_der(der).ok());
        let builder = || Ok(builder_for(&connection.route)?.connect_timeout(connection.limit));
        let client =
            builder().and_then(|builder| builder.tls_certs_merge(own()).build()).or_else(|_: reqwest::Error| {
                let roots =
                    webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter().filter_map(|der| Certificate::from_der(der).ok());
                builder()?.tls_certs_only(roots.chain(own())).build()
            });
        let client = client.map_err(setup_failure)?;
        pools.insert(connection, client.clone());
        Ok(client)
    }
}

/// Returns whether a URL's host is this machine.
pub(super) fn is_loopback_url(url: &Url) -> bool {
    url.host_str().is_some_and(is_loopback)
}

/// Returns a builder with the proxies of a route, and no others.
fn builder_for(route: &Route) -> reqwest::Result<ClientBuilder> {
    let except = || route.except.as_deref().and_then(NoProxy::from_string);
    // `check` shows what the server's certificate says.
    let mut builder = common_builder().tls_info(true);
    if let Some(proxy) = &route.https {
        builder = builder.proxy(Proxy::https(proxy)?.no_proxy(except()));
    }
    if let Some(proxy) = &route.all {
        builder = builder.proxy(Proxy::all(proxy)?.no_proxy(except()));
    }
    Ok(builder)
}

/// Returns a builder with what all pools have in common. `no_proxy` keeps the library from using `HTTP_PROXY`, which
/// would send the key unencrypted.
fn common_builder() -> ClientBuilder {
    reqwest::Client::builder()
        .no_proxy()
        .connect_timeout(limits::CONNECT)
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .tcp_nodelay(true)
        .http1_max_headers(limits::RESPONSE_HEADER_COUNT)
        .pool_idle_timeout(limits::POOL_IDLE)
        .user_agent(concat!("benchtop/", env!("CARGO_PKG_VERSION")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::profile::is_exposed;

    #[test]
    fn what_is_loopback_is_so_for_the_key_and_for_the_proxy() {
        for (url, near) in [
            ("http://localhost/v1", true),
            ("http://localhost:8080/v1", true),
            ("http://127.0.0.1:9/v1", true),
            ("http://127.3.2.1/v1", true),
            ("http://[::1]:9/v1", true),
            ("http://[::1]/v1", true),
            ("http://LOCALHOST/v1", true),
            ("http://0.0.0.0/v1", false),
            ("http://10.0.0.1/v1", false),
            ("http://localhost.example/v1", false),
            ("http://127.0.0.1.example/v1", false),
            ("http://[2001:db8::1]/v1", false),
        ] {
            assert_eq!(is_loopback_url(&Url::parse(url).expect("a URL")), near, "{url}");
            assert_eq!(is_exposed(url), !near, "{url}");
        }
        assert!(!is_exposed("https://10.0.0.1/v1"));
    }
}
