//! A server checked step by step: name, connection, certificate, key, models. One GET of the list of models is sent, once.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use reqwest::tls::TlsInfo;
use reqwest::{Method, Response, StatusCode, Url};
use tokio::net::TcpStream;

use super::http::{Http, Request, parse, place, refusal, whole, within};
use super::listed_model::ListedModel;
use super::progress::ProgressSender;
use super::unpack::unpacked;
use super::{certificate, failure};
use crate::api::call::{Failure, FailureKind, Reply};
use crate::api::check::{CheckOutcome, CheckStep, Checked};
use crate::api::model::List;
use crate::api::probe::AnswerField;
use crate::settings::profile::{is_exposed, is_loopback};
use crate::settings::{Endpoint, limits, origin};

/// Addresses that are named.
const NAMED: usize = 3;
const PATH: &str = "/models";

/// Makes the steps, and tells of each as it ends. The error is that of the step that failed.
pub(super) async fn check(http: &Http, endpoint: &Endpoint, sender: &ProgressSender) -> Result<(), Failure> {
    // A list that dribbles in must end as well.
    let limit = 2 * endpoint.connect_limit + endpoint.headers_limit + limits::CHECK_BODY;
    let steps = Steps { http, endpoint, sender };
    tokio::time::timeout(limit, steps.all()).await.unwrap_or_else(|_| {
        let said = format!("the check took longer than {} s and was stopped", limit.as_secs());
        Err(Failure::new(FailureKind::Timeout, said))
    })
}

struct Steps<'a> {
    http: &'a Http,
    endpoint: &'a Endpoint,
    sender: &'a ProgressSender,
}

impl Steps<'_> {
    async fn all(&self) -> Result<(), Failure> {
        let url = place(self.endpoint, PATH)?;
        self.connect(&url).await?;
        let response = self.ask(&url).await?;
        let listed = self.key(response).await?;
        let Some(response) = listed else { return Ok(()) };
        match self.models(response).await {
            Ok(words) => self.tell(CheckStep::Models, CheckOutcome::Passed, words).await,
            Err(why) => return self.fail(CheckStep::Models, why).await,
        }
        Ok(())
    }

    async fn tell(&self, step: CheckStep, outcome: CheckOutcome, words: impl Into<String>) {
        let words = words.into().into();
        self.sender.reply(Reply::Checked(Checked { step, outcome, words }), 0).await;
    }

    async fn fail<T>(&self, step: CheckStep, why: Failure) -> Result<T, Failure> {
        self.tell(step, CheckOutcome::Failed, why.sentence.line().into_owned()).await;
        Err(why)
    }

    /// Finds the addresses of the host and opens a connection to one, which is closed again: the request has its own.
    async fn connect(&self, url: &Url) -> Result<(), Failure> {
        let (host, port) = (url.host_str().unwrap_or_default(), url.port_or_known_default().unwrap_or_default());
        if self.is_proxied(url) {
            self.tell(CheckStep::Name, CheckOutcome::Noted, "looked up by the proxy, if one is used for this host")
                .await;
            self.tell(CheckStep::Connection, CheckOutcome::Noted, "made by the proxy").await;
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
        let named: Vec<String> = addresses.iter().take(NAMED).map(|address| address.ip().to_string()).collect();
        let more =
            if addresses.len() > NAMED { format!(" and {} more", addresses.len() - NAMED) } else { String::new() };
        self.tell(CheckStep::Name, CheckOutcome::Passed, format!("{}{more}", named.join(", "))).await;
        let (begun, to) = (Instant::now(), origin(&self.endpoint.base_url));
        match reached(&addresses, limit).await {
            Ok(()) => {
                let words = format!("port {port} in {} ms", begun.elapsed().as_millis());
                self.tell(CheckStep::Connection, CheckOutcome::Passed, words).await;
                Ok(())
            }
            Err(why) if why.kind() == ErrorKind::ConnectionRefused => {
                let said = format!("nothing is listening at {to}; is the server running?");
                self.fail(CheckStep::Connection, Failure::new(FailureKind::Offline, said)).await
            }
            Err(why) if why.kind() != ErrorKind::TimedOut => {
                let said = format!("cannot reach {to}: {why}; check the network and the base URL");
                self.fail(CheckStep::Connection, Failure::new(FailureKind::Offline, said)).await
            }
            Err(_) => {
                let said = format!("{to} did not accept a connection within {} s", limit.as_secs());
                self.fail(CheckStep::Connection, Failure::new(FailureKind::Timeout, said)).await
            }
        }
    }

    /// Sends the request, and tells of the certificate.
    async fn ask(&self, url: &Url) -> Result<Response, Failure> {
        let request = match self.http.build(self.endpoint, &Request::new(Method::GET, PATH)) {
            Ok(request) => request,
            Err(why) => return self.fail(CheckStep::Key, why).await,
        };
        let (endpoint, tls) = (self.endpoint, url.scheme() == "https");
        let sent = tokio::time::timeout(endpoint.headers_limit, request.send()).await;
        if let Ok(Err(error)) = &sent
            && failure::certificate(error).is_some()
        {
            let mut why = failure::transport(error, endpoint);
            if let Some(says) = self.refused(url).await {
                why.sentence = format!("{}. It was {says}", why.sentence.line()).into();
            }
            return self.fail(CheckStep::Certificate, why).await;
        }
        let (outcome, words) = match &sent {
            Ok(Ok(response)) if tls => accepted(response),
            _ if tls => (CheckOutcome::Noted, "not known: there was no answer".to_owned()),
            _ if is_exposed(&endpoint.base_url) => (CheckOutcome::Noted, "none: http is not encrypted".to_owned()),
            _ => (CheckOutcome::Passed, "none needed on this machine (http)".to_owned()),
        };
        self.tell(CheckStep::Certificate, outcome, words).await;
        let answered = match sent {
            Err(_) => Err(failure::no_headers(endpoint.headers_limit)),
            Ok(Err(error)) => Err(failure::transport(&error, endpoint)),
            Ok(Ok(response)) => within(response).map_err(|refusal| refusal.why),
        };
        match answered {
            Ok(response) => Ok(response),
            Err(why) => self.fail(CheckStep::Key, why).await,
        }
    }

    /// Returns what a certificate says that was not accepted; `None`: a proxy leads to the server, or it shows none now.
    async fn refused(&self, url: &Url) -> Option<String> {
        let host = url.host_str().filter(|_| !self.is_proxied(url))?;
        let der = certificate::shown(host, url.port_or_known_default()?, self.endpoint.connect_limit).await?;
        Some(certificate::summary(&der, now())?.words)
    }

    /// Whether a proxy may lead to the server.
    fn is_proxied(&self, url: &Url) -> bool {
        let route = &self.endpoint.route;
        let proxied = route.all.is_some() || (route.https.is_some() && url.scheme() == "https");
        proxied && !is_loopback(url.host_str().unwrap_or_default())
    }

    /// Tells what the answer says of the key; returns the answer if it has the list of models.
    async fn key(&self, response: Response) -> Result<Option<Response>, Failure> {
        let status = response.status();
        let key = self.endpoint.key.is_some();
        if status.is_success() {
            let words = if key { "not refused for the list of models" } else { "none is sent, and none is asked for" };
            self.tell(CheckStep::Key, CheckOutcome::Passed, words).await;
            return match unpacked(response) {
                Ok(response) => Ok(Some(response)),
                Err(why) => self.fail(CheckStep::Models, why).await,
            };
        }
        let why = refusal(response, PATH, self.endpoint).await.why;
        if why.kind == FailureKind::Auth {
            return self.fail(CheckStep::Key, why).await;
        }
        let missing = [StatusCode::NOT_FOUND, StatusCode::METHOD_NOT_ALLOWED, StatusCode::NOT_IMPLEMENTED];
        let words = if key { "not refused" } else { "none is sent" };
        self.tell(CheckStep::Key, CheckOutcome::Noted, words).await;
        if missing.contains(&status) {
            let words = format!("no list of models ({}): chat may still work", status.as_u16());
            self.tell(CheckStep::Models, CheckOutcome::Noted, words).await;
            return Ok(None);
        }
        self.fail(CheckStep::Models, why).await
    }

    async fn models(&self, response: Response) -> Result<String, Failure> {
        let body = whole(Vec::new(), response, limits::MODEL_LIST, self.endpoint, self.sender).await?;
        let list: List<ListedModel> = parse(&body, AnswerField::Data, PATH, self.endpoint)?;
        Ok(match list.data.len() {
            0 => "the list is empty".to_owned(),
            1 => "1 model".to_owned(),
            many => format!("{many} models"),
        })
    }
}

/// Says that a certificate was accepted, and what it says.
fn accepted(response: &Response) -> (CheckOutcome, String) {
    let der = response.extensions().get::<TlsInfo>().and_then(TlsInfo::peer_certificate);
    match der.and_then(|der| certificate::summary(der, now())) {
        Some(says) if says.ends_soon => (CheckOutcome::Noted, format!("accepted; {}", says.words)),
        Some(says) => (CheckOutcome::Passed, format!("accepted; {}", says.words)),
        None => (CheckOutcome::Passed, "accepted".to_owned()),
    }
}

/// Returns the seconds since 1970.
fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}

/// Opens a connection to the first of the addresses that takes one. Each has its share of the limit: one that is silent
/// leaves time for the others.
async fn reached(addresses: &[SocketAddr], limit: Duration) -> io::Result<()> {
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
