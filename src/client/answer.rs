//! Requests a generated answer, of a chat or of a completion, and forwards it: as it streams, or whole if the request
//! or the server wants that.

use std::pin::{Pin, pin};
use std::time::Duration;

use eventsource_stream::Event;
use futures_util::{FutureExt, Stream, StreamExt};
use reqwest::Response;
use tokio::time::{Instant, timeout_at};

use super::adapt;
use super::failure;
use super::http::Http;
use super::join::Joiner;
use super::progress::{ProgressSender, TransferCounter};
use super::request_body::Body;
use super::response_body::{events_of, parse_answer, read_body, skip_white_space};
use super::sse::SseError;
use super::stream_format::StreamFormat;
use super::streamed_answer::{StreamStep, StreamedAnswer};
use crate::api::call::{Failure, Reply};
use crate::api::probe::AnswerField;
use crate::settings::{Endpoint, limits};

/// The shortest time between two replies, unless a batch is full.
const BATCH_TIME: Duration = Duration::from_millis(1);

/// Sends the request and forwards the answer as it arrives. Fails if the request does, or if the answer is an error,
/// broken off or unreadable.
pub(super) async fn request_answer<K: StreamFormat>(
    http: &Http,
    endpoint: &Endpoint,
    mut body: Body,
    sender: &ProgressSender,
) -> Result<(), Failure> {
    let is_streamed = body.is_streamed();
    if is_streamed {
        body.request_usage();
    }
    let response = adapt::post(http, endpoint, K::PATH, body, sender).await?;
    if is_streamed {
        read_stream::<K>(response, endpoint, sender).await
    } else {
        read_whole::<K>(Vec::new(), response, endpoint, sender).await
    }
}

/// Reads a whole answer whose first bytes, `head`, have arrived.
async fn read_whole<K: StreamFormat>(
    head: Vec<u8>,
    response: Response,
    endpoint: &Endpoint,
    sender: &ProgressSender,
) -> Result<(), Failure> {
    let body = read_body(head, response, limits::JSON_BODY, endpoint, sender).await?;
    let mut whole: K::Whole = parse_answer(&body, AnswerField::Choices, K::PATH, endpoint)?;
    K::join_whole(&mut whole, &mut Joiner::of(endpoint));
    if K::is_empty(&whole) {
        return Err(failure::not_an_answer("it contains no choices", &body, endpoint));
    }
    let bytes = body.len();
    drop(body);
    sender.reply(K::whole_reply(whole), bytes).await;
    Ok(())
}

/// Reads a streamed answer. Some servers send a whole answer although a stream was requested, and some label a stream
/// `text/plain`: the first byte that is no white space decides.
async fn read_stream<K: StreamFormat>(
    mut response: Response,
    endpoint: &Endpoint,
    sender: &ProgressSender,
) -> Result<(), Failure> {
    let Some(head) = skip_white_space(&mut response, endpoint).await? else {
        return Err(failure::cut_off("the server sent nothing"));
    };
    match head[0] {
        b'{' | b'[' | b'"' => read_whole::<K>(head.into(), response, endpoint, sender).await,
        b'<' => Err(failure::not_an_answer("it is not a stream", &head, endpoint)),
        _ => forward_events::<K>(pin!(events_of(head, response, endpoint)), endpoint, sender).await,
    }
}

/// Forwards the parts of a streamed answer until it ends.
async fn forward_events<K: StreamFormat>(
    mut events: Pin<&mut impl Stream<Item = Result<Event, SseError<Failure>>>>,
    endpoint: &Endpoint,
    sender: &ProgressSender,
) -> Result<(), Failure> {
    let (mut counter, mut batch) = (TransferCounter::new(None), ChunkBatch::<K>::new());
    let mut answer = StreamedAnswer::new(endpoint);
    loop {
        // Parts that arrive in quick succession are forwarded together, so that a burst wakes the screen's thread once
        // a millisecond and not for every token.
        let event = match events.next().now_or_never() {
            Some(event) => event,
            None if batch.chunk.is_some() => match timeout_at(batch.last_flush + BATCH_TIME, events.next()).await {
                Ok(event) => event,
                Err(_) => {
                    batch.flush(sender).await;
                    continue;
                }
            },
            None => events.next().await,
        };
        if let Some(Ok(event)) = &event {
            counter.add(event.data.len(), sender).await;
        }
        match answer.handle_event::<K>(event) {
            StreamStep::Nothing => {}
            StreamStep::Chunk(chunk, bytes) => batch.add(chunk, bytes, sender).await,
            StreamStep::End(end) => {
                for (slot, text) in answer.rest() {
                    let bytes = text.len();
                    batch.add(K::text_chunk(slot, text), bytes, sender).await;
                }
                batch.flush(sender).await;
                if end.is_ok() && answer.unreadable() > 0 {
                    sender.reply(Reply::Unread(answer.unreadable()), 0).await;
                }
                return end;
            }
        }
    }
}

/// Chunks that are forwarded as one reply.
struct ChunkBatch<K: StreamFormat> {
    chunk: Option<K::Chunk>,
    events: usize,
    bytes: usize,
    last_flush: Instant,
}

impl<K: StreamFormat> ChunkBatch<K> {
    fn new() -> Self {
        Self { chunk: None, events: 0, bytes: 0, last_flush: Instant::now() }
    }

    /// Adds a chunk, and forwards the batch once it is full. A large chunk is forwarded alone.
    async fn add(&mut self, next: K::Chunk, bytes: usize, sender: &ProgressSender) {
        if self.bytes + bytes > limits::BATCH_BYTES {
            self.flush(sender).await;
        }
        self.events += 1;
        self.bytes += bytes;
        match &mut self.chunk {
            Some(chunk) => K::append(chunk, next),
            None => self.chunk = Some(next),
        }
        if self.events >= limits::BATCH_EVENTS || self.bytes >= limits::BATCH_BYTES {
            self.flush(sender).await;
        }
    }

    /// Forwards the batch, if there is anything in it, and begins the next one.
    async fn flush(&mut self, sender: &ProgressSender) {
        if let Some(chunk) = self.chunk.take() {
            sender.reply(K::chunk_reply(chunk), self.bytes).await;
        }
        *self = Self::new();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::sync::{Notify, mpsc};

    use super::*;
    use crate::api::call::Ticket;
    use crate::client::chat::Chat;
    use crate::client::join::{ChoiceField, Slot};

    #[tokio::test(start_paused = true)]
    async fn a_full_batch_begins_the_time_of_the_next_one() {
        let (progress, mut received) = mpsc::channel(2);
        let endpoint = Endpoint::new("http://h/v1", None);
        let sender = ProgressSender::new(Ticket(1), progress, Arc::new(Notify::new()), &endpoint);
        let mut batch = ChunkBatch::<Chat>::new();
        tokio::time::advance(BATCH_TIME * 5).await;
        let slot = Slot { choice: 0, part: ChoiceField::Content };
        for _ in 0..limits::BATCH_EVENTS {
            batch.add(Chat::text_chunk(slot, "a".to_owned()), 1, &sender).await;
        }
        assert!(received.try_recv().is_ok() && batch.chunk.is_none());
        assert_eq!(batch.last_flush, Instant::now());
    }
}
