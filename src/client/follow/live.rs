//! A server that streams a job's events: first the whole history, then new ones.

use std::pin::{Pin, pin};
use std::time::{Instant, SystemTime};

use bytes::Bytes;
use eventsource_stream::Event;
use futures_util::{FutureExt, Stream, StreamExt, stream};
use reqwest::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{Method, Response};

use super::Follower;
use super::pause::slept;
use crate::api::call::Failure;
use crate::api::job::{Dialect, JobEvent};
use crate::api::probe::Probe;
use crate::client::failure;
use crate::client::http::{Request, chunk, read, step};
use crate::client::nan_filter::without_nan;
use crate::client::redact::Secrets;
use crate::client::sse::{self, SseError};
use crate::settings::{Endpoint, limits};

/// How a stream ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum StreamEnd {
    /// With `[DONE]`.
    Done,
    /// Cleanly, but without `[DONE]`.
    Closed,
    /// It was no stream: the server answers at once, with the events so far.
    NoStream,
}

impl Follower<'_> {
    /// Reads the stream of events to its end. Fails if the request does or the stream breaks off.
    pub(super) async fn stream(&mut self) -> Result<StreamEnd, Failure> {
        let endpoint = self.asker.endpoint;
        let path = format!("{}/{}/events?stream=true", Dialect::FineTunes.path(), step(self.id)?);
        let mut request = Request::new(Method::GET, path);
        if let Some(last) = self.last.as_deref().and_then(|id| HeaderValue::from_str(id).ok()) {
            request = request.with(HeaderName::from_static("last-event-id"), last);
        }
        let mut response = self.asker.send(&request).await?;
        let named = response.headers().get(CONTENT_TYPE).map(|kind| kind.as_bytes().to_ascii_lowercase());
        let mut head = Bytes::new();
        if !named.is_some_and(|kind| kind.starts_with(b"text/event-stream")) {
            match first(&mut response, endpoint).await? {
                None => return Ok(StreamEnd::NoStream),
                Some(bytes) if matches!(bytes[0], b'{' | b'[' | b'"' | b'<') => return Ok(StreamEnd::NoStream),
                Some(bytes) => head = bytes,
            }
        }
        if self.told.count() == 0 {
            self.announce(false).await;
        }
        let first = stream::once(async { Ok(head) });
        let rest = stream::try_unfold(response, |mut response| async {
            Ok(chunk(&mut response, endpoint).await?.map(|bytes| (bytes, response)))
        });
        let bytes = Box::pin(first.chain(rest));
        self.read(pin!(sse::events::<_, Bytes, Failure>(bytes)), request.path()).await
    }

    async fn read(
        &mut self,
        mut events: Pin<&mut impl Stream<Item = Result<Event, SseError<Failure>>>>,
        path: &str,
    ) -> Result<StreamEnd, Failure> {
        // The parser repeats an id until there is another one.
        let mut id = String::new();
        // Events of this connection, and the last one if it cannot be read. The last one of a connection that was cut
        // off can look whole, so what follows decides whether it is skipped.
        let (mut place, mut odd) = (0, None);
        loop {
            let event = match events.next().now_or_never() {
                Some(event) => event,
                None => {
                    self.hand_on().await;
                    self.await_next(&mut events).await?
                }
            };
            if matches!(event, None | Some(Err(SseError::Bytes(_))))
                && let Some((_, length)) = odd
            {
                self.stumble(place, length);
                return Err(failure::cut_off("an event of the stream is incomplete"));
            }
            if let Some((note, _)) = odd.take() {
                self.take(note, None, false).await;
            }
            place += 1;
            let event = match event {
                None => return Ok(StreamEnd::Closed),
                Some(Err(SseError::Bytes(why))) => return Err(why),
                Some(Err(SseError::TooLong)) => {
                    self.stumble(place, 0);
                    let most = limits::SSE_LINE >> 20;
                    return Err(failure::malformed(&format!("a line or event of it is longer than {most} MiB")));
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
            let own = event.id != id && !event.id.is_empty() && event.id.len() <= 256;
            id.clone_from(&event.id);
            let data = &*without_nan(data.into());
            match (event.event.as_str(), Probe::of(data)) {
                ("error", _) => return Err(failure::in_answer(data, path, self.asker.endpoint)),
                (_, Ok(probe)) if probe.is_error() => {
                    return Err(failure::in_answer(data, path, self.asker.endpoint));
                }
                (_, Ok(_)) => {
                    let event: JobEvent = read(data).unwrap_or_else(|_| unreadable(data, self.asker.endpoint));
                    self.take(event, own.then_some(&id), false).await;
                    if own {
                        self.last = Some(id.clone());
                    }
                }
                // The end of a connection that was cut off can look like the end of an event.
                (_, Err(_)) if data.starts_with(b"{") || b"[DONE]".starts_with(data) => {
                    odd = Some((unreadable(data, self.asker.endpoint), data.len()));
                }
                _ => {}
            }
        }
    }

    /// Waits for the next event. A long silence means that the connection is there, as a replay may pause; after the
    /// machine slept it is taken for lost, which is an error.
    async fn await_next(
        &mut self,
        events: &mut Pin<&mut impl Stream<Item = Result<Event, SseError<Failure>>>>,
    ) -> Result<Option<Result<Event, SseError<Failure>>>, Failure> {
        let (begun, wall) = (Instant::now(), SystemTime::now());
        loop {
            let wait = if self.live { limits::FOLLOW_STEADY } else { limits::FOLLOW_QUIET };
            if let Ok(event) = tokio::time::timeout(wait, events.next()).await {
                return Ok(event);
            }
            self.announce(false).await;
            if slept(begun.elapsed(), wall.elapsed().unwrap_or_default()) {
                return Err(failure::cut_off("the machine was suspended"));
            }
        }
    }
}

/// Returns the first bytes of a body that are no white space; `None` if there are none.
async fn first(response: &mut Response, endpoint: &Endpoint) -> Result<Option<Bytes>, Failure> {
    let mut blank = 0;
    while let Some(bytes) = chunk(response, endpoint).await? {
        let rest = bytes.trim_ascii_start();
        if !rest.is_empty() {
            return Ok(Some(bytes.slice_ref(rest)));
        }
        blank += bytes.len();
        if blank > limits::JSON_BODY {
            return Err(failure::too_large(limits::JSON_BODY));
        }
    }
    Ok(None)
}

/// Returns an event that stands for one that cannot be read, with the beginning of its text.
fn unreadable(data: &[u8], endpoint: &Endpoint) -> JobEvent {
    let shown = Secrets::of(endpoint).body(&data[..data.len().min(SHOWN)]);
    let message = format!("unreadable event: {shown}");
    JobEvent { level: "warn".into(), message, ..JobEvent::default() }
}

/// Bytes of such an event that are shown.
const SHOWN: usize = 200;
