//! Remembers what is known of each server beyond the interface, and tells the shell what is new.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use reqwest::header::HeaderMap;

use super::headers::header;
use super::progress::ProgressSender;
use crate::api::call::Progress;
use crate::api::capability::{Fact, Finding, Subject};
use crate::settings::{Endpoint, parts};

/// Characters of the description of a rate limit.
const MAX_LIMIT_CHARS: usize = 80;

/// Endpoints that a server may lack.
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

/// What is known of servers, by their base URLs.
#[derive(Default)]
pub(super) struct Knowledge(Mutex<HashMap<String, HashMap<Subject, Finding>>>);

impl Knowledge {
    /// Returns what is known of a server about a subject.
    pub(super) fn of(&self, endpoint: &Endpoint, subject: &Subject) -> Option<Finding> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(server_url(endpoint))?.get(subject).cloned()
    }

    /// Stores a finding about a subject; `None` forgets the one that was stored.
    pub(super) fn set(&self, server: &str, subject: Subject, finding: Option<Finding>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let facts = known.entry(server.to_owned()).or_default();
        match finding {
            Some(finding) => drop(facts.insert(subject, finding)),
            None => drop(facts.remove(&subject)),
        }
    }

    /// Learns whether a server has an endpoint, from the answer to a request to its path.
    pub(super) async fn learn_endpoint(
        &self,
        endpoint: &Endpoint,
        path: &str,
        finding: Finding,
        sender: &ProgressSender,
    ) {
        let path = parts(path).0;
        // An entry below an endpoint may be missing for other reasons.
        if ENDPOINTS.contains(&path) {
            self.learn(endpoint, Subject::Endpoint(path.to_owned()), finding, sender).await;
        }
    }

    /// Learns how much is left of the rate limits that the headers of an answer name.
    pub(super) async fn learn_rate_limits(&self, endpoint: &Endpoint, headers: &HeaderMap, sender: &ProgressSender) {
        for what in ["requests", "tokens"] {
            let value = |part: &str| header(headers, &format!("x-ratelimit-{part}-{what}"));
            if let (Some(limit), Some(left)) = (value("limit"), value("remaining")) {
                let reset = value("reset").map(|reset| format!(", resets in {reset}")).unwrap_or_default();
                let words: String = format!("{left} of {limit} left{reset}").chars().take(MAX_LIMIT_CHARS).collect();
                self.learn(endpoint, Subject::RateLimit(what.to_owned()), Finding::Text(words), sender).await;
            }
        }
    }

    /// Stores a finding, and reports it to the shell if it is new.
    pub(super) async fn learn(&self, endpoint: &Endpoint, subject: Subject, finding: Finding, sender: &ProgressSender) {
        if self.of(endpoint, &subject).as_ref() == Some(&finding) {
            return;
        }
        let server = server_url(endpoint).to_owned();
        if let Some(opposite) = subject.opposite(&finding) {
            self.set(&server, opposite, None);
        }
        self.set(&server, subject.clone(), Some(finding.clone()));
        sender.send(Progress::Learned(Box::new(Fact { server, subject, finding }))).await;
    }
}

/// Returns what a server is known by: its base URL without the query, which may contain a secret.
fn server_url(endpoint: &Endpoint) -> &str {
    parts(&endpoint.base_url).0
}
