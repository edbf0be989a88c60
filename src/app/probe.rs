//! Probes the server in use: sends a few harmless requests at the user's request, and makes facts of their answers.

use std::time::Instant;

use super::App;
use super::probe_dialog::{ProbeDialog, ProbeRequest, ProbeState};
use super::tickets::ShellRequest;
use crate::api::call::{Call, Progress, Reply};
use crate::api::capability::{Fact, Finding, Subject};
use crate::api::chat::{ChatMessage, ChatRequest, StreamOptions};
use crate::api::completion::{CompletionRequest, Prompt};
use crate::api::embedding::EmbeddingRequest;
use crate::api::moderation::{ModerationRequest, Texts};
use crate::component::facts::FactSource;
use crate::component::{AnswerCost, Charge, Cx, OwnCount, RunMeter, Session};
use crate::text::Untrusted;

/// The endpoints that are probed, and what an answer of chat is looked through for.
const CHAT: &str = "/chat/completions";
const COMPLETIONS: &str = "/completions";
const EMBEDDINGS: &str = "/embeddings";
const MODERATIONS: &str = "/moderations";
const USAGE: &str = "usage in the stream";
const LOGPROBS: &str = "log probabilities";

impl App {
    /// Shows the requests of a probe; nothing is sent yet.
    pub(super) fn open_probe(&mut self) {
        let requests = self.probe_requests();
        self.dialogs.open(ProbeDialog::new(requests));
    }

    /// Returns the requests of a probe, with the models that the tabs use.
    fn probe_requests(&self) -> Vec<ProbeRequest> {
        let model = |path: &str| {
            let tab = self.tabs.iter().find(|tab| tab.endpoints().contains(&path));
            let model = tab.and_then(|tab| tab.model(&self.session)).unwrap_or_else(|| self.session.model.clone());
            model.line().into_owned()
        };
        let post = |path: &str, model: &str, what: &str, call| {
            let model = if model.is_empty() { String::new() } else { format!(", {model}") };
            ProbeRequest::new(format!("POST {path}: {what}{model}"), call)
        };
        let word = || "hi".to_owned();
        let (chat, complete, embed) = (model(CHAT), model(COMPLETIONS), model(EMBEDDINGS));
        let message = ChatMessage { role: "user".into(), content: word().into(), ..ChatMessage::default() };
        let chat_call = ChatRequest {
            model: chat.clone(),
            messages: vec![message],
            max_tokens: Some(1),
            logprobs: Some(true),
            stream: Some(true),
            stream_options: Some(StreamOptions { include_usage: true }),
            ..ChatRequest::default()
        };
        let complete_call = CompletionRequest {
            model: complete.clone(),
            prompt: Some(Prompt::Text(word())),
            max_tokens: Some(1),
            ..CompletionRequest::default()
        };
        let vectors = |input, format: &str| {
            let encoding_format = Some(format.to_owned()).filter(|_| !format.is_empty());
            Call::Embed(Box::new(EmbeddingRequest {
                model: embed.clone(),
                input,
                encoding_format,
                dimensions: None,
                user: None,
            }))
        };
        let moderate = ModerationRequest { input: Texts::One(word()), model: None };
        vec![
            ProbeRequest::new("GET /models".to_owned(), Call::Models),
            post(CHAT, &chat, "1 token, streamed, log probabilities", Call::Chat(Box::new(chat_call))),
            post(COMPLETIONS, &complete, "1 token", Call::Complete(Box::new(complete_call))),
            post(EMBEDDINGS, &embed, "1 word as base64", vectors(Prompt::Text(word()), "")),
            post(EMBEDDINGS, &embed, "2 words as numbers", vectors(Prompt::Texts(vec![word(), word()]), "float")),
            post(MODERATIONS, "", "1 word", Call::Moderate(Box::new(moderate))),
            ProbeRequest::new("GET /files".to_owned(), Call::Files),
            ProbeRequest::new("GET /fine_tuning/jobs, or /fine-tunes".to_owned(), Call::Jobs),
        ]
    }

    /// Sends the next request of the probe, if one is left.
    pub(super) fn send_probe(&mut self) {
        let Some(dialog) = self.dialogs.find_mut::<ProbeDialog>() else { return };
        let Some(at) = dialog.requests.iter().position(|request| request.state == ProbeState::Waiting) else { return };
        let call = dialog.requests[at].call.clone();
        let ticket = self.call(ShellRequest::Probe, self.session.profile.clone(), call);
        let now = self.now;
        if let Some(dialog) = self.dialogs.find_mut::<ProbeDialog>() {
            dialog.begin(at, ticket, now);
        }
    }

    /// Stops the probe: nothing more is sent.
    pub(super) fn stop_probe(&mut self) {
        self.cancel_requests(|request| *request == ShellRequest::Probe);
    }

    /// Returns when the probe's request times out.
    pub(super) fn probe_due(&self) -> Option<Instant> {
        self.dialogs.find::<ProbeDialog>().and_then(ProbeDialog::due)
    }

    /// Cancels a request that has timed out. Returns whether there was one.
    pub(super) fn tick_probe(&mut self) -> bool {
        let is_late = self.probe_due().is_some_and(|due| due <= self.now);
        if is_late {
            self.end_probe_request(ProbeState::Failed("no answer in time".to_owned()));
        }
        is_late
    }

    /// Handles the progress of the request under way.
    pub(super) fn handle_probe_progress(&mut self, progress: Progress) {
        let Some((_, request)) = self.dialogs.find_mut::<ProbeDialog>().and_then(ProbeDialog::running_request) else {
            return self.stop_probe();
        };
        match progress {
            Progress::Adapted(change) => request.changes.push(change),
            // For lists the response headers suffice.
            Progress::Opened { .. } if matches!(request.call, Call::Files | Call::Jobs | Call::Models) => {
                self.end_probe_request(ProbeState::Succeeded("available".to_owned()));
            }
            Progress::Opened { request_id } => request.request_id = request_id,
            Progress::Reply(Reply::Embeddings(list)) => request.usage = Some(list.usage),
            Progress::Reply(Reply::Chat(whole)) => request.usage = whole.usage,
            Progress::Reply(Reply::Completion(whole)) => request.usage = whole.usage,
            Progress::Reply(Reply::ChatChunk(chunk)) => {
                request.usage = chunk.usage.or(request.usage.take());
                let found = [
                    (chunk.usage.is_some(), USAGE),
                    (chunk.choices.iter().any(|choice| choice.logprobs.is_some()), LOGPROBS),
                ];
                for (_, what) in found.into_iter().filter(|(is_there, _)| *is_there) {
                    if !request.found.contains(&what) {
                        request.found.push(what);
                    }
                }
            }
            // The request is not sent again.
            Progress::Retrying { why, .. } | Progress::Closed(Err(why)) => {
                self.end_probe_request(ProbeState::Failed(why.sentence.line().into_owned()));
            }
            Progress::Closed(Ok(())) => {
                let charge = charge(request, &self.session);
                let (words, facts) = results(request);
                let server = self.session.facts.server(&self.session.profile.0).to_owned();
                for (subject, finding) in facts {
                    let fact = Fact { server: server.clone(), subject, finding };
                    let profile = self.session.profile.clone();
                    self.learn_fact(&profile, fact, FactSource::Probe);
                }
                if let Some(charge) = charge {
                    self.charge_probe(charge);
                }
                self.end_probe_request(ProbeState::Succeeded(words));
            }
            _ => {}
        }
    }

    /// Writes the cost of a request to the ledger.
    fn charge_probe(&mut self, charge: Charge) {
        let mut effects = Vec::new();
        let mut cx = Cx::new(&self.session, self.now, self.unix_ms, &mut self.requests.last_ticket, &mut effects);
        let record = charge.record(&mut RunMeter::default(), &mut cx);
        self.try_save(ShellRequest::Charge, record);
    }

    /// Ends the request under way with this state, and sends the next one.
    fn end_probe_request(&mut self, state: ProbeState) {
        if let Some((_, request)) = self.dialogs.find_mut::<ProbeDialog>().and_then(ProbeDialog::running_request) {
            request.state = state;
        }
        self.stop_probe();
        self.send_probe();
    }
}

/// Returns the cost of an answered request; `None`: nothing is counted.
fn charge(request: &ProbeRequest, session: &Session) -> Option<Charge> {
    let (tab, model, prompt, completion) = match &request.call {
        Call::Chat(asked) => ("Chat", &asked.model, 8, 1),
        Call::Complete(asked) => ("Complete", &asked.model, 1, 1),
        Call::Embed(asked) if asked.encoding_format.is_none() => ("Embed", &asked.model, 1, 0),
        Call::Embed(asked) => ("Embed", &asked.model, 2, 0),
        _ => return None,
    };
    let (profile, model) = (session.profile.clone(), Untrusted::from(model.as_str()));
    let own = OwnCount { prompt, completion, estimated: true };
    let cost = AnswerCost::new(request.usage, own, session.price(&profile, &model));
    Some(Charge { tab, request_id: request.request_id.clone(), profile, model, cost })
}

/// Returns what a successful answer shows, in words, and the facts about fields that follow from it.
fn results(request: &ProbeRequest) -> (String, Vec<(Subject, Finding)>) {
    let mut words: Vec<String> = Vec::new();
    let mut facts = Vec::new();
    let mut has = |endpoint: &str, model: &str, field: &str| {
        facts.push((Subject::field(endpoint, model, field), Finding::Available));
    };
    let is_changed = |field: &str| request.changes.iter().any(|change| change.field() == field);
    match &request.call {
        Call::Chat(asked) => {
            for (what, field) in [(USAGE, "stream_options"), (LOGPROBS, "logprobs")] {
                if request.found.contains(&what) {
                    has(CHAT, &asked.model, field);
                    words.push(what.to_owned());
                } else {
                    words.push(format!("no {what}"));
                }
            }
        }
        Call::Embed(asked) if asked.encoding_format.is_none() => {
            let as_base64 = !is_changed("encoding_format");
            if as_base64 {
                has(EMBEDDINGS, "", "encoding_format");
            }
            words.push(if as_base64 { "base64".to_owned() } else { "no base64".to_owned() });
        }
        Call::Embed(_) => {
            let takes_several = !is_changed("input");
            if takes_several {
                has(EMBEDDINGS, "", "input");
            }
            words.push(if takes_several { "several texts".to_owned() } else { "one text per request".to_owned() });
        }
        _ => words.push("available".to_owned()),
    }
    (words.join(", "), facts)
}
