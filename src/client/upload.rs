//! Uploads a file: streams a form from the disk, with the purpose before the file.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use reqwest::multipart::{Form, Part};
use reqwest::{Body, Response};

use super::endpoints::FILES;
use super::failure;
use super::file_reader::{FileReader, SendState};
use super::files::read_file_object;
use super::http::{Http, Takeover, check_header_size, opened, read_error_response};
use super::progress::{ProgressSender, TransferCounter};
use super::request::Request;
use super::retry::{FailedAttempt, Retries};
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
    let request = Request::post_without_body(FILES);
    let (mut retries, takeover) = (Retries::default(), Takeover::of(endpoint));
    let (response, sha256) = loop {
        match attempt(http, endpoint, &request, upload, sender).await {
            Ok(answer) => break answer,
            Err(failed) if takeover.goes_on_after(&failed) => tokio::time::sleep(limits::TAKEOVER_PAUSE).await,
            Err(failed) => retries.wait_or_give_up(failed, sender).await?,
        }
    };
    sender.send(opened(&response)).await;
    let file = read_file_object(response, endpoint, sender).await?;
    sender.reply(Reply::Uploaded(Box::new(file), sha256), 0).await;
    Ok(())
}

/// Stops sending when dropped: the connection would continue although nobody waits for the answer.
struct StopOnDrop(Arc<SendState>);

impl Drop for StopOnDrop {
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
) -> Result<(Response, Sha256), FailedAttempt> {
    let source = FileReader::open(&upload.path).await.map_err(FailedAttempt::permanent)?;
    let total = source.bytes();
    let (stream, sent) = source.stream();
    let stop = StopOnDrop(Arc::clone(&sent));
    let part = Part::stream_with_length(Body::wrap_stream(stream), total)
        .file_name(sent_name(&upload.name))
        .mime_str("application/octet-stream")
        .expect("it is the name of a type");
    let form = Form::new().text("purpose", upload.purpose.clone()).part("file", part);
    let request = http.build(endpoint, request).map_err(FailedAttempt::permanent)?.multipart(form);
    let mut counter = TransferCounter::of_file(0, Some(total));
    counter.report(sender).await;
    let mut sending = pin!(request.send());
    let answer = loop {
        let limit = silence_limit(endpoint, &sent, total);
        tokio::select! {
            biased;
            answer = &mut sending => break answer,
            () = sent.changed.notified() => counter.set(sent.bytes(), sender).await,
            () = tokio::time::sleep(limit) => return Err(FailedAttempt::retryable(silence_failure(endpoint, &sent))),
        }
    };
    let response = match (answer, sent.outcome()) {
        // A problem with the file itself counts, whatever happened to the connection.
        (_, Some(Err(why))) => return Err(FailedAttempt::permanent(why)),
        (Ok(response), _) => check_header_size(response)?,
        (Err(error), _) if error.is_connect() || error.is_builder() || sent.bytes() == 0 => {
            return Err(FailedAttempt::transport(&error, endpoint));
        }
        (Err(error), _) => return Err(say_lost(FailedAttempt::transport(&error, endpoint), &sent)),
    };
    if !response.status().is_success() {
        // The answer may have come while the file was being sent, which need not continue.
        sent.stop();
        return Err(read_error_response(response, FILES, endpoint).await);
    }
    match sent.outcome() {
        Some(Ok(sha256)) if sent.has_ended() => {
            counter.set(total, sender).await;
            counter.report(sender).await;
            drop(stop);
            Ok((response, sha256))
        }
        _ => Err(FailedAttempt::permanent(failure::malformed(
            "the server answered before it had received the whole file",
        ))),
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
fn silence_limit(endpoint: &Endpoint, sent: &SendState, total: u64) -> Duration {
    if sent.has_ended() {
        endpoint.headers_limit + Duration::from_millis(total.min(limits::UNSENT) * 1000 / limits::SLOWEST)
    } else {
        endpoint.idle_limit
    }
}

/// Creates the failure for waiting too long without progress.
fn silence_failure(endpoint: &Endpoint, sent: &SendState) -> Failure {
    if sent.has_ended() {
        return failure::no_headers(endpoint.headers_limit);
    }
    let limit = endpoint.idle_limit.as_secs_f64().ceil();
    Failure::new(FailureKind::Timeout, format!("the server accepted no more data for {limit} s; try again later"))
}

/// Rewrites the failure of a connection that was lost during the upload.
fn say_lost(mut failed: FailedAttempt, sent: &SendState) -> FailedAttempt {
    if failed.is_retryable {
        failed.why.sentence = if sent.has_ended() {
            "the connection was lost before the server answered, and the file may be there; refresh the list"
        } else {
            "the connection was lost while the file was being sent; try again"
        }
        .into();
    }
    failed
}
