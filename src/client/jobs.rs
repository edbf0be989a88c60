//! Calls about fine-tunes, in whichever of the two interfaces the server has, which is determined once by asking.

use std::collections::HashSet;

use reqwest::{Method, Response};
use serde::Deserialize;

use super::failure;
use super::http::{Http, Request, parse, read, step, whole};
use super::job_body;
use super::nan_filter::without_nan;
use super::progress::ProgressSender;
use crate::api::call::{Failure, FailureKind, Reply};
use crate::api::fine_tune::FineTuneRequest;
use crate::api::job::{Dialect, Job};
use crate::api::lenient;
use crate::api::probe::{AnswerField, Probe};
use crate::settings::{Endpoint, limits};

/// Entries asked for in a page of a list.
pub(super) const PAGE: usize = 100;

/// A page of a list. The older interface has one page.
#[derive(Deserialize)]
#[serde(default, bound(deserialize = "T: Deserialize<'de>"))]
pub(super) struct JobPage<T> {
    #[serde(deserialize_with = "lenient::list")]
    pub(super) data: Vec<T>,
    #[serde(deserialize_with = "lenient::or_default")]
    pub(super) has_more: bool,
}

impl<T> Default for JobPage<T> {
    fn default() -> Self {
        Self { data: Vec::new(), has_more: false }
    }
}

/// Asks a server about fine-tunes.
pub(super) struct Asker<'a> {
    pub(super) http: &'a Http,
    pub(super) endpoint: &'a Endpoint,
    pub(super) sender: &'a ProgressSender,
    /// Whether failed requests are retried here, as for every call; following a job has its own waits.
    pub(super) retries: bool,
}

impl Asker<'_> {
    /// Sends the request, up to the headers of a good answer; fails as [`Http::exchange`] and [`Http::once`] do.
    pub(super) async fn send(&self, request: &Request) -> Result<Response, Failure> {
        if self.retries {
            self.http.exchange(self.endpoint, request, self.sender).await
        } else {
            self.http.once(self.endpoint, request).await
        }
    }

    async fn body(&self, request: &Request) -> Result<Vec<u8>, Failure> {
        let response = self.send(request).await?;
        whole(Vec::new(), response, limits::JSON_BODY, self.endpoint, self.sender).await
    }

    /// Returns a page of a list, and its size on the wire. Fails if the request does, or the answer is not a list.
    pub(super) async fn page<T: for<'de> Deserialize<'de>>(
        &self,
        path: String,
    ) -> Result<(JobPage<T>, usize), Failure> {
        let request = Request::new(Method::GET, path);
        let body = without_nan(self.body(&request).await?.into());
        Ok((parse(&body, AnswerField::Data, request.path(), self.endpoint)?, body.len()))
    }

    /// Requests a job. The newer interface has a field `error` in every job, so only a body without an id can be an
    /// error.
    async fn read_job(&self, request: &Request) -> Result<(Job, usize), Failure> {
        let body = without_nan(self.body(request).await?.into());
        match Probe::of(&body) {
            Err(error) => {
                let what = format!("it is not the JSON that the API specifies ({error})");
                return Err(failure::no_answer(&what, &body, self.endpoint));
            }
            Ok(probe) => match read::<Job>(&body)? {
                job if !job.id.is_empty() => return Ok((job, body.len())),
                _ if probe.is_error() => {}
                _ => return Err(failure::no_answer("it is not a fine-tune", &body, self.endpoint)),
            },
        }
        Err(failure::in_answer(&body, request.path(), self.endpoint))
    }

    /// Requests a job by its id. Fails if the request does.
    pub(super) async fn job(&self, dialect: Dialect, id: &str) -> Result<(Job, usize), Failure> {
        let request = Request::new(Method::GET, format!("{}/{}", dialect.path(), step(id)?));
        self.read_job(&request).await.map_err(|why| unknown(why, id))
    }

    /// Returns the interface that the server has: as set in the profile, as found before, or as found now. Fails if the
    /// server has neither, or a request does.
    pub(super) async fn dialect(&self) -> Result<Dialect, Failure> {
        match self.known() {
            Some(dialect) => Ok(dialect),
            None => Ok(self.find().await?.0),
        }
    }

    fn known(&self) -> Option<Dialect> {
        self.endpoint.fine_tunes.or_else(|| self.http.dialect(self.endpoint))
    }

    /// Requests both lists, the older interface's first, and remembers which was answered. Only an answer that says
    /// that there is no such endpoint counts: a fault, a wrong key or a lost connection do not.
    async fn find(&self) -> Result<(Dialect, JobPage<Job>, usize), Failure> {
        for dialect in [Dialect::FineTunes, Dialect::FineTuning] {
            match self.first(dialect).await {
                Ok((page, bytes)) => {
                    self.http.remember(dialect, self.endpoint);
                    return Ok((dialect, page, bytes));
                }
                Err(why) if !is_absent(&why) && !is_no_list(&why) => return Err(why),
                Err(_) if dialect == Dialect::FineTunes => {}
                Err(why) => return Err(neither(why)),
            }
        }
        Err(Failure::new(FailureKind::Unsupported, NEITHER))
    }

    /// Returns the interface to ask after "not found": the server may have been replaced by one with the other
    /// interface. Fails with `why` if there is none.
    pub(super) async fn elsewhere(&self, why: Failure) -> Result<Dialect, Failure> {
        let known = self.known();
        if self.endpoint.fine_tunes.is_some() || why.status != Some(404) {
            return Err(why);
        }
        match self.find().await {
            Ok((found, ..)) if Some(found) != known => Ok(found),
            _ => Err(why),
        }
    }

    async fn first(&self, dialect: Dialect) -> Result<(JobPage<Job>, usize), Failure> {
        match dialect {
            Dialect::FineTunes => self.page(dialect.path().to_owned()).await,
            Dialect::FineTuning => self.page(format!("{}?limit={PAGE}", dialect.path())).await,
        }
    }
}

const NEITHER: &str = "this server does not support fine-tunes (neither /fine-tunes nor /fine_tuning/jobs); choose another \
                       profile: Ctrl+P → Profile: choose";

fn neither(why: Failure) -> Failure {
    Failure { kind: FailureKind::Unsupported, sentence: NEITHER.into(), ..why }
}

/// Returns whether the server says that it has no such endpoint or object.
fn is_absent(why: &Failure) -> bool {
    why.kind == FailureKind::Unsupported || matches!(why.status, Some(404 | 405 | 410 | 501))
}

/// Returns whether a good status came with something other than a list: some servers answer so to every unknown path.
fn is_no_list(why: &Failure) -> bool {
    why.status.is_none() && matches!(why.kind, FailureKind::Malformed | FailureKind::Server)
}

/// Rewrites the failure of a job that does not exist.
fn unknown(why: Failure, id: &str) -> Failure {
    if why.status != Some(404) {
        return why;
    }
    let sentence = format!("404 the server has no fine-tune {id}; it may have been deleted, so refresh the list");
    Failure { kind: FailureKind::Refused, sentence: sentence.into(), ..why }
}

fn asker<'a>(http: &'a Http, endpoint: &'a Endpoint, sender: &'a ProgressSender) -> Asker<'a> {
    Asker { http, endpoint, sender, retries: true }
}

/// Lists all jobs, in the server's order. Fails if a request does.
pub(super) async fn list(http: &Http, endpoint: &Endpoint, sender: &ProgressSender) -> Result<(), Failure> {
    let asker = asker(http, endpoint, sender);
    let (dialect, page, bytes) = match asker.known() {
        None => asker.find().await?,
        Some(dialect) => match asker.first(dialect).await {
            Ok((page, bytes)) => (dialect, page, bytes),
            Err(why) if is_absent(&why) => match endpoint.fine_tunes {
                Some(_) => return Err(not_as_named(why, dialect)),
                // The server may have been replaced by another.
                None => asker.find().await?,
            },
            Err(why) => return Err(why),
        },
    };
    let (jobs, bytes) = rest(&asker, dialect, page, bytes).await?;
    sender.reply(Reply::Jobs(dialect, jobs), bytes).await;
    Ok(())
}

fn not_as_named(why: Failure, dialect: Dialect) -> Failure {
    let sentence = format!(
        "this server has no {}, although the profile sets fine_tunes; remove that line from config.toml to detect it automatically",
        dialect.path()
    );
    Failure { kind: FailureKind::Unsupported, sentence: sentence.into(), ..why }
}

/// Returns the jobs of a first page and of all that follow it, up to the limits of a list.
async fn rest(
    asker: &Asker<'_>,
    dialect: Dialect,
    first: JobPage<Job>,
    mut bytes: usize,
) -> Result<(Vec<Job>, usize), Failure> {
    let JobPage { data: mut jobs, has_more: mut more } = first;
    let mut seen: HashSet<String> = jobs.iter().map(|job| job.id.clone()).collect();
    while more && jobs.len() < limits::JOBS && bytes < limits::JSON_BODY {
        let Some(last) = jobs.last().filter(|job| !job.id.is_empty()) else { break };
        let path = format!("{}?limit={PAGE}&after={}", dialect.path(), step(&last.id)?);
        let (page, size) = asker.page::<Job>(path).await?;
        let before = jobs.len();
        jobs.extend(page.data.into_iter().filter(|job| !job.id.is_empty() && seen.insert(job.id.clone())));
        // A server that does not know `after` would repeat the same page for ever; its list may also have changed
        // meanwhile.
        more = page.has_more && jobs.len() > before;
        bytes += size;
    }
    jobs.retain(|job| !job.id.is_empty());
    Ok((jobs, bytes))
}

/// Requests a job by its id, in the interface that knows it. Fails if no interface has it.
pub(super) async fn one(http: &Http, endpoint: &Endpoint, id: &str, sender: &ProgressSender) -> Result<(), Failure> {
    let asker = asker(http, endpoint, sender);
    let mut dialect = asker.dialect().await?;
    let (job, bytes) = loop {
        match asker.job(dialect, id).await {
            Ok(found) => break found,
            Err(why) => dialect = asker.elsewhere(why).await?,
        }
    };
    sender.reply(Reply::Job(Box::new(job)), bytes).await;
    Ok(())
}

/// Creates a job. Fails if the request does, or a setting is not supported.
pub(super) async fn create(
    http: &Http,
    endpoint: &Endpoint,
    asked: &FineTuneRequest,
    sender: &ProgressSender,
) -> Result<(), Failure> {
    let asker = asker(http, endpoint, sender);
    let dialect = asker.dialect().await?;
    let request = Request::post(dialect.path(), job_body::body(asked, dialect)?);
    let (job, bytes) = match asker.read_job(&request).await {
        // With other fields it is another request, with another key.
        Err(why) if dialect == Dialect::FineTuning && job_body::wants_method(&why) => {
            asker.read_job(&Request::post(dialect.path(), job_body::with_method(asked)?)).await?
        }
        answer => answer?,
    };
    sender.reply(Reply::Job(Box::new(job)), bytes).await;
    Ok(())
}

/// Cancels a job. Fails if the request does or the server has no such job.
pub(super) async fn cancel(http: &Http, endpoint: &Endpoint, id: &str, sender: &ProgressSender) -> Result<(), Failure> {
    let asker = asker(http, endpoint, sender);
    let mut dialect = asker.dialect().await?;
    let (job, bytes) = loop {
        let request = Request::new(Method::POST, format!("{}/{}/cancel", dialect.path(), step(id)?));
        match asker.read_job(&request).await {
            Ok(cancelled) => break cancelled,
            Err(why) => dialect = asker.elsewhere(unknown(why, id)).await?,
        }
    };
    sender.reply(Reply::Job(Box::new(job)), bytes).await;
    Ok(())
}

/// What a server answers about a model that it was to delete.
#[derive(Deserialize)]
struct Deleted {
    deleted: Option<bool>,
}

/// Deletes a fine-tuned model. Fails if the request does or the server says that it was not deleted.
pub(super) async fn delete_model(
    http: &Http,
    endpoint: &Endpoint,
    model: &str,
    sender: &ProgressSender,
) -> Result<(), Failure> {
    let request = Request::new(Method::DELETE, format!("/models/{}", step(model)?));
    let body = asker(http, endpoint, sender).body(&request).await.map_err(|why| undeleted(why, model))?;
    // A good status suffices; other contents are ignored, unless they are an error.
    if Probe::of(&body).is_ok_and(Probe::is_error) {
        return Err(failure::in_answer(&body, request.path(), endpoint));
    }
    if serde_json::from_slice::<Deleted>(&body).is_ok_and(|said| said.deleted == Some(false)) {
        return Err(Failure::new(
            FailureKind::Refused,
            format!("the server did not delete the model {model}; refresh the list"),
        ));
    }
    sender.reply(Reply::Deleted(model.to_owned()), body.len()).await;
    Ok(())
}

/// Rewrites the failure of deleting a model.
fn undeleted(why: Failure, model: &str) -> Failure {
    let (status, words) = match why.status {
        Some(404) => {
            (404, "the server has no deletable model of this name; it may already be deleted, so refresh the list")
        }
        Some(403) => (403, "this key may not delete the model; only the organisation's owner may"),
        Some(status @ (405 | 501)) => {
            (status, "the server does not support deleting models; delete it on the server itself")
        }
        _ => return why,
    };
    Failure { sentence: format!("{status} {words} ({model})").into(), ..why }
}
