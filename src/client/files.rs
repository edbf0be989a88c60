//! Sends the calls about stored files, except uploads and downloads of whole files.

use std::collections::HashSet;

use reqwest::{Method, Response};
use ring::digest::{Context, SHA256};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::endpoints::FILES;
use super::failure;
use super::fetch::{ContentRange, ContentRequest};
use super::http::{Http, opened};
use super::progress::{ProgressSender, TransferCounter};
use super::request::{Request, path_segment};
use super::response_body::{next_chunk, parse_answer, parse_probed, read_body};
use super::retry::Retries;
use crate::api::advice::Advice;
use crate::api::call::{Content, Failure, FailureKind, Reply, Sha256, Span};
use crate::api::file::{File, FileList};
use crate::api::probe::AnswerField;
use crate::api::probed::Probed;
use crate::settings::{Endpoint, limits};

/// Lists all files, in the server's order. A page without new files ends the list. Fails if a request does, an answer
/// is unreadable, or there are more than [`limits::FILES`]; those listed so far are sent before.
pub(super) async fn list(http: &Http, endpoint: &Endpoint, sender: &ProgressSender) -> Result<(), Failure> {
    let (mut files, mut seen, mut bytes) = (Vec::new(), HashSet::new(), 0);
    let mut path = FILES.to_owned();
    for _ in 0..limits::FILE_PAGES {
        let response = http.exchange(endpoint, &Request::new(Method::GET, path), sender).await?;
        let body = read_body(Vec::new(), response, limits::FILE_LIST, endpoint, sender).await?;
        bytes += body.len();
        let page: FileList = parse_answer(&body, AnswerField::Data, FILES, endpoint)?;
        let last = page.last_id.filter(|id| !id.is_empty()).or_else(|| Some(page.data.last()?.id.clone()));
        let before = files.len();
        files.extend(
            page.data.into_iter().filter(|file| path_segment(&file.id).is_ok() && seen.insert(file.id.clone())),
        );
        if files.len() > limits::FILES {
            files.truncate(limits::FILES);
            sender.reply(Reply::Files(files), bytes).await;
            return Err(failure::malformed(&format!(
                "it lists more than {} files; only these are shown",
                limits::FILES
            )));
        }
        let has_new = files.len() > before;
        match last.as_deref().map(path_segment) {
            Some(Ok(last)) if page.has_more && has_new => path = format!("{FILES}?after={last}"),
            _ => break,
        }
    }
    sender.reply(Reply::Files(files), bytes).await;
    Ok(())
}

/// Requests a file's metadata. Fails if the request does.
pub(super) async fn get(http: &Http, endpoint: &Endpoint, id: &str, sender: &ProgressSender) -> Result<(), Failure> {
    let path = format!("{FILES}/{}", path_segment(id)?);
    let response = http.exchange(endpoint, &Request::new(Method::GET, path), sender).await?;
    let file = read_file_object(response, endpoint, sender).await?;
    sender.reply(Reply::File(Box::new(file)), 0).await;
    Ok(())
}

/// Reads the body of a response as a file object. Fails if it is something else.
pub(super) async fn read_file_object(
    response: Response,
    endpoint: &Endpoint,
    sender: &ProgressSender,
) -> Result<File, Failure> {
    let body = read_body(Vec::new(), response, limits::FILE_OBJECT, endpoint, sender).await?;
    let file: File = parse_object(&body, endpoint)?;
    if file.id.is_empty() {
        return Err(failure::not_an_answer("it does not describe a file", &body, endpoint));
    }
    Ok(file)
}

/// Parses an object. Fails if it is an error or no JSON.
fn parse_object<T: DeserializeOwned>(body: &[u8], endpoint: &Endpoint) -> Result<T, Failure> {
    let Probed { probe, value } = parse_probed(body, endpoint)?;
    if probe.is_error() { Err(failure::error_in_answer(body, FILES, endpoint)) } else { Ok(value) }
}

/// Deletes a file on the server. Fails if the request does or the server says that it was not deleted.
pub(super) async fn delete(http: &Http, endpoint: &Endpoint, id: &str, sender: &ProgressSender) -> Result<(), Failure> {
    let path = format!("{FILES}/{}", path_segment(id)?);
    let response = http.exchange(endpoint, &Request::new(Method::DELETE, path), sender).await?;
    let body = read_body(Vec::new(), response, limits::FILE_OBJECT, endpoint, sender).await?;
    // A good status with an empty body counts as deleted.
    if !body.trim_ascii().is_empty() && parse_object::<Value>(&body, endpoint)?["deleted"] == false {
        return Err(Failure::new(
            FailureKind::Refused,
            format!("the server did not delete this file; {}", Advice::ListFiles.words()),
        ));
    }
    sender.reply(Reply::Deleted(id.to_owned()), 0).await;
    Ok(())
}

/// Reads a part of a file. From a server without ranges everything before the part is read and dropped. Fails if the
/// request does, or the server sends a different part. If the connection is lost, what arrived is reported before.
pub(super) async fn read_part(
    http: &Http,
    endpoint: &Endpoint,
    span: &Span,
    sender: &ProgressSender,
) -> Result<(), Failure> {
    let most = span.most.min(limits::CONTENT);
    let last = span.from.saturating_add(most.max(1)) - 1;
    let request = ContentRequest { id: &span.id, range: Some((span.from, Some(last))), version: None };
    let mut response = open_content(http, endpoint, &request, sender).await?;
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
    let mut counter = TransferCounter::new(Some(skip.saturating_add(most)));
    let mut bytes = Vec::new();
    while (bytes.len() as u64) < most {
        let chunk = match next_chunk(&mut response, endpoint).await {
            Ok(Some(chunk)) => chunk,
            Ok(None) => break,
            Err(why) => {
                let length = bytes.len();
                if length > 0 {
                    let content = Content { from: span.from, bytes, total, ranges };
                    sender.reply(Reply::LostContent(content), length).await;
                }
                return Err(why);
            }
        };
        counter.add(chunk.len(), sender).await;
        let past = skip.min(chunk.len() as u64);
        skip -= past;
        let room = (most as usize - bytes.len()).min(chunk.len() - past as usize);
        bytes.extend_from_slice(&chunk[past as usize..][..room]);
    }
    let length = bytes.len();
    sender.reply(Reply::Content(Content { from: span.from, bytes, total, ranges }), length).await;
    Ok(())
}

/// Computes the hash of a file without storing it. Fails if the request does, or the server sends only a part.
pub(super) async fn hash(http: &Http, endpoint: &Endpoint, id: &str, sender: &ProgressSender) -> Result<(), Failure> {
    let mut response = open_content(http, endpoint, &ContentRequest { id, range: None, version: None }, sender).await?;
    if response.status() != 200 {
        return Err(failure::malformed("the server sent only part of the file"));
    }
    let (mut counter, mut hash, mut length) =
        (TransferCounter::new(response.content_length()), Context::new(&SHA256), 0);
    while let Some(chunk) = next_chunk(&mut response, endpoint).await? {
        hash.update(&chunk);
        length += chunk.len() as u64;
        counter.add(chunk.len(), sender).await;
    }
    sender.reply(Reply::Digest(hash_bytes(hash), length), 0).await;
    Ok(())
}

/// Converts a hash into bytes.
pub(super) fn hash_bytes(hash: Context) -> Sha256 {
    hash.finish().as_ref().try_into().expect("SHA-256 has 32 bytes")
}

/// Sends the request for a content until there is a response, with retries as in [`Http::exchange`].
async fn open_content(
    http: &Http,
    endpoint: &Endpoint,
    request: &ContentRequest<'_>,
    sender: &ProgressSender,
) -> Result<Response, Failure> {
    let mut retries = Retries::default();
    loop {
        match request.fetch(http, endpoint).await {
            Ok(response) => {
                sender.send(opened(&response)).await;
                return Ok(response);
            }
            Err(failed) => retries.wait_or_give_up(failed, sender).await?,
        }
    }
}
