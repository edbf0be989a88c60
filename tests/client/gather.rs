//! A completion's answer, choice by choice, as a run tells it.

use std::collections::BTreeMap;
use std::time::Instant;

use benchtop::api::call::{Call, Failure, Ticket};
use benchtop::api::completion::{CompletionRequest, Prompt};
use benchtop::record::Token;
use benchtop::tabs::generation::{Part, ResponseStream, RunEvent};

use crate::server;

/// What a choice said.
#[derive(Debug, Default, PartialEq)]
pub struct Said {
    pub text: String,
    pub tokens: Vec<Token>,
    pub prompt: Vec<Token>,
    pub finish: Option<String>,
}

impl Said {
    fn add(&mut self, part: Part) {
        self.text.push_str(part.content.raw());
        self.tokens.extend(part.tokens);
        self.prompt.extend(part.prompt);
        self.finish = part.finish_reason.map(|word| word.raw().to_owned()).or(self.finish.take());
    }

    pub fn spelt(&self) -> String {
        spelt(&self.tokens)
    }
}

/// Returns the bytes of all tokens as text.
pub fn spelt(tokens: &[Token]) -> String {
    let bytes: Vec<u8> = tokens.iter().flat_map(|token| token.bytes.clone()).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns a completion request for `prompt`.
pub fn completion(prompt: &str, stream: bool) -> CompletionRequest {
    CompletionRequest {
        model: "text-davinci-003".into(),
        prompt: Some(Prompt::Text(prompt.into())),
        stream: Some(stream),
        ..CompletionRequest::default()
    }
}

pub fn complete(asked: CompletionRequest) -> Call {
    Call::Complete(Box::new(asked))
}

pub fn run() -> ResponseStream {
    ResponseStream::new(Ticket(1), Instant::now())
}

pub fn echoing(prompt: &str, suffix: &str) -> ResponseStream {
    ResponseStream::echoing(Ticket(1), Instant::now(), prompt.into(), suffix.into())
}

/// Receives all parts of an answer until its end.
pub async fn gather(news: &mut server::News, run: &mut ResponseStream) -> (BTreeMap<u32, Said>, Result<(), Failure>) {
    let mut all: BTreeMap<u32, Said> = BTreeMap::new();
    let mut add = |parts: Vec<Part>| parts.into_iter().for_each(|part| all.entry(part.choice).or_default().add(part));
    loop {
        match run.handle_progress(server::next(news).await, Instant::now()) {
            RunEvent::Phase => {}
            RunEvent::Parts(parts) => add(parts),
            RunEvent::Closed(end) => {
                add(run.rest());
                return (all, end);
            }
        }
    }
}
