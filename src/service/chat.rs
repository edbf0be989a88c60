//! `POST /v1/chat/completions`, whole and streamed.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};

use super::ask::Ask;
use super::body::Whole;
use super::caller::Caller;
use super::generate;
use super::heading::Heading;
use super::json_object;
use super::models;
use super::reject::Reject;
use super::state::State as Shared;
use super::stream::Form;
use super::{headers, logprobs, stream, voice};
use crate::api::chat::{ChatChoice, ChatCompletion, ChatDelta};
use crate::engine::catalogue::Kind;
use crate::tokens::Encoding;

/// Handles the route. Fails if a field is wrong, the model is unknown or no chat model, or the messages are too long.
pub(super) async fn create(
    State(state): State<Shared>,
    Extension(caller): Extension<Caller>,
    Whole(body): Whole,
) -> Result<Response, Reject> {
    let ask = Ask::read(&body)?;
    let model = models::find(&state, &caller, &ask.model).ok_or_else(|| Reject::unknown_model(&ask.model))?;
    if !model.takes(Kind::Chat) {
        let message = "This is not a chat model and thus not supported in the v1/chat/completions endpoint. Did you \
                       mean to use v1/completions?";
        return Err(Reject::new(StatusCode::NOT_FOUND, message).param("model"));
    }
    // What is certainly too long is not counted.
    let least = Encoding::least(ask.messages.iter().map(|message| message.content.len()).sum());
    if least > model.context {
        let what =
            format!("your messages resulted in at least {least} tokens. Please reduce the length of the messages.");
        return Err(too_long(model.context, &what));
    }
    // Counting loads the model when it is first needed: not on a thread that serves sockets.
    let (shared, source) = (state.clone(), model.source.clone());
    let counted = tokio::task::spawn_blocking(move || {
        let engine = source.load(&shared)?;
        let prompt_tokens = engine.count_prompt(&voice::prompt(&ask));
        Ok((engine, ask, prompt_tokens))
    });
    let (engine, ask, prompt_tokens) = counted.await.map_err(|_| Reject::fault())??;
    let most = room(prompt_tokens, ask.max_tokens, model.context)?;
    let heading = Heading::new("chatcmpl-", model.dated, prompt_tokens);
    let headers = headers::of_model(&heading.model, prompt_tokens + ask.max_tokens.unwrap_or(16) * u64::from(ask.n));
    let mut pieces = generate::start(&state, engine, voice::order(&ask, most))?;
    if ask.is_object {
        pieces = json_object::wrap(ask.n, pieces);
    }
    if ask.stream {
        let form = Form::Chat { logprobs: ask.logprobs.is_some() };
        return Ok(stream::response(headers, heading, form, (ask.n, ask.include_usage), pieces, state.stopped()));
    }
    let choices = tokio::select! {
        choices = generate::gather(ask.n, pieces) => choices?,
        () = state.stopped() => return Err(Reject::stopping()),
    };
    heading.spent.wrote(choices.iter().map(|choice| choice.end.tokens).sum());
    let spent = Extension(heading.spent.clone());
    Ok((headers, spent, Json(whole(heading, &ask, choices))).into_response())
}

fn whole(heading: Heading, ask: &Ask, choices: Vec<generate::Whole>) -> ChatCompletion {
    let usage = heading.usage(choices.iter().map(|choice| choice.end.tokens).sum());
    let choices = (0..).zip(choices).map(|(index, choice)| ChatChoice {
        message: ChatDelta { role: Some("assistant".into()), content: Some(choice.text), ..ChatDelta::default() },
        logprobs: ask.logprobs.map(|_| logprobs::entries(&choice.tokens)),
        finish_reason: Some(choice.end.word().to_owned()),
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
fn room(prompt: u64, asked: Option<u64>, context: u64) -> Result<u64, Reject> {
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
        assert_eq!(room(97, None, 4097).ok(), Some(4000));
        assert_eq!(room(97, Some(4000), 4097).ok(), Some(4000));
        assert_eq!(room(4096, None, 4097).ok(), Some(1));
        let over = room(4012, Some(256), 4097).unwrap_err();
        assert_eq!(
            over.message,
            "This model's maximum context length is 4097 tokens. However, you requested 4268 tokens (4012 in the \
             messages, 256 in the completion). Please reduce the length of the messages or completion."
        );
        let over = room(4294, None, 4097).unwrap_err();
        assert_eq!(
            over.message,
            "This model's maximum context length is 4097 tokens. However, your messages resulted in 4294 tokens. \
             Please reduce the length of the messages."
        );
        assert_eq!((over.param, over.code), (Some("messages"), Some("context_length_exceeded")));
        assert!(room(4097, None, 4097).is_err(), "an answer needs a token");
        assert!(room(1, Some(u64::from(u32::MAX)), 4097).is_err());
    }
}
