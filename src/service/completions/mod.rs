//! `POST /v1/completions`, whole and streamed.

mod request;

use std::cmp::Ordering;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use axum::{Extension, Json, Router};

use super::body::RawBody;
use super::caller::Caller;
use super::generate::{self, CompleteChoice, GenerationRequest, Source};
use super::heading::Heading;
use super::input::Input;
use super::limits::{GATHERED, SCORED};
use super::models::{self, AvailableModel};
use super::reject::Reject;
use super::state::State as Shared;
use super::stream::ChunkKind;
use super::{headers, logprobs, stream};
use crate::api::completion::{Completion, CompletionChoice};
use crate::engine::catalogue::Kind;
use crate::engine::language::spelling;
use crate::tokens::Encoding;
use request::Request;

/// Returns the routes.
pub(super) fn routes() -> Router<Shared> {
    Router::new().route("/v1/completions", post(create))
}

async fn create(
    State(state): State<Shared>,
    Extension(caller): Extension<Caller>,
    RawBody(body): RawBody,
) -> Result<Response, Reject> {
    respond(state, &caller, Request::read(&body, None)?).await
}

/// Answers a body without a model, which the path names. Fails as a request for completions does.
pub(super) async fn create_for_engine(
    state: Shared,
    caller: &Caller,
    model: &str,
    body: &[u8],
) -> Result<Response, Reject> {
    respond(state, caller, Request::read(body, Some(model))?).await
}

async fn respond(state: Shared, caller: &Caller, request: Request) -> Result<Response, Reject> {
    let model = models::find(&state, caller, &request.model).ok_or_else(|| Reject::unknown_model(&request.model))?;
    writes_text(&model)?;
    // Loading the model and counting tokens: not on a thread that serves sockets.
    let (shared, source) = (state.clone(), model.source.clone());
    let read = tokio::task::spawn_blocking(move || {
        let engine = source.load(&shared)?;
        let (sources, prompt_tokens) = sources(&request, model.context)?;
        Ok((engine, request, sources, prompt_tokens))
    });
    let (engine, request, sources, prompt_tokens) = read.await.map_err(|_| Reject::fault())??;
    if !request.stream {
        check_total(&request, sources.len() as u64, prompt_tokens)?;
    }

    let choices = sources.len() as u32 * request.best_of;
    let mut heading = Heading::new("cmpl-", model.dated, prompt_tokens);
    heading.writes = request.max_tokens > 0;
    let headers = headers::of_model(&heading.model, prompt_tokens + request.max_tokens * u64::from(choices));
    let pieces = generate::start(&state, engine, generation(&request, sources))?;
    if request.stream {
        let kind = ChunkKind::Text { logprobs: request.logprobs };
        return Ok(stream::response(headers, heading, kind, (choices, request.include_usage), pieces, state.stopped()));
    }
    let choices = tokio::select! {
        choices = generate::collect_choices(choices, pieces) => choices?,
        () = state.stopped() => return Err(Reject::stopping()),
    };
    heading.token_usage.add_completion(choices.iter().map(|choice| choice.end.tokens).sum());
    let token_usage = Extension(heading.token_usage.clone());
    Ok((headers, token_usage, Json(response_body(heading, &request, choices))).into_response())
}

/// Fails for a model that cannot write completions.
fn writes_text(model: &AvailableModel) -> Result<(), Reject> {
    if model.supports(Kind::Completion) {
        return Ok(());
    }
    let message = if model.supports(Kind::Chat) {
        "This is a chat model and not supported in the v1/completions endpoint. Did you mean to use \
         v1/chat/completions?"
    } else if model.supports(Kind::Embedding) {
        "This is an embedding model and not supported in the v1/completions endpoint. Did you mean to use \
         v1/embeddings?"
    } else {
        "This is a moderation model and not supported in the v1/completions endpoint. Did you mean to use \
         v1/moderations?"
    };
    Err(Reject::new(StatusCode::NOT_FOUND, message).param("model"))
}

/// Returns the prompts as tokens, with the text after each gap, and how many tokens these are together. Fails if one
/// does not fit into the context.
fn sources(request: &Request, context: u64) -> Result<(Vec<Source>, u64), Reject> {
    // What is certainly too long is not counted.
    let prompts = if let Input::Texts(texts) = &request.prompt { texts.as_slice() } else { &[] };
    let longest = prompts.iter().chain([&request.suffix]).map(String::len).max().unwrap_or_default();
    let least = Encoding::least(longest);
    if least > context {
        return Err(Reject::bad(format!(
            "This model's maximum context length is {context} tokens, however you requested at least {least} tokens. \
             Please reduce your prompt; or completion length."
        )));
    }
    let after = spelling::tokens(&request.suffix);
    let mut all = 0;
    let source = |before: Vec<u32>| {
        // Before the text after the gap is copied: it may be as long as a body, and there may be many prompts.
        all += fit_context((before.len() + after.len()) as u64, request.max_tokens, context)?;
        Ok(Source::Text { before, after: after.clone() })
    };
    let sources: Result<_, Reject> = match &request.prompt {
        Input::Texts(texts) => texts.iter().map(|text| spelling::tokens(text)).map(source).collect(),
        Input::Tokens(lists) => lists.iter().cloned().map(source).collect(),
    };
    Ok((sources?, all))
}

/// Returns the tokens of a prompt; fails if it leaves no space for its completion.
fn fit_context(prompt: u64, most: u64, context: u64) -> Result<u64, Reject> {
    let total = prompt + most;
    if total <= context {
        return Ok(prompt);
    }
    Err(Reject::bad(format!(
        "This model's maximum context length is {context} tokens, however you requested {total} tokens ({prompt} in \
         your prompt; {most} for the completion). Please reduce your prompt; or completion length."
    )))
}

/// Fails for an answer that would take too much memory until it is complete.
fn check_total(request: &Request, prompts: u64, prompt_tokens: u64) -> Result<(), Reject> {
    let echoed = if request.echo { prompt_tokens } else { 0 };
    let total = (echoed + prompts * request.max_tokens) * u64::from(request.best_of);
    let most = if request.logprobs.is_some() { SCORED } else { GATHERED };
    if total <= most {
        return Ok(());
    }
    Err(Reject::bad(format!(
        "The choices of your request may have {total} tokens together, more than the {most} that an answer with \
         'logprobs' {} may have if it is not streamed. Please send fewer prompts, ask for fewer choices or less of \
         each, or set 'stream'.",
        request.logprobs.map_or_else(|| "null".into(), |most| most.to_string())
    )))
}

fn generation(request: &Request, sources: Vec<Source>) -> GenerationRequest {
    GenerationRequest {
        sources,
        each: request.best_of,
        sampling: request.sampling.to_engine(request.max_tokens, request.logprobs.unwrap_or(0)),
        seed: request.sampling.seed(),
        echo: request.echo,
        logprobs: request.logprobs.is_some(),
    }
}

fn response_body(heading: Heading, request: &Request, choices: Vec<CompleteChoice>) -> Completion {
    let usage = heading.usage(choices.iter().map(|choice| choice.end.tokens).sum());
    let (best_of, n) = (request.best_of as usize, request.n as usize);
    let mut best: Vec<CompleteChoice> = Vec::new();
    let mut choices = choices.into_iter().peekable();
    while choices.peek().is_some() {
        let mut of_prompt: Vec<_> = choices.by_ref().take(best_of).collect();
        if best_of > n {
            // Stable: of two equally good ones the first comes first.
            of_prompt.sort_by(|a, b| b.end.mean.partial_cmp(&a.end.mean).unwrap_or(Ordering::Equal));
            of_prompt.truncate(n);
        }
        best.extend(of_prompt);
    }
    let choices = (0..).zip(best).map(|(index, choice)| CompletionChoice {
        text: choice.text,
        index,
        logprobs: request.logprobs.map(|most| logprobs::columns(&choice.tokens, most)),
        finish_reason: Some(choice.end.finish_reason().to_owned()),
    });
    Completion {
        choices: choices.collect(),
        usage: Some(usage),
        id: heading.id,
        object: "text_completion".into(),
        created: heading.created,
        model: heading.model,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_prompt_shares_the_context_with_its_completion_alone() {
        assert_eq!(fit_context(2033, 16, 2049).ok(), Some(2033));
        let over = fit_context(2034, 16, 2049).unwrap_err();
        assert_eq!(
            over.message,
            "This model's maximum context length is 2049 tokens, however you requested 2050 tokens (2034 in your \
             prompt; 16 for the completion). Please reduce your prompt; or completion length."
        );
        assert_eq!((over.param, over.code), (None, None));
        assert!(fit_context(0, u64::from(u32::MAX), 2049).is_err());
    }
}
