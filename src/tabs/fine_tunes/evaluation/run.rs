//! The run of one model: its requests, and what its answers say and cost.

use std::collections::HashMap;

use super::dataset::EvaluationDataset;
use crate::api::call::{Call, Failure, FailureKind, Progress, Reply, Ticket};
use crate::api::chat::{ChatMessage, ChatRequest, Stop};
use crate::api::completion::{CompletionRequest, Prompt};
use crate::api::usage::Usage;
use crate::component::{AnswerCost, Charge, Cx, OwnCount};
use crate::record::{Answer, Record};
use crate::tabs::batch::{
    AnsweredRequest, BatchItem, BatchLimits, BatchResult, BatchRunner, RequestEvent, ResultOutbox,
};
use crate::text::Untrusted;
use crate::tokens::estimate;

/// Requests at a time, of each model.
const REQUESTS: usize = 4;
/// Prompts in a request, where the server takes several…
const PROMPTS: usize = 16;
/// …and their bytes.
const BYTES: u64 = 64 << 10;
/// Ends that a request may name.
const STOPS: usize = 4;

/// Why a request failed that ended without an answer.
const NO_ANSWER: &str = "the answer has no text; try again";

impl BatchResult for Answer {
    fn record(answers: Vec<Self>) -> Record {
        Record::Answers(answers)
    }
}

/// The completion of one row of a request.
struct RowCompletion {
    text: String,
    finish: String,
}

/// What one row of a request used.
#[derive(Clone, Copy)]
struct RowUsage {
    prompt_tokens: u64,
    completion_tokens: u64,
    estimated: bool,
    cost_nano: Option<i64>,
}

/// The run of one model over the rows that it has not answered.
#[derive(Debug)]
pub(super) struct ModelRun {
    pub(super) runner: BatchRunner,
    pub(super) outbox: ResultOutbox<Answer>,
    /// Which of the two models.
    which: usize,
    /// The row of each item.
    rows: Vec<u32>,
    /// Whether a request of several prompts was answered.
    several: bool,
}

impl ModelRun {
    /// Creates a run over the rows that this model has not answered.
    pub(super) fn new(dataset: &EvaluationDataset, which: usize) -> Self {
        let rows = dataset.missing(which);
        let weight = |row: &u32| u32::try_from(dataset.rows[*row as usize].text.len()).unwrap_or(u32::MAX);
        let items = rows.iter().map(|row| BatchItem { weight: weight(row), rows: 1 });
        let prompts = if dataset.settings.chat { 1 } else { PROMPTS };
        let limits = BatchLimits { requests: REQUESTS, items: prompts, weight: BYTES };
        let skipped = (dataset.rows.len() - rows.len()) as u64;
        let runner = BatchRunner::new(NO_ANSWER, limits, items, skipped);
        Self { runner, outbox: ResultOutbox::default(), which, rows, several: false }
    }

    /// Sends what may be sent, and saves what has come.
    pub(super) fn pump(&mut self, dataset: &EvaluationDataset, cx: &mut Cx) {
        let (rows, which) = (&self.rows, self.which);
        self.runner.send(cx, |items| {
            let texts: Vec<&Untrusted> =
                items.iter().map(|item| &dataset.rows[rows[*item as usize] as usize].text).collect();
            (dataset.settings.profile(), request(dataset, which, &texts))
        });
        self.outbox.save(cx);
    }

    /// Takes the progress of a call. Returns whether it was this run's.
    pub(super) fn handle_progress(
        &mut self,
        ticket: Ticket,
        progress: &Progress,
        dataset: &EvaluationDataset,
        cx: &mut Cx,
    ) -> bool {
        match (self.runner.handle_progress(ticket, progress, cx), progress) {
            (None, _) => return false,
            (Some(RequestEvent::Pending), _) => {}
            (Some(RequestEvent::Answered(request)), Progress::Reply(Reply::Completion(answer))) => {
                let mut completions: HashMap<usize, RowCompletion> = HashMap::new();
                for choice in &answer.choices {
                    let finish = choice.finish_reason.clone().unwrap_or_default();
                    let completion = RowCompletion { text: choice.text.clone(), finish };
                    completions.entry(choice.index as usize).or_insert(completion);
                }
                self.take_answer(request, completions, answer.usage, dataset, cx);
            }
            (Some(RequestEvent::Answered(request)), Progress::Reply(Reply::Chat(answer))) => {
                let completion = answer.choices.first().map(|choice| RowCompletion {
                    text: choice.message.content.clone().unwrap_or_default(),
                    finish: choice.finish_reason.clone().unwrap_or_default(),
                });
                let completions = completion.into_iter().map(|completion| (0, completion)).collect();
                self.take_answer(request, completions, answer.usage, dataset, cx);
            }
            (Some(RequestEvent::Answered(request)), _) => {
                self.runner.fail(request.reject(Failure::new(FailureKind::Malformed, NO_ANSWER)));
            }
            (Some(RequestEvent::Failed(request)), _) => {
                let (why, many) = (request.why(), request.items().len() > 1 && !self.several);
                if many && why.kind == FailureKind::Refused && why.status != Some(404) {
                    // Perhaps it takes one prompt a request.
                    self.runner.set_request_size(1);
                    self.runner.resend(request);
                } else {
                    self.runner.fail(request);
                }
            }
        }
        self.pump(dataset, cx);
        true
    }

    /// Takes an answer: its completions go to the disk, and its cost to the ledger.
    fn take_answer(
        &mut self,
        request: AnsweredRequest,
        mut completions: HashMap<usize, RowCompletion>,
        usage: Option<Usage>,
        dataset: &EvaluationDataset,
        cx: &mut Cx,
    ) {
        let asked = request.items().len();
        let own: Vec<(u64, u64)> = (0..)
            .zip(request.items())
            .map(|(at, item)| {
                let prompt = estimate(dataset.rows[self.rows[*item as usize] as usize].text.raw());
                (prompt, completions.get(&at).map_or(0, |completion| estimate(&completion.text)))
            })
            .collect();
        let used = self.charge_answer(request.request_id().cloned(), &own, usage, dataset, cx);
        if asked > 1 && completions.len() < asked {
            // Nobody can say whose they are: from now on one each.
            self.runner.set_request_size(1);
            return self.runner.resend(request);
        }
        self.several |= asked > 1;
        let latency_ms = request.latency_ms();
        for (at, item) in self.runner.accept(request).into_iter().enumerate() {
            let Some(completion) = completions.remove(&at) else {
                self.runner.refuse(item, "the server returned no answer for this row; try again".into());
                continue;
            };
            let RowUsage { prompt_tokens, completion_tokens, estimated, cost_nano } = used[at];
            let answer = Answer {
                id: cx.id(),
                list: dataset.list.id,
                row: dataset.rows[self.row(item.place()) as usize].id,
                profile: dataset.settings.profile.clone(),
                model: dataset.settings.model(self.which),
                text: completion.text.into(),
                at_ms: cx.unix_ms,
                latency_ms,
                finish: completion.finish.into(),
                prompt_tokens,
                completion_tokens,
                estimated,
                cost_nano,
            };
            self.outbox.add(item, answer);
        }
    }

    /// Charges an answer and returns what each of its rows used; `own`: the tokens of each row as estimated here.
    fn charge_answer(
        &mut self,
        request_id: Option<Untrusted>,
        own: &[(u64, u64)],
        usage: Option<Usage>,
        dataset: &EvaluationDataset,
        cx: &mut Cx,
    ) -> Vec<RowUsage> {
        let guess = own.iter().fold((0, 0), |sum, row| (sum.0 + row.0, sum.1 + row.1));
        let (profile, model) = (dataset.settings.profile(), dataset.settings.model(self.which));
        let own_count = OwnCount { prompt: guess.0, completion: guess.1, estimated: true };
        let cost = AnswerCost::new(usage, own_count, cx.session.price(&profile, &model));
        let (sent, came) = (cost.prompt_tokens(), cost.completion_tokens());
        let row = |estimated, prompt_tokens, completion_tokens, cost_nano| RowUsage {
            prompt_tokens,
            completion_tokens,
            estimated,
            cost_nano,
        };
        let share = |(prompt, completion): &(u64, u64)| {
            // What the server counted, shared out as we would have counted.
            let share = |all: u64, own: u64, guess: u64| (all * own).checked_div(guess).unwrap_or_default();
            let (prompt, completion) = (share(sent, *prompt, guess.0), share(came, *completion, guess.1));
            row(true, prompt, completion, cost.part_nano(prompt, completion))
        };
        self.outbox.charge(Charge { tab: "Tune", request_id, profile, model, cost }, cx);
        match own {
            [_] => vec![row(cost.is_estimated(), sent, came, cost.nano())],
            all => all.iter().map(share).collect(),
        }
    }

    /// Returns the row of an item.
    pub(super) fn row(&self, item: u32) -> u32 {
        self.rows[item as usize]
    }
}

/// Returns the request that asks a model about these rows.
fn request(dataset: &EvaluationDataset, which: usize, texts: &[&Untrusted]) -> Call {
    let settings = &dataset.settings;
    let model = settings.models[which].clone();
    let stop: Vec<String> = settings.stop.iter().take(STOPS).cloned().collect();
    let stop = (!stop.is_empty()).then_some(Stop::Many(stop));
    if settings.chat {
        let said = texts.first().map_or("[]", |text| text.raw());
        let messages: Vec<ChatMessage> = serde_json::from_str(said).unwrap_or_default();
        return Call::Chat(Box::new(ChatRequest {
            model,
            messages,
            temperature: Some(0.0),
            max_tokens: Some(settings.max_tokens),
            stop,
            ..ChatRequest::default()
        }));
    }
    let prompt = match texts {
        [one] => Prompt::Text(one.raw().to_owned()),
        many => Prompt::Texts(many.iter().map(|text| text.raw().to_owned()).collect()),
    };
    Call::Complete(Box::new(CompletionRequest {
        model,
        prompt: Some(prompt),
        temperature: Some(0.0),
        max_tokens: Some(settings.max_tokens),
        stop,
        ..CompletionRequest::default()
    }))
}
