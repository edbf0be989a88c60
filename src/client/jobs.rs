//! Sends the calls about fine-tunes, in whichever of the two interfaces the server has. That is determined once.

use std::collections::HashSet;

use reqwest::{Method, Response};
use serde::Deserialize;
use serde_json::Value;

use super::failure::{self, with_advice};
use super::http::Http;
use super::job_body;
use super::nan_filter::parse_with_nan;
use super::progress::ProgressSender;
use super::request::{Request, path_segment};
use super::response_body::{decode_json, parse_answer, parse_probed, read_body};
use crate::api::advice::Advice;
use crate::api::call::{Failure, FailureKind, Reply};
use crate::api::fine_tune::FineTuneRequest;
use crate::api::job::{Dialect, Job};
use crate::api::lenient;
use crate::api::probe::AnswerField;
use crate::api::probed::Probed;
use crate::settings::{Endpoint, limits};

/// Entries requested for a page of a list.
pub(super) const PAGE_ENTRIES: usize = 100;

/// A page of a list. The older interface has only one.
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

/// Sends requests about fine-tunes to a server.
pub(super) struct JobClient<'a> {
    pub(super) http: &'a Http,
    pub(super) endpoint: &'a Endpoint,
    pub(super) sender: &'a ProgressSender,
    /// Whether failed requests are retried, as in every call; following a job has its own waits.
    pub(super) is_retrying: bool,
}

impl<'a> JobClient<'a> {
    fn new(http: &'a Http, endpoint: &'a Endpoint, sender: &'a ProgressSender) -> Self {
        Self { http, endpoint, sender, is_retrying: true }
    }

    /// Sends the request, up to the headers of a good answer; fails as [`Http::exchange`] and [`Http::send_once`] do.
    pub(super) async fn send(&self, request: &Request) -> Result<Response, Failure> {
        if self.is_retrying {
            self.http.exchange(self.endpoint, request, self.sender).await
        } else {
            self.http.send_once(self.endpoint, request).await
        }
    }

    /// Sends the request and reads the body of a good answer.
    async fn request_body(&self, request: &Request) -> Result<Vec<u8>, Failure> {
        let response = self.send(request).await?;
        read_body(Vec::new(), response, limits::JSON_BODY, self.endpoint, self.sender).await
    }

    /// Requests a page of a list. Returns it and its size on the wire. Fails if the request does, or the answer is not
    /// a list.
    pub(super) async fn page<T: for<'de> Deserialize<'de>>(
        &self,
        path: String,
    ) -> Result<(JobPage<T>, usize), Failure> {
        let request = Request::new(Method::GET, path);
        let body = self.request_body(&request).await?;
        let parse = |body: &[u8]| parse_answer(body, AnswerField::Data, request.path(), self.endpoint);
        Ok((parse_with_nan(&body, parse)?, body.len()))
    }

    /// Sends a request that is answered with a job. In the newer interface every job has a field `error`, so only a
    /// body without an id can be an error.
    async fn request_job(&self, request: &Request) -> Result<(Job, usize), Failure> {
        let body = self.request_body(request).await?;
        let Probed { probe, value: job } = parse_with_nan(&body, |body| parse_probed::<Job>(body, self.endpoint))?;
        if !job.id.is_empty() {
            Ok((job, body.len()))
        } else if probe.is_error() {
            Err(failure::error_in_answer(&body, request.path(), self.endpoint))
        } else {
            Err(failure::not_an_answer("it is not a fine-tune", &body, self.endpoint))
        }
    }

    /// Requests a job by its id. Fails if the request does.
    pub(super) async fn job(&self, dialect: Dialect, id: &str) -> Result<(Job, usize), Failure> {
        let request = Request::new(Method::GET, format!("{}/{}", dialect.path(), path_segment(id)?));
        self.request_job(&request).await.map_err(|why| name_missing_job(why, id))
    }

    /// Returns the interface that the server has: as set in the profile, as found before, or as found now. Fails if the
    /// server has neither, or a request does.
    pub(super) async fn dialect(&self) -> Result<Dialect, Failure> {
        match self.known_dialect() {
            Some(dialect) => Ok(dialect),
            None => Ok(self.find_dialect().await?.0),
        }
    }

    fn known_dialect(&self) -> Option<Dialect> {
        self.endpoint.fine_tunes.or_else(|| self.http.known_dialect(self.endpoint))
    }

    /// Requests the list in the older interface, then in the newer one, and remembers which the server has. The second
    /// is requested only if the server says that it lacks the first, not after a server error, a wrong key or a lost
    /// connection.
    async fn find_dialect(&self) -> Result<(Dialect, JobPage<Job>, usize), Failure> {
        let dialect = Dialect::FineTunes;
        let (dialect, found) = match self.first_page(dialect).await {
            Err(why) if is_missing(&why) || is_no_list(&why) => {
                let dialect = Dialect::FineTuning;
                (dialect, self.first_page(dialect).await)
            }
            found => (dialect, found),
        };
        match found {
            Ok((page, bytes)) => {
                self.http.remember_dialect(dialect, self.endpoint);
                Ok((dialect, page, bytes))
            }
            Err(why) if is_missing(&why) || is_no_list(&why) => Err(no_fine_tunes(why)),
            Err(why) => Err(why),
        }
    }

    /// Returns the other interface if the server has that one now: after "not found" the server may have been replaced.
    /// Fails with `why` if it does not.
    pub(super) async fn find_other_dialect(&self, why: Failure) -> Result<Dialect, Failure> {
        let known = self.known_dialect();
        if self.endpoint.fine_tunes.is_some() || why.status != Some(404) {
            return Err(why);
        }
        match self.find_dialect().await {
            Ok((found, ..)) if Some(found) != known => Ok(found),
            _ => Err(why),
        }
    }

    async fn first_page(&self, dialect: Dialect) -> Result<(JobPage<Job>, usize), Failure> {
        match dialect {
            Dialect::FineTunes => self.page(dialect.path().to_owned()).await,
            Dialect::FineTuning => self.page(format!("{}?limit={PAGE_ENTRIES}", dialect.path())).await,
        }
    }
}

/// Rewrites the failure of a server that has neither interface.
fn no_fine_tunes(why: Failure) -> Failure {
    let what = "this server does not support fine-tunes (neither /fine-tunes nor /fine_tuning/jobs)";
    Failure { kind: FailureKind::Unsupported, sentence: with_advice(what, Advice::ChooseProfile.words()).into(), ..why }
}

/// Returns whether the server says that it has no such endpoint or object.
fn is_missing(why: &Failure) -> bool {
    why.kind == FailureKind::Unsupported || matches!(why.status, Some(404 | 405 | 410 | 501))
}

/// Returns whether something other than a list came with a good status: some servers answer every unknown path like
/// this.
fn is_no_list(why: &Failure) -> bool {
    why.status.is_none() && matches!(why.kind, FailureKind::Malformed | FailureKind::Server)
}

/// Rewrites the failure of a job that does not exist.
fn name_missing_job(why: Failure, id: &str) -> Failure {
    if why.status != Some(404) {
        return why;
    }
    let sentence = format!("404 the server has no fine-tune {id}; {}", Advice::ListFineTunes.words());
    Failure { kind: FailureKind::Refused, sentence: sentence.into(), ..why }
}

/// Lists all jobs, in the server's order. Fails if a request does.
pub(super) async fn list(http: &Http, endpoint: &Endpoint, sender: &ProgressSender) -> Result<(), Failure> {
    let client = JobClient::new(http, endpoint, sender);
    let (dialect, page, bytes) = match client.known_dialect() {
        None => client.find_dialect().await?,
        Some(dialect) => match client.first_page(dialect).await {
            Ok((page, bytes)) => (dialect, page, bytes),
            Err(why) if is_missing(&why) => match endpoint.fine_tunes {
                Some(_) => return Err(wrong_dialect(why, dialect)),
                // The server may have been replaced by another.
                None => client.find_dialect().await?,
            },
            Err(why) => return Err(why),
        },
    };
    let (jobs, bytes) = remaining_jobs(&client, dialect, page, bytes).await?;
    sender.reply(Reply::Jobs(dialect, jobs), bytes).await;
    Ok(())
}

/// Rewrites the failure of a server that lacks the interface which the profile names.
fn wrong_dialect(why: Failure, dialect: Dialect) -> Failure {
    let sentence = format!(
        "this server has no {}, although the profile sets fine_tunes; remove that line from config.toml to detect it automatically",
        dialect.path()
    );
    Failure { kind: FailureKind::Unsupported, sentence: sentence.into(), ..why }
}

/// Returns the jobs of a first page and of all that follow it, up to the limits of a list.
async fn remaining_jobs(
    client: &JobClient<'_>,
    dialect: Dialect,
    first: JobPage<Job>,
    mut bytes: usize,
) -> Result<(Vec<Job>, usize), Failure> {
    let JobPage { data: mut jobs, has_more: mut more } = first;
    let mut seen: HashSet<String> = jobs.iter().map(|job| job.id.clone()).collect();
    while more && jobs.len() < limits::JOBS && bytes < limits::JSON_BODY {
        let Some(last) = jobs.last().filter(|job| !job.id.is_empty()) else { break };
        let path = format!("{}?limit={PAGE_ENTRIES}&after={}", dialect.path(), path_segment(&last.id)?);
        let (page, size) = client.page::<Job>(path).await?;
        let before = jobs.len();
        jobs.extend(page.data.into_iter().filter(|job| !job.id.is_empty() && seen.insert(job.id.clone())));
        // A server that does not know `after` would repeat the same page forever; its list may also have changed
        // meanwhile.
        more = page.has_more && jobs.len() > before;
        bytes += size;
    }
    jobs.retain(|job| !job.id.is_empty());
    Ok((jobs, bytes))
}

/// Requests a job by its id, in the interface that knows it. Fails if no interface has it.
pub(super) async fn get(http: &Http, endpoint: &Endpoint, id: &str, sender: &ProgressSender) -> Result<(), Failure> {
    let client = JobClient::new(http, endpoint, sender);
    let mut dialect = client.dialect().await?;
    let (job, bytes) = loop {
        match client.job(dialect, id).await {
            Ok(found) => break found,
            Err(why) => dialect = client.find_other_dialect(why).await?,
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
    let client = JobClient::new(http, endpoint, sender);
    let dialect = client.dialect().await?;
    let request = Request::post(dialect.path(), job_body::body(asked, dialect)?);
    let (job, bytes) = match client.request_job(&request).await {
        // With different fields it is a different request, which needs an idempotency key of its own.
        Err(why) if dialect == Dialect::FineTuning && job_body::wants_method(&why) => {
            client.request_job(&Request::post(dialect.path(), job_body::with_method(asked)?)).await?
        }
        answer => answer?,
    };
    sender.reply(Reply::Job(Box::new(job)), bytes).await;
    Ok(())
}

/// Cancels a job. Fails if the request does or the server has no such job.
pub(super) async fn cancel(http: &Http, endpoint: &Endpoint, id: &str, sender: &ProgressSender) -> Result<(), Failure> {
    let client = JobClient::new(http, endpoint, sender);
    let mut dialect = client.dialect().await?;
    let (job, bytes) = loop {
        let request = Request::new(Method::POST, format!("{}/{}/cancel", dialect.path(), path_segment(id)?));
        match client.request_job(&request).await {
            Ok(cancelled) => break cancelled,
            Err(why) => dialect = client.find_other_dialect(name_missing_job(why, id)).await?,
        }
    };
    sender.reply(Reply::Job(Box::new(job)), bytes).await;
    Ok(())
}

/// What a server answers about a model that it was to delete.
#[derive(Deserialize)]
struct Deletion {
    /// False: it was not deleted. Any other value is ignored.
    #[serde(default)]
    deleted: Value,
}

/// Deletes a fine-tuned model. Fails if the request does or the server says that it was not deleted.
pub(super) async fn delete_model(
    http: &Http,
    endpoint: &Endpoint,
    model: &str,
    sender: &ProgressSender,
) -> Result<(), Failure> {
    let request = Request::new(Method::DELETE, format!("/models/{}", path_segment(model)?));
    let body = JobClient::new(http, endpoint, sender)
        .request_body(&request)
        .await
        .map_err(|why| deletion_failure(why, model))?;
    // A good status suffices; other contents are ignored, unless they are an error.
    match decode_json::<Probed<Deletion>>(&body) {
        Ok(answer) if answer.probe.is_error() => {
            return Err(failure::error_in_answer(&body, request.path(), endpoint));
        }
        Ok(answer) if answer.value.deleted == false => {
            return Err(Failure::new(
                FailureKind::Refused,
                format!("the server did not delete the model {model}; {}", Advice::ListModels.words()),
            ));
        }
        _ => {}
    }
    sender.reply(Reply::Deleted(model.to_owned()), body.len()).await;
    Ok(())
}

/// Rewrites the failure of deleting a model.
fn deletion_failure(why: Failure, model: &str) -> Failure {
    let sentence = match why.status {
        Some(404) => format!("404 the server has no model {model} to delete; {}", Advice::ListModels.words()),
        Some(403) => format!("403 this key may not delete the model {model}; only the organisation's owner may"),
        Some(status @ (405 | 501)) => {
            format!("{status} the server does not support deleting models; delete {model} on the server itself")
        }
        _ => return why,
    };
    Failure { sentence: sentence.into(), ..why }
}
