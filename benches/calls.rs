//! What the calls of the Moderate and Embed tabs cost through real HTTP, client and local service in one process:
//! `cargo bench --bench calls`. Items are texts; of the chat, answers.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use std::sync::Arc;

use benchtop::api::call::{Call, Progress, Reply, Ticket};
use benchtop::api::chat::{ChatMessage, ChatRequest};
use benchtop::api::completion::Prompt;
use benchtop::api::embedding::EmbeddingRequest;
use benchtop::api::moderation::{ModerationRequest, Texts};
use benchtop::client::Client;
use benchtop::service::{Keys, Options, start};
use benchtop::settings::Endpoint;
use divan::Bencher;
use divan::counter::ItemsCount;
use tokio::runtime::Runtime;

const KEY: &str = "sk-bench";

fn main() {
    divan::main();
}

fn text(at: usize) -> String {
    format!("Row {at}: the shop on the corner no longer takes old batteries back, so bring them to the town hall.")
}

fn moderation(first: usize, count: usize) -> Call {
    let input = Texts::Many((first..first + count).map(text).collect());
    Call::Moderate(Box::new(ModerationRequest { input, model: None }))
}

fn embedding(first: usize, count: usize, format: Option<&str>) -> Call {
    let input = Prompt::Texts((first..first + count).map(text).collect());
    Call::Embed(Box::new(EmbeddingRequest {
        model: "text-embedding-3-small".into(),
        input,
        encoding_format: format.map(str::to_owned),
        dimensions: None,
        user: None,
    }))
}

fn chat() -> Call {
    let message =
        ChatMessage { role: "user".into(), content: "Tell me about the harbour.".into(), ..ChatMessage::default() };
    Call::Chat(Box::new(ChatRequest {
        model: "gpt-3.5-turbo".into(),
        messages: vec![message],
        stream: Some(true),
        max_tokens: Some(64),
        seed: Some(1),
        ..ChatRequest::default()
    }))
}

/// Makes calls, so many under way at a time, until all have ended; gives how many texts were answered. With a chat,
/// that is the first call, and its end ends all.
async fn run(endpoint: &Arc<Endpoint>, mut calls: impl Iterator<Item = Call>, under_way: usize, chat: bool) -> usize {
    let (client, mut news) = Client::spawn();
    let (mut next, mut open, mut texts) = (0, 0, 0);
    let mut more = |open: &mut usize| {
        if let Some(call) = calls.next() {
            client.call(Ticket(next), Arc::clone(endpoint), call);
            next += 1;
            *open += 1;
        }
    };
    (0..under_way).for_each(|_| more(&mut open));
    while open > 0 {
        match news.recv().await.unwrap() {
            (_, Progress::Reply(Reply::Moderation(answer))) => texts += answer.results.len(),
            (_, Progress::Reply(Reply::Embeddings(answer))) => texts += answer.data.len(),
            (ticket, Progress::Closed(end)) => {
                assert_eq!(end, Ok(()));
                if chat && ticket == Ticket(0) {
                    return texts;
                }
                open -= 1;
                more(&mut open);
            }
            _ => {}
        }
    }
    texts
}

/// Calls `each` in a runtime with a service that has answered once.
fn bench(bencher: Bencher<'_, '_>, items: usize, each: impl Fn(&Runtime, &Arc<Endpoint>) -> usize) {
    let runtime = Runtime::new().unwrap();
    let options = Options { keys: Some(Keys::single(KEY.to_owned().into())), ..Options::default() };
    let service = runtime.block_on(start(options)).unwrap();
    let endpoint = Arc::new(Endpoint::new(service.base_url(), Some(KEY.to_owned().into())));
    runtime.block_on(run(&endpoint, [chat(), moderation(0, 1), embedding(0, 1, None)].into_iter(), 3, false));
    bencher.counter(ItemsCount::new(items)).bench_local(|| each(&runtime, &endpoint));
}

/// A file of 2,000 rows with 8 requests under way, so many rows each.
#[divan::bench(sample_count = 5, sample_size = 1, args = [1, 32])]
fn moderate_2000(bencher: Bencher<'_, '_>, each: usize) {
    bench(bencher, 2000, |runtime, endpoint| {
        let done = runtime.block_on(run(
            endpoint,
            (0..2000).step_by(each).map(|at| moderation(at, each.min(2000 - at))),
            8,
            false,
        ));
        assert_eq!(done, 2000);
        done
    });
}

/// A file of 10,000 texts with 4 requests of 128 texts under way.
#[divan::bench(sample_count = 5, sample_size = 1, args = ["base64", "float"])]
fn embed_10000(bencher: Bencher<'_, '_>, format: &str) {
    bench(bencher, 10_000, |runtime, endpoint| {
        let calls = (0..10_000).step_by(128).map(|at| embedding(at, 128.min(10_000 - at), Some(format)));
        let done = runtime.block_on(run(endpoint, calls, 4, false));
        assert_eq!(done, 10_000);
        done
    });
}

/// A chat answer of 64 tokens, alone and beside runs that never end.
#[divan::bench(sample_count = 10, sample_size = 1, args = ["alone", "beside moderation", "beside long moderation", "beside embedding"])]
fn chat_of_64_tokens(bencher: Bencher<'_, '_>, beside: &str) {
    bench(bencher, 1, |runtime, endpoint| {
        let calls: Box<dyn Iterator<Item = Call>> = match beside {
            "beside moderation" => Box::new((0..).step_by(32).map(|at| moderation(at, 32))),
            "beside long moderation" => Box::new((0..).step_by(2048).map(|at| moderation(at, 2048))),
            "beside embedding" => Box::new((0..).step_by(128).map(|at| embedding(at, 128, None))),
            _ => Box::new(std::iter::empty()),
        };
        let under_way = if beside == "beside embedding" { 5 } else { 9 };
        runtime.block_on(run(endpoint, std::iter::once(chat()).chain(calls), under_way, true))
    });
}
