//! Uploads: a form streamed from the disk, its purpose first.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use reqwest::multipart::{Form, Part};
use reqwest::{Body, Response};

use super::endpoints::FILES;
use super::failure;
use super::file_reader::{FileReader, Sent};
use super::files::file;
use super::http::{Http, Request, TransferCounter, opened, refusal, within};
use super::progress::ProgressSender;
use super::retry::{Refusal, Retries};
use crate::api::call::{Failure, FailureKind, Reply, Sha256, Upload};
use crate::settings::{Endpoint, limits};

/// Uploads a file. Each attempt starts again with its first byte, and has the same idempotency key. Fails if the file
/// cannot be read or changes, or if all attempts fail.
pub(super) async fn upload(
    http: &Http,
    endpoint: &Endpoint,
    upload: &Upload,
    sender: &ProgressSender,
) -> Result<(), Failure> {
    let request = Request::create(FILES);
    let mut retries = Retries::default();
    let (response, sha256) = loop {
        match attempt(http, endpoint, &request, upload, sender).await {
            Ok(answer) => break answer,
            Err(refusal) => retries.wait(refusal, sender).await?,
        }
    };
    sender.send(opened(&response)).await;
    let file = file(response, endpoint, sender).await?;
    sender.reply(Reply::Uploaded(Box::new(file), sha256), 0).await;
    Ok(())
}

/// Stops sending when dropped: the connection would continue although nobody waits for the answer.
struct Stop(Arc<Sent>);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Performs one attempt, up to the headers of a good answer; also returns the hash of what was sent.
async fn attempt(
    http: &Http,
    endpoint: &Endpoint,
    request: &Request,
    upload: &Upload,
    sender: &ProgressSender,
) -> Result<(Response, Sha256), Refusal> {
    let source = FileReader::open(&upload.path).await.map_err(Refusal::last)?;
    let total = source.bytes();
    let (stream, sent) = source.stream();
    let stop = Stop(Arc::clone(&sent));
    let part = Part::stream_with_length(Body::wrap_stream(stream), total)
        .file_name(sent_name(&upload.name))
        .mime_str("application/octet-stream")
        .expect("it is the name of a type");
    let form = Form::new().text("purpose", upload.purpose.clone()).part("file", part);
    let request = http.build(endpoint, request).map_err(Refusal::last)?.multipart(form);
    let mut moved = TransferCounter::of_file(0, Some(total));
    moved.say(sender).await;
    let mut sending = pin!(request.send());
    let answer = loop {
        let limit = patience(endpoint, &sent, total);
        tokio::select! {
            biased;
            answer = &mut sending => break answer,
            () = sent.news.notified() => moved.to(sent.done(), sender).await,
            () = tokio::time::sleep(limit) => return Err(Refusal::again(silence(endpoint, &sent))),
        }
    };
    let response = match (answer, sent.outcome()) {
        // A problem with the file itself, whatever became of the connection.
        (_, Some(Err(why))) => return Err(Refusal::last(why)),
        (Ok(response), _) => within(response)?,
        (Err(error), _) if error.is_connect() || error.is_builder() || sent.done() == 0 => {
            return Err(Refusal::transport(&error, endpoint));
        }
        (Err(error), _) => return Err(lost(Refusal::transport(&error, endpoint), &sent)),
    };
    if !response.status().is_success() {
        // The answer may have come while the file was being sent, which need not continue.
        sent.stop();
        return Err(refusal(response, FILES, endpoint).await);
    }
    match sent.outcome() {
        Some(Ok(sha256)) if sent.ended() => {
            moved.to(total, sender).await;
            moved.say(sender).await;
            drop(stop);
            Ok((response, sha256))
        }
        _ => Err(Refusal::last(failure::malformed("the server answered before it had received the whole file"))),
    }
}

/// Returns the name that is sent: without folders and control characters, otherwise unchanged. Quotes are escaped where
/// it is written.
fn sent_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let sent: String = last.chars().filter(|c| !c.is_control()).collect();
    if sent.is_empty() { "file".to_owned() } else { sent }
}

/// Returns how long to wait without progress: while bytes are sent, the idle limit; after that the limit for an answer,
/// plus the time to send what the system still buffers.
fn patience(endpoint: &Endpoint, sent: &Sent, total: u64) -> Duration {
    if sent.ended() {
        endpoint.headers_limit + Duration::from_millis(total.min(limits::UNSENT) * 1000 / limits::SLOWEST)
    } else {
        endpoint.idle_limit
    }
}

/// Creates the failure for waiting too long without progress.
fn silence(endpoint: &Endpoint, sent: &Sent) -> Failure {
    if sent.ended() {
        return failure::no_headers(endpoint.headers_limit);
    }
    let limit = endpoint.idle_limit.as_secs_f64().ceil();
    Failure::new(FailureKind::Timeout, format!("the server accepted no more data for {limit} s; try again later"))
}

/// Rewrites the failure of a connection that was lost during the upload.
fn lost(mut refusal: Refusal, sent: &Sent) -> Refusal {
    if refusal.retry {
        refusal.why.sentence = if sent.ended() {
            "the connection was lost before the server answered; refresh the list to see whether the file is there"
        } else {
            "the connection was lost while the file was being sent; try again"
        }
        .into();
    }
    refusal
}
