//! The calls of the Moderate and Embed tabs: the real client against the real local service.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use std::sync::Arc;
use std::time::Duration;

use benchtop::api::call::{Call, Failure, FailureKind, Progress, Reply, Ticket};
use benchtop::api::chat::{ChatMessage, ChatRequest};
use benchtop::api::completion::Prompt;
use benchtop::api::embedding::{EmbeddingList, EmbeddingRequest};
use benchtop::api::moderation::{Moderation, ModerationRequest, Texts};
use benchtop::client::Client;
use benchtop::service::{Keys, Options, Running, start};
use benchtop::settings::Endpoint;
use serde_json::json;
use tokio::sync::mpsc;

/// How long anything may take before the test has failed: no pass depends on it.
const LIMIT: Duration = Duration::from_mins(10);
const KEY: &str = "sk-local-benches";
const ADA: &str = "text-embedding-ada-002";
const SMALL: &str = "text-embedding-3-small";

/// A client of a service of its own.
struct Desk {
    service: Running,
    client: Client,
    news: mpsc::Receiver<(Ticket, Progress)>,
    endpoint: Arc<Endpoint>,
}

impl Desk {
    async fn new() -> Self {
        let keys = Keys::single(KEY.to_owned().into());
        let service = start(Options { keys: Some(keys), ..Options::default() }).await.unwrap();
        let (client, news) = Client::spawn();
        let mut endpoint = Endpoint::new(service.base_url(), Some(KEY.to_owned().into()));
        // Without optimisation the models take longer than a client usually waits.
        (endpoint.headers_limit, endpoint.idle_limit) = (LIMIT, LIMIT);
        let endpoint = Arc::new(endpoint);
        Self { service, client, news, endpoint }
    }

    fn call(&self, ticket: u64, call: Call) {
        self.client.call(Ticket(ticket), Arc::clone(&self.endpoint), call);
    }

    async fn next(&mut self) -> (Ticket, Progress) {
        tokio::time::timeout(LIMIT, self.news.recv()).await.expect("news come").unwrap()
    }

    /// Makes a call; returns its only answer, or its failure.
    async fn answer(&mut self, call: Call) -> Result<Reply, Failure> {
        self.call(1, call);
        let mut reply = None;
        loop {
            match self.next().await.1 {
                Progress::Reply(found) => assert!(reply.replace(found).is_none(), "one answer"),
                Progress::Closed(end) => return end.map(|()| reply.expect("an answer")),
                Progress::Retrying { why, .. } => panic!("no retry is due: {why:?}"),
                _ => {}
            }
        }
    }

    async fn moderate(&mut self, input: Texts, model: Option<&str>) -> Result<Moderation, Failure> {
        let request = ModerationRequest { input, model: model.map(str::to_owned) };
        match self.answer(Call::Moderate(Box::new(request))).await? {
            Reply::Moderation(answer) => Ok(answer),
            other => panic!("{other:?}"),
        }
    }

    async fn embed(&mut self, request: EmbeddingRequest) -> Result<EmbeddingList, Failure> {
        match self.answer(Call::Embed(Box::new(request))).await? {
            Reply::Embeddings(answer) => Ok(answer),
            other => panic!("{other:?}"),
        }
    }
}

fn texts(texts: &[&str]) -> Texts {
    Texts::Many(texts.iter().map(|text| (*text).to_owned()).collect())
}

fn embedding(model: &str, input: Prompt) -> EmbeddingRequest {
    EmbeddingRequest { model: model.into(), input, encoding_format: None, dimensions: None, user: None }
}

/// Returns so many texts, a hundred of them different: their number is what counts, and equal ones are computed once.
fn many(count: usize) -> Vec<String> {
    (0..count).map(|at| format!("Text number {} of the list.", at % 100)).collect()
}

fn length(vector: &[f32]) -> f32 {
    vector.iter().map(|number| number * number).sum::<f32>().sqrt()
}

const CALM: &str = "How do I kill the process on port 8080?";
const THREAT: &str = "I am going to kill you tonight.";

#[tokio::test]
async fn one_text_several_and_none_are_moderated() {
    let mut desk = Desk::new().await;
    let one = desk.moderate(Texts::One(THREAT.into()), None).await.unwrap();
    let [result] = &one.results[..] else { panic!("{one:?}") };
    assert!(result.flagged && result.categories["violence"] == Some(true) && one.model == "text-moderation-004");
    assert_eq!((result.categories.len(), result.category_scores.len()), (7, 7));
    assert!(result.category_scores.values().all(|score| score.is_some_and(|score| (0.0..=1.0).contains(&score))));
    let several = desk.moderate(texts(&[CALM, "", THREAT]), Some("omni-moderation-latest")).await.unwrap();
    assert_eq!(several.results.iter().map(|one| one.flagged).collect::<Vec<_>>(), [false, false, true]);
    assert_eq!(&several.results[2], result, "the same in company");
    let why = desk.moderate(texts(&[]), None).await.unwrap_err();
    assert_eq!((why.kind, why.status), (FailureKind::Refused, Some(400)));
    assert!(why.sentence.contains("too short"), "{}", why.sentence.raw());
}

#[tokio::test]
async fn so_many_texts_are_moderated_at_once_and_no_more() {
    let mut desk = Desk::new().await;
    let mut list = many(2048);
    list[2000] = THREAT.into();
    let all = desk.moderate(Texts::Many(list), None).await.unwrap();
    assert_eq!(all.results.len(), 2048);
    assert!(all.results[2000].flagged && !all.results[1999].flagged);
    let why = desk.moderate(Texts::Many(many(2049)), None).await.unwrap_err();
    assert!(why.kind == FailureKind::Refused && why.sentence.contains("2048 at most"), "{}", why.sentence.raw());
}

#[tokio::test]
async fn a_wrong_model_is_refused_with_what_to_do() {
    let mut desk = Desk::new().await;
    for model in ["mod-9", "gpt-3.5-turbo"] {
        let why = desk.moderate(texts(&["a"]), Some(model)).await.unwrap_err();
        assert_eq!((why.kind, why.status), (FailureKind::Refused, Some(404)), "{model}");
        assert!(why.sentence.contains("choose another model"), "{}", why.sentence.raw());
    }
    for (model, status) in [("gpt-9", 404), ("gpt-3.5-turbo", 403), ("text-davinci-003", 403)] {
        let why = desk.embed(embedding(model, Prompt::Text("a".into()))).await.unwrap_err();
        assert_eq!((why.kind, why.status), (FailureKind::Refused, Some(status)), "{model}");
        assert!(why.sentence.contains("choose another model"), "{}", why.sentence.raw());
    }
}

#[tokio::test]
async fn one_text_and_several_are_embedded_the_same_in_each_form() {
    let mut desk = Desk::new().await;
    let one = desk.embed(embedding(ADA, Prompt::Text("hello world".into()))).await.unwrap();
    let [first] = &one.data[..] else { panic!("{one:?}") };
    assert_eq!((first.embedding.len(), one.model.as_str()), (1536, "text-embedding-ada-002-v2"));
    assert!((length(&first.embedding) - 1.0).abs() < 1e-4);
    assert_eq!((one.usage.prompt_tokens, one.usage.total_tokens), (2, 2));
    let both = Prompt::Texts(vec!["two".into(), "hello world".into()]);
    for format in [None, Some("float"), Some("base64")] {
        let asked = EmbeddingRequest { encoding_format: format.map(str::to_owned), ..embedding(ADA, both.clone()) };
        let list = desk.embed(asked).await.unwrap();
        assert_eq!(list.data.iter().map(|one| one.index).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(list.data[1].embedding, first.embedding, "{format:?}");
    }
    let tokens = desk.embed(embedding(ADA, Prompt::TokenLists(vec![vec![15339, 1917]]))).await.unwrap();
    assert_eq!(tokens.data[0].embedding, first.embedding);
}

#[tokio::test]
async fn an_empty_text_and_one_that_is_too_long_are_refused() {
    let mut desk = Desk::new().await;
    for input in [Prompt::Text(String::new()), Prompt::Texts(vec!["a".into(), String::new()]), Prompt::Texts(vec![])] {
        let why = desk.embed(embedding(ADA, input)).await.unwrap_err();
        assert_eq!((why.kind, why.status), (FailureKind::Refused, Some(400)));
        assert!(why.sentence.contains("is too short"), "{}", why.sentence.raw());
    }
    for (count, good) in [(8190, true), (8191, true), (8192, false)] {
        let text = "hello".to_owned() + &" hello".repeat(count - 1);
        match desk.embed(embedding(ADA, Prompt::Texts(vec!["a".into(), text]))).await {
            Ok(list) => assert!(good && list.usage.prompt_tokens == count as u64 + 1),
            Err(why) => {
                assert!(!good && why.kind == FailureKind::TooLong, "{count}: {}", why.sentence.raw());
                assert!(
                    why.sentence.contains("8191") && why.sentence.contains("reduce your prompt"),
                    "{}",
                    why.sentence.raw()
                );
            }
        }
    }
}

#[tokio::test]
async fn so_many_texts_are_embedded_at_once_and_no_more() {
    let mut desk = Desk::new().await;
    let all = desk.embed(embedding(SMALL, Prompt::Texts(many(2048)))).await.unwrap();
    assert!(all.data.iter().map(|one| one.index).eq(0..2048));
    assert!(all.data.iter().all(|one| one.embedding.len() == 1536 && one.embedding.iter().all(|n| n.is_finite())));
    let why = desk.embed(embedding(SMALL, Prompt::Texts(many(2049)))).await.unwrap_err();
    assert!(
        why.kind == FailureKind::Refused && why.sentence.contains("is too long - 'input'"),
        "{}",
        why.sentence.raw()
    );
}

#[tokio::test]
async fn dimensions_are_as_asked_where_the_model_lets_one_choose() {
    let mut desk = Desk::new().await;
    let asked = |model: &str, dimensions: u32| EmbeddingRequest {
        dimensions: Some(dimensions),
        ..embedding(model, Prompt::Text("fewer".into()))
    };
    for (model, dimensions, good) in [
        (SMALL, 1, true),
        (SMALL, 256, true),
        (SMALL, 1536, true),
        (SMALL, 1537, false),
        (SMALL, 0, false),
        ("text-embedding-3-large", 3072, true),
        (ADA, 256, false),
    ] {
        match desk.embed(asked(model, dimensions)).await {
            Ok(list) => {
                assert!(good && list.data[0].embedding.len() == dimensions as usize, "{model} {dimensions}");
                assert!((length(&list.data[0].embedding) - 1.0).abs() < 1e-4);
            }
            Err(why) => {
                assert!(!good && why.kind == FailureKind::Refused, "{model} {dimensions}");
                assert!(why.sentence.contains("dimensions"), "{}", why.sentence.raw());
            }
        }
    }
}

#[tokio::test]
async fn fields_for_chat_alone_break_neither() {
    let mut desk = Desk::new().await;
    let mut endpoint = Endpoint::new(desk.service.base_url(), Some(KEY.to_owned().into()));
    for (name, value) in [("temperature", json!(0.1)), ("service_tier", json!("flex")), ("stop", json!(["x"]))] {
        endpoint.extra_body.insert(name.into(), value);
    }
    desk.endpoint = Arc::new(endpoint);
    assert_eq!(desk.moderate(texts(&["a"]), None).await.unwrap().results.len(), 1);
    assert_eq!(desk.embed(embedding(ADA, Prompt::Text("a".into()))).await.unwrap().data.len(), 1);
}

/// A run of each tab at full width, and a chat that streams all the while.
#[tokio::test]
async fn runs_of_both_tabs_and_a_chat_go_on_beside_one_another() {
    let mut desk = Desk::new().await;
    let message =
        ChatMessage { role: "user".into(), content: "How do I send a message?".into(), ..ChatMessage::default() };
    let chat = ChatRequest {
        model: "gpt-3.5-turbo".into(),
        messages: vec![message],
        stream: Some(true),
        max_tokens: Some(40),
        ..ChatRequest::default()
    };
    let list = |at: u64| (0..64).map(|row| format!("Row {row} of request {at}: {CALM}")).collect::<Vec<_>>();
    for at in 0..8 {
        let request = ModerationRequest { input: Texts::Many(list(at)), model: None };
        desk.call(10 + at, Call::Moderate(Box::new(request)));
    }
    for at in 0..4 {
        let request = embedding(SMALL, Prompt::Texts([list(at), list(at + 4)].concat()));
        desk.call(20 + at, Call::Embed(Box::new(request)));
    }
    desk.call(1, Call::Chat(Box::new(chat)));
    let (mut results, mut vectors, mut chunks, mut open) = (0, 0, 0, 13);
    while open > 0 {
        match desk.next().await {
            (_, Progress::Reply(Reply::Moderation(answer))) => results += answer.results.len(),
            (_, Progress::Reply(Reply::Embeddings(answer))) => vectors += answer.data.len(),
            (ticket, Progress::Reply(Reply::ChatChunk(_))) => {
                assert_eq!(ticket, Ticket(1));
                chunks += 1;
            }
            (_, Progress::Closed(end)) => {
                assert_eq!(end, Ok(()));
                open -= 1;
            }
            (_, Progress::Retrying { why, .. }) => panic!("nothing is refused: {why:?}"),
            _ => {}
        }
    }
    assert_eq!((results, vectors), (8 * 64, 4 * 128));
    assert!(chunks > 0);
}

#[tokio::test]
async fn stopping_ends_a_long_moderation() {
    let mut desk = Desk::new().await;
    // Some megabytes: many turns at the engine.
    let text = "The ferry leaves at nine, and the harbour café opens an hour before. ".repeat(400);
    let request = ModerationRequest { input: Texts::Many(vec![text; 200]), model: None };
    desk.call(1, Call::Moderate(Box::new(request)));
    // Another call is answered beside it, so the service is at work.
    let beside = ModerationRequest { input: Texts::One("a".into()), model: None };
    desk.call(2, Call::Moderate(Box::new(beside)));
    loop {
        let (ticket, progress) = desk.next().await;
        if ticket == Ticket(2) && matches!(progress, Progress::Closed(Ok(()))) {
            break;
        }
    }
    let Desk { service, mut news, .. } = desk;
    tokio::time::timeout(LIMIT, service.stop()).await.expect("it stops");
    loop {
        match tokio::time::timeout(LIMIT, news.recv()).await.expect("news come").unwrap() {
            (Ticket(1), Progress::Retrying { .. } | Progress::Closed(Err(_))) => break,
            (Ticket(1), Progress::Reply(_)) => panic!("it was not stopped"),
            _ => {}
        }
    }
}
