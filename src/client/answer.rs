//! A generated answer, of a chat or of a completion: requested, and read as it streams, or whole where the server or
//! the request wants that.

use std::collections::BTreeMap;
use std::pin::pin;
use std::time::Duration;

use bytes::Bytes;
use eventsource_stream::Event;
use futures_util::{FutureExt, StreamExt, stream};
use memchr::memmem;
use reqwest::Response;
use serde::de::DeserializeOwned;
use serde_json::json;
use tokio::time::{Instant, timeout_at};

use super::adapt::{self, USAGE};
use super::extra_body::Body;
use super::failure;
use super::http::{Http, TransferCounter, chunk, decode, parse, whole};
use super::join::{Joiner, Slot};
use super::progress::ProgressSender;
use super::sse::{self, SseError};
use super::surrogates;
use crate::api::call::{Failure, FailureKind, Reply};
use crate::api::completion::Logprobs;
use crate::api::probe::{AnswerField, Probe};
use crate::settings::{Endpoint, limits};

/// What distinguishes the two kinds of answer.
pub(super) trait StreamFormat {
    /// Path below the base URL.
    const PATH: &'static str;
    type Whole: DeserializeOwned;
    type Chunk: DeserializeOwned;

    /// Returns whether a whole answer has no choices.
    fn is_empty(whole: &Self::Whole) -> bool;
    fn whole(whole: Self::Whole) -> Reply;
    fn chunk(chunk: Self::Chunk) -> Reply;
    /// Appends the next chunk: the parts of all choices in their order; of other fields the later value counts.
    fn join(chunk: &mut Self::Chunk, next: Self::Chunk);
    fn gains(chunk: &Self::Chunk) -> impl Iterator<Item = Delta>;
    /// Returns the log-probabilities in a chunk.
    fn logprobs(chunk: &Self::Chunk) -> impl Iterator<Item = &Logprobs>;
    /// Passes the texts of a chunk through the joiner.
    fn join_texts(chunk: &mut Self::Chunk, joiner: &mut Joiner);
    /// Passes the texts of a whole answer through the joiner.
    fn join_whole(whole: &mut Self::Whole, joiner: &mut Joiner);
    /// Returns a chunk that holds only a part of one text.
    fn piece(slot: Slot, text: String) -> Self::Chunk;
}

/// What a chunk adds to a choice.
pub(super) struct Delta {
    pub(super) choice: u32,
    /// Bytes.
    pub(super) text: usize,
    pub(super) ended: bool,
}

/// Sends the request and forwards the answer as it arrives. Fails if the request does, or if the answer is an error,
/// broken off or unreadable.
pub(super) async fn ask<K: StreamFormat>(
    http: &Http,
    endpoint: &Endpoint,
    mut body: Body,
    sender: &ProgressSender,
) -> Result<(), Failure> {
    let streamed = body.is_streamed();
    if streamed {
        body.ask_usage();
    }
    let response = adapt::post(http, endpoint, K::PATH, body, sender).await?;
    if !streamed {
        return answer::<K>(Vec::new(), response, endpoint, sender).await;
    }
    stream::<K>(endpoint, response, sender).await
}

/// The shortest time between two parts that are forwarded.
const BATCH_TIME: Duration = Duration::from_millis(1);
pub(super) const STREAM: &str = "stream";

impl Body {
    /// Returns whether the answer is to be streamed.
    pub(super) fn is_streamed(&self) -> bool {
        self.fields.get(STREAM).is_some_and(|stream| *stream == true)
    }

    /// Asks for token counts at the end of a stream.
    pub(super) fn ask_usage(&mut self) {
        self.fields.insert(USAGE.to_owned(), json!({"include_usage": true}));
    }
}

/// Reads a whole answer whose first bytes have arrived.
async fn answer<K: StreamFormat>(
    head: Vec<u8>,
    response: Response,
    endpoint: &Endpoint,
    sender: &ProgressSender,
) -> Result<(), Failure> {
    let body = whole(head, response, limits::JSON_BODY, endpoint, sender).await?;
    let mut answer: K::Whole = parse(&body, AnswerField::Choices, K::PATH, endpoint)?;
    K::join_whole(&mut answer, &mut Joiner::of(endpoint));
    if K::is_empty(&answer) {
        return Err(failure::no_answer("it contains no choices", &body, endpoint));
    }
    let bytes = body.len();
    drop(body);
    sender.reply(K::whole(answer), bytes).await;
    Ok(())
}

/// Reads a streamed answer. Some servers send a whole one although a stream was asked for; some call a stream
/// `text/plain`: the first byte that is no white space decides.
async fn stream<K: StreamFormat>(
    endpoint: &Endpoint,
    mut response: Response,
    sender: &ProgressSender,
) -> Result<(), Failure> {
    let mut blank = 0;
    let head = loop {
        let Some(bytes) = chunk(&mut response, endpoint).await? else {
            return Err(failure::cut_off("the server sent nothing"));
        };
        let rest = bytes.trim_ascii_start();
        if !rest.is_empty() {
            break bytes.slice_ref(rest);
        }
        blank += bytes.len();
        if blank > limits::JSON_BODY {
            return Err(failure::too_large(limits::JSON_BODY));
        }
    };
    match head[0] {
        b'{' | b'[' | b'"' => return answer::<K>(head.into(), response, endpoint, sender).await,
        b'<' => return Err(failure::no_answer("it is not a stream", &head, endpoint)),
        _ => {}
    }
    let first = stream::once(async { Ok(head) });
    let rest = stream::try_unfold(response, |mut response| async {
        Ok(chunk(&mut response, endpoint).await?.map(|bytes| (bytes, response)))
    });
    let bytes = Box::pin(first.chain(rest));
    let mut events = pin!(sse::events::<_, Bytes, Failure>(bytes));
    let (mut moved, mut batch) = (TransferCounter::new(None), ChunkBatch::<K>::default());
    let mut handed_on = Instant::now();
    let mut answer = StreamedAnswer { joiner: Joiner::of(endpoint), ..StreamedAnswer::default() };
    loop {
        // Tokens that arrive quickly are forwarded together: a burst wakes the screen's thread once a millisecond, not
        // once per token.
        let event = match events.next().now_or_never() {
            Some(event) => event,
            None if batch.chunk.is_some() => match timeout_at(handed_on + BATCH_TIME, events.next()).await {
                Ok(event) => event,
                Err(_) => {
                    batch.hand_on(sender).await;
                    handed_on = Instant::now();
                    continue;
                }
            },
            None => events.next().await,
        };
        if let Some(Ok(event)) = &event {
            moved.add(event.data.len(), sender).await;
        }
        match answer.take::<K>(event, endpoint) {
            StreamStep::Nothing => {}
            StreamStep::Chunk(chunk, bytes) => {
                // A large event is forwarded alone.
                if batch.bytes + bytes > limits::BATCH_BYTES {
                    batch.hand_on(sender).await;
                }
                batch.add(chunk, bytes);
                if batch.is_full() {
                    batch.hand_on(sender).await;
                }
            }
            StreamStep::End(end) => {
                for (slot, text) in answer.joiner.rest() {
                    let bytes = text.len();
                    batch.add(K::piece(slot, text), bytes);
                }
                batch.hand_on(sender).await;
                if end.is_ok() && answer.unread > 0 {
                    sender.reply(Reply::Unread(answer.unread), 0).await;
                }
                return end;
            }
        }
    }
}

/// Chunks that are forwarded as one.
struct ChunkBatch<K: StreamFormat> {
    chunk: Option<K::Chunk>,
    events: usize,
    bytes: usize,
}

impl<K: StreamFormat> Default for ChunkBatch<K> {
    fn default() -> Self {
        Self { chunk: None, events: 0, bytes: 0 }
    }
}

impl<K: StreamFormat> ChunkBatch<K> {
    fn add(&mut self, next: K::Chunk, bytes: usize) {
        self.events += 1;
        self.bytes += bytes;
        match &mut self.chunk {
            Some(chunk) => K::join(chunk, next),
            None => self.chunk = Some(next),
        }
    }

    fn is_full(&self) -> bool {
        self.events >= limits::BATCH_EVENTS || self.bytes >= limits::BATCH_BYTES
    }

    async fn hand_on(&mut self, sender: &ProgressSender) {
        let Self { chunk, bytes, .. } = std::mem::take(self);
        if let Some(chunk) = chunk {
            sender.reply(K::chunk(chunk), bytes).await;
        }
    }
}

/// What an event means.
enum StreamStep<C> {
    /// A keep-alive, or an extension of the server.
    Nothing,
    /// A part of the answer, and its bytes on the wire.
    Chunk(C, usize),
    /// The end.
    End(Result<(), Failure>),
}

/// Bytes up to which an event is parsed without a check of its size in memory: it stays small.
const PLAIN: usize = 4 << 10;

/// Parses an event that is certainly no error and is small, as nearly all are; `None` for others. Names of fields may
/// be written with numeric escapes, so an event that has any is left to the full check.
fn plain<K: StreamFormat>(data: &[u8]) -> Option<K::Chunk> {
    let holds = |words: &str| memmem::find(data, words.as_bytes()).is_some();
    if data.len() > PLAIN || ["error", "detail", "\\u"].into_iter().any(holds) {
        return None;
    }
    let chunk: K::Chunk = serde_json::from_slice(data).ok()?;
    let gains = K::gains(&chunk).next().is_some();
    gains.then_some(chunk)
}

/// The state of a streamed answer.
#[derive(Default)]
struct StreamedAnswer {
    /// The choices that have begun, and whether each has ended.
    choices: BTreeMap<u32, bool>,
    /// Bytes of text.
    text: usize,
    /// Tokens received, with the alternatives to each.
    tokens: usize,
    /// Events that could not be read, and the first one's failure.
    unread: u64,
    first_unread: Option<Failure>,
    joiner: Joiner,
}

impl StreamedAnswer {
    fn take<K: StreamFormat>(
        &mut self,
        event: Option<Result<Event, SseError<Failure>>>,
        endpoint: &Endpoint,
    ) -> StreamStep<K::Chunk> {
        let event = match event {
            None => return self.ended(failure::cut_off("the connection closed before the end")),
            Some(Err(SseError::TooLong)) => {
                let most = limits::SSE_LINE >> 20;
                let what = format!("a line or event of the stream is longer than {most} MiB");
                return StreamStep::End(Err(failure::malformed(&what)));
            }
            Some(Err(SseError::Bytes(why))) => return self.ended(why),
            Some(Ok(event)) => event,
        };
        if event.data.trim() == "[DONE]" {
            let begun = !self.choices.is_empty();
            return StreamStep::End(if begun { Ok(()) } else { Err(self.nothing()) });
        }
        match self.chunk_of::<K>(&event, endpoint) {
            Ok(None) => StreamStep::Nothing,
            Ok(Some(chunk)) => self.see::<K>(chunk, event.data.len()),
            Err(why) if why.kind == FailureKind::CutOff => self.ended(why),
            Err(why) => StreamStep::End(Err(why)),
        }
    }

    /// Skips an event that could not be read: later ones may be readable. Fails once such events exceed the limit of an
    /// answer.
    fn pass_over<K: StreamFormat>(
        &mut self,
        data: &[u8],
        why: &str,
        endpoint: &Endpoint,
    ) -> Result<Option<K::Chunk>, Failure> {
        self.unread += 1;
        self.first_unread.get_or_insert_with(|| failure::unread(why, data, endpoint));
        // A stream of only such events has to end some time.
        self.text += data.len();
        if self.text > limits::ANSWER_TEXT { Err(self.nothing()) } else { Ok(None) }
    }

    /// Returns the failure of a stream that ended without any choice.
    fn nothing(&mut self) -> Failure {
        match self.first_unread.take() {
            Some(why) => failure::none_read(self.unread, why),
            None => failure::malformed("the stream contains no choices"),
        }
    }

    fn see<K: StreamFormat>(&mut self, mut chunk: K::Chunk, bytes: usize) -> StreamStep<K::Chunk> {
        for Delta { choice, text, ended } in K::gains(&chunk) {
            *self.choices.entry(choice).or_default() |= ended;
            self.text += text;
        }
        if self.choices.len() > limits::CHOICES {
            let what = format!("the stream contains more than {} choices", limits::CHOICES);
            return StreamStep::End(Err(failure::malformed(&what)));
        }
        if self.text > limits::ANSWER_TEXT {
            let most = limits::ANSWER_TEXT >> 20;
            return StreamStep::End(Err(failure::cut_off(&format!("it is longer than {most} MiB"))));
        }
        K::join_texts(&mut chunk, &mut self.joiner);
        StreamStep::Chunk(chunk, bytes)
    }

    /// Ends a stream without `[DONE]`: successfully if every choice that began has a finish reason, else with the
    /// failure `why`.
    fn ended<C>(&mut self, why: Failure) -> StreamStep<C> {
        let good = !self.choices.is_empty() && self.choices.values().all(|ended| *ended);
        // A single event that was cut off is no reason of its own.
        let unread = self.choices.is_empty() && self.unread > 1;
        StreamStep::End(if good { Ok(()) } else { Err(if unread { self.nothing() } else { why }) })
    }

    /// Counts tokens of an event. Fails if the answer has more than the limit.
    fn count(&mut self, tokens: usize) -> Result<(), Failure> {
        self.tokens += tokens;
        if self.tokens > limits::ANSWER_TOKENS { Err(failure::cut_off(&failure::many_tokens())) } else { Ok(()) }
    }

    /// Parses one event. `None`: it has no content (an empty one, a ping, `ok`), or it is a broken object, which is
    /// counted: it may have been a part of the answer. Fails if it is an error, or over a limit.
    fn chunk_of<K: StreamFormat>(&mut self, event: &Event, endpoint: &Endpoint) -> Result<Option<K::Chunk>, Failure> {
        let marked = surrogates::mark(&event.data);
        self.joiner.marked = marked.is_some();
        let data = marked.as_ref().unwrap_or(&event.data).as_bytes().trim_ascii();
        if data.is_empty() {
            return Ok(None);
        }
        if event.event != "error"
            && let Some(chunk) = plain::<K>(data)
        {
            self.count(K::logprobs(&chunk).map(Logprobs::entries).sum())?;
            return Ok(Some(chunk));
        }
        match (event.event.as_str(), Probe::of(data)) {
            ("error", _) => Err(failure::in_answer(data, K::PATH, endpoint)),
            (_, Ok(probe)) if probe.is_error() => Err(failure::in_answer(data, K::PATH, endpoint)),
            (_, Ok(probe)) if probe.holds(AnswerField::Choices) || probe.has_usage() => {
                // Checked before parsing, which takes many times the memory.
                self.count(probe.tokens())?;
                match decode(data) {
                    Ok(chunk) => Ok(Some(chunk)),
                    Err(error) => self.pass_over::<K>(data, &error.to_string(), endpoint),
                }
            }
            (_, Err(error)) if data.starts_with(b"{") => self.pass_over::<K>(data, &error.to_string(), endpoint),
            _ => Ok(None),
        }
    }
}
