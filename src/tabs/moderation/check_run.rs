//! A run of one model over texts: what is sent, what the answers say, whether the server takes several texts in a
//! request.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::answer;
use super::model_ref::ModelRef;
use super::shared_settings::{SharedSettings, charge};
use crate::api::call::{Call, Failure, FailureKind, Progress, Reply, Ticket};
use crate::api::moderation::{Moderation, ModerationRequest, Texts};
use crate::component::{Charge, Cx};
use crate::record::{Check, TextKey};
use crate::settings::ProfileId;
use crate::tabs::batch::{
    AcceptedItem, AnsweredRequest, BatchItem, BatchLimits, BatchRunner, FailedRequest, RequestEvent,
};
use crate::text::Untrusted;
use crate::tokens::estimate;

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

/// How texts are sent, and what is concluded from the answers.
#[derive(Clone, Copy, Debug)]
pub(super) struct CheckRules {
    /// The limits where the server takes several texts in a request.
    pub(super) limits: BatchLimits,
    /// Why a request failed that ended without an answer.
    pub(super) no_answer: &'static str,
    /// The fewest texts of a list that, answered with one result or none, shows that the server reads one text a request;
    /// at least 2.
    pub(super) conclusive_items: usize,
}

/// Why an answered request has no check of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MissingCheck {
    /// The answer has no result for it.
    NoResult,
    /// Its result names no category.
    NoCategory,
}

/// What has become of a request.
#[derive(Debug)]
pub(super) enum CheckEvent {
    /// The call continues, or its items are sent again.
    Pending,
    /// An answer has come: what it costs, and the check of each item. An answer that is of no use has no items.
    Answered(Charge, Vec<(AcceptedItem, Result<Check, MissingCheck>)>),
    /// It is to be [given up](CheckRun::give_up) or to [fail](CheckRun::fail).
    Failed(FailedRequest),
}

/// A run of one model over texts.
#[derive(Debug)]
pub(super) struct CheckRun {
    pub(super) runner: BatchRunner,
    pub(super) model: ModelRef,
    rules: CheckRules,
    lists: ListSupport,
    /// Why each text is sent in a request of its own, since that became known and until it is saved.
    list_refusal: Option<String>,
    /// The categories of the answer before, which most answers share.
    names: Arc<[Untrusted]>,
}

impl CheckRun {
    /// Creates a run over these items; `skipped` rows had a result before.
    pub(super) fn new(
        model: ModelRef,
        rules: CheckRules,
        items: impl IntoIterator<Item = BatchItem>,
        skipped: u64,
        shared: &SharedSettings,
    ) -> Self {
        let takes_many = shared.takes_many(&model.profile);
        let limits = BatchLimits { items: if takes_many { rules.limits.items } else { 1 }, ..rules.limits };
        Self {
            runner: BatchRunner::new(rules.no_answer, limits, items, skipped),
            model,
            rules,
            lists: if takes_many { ListSupport::Unknown } else { ListSupport::Known },
            list_refusal: None,
            names: Arc::from([]),
        }
    }

    /// Sends what may be sent; `subject` returns the text of an item.
    pub(super) fn send<'a>(&mut self, subject: impl Fn(u32) -> (TextKey, &'a Untrusted), cx: &mut Cx) {
        let model = &self.model;
        self.runner.send(cx, |items| {
            let call = request(model, items.iter().map(|item| subject(*item).1));
            (ProfileId(model.profile.clone()), call)
        });
    }

    /// Takes the progress of a call; `None`: it is not one of this run's.
    pub(super) fn handle_progress<'a>(
        &mut self,
        ticket: Ticket,
        progress: &Progress,
        subject: impl Fn(u32) -> (TextKey, &'a Untrusted),
        cx: &mut Cx,
    ) -> Option<CheckEvent> {
        Some(match (self.runner.handle_progress(ticket, progress, cx)?, progress) {
            (RequestEvent::Pending, _) => CheckEvent::Pending,
            (RequestEvent::Answered(request), Progress::Reply(Reply::Moderation(answer))) => {
                let (keys, texts): (Vec<_>, Vec<_>) = request.items().iter().map(|item| subject(*item)).unzip();
                let tokens = texts.into_iter().map(|text| estimate(text.raw())).sum();
                // Each answer has its row in the ledger, also one that is of no use.
                let charge = charge(request.request_id().cloned(), &self.model, tokens, cx.session);
                CheckEvent::Answered(charge, self.take_answer(request, answer, &keys, cx))
            }
            (RequestEvent::Answered(request), _) => {
                CheckEvent::Failed(request.reject(Failure::new(FailureKind::Malformed, self.rules.no_answer)))
            }
            (RequestEvent::Failed(request), _) => self.take_failure(request),
        })
    }

    /// Returns the checks of an answer's items; none where they are sent again.
    fn take_answer(
        &mut self,
        request: AnsweredRequest,
        answer: &Moderation,
        keys: &[TextKey],
        cx: &mut Cx,
    ) -> Vec<(AcceptedItem, Result<Check, MissingCheck>)> {
        let (wanted, results) = (keys.len(), answer.results.len());
        let is_conclusive = wanted >= self.rules.conclusive_items && (wanted > 2 || self.lists != ListSupport::Known);
        if results < 2 && is_conclusive {
            // One result for all of them, or none: the server reads one text a request.
            let s = if results == 1 { "" } else { "s" };
            self.refuse_lists(format!("answered {wanted} texts with {results} result{s}"));
            self.runner.resend(request);
            return Vec::new();
        }
        if wanted > 1 && results != wanted {
            // Nobody can say whose they are: each half is asked about by itself.
            let why = format!("the server answered {wanted} texts with {results} results");
            self.runner.fail(request.reject(Failure::new(FailureKind::Malformed, why)));
            return Vec::new();
        }
        if wanted > 1 && matches!(std::mem::replace(&mut self.lists, ListSupport::Known), ListSupport::Doubted(_)) {
            // The server does take several: it was one of the texts.
            self.runner.set_request_size(self.rules.limits.items);
        }
        let checks = answer::checks(answer, keys, (&self.model, request.latency_ms()), &mut self.names, cx);
        let items = self.runner.accept(request);
        for item in &items {
            self.clear_doubt(item.place());
        }
        let checks = checks.into_iter().map(|check| check.ok_or(MissingCheck::NoCategory));
        items.into_iter().zip(checks.chain(std::iter::repeat_with(|| Err(MissingCheck::NoResult)))).collect()
    }

    /// Takes in that a text of a refused list was answered alone. After the last one it is known that the list was
    /// refused and not a text.
    fn clear_doubt(&mut self, item: u32) {
        if let ListSupport::Doubted(left) = &mut self.lists
            && left.remove(&item)
            && left.is_empty()
        {
            self.refuse_lists("refuses several texts in one request".to_owned());
        }
    }

    fn refuse_lists(&mut self, why: String) {
        self.lists = ListSupport::Known;
        self.list_refusal = Some(why);
        self.runner.set_request_size(1);
    }

    /// Takes a failure. A list that may have been refused because it is one is sent text by text, one that has a bad
    /// text or is too long in halves.
    fn take_failure(&mut self, request: FailedRequest) -> CheckEvent {
        let why = request.why();
        if request.items().len() < 2 || !is_about_texts(why) {
            return CheckEvent::Failed(request);
        }
        let too_long = why.kind == FailureKind::TooLong || why.status == Some(413);
        if too_long || self.lists == ListSupport::Known {
            self.runner.fail(request);
            return CheckEvent::Pending;
        }
        if self.lists == ListSupport::Unknown {
            self.lists = ListSupport::Doubted(request.items().iter().copied().collect());
            self.runner.set_request_size(1);
        }
        // They stay single also when the doubt ends: the same list would be refused again.
        self.runner.resend_each(request);
        CheckEvent::Pending
    }

    /// Gives up the items of a failed request, and returns them.
    pub(super) fn give_up(&mut self, request: FailedRequest) -> Vec<u32> {
        let items = self.runner.give_up(request);
        self.end_doubt(&items);
        items
    }

    /// Sends the items of a failed request again or gives them up, as is usual for the failure.
    pub(super) fn fail(&mut self, request: FailedRequest) {
        let items = request.items().to_vec();
        self.runner.fail(request);
        self.end_doubt(&items);
    }

    /// Ends the doubt where one of these is a text of the refused list that was given up: the server may have refused
    /// the list because of it.
    fn end_doubt(&mut self, items: &[u32]) {
        if let ListSupport::Doubted(left) = &self.lists
            && items.iter().any(|item| left.contains(item) && !self.runner.is_left(*item))
        {
            self.lists = ListSupport::Known;
            self.runner.set_request_size(self.rules.limits.items);
        }
    }

    /// Notes in the settings that the server takes one text in a request, where this run has found that out. Returns
    /// why, if it is new.
    pub(super) fn note_list_support(&mut self, shared: &mut SharedSettings) -> Option<String> {
        let why = self.list_refusal.take()?;
        shared.use_single_requests(&self.model.profile).then_some(why)
    }
}

/// Returns whether a request may have failed because of its texts, or because they are several.
fn is_about_texts(why: &Failure) -> bool {
    matches!(why.kind, FailureKind::Refused | FailureKind::TooLong) && matches!(why.status, Some(400 | 413 | 422))
}

/// Returns the call that checks texts with a model.
pub(super) fn request<'a>(model: &ModelRef, texts: impl IntoIterator<Item = &'a Untrusted>) -> Call {
    let mut texts: Vec<String> = texts.into_iter().map(|text| text.raw().to_owned()).collect();
    let input = if texts.len() == 1 { Texts::One(texts.remove(0)) } else { Texts::Many(texts) };
    let model = Some(model.model.raw().to_owned()).filter(|model| !model.is_empty());
    Call::Moderate(Box::new(ModerationRequest { input, model }))
}
