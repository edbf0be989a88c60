//! Calls about stored files, except up- and downloads of whole files.

use std::collections::HashSet;

use reqwest::{Method, Response};
use ring::digest::{Context, SHA256};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::endpoints::FILES;
use super::failure;
use super::fetch::{ContentRange, Wanted};
use super::http::{Http, Request, TransferCounter, chunk, opened, parse, read, step, whole};
use super::progress::ProgressSender;
use super::retry::Retries;
use crate::api::call::{Content, Failure, FailureKind, Reply, Sha256, Span};
use crate::api::file::{File, FileList};
use crate::api::probe::{self, Probe};
use crate::settings::{Endpoint, limits};

/// Lists all files, in the server's order. A page without new files ends the list. Fails if a request does, an answer
/// is unreadable, or there are more than [`limits::FILES`]; those listed so far are sent before.
pub(super) async fn list(http: &Http, endpoint: &Endpoint, sender: &ProgressSender) -> Result<(), Failure> {
    let (mut files, mut seen, mut bytes) = (Vec::new(), HashSet::new(), 0);
    let mut path = FILES.to_owned();
    for _ in 0..limits::FILE_PAGES {
        let response = http.exchange(endpoint, &Request::new(Method::GET, path), sender).await?;
        let body = whole(Vec::new(), response, limits::FILE_LIST, endpoint, sender).await?;
        bytes += body.len();
        let page: FileList = parse(&body, probe::AnswerField::Data, FILES, endpoint)?;
        let last = page.last_id.filter(|id| !id.is_empty()).or_else(|| Some(page.data.last()?.id.clone()));
        let before = files.len();
        files.extend(page.data.into_iter().filter(|file| step(&file.id).is_ok() && seen.insert(file.id.clone())));
        if files.len() > limits::FILES {
            files.truncate(limits::FILES);
            sender.reply(Reply::Files(files), bytes).await;
            return Err(failure::malformed(&format!(
                "it lists more than {} files; only these are shown",
                limits::FILES
            )));
        }
        let new = files.len() > before;
        match last.as_deref().map(step) {
            Some(Ok(last)) if page.has_more && new => path = format!("{FILES}?after={last}"),
            _ => break,
        }
    }
    sender.reply(Reply::Files(files), bytes).await;
    Ok(())
}

/// Requests a file's metadata. Fails if the request does.
pub(super) async fn one(http: &Http, endpoint: &Endpoint, id: &str, sender: &ProgressSender) -> Result<(), Failure> {
    let path = format!("{FILES}/{}", step(id)?);
    let response = http.exchange(endpoint, &Request::new(Method::GET, path), sender).await?;
    let file = file(response, endpoint, sender).await?;
    sender.reply(Reply::File(Box::new(file)), 0).await;
    Ok(())
}

/// Reads the file object of a response. Fails if it is none.
pub(super) async fn file(response: Response, endpoint: &Endpoint, sender: &ProgressSender) -> Result<File, Failure> {
    let body = whole(Vec::new(), response, limits::FILE_OBJECT, endpoint, sender).await?;
    let file: File = object(&body, endpoint)?;
    if file.id.is_empty() {
        return Err(failure::no_answer("it does not describe a file", &body, endpoint));
    }
    Ok(file)
}

/// Parses an object. Fails if it is an error or no JSON.
fn object<T: DeserializeOwned>(body: &[u8], endpoint: &Endpoint) -> Result<T, Failure> {
    let probe = Probe::of(body).map_err(|error| {
        failure::no_answer(&format!("it is not the JSON that the API specifies ({error})"), body, endpoint)
    })?;
    if probe.is_error() {
        return Err(failure::in_answer(body, FILES, endpoint));
    }
    read(body)
}

/// Deletes a file on the server. Fails if the request does or the server says that it was not deleted.
pub(super) async fn delete(http: &Http, endpoint: &Endpoint, id: &str, sender: &ProgressSender) -> Result<(), Failure> {
    let path = format!("{FILES}/{}", step(id)?);
    let response = http.exchange(endpoint, &Request::new(Method::DELETE, path), sender).await?;
    let body = whole(Vec::new(), response, limits::FILE_OBJECT, endpoint, sender).await?;
    // A good status with an empty body counts as deleted.
    if !body.trim_ascii().is_empty() && object::<Value>(&body, endpoint)?["deleted"] == false {
        return Err(Failure::new(
            FailureKind::Refused,
            "the server did not delete this file; refresh the list and try again",
        ));
    }
    sender.reply(Reply::Deleted(id.to_owned()), 0).await;
    Ok(())
}

/// Reads a part of a file. From a server without ranges everything before it is read and dropped. Fails if the request
/// does, or the server sends another part.
pub(super) async fn content(
    http: &Http,
    endpoint: &Endpoint,
    span: &Span,
    sender: &ProgressSender,
) -> Result<(), Failure> {
    let most = span.most.min(limits::CONTENT);
    let last = span.from.saturating_add(most.max(1)) - 1;
    let wanted = Wanted { id: &span.id, range: Some((span.from, Some(last))), version: None };
    let mut response = begin(http, endpoint, &wanted, sender).await?;
    let part = ContentRange::of(response.headers());
    let (mut skip, total, ranges) = match (response.status().as_u16(), part) {
        (206, Some(ContentRange { first: Some(first), total })) if first <= span.from => {
            (span.from - first, total, true)
        }
        (416, _) => {
            let total = part.and_then(|part| part.total);
            let content = Content { from: span.from, bytes: Vec::new(), total, ranges: true };
            sender.reply(Reply::Content(content), 0).await;
            return Ok(());
        }
        (200, _) => (span.from, response.content_length(), false),
        _ => return Err(failure::malformed("the server sent a different part than requested")),
    };
    let mut moved = TransferCounter::new(Some(skip.saturating_add(most)));
    let mut bytes = Vec::new();
    while (bytes.len() as u64) < most
        && let Some(piece) = chunk(&mut response, endpoint).await?
    {
        moved.add(piece.len(), sender).await;
        let past = skip.min(piece.len() as u64);
        skip -= past;
        let room = (most as usize - bytes.len()).min(piece.len() - past as usize);
        bytes.extend_from_slice(&piece[past as usize..][..room]);
    }
    let length = bytes.len();
    sender.reply(Reply::Content(Content { from: span.from, bytes, total, ranges }), length).await;
    Ok(())
}

/// Computes the hash of a file without storing it. Fails if the request does, or the server sends only a part.
pub(super) async fn digest(http: &Http, endpoint: &Endpoint, id: &str, sender: &ProgressSender) -> Result<(), Failure> {
    let mut response = begin(http, endpoint, &Wanted { id, range: None, version: None }, sender).await?;
    if response.status() != 200 {
        return Err(failure::malformed("the server sent only part of the file"));
    }
    let (mut moved, mut hash, mut length) = (TransferCounter::new(response.content_length()), Context::new(&SHA256), 0);
    while let Some(piece) = chunk(&mut response, endpoint).await? {
        hash.update(&piece);
        length += piece.len() as u64;
        moved.add(piece.len(), sender).await;
    }
    sender.reply(Reply::Digest(finish(hash), length), 0).await;
    Ok(())
}

/// Converts a hash into bytes.
pub(super) fn finish(hash: Context) -> Sha256 {
    hash.finish().as_ref().try_into().expect("SHA-256 has 32 bytes")
}

/// Sends the request until there is a response, as [`Http::exchange`] does.
async fn begin(
    http: &Http,
    endpoint: &Endpoint,
    wanted: &Wanted<'_>,
    sender: &ProgressSender,
) -> Result<Response, Failure> {
    let mut retries = Retries::default();
    loop {
        match wanted.fetch(http, endpoint).await {
            Ok(response) => {
                sender.send(opened(&response)).await;
                return Ok(response);
            }
            Err(refusal) => retries.wait(refusal, sender).await?,
        }
    }
}
