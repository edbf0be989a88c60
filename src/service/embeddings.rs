//! `POST /v1/embeddings`, also as `POST /v1/engines/{id}/embeddings`.
//!
//! An answer can be hundreds of megabytes long: it is made in pieces, each only when the reader has taken the one
//! before. Memory is bounded by the request's body and one piece, and a slow reader holds no turn at the engine.

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

use super::body::Whole;
use super::caller::Caller;
use super::check::{self, Fields};
use super::headers;
use super::input::Input;
use super::models;
use super::reject::Reject;
use super::state::State as Shared;
use super::turn;
use crate::engine::catalogue::{self, Kind};
use crate::engine::embed::Space;

/// Entries of `input`.
const ENTRIES: usize = 2048;
/// A piece of an answer ends with the first vector after this many bytes.
const PIECE: usize = 1 << 18;
/// A turn at the engine ends with the first vector after this many bytes of text.
const TURN: usize = 1 << 16;
/// Fields a request may have.
const KNOWN: [&str; 5] = ["model", "input", "encoding_format", "dimensions", "user"];

/// The routes.
pub(super) fn routes() -> Router<Shared> {
    Router::new().route("/v1/embeddings", post(create)).route("/v1/engines/{id}/embeddings", post(create_of_engine))
}

async fn create(
    State(state): State<Shared>,
    Extension(caller): Extension<Caller>,
    Whole(body): Whole,
) -> Result<Response, Reject> {
    answer(state, caller, None, body).await
}

async fn create_of_engine(
    State(state): State<Shared>,
    Extension(caller): Extension<Caller>,
    engine: Result<Path<String>, PathRejection>,
    Whole(body): Whole,
) -> Result<Response, Reject> {
    // A name that is not UTF-8 once decoded is no model's.
    let Path(engine) = engine.map_err(|_| Reject::unknown_model("?"))?;
    answer(state, caller, Some(engine), body).await
}

async fn answer(state: Shared, caller: Caller, engine: Option<String>, body: Bytes) -> Result<Response, Reject> {
    let shared = state.clone();
    let read = turn::begin(&state, move || {
        let ask = Ask::read(&shared, &caller, engine.as_deref(), &body)?;
        let mut work = Work { ask, next: 0, ended: false };
        let first = work.piece();
        Ok((work, first))
    });
    let (work, first) = read.await??;
    let headers = headers::of_model(&work.ask.dated, work.ask.tokens);
    let kind = [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))];
    let body = if work.ended { Body::from(first) } else { Body::from_stream(pieces(state, work, first)) };
    Ok((headers, kind, body).into_response())
}

/// The rest of an answer, made as it is read. Ends early with an error when the service stops.
fn pieces(state: Shared, work: Work, first: Vec<u8>) -> impl Stream<Item = io::Result<Vec<u8>>> {
    let rest = stream::try_unfold((state, work), |(state, work)| async move {
        if work.ended {
            return Ok(None);
        }
        let made = tokio::select! {
            made = more(&state, work) => made,
            () = state.stopped() => Err(io::Error::other("the service stops")),
        };
        made.map(|(piece, work)| Some((piece, (state, work))))
    });
    stream::iter([Ok(first)]).chain(rest)
}

/// The next piece, made at a turn of its own.
async fn more(state: &Shared, mut work: Work) -> io::Result<(Vec<u8>, Work)> {
    let made = turn::go_on(state, move || (work.piece(), work));
    made.await.map_err(|why| io::Error::other(why.message))
}

/// A request whose every field is in range.
struct Ask {
    dated: String,
    space: Space,
    texts: Vec<String>,
    tokens: u64,
    size: usize,
    base64: bool,
}

impl Ask {
    fn read(state: &Shared, caller: &Caller, engine: Option<&str>, body: &[u8]) -> Result<Self, Reject> {
        let map = check::body(body)?;
        let fields = Fields::of(&map);
        fields.no_others(&KNOWN)?;
        let named = fields.model()?;
        let id = match (engine, named) {
            (Some(_), Some(_)) => return Err(Reject::bad("Cannot specify both model and engine")),
            (engine, named) => engine.or(named).ok_or_else(Reject::no_model)?,
        };
        let model = models::find(state, caller, id).ok_or_else(|| Reject::unknown_model(id))?;
        let space = catalogue::find(id).and_then(|entry| Space::of(entry.id)).filter(|_| model.takes(Kind::Embedding));
        let space = space.ok_or_else(|| {
            Reject::new(StatusCode::FORBIDDEN, "You are not allowed to generate embeddings from this model")
        })?;
        fields.text("user")?;
        let base64 = encoding_format(&fields)?;
        let size = dimensions(&fields, space)?;
        fields.need("input")?;
        let input = Input::read(&fields, "input", ENTRIES)?.ok_or_else(Reject::fault)?;
        let (texts, tokens) = texts(input, space, model.context)?;
        Ok(Self { dated: model.dated, space, texts, tokens, size, base64 })
    }
}

/// Whether vectors are sent as base64.
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

/// Numbers of a vector as asked for.
fn dimensions(fields: &Fields<'_>, space: Space) -> Result<usize, Reject> {
    let asked = fields.whole("dimensions", 1, space.size() as i64)?;
    if asked.is_some() && !space.shortens() {
        return Err(Reject::bad("This model does not support specifying dimensions."));
    }
    Ok(asked.map_or(space.size(), |asked| asked as usize))
}

/// The texts of a request and how many tokens they have together; each must fit the model's context.
fn texts(input: Input, space: Space, context: u64) -> Result<(Vec<String>, u64), Reject> {
    let encoding = space.encoding();
    let mut tokens = 0;
    let mut fits = |count: u64| {
        tokens += count;
        if count <= context { Ok(()) } else { Err(too_long(count, context)) }
    };
    let texts = match input {
        Input::Texts(texts) => {
            let several = texts.len() > 1;
            for (at, text) in texts.iter().enumerate() {
                if text.is_empty() {
                    let path = if several { format!("input.{at}") } else { "input".into() };
                    return Err(check::too_short(&Value::from(""), &path));
                }
                fits(encoding.count(text))?;
            }
            texts
        }
        Input::Tokens(lists) => {
            let several = lists.len() > 1;
            let mut texts = Vec::with_capacity(lists.len());
            for (at, ids) in lists.iter().enumerate() {
                fits(ids.len() as u64)?;
                texts.push(encoding.decode(ids).map_err(|why| {
                    let path = if several { format!("input.{at}") } else { "input".into() };
                    check::not_type(&Value::from(why.0), "token id", &path)
                })?);
            }
            texts
        }
    };
    Ok((texts, tokens))
}

fn too_long(tokens: u64, context: u64) -> Reject {
    Reject::bad(format!(
        "This model's maximum context length is {context} tokens, however you requested {tokens} tokens ({tokens} in \
         your prompt; 0 for the completion). Please reduce your prompt; or completion length."
    ))
}

/// An answer on its way.
struct Work {
    ask: Ask,
    next: usize,
    ended: bool,
}

impl Work {
    /// The next bytes of the answer.
    fn piece(&mut self) -> Vec<u8> {
        let ask = &self.ask;
        let mut out = Vec::new();
        if self.next == 0 {
            out.extend(b"{\"object\":\"list\",\"data\":[");
        }
        let mut read = 0;
        while self.next < ask.texts.len() && out.len() < PIECE && read < TURN {
            if self.next > 0 {
                out.push(b',');
            }
            read += ask.texts[self.next].len();
            item(ask, self.next, &mut out);
            self.next += 1;
        }
        if self.next == ask.texts.len() {
            let (model, tokens) = (Value::from(ask.dated.as_str()), ask.tokens);
            let usage = format!("{{\"prompt_tokens\":{tokens},\"total_tokens\":{tokens}}}");
            out.extend(format!("],\"model\":{model},\"usage\":{usage}}}").into_bytes());
            self.ended = true;
        }
        out
    }
}

/// Writes one entry of the list.
fn item(ask: &Ask, index: usize, out: &mut Vec<u8>) {
    let vector = ask.space.shortened(&ask.texts[index], ask.size);
    out.extend(format!("{{\"object\":\"embedding\",\"index\":{index},\"embedding\":").into_bytes());
    if ask.base64 {
        let bytes: Vec<u8> = vector.iter().flat_map(|number| number.to_le_bytes()).collect();
        out.push(b'"');
        out.extend(STANDARD.encode(bytes).into_bytes());
        out.push(b'"');
    } else {
        serde_json::to_writer(&mut *out, &vector).expect("finite numbers are written to memory");
    }
    out.push(b'}');
}
