//! Checks a server step by step: name, connection, certificate, key, models. Only one request is sent, for the list of
//! models.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use reqwest::tls::TlsInfo;
use reqwest::{Method, Response, StatusCode, Url};
use tokio::net::TcpStream;

use super::endpoints::MODELS;
use super::http::{Http, check_header_size, read_error_response};
use super::listed_model::ListedModel;
use super::progress::ProgressSender;
use super::request::{Request, endpoint_url};
use super::response_body::{parse_answer, read_body};
use super::unpack::unpack;
use super::{certificate, failure};
use crate::api::call::{Failure, FailureKind, Reply};
use crate::api::check::{CheckOutcome, CheckStep, Checked};
use crate::api::model::List;
use crate::api::probe::AnswerField;
use crate::settings::profile::{is_exposed, is_loopback};
use crate::settings::{Endpoint, limits, origin};

/// How many of the host's addresses are shown.
const SHOWN_ADDRESSES: usize = 3;

/// Takes the steps, and reports each as it ends. Fails with the failure of the step that failed.
pub(super) async fn check(http: &Http, endpoint: &Endpoint, sender: &ProgressSender) -> Result<(), Failure> {
    // A list that keeps coming in small pieces must end as well.
    let limit = 2 * endpoint.connect_limit + endpoint.headers_limit + limits::CHECK_BODY;
    let steps = Steps { http, endpoint, sender };
    tokio::time::timeout(limit, steps.take()).await.unwrap_or_else(|_| {
        let said = format!("the check took longer than {} s and was stopped; try again later", limit.as_secs());
        Err(Failure::new(FailureKind::Timeout, said))
    })
}

struct Steps<'a> {
    http: &'a Http,
    endpoint: &'a Endpoint,
    sender: &'a ProgressSender,
}

impl Steps<'_> {
    async fn take(&self) -> Result<(), Failure> {
        let url = endpoint_url(self.endpoint, MODELS)?;
        self.connect(&url).await?;
        let response = self.request_models(&url).await?;
        let Some(response) = self.check_key(response).await? else { return Ok(()) };
        match self.count_models(response).await {
            Ok(words) => self.report(CheckStep::Models, CheckOutcome::Passed, words).await,
            Err(why) => return self.fail(CheckStep::Models, why).await,
        }
        Ok(())
    }

    /// Reports how a step ended.
    async fn report(&self, step: CheckStep, outcome: CheckOutcome, words: impl Into<String>) {
        let words = words.into().into();
        self.sender.reply(Reply::Checked(Checked { step, outcome, words }), 0).await;
    }

    /// Reports that a step failed, and fails.
    async fn fail<T>(&self, step: CheckStep, why: Failure) -> Result<T, Failure> {
        self.report(step, CheckOutcome::Failed, why.sentence.line().into_owned()).await;
        Err(why)
    }

    /// Looks up the addresses of the host and opens a connection to one of them. It is closed again: the request opens
    /// its own.
    async fn connect(&self, url: &Url) -> Result<(), Failure> {
        let (host, port) = (url.host_str().unwrap_or_default(), url.port_or_known_default().unwrap_or_default());
        if self.is_proxied(url) {
            self.report(CheckStep::Name, CheckOutcome::Noted, "looked up by the proxy, if one is used for this host")
                .await;
            self.report(CheckStep::Connection, CheckOutcome::Noted, "made by the proxy").await;
            return Ok(());
        }
        let limit = self.endpoint.connect_limit;
        let lookup = tokio::net::lookup_host((host.trim_matches(['[', ']']), port));
        let found: Result<Vec<SocketAddr>, String> = match tokio::time::timeout(limit, lookup).await {
            Err(_) => Err(format!("no answer within {} s", limit.as_secs())),
            Ok(Err(why)) => Err(why.to_string()),
            Ok(Ok(found)) => Ok(found.collect()),
        };
        let addresses = match found {
            Ok(addresses) if !addresses.is_empty() => addresses,
            other => {
                let why = other.err().unwrap_or_else(|| "it has no address".to_owned());
                let said = format!("the name {host} has no address: {why}; check the base URL and the network");
                return self.fail(CheckStep::Name, Failure::new(FailureKind::Offline, said)).await;
            }
        };
        let named: Vec<String> =
            addresses.iter().take(SHOWN_ADDRESSES).map(|address| address.ip().to_string()).collect();
        let more = if addresses.len() > SHOWN_ADDRESSES {
            format!(" and {} more", addresses.len() - SHOWN_ADDRESSES)
        } else {
            String::new()
        };
        self.report(CheckStep::Name, CheckOutcome::Passed, format!("{}{more}", named.join(", "))).await;
        let begun = Instant::now();
        match connect_to_any(&addresses, limit).await {
            Ok(()) => {
                let words = format!("port {port} in {} ms", begun.elapsed().as_millis());
                self.report(CheckStep::Connection, CheckOutcome::Passed, words).await;
                Ok(())
            }
            Err(why) if why.kind() == ErrorKind::ConnectionRefused => {
                self.fail(CheckStep::Connection, failure::nothing_listens(self.endpoint)).await
            }
            Err(why) if why.kind() != ErrorKind::TimedOut => {
                self.fail(CheckStep::Connection, failure::unreachable(self.endpoint, &why.to_string())).await
            }
            Err(_) => {
                let place = origin(&self.endpoint.base_url);
                let said =
                    format!("{place} did not accept a connection within {} s; check the network", limit.as_secs());
                self.fail(CheckStep::Connection, Failure::new(FailureKind::Timeout, said)).await
            }
        }
    }

    /// Requests the list of models up to the headers, and reports the certificate.
    async fn request_models(&self, url: &Url) -> Result<Response, Failure> {
        let request = match self.http.build(self.endpoint, &Request::new(Method::GET, MODELS)) {
            Ok(request) => request,
            Err(why) => return self.fail(CheckStep::Key, why).await,
        };
        let (endpoint, is_encrypted) = (self.endpoint, url.scheme() == "https");
        let sent = tokio::time::timeout(endpoint.headers_limit, request.send()).await;
        if let Ok(Err(error)) = &sent
            && failure::certificate_problem(error).is_some()
        {
            let mut why = failure::transport(error, endpoint);
            if let Some(says) = self.rejected_certificate(url).await {
                why.sentence = format!("{}. It was {says}", why.sentence.line()).into();
            }
            return self.fail(CheckStep::Certificate, why).await;
        }
        let (outcome, words) = match &sent {
            Ok(Ok(response)) if is_encrypted => accepted_certificate(response),
            _ if is_encrypted => (CheckOutcome::Noted, "not known: there was no answer".to_owned()),
            _ if is_exposed(&endpoint.base_url) => (CheckOutcome::Noted, "none: http is not encrypted".to_owned()),
            _ => (CheckOutcome::Passed, "none needed on this machine (http)".to_owned()),
        };
        self.report(CheckStep::Certificate, outcome, words).await;
        let answered = match sent {
            Err(_) => Err(failure::no_headers(endpoint.headers_limit)),
            Ok(Err(error)) => Err(failure::transport(&error, endpoint)),
            Ok(Ok(response)) => check_header_size(response).map_err(|failed| failed.why),
        };
        match answered {
            Ok(response) => Ok(response),
            Err(why) => self.fail(CheckStep::Key, why).await,
        }
    }

    /// Returns what a certificate says that was not accepted; `None` if a proxy leads to the server, or the server no
    /// longer presents one.
    async fn rejected_certificate(&self, url: &Url) -> Option<String> {
        let host = url.host_str().filter(|_| !self.is_proxied(url))?;
        let der = certificate::fetch(host, url.port_or_known_default()?, self.endpoint.connect_limit).await?;
        Some(certificate::summarize(&der, now())?.words)
    }

    /// Returns whether a proxy may lead to the server.
    fn is_proxied(&self, url: &Url) -> bool {
        let route = &self.endpoint.route;
        let proxied = route.all.is_some() || (route.https.is_some() && url.scheme() == "https");
        proxied && !is_loopback(url.host_str().unwrap_or_default())
    }

    /// Reports what the answer says about the key. Returns the answer if it is a good one; `None` if the server has no
    /// list of models.
    async fn check_key(&self, response: Response) -> Result<Option<Response>, Failure> {
        let status = response.status();
        let has_key = self.endpoint.key.is_some();
        if status.is_success() {
            let words =
                if has_key { "not refused for the list of models" } else { "none is sent, and none is asked for" };
            self.report(CheckStep::Key, CheckOutcome::Passed, words).await;
            return match unpack(response) {
                Ok(response) => Ok(Some(response)),
                Err(why) => self.fail(CheckStep::Models, why).await,
            };
        }
        let why = read_error_response(response, MODELS, self.endpoint).await.why;
        if why.kind == FailureKind::Auth {
            return self.fail(CheckStep::Key, why).await;
        }
        let missing = [StatusCode::NOT_FOUND, StatusCode::METHOD_NOT_ALLOWED, StatusCode::NOT_IMPLEMENTED];
        let words = if has_key { "not refused" } else { "none is sent" };
        self.report(CheckStep::Key, CheckOutcome::Noted, words).await;
        if missing.contains(&status) {
            let words = format!("no list of models ({}): chat may still work", status.as_u16());
            self.report(CheckStep::Models, CheckOutcome::Noted, words).await;
            return Ok(None);
        }
        self.fail(CheckStep::Models, why).await
    }

    /// Reads the list of models, and returns how many there are in words.
    async fn count_models(&self, response: Response) -> Result<String, Failure> {
        let body = read_body(Vec::new(), response, limits::MODEL_LIST, self.endpoint, self.sender).await?;
        let list: List<ListedModel> = parse_answer(&body, AnswerField::Data, MODELS, self.endpoint)?;
        Ok(match list.data.len() {
            0 => "the list is empty".to_owned(),
            1 => "1 model".to_owned(),
            many => format!("{many} models"),
        })
    }
}

/// Describes the certificate that was accepted.
fn accepted_certificate(response: &Response) -> (CheckOutcome, String) {
    let der = response.extensions().get::<TlsInfo>().and_then(TlsInfo::peer_certificate);
    match der.and_then(|der| certificate::summarize(der, now())) {
        Some(says) if says.ends_soon => (CheckOutcome::Noted, format!("accepted; {}", says.words)),
        Some(says) => (CheckOutcome::Passed, format!("accepted; {}", says.words)),
        None => (CheckOutcome::Passed, "accepted".to_owned()),
    }
}

/// Returns the seconds since 1970.
fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}

/// Opens a connection to the first of the addresses that accepts one. Each has an equal share of the limit, so that one
/// that does not answer leaves time for the others.
async fn connect_to_any(addresses: &[SocketAddr], limit: Duration) -> io::Result<()> {
    let share = limit / u32::try_from(addresses.len()).unwrap_or(u32::MAX).max(1);
    let mut failed = ErrorKind::TimedOut.into();
    for address in addresses {
        match tokio::time::timeout(share, TcpStream::connect(address)).await {
            Ok(Ok(_)) => return Ok(()),
            Ok(Err(why)) => failed = why,
            Err(_) => failed = ErrorKind::TimedOut.into(),
        }
    }
    Err(failed)
}
