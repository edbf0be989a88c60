//! Downloads a file: streams it to the disk, continues after a lost connection, verifies it, and then renames it.

use bytes::BytesMut;
use reqwest::{Response, Url};

use super::failure;
use super::fetch::{ContentRange, ContentRequest, file_version};
use super::file_writer::{Checks, FileWriter, PartialState};
use super::http::{Http, opened};
use super::pool::is_loopback_url;
use super::progress::{ProgressSender, TransferCounter};
use super::response_body::next_chunk;
use super::retry::{FailedAttempt, Retries};
use crate::api::advice::Advice;
use crate::api::call::{Download, Failure, FailureKind, Reply};
use crate::disk::{self, Note};
use crate::settings::profile::origin;
use crate::settings::{Endpoint, limits};

/// Downloads a file into a folder. A partial file of the same version is continued; one of another version is started
/// again, so that two versions are never mixed. Fails if all attempts do, the disk refuses, or the result does not have
/// the size or hash it must have.
pub(super) async fn download(
    http: &Http,
    endpoint: &Endpoint,
    wanted: &Download,
    sender: &ProgressSender,
) -> Result<(), Failure> {
    let writer = FileWriter::open(wanted.folder.clone(), [server_name(endpoint), wanted.id.clone()]);
    let (mut retries, mut resumes, mut begun) = (Retries::default(), 0, false);
    loop {
        let before = writer.sync().await?;
        let failed = match attempt(http, endpoint, wanted, (&writer, before.clone()), sender, &mut begun).await {
            Ok(()) => break,
            Err(failed) => failed,
        };
        let now = writer.sync().await?;
        // A download that progresses with every attempt ends at some point, so the attempts are counted from the start.
        if now.version.is_some() && now.length > before.length && resumes < limits::RESUMES {
            resumes += 1;
            retries = Retries::default();
        }
        retries.wait_or_give_up(failed, sender).await?;
    }
    let checks = Checks { name: disk::clean(&wanted.name), bytes: wanted.bytes, sha256: wanted.sha256 };
    sender.reply(Reply::Downloaded(writer.finish(checks).await?), 0).await;
    Ok(())
}

/// Returns what identifies a server. The port of a server on this machine is left out, as it may change.
fn server_name(endpoint: &Endpoint) -> String {
    let url = &endpoint.base_url;
    let is_local = Url::parse(url).is_ok_and(|url| is_loopback_url(&url));
    if is_local { url.strip_prefix(origin(url)).unwrap_or(url).to_owned() } else { url.clone() }
}

/// Performs one attempt. What arrives is written, whatever the result.
async fn attempt(
    http: &Http,
    endpoint: &Endpoint,
    wanted: &Download,
    (writer, state): (&FileWriter, PartialState),
    sender: &ProgressSender,
    begun: &mut bool,
) -> Result<(), FailedAttempt> {
    let (mut response, mut usage) = request_rest(http, endpoint, wanted, &state).await?;
    if matches!(usage, ResponseUse::Unusable) && resume_at(&state) > 0 {
        // It is a different part than the one requested, or of another version: the whole file is requested instead.
        writer.restart(Note::default()).await.map_err(FailedAttempt::permanent)?;
        (response, usage) = request_rest(http, endpoint, wanted, &PartialState::default()).await?;
    }
    let (from, total) = match usage {
        ResponseUse::Continue(from, total) => {
            writer.truncate(from).await.map_err(FailedAttempt::permanent)?;
            (from, total)
        }
        ResponseUse::Restart(note) => {
            let total = note.total;
            writer.restart(note).await.map_err(FailedAttempt::permanent)?;
            (0, total)
        }
        ResponseUse::Unusable => {
            let why = "the server sent only part of the file; try again later";
            return Err(FailedAttempt::retryable(Failure::new(FailureKind::Malformed, why)));
        }
    };
    if let (Some(listed), Some(total)) = (wanted.bytes, total)
        && listed != total
    {
        writer.restart(Note::default()).await.map_err(FailedAttempt::permanent)?;
        let advice = Advice::ListFiles.words();
        let why = format!("the server lists {listed} bytes for this file but sends {total}; {advice}");
        return Err(FailedAttempt::permanent(Failure::new(FailureKind::Malformed, why)));
    }
    if !std::mem::replace(begun, true) {
        sender.send(opened(&response)).await;
    }
    receive(&mut response, from, total.or(wanted.bytes), (endpoint, writer), sender).await
}

/// Requests what is missing. Returns the response, and how it is used.
async fn request_rest(
    http: &Http,
    endpoint: &Endpoint,
    wanted: &Download,
    state: &PartialState,
) -> Result<(Response, ResponseUse), FailedAttempt> {
    let from = resume_at(state);
    let version = state.version.as_deref().filter(|_| from > 0);
    let request = ContentRequest { id: &wanted.id, range: version.map(|_| (from, None)), version };
    let response = request.fetch(http, endpoint).await?;
    let usage = choose_use(&response, from, state);
    Ok((response, usage))
}

/// Returns the byte at which to continue. If all bytes are there, the last one is requested to check that the version
/// is still the same.
fn resume_at(state: &PartialState) -> u64 {
    match state.total {
        _ if state.version.is_none() => 0,
        Some(total) if state.length >= total => total.saturating_sub(1),
        _ => state.length,
    }
}

/// How a response is used.
enum ResponseUse {
    /// It continues at this byte. The second number is the size of the complete file, if that is known.
    Continue(u64, Option<u64>),
    /// It contains the file from the start.
    Restart(Note),
    /// It cannot be used.
    Unusable,
}

/// Decides how a response to a request for the bytes from `from` on is used.
fn choose_use(response: &Response, from: u64, state: &PartialState) -> ResponseUse {
    let found = file_version(response.headers());
    match (response.status().as_u16(), ContentRange::of(response.headers())) {
        (200, _) => ResponseUse::Restart(Note::new(found, response.content_length())),
        // It is the whole file, although the status says that it is a part.
        (206, Some(ContentRange { first: Some(0), total }))
            if total.is_some() && total == response.content_length() =>
        {
            ResponseUse::Restart(Note::new(found, total))
        }
        (206, Some(ContentRange { first: Some(first), total })) => {
            // A part must have the tag of the whole file; only a time may be missing.
            let is_tagged = state.version.as_deref().is_some_and(|version| version.starts_with('"'));
            let is_same = found == state.version || (found.is_none() && !is_tagged);
            let is_same_length = match (total, state.total) {
                (Some(new), Some(old)) => new == old,
                _ => true,
            };
            if first == from && from > 0 && is_same && is_same_length {
                ResponseUse::Continue(from, total.or(state.total))
            } else {
                ResponseUse::Unusable
            }
        }
        _ => ResponseUse::Unusable,
    }
}

/// Writes the body, which begins at the byte `from` of the file.
async fn receive(
    response: &mut Response,
    from: u64,
    total: Option<u64>,
    (endpoint, writer): (&Endpoint, &FileWriter),
    sender: &ProgressSender,
) -> Result<(), FailedAttempt> {
    let mut counter = TransferCounter::of_file(from, total);
    counter.report(sender).await;
    let (mut done, mut buffer) = (from, BytesMut::with_capacity(limits::PIECE));
    let ended = loop {
        match next_chunk(response, endpoint).await {
            Ok(Some(bytes)) => {
                done += bytes.len() as u64;
                if let Some(total) = total.filter(|total| done > *total) {
                    writer.restart(Note::default()).await.map_err(FailedAttempt::permanent)?;
                    let advice = Advice::ListFiles.words();
                    let why = format!("the server sends more than the {total} bytes of this file; {advice}");
                    // What follows a part may be the whole file. The part is deleted, so the next attempt may succeed.
                    let is_retryable = from > 0;
                    return Err(FailedAttempt { why: Failure::new(FailureKind::Malformed, why), is_retryable });
                }
                buffer.extend_from_slice(&bytes);
                if buffer.len() >= limits::PIECE {
                    writer.write(buffer.split().freeze()).await.map_err(FailedAttempt::permanent)?;
                    buffer.reserve(limits::PIECE);
                }
                counter.set(done, sender).await;
            }
            Ok(None) if total.is_some_and(|total| done < total) => {
                break Err(failure::cut_off("the connection was closed before the end"));
            }
            Ok(None) => break Ok(()),
            Err(why) => break Err(why),
        }
    };
    if !buffer.is_empty() {
        writer.write(buffer.freeze()).await.map_err(FailedAttempt::permanent)?;
    }
    counter.report(sender).await;
    ended.map_err(FailedAttempt::retryable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_told_apart_but_for_the_port_of_this_machines() {
        let name = |url: &str| server_name(&Endpoint::new(url, None));
        assert_ne!(name("https://a.example/v1"), name("https://b.example/v1"));
        assert_ne!(name("http://192.0.2.1/v1"), name("http://192.0.2.2/v1"));
        for here in ["http://127.0.0.1:2/v1", "https://localhost:3/v1", "http://[::1]:4/v1"] {
            assert_eq!(name(here), "/v1", "{here}");
        }
    }
}
