//! Describes what went wrong before there was a response: no connection, a rejected certificate, no valid HTTP.

use std::error::Error;
use std::iter;

use super::malformed;
use crate::api::call::{Failure, FailureKind};
use crate::settings::{Endpoint, origin};

/// How rustls names what is wrong with a certificate, and what is said about it.
const CERTIFICATE_PROBLEMS: &[(&[&str], &str)] = &[
    (
        &["UnknownIssuer", "unknown issuer"],
        "it was not issued by an authority that this machine trusts; for an authority of your own set ca_file in the profile",
    ),
    (&["Expired", "expired"], "it has expired; the server needs a new one"),
    (&["NotValidYet", "not valid yet"], "it is not valid yet; check the clock"),
    (&["NotValidForName", "not valid for name"], "it is for another host name; check the base URL"),
    (
        &["CaUsedAsEndEntity"],
        "it is the certificate of an authority, which no server may use; the server needs one of its own",
    ),
];

/// Returns the failure of a request that got no response.
pub(crate) fn transport(error: &reqwest::Error, endpoint: &Endpoint) -> Failure {
    let place = origin(&endpoint.base_url);
    if error.is_timeout() {
        return Failure::new(
            FailureKind::Timeout,
            format!("{place} did not accept a connection in time; check the network"),
        );
    }
    let cause = last_cause(error);
    if error.is_builder() {
        return Failure::new(FailureKind::Refused, format!("the request to {place} cannot be made: {cause}"));
    }
    if is_invalid_http(error) {
        return malformed(&format!("{place} does not answer with valid HTTP ({cause})"));
    }
    if let Some(problem) = certificate_problem(error) {
        return Failure::new(FailureKind::Offline, format!("the certificate of {place} is not accepted: {problem}"));
    }
    if cause.contains("refused") { nothing_listens(endpoint) } else { unreachable(endpoint, &cause) }
}

/// Returns the failure of a connection that the server's machine refused.
pub(crate) fn nothing_listens(endpoint: &Endpoint) -> Failure {
    let place = origin(&endpoint.base_url);
    Failure::new(FailureKind::Offline, format!("nothing is listening at {place}; is the server running?"))
}

/// Returns the failure of a connection that could not be made for another reason.
pub(crate) fn unreachable(endpoint: &Endpoint, cause: &str) -> Failure {
    let place = origin(&endpoint.base_url);
    Failure::new(FailureKind::Offline, format!("cannot reach {place}: {cause}; check the network and the base URL"))
}

/// Returns why a server's certificate is not accepted; `None` if the error is a different one.
pub(crate) fn certificate_problem(error: &reqwest::Error) -> Option<String> {
    let cause = last_cause(error);
    let reason = cause.split_once("invalid peer certificate: ")?.1;
    let is_named = |phrases: &[&str]| phrases.iter().any(|phrase| reason.contains(phrase));
    let known = CERTIFICATE_PROBLEMS.iter().find(|(phrases, _)| is_named(phrases));
    Some(known.map_or(reason, |(_, sentence)| sentence).to_owned())
}

/// Returns whether the server sent something other than HTTP, or more headers than are accepted.
fn is_invalid_http(error: &reqwest::Error) -> bool {
    causes(error).filter_map(|cause| cause.downcast_ref()).any(hyper::Error::is_parse)
}

/// Returns the words of the innermost cause, which says the most.
fn last_cause(error: &reqwest::Error) -> String {
    causes(error).last().map(ToString::to_string).unwrap_or_default()
}

/// Returns an error and its causes, each followed by the one that it stems from.
pub(crate) fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    iter::successors(Some(error), |&error| error.source())
}
