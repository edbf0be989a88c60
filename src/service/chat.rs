//! `POST /v1/chat/completions`, whole and streamed.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};

use super::body::RawBody;
use super::caller::Caller;
use super::chat_request::{ChatRequest, Role};
use super::generate::{self, CompleteChoice, GenerationRequest, Source};
use super::heading::Heading;
use super::json_object;
use super::models;
use super::reject::Reject;
use super::state::State as Shared;
use super::stream::ChunkKind;
use super::{headers, logprobs, stream};
use crate::api::chat::{ChatChoice, ChatCompletion, ChatDelta};
use crate::engine::catalogue::Kind;
use crate::engine::language::Prompt;
use crate::tokens::Encoding;

/// Handles the route. Fails if a field is wrong, the model is unknown or no chat model, or the messages are too long.
pub(super) async fn create(
    State(state): State<Shared>,
    Extension(caller): Extension<Caller>,
    RawBody(body): RawBody,
) -> Result<Response, Reject> {
    let request = ChatRequest::read(&body)?;
    let model = models::find(&state, &caller, &request.model).ok_or_else(|| Reject::unknown_model(&request.model))?;
    if !model.supports(Kind::Chat) {
        let message = "This is not a chat model and thus not supported in the v1/chat/completions endpoint. Did you \
                       mean to use v1/completions?";
        return Err(Reject::new(StatusCode::NOT_FOUND, message).param("model"));
    }
    // What is certainly too long is not counted.
    let least = Encoding::least(request.messages.iter().map(|message| message.content.len()).sum());
    if least > model.context {
        let what =
            format!("your messages resulted in at least {least} tokens. Please reduce the length of the messages.");
        return Err(too_long(model.context, &what));
    }
    // Counting loads the model when it is first needed: not on a thread that serves sockets.
    let (shared, source) = (state.clone(), model.source.clone());
    let counted = tokio::task::spawn_blocking(move || {
        let engine = source.load(&shared)?;
        let prompt_tokens = engine.count_prompt(&prompt(&request));
        Ok((engine, request, prompt_tokens))
    });
    let (engine, request, prompt_tokens) = counted.await.map_err(|_| Reject::fault())??;
    let most = completion_limit(prompt_tokens, request.max_tokens, model.context)?;
    let heading = Heading::new("chatcmpl-", model.dated, prompt_tokens);
    let headers =
        headers::of_model(&heading.model, prompt_tokens + request.max_tokens.unwrap_or(16) * u64::from(request.n));
    let mut pieces = generate::start(&state, engine, generation(&request, most))?;
    if request.is_object {
        pieces = json_object::wrap(request.n, pieces);
    }
    if request.stream {
        let kind = ChunkKind::Chat { logprobs: request.logprobs.is_some() };
        return Ok(stream::response(
            headers,
            heading,
            kind,
            (request.n, request.include_usage),
            pieces,
            state.stopped(),
        ));
    }
    let choices = tokio::select! {
        choices = generate::collect_choices(request.n, pieces) => choices?,
        () = state.stopped() => return Err(Reject::stopping()),
    };
    heading.token_usage.add_completion(choices.iter().map(|choice| choice.end.tokens).sum());
    let token_usage = Extension(heading.token_usage.clone());
    Ok((headers, token_usage, Json(response_body(heading, &request, choices))).into_response())
}

/// Returns the conversation.
fn prompt(request: &ChatRequest) -> Prompt {
    let turns = request.messages.iter().map(|message| {
        let role = match message.role {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        (role.to_owned(), message.content.clone())
    });
    Prompt::Chat(turns.collect())
}

/// Returns the request for the answers to the conversation, each at most `most` tokens long.
fn generation(request: &ChatRequest, most: u64) -> GenerationRequest {
    GenerationRequest {
        sources: vec![Source::Chat(prompt(request))],
        each: request.n,
        sampling: request.sampling.to_engine(most, request.logprobs.unwrap_or(0)),
        seed: request.sampling.seed(),
        echo: false,
        logprobs: request.logprobs.is_some(),
    }
}

fn response_body(heading: Heading, request: &ChatRequest, choices: Vec<CompleteChoice>) -> ChatCompletion {
    let usage = heading.usage(choices.iter().map(|choice| choice.end.tokens).sum());
    let choices = (0..).zip(choices).map(|(index, choice)| ChatChoice {
        message: ChatDelta { role: Some("assistant".into()), content: Some(choice.text), ..ChatDelta::default() },
        logprobs: request.logprobs.map(|_| logprobs::entries(&choice.tokens)),
        finish_reason: Some(choice.end.finish_reason().to_owned()),
        index,
    });
    ChatCompletion {
        choices: choices.collect(),
        usage: Some(usage),
        id: heading.id,
        object: "chat.completion".into(),
        created: heading.created,
        model: heading.model,
    }
}

/// Returns how many tokens an answer may have. Fails, with the interface's words and code, if prompt and answer do not
/// fit into the context.
fn completion_limit(prompt: u64, asked: Option<u64>, context: u64) -> Result<u64, Reject> {
    let total = prompt + asked.unwrap_or(0);
    let what = match asked {
        _ if prompt < context && total <= context => return Ok(asked.unwrap_or(context - prompt)),
        None => format!("your messages resulted in {prompt} tokens. Please reduce the length of the messages."),
        Some(asked) => format!(
            "you requested {total} tokens ({prompt} in the messages, {asked} in the completion). Please reduce the \
             length of the messages or completion."
        ),
    };
    Err(too_long(context, &what))
}

fn too_long(context: u64, what: &str) -> Reject {
    let message = format!("This model's maximum context length is {context} tokens. However, {what}");
    Reject::bad(message).param("messages").code("context_length_exceeded")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_context_is_shared_by_prompt_and_answer() {
        assert_eq!(completion_limit(97, None, 4097).ok(), Some(4000));
        assert_eq!(completion_limit(97, Some(4000), 4097).ok(), Some(4000));
        assert_eq!(completion_limit(4096, None, 4097).ok(), Some(1));
        let over = completion_limit(4012, Some(256), 4097).unwrap_err();
        assert_eq!(
            over.message,
            "This model's maximum context length is 4097 tokens. However, you requested 4268 tokens (4012 in the \
             messages, 256 in the completion). Please reduce the length of the messages or completion."
        );
        let over = completion_limit(4294, None, 4097).unwrap_err();
        assert_eq!(
            over.message,
            "This model's maximum context length is 4097 tokens. However, your messages resulted in 4294 tokens. \
             Please reduce the length of the messages."
        );
        assert_eq!((over.param, over.code), (Some("messages"), Some("context_length_exceeded")));
        assert!(completion_limit(4097, None, 4097).is_err(), "an answer needs a token");
        assert!(completion_limit(1, Some(u64::from(u32::MAX)), 4097).is_err());
    }
}
