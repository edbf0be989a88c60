//! Interprets the events of a streamed answer: which are parts of it, which are skipped, and how it ended.

use std::collections::BTreeMap;

use eventsource_stream::Event;

use super::failure;
use super::join::{Joiner, Slot};
use super::response_body::{UNCOUNTED_BYTES, decode_json};
use super::sse::SseError;
use super::stream_format::{ChoiceDelta, StreamFormat};
use super::surrogates;
use crate::api::call::{Failure, FailureKind};
use crate::api::completion::Logprobs;
use crate::api::probe::{AnswerField, Probe};
use crate::api::probed::Probed;
use crate::settings::{Endpoint, limits};

/// What an event means.
pub(super) enum StreamStep<C> {
    /// A keep-alive, or an extension of the server.
    Nothing,
    /// A part of the answer, and its bytes on the wire.
    Chunk(C, usize),
    /// The end.
    End(Result<(), Failure>),
}

/// The state of a streamed answer.
pub(super) struct StreamedAnswer<'a> {
    endpoint: &'a Endpoint,
    /// The choices that have begun, and whether each has ended.
    ended_by_choice: BTreeMap<u32, bool>,
    text_bytes: usize,
    /// Tokens received, with the alternatives to each.
    tokens: usize,
    /// How many events could not be read, and the failure of the first one.
    unreadable: u64,
    first_unreadable: Option<Failure>,
    joiner: Joiner,
}

impl<'a> StreamedAnswer<'a> {
    pub(super) fn new(endpoint: &'a Endpoint) -> Self {
        Self {
            endpoint,
            ended_by_choice: BTreeMap::new(),
            text_bytes: 0,
            tokens: 0,
            unreadable: 0,
            first_unreadable: None,
            joiner: Joiner::of(endpoint),
        }
    }

    /// Returns how many events could not be read.
    pub(super) fn unreadable(&self) -> u64 {
        self.unreadable
    }

    /// Returns the text that was held back and will not be continued, each part with its place.
    pub(super) fn rest(&mut self) -> Vec<(Slot, String)> {
        self.joiner.finish()
    }

    /// Interprets the next event; `None` is the end of the stream.
    pub(super) fn handle_event<K: StreamFormat>(
        &mut self,
        event: Option<Result<Event, SseError<Failure>>>,
    ) -> StreamStep<K::Chunk> {
        let event = match event {
            None => return self.end_without_done(failure::cut_off("the connection was closed before the end")),
            Some(Err(SseError::TooLong)) => return StreamStep::End(Err(failure::event_too_long())),
            Some(Err(SseError::Bytes(why))) => return self.end_without_done(why),
            Some(Ok(event)) => event,
        };
        if event.data.trim() == "[DONE]" {
            let has_begun = !self.ended_by_choice.is_empty();
            return StreamStep::End(if has_begun { Ok(()) } else { Err(self.no_choices_failure()) });
        }
        match self.parse_event::<K>(&event) {
            Ok(None) => StreamStep::Nothing,
            Ok(Some(chunk)) => self.count_chunk::<K>(chunk, event.data.len()),
            Err(why) if why.kind == FailureKind::CutOff => self.end_without_done(why),
            Err(why) => StreamStep::End(Err(why)),
        }
    }

    /// Parses an event. Returns `None` if it has no content (an empty event, a ping, `ok`), or if it is a broken
    /// object; that is counted, as it may have been a part of the answer. Fails if the event is an error, or over a
    /// limit.
    fn parse_event<K: StreamFormat>(&mut self, event: &Event) -> Result<Option<K::Chunk>, Failure> {
        let marked = surrogates::mark(&event.data);
        self.joiner.marked = marked.is_some();
        let data = marked.as_ref().unwrap_or(&event.data).as_bytes().trim_ascii();
        if data.is_empty() {
            return Ok(None);
        }
        if event.event == "error" {
            return Err(failure::error_in_answer(data, K::PATH, self.endpoint));
        }
        if data.len() > UNCOUNTED_BYTES
            && let Ok(probe) = Probe::of(data)
            && !probe.is_error()
        {
            self.check_tokens(probe.tokens())?;
        }
        match decode_json(data) {
            Ok(Probed { probe, .. }) if probe.is_error() => Err(failure::error_in_answer(data, K::PATH, self.endpoint)),
            Ok(Probed { probe, value: chunk }) if is_part(probe) => {
                let tokens = K::logprobs(&chunk).map(Logprobs::entries).sum();
                self.check_tokens(tokens)?;
                self.tokens += tokens;
                Ok(Some(chunk))
            }
            Ok(_) => Ok(None),
            Err(error) => self.skip_undecoded(data, &error, K::PATH).map(|()| None),
        }
    }

    /// Checks an answer with `more` tokens. Fails if it has more than the limit.
    fn check_tokens(&self, more: usize) -> Result<(), Failure> {
        let is_within = self.tokens + more <= limits::ANSWER_TOKENS;
        if is_within { Ok(()) } else { Err(failure::cut_off(&failure::too_many_tokens())) }
    }

    /// Skips an event that is not JSON or not the JSON of a chunk; counts it if it may have been a part of the answer.
    /// Fails if it is an error after all.
    fn skip_undecoded(&mut self, data: &[u8], why: &serde_json::Error, path: &str) -> Result<(), Failure> {
        match Probe::of(data) {
            Ok(probe) if probe.is_error() => Err(failure::error_in_answer(data, path, self.endpoint)),
            Ok(probe) if is_part(probe) => self.skip_unreadable(data, &why.to_string()),
            Err(error) if data.starts_with(b"{") => self.skip_unreadable(data, &error.to_string()),
            _ => Ok(()),
        }
    }

    /// Counts an event that could not be read; later ones may be readable. Fails once such events exceed the limit of
    /// an answer, so that a stream of nothing else ends.
    fn skip_unreadable(&mut self, data: &[u8], why: &str) -> Result<(), Failure> {
        self.unreadable += 1;
        self.first_unreadable.get_or_insert_with(|| failure::unreadable_event(why, data, self.endpoint));
        self.text_bytes += data.len();
        if self.text_bytes > limits::ANSWER_TEXT { Err(self.no_choices_failure()) } else { Ok(()) }
    }

    /// Counts what a chunk of `bytes` bytes adds to the answer, and passes its texts through the joiner.
    fn count_chunk<K: StreamFormat>(&mut self, mut chunk: K::Chunk, bytes: usize) -> StreamStep<K::Chunk> {
        for ChoiceDelta { choice, text_bytes, has_ended } in K::deltas(&chunk) {
            *self.ended_by_choice.entry(choice).or_default() |= has_ended;
            self.text_bytes += text_bytes;
        }
        if self.ended_by_choice.len() > limits::CHOICES {
            let what = format!("the stream contains more than {} choices", limits::CHOICES);
            return StreamStep::End(Err(failure::malformed(&what)));
        }
        if self.text_bytes > limits::ANSWER_TEXT {
            let most = limits::ANSWER_TEXT >> 20;
            return StreamStep::End(Err(failure::cut_off(&format!("it is longer than {most} MiB"))));
        }
        K::join_texts(&mut chunk, &mut self.joiner);
        StreamStep::Chunk(chunk, bytes)
    }

    /// Ends a stream that sent no `[DONE]`: successfully if every choice that began has a finish reason, else with the
    /// failure `why`.
    fn end_without_done<C>(&mut self, why: Failure) -> StreamStep<C> {
        let has_begun = !self.ended_by_choice.is_empty();
        if has_begun && self.ended_by_choice.values().all(|has_ended| *has_ended) {
            return StreamStep::End(Ok(()));
        }
        // A single unreadable event may just be the one that was cut off.
        let is_unreadable = !has_begun && self.unreadable > 1;
        StreamStep::End(Err(if is_unreadable { self.no_choices_failure() } else { why }))
    }

    /// Returns the failure of a stream that ended without any choice.
    fn no_choices_failure(&mut self) -> Failure {
        match self.first_unreadable.take() {
            Some(why) => failure::unreadable_stream(self.unreadable, why),
            None => failure::malformed("the stream contains no choices"),
        }
    }
}

/// Returns whether an event of this kind is a part of an answer.
fn is_part(probe: Probe) -> bool {
    probe.holds(AnswerField::Choices) || probe.has_usage()
}
