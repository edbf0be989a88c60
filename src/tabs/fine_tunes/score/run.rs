//! One model's way through the rows: several requests under way, and what comes is on disk before it counts.

use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

use super::sheet::Sheet;
use crate::api::call::{Call, Failure, FailureKind, Progress, Reply, Ticket};
use crate::api::chat::{ChatMessage, ChatRequest, Stop};
use crate::api::completion::{CompletionRequest, Prompt};
use crate::api::usage::Usage;
use crate::component::Cx;
use crate::record::{Answer, Cost, LedgerRow, Record};
use crate::tabs::batch::{Batch, Item, Limits};
use crate::tabs::generation::{cost, part_cost};
use crate::text::Untrusted;
use crate::tokens::estimate;

/// Requests at a time, of each model.
const FLIGHTS: usize = 4;
/// Prompts in a request, where the server takes several…
const PROMPTS: usize = 16;
/// …and their bytes.
const BYTES: u64 = 64 << 10;
/// How long it waits before it offers the store again what it would not take.
const AGAIN: Duration = Duration::from_secs(5);
/// Ends that a request may name.
const STOPS: usize = 4;

/// An answer to one row of a request.
struct Said {
    text: String,
    finish: String,
}

/// What one row of a request used.
#[derive(Clone, Copy)]
struct Part {
    prompt_tokens: u64,
    completion_tokens: u64,
    estimated: bool,
    cost_nano: Option<i64>,
}

/// The run of one model.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) batch: Batch,
    /// Which of the two models.
    which: usize,
    /// The row of each place of the batch.
    rows: Vec<u32>,
    /// When each request under way was sent.
    sent: HashMap<Ticket, Instant>,
    /// What the server calls the requests that it answers.
    named: HashMap<Ticket, Untrusted>,
    /// Requests whose answer has come and whose end has not.
    ending: BTreeSet<Ticket>,
    /// Attempts that failed, and when the next ones begin.
    retries: HashMap<Ticket, (Instant, Untrusted)>,
    /// Whether a request of several prompts was answered.
    several: bool,
    coming: Vec<(u32, Answer)>,
    bills: Vec<LedgerRow>,
    saving: Option<Saving>,
    /// Why the store did not keep what came, and when it is offered again.
    pub(super) unsaved: Option<(Untrusted, Instant)>,
    /// Tokens sent and received, and their cost, of answers that came in this run.
    pub(super) spent: (u64, u64, Cost),
}

/// What is with the store.
#[derive(Debug)]
struct Saving {
    ticket: Ticket,
    answers: Vec<(u32, Answer)>,
    bills: Vec<LedgerRow>,
}

impl Run {
    /// A run over the rows that this model has not answered.
    pub(super) fn new(sheet: &Sheet, which: usize) -> Self {
        let rows = sheet.missing(which);
        let weight = |row: &u32| u32::try_from(sheet.rows[*row as usize].text.len()).unwrap_or(u32::MAX);
        let items = rows.iter().map(|row| Item { weight: weight(row), rows: 1 });
        let texts = if sheet.kept.chat { 1 } else { PROMPTS };
        let limits = Limits { flights: FLIGHTS, texts, weight: BYTES };
        let skipped = (sheet.rows.len() - rows.len()) as u64;
        Self {
            batch: Batch::new(limits, items, skipped),
            which,
            rows,
            sent: HashMap::new(),
            named: HashMap::new(),
            ending: BTreeSet::new(),
            retries: HashMap::new(),
            several: false,
            coming: Vec::new(),
            bills: Vec::new(),
            saving: None,
            unsaved: None,
            spent: (0, 0, Cost::FREE),
        }
    }

    /// Sends what may be sent, and offers the store what has come.
    pub(super) fn go(&mut self, sheet: &Sheet, cx: &mut Cx) {
        let (rows, sent, now, which) = (&self.rows, &mut self.sent, cx.now, self.which);
        self.batch.send(now, |items| {
            let texts: Vec<&Untrusted> =
                items.iter().map(|item| &sheet.rows[rows[*item as usize] as usize].text).collect();
            let ticket = cx.call_to(sheet.kept.profile(), request(sheet, which, &texts));
            sent.insert(ticket, now);
            ticket
        });
        self.save(cx);
    }

    /// News of a call. Whether it was this run's.
    pub(super) fn progress(&mut self, ticket: Ticket, progress: &Progress, sheet: &Sheet, cx: &mut Cx) -> bool {
        if !self.batch.has(ticket) {
            // What follows an answer is its end.
            if matches!(progress, Progress::Closed(_)) {
                return self.ending.remove(&ticket);
            }
            return self.ending.contains(&ticket);
        }
        match progress {
            Progress::Retrying { at, why, .. } => {
                self.retries.insert(ticket, (*at, why.sentence.clone()));
            }
            Progress::Opened { request_id: Some(id) } => {
                self.named.insert(ticket, id.clone());
            }
            Progress::Reply(Reply::Completion(answer)) => {
                let mut said: HashMap<usize, Said> = HashMap::new();
                for choice in &answer.choices {
                    let finish = choice.finish_reason.clone().unwrap_or_default();
                    said.entry(choice.index as usize).or_insert(Said { text: choice.text.clone(), finish });
                }
                self.answered(ticket, said, answer.usage, sheet, cx);
            }
            Progress::Reply(Reply::Chat(answer)) => {
                let said = answer.choices.first().map(|choice| Said {
                    text: choice.message.content.clone().unwrap_or_default(),
                    finish: choice.finish_reason.clone().unwrap_or_default(),
                });
                let said = said.into_iter().map(|said| (0, said)).collect();
                self.answered(ticket, said, answer.usage, sheet, cx);
            }
            Progress::Closed(Ok(())) => {
                let why = Failure::new(FailureKind::Malformed, "the answer holds no text; try again");
                self.fail(ticket, &why, cx);
            }
            Progress::Closed(Err(why)) => self.fail(ticket, why, cx),
            _ => {}
        }
        self.go(sheet, cx);
        true
    }

    fn answered(
        &mut self,
        ticket: Ticket,
        mut said: HashMap<usize, Said>,
        usage: Option<Usage>,
        sheet: &Sheet,
        cx: &mut Cx,
    ) {
        self.ending.insert(ticket);
        self.retries.remove(&ticket);
        let asked = self.batch.asked(ticket).unwrap_or_default().to_vec();
        let took = self.sent.remove(&ticket).map_or(Duration::ZERO, |sent| cx.now.saturating_duration_since(sent));
        let parts = self.bill(ticket, &asked, &said, usage, sheet, cx);
        if asked.len() > 1 && said.len() < asked.len() {
            // Nobody can say whose they are: from now on one each.
            self.batch.one_each();
            return self.batch.again(ticket);
        }
        self.several |= asked.len() > 1;
        for (at, item) in self.batch.answered(ticket).into_iter().enumerate() {
            let Some(said) = said.remove(&at) else {
                self.batch.refused(item, "the server's answer says nothing to this row; try it again".into());
                continue;
            };
            let row = &sheet.rows[self.rows[item as usize] as usize];
            let Part { prompt_tokens, completion_tokens, estimated, cost_nano } = parts[at];
            let model = sheet.kept.model(self.which);
            let answer = Answer {
                id: cx.id(),
                list: sheet.list.id,
                row: row.id,
                profile: sheet.kept.profile.clone(),
                model,
                text: said.text.into(),
                at_ms: cx.unix_ms,
                latency_ms: u32::try_from(took.as_millis()).unwrap_or(u32::MAX),
                finish: said.finish.into(),
                prompt_tokens,
                completion_tokens,
                estimated,
                cost_nano,
            };
            self.coming.push((item, answer));
        }
    }

    /// A line of the ledger for an answer; what each of its rows used.
    fn bill(
        &mut self,
        ticket: Ticket,
        asked: &[u32],
        said: &HashMap<usize, Said>,
        usage: Option<Usage>,
        sheet: &Sheet,
        cx: &mut Cx,
    ) -> Vec<Part> {
        let prompt = |item: &u32| estimate(sheet.rows[self.rows[*item as usize] as usize].text.raw());
        let own: Vec<(u64, u64)> = (0..)
            .zip(asked)
            .map(|(at, item)| (prompt(item), said.get(&at).map_or(0, |said| estimate(&said.text))))
            .collect();
        let guess = own.iter().fold((0, 0), |sum, row| (sum.0 + row.0, sum.1 + row.1));
        let told = usage.map(|usage| usage.prompt_tokens).filter(|told| *told > 0);
        let sent = told.unwrap_or(guess.0);
        let came = usage.and_then(|usage| usage.completion_tokens).unwrap_or(guess.1);
        let model = sheet.kept.model(self.which);
        let price = cx.session.price(&sheet.kept.profile(), &model);
        let cost_nano = cost(usage.as_ref(), price, sent, came);
        let estimated = told.is_none() || asked.len() > 1;
        let share = |(prompt, completion): &(u64, u64)| {
            // What the server counted, shared out as we would have counted.
            let share = |all: u64, own: u64, guess: u64| (all * own).checked_div(guess).unwrap_or_default();
            let (prompt_tokens, completion_tokens) = (share(sent, *prompt, guess.0), share(came, *completion, guess.1));
            let cost_nano = part_cost(usage.as_ref(), price, prompt_tokens, completion_tokens, sent + came);
            Part { prompt_tokens, completion_tokens, estimated, cost_nano }
        };
        let parts = match own.as_slice() {
            [_] => vec![Part { prompt_tokens: sent, completion_tokens: came, estimated, cost_nano }],
            all => all.iter().map(share).collect(),
        };
        let request_id = self.named.remove(&ticket).unwrap_or_else(|| format!("benchtop-{}", cx.id().0).into());
        self.bills.push(LedgerRow {
            request_id,
            at_ms: cx.unix_ms,
            profile: sheet.kept.profile.clone(),
            tab: "Tune".into(),
            model,
            prompt_tokens: sent,
            completion_tokens: came,
            estimated: told.is_none(),
            cost_nano,
        });
        let before = self.spent;
        self.spent = (before.0 + sent, before.1 + came, before.2 + cost_nano.into());
        parts
    }

    fn fail(&mut self, ticket: Ticket, why: &Failure, cx: &Cx) {
        self.retries.remove(&ticket);
        self.named.remove(&ticket);
        self.sent.remove(&ticket);
        let many = self.batch.asked(ticket).is_some_and(|asked| asked.len() > 1);
        if many && !self.several && why.kind == FailureKind::Refused && why.status != Some(404) {
            // Perhaps it takes one prompt a request.
            self.batch.one_each();
            return self.batch.again(ticket);
        }
        self.batch.failed(ticket, why, cx.now);
    }

    /// The store's answer: what is on disk now; `None`: it was not to this run.
    pub(super) fn stored(&mut self, ticket: Ticket, failed: Option<&Untrusted>, cx: &Cx) -> Option<Vec<Answer>> {
        let Saving { answers, bills, .. } = self.saving.take_if(|saving| saving.ticket == ticket)?;
        if let Some(why) = failed {
            // Offered again, before what has come since.
            let since = std::mem::replace(&mut self.coming, answers);
            self.coming.extend(since);
            self.bills.extend(bills);
            let again = cx.now + AGAIN;
            self.unsaved = Some((why.clone(), again));
            self.batch.hold(format!("what came could not be saved: {}", why.line()).into(), Some(again));
            return Some(Vec::new());
        }
        if self.unsaved.take().is_some() {
            self.batch.release();
        }
        let items: Vec<u32> = answers.iter().map(|(item, _)| *item).collect();
        self.batch.kept(&items);
        Some(answers.into_iter().map(|(_, answer)| answer).collect())
    }

    /// The disk refuses for now what has come: the store keeps it and offers it again, and nothing more is asked for.
    /// Whether it was this run's.
    pub(super) fn waits(&mut self, ticket: Ticket, why: &Untrusted, cx: &Cx) -> bool {
        let ours = self.saving.as_ref().is_some_and(|saving| saving.ticket == ticket);
        if ours {
            self.unsaved = Some((why.clone(), cx.now));
            self.batch.hold(format!("what came could not be saved: {}", why.line()).into(), None);
        }
        ours
    }

    /// Offers the store what has come; after a failure only when the wait is over.
    pub(super) fn save(&mut self, cx: &mut Cx) {
        let waits = self.unsaved.as_ref().is_some_and(|(_, again)| *again > cx.now);
        if self.saving.is_none() && !waits {
            self.offer(cx);
        }
    }

    /// Offers the store all that is not on disk, also what it has and has not answered for: what is kept twice is kept once.
    pub(super) fn flush(&mut self, cx: &mut Cx) {
        if let Some(Saving { mut answers, mut bills, .. }) = self.saving.take() {
            answers.append(&mut self.coming);
            bills.append(&mut self.bills);
            (self.coming, self.bills) = (answers, bills);
        }
        self.offer(cx);
    }

    fn offer(&mut self, cx: &mut Cx) {
        if self.coming.is_empty() && self.bills.is_empty() {
            return;
        }
        let (answers, bills) = (std::mem::take(&mut self.coming), std::mem::take(&mut self.bills));
        let mut records = Vec::with_capacity(bills.len() + 1);
        if !answers.is_empty() {
            records.push(Record::Answers(answers.iter().map(|(_, answer)| answer.clone()).collect()));
        }
        records.extend(bills.iter().cloned().map(Record::Ledger));
        let ticket = cx.record(Record::Batch(records));
        self.saving = Some(Saving { ticket, answers, bills });
    }

    /// Stops all that is under way.
    pub(super) fn stop(&mut self, cx: &mut Cx) {
        for ticket in self.batch.stop() {
            cx.cancel(ticket);
        }
        (self.sent, self.retries, self.ending, self.named) = Default::default();
    }

    /// The row of a place of the batch.
    pub(super) fn row(&self, item: u32) -> u32 {
        self.rows[item as usize]
    }

    /// The next attempt of a request that is retried, and why.
    pub(super) fn retry(&self) -> Option<(Instant, &Untrusted)> {
        self.retries.values().min_by_key(|(at, _)| *at).map(|(at, why)| (*at, why))
    }

    /// When the store is offered again what it would not take.
    pub(super) fn again_at(&self) -> Option<Instant> {
        self.unsaved.as_ref().filter(|_| self.saving.is_none()).map(|(_, again)| *again)
    }

    /// What has come and is not on disk.
    pub(super) fn owes(&self) -> usize {
        self.coming.len() + self.bills.len() + self.saving.as_ref().map_or(0, |saving| saving.answers.len() + 1)
    }
}

/// The request that asks a model about these rows.
fn request(sheet: &Sheet, which: usize, texts: &[&Untrusted]) -> Call {
    let kept = &sheet.kept;
    let model = kept.models[which].clone();
    let stop: Vec<String> = kept.stop.iter().take(STOPS).cloned().collect();
    let stop = (!stop.is_empty()).then_some(Stop::Many(stop));
    if kept.chat {
        let said = texts.first().map_or("[]", |text| text.raw());
        let messages: Vec<ChatMessage> = serde_json::from_str(said).unwrap_or_default();
        return Call::Chat(Box::new(ChatRequest {
            model,
            messages,
            temperature: Some(0.0),
            max_tokens: Some(kept.max_tokens),
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
        max_tokens: Some(kept.max_tokens),
        stop,
        ..CompletionRequest::default()
    }))
}
