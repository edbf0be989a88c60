//! A row to try a tuned model with: the first of those that were held out of its training, else of those it learned from.
//!
//! The beginning of the file is looked at, for a moment; where it cannot be, the models are tried all the same.

use std::sync::Arc;

use super::score;
use crate::api::call::{Call, Content, Progress, Reply, Span, Ticket};
use crate::record::answers::{HeldOut, Source};
use crate::record::work::{Done, Work};
use crate::tabs::tab::Trial;
use crate::tabs::{Cx, Effect, Notice, Offer};

/// Bytes of the file that are looked at.
const LOOK: u64 = 64 << 10;

/// A trial that waits for its row.
#[derive(Debug)]
pub(super) struct Sample {
    trial: Trial,
    step: Step,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Fetching(Ticket),
    Reading(Ticket),
}

impl Sample {
    /// Looks for a row in this file of the trial's profile.
    pub(super) fn of(file: String, trial: Trial, cx: &mut Cx) -> Self {
        let span = Span { id: file, from: 0, most: LOOK };
        let ticket = cx.call_to(trial.profile.clone(), Call::Content(Box::new(span)));
        Self { trial, step: Step::Fetching(ticket) }
    }

    /// The call that is under way.
    pub(super) fn call(&self) -> Option<Ticket> {
        if let Step::Fetching(ticket) = self.step { Some(ticket) } else { None }
    }

    /// Hands the models on as they are.
    fn give(self, cx: &mut Cx) {
        cx.push(Effect::Offer(Offer::Compare(Box::new(self.trial))));
    }

    /// Takes the first row, and how answers end.
    fn take(&mut self, held: &HeldOut, cx: &mut Cx) {
        self.trial.chat = held.chat;
        let Some(row) = held.rows.first().filter(|_| !held.chat) else { return };
        self.trial.prompt = row.prompt.clone();
        self.trial.stop = score::stop_of(held.rows.iter().map(|row| row.wanted.raw())).into_iter().collect();
        let wanted = row.wanted.line();
        cx.notify(Notice::hint(format!("line {} of its file wants “{}”", row.line, wanted.trim())).about("try"));
    }
}

/// Something about a call. Whether it was the sample's.
pub(super) fn progress(sample: &mut Option<Sample>, ticket: Ticket, progress: &Progress, cx: &mut Cx) -> bool {
    let Some(waiting) = sample.as_mut().filter(|sample| sample.step == Step::Fetching(ticket)) else { return false };
    match progress {
        Progress::Reply(Reply::Content(content)) => {
            let source = Source::Bytes(Arc::from(whole_lines(content)));
            waiting.step = Step::Reading(cx.work(Work::Examples(source)));
            cx.cancel(ticket);
        }
        Progress::Closed(_) => sample.take().into_iter().for_each(|sample| sample.give(cx)),
        _ => {}
    }
    true
}

/// The work threads' answer. Whether the order was the sample's.
pub(super) fn worked(sample: &mut Option<Sample>, ticket: Ticket, done: &Done, cx: &mut Cx) -> bool {
    let Some(waiting) = sample.as_mut().filter(|sample| sample.step == Step::Reading(ticket)) else { return false };
    match done {
        Done::Moved { .. } => return true,
        Done::Examples(held) => waiting.take(held, cx),
        _ => {}
    }
    sample.take().into_iter().for_each(|sample| sample.give(cx));
    true
}

/// The lines that are there to their ends.
fn whole_lines(content: &Content) -> &[u8] {
    let bytes = content.bytes.as_slice();
    if content.total.is_some_and(|total| total <= bytes.len() as u64) || (bytes.len() as u64) < LOOK {
        return bytes;
    }
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    &bytes[..end]
}
