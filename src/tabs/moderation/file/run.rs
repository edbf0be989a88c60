//! The run over a file: which texts go into which request, and what the answers say.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::super::shared_settings::{SharedSettings, charge};
use super::answer;
use super::dataset::TextDataset;
use super::settings::FileSettings;
use crate::api::call::{Call, Failure, FailureKind, Progress, Reply, Ticket};
use crate::api::moderation::{Moderation, ModerationRequest, Texts};
use crate::component::Cx;
use crate::record::{Check, Record, Stored};
use crate::settings::ProfileId;
use crate::tabs::batch::{
    AnsweredRequest, BatchItem, BatchLimits, BatchResult, BatchRunner, RequestEvent, ResultOutbox,
};
use crate::text::Untrusted;
use crate::tokens::estimate;

/// Requests at a time.
const REQUESTS: usize = 8;
/// Texts in a request, where the server takes several…
const TEXTS: usize = 16;
/// …and their bytes.
const BYTES: u64 = 32 << 10;

/// Why a request failed that ended without an answer.
const NO_ANSWER: &str = "the answer holds no result; try again";

impl BatchResult for Check {
    fn record(checks: Vec<Self>) -> Record {
        Record::Checks(checks)
    }
}

/// A run over the texts of a file that have no result.
#[derive(Debug)]
pub(super) struct FileRun {
    pub(super) runner: BatchRunner,
    pub(super) outbox: ResultOutbox<Check>,
    /// The text of each item.
    texts: Vec<u32>,
    names: Arc<[Untrusted]>,
    lists: ListSupport,
}

/// Whether the server takes several texts in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ListSupport {
    /// It is not known yet.
    Unknown,
    /// The server takes lists, or no list is sent.
    Known,
    /// It refused one: these are asked about one by one. If all of them are answered it was the list.
    Doubted(BTreeSet<u32>),
}

impl FileRun {
    /// Creates a run over the texts of a file that have no result that counts.
    pub(super) fn new(dataset: &TextDataset, settings: &FileSettings, shared: &SharedSettings) -> Self {
        let (mut texts, mut items, mut skipped) = (Vec::new(), Vec::new(), 0);
        for (text, place) in dataset.texts().iter().zip(0..) {
            if dataset.results.check(place).is_some_and(|check| check.at_ms >= settings.since_ms) {
                skipped += u64::from(text.rows);
                continue;
            }
            let weight = u32::try_from(dataset.rows[text.first as usize].text.len()).unwrap_or(u32::MAX);
            items.push(BatchItem { weight, rows: text.rows });
            texts.push(place);
        }
        let many = shared.takes_many(&settings.profile);
        let limits = BatchLimits { requests: REQUESTS, items: if many { TEXTS } else { 1 }, weight: BYTES };
        Self {
            runner: BatchRunner::new(NO_ANSWER, limits, items, skipped),
            outbox: ResultOutbox::default(),
            texts,
            names: Arc::from([]),
            lists: if many { ListSupport::Unknown } else { ListSupport::Known },
        }
    }

    /// Sends what may be sent, and saves what has come.
    pub(super) fn pump(&mut self, dataset: &TextDataset, settings: &FileSettings, cx: &mut Cx) {
        let texts = &self.texts;
        self.runner.send(cx, |items| {
            let text = |item: &u32| {
                let text = &dataset.texts()[texts[*item as usize] as usize];
                dataset.rows[text.first as usize].text.raw().to_owned()
            };
            let input = match items {
                [one] => Texts::One(text(one)),
                many => Texts::Many(many.iter().map(text).collect()),
            };
            let model = Some(settings.model.clone()).filter(|model| !model.is_empty());
            let call = Call::Moderate(Box::new(ModerationRequest { input, model }));
            (ProfileId(settings.profile.clone()), call)
        });
        self.outbox.save(cx);
    }

    /// Takes the progress of a call. Returns whether it was this run's.
    pub(super) fn handle_progress(
        &mut self,
        ticket: Ticket,
        progress: &Progress,
        file: (&TextDataset, &FileSettings),
        shared: &mut SharedSettings,
        cx: &mut Cx,
    ) -> bool {
        match (self.runner.observe(ticket, progress, cx), progress) {
            (None, _) => return false,
            (Some(RequestEvent::Pending), _) => {}
            (Some(RequestEvent::Answered(request)), Progress::Reply(Reply::Moderation(answer))) => {
                self.answer(&request, answer, file, shared, cx);
            }
            (Some(RequestEvent::Answered(_)), _) => {
                self.fail(ticket, &Failure::new(FailureKind::Malformed, NO_ANSWER), &[], cx);
            }
            (Some(RequestEvent::Failed(why, items)), _) => self.fail(ticket, &why, &items, cx),
        }
        self.pump(file.0, file.1, cx);
        true
    }

    /// Takes the store's answer and returns the checks that are on disk now, each with its text; `None`: it is to
    /// somebody else.
    pub(super) fn handle_stored(&mut self, ticket: Ticket, stored: &Stored) -> Option<Vec<(u32, Check)>> {
        let checks = self.runner.handle_stored(&mut self.outbox, ticket, stored)?;
        Some(checks.into_iter().map(|(item, check)| (self.texts[item as usize], check)).collect())
    }

    fn answer(
        &mut self,
        request: &AnsweredRequest,
        answer: &Moderation,
        (dataset, settings): (&TextDataset, &FileSettings),
        shared: &mut SharedSettings,
        cx: &mut Cx,
    ) {
        let (ticket, wanted, results) = (request.ticket, request.items.len(), answer.results.len());
        // Each answer has its row in the ledger, also one that is of no use.
        self.charge_answer(request, dataset, settings, cx);
        if wanted > 2 && results == 1 {
            // One result for all of them: the server reads one text a request.
            shared.use_single_requests(&settings.profile);
            self.runner.set_request_size(1);
            self.lists = ListSupport::Known;
            return self.runner.resend(ticket);
        }
        if wanted > 1 && results != wanted {
            // Nobody can say whose they are: each half is asked about by itself.
            let why = format!("the server answered {wanted} texts with {results} results");
            return self.runner.fail(ticket, &Failure::new(FailureKind::Malformed, why), cx.now);
        }
        if wanted > 1 && matches!(std::mem::replace(&mut self.lists, ListSupport::Known), ListSupport::Doubted(_)) {
            // The server does take several: it was one of the texts.
            self.runner.set_request_size(TEXTS);
        }
        let items = self.runner.accept(ticket);
        let keys: Vec<_> = items.iter().map(|item| dataset.texts()[self.texts[*item as usize] as usize].key).collect();
        let latency_ms = u32::try_from(request.latency.as_millis()).unwrap_or(u32::MAX);
        let asked = answer::CheckOrigin { profile: &settings.profile, model: &settings.model, latency_ms };
        let mut checks = answer::checks(answer, &keys, asked, &mut self.names, cx).into_iter();
        for item in items {
            match checks.next().flatten() {
                Some(check) => self.outbox.add(item, check),
                None => {
                    let words = "the server's answer says nothing about this text; try it again";
                    self.runner.refuse(item, words.into());
                }
            }
            self.cleared(item, settings, shared);
        }
    }

    fn charge_answer(
        &mut self,
        request: &AnsweredRequest,
        dataset: &TextDataset,
        settings: &FileSettings,
        cx: &mut Cx,
    ) {
        let text = |item: &u32| &dataset.rows[dataset.texts()[self.texts[*item as usize] as usize].first as usize].text;
        let tokens = request.items.iter().map(|item| estimate(text(item).raw())).sum();
        let model = Untrusted::from(settings.model.as_str());
        let charge = charge(request.request_id.clone(), (&settings.profile, &model), tokens, cx.session);
        self.outbox.charge(charge, cx);
    }

    /// Takes in that a text of a refused list was answered alone. After the last one it is known that the list was
    /// refused and not a text.
    fn cleared(&mut self, item: u32, settings: &FileSettings, shared: &mut SharedSettings) {
        let ListSupport::Doubted(left) = &mut self.lists else { return };
        if left.remove(&item) && left.is_empty() {
            shared.use_single_requests(&settings.profile);
            self.lists = ListSupport::Known;
        }
    }

    fn fail(&mut self, ticket: Ticket, why: &Failure, items: &[u32], cx: &Cx) {
        if why.kind == FailureKind::Refused && why.status != Some(404) {
            match &mut self.lists {
                ListSupport::Unknown if items.len() > 1 => {
                    self.lists = ListSupport::Doubted(items.iter().copied().collect());
                    self.runner.set_request_size(1);
                    return self.runner.resend(ticket);
                }
                ListSupport::Doubted(_) if items.len() > 1 => return self.runner.resend(ticket),
                ListSupport::Doubted(left) if items.first().is_some_and(|item| left.contains(item)) => {
                    // It was one of the texts.
                    self.lists = ListSupport::Known;
                    self.runner.set_request_size(TEXTS);
                }
                _ => {}
            }
        }
        self.runner.fail(ticket, why, cx.now);
    }

    /// Returns the text of an item.
    pub(super) fn text(&self, item: u32) -> u32 {
        self.texts[item as usize]
    }
}
