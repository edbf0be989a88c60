//! Reads a job's events: its place in the queue, its progress, its cost, why it failed.

use std::collections::VecDeque;
use std::time::Duration;

use crate::api::job::{Job, JobEvent};
use crate::text::Untrusted;

/// Points of the course kept for the time left.
const POINTS: usize = 200;
/// Seconds of course that must be known before a time left is said.
const ENOUGH: i64 = 3;
/// Share that must be done before the time since the start says how long the rest takes.
const COARSE: f64 = 0.1;
/// Characters kept of a reason.
const REASON: usize = 2_000;

/// What one message says.
#[derive(Clone, Debug, PartialEq)]
enum ProgressEvent {
    Cost(i64),
    Queue(u64),
    Started,
    Epoch(u64, Option<u64>),
    Step(u64, Option<u64>),
    Failed(String),
    EndedJob,
}

/// All that a job's events have said so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct JobProgress {
    /// Nano-dollars.
    pub(super) cost: Option<i64>,
    /// Place in the queue.
    pub(super) queue: Option<u64>,
    /// Unix seconds.
    pub(super) started: Option<i64>,
    /// Epochs done, and of how many.
    pub(super) epoch: Option<(u64, Option<u64>)>,
    /// The last step, and of how many.
    pub(super) step: Option<(u64, Option<u64>)>,
    /// When it ended, in Unix seconds.
    pub(super) ended: Option<i64>,
    /// The last loss of validation, or of training where there is none of validation.
    pub(super) loss: Option<f64>,
    /// Why it failed.
    pub(super) failed: Option<Untrusted>,
    /// Whether it tells of losses of validation.
    validates: bool,
    /// Unix seconds and share done, oldest first.
    course: VecDeque<(i64, f64)>,
}

impl JobProgress {
    /// Takes in an event.
    pub(super) fn observe(&mut self, event: &JobEvent, job: &Job) {
        self.observe_loss(event);
        for word in words(event) {
            match word {
                ProgressEvent::Cost(nano) => self.cost = Some(nano),
                ProgressEvent::Queue(place) => self.queue = Some(place),
                ProgressEvent::Started => {
                    self.started.get_or_insert(event.created_at);
                    self.queue = None;
                    self.point(event.created_at, 0.0);
                }
                ProgressEvent::Epoch(done, of) => self.epoch = Some((done, of)),
                ProgressEvent::Step(at, of) => {
                    let of = of.or(self.step.and_then(|(_, of)| of));
                    self.step = Some((at, of));
                }
                ProgressEvent::EndedJob => self.ended = Some(event.created_at),
                ProgressEvent::Failed(why) => {
                    let why: String = why.chars().take(REASON).collect();
                    self.failed = Some(why.into());
                    continue;
                }
            }
            if let Some(share) = self.share(job) {
                self.point(event.created_at, share);
            }
        }
    }

    fn observe_loss(&mut self, event: &JobEvent) {
        let of = |names: &[&str]| {
            let found = event.metrics.iter().find(|(name, _)| names.contains(&name.as_str()));
            found.map(|(_, value)| *value).filter(|value| value.is_finite())
        };
        let validation = of(&["full_valid_loss", "valid_loss"]);
        self.validates |= validation.is_some();
        if let Some(loss) = validation.or_else(|| of(&["train_loss"]).filter(|_| !self.validates)) {
            self.loss = Some(loss);
        }
    }

    /// Returns what the loss is of.
    pub(super) fn loss_name(&self) -> &'static str {
        if self.validates { "validation loss" } else { "training loss" }
    }

    fn point(&mut self, at: i64, share: f64) {
        // What goes back (a run that began again) counts from there.
        if self.course.back().is_some_and(|(_, last)| share < *last) {
            self.course.clear();
        }
        if self.course.back().is_some_and(|(_, last)| share <= *last) {
            return;
        }
        self.course.push_back((at, share));
        if self.course.len() > POINTS {
            self.course.pop_front();
        }
    }

    /// Epochs done and of how many, where both are known.
    pub(super) fn epochs(&self, job: &Job) -> Option<(u64, u64)> {
        let (done, of) = self.epoch?;
        Some((done, of.or(job.settings.n_epochs.map(u64::from))?))
    }

    /// Returns how much of it is done, 0 to 1; `None`: not known.
    pub(super) fn share(&self, job: &Job) -> Option<f64> {
        let part = |(done, of): (u64, u64)| (of > 0).then(|| (done as f64 / of as f64).min(1.0));
        let steps = self.step.and_then(|(at, of)| part((at, of?)));
        let epochs = self.epochs(job).and_then(part);
        match (steps, epochs) {
            (Some(steps), Some(epochs)) => Some(steps.max(epochs)),
            (steps, epochs) => steps.or(epochs).or_else(|| self.started.map(|_| 0.0)),
        }
    }

    /// Returns how long it still takes at the rate of the last steps, at a moment (Unix seconds); `None`: not known
    /// yet.
    pub(super) fn left(&self, now: i64) -> Option<Duration> {
        let (to, last) = self.course.back()?;
        // What passed before the first step was no training. Before the first epoch that matters little.
        let trained = self.course.iter().find(|(_, share)| *share > 0.0)?;
        let (from, first) = if trained.0 < *to || *last < COARSE { trained } else { self.course.front()? };
        if to - from < ENOUGH || last <= first {
            return None;
        }
        let whole = (1.0 - last) * (to - from) as f64 / (last - first);
        let passed = now.saturating_sub(*to).max(0) as f64;
        Duration::try_from_secs_f64((whole - passed).max(0.0)).ok()
    }
}

/// Returns whether an event says nothing but how a step went.
pub fn is_step(event: &JobEvent) -> bool {
    // Other messages have a step's figures, too.
    let is_of_step = event.message.to_lowercase().starts_with("step ");
    let is_warning = matches!(event.level.as_str(), "warn" | "error");
    let words = words(event);
    is_of_step && !is_warning && !words.is_empty() && words.iter().all(|word| matches!(word, ProgressEvent::Step(..)))
}

/// Returns what a message says, and the figures beside it.
fn words(event: &JobEvent) -> Vec<ProgressEvent> {
    let message = event.message.as_str();
    let lower = message.to_lowercase();
    let mut words = Vec::new();
    let figure = |name: &str| {
        let found = event.metrics.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| *value).filter(|value| (0.0..1e15).contains(value)).map(|value| value as u64)
    };
    if let Some(step) = figure("step") {
        words.push(ProgressEvent::Step(step, figure("total_steps")));
    }
    if let Some(rest) = lower.strip_prefix("fine-tune costs $") {
        words.extend(nano(rest).map(ProgressEvent::Cost));
    } else if let Some((_, rest)) = lower.split_once("queue number: ") {
        words.extend(number(rest).map(|(place, _)| ProgressEvent::Queue(place)));
    } else if lower.starts_with("fine-tune started")
        || lower.starts_with("fine-tuning started")
        || lower.starts_with("fine-tuning job started")
    {
        words.push(ProgressEvent::Started);
    } else if let Some(rest) = lower.strip_prefix("completed epoch ") {
        words.extend(number(rest).map(|(done, of)| ProgressEvent::Epoch(done, of)));
    } else if let Some(rest) = lower.strip_prefix("step ") {
        if words.is_empty() {
            words.extend(number(rest).map(|(at, of)| ProgressEvent::Step(at, of)));
        } else if let (Some(ProgressEvent::Step(_, of @ None)), Some((_, found))) = (words.first_mut(), number(rest)) {
            *of = found;
        }
    } else if lower.starts_with("fine-tune failed") {
        let why = message.split_once("Errors:").map_or(message, |(_, why)| why);
        words.push(ProgressEvent::Failed(why.trim().to_owned()));
    } else if event.level == "error" {
        words.push(ProgressEvent::Failed(message.trim().to_owned()));
    }
    let over = ["succeeded", "failed", "cancelled", "canceled"];
    let end = lower.strip_prefix("fine-tune ").or_else(|| lower.strip_prefix("fine-tuning job "));
    if end.is_some_and(|end| over.iter().any(|word| end.starts_with(word)))
        || lower.starts_with("the job has successfully completed")
    {
        words.push(ProgressEvent::EndedJob);
    }
    words
}

/// Returns `1,240` or `91/910` at the beginning of a text.
fn number(text: &str) -> Option<(u64, Option<u64>)> {
    let whole = |text: &str| {
        let digits: String =
            text.chars().take_while(|c| c.is_ascii_digit() || *c == ',').filter(|c| *c != ',').collect();
        digits.parse::<u64>().ok()
    };
    let first = whole(text)?;
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == ',');
    Some((first, rest.strip_prefix('/').and_then(whole)))
}

/// Dollars as decimal text to nano-dollars, moved without floats.
fn nano(text: &str) -> Option<i64> {
    let text: String = text.chars().take_while(|c| c.is_ascii_digit() || matches!(c, '.' | ',')).collect();
    let text = text.replace(',', "");
    let text = text.trim_end_matches('.');
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let part: String = part.chars().take(9).collect();
    let part: i64 = format!("{part:0<9}").parse().ok()?;
    whole.parse::<i64>().ok()?.checked_mul(1_000_000_000)?.checked_add(part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::job::JobSettings;

    fn event(at: i64, message: &str) -> JobEvent {
        JobEvent { created_at: at, level: "info".into(), message: message.into(), ..JobEvent::default() }
    }

    fn after_messages(messages: &[(i64, &str)]) -> (JobProgress, Job) {
        let settings = JobSettings { n_epochs: Some(4), ..JobSettings::default() };
        let job = Job { settings, ..Job::default() };
        let mut progress = JobProgress::default();
        for (at, message) in messages {
            progress.observe(&event(*at, message), &job);
        }
        (progress, job)
    }

    #[test]
    fn the_interfaces_own_words_are_understood() {
        let (progress, job) = after_messages(&[
            (0, "Created fine-tune: ft-x"),
            (1, "Fine-tune costs $1,000.63"),
            (2, "Fine-tune enqueued. Queue number: 10"),
            (3, "Fine-tune is in the queue. Queue number: 9"),
        ]);
        assert_eq!((progress.cost, progress.queue), (Some(1_000_630_000_000), Some(9)));
        assert_eq!(progress.share(&job), None);
        let (progress, job) =
            after_messages(&[(10, "Fine-tune started"), (20, "Completed epoch 1/4"), (30, "Completed epoch 2/4")]);
        assert_eq!((progress.queue, progress.started, progress.epochs(&job)), (None, Some(10), Some((2, 4))));
        assert_eq!(progress.share(&job), Some(0.5));
        assert_eq!(progress.left(35), Some(Duration::from_secs(15)));
        assert_eq!(progress.left(90), Some(Duration::ZERO));
        let (progress, _) = after_messages(&[(0, "Fine-tune failed. Errors:\nline 3\nis bad")]);
        assert_eq!(progress.failed.map(|why| why.screen().into_owned()), Some("line 3\nis bad".into()));
    }

    #[test]
    fn steps_are_read_from_words_and_from_figures() {
        let (progress, job) =
            after_messages(&[(0, "Step 1,240: training loss 0.66"), (9, "Step 1,300: training loss 0.64")]);
        assert_eq!((progress.step, progress.share(&job), progress.left(9)), (Some((1300, None)), None, None));
        let (progress, job) =
            after_messages(&[(0, "Step 91/910: training loss=0.66"), (10, "Step 182/910: training loss=0.6")]);
        assert_eq!(progress.share(&job), Some(0.2));
        assert_eq!(progress.left(10), Some(Duration::from_secs(80)));
        // Until the first step the data was read.
        let mut messages = vec![
            (0, "Fine-tune started"),
            (50, "Step 1/100: training loss=0.66"),
            (52, "Step 2/100: training loss=0.6"),
        ];
        assert_eq!(after_messages(&messages).0.left(52), None, "too little is known");
        messages.push((60, "Step 11/100: training loss=0.5"));
        assert_eq!(after_messages(&messages).0.left(60), Some(Duration::from_secs(89)));
        let mut progress = JobProgress::default();
        let metrics = vec![("step".to_owned(), 5.0), ("total_steps".to_owned(), 50.0), ("train_loss".to_owned(), 1.0)];
        progress.observe(&JobEvent { metrics, ..event(1, "Step 5/50: training loss=1.0") }, &job);
        assert_eq!(progress.step, Some((5, Some(50))));
    }

    #[test]
    fn steps_are_told_from_all_that_matters_more() {
        assert!(is_step(&event(0, "Step 1,240: training loss 0.66")));
        assert!(is_step(&event(0, "Step 91/910: training loss=0.66")));
        for message in ["Completed epoch 1/4", "Fine-tune started", "Step x", "two\nlines", "Fine-tune succeeded", ""] {
            assert!(!is_step(&event(0, message)), "{message}");
        }
        let metrics = vec![("step".to_owned(), 5.0)];
        assert!(!is_step(&JobEvent { metrics, ..event(0, "The validation loss rises") }));
        for level in ["warn", "error"] {
            assert!(!is_step(&JobEvent { level: level.into(), ..event(0, "Step 5/50: the loss is not a number") }));
        }
    }

    #[test]
    fn odd_words_say_nothing_and_break_nothing() {
        for message in [
            "",
            "Step",
            "Step x",
            "Completed epoch /",
            "Fine-tune costs $",
            "Queue number: ",
            "Step 99999999999999999999",
        ] {
            let (progress, _) = after_messages(&[(0, message)]);
            assert_eq!(progress, JobProgress::default(), "{message}");
        }
        let (progress, job) =
            after_messages(&[(0, "Completed epoch 3/4"), (9, "Fine-tune started"), (10, "Completed epoch 1/4")]);
        assert_eq!(
            (progress.share(&job), progress.left(10)),
            (Some(0.25), None),
            "one that began anew is measured anew"
        );
        let (progress, job) = after_messages(&[(0, "Step 5/0")]);
        assert_eq!(progress.share(&job), None);
    }
}
