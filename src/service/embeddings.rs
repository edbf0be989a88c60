//! `POST /v1/embeddings`, also as `POST /v1/engines/{id}/embeddings`.
//!
//! An answer can be hundreds of megabytes long: it is made in pieces, each only when the reader has taken the one
//! before. Memory is bounded by the request's body and one piece, and a slow reader holds no turn at the engine.

use std::collections::VecDeque;
use std::io;

use axum::body::{Body, Bytes};
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use axum::{Extension, Router};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::{Stream, StreamExt as _, stream};
use serde_json::Value;

use super::body::RawBody;
use super::caller::Caller;
use super::check::{self, Fields};
use super::headers;
use super::input::Input;
use super::metrics::TokenUsage;
use super::models;
use super::reject::Reject;
use super::state::State as Shared;
use super::turn;
use crate::engine::catalogue::{self, Kind};
use crate::engine::embed::{Reading, Space};
use crate::engine::numbers::append_floats;
use crate::engine::sentence;
use crate::tokens::Encoding;

/// Entries of `input`.
const ENTRIES: usize = 2048;
/// Bytes counted in one turn at the engine; the turn ends with the text that reaches them.
const TURN: usize = 1 << 16;
/// Word pieces that are read in one turn, some 30 ms: one window.
const PIECES: usize = sentence::WINDOW;
/// Numbers of vectors after which a part of an answer ends: about 256 KiB of JSON.
const NUMBERS: usize = 20_000;
/// Bytes above which a text that is too long is not counted to its end.
const COUNTED_FULLY: usize = 1 << 18;
/// Fields a request may have.
const FIELDS: [&str; 5] = ["model", "input", "encoding_format", "dimensions", "user"];

/// Returns the routes.
pub(super) fn routes() -> Router<Shared> {
    Router::new().route("/v1/embeddings", post(create)).route("/v1/engines/{id}/embeddings", post(create_for_engine))
}

async fn create(
    State(state): State<Shared>,
    Extension(caller): Extension<Caller>,
    RawBody(body): RawBody,
) -> Result<Response, Reject> {
    respond(state, caller, None, body).await
}

async fn create_for_engine(
    State(state): State<Shared>,
    Extension(caller): Extension<Caller>,
    engine: Result<Path<String>, PathRejection>,
    RawBody(body): RawBody,
) -> Result<Response, Reject> {
    // A name that is not UTF-8 once decoded is not the name of a model.
    let Path(engine) = engine.map_err(|_| Reject::unknown_model("?"))?;
    respond(state, caller, Some(engine), body).await
}

async fn respond(state: Shared, caller: Caller, engine: Option<String>, body: Bytes) -> Result<Response, Reject> {
    let shared = state.clone();
    let read = turn::begin(&state, move || {
        EmbeddingRequest::read(&shared, &caller, engine.as_deref(), &body).map(Computation::new)
    });
    let mut computation = read.await??;
    let encoding = computation.request.space.encoding();
    // The first text waits for the encoding to be loaded, which takes longer than a turn.
    turn::run_blocking(move || encoding.count("a")).await?;
    while !computation.is_counted() {
        let more = turn::resume(&state, move || computation.count().map(|()| computation));
        computation = tokio::select! {
            more = more => more??,
            () = state.stopped() => return Err(Reject::stopping()),
        };
    }
    let made = turn::resume(&state, move || (computation.next_part(), computation));
    let (first, computation) = made.await?;
    let headers = headers::of_model(&computation.request.dated, computation.tokens);
    let kind = [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))];
    let token_usage = Extension(TokenUsage::prompt(computation.tokens));
    let body =
        if computation.ended { Body::from(first) } else { Body::from_stream(body_stream(state, computation, first)) };
    Ok((headers, token_usage, kind, body).into_response())
}

/// Returns the parts of an answer, computed as they are read. Ends early with an error when the service is stopping.
fn body_stream(state: Shared, computation: Computation, first: Vec<u8>) -> impl Stream<Item = io::Result<Vec<u8>>> {
    let rest = stream::try_unfold((state, computation), |(state, computation)| async move {
        if computation.ended {
            return Ok(None);
        }
        let made = tokio::select! {
            made = compute_part(&state, computation) => made,
            () = state.stopped() => Err(io::Error::other("the service is stopping")),
        };
        made.map(|(piece, computation)| Some((piece, (state, computation))))
    });
    stream::iter([Ok(first)]).chain(rest)
}

/// Computes the next part in a turn of its own.
async fn compute_part(state: &Shared, mut computation: Computation) -> io::Result<(Vec<u8>, Computation)> {
    let made = turn::resume(state, move || (computation.next_part(), computation));
    made.await.map_err(|why| io::Error::other(why.message))
}

/// A request whose every field is in range.
struct EmbeddingRequest {
    dated: String,
    space: Space,
    texts: Vec<String>,
    /// Tokens of each text, if they were sent as tokens.
    lengths: Option<Vec<u64>>,
    context: u64,
    size: usize,
    base64: bool,
}

impl EmbeddingRequest {
    fn read(state: &Shared, caller: &Caller, engine: Option<&str>, body: &[u8]) -> Result<Self, Reject> {
        let map = check::body(body)?;
        let fields = Fields::of(&map);
        fields.refuse_unknown(&FIELDS)?;
        let named = fields.model()?;
        let id = match (engine, named) {
            (Some(_), Some(_)) => return Err(Reject::bad("Cannot specify both model and engine")),
            (engine, named) => engine.or(named).ok_or_else(Reject::no_model)?,
        };
        let model = models::find(state, caller, id).ok_or_else(|| Reject::unknown_model(id))?;
        let space =
            catalogue::find(id).and_then(|entry| Space::of(entry.id)).filter(|_| model.supports(Kind::Embedding));
        let space = space.ok_or_else(|| {
            Reject::new(StatusCode::FORBIDDEN, "You are not allowed to generate embeddings from this model")
        })?;
        fields.text("user")?;
        let base64 = encoding_format(&fields)?;
        let size = dimensions(&fields, space)?;
        fields.require("input")?;
        let input = Input::read(&fields, "input", ENTRIES)?.ok_or_else(Reject::fault)?;
        let (texts, lengths) = texts(input, space, model.context)?;
        Ok(Self { dated: model.dated, space, texts, lengths, context: model.context, size, base64 })
    }
}

/// Reads whether vectors are sent as base64; fails for an unknown format.
fn encoding_format(fields: &Fields<'_>) -> Result<bool, Reject> {
    match fields.text("encoding_format")? {
        None | Some("float") => Ok(false),
        Some("base64") => Ok(true),
        Some(other) => {
            let value = Value::from(other);
            Err(check::not_one_of(&value, &["float", "base64"], "encoding_format"))
        }
    }
}

/// Reads the length of the vectors. Fails if it is out of range or the model does not support shorter vectors.
fn dimensions(fields: &Fields<'_>, space: Space) -> Result<usize, Reject> {
    let asked = fields.integer("dimensions", 1, space.size() as i64)?;
    if asked.is_some() && !space.shortens() {
        return Err(Reject::bad("This model does not support specifying dimensions."));
    }
    Ok(asked.map_or(space.size(), |asked| asked as usize))
}

/// Returns the texts of a request, and the tokens of each where they were sent as tokens. Fails if one is empty or
/// certainly too long for the model's context, by its length alone.
fn texts(input: Input, space: Space, context: u64) -> Result<(Vec<String>, Option<Vec<u64>>), Reject> {
    let several = matches!(&input, Input::Texts(texts) if texts.len() > 1)
        || matches!(&input, Input::Tokens(lists) if lists.len() > 1);
    let path = |at: usize| if several { format!("input.{at}") } else { "input".into() };
    match input {
        Input::Texts(texts) => {
            for (at, text) in texts.iter().enumerate() {
                if text.is_empty() {
                    return Err(check::too_short(&Value::from(""), &path(at)));
                }
                let least = Encoding::least(text.len());
                if least > context {
                    return Err(too_long(&format!("at least {least}"), context));
                }
            }
            Ok((texts, None))
        }
        Input::Tokens(lists) => {
            let mut texts = Vec::with_capacity(lists.len());
            for (at, ids) in lists.iter().enumerate() {
                if ids.len() as u64 > context {
                    return Err(too_long(&ids.len().to_string(), context));
                }
                let text = space.encoding().decode(ids);
                texts.push(text.map_err(|why| check::not_type(&Value::from(why.0), "token id", &path(at)))?);
            }
            Ok((texts, Some(lists.iter().map(|ids| ids.len() as u64).collect())))
        }
    }
}

fn too_long(tokens: &str, context: u64) -> Reject {
    Reject::bad(format!(
        "This model's maximum context length is {context} tokens, however you requested {tokens} tokens ({tokens} in \
         your prompt; 0 for the completion). Please reduce your prompt; or completion length."
    ))
}

/// An answer that is being computed.
struct Computation {
    request: EmbeddingRequest,
    /// Tokens of the texts that are counted.
    tokens: u64,
    /// The text that is being counted, the bytes of it that are counted, and their tokens.
    counting: (usize, usize, u64),
    /// Texts that are being embedded, and the one after them.
    reading: VecDeque<Reading>,
    next: usize,
    /// Texts whose vectors are written.
    written: usize,
    ended: bool,
}

impl Computation {
    fn new(request: EmbeddingRequest) -> Self {
        let (tokens, counted) = request.lengths.as_ref().map_or((0, 0), |all| (all.iter().sum(), all.len()));
        Self { request, tokens, counting: (counted, 0, 0), reading: VecDeque::new(), next: 0, written: 0, ended: false }
    }

    fn is_counted(&self) -> bool {
        self.counting.0 == self.request.texts.len()
    }

    /// Counts tokens for the length of a turn; fails at a text that is too long for the model's context.
    fn count(&mut self) -> Result<(), Reject> {
        let EmbeddingRequest { texts, space, context, .. } = &self.request;
        let (at, from, tokens) = &mut self.counting;
        let mut read = 0;
        while let Some(text) = texts.get(*at)
            && read < TURN
        {
            let (more, rest) = space.encoding().count_some(&text[*from..]);
            read += text.len() - rest.len() - *from;
            *from = text.len() - rest.len();
            *tokens += more;
            if rest.is_empty() {
                if *tokens > *context {
                    return Err(too_long(&tokens.to_string(), *context));
                }
                self.tokens += *tokens;
                (*at, *from, *tokens) = (*at + 1, 0, 0);
            } else if *tokens > *context && text.len() > COUNTED_FULLY {
                return Err(too_long(&format!("at least {tokens}"), *context));
            }
        }
        Ok(())
    }

    /// Returns the next bytes of the answer.
    fn next_part(&mut self) -> Vec<u8> {
        let request = &self.request;
        let mut out = Vec::new();
        if self.written == 0 && self.reading.is_empty() {
            out.extend(b"{\"object\":\"list\",\"data\":[");
        }
        let model = sentence::model();
        let (mut windows, mut counts, mut pieces) = (Vec::new(), Vec::new(), 0);
        while pieces < PIECES && counts.len() * request.size < NUMBERS {
            if counts.len() == self.reading.len() {
                let Some(text) = request.texts.get(self.next) else { break };
                self.reading.push_back(request.space.begin(&model, text));
                self.next += 1;
            }
            let some = self.reading[counts.len()].next(PIECES - pieces);
            if some.is_empty() {
                break;
            }
            pieces += some.iter().map(Vec::len).sum::<usize>();
            counts.push(some.len());
            windows.extend(some);
        }
        let vectors = model.vectors(&windows);
        let mut rest = vectors.as_slice();
        for (reading, count) in self.reading.iter_mut().zip(counts) {
            let (own, behind) = rest.split_at(count);
            reading.read(own);
            rest = behind;
        }
        while let Some(reading) = self.reading.pop_front_if(|reading| reading.is_done()) {
            if self.written > 0 {
                out.push(b',');
            }
            write_entry(request, self.written, &reading, &mut out);
            self.written += 1;
        }
        if self.written == request.texts.len() {
            let (model, tokens) = (Value::from(request.dated.as_str()), self.tokens);
            let usage = format!("{{\"prompt_tokens\":{tokens},\"total_tokens\":{tokens}}}");
            out.extend(format!("],\"model\":{model},\"usage\":{usage}}}").into_bytes());
            self.ended = true;
        }
        out
    }
}

/// Writes one entry of the list.
fn write_entry(request: &EmbeddingRequest, index: usize, reading: &Reading, out: &mut Vec<u8>) {
    let vector = request.space.end(reading, request.size);
    out.extend(format!("{{\"object\":\"embedding\",\"index\":{index},\"embedding\":").into_bytes());
    if request.base64 {
        let mut bytes = Vec::with_capacity(size_of_val(&*vector));
        append_floats(&mut bytes, &vector);
        out.push(b'"');
        out.extend(STANDARD.encode(bytes).into_bytes());
        out.push(b'"');
    } else {
        serde_json::to_writer(&mut *out, &vector).expect("finite numbers are written to memory");
    }
    out.push(b'}');
}
