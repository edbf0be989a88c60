//! Sends the requests of a run and takes their answers, which are saved before they are shown.

use std::sync::Arc;

use super::answer::sort_out;
use super::embed_run::{EmbedRun, EmbeddedText, NO_ANSWER};
use super::state::RunState;
use crate::api::call::{Call, Failure, FailureKind, Progress, Reply, Ticket};
use crate::api::completion::Prompt;
use crate::api::embedding::{EmbeddingList, EmbeddingRequest};
use crate::component::{AnswerCost, Charge, Cx, OwnCount};
use crate::record::{Stored, TextKey};
use crate::settings::ProfileId;
use crate::tabs::activity::ActivityOutcome;
use crate::tabs::batch::{AnsweredRequest, BatchState, FailedRequest, RequestEvent, ResultOutbox};
use crate::text::Untrusted;

/// What the progress of a call means for the run.
#[derive(Debug)]
pub(super) enum RunUpdate {
    /// The call is under way.
    Pending,
    /// It has ended: these texts have no vector, and why.
    Ended(Vec<(TextKey, Untrusted)>),
    /// A run that a pane asked for has failed.
    Abandoned(Failure),
}

impl RunState {
    /// Returns whether a run is under way or about to be.
    pub(super) fn is_busy(&self) -> bool {
        self.job.as_ref().is_some_and(EmbedRun::is_busy)
    }

    /// Returns what is on its way to the disk, of this run and of earlier ones.
    pub(super) fn outboxes(&self) -> impl Iterator<Item = &ResultOutbox<EmbeddedText>> {
        self.job.iter().map(|job| &job.outbox).chain(self.unsaved.iter())
    }

    /// Takes the store's answer and returns the vectors that are on disk now; `None`: it is about something else.
    pub(super) fn handle_stored(&mut self, ticket: Ticket, stored: &Stored) -> Option<Vec<EmbeddedText>> {
        if let Some(vectors) = self.job.as_mut().and_then(|job| job.handle_stored(ticket, stored)) {
            return Some(vectors);
        }
        let results = self.unsaved.handle_stored(ticket, stored)?;
        Some(results.into_iter().map(|(_, result)| result).collect())
    }

    /// Ends the run and returns it; what came of it is still saved.
    pub(super) fn end(&mut self, cx: &mut Cx) -> Option<EmbedRun> {
        let mut job = self.job.take()?;
        self.ended = ActivityOutcome::Ended;
        if let Some(runner) = &mut job.runner {
            self.ended = runner.outcome();
            runner.stop(cx);
        }
        self.unsaved.add(std::mem::take(&mut job.outbox), cx);
        Some(job)
    }

    /// Sends what may be sent. Returns whether the run is over.
    pub(super) fn send(&mut self, cx: &mut Cx) -> bool {
        let Some(job) = self.job.as_mut().filter(|job| job.is_sending()) else { return false };
        let Some(mut runner) = job.runner.take() else { return false };
        let profile = ProfileId(job.key.profile.clone());
        runner.send(cx, |items| {
            let texts = items.iter().map(|item| job.item(*item));
            let input = texts.map(|item| item.text.raw().to_owned()).collect();
            let request = EmbeddingRequest {
                model: job.key.model.raw().to_owned(),
                input: Prompt::Texts(input),
                encoding_format: None,
                dimensions: job.key.dimensions,
                user: None,
            };
            (profile.clone(), Call::Embed(Box::new(request)))
        });
        let over = runner.state() == BatchState::Finished;
        job.runner = Some(runner);
        job.outbox.save(cx);
        over
    }

    /// Takes the progress of a call and returns what it means; `None`: the call is not one of the run.
    pub(super) fn handle_progress(&mut self, ticket: Ticket, progress: Progress, cx: &mut Cx) -> Option<RunUpdate> {
        let runner = self.job.as_mut().and_then(|job| job.runner.as_mut());
        let event = runner.and_then(|runner| runner.handle_progress(ticket, &progress, cx))?;
        match (event, progress) {
            (RequestEvent::Pending, Progress::Retrying { why, .. }) => self.failure = Some(why),
            (RequestEvent::Pending, Progress::Adapted(change)) => {
                self.job.iter_mut().for_each(|job| job.note_adapted(change.clone()));
            }
            (RequestEvent::Pending, _) => {}
            (RequestEvent::Answered(request), Progress::Reply(Reply::Embeddings(answer))) => {
                return self.take_answer(request, answer, cx);
            }
            (RequestEvent::Answered(request), _) => {
                return self.take_failure(request.reject(Failure::new(FailureKind::Malformed, NO_ANSWER)));
            }
            (RequestEvent::Failed(request), _) => return self.take_failure(request),
        }
        Some(RunUpdate::Pending)
    }

    /// Takes the failure of a request of the run: its texts are sent again, or given up.
    fn take_failure(&mut self, request: FailedRequest) -> Option<RunUpdate> {
        let job = self.job.as_mut()?;
        let runner = job.runner.as_mut()?;
        let (why, before) = (request.why().clone(), runner.failures().len());
        if job.key.dimensions.is_some() && names_dimensions(&why) {
            // It is about what was asked for, not about the texts: no half would do better.
            runner.resend(request);
            let said = "the model has a fixed length: choose its own with D, or cut the vectors here";
            runner.hold(said.into(), None);
        } else {
            runner.fail(request);
        }
        self.failure = Some(why.clone());
        let failed = runner.failures().iter().skip(before);
        let failed = failed.map(|failed| (failed.item, failed.why.clone())).collect();
        let (held, running) =
            (matches!(runner.state(), BatchState::Held { .. }), runner.state() == BatchState::Running);
        if held && !job.is_list() {
            return Some(RunUpdate::Abandoned(why));
        }
        self.unseen |= !running;
        Some(RunUpdate::Ended(job.give_up(failed)))
    }

    /// Takes an answer: its vectors go to the disk, and its cost to the ledger.
    fn take_answer(&mut self, request: AnsweredRequest, answer: EmbeddingList, cx: &mut Cx) -> Option<RunUpdate> {
        let job = self.job.as_mut()?;
        let mut runner = job.runner.take()?;
        let request_id = request.request_id().cloned();
        let items = runner.accept(request);
        let counted = items.iter().map(|item| u64::from(job.item(item.place()).tokens.unwrap_or(0)));
        let own = OwnCount { prompt: counted.sum(), completion: 0, estimated: true };
        self.failure = None;
        let charge = Charge {
            tab: "Embed",
            request_id,
            profile: ProfileId(job.key.profile.clone()),
            model: job.key.model.clone(),
            cost: AnswerCost::new(Some(answer.usage), own, job.price),
        };
        job.outbox.charge(charge, cx);
        self.meter = job.outbox.meter();
        let key = Arc::new(job.key.clone());
        let mut refused = Vec::new();
        let vectors = sort_out(answer, items.len());
        for (item, found) in items.into_iter().zip(vectors) {
            match found {
                Ok(vector) => {
                    let text = job.item(item.place()).key;
                    job.outbox.add(item, EmbeddedText { key: Arc::clone(&key), text, vector });
                }
                Err(why) => {
                    let why = Untrusted::from(why);
                    refused.push((item.place(), why.clone()));
                    runner.refuse(item, why);
                }
            }
        }
        job.runner = Some(runner);
        Some(RunUpdate::Ended(job.give_up(refused)))
    }
}

/// Returns whether a server refused the length that was asked for.
pub(super) fn names_dimensions(why: &Failure) -> bool {
    why.kind == FailureKind::Refused && (why.sentence.contains("dimension") || why.body.contains("dimension"))
}
