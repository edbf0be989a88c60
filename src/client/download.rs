//! Downloads: streamed to the disk, continued after the connection was lost, verified, then renamed.

use bytes::BytesMut;
use reqwest::{Response, Url};

use super::failure;
use super::fetch::{ContentRange, Wanted, is_near, version};
use super::file_writer::{Checks, Sink, Standing};
use super::http::{Http, TransferCounter, chunk, opened};
use super::progress::ProgressSender;
use super::retry::{Refusal, Retries};
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
    let sink = Sink::open(wanted.folder.clone(), [home(endpoint), wanted.id.clone()]);
    let (mut retries, mut resumes, mut begun) = (Retries::default(), 0, false);
    loop {
        let before = sink.stand().await?;
        let refusal = match attempt(http, endpoint, wanted, (&sink, before.clone()), sender, &mut begun).await {
            Ok(()) => break,
            Err(refusal) => refusal,
        };
        let now = sink.stand().await?;
        // A download that progresses with every attempt ends some time, so the attempts are counted anew.
        if now.version.is_some() && now.length > before.length && resumes < limits::RESUMES {
            resumes += 1;
            retries = Retries::default();
        }
        retries.wait(refusal, sender).await?;
    }
    let checks = Checks { name: disk::clean(&wanted.name), bytes: wanted.bytes, sha256: wanted.sha256 };
    sender.reply(Reply::Downloaded(sink.finish(checks).await?), 0).await;
    Ok(())
}

/// Returns what identifies a server. The port of a server on this machine is left out: it may be another the next time.
fn home(endpoint: &Endpoint) -> String {
    let url = &endpoint.base_url;
    let near = Url::parse(url).is_ok_and(|url| is_near(&url));
    if near { url.strip_prefix(origin(url)).unwrap_or(url).to_owned() } else { url.clone() }
}

/// Performs one attempt. What arrives is in the sink, whatever the result.
async fn attempt(
    http: &Http,
    endpoint: &Endpoint,
    wanted: &Download,
    (sink, standing): (&Sink, Standing),
    sender: &ProgressSender,
    begun: &mut bool,
) -> Result<(), Refusal> {
    let (mut response, mut start) = ask(http, endpoint, wanted, &standing).await?;
    if matches!(start, Start::Never) && resume_at(&standing) > 0 {
        // Another part than the one asked for, or one of another version: the whole file is requested instead.
        sink.begin(Note::default()).await.map_err(Refusal::last)?;
        (response, start) = ask(http, endpoint, wanted, &Standing::default()).await?;
    }
    let (from, total) = match start {
        Start::Here(from, total) => {
            sink.shorten(from).await.map_err(Refusal::last)?;
            (from, total)
        }
        Start::Anew(note) => {
            let total = note.total;
            sink.begin(note).await.map_err(Refusal::last)?;
            (0, total)
        }
        Start::Never => {
            let why = "the server sent only part of the file; try again later";
            return Err(Refusal::again(Failure::new(FailureKind::Malformed, why)));
        }
    };
    if let (Some(listed), Some(total)) = (wanted.bytes, total)
        && listed != total
    {
        sink.begin(Note::default()).await.map_err(Refusal::last)?;
        let why = format!("the server lists {listed} bytes for this file but sends {total}; refresh the list");
        return Err(Refusal::last(Failure::new(FailureKind::Malformed, why)));
    }
    if !std::mem::replace(begun, true) {
        sender.send(opened(&response)).await;
    }
    receive(&mut response, from, total.or(wanted.bytes), (endpoint, sink), sender).await
}

/// Requests what is missing. Returns the response, and how to use it.
async fn ask(
    http: &Http,
    endpoint: &Endpoint,
    wanted: &Download,
    standing: &Standing,
) -> Result<(Response, Start), Refusal> {
    let from = resume_at(standing);
    let version = standing.version.as_deref().filter(|_| from > 0);
    let ask = Wanted { id: &wanted.id, range: version.map(|_| (from, None)), version };
    let response = ask.fetch(http, endpoint).await?;
    let start = take_up(&response, from, standing);
    Ok((response, start))
}

/// Returns the byte at which to continue. If all bytes are there, the last one is requested to check that the version
/// is still the same.
fn resume_at(standing: &Standing) -> u64 {
    match standing.total {
        _ if standing.version.is_none() => 0,
        Some(total) if standing.length >= total => total.saturating_sub(1),
        _ => standing.length,
    }
}

/// How a response is used.
enum Start {
    /// It continues from this byte; the complete file has this many.
    Here(u64, Option<u64>),
    /// It starts again.
    Anew(Note),
    /// It cannot be used.
    Never,
}

fn take_up(response: &Response, from: u64, standing: &Standing) -> Start {
    let found = version(response.headers());
    match (response.status().as_u16(), ContentRange::of(response.headers())) {
        (200, _) => Start::Anew(Note::new(found, response.content_length())),
        // The whole file, under the wrong status.
        (206, Some(ContentRange { first: Some(0), total }))
            if total.is_some() && total == response.content_length() =>
        {
            Start::Anew(Note::new(found, total))
        }
        (206, Some(ContentRange { first: Some(first), total })) => {
            // A part must have the whole file's tag; only a time may be missing.
            let tagged = standing.version.as_deref().is_some_and(|version| version.starts_with('"'));
            let same = found == standing.version || (found.is_none() && !tagged);
            let whole = match (total, standing.total) {
                (Some(new), Some(old)) => new == old,
                _ => true,
            };
            if first == from && from > 0 && same && whole {
                Start::Here(from, total.or(standing.total))
            } else {
                Start::Never
            }
        }
        _ => Start::Never,
    }
}

/// Writes the body to the sink, from a byte of the file on.
async fn receive(
    response: &mut Response,
    from: u64,
    total: Option<u64>,
    (endpoint, sink): (&Endpoint, &Sink),
    sender: &ProgressSender,
) -> Result<(), Refusal> {
    let mut moved = TransferCounter::of_file(from, total);
    moved.say(sender).await;
    let (mut done, mut piece) = (from, BytesMut::with_capacity(limits::PIECE));
    let ended = loop {
        match chunk(response, endpoint).await {
            Ok(Some(bytes)) => {
                done += bytes.len() as u64;
                if let Some(total) = total.filter(|total| done > *total) {
                    sink.begin(Note::default()).await.map_err(Refusal::last)?;
                    let why = format!("the server sends more than the {total} bytes of this file; refresh the list");
                    // What does not fit after a part may be the whole file: without the part the next attempt may
                    // succeed.
                    let retry = from > 0;
                    return Err(Refusal { why: Failure::new(FailureKind::Malformed, why), retry });
                }
                piece.extend_from_slice(&bytes);
                if piece.len() >= limits::PIECE {
                    sink.write(piece.split().freeze()).await.map_err(Refusal::last)?;
                    piece.reserve(limits::PIECE);
                }
                moved.to(done, sender).await;
            }
            Ok(None) if total.is_some_and(|total| done < total) => {
                break Err(failure::cut_off("the connection was closed before the end"));
            }
            Ok(None) => break Ok(()),
            Err(why) => break Err(why),
        }
    };
    if !piece.is_empty() {
        sink.write(piece.freeze()).await.map_err(Refusal::last)?;
    }
    moved.say(sender).await;
    ended.map_err(Refusal::again)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_told_apart_but_for_the_port_of_this_machines() {
        let home = |url: &str| home(&Endpoint::new(url, None));
        assert_ne!(home("https://a.example/v1"), home("https://b.example/v1"));
        assert_ne!(home("http://192.0.2.1/v1"), home("http://192.0.2.2/v1"));
        for here in ["http://127.0.0.1:2/v1", "https://localhost:3/v1", "http://[::1]:4/v1"] {
            assert_eq!(home(here), "/v1", "{here}");
        }
    }
}
