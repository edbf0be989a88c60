//! The tab against the local service, over real HTTP by the real client.

use std::sync::Arc;
use std::time::Duration;

use benchtop::api::call::{Call, Progress, Ticket};
use benchtop::app::{Effect, Event};
use benchtop::client::Client;
use benchtop::record::{Made, TurnStatus};
use benchtop::service::{Keys, Options, Running, start};
use benchtop::settings::Endpoint;
use tokio::sync::mpsc::Receiver;

use crate::desk::{Desk, prompt};

const LIMIT: Duration = Duration::from_mins(2);

/// A desk whose calls are made.
struct Wired {
    desk: Desk,
    client: Client,
    progress: Receiver<(Ticket, Progress)>,
    endpoint: Arc<Endpoint>,
    /// Keeps the service running.
    _service: Running,
    made: usize,
}

impl Wired {
    async fn new() -> Self {
        let key = "sk-local-test".to_owned();
        let options = Options { keys: Some(Keys::single(key.clone().into())), ..Options::default() };
        let service = start(options).await.unwrap();
        let endpoint = Arc::new(Endpoint::new(service.base_url(), Some(key.into())));
        let (client, progress) = Client::spawn();
        let desk = Desk::new();
        let made = desk.effects.len();
        Self { desk, client, progress, endpoint, _service: service, made }
    }

    /// Makes the calls that were ordered.
    fn carry_out(&mut self) {
        for effect in &self.desk.effects[self.made..] {
            match effect {
                Effect::Call(ticket, _, call @ Call::Complete(_)) => {
                    self.client.call(*ticket, Arc::clone(&self.endpoint), call.clone());
                }
                Effect::Cancel(ticket) => self.client.cancel(*ticket),
                _ => {}
            }
        }
        self.made = self.desk.effects.len();
    }

    /// Takes in what comes until `fits`, or the end of a call.
    async fn until(&mut self, fits: impl Fn(&mut Desk) -> bool) {
        self.carry_out();
        loop {
            let (ticket, progress) =
                tokio::time::timeout(LIMIT, self.progress.recv()).await.expect("it answers").unwrap();
            let end = matches!(progress, Progress::Closed(_));
            self.desk.event(Event::Progress(ticket, progress));
            if end || fits(&mut self.desk) {
                return;
            }
        }
    }

    async fn whole(&mut self) {
        self.until(|_| false).await;
    }
}

#[tokio::test]
async fn the_best_of_five_is_scored_with_its_prompt() {
    let mut wired = Wired::new().await;
    let text = "A language model reads a text and says what may come next.";
    wired.desk.press(text);
    for (field, value) in
        [("Best of", "5"), ("Log probabilities", "5"), ("Echo", "true"), ("Max tokens", "12"), ("Seed", "7")]
    {
        wired.desk.set(field, value);
    }
    let (_, request) = wired.desk.run();
    assert_eq!(
        (prompt(&request), request.best_of, request.logprobs, request.echo),
        (text, Some(5), Some(5), Some(true))
    );
    assert_eq!((request.stream, request.max_tokens), (Some(false), Some(12)), "the best of several comes whole");
    wired.whole().await;
    let desk = &mut wired.desk;
    let whole = desk.text();
    assert!(whole.starts_with(text) && whole.len() > text.len(), "{whole:?}");
    assert!(!whole[text.len()..].contains("A language model reads a text and says"), "once: {whole:?}");
    desk.shows("   max tokens reached");
    desk.shows("perplexity");
    desk.settle();
    let run = desk.disk.runs().remove(0);
    assert_eq!((run.status, run.estimated), (TurnStatus::Done, false));
    // Every token of the prompt but the first has a figure and up to five others.
    let told = desk.disk.tokens(run.id);
    assert_eq!(told.len() as u64, run.prompt_tokens);
    assert_eq!(told.iter().flat_map(|token| token.bytes.clone()).collect::<Vec<_>>(), text.as_bytes());
    assert_eq!(told[0].logprob, None);
    for token in &told[1..] {
        assert!(token.logprob.is_some_and(|logprob| logprob <= 0.0), "{token:?}");
        // The likeliest ones, and the token itself where it is none of them.
        assert!((5..=6).contains(&token.top.len()), "{token:?}");
    }
    // So has every token of the completion.
    let (_, steps) = desk.disk.sheet();
    let made = steps.iter().find(|step| matches!(step.made, Made::Generated { .. })).unwrap();
    assert_eq!(made.inserted.raw(), &whole[text.len()..]);
    let written = desk.disk.tokens(made.id);
    assert!(!written.is_empty() && written.len() <= 12, "{}", written.len());
    assert!(written.iter().all(|token| token.logprob.is_some() && token.top.len() >= 5), "{written:?}");
    let of = format!("of {}", told.len() + written.len());
    desk.shows(&of);
    // The first token of the prompt, and the second, which has alternatives: one of these is picked.
    desk.press("gl");
    desk.shows(&format!("Token 2 {of}"));
}

#[tokio::test]
async fn what_follows_the_caret_is_the_suffix_and_stays() {
    let mut wired = Wired::new().await;
    wired.desk.press("A text can go on in  end.");
    for _ in 0.." end.".len() {
        wired.desk.press("←");
    }
    wired.desk.set("Max tokens", "8");
    wired.desk.set("Completions (n)", "3");
    let (_, request) = wired.desk.run();
    assert_eq!(request.suffix.as_deref(), Some(" end."));
    wired.whole().await;
    let text = wired.desk.text();
    assert!(text.starts_with("A text can go on in ") && text.ends_with(" end."), "{text:?}");
    wired.desk.shows("branch 1 of 3");
}

#[tokio::test]
async fn a_run_is_stopped_and_what_came_is_kept() {
    let mut wired = Wired::new().await;
    wired.desk.press("The loss is the");
    wired.desk.set("Max tokens", "1500");
    wired.desk.set("Log probabilities", "2");
    wired.desk.run();
    wired.until(|desk| desk.screen().contains("tok ·")).await;
    wired.desk.press("\u{1b}");
    wired.carry_out();
    wired.desk.shows("■ stopped after");
    let before = wired.desk.text();
    assert!(before.len() > "The loss is the".len(), "{before:?}");
    // Picked otherwise it goes on from there.
    wired.desk.set("Max tokens", "5");
    wired.desk.news();
    wired.desk.press("g↓\n");
    if wired.desk.screen().contains("esc leave text") {
        // The likeliest was what stood there.
        wired.desk.press("\u{1b}↑\n");
    }
    let (_, request) = wired.desk.asked();
    let sent = prompt(&request).to_owned();
    assert!(sent.starts_with("The loss is the"), "{sent:?}");
    // What was on its way of the first run ends with nothing.
    while wired.desk.screen().contains("esc stop") {
        wired.until(|_| true).await;
    }
    let after = wired.desk.text();
    assert!(after.starts_with(&sent) && !after.starts_with(&before), "{after:?}");
}

#[tokio::test]
async fn a_refusal_of_the_service_is_shown_at_its_field() {
    let mut wired = Wired::new().await;
    wired.desk.press("Once ");
    wired.desk.press("^pmodel: choose\nno-such-model\n");
    wired.desk.run();
    wired.whole().await;
    wired.desk.shows("┃");
    assert_eq!(wired.desk.text(), "Once ");
    wired.desk.press("s");
    wired.desk.shows("▌  Model");
    wired.desk.shows("the server refuses this");
}
