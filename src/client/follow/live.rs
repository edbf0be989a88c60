//! Reads a job's events from a server that streams them: first the whole history, then new events.

use std::pin::{Pin, pin};
use std::time::{Instant, SystemTime};

use bytes::Bytes;
use eventsource_stream::Event;
use futures_util::{FutureExt, Stream, StreamExt};
use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderName, HeaderValue};

use super::Follower;
use super::pause::was_suspended;
use crate::api::call::Failure;
use crate::api::job::{Dialect, JobEvent};
use crate::api::probe::Probe;
use crate::api::probed::Probed;
use crate::client::failure;
use crate::client::nan_filter::{parse_with_nan, without_nan};
use crate::client::redact::Secrets;
use crate::client::request::{Request, path_segment};
use crate::client::response_body::{decode_json, events_of, skip_white_space};
use crate::client::sse::SseError;
use crate::settings::{Endpoint, limits};

/// How a stream ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum StreamEnd {
    /// With `[DONE]`.
    Done,
    /// Cleanly, but without `[DONE]`.
    Closed,
    /// It was not a stream: the server sends the events so far as a whole answer.
    NoStream,
}

/// What an event is.
enum ParsedEvent {
    /// Something other than JSON, which some servers send to keep the connection alive.
    Nothing,
    /// An event of the job, or a note in place of one that is not as the interface specifies.
    Whole(JobEvent),
    /// Perhaps a part of an event, and the note in place of it if anything follows.
    Incomplete(JobEvent),
}

impl Follower<'_> {
    /// Reads the stream of events to its end. Fails if the request does or the stream breaks off.
    pub(super) async fn read_stream(&mut self) -> Result<StreamEnd, Failure> {
        let endpoint = self.client.endpoint;
        let path = format!("{}/{}/events?stream=true", Dialect::FineTunes.path(), path_segment(self.id)?);
        let mut request = Request::new(Method::GET, path);
        if let Some(last) = self.last_id.as_deref().and_then(|id| HeaderValue::from_str(id).ok()) {
            request = request.with_header(HeaderName::from_static("last-event-id"), last);
        }
        let mut response = self.client.send(&request).await?;
        let named = response.headers().get(CONTENT_TYPE).map(|kind| kind.as_bytes().to_ascii_lowercase());
        let mut head = Bytes::new();
        if !named.is_some_and(|kind| kind.starts_with(b"text/event-stream")) {
            match skip_white_space(&mut response, endpoint).await? {
                None => return Ok(StreamEnd::NoStream),
                Some(bytes) if matches!(bytes[0], b'{' | b'[' | b'"' | b'<') => return Ok(StreamEnd::NoStream),
                Some(bytes) => head = bytes,
            }
        }
        if self.seen.count() == 0 {
            self.announce(false).await;
        }
        self.read_events(pin!(events_of(head, response, endpoint)), request.path()).await
    }

    /// Reports the events of a stream until it ends.
    async fn read_events(
        &mut self,
        mut events: Pin<&mut impl Stream<Item = Result<Event, SseError<Failure>>>>,
        path: &str,
    ) -> Result<StreamEnd, Failure> {
        // The parser repeats an id until another one comes.
        let mut id = String::new();
        // The number of the last event of this connection, and the event itself if it cannot be read. The last event
        // before a connection is cut off can look complete, so what follows decides whether it is skipped.
        let (mut number, mut unreadable) = (0, None);
        loop {
            let event = match events.next().now_or_never() {
                Some(event) => event,
                None => {
                    self.flush().await;
                    self.next_event(&mut events).await?
                }
            };
            if matches!(event, None | Some(Err(SseError::Bytes(_))))
                && let Some((_, length)) = unreadable
            {
                self.note_break_off(number, length);
                return Err(failure::cut_off("an event of the stream is incomplete"));
            }
            if let Some((note, _)) = unreadable.take() {
                self.add(note, None, false).await;
            }
            number += 1;
            let event = match event {
                None => return Ok(StreamEnd::Closed),
                Some(Err(SseError::Bytes(why))) => return Err(why),
                Some(Err(SseError::TooLong)) => {
                    self.note_break_off(number, 0);
                    return Err(failure::event_too_long());
                }
                Some(Ok(event)) => event,
            };
            let data = event.data.as_bytes().trim_ascii();
            if data == b"[DONE]" {
                self.announce(false).await;
                return Ok(StreamEnd::Done);
            }
            if data.is_empty() {
                continue;
            }
            let has_own_id = event.id != id && !event.id.is_empty() && event.id.len() <= 256;
            id.clone_from(&event.id);
            if event.event == "error" {
                return Err(failure::error_in_answer(data, path, self.client.endpoint));
            }
            match self.parse_event(data, path)? {
                ParsedEvent::Nothing => {}
                ParsedEvent::Whole(event) => {
                    self.add(event, has_own_id.then_some(&id), false).await;
                    if has_own_id {
                        self.last_id = Some(id.clone());
                    }
                }
                ParsedEvent::Incomplete(note) => unreadable = Some((note, data.len())),
            }
        }
    }

    /// Parses an event. Fails if it is an error.
    fn parse_event(&self, data: &[u8], path: &str) -> Result<ParsedEvent, Failure> {
        let endpoint = self.client.endpoint;
        match parse_with_nan(data, decode_json) {
            Ok(Probed { probe, .. }) if probe.is_error() => Err(failure::error_in_answer(data, path, endpoint)),
            Ok(Probed { value, .. }) => Ok(ParsedEvent::Whole(value)),
            Err(_) => match Probe::of(&without_nan(data.into())) {
                Ok(probe) if probe.is_error() => Err(failure::error_in_answer(data, path, endpoint)),
                Ok(_) => Ok(ParsedEvent::Whole(unreadable_event(data, endpoint))),
                // It may be an event that was cut off together with its connection.
                Err(_) if data.starts_with(b"{") || b"[DONE]".starts_with(data) => {
                    Ok(ParsedEvent::Incomplete(unreadable_event(data, endpoint)))
                }
                Err(_) => Ok(ParsedEvent::Nothing),
            },
        }
    }

    /// Waits for the next event. After a silence the connection is announced, even if the replay is not complete. Fails
    /// after the machine was suspended: the connection is considered lost.
    async fn next_event(
        &mut self,
        events: &mut Pin<&mut impl Stream<Item = Result<Event, SseError<Failure>>>>,
    ) -> Result<Option<Result<Event, SseError<Failure>>>, Failure> {
        let (begun, wall) = (Instant::now(), SystemTime::now());
        loop {
            let wait = if self.is_announced { limits::FOLLOW_STEADY } else { limits::FOLLOW_QUIET };
            if let Ok(event) = tokio::time::timeout(wait, events.next()).await {
                return Ok(event);
            }
            self.announce(false).await;
            if was_suspended(begun.elapsed(), wall.elapsed().unwrap_or_default()) {
                return Err(failure::cut_off("the machine was suspended"));
            }
        }
    }
}

/// Returns an event that stands for one that cannot be read, with the beginning of its text.
fn unreadable_event(data: &[u8], endpoint: &Endpoint) -> JobEvent {
    // Secrets are removed before the text is cut: a part of one would not be found.
    let mut text = Secrets::of(endpoint).redacted_start(data, limits::ERROR_BODY);
    text.truncate(text.floor_char_boundary(SHOWN_BYTES));
    JobEvent { level: "warn".into(), message: format!("unreadable event: {text}"), ..JobEvent::default() }
}

/// Bytes of an unreadable event that are shown.
const SHOWN_BYTES: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_at_the_end_of_what_is_shown_is_masked() {
        let key = "sk-test-0123456789abcdefQx7a";
        let endpoint = Endpoint::new("http://h/v1", Some(key.to_owned().into()));
        for inside in [1, 8, 20] {
            let data = format!("{{{}{key}", "x".repeat(SHOWN_BYTES - 1 - inside));
            let message = unreadable_event(data.as_bytes(), &endpoint).message;
            assert!(message.ends_with('x') || message.contains('…'), "{message}");
            assert!(!message.contains("sk"), "{message}");
        }
    }
}
