//! The real client and the real local service.

use std::collections::BTreeMap;

use benchtop::api::call::Call;
use benchtop::api::chat::{ChatMessage, ChatRequest};
use benchtop::api::completion::CompletionRequest;
use benchtop::client::Client;
use benchtop::service::{Keys, Options, Running, start};
use benchtop::settings::Endpoint;
use benchtop::tabs::generation::ResponseStream;
use benchtop::tabs::generation::tokens::token_ranges;

use crate::gather::{Said, complete, completion, echoing, gather, run, spelt};
use crate::server::{self, KEY};

const PROMPT: &str = "The harbour — 日本 — isn't \"far\":\n\tthree days";

async fn service() -> Running {
    start(Options { keys: Some(Keys::single(KEY.to_owned().into())), ..Options::default() }).await.unwrap()
}

/// Makes a call to the service; returns its answer.
async fn asked(service: &Running, call: Call, mut run: ResponseStream) -> (BTreeMap<u32, Said>, ResponseStream) {
    let endpoint = Endpoint::new(service.base_url(), Some(KEY.to_owned().into()));
    let (_client, mut news, _): (Client, _, _) = server::call(endpoint, call);
    let (said, end) = gather(&mut news, &mut run).await;
    assert_eq!(end, Ok(()));
    (said, run)
}

/// Checks that the tokens are the text, and where they stand in it.
fn whole(tokens: &[benchtop::record::Token], text: &str, most: usize) {
    assert_eq!(spelt(tokens), text);
    let mut at = 0;
    for (token, place) in tokens.iter().zip(token_ranges(tokens, text)) {
        assert!(place.start <= at && place.end >= at && !place.is_empty(), "{place:?} after {at} of {text:?}");
        at = place.end;
        assert!(token.top.len() <= most + 1 && token.top.is_sorted_by(|a, b| a.logprob >= b.logprob));
        assert!(token.logprob.is_none() || token.top.iter().any(|one| Some(one.logprob) == token.logprob) || most == 0);
    }
    assert_eq!(at, text.len());
}

#[tokio::test]
async fn best_of_five_with_probabilities_and_echo() {
    let service = service().await;
    let request = CompletionRequest {
        best_of: Some(5),
        n: Some(2),
        logprobs: Some(5),
        echo: Some(true),
        max_tokens: Some(24),
        seed: Some(7),
        ..completion(PROMPT, true)
    };
    let (said, run) = asked(&service, complete(request), echoing(PROMPT, "")).await;
    assert_eq!(said.keys().collect::<Vec<_>>(), [&0, &1]);
    let mean =
        |said: &Said| said.tokens.iter().filter_map(|token| token.logprob).sum::<f64>() / said.tokens.len() as f64;
    assert!(mean(&said[&0]) >= mean(&said[&1]) - 1e-6, "the best comes first");
    for said in said.values() {
        whole(&said.prompt, PROMPT, 5);
        whole(&said.tokens, &said.text, 5);
        assert!(!said.text.is_empty() && said.finish.is_some());
        assert!(said.prompt[0].logprob.is_none() && said.prompt[1..].iter().all(|token| token.logprob.is_some()));
        assert!(said.tokens.iter().all(|token| token.logprob.is_some()));
    }
    let prompt_tokens = run.usage.unwrap().prompt_tokens as usize;
    assert_eq!(said[&0].prompt.len(), prompt_tokens);
}

#[tokio::test]
async fn a_streamed_echo_with_a_suffix_comes_apart() {
    let service = service().await;
    for suffix in ["", " later, — 本 they went home.", "\n"] {
        for logprobs in [None, Some(0), Some(3)] {
            let request = CompletionRequest {
                n: Some(3),
                logprobs,
                echo: Some(true),
                suffix: (!suffix.is_empty()).then(|| suffix.to_owned()),
                max_tokens: Some(16),
                seed: Some(3),
                ..completion(PROMPT, true)
            };
            let plain = CompletionRequest { echo: None, stream: Some(false), ..request.clone() };
            let (echoed, run) = asked(&service, complete(request), echoing(PROMPT, suffix)).await;
            let (said, _) = asked(&service, complete(plain), self::run()).await;
            assert_eq!(echoed.len(), 3);
            for (index, echoed) in &echoed {
                assert_eq!(echoed.text, said[index].text, "{suffix:?} {logprobs:?} choice {index}");
                assert_eq!(echoed.finish, said[index].finish);
                if let Some(most) = logprobs {
                    whole(&echoed.prompt, PROMPT, most as usize);
                    whole(&echoed.tokens, &echoed.text, most as usize);
                    assert_eq!(echoed.tokens.len(), said[index].tokens.len());
                } else {
                    assert!(echoed.tokens.is_empty() && echoed.prompt.is_empty());
                }
            }
            assert!(run.usage.is_some(), "the service counts");
        }
    }
}

#[tokio::test]
async fn a_prompt_is_scored_without_a_word_written() {
    let service = service().await;
    for stream in [false, true] {
        let request = CompletionRequest {
            max_tokens: Some(0),
            logprobs: Some(1),
            echo: Some(true),
            ..completion(PROMPT, stream)
        };
        let (said, _) = asked(&service, complete(request), echoing(PROMPT, "")).await;
        assert_eq!((said[&0].text.as_str(), said[&0].tokens.len()), ("", 0));
        whole(&said[&0].prompt, PROMPT, 1);
    }
}

#[tokio::test]
async fn a_chat_tells_probabilities_too() {
    let service = service().await;
    for (stream, top_logprobs) in [(true, Some(20)), (false, Some(2)), (true, None)] {
        let message =
            ChatMessage { role: "user".into(), content: "How do I send a message?".into(), ..ChatMessage::default() };
        let request = ChatRequest {
            model: "gpt-3.5-turbo".into(),
            messages: vec![message],
            stream: Some(stream),
            max_tokens: Some(20),
            logprobs: Some(true),
            top_logprobs,
            ..ChatRequest::default()
        };
        let (said, _) = asked(&service, Call::Chat(Box::new(request)), run()).await;
        assert!(!said[&0].text.is_empty());
        whole(&said[&0].tokens, &said[&0].text, top_logprobs.unwrap_or(0) as usize);
        assert!(said[&0].tokens.iter().all(|token| token.top.len() == top_logprobs.unwrap_or(0) as usize));
    }
}
