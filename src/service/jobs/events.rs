//! The messages of a job's events, in the interface's order: each change has its own, some have several.

use super::job::{Change, StepMetrics};
use crate::api::fine_tune::FineTuneEvent;

/// What the messages of a change say of its job.
#[derive(Clone, Copy, Debug)]
pub(super) struct EventContext<'a> {
    pub(super) id: &'a str,
    pub(super) epochs: u32,
    /// Steps in all; `None`: not known yet.
    pub(super) steps: Option<u64>,
    /// Whether it was in the queue before.
    pub(super) was_queued: bool,
}

/// Adds the messages of a change to a job.
pub(super) fn add_events(events: &mut Vec<FineTuneEvent>, at: i64, context: EventContext, change: &Change) {
    let level = if matches!(change, Change::Failed { .. }) { "error" } else { "info" };
    events.extend(messages(context, change).into_iter().map(|message| FineTuneEvent {
        object: "fine-tune-event".into(),
        created_at: at,
        level: level.into(),
        message,
    }));
}

fn messages(EventContext { id, epochs, steps, was_queued }: EventContext, change: &Change) -> Vec<String> {
    match change {
        Change::Created { .. } => vec![format!("Created fine-tune: {id}")],
        Change::Priced { nano, .. } => vec![format!("Fine-tune costs {}", dollars(*nano))],
        Change::Queued { place } if was_queued => vec![format!("Fine-tune is in the queue. Queue number: {place}")],
        Change::Queued { place } => vec![format!("Fine-tune enqueued. Queue number: {place}")],
        Change::Started { .. } => vec!["Fine-tune started".into()],
        Change::Resumed { epoch: 0 } => vec!["Fine-tune started again: the service had been stopped".into()],
        Change::Resumed { epoch } => {
            vec![format!("Fine-tune resumed after epoch {epoch}/{epochs}: the service had been stopped")]
        }
        Change::Step(metrics) => vec![step(metrics, steps)],
        Change::Epoch { number, .. } => vec![format!("Completed epoch {number}/{epochs}")],
        Change::Succeeded { model, result } => vec![
            format!("Uploaded model: {model}"),
            format!("Uploaded result file: {}", result.id),
            "Fine-tune succeeded".into(),
        ],
        Change::Failed { reason } => vec![format!("Fine-tune failed. Errors:\n{reason}")],
        Change::Cancelled => vec!["Fine-tune cancelled".into()],
        Change::Deleted => Vec::new(),
    }
}

/// Returns the message with a step's losses, the only place that the older interface has for them.
fn step(StepMetrics { step, train_loss, valid, .. }: &StepMetrics, steps: Option<u64>) -> String {
    let of = steps.map(|steps| format!("/{steps}")).unwrap_or_default();
    let valid = valid.map(|(loss, _)| format!(", validation loss {loss:.4}")).unwrap_or_default();
    format!("Step {step}{of}: training loss {train_loss:.4}{valid}")
}

/// Formats nano-dollars as the interface does, to the nearest cent: `$0.63`.
fn dollars(nano: i64) -> String {
    let cents = (nano + 5_000_000) / 10_000_000;
    format!("${}.{:02}", cents / 100, cents % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_has_two_decimals() {
        let written = [0, 4_999_999, 5_000_000, 630_000_000, 12_345_678_901].map(dollars);
        assert_eq!(written, ["$0.00", "$0.00", "$0.01", "$0.63", "$12.35"]);
    }
}
