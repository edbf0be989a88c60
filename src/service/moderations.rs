//! `POST /v1/moderations`.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use axum::{Extension, Json, Router};
use serde_json::{Map, Value};

use super::body::RawBody;
use super::caller::Caller;
use super::check::{self, Fields};
use super::metrics::TokenUsage;
use super::reject::Reject;
use super::state::State as Shared;
use super::{headers, models, secret, turn};
use crate::api::moderation::{Moderation, ModerationResult};
use crate::engine::catalogue::Kind;
use crate::engine::moderate::{Category, ScoringProgress, Verdict};
use crate::tokens::{self, Estimate};

/// Texts of one request.
const MAX_TEXTS: usize = 2048;
/// Bytes of short texts that are scored in one turn: some ten milliseconds.
const TURN: usize = 2 << 10;
/// Bytes whose tokens are counted in one turn: some milliseconds.
const COUNTED: usize = 1 << 18;
/// The model if none is named.
const DEFAULT: &str = "text-moderation-latest";
/// Model names of newer clients and the model that answers for them.
const NEWER: [(&str, &str); 3] =
    [("omni-moderation-latest", DEFAULT), ("omni-moderation-2024-09-26", DEFAULT), ("text-moderation-007", DEFAULT)];

/// Returns the routes.
pub(super) fn routes() -> Router<Shared> {
    Router::new().route("/v1/moderations", post(create))
}

async fn create(
    State(state): State<Shared>,
    Extension(caller): Extension<Caller>,
    RawBody(body): RawBody,
) -> Result<(HeaderMap, Extension<TokenUsage>, Json<Moderation>), Reject> {
    let shared = state.clone();
    let read = turn::begin(&state, move || {
        let request = ModerationRequest::read(&shared, &caller, &body)?;
        let mut computation = Computation::new(request);
        computation.advance(&shared);
        Ok::<_, Reject>(computation)
    });
    let mut computation = read.await??;
    while !computation.is_done() {
        let shared = state.clone();
        let more = turn::resume(&state, move || {
            computation.advance(&shared);
            computation
        });
        computation = tokio::select! {
            more = more => more?,
            () = state.stopped() => return Err(Reject::stopping()),
        };
    }
    let Computation { request: ModerationRequest { dated, .. }, results, tokens, .. } = computation;
    let token_usage = Extension(TokenUsage::prompt(tokens));
    Ok((
        headers::of_model(&dated, tokens),
        token_usage,
        Json(Moderation { id: secret::id("modr-"), model: dated, results }),
    ))
}

/// A request whose every field is in range.
struct ModerationRequest {
    dated: String,
    texts: Vec<String>,
}

impl ModerationRequest {
    fn read(state: &Shared, caller: &Caller, body: &[u8]) -> Result<Self, Reject> {
        let body = check::body(body)?;
        let fields = Fields::of(&body);
        let named = fields.text("model")?.unwrap_or(DEFAULT);
        let texts = texts(&fields)?;
        fields.refuse_unknown(&["input", "model"])?;
        let id = NEWER.iter().find(|(newer, _)| *newer == named).map_or(named, |(_, id)| id);
        let model = models::find(state, caller, id).ok_or_else(|| Reject::unknown_model(named))?;
        if !model.supports(Kind::Moderation) {
            let message = "This is not a moderation model and thus not supported in the v1/moderations endpoint. Did \
                           you mean to use text-moderation-latest?";
            return Err(Reject::new(StatusCode::NOT_FOUND, message).param("model"));
        }
        Ok(Self { dated: model.dated, texts })
    }
}

/// An answer that is being computed.
struct Computation {
    request: ModerationRequest,
    /// Of the first texts.
    results: Vec<ModerationResult>,
    /// Of the first texts.
    tokens: u64,
    /// Of the next text: bytes counted so far, and their tokens.
    counted: usize,
    count: Estimate,
    /// Progress of scoring that text.
    progress: ScoringProgress,
}

impl Computation {
    fn new(request: ModerationRequest) -> Self {
        let (results, progress) = (Vec::new(), ScoringProgress::default());
        Self { request, results, tokens: 0, counted: 0, count: Estimate::default(), progress }
    }

    fn is_done(&self) -> bool {
        self.results.len() == self.request.texts.len()
    }

    /// Counts and scores the next texts, or a part of the next one if it is long.
    fn advance(&mut self, state: &Shared) {
        let classifier = state.classifier();
        let texts = &self.request.texts[self.results.len()..];
        let mut bytes = 0;
        let short = |text: &&String| {
            bytes += text.len();
            bytes <= TURN
        };
        let short = &texts[..texts.iter().take_while(short).count()];
        if !short.is_empty() {
            self.tokens += short.iter().map(|text| tokens::estimate(text)).sum::<u64>();
            self.results.extend(classifier.judge_all(short).iter().map(result));
        } else if let Some(long) = texts.first() {
            if self.counted < long.len() {
                let end = long.floor_char_boundary(self.counted + COUNTED);
                self.count.add(&long[self.counted..end]);
                self.counted = end;
            } else if classifier.advance(&mut [(&mut self.progress, long)]) {
                self.tokens += std::mem::take(&mut self.count).tokens();
                self.counted = 0;
                self.results.push(result(&classifier.verdict(std::mem::take(&mut self.progress))));
            }
        }
    }
}

/// Returns the texts of `input`: one, several, or the text parts of newer clients, each scored by itself. Fails if
/// there are none or too many, or one is of another type.
fn texts(fields: &Fields<'_>) -> Result<Vec<String>, Reject> {
    let value = fields.require("input")?;
    let items = match value {
        Value::String(text) => return Ok(vec![text.clone()]),
        Value::Array(items) => items,
        other => return Err(check::no_shape(other, "input")),
    };
    if items.is_empty() {
        return Err(check::too_short(value, "input"));
    }
    if items.len() > MAX_TEXTS {
        let message = format!("Too many texts in one request: {}. Please send {MAX_TEXTS} at most.", items.len());
        return Err(Reject::bad(message).param("input"));
    }
    let item = |(at, item): (usize, &Value)| match item {
        Value::Object(map) => part(item, map, at),
        other => check::text(other, &format!("input.{at}")).map(str::to_owned),
    };
    items.iter().enumerate().map(item).collect()
}

/// Returns the text of a part `{"type": "text", "text": "…"}`; fails for other parts.
fn part(item: &Value, part: &Map<String, Value>, at: usize) -> Result<String, Reject> {
    let path = format!("input.{at}");
    let fields = Fields::at(item, path.clone())?;
    match part.get("type") {
        Some(Value::String(kind)) if kind == "text" => {
            check::text(fields.require("text")?, &fields.path("text")).map(str::to_owned)
        }
        Some(Value::String(kind)) if kind == "image_url" => {
            let message = "Images cannot be moderated here: the local service's model reads only text. Please send \
                           parts of type 'text'.";
            Err(Reject::bad(message).param("input"))
        }
        Some(other) => Err(check::not_one_of(other, &["text"], &fields.path("type"))),
        None => fields.require("type").map(|_| String::new()),
    }
}

/// Returns a verdict as the interface writes it.
fn result(verdict: &Verdict) -> ModerationResult {
    let name = |category: Category| category.name().to_owned();
    let all = Category::ALL.into_iter();
    ModerationResult {
        flagged: verdict.any(),
        categories: all.clone().map(|c| (name(c), Some(verdict.flagged(c)))).collect(),
        category_scores: all.map(|c| (name(c), Some(f64::from(verdict.score(c))))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_counted_in_parts() {
        let state = Shared::new("sk-test".into()).expect("a state in memory");
        let text = "荷物が届きません。".repeat(50_000);
        let tokens = tokens::estimate(&text) + tokens::estimate("late");
        let request = ModerationRequest { dated: String::new(), texts: vec![text, "late".into()] };
        let mut computation = Computation::new(request);
        computation.advance(&state);
        assert!(
            (1..computation.request.texts[0].len()).contains(&computation.counted),
            "{} bytes at one turn",
            computation.counted
        );
        while !computation.is_done() {
            computation.advance(&state);
        }
        assert_eq!((computation.tokens, computation.results.len()), (tokens, 2));
    }
}
