//! A run over many texts, whose checks are saved as they come.

use super::check_run::{CheckEvent, CheckRules, CheckRun};
use super::model_ref::ModelRef;
use super::shared_settings::SharedSettings;
use crate::api::call::{Failure, Progress, Ticket};
use crate::component::Cx;
use crate::record::{Check, Record, Stored, TextKey};
use crate::tabs::batch::{BatchItem, BatchLimits, BatchResult, ResultOutbox};
use crate::text::Untrusted;

/// Eight requests at a time, of at most so many texts and bytes.
const LIMITS: BatchLimits = BatchLimits { requests: 8, items: 16, weight: 32 << 10 };

/// A list of two may be a half of one that was answered with a wrong number of results: it tells nothing.
const RULES: CheckRules =
    CheckRules { limits: LIMITS, no_answer: "the answer contains no result; try again", conclusive_items: 3 };

impl BatchResult for Check {
    fn record(checks: Vec<Self>) -> Record {
        Record::Checks(checks)
    }
}

/// What the progress of a call means for a run.
#[derive(Debug)]
pub(super) enum SavingRunUpdate {
    /// The call continues.
    Pending,
    /// An answer has come.
    Answered,
    /// A request has failed: its texts are sent again, given up, or wait.
    Failed(Failure),
}

/// A run over many texts, and its checks on their way to the disk.
#[derive(Debug)]
pub(super) struct SavingRun {
    pub(super) model_run: CheckRun,
    pub(super) outbox: ResultOutbox<Check>,
}

impl SavingRun {
    /// Creates a run over these items; `skipped` rows had a result before.
    pub(super) fn new(
        model: ModelRef,
        items: impl IntoIterator<Item = BatchItem>,
        skipped: u64,
        shared: &SharedSettings,
    ) -> Self {
        let model_run = CheckRun::new(model, RULES, items, skipped, shared);
        Self { model_run, outbox: ResultOutbox::default() }
    }

    /// Adds an item after all others.
    pub(super) fn push(&mut self, item: BatchItem) {
        self.model_run.runner.push(item);
    }

    /// Sends what may be sent, and saves what has come; `subject` returns the text of an item.
    pub(super) fn pump<'a>(&mut self, subject: impl Fn(u32) -> (TextKey, &'a Untrusted), cx: &mut Cx) {
        self.model_run.send(subject, cx);
        self.outbox.save(cx);
    }

    /// Takes the progress of a call; `None`: it is not one of this run's.
    pub(super) fn handle_progress<'a>(
        &mut self,
        ticket: Ticket,
        progress: &Progress,
        subject: impl Fn(u32) -> (TextKey, &'a Untrusted),
        cx: &mut Cx,
    ) -> Option<SavingRunUpdate> {
        Some(match self.model_run.handle_progress(ticket, progress, subject, cx)? {
            CheckEvent::Pending => SavingRunUpdate::Pending,
            CheckEvent::Answered(charge, checks) => {
                self.outbox.charge(charge, cx);
                for (item, check) in checks {
                    match check {
                        Ok(check) => self.outbox.add(item, check),
                        Err(_) => {
                            let words = "the server's answer says nothing about this text; try it again";
                            self.model_run.runner.refuse(item, words.into());
                        }
                    }
                }
                SavingRunUpdate::Answered
            }
            CheckEvent::Failed(request) => {
                let why = request.why().clone();
                self.model_run.fail(request);
                SavingRunUpdate::Failed(why)
            }
        })
    }

    /// Takes the store's answer and returns the checks that are on disk now, each with its item; `None`: it is to
    /// somebody else.
    pub(super) fn handle_stored(&mut self, ticket: Ticket, stored: &Stored) -> Option<Vec<(u32, Check)>> {
        self.model_run.runner.handle_stored(&mut self.outbox, ticket, stored)
    }
}
