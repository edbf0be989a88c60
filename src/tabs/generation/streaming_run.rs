//! A streamed request from sending to its end, used for chat answers, completions and compared columns.

use std::time::{Duration, Instant};

use super::{Part, ResponseStream, RunEvent, RunPhase};
use crate::api::call::{Call, Failure, Progress, Ticket};
use crate::api::completion::Prompt;
use crate::component::{AnswerCost, Charge, Cx, OwnCount};
use crate::record::{Record, TurnStatus};
use crate::settings::ProfileId;
use crate::tabs::tab::RunMeter;
use crate::text::Untrusted;
use crate::tokens::Price;

/// Text is saved at least this often while it streams…
const SAVE_EVERY: Duration = Duration::from_secs(1);
/// …or when this much of a choice is new (bytes).
const SAVE_BYTES: usize = 4096;

/// Where a request goes and what is known of its tokens.
#[derive(Clone, Debug, PartialEq)]
pub struct RunTarget {
    /// The profile.
    pub profile: ProfileId,
    /// The model asked for.
    pub model: Untrusted,
    /// What the model's tokens cost there; `None`: unknown.
    pub price: Option<Price>,
    /// Tokens of the prompt, counted here.
    pub prompt_tokens: u64,
    /// Whether that count is an estimate.
    pub estimated: bool,
}

/// A request that streams: its call, what came of it, when that was saved last.
#[derive(Clone, Debug)]
pub struct StreamingRun {
    /// What came.
    pub stream: ResponseStream,
    target: RunTarget,
    last_saved: Instant,
}

/// What a piece of progress means for a run.
#[derive(Clone, Debug, PartialEq)]
pub enum RunUpdate {
    /// Nothing for its owner; the phase may be another.
    Nothing,
    /// An attempt failed for this reason; another one follows.
    Retrying(Failure),
    /// Text for choices, in order of arrival.
    Parts(Vec<Part>),
    /// The end: [`StreamingRun::finish`] has its figures.
    Ended(RunEnd),
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub struct RunEnd {
    /// Whether it is complete, stopped, cut off or failed.
    pub status: TurnStatus,
    /// Why it is not complete, where something failed.
    pub failure: Option<Failure>,
}

/// Which choices are saved at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SaveRound {
    /// Whether all of them are, and not only those with much that is new.
    pub all: bool,
}

impl SaveRound {
    /// Returns whether a choice with so many bytes that are not saved is saved now.
    pub fn takes(self, unsaved: usize) -> bool {
        unsaved > 0 && (self.all || unsaved >= SAVE_BYTES)
    }
}

/// The figures of a run that has ended.
#[derive(Clone, Debug)]
pub struct RunFigures {
    /// Tokens and cost; of what brought nothing there are none.
    pub meter: RunMeter,
    /// Whether anything came that is billed.
    pub answered: bool,
    /// Milliseconds to the first text; 0: none came.
    pub first_token_ms: u64,
    /// Milliseconds to the end.
    pub total_ms: u64,
    /// The cost in nano-dollars; `None`: unknown.
    pub cost_nano: Option<i64>,
    /// The record for the ledger, where there is something to bill.
    pub ledger: Option<Record>,
}

impl StreamingRun {
    /// Sends a request.
    pub fn send(target: RunTarget, call: Call, cx: &mut Cx) -> Self {
        let echoed = match &call {
            Call::Complete(request) if request.echo == Some(true) => match &request.prompt {
                Some(Prompt::Text(prompt)) => Some((prompt.clone(), request.suffix.clone().unwrap_or_default())),
                _ => None,
            },
            _ => None,
        };
        let ticket = cx.call_to(target.profile.clone(), call);
        let stream = match echoed {
            Some((prompt, suffix)) => ResponseStream::echoing(ticket, cx.now, prompt.into(), suffix.into()),
            None => ResponseStream::new(ticket, cx.now),
        };
        Self { stream, target, last_saved: cx.now }
    }

    /// Returns whether a reply is to this run's call.
    pub fn owns(&self, ticket: Ticket) -> bool {
        self.stream.ticket == ticket
    }

    /// Returns where it was sent.
    pub fn target(&self) -> &RunTarget {
        &self.target
    }

    /// Takes in a piece of progress of its call.
    pub fn handle_progress(&mut self, progress: Progress, now: Instant) -> RunUpdate {
        match self.stream.handle_progress(progress, now) {
            RunEvent::Phase => match &self.stream.phase {
                RunPhase::Retrying { why, .. } => RunUpdate::Retrying(why.clone()),
                RunPhase::Waiting | RunPhase::Streaming => RunUpdate::Nothing,
            },
            RunEvent::Parts(parts) => RunUpdate::Parts(parts),
            RunEvent::Closed(Ok(())) => RunUpdate::Ended(RunEnd { status: TurnStatus::Done, failure: None }),
            RunEvent::Closed(Err(why)) => {
                let began = self.stream.first_text.is_some();
                let status = if began { TurnStatus::CutOff } else { TurnStatus::Failed };
                RunUpdate::Ended(RunEnd { status, failure: Some(why) })
            }
        }
    }

    /// Returns whether a refused attempt waits for the next one.
    pub fn is_retrying(&self) -> bool {
        matches!(self.stream.phase, RunPhase::Retrying { .. })
    }

    /// Ends the countdown to the next attempt. Returns whether there was one.
    pub fn retry_now(&self, cx: &mut Cx) -> bool {
        let retrying = self.is_retrying();
        if retrying {
            cx.retry_now(self.stream.ticket);
        }
        retrying
    }

    /// Cancels the call. Returns how that ends the run: one that waited for another attempt has failed.
    pub fn stop(&self, cx: &mut Cx) -> RunEnd {
        cx.cancel(self.stream.ticket);
        let RunPhase::Retrying { why, .. } = &self.stream.phase else {
            return RunEnd { status: TurnStatus::Stopped, failure: None };
        };
        let failure = Failure { sentence: format!("given up: {}", why.sentence.line()).into(), ..why.clone() };
        RunEnd { status: TurnStatus::Failed, failure: Some(failure) }
    }

    /// Returns when text that is not saved is to be saved.
    pub fn save_due(&self) -> Instant {
        self.last_saved + SAVE_EVERY
    }

    /// Returns which choices are saved now; `all`: those with anything new.
    pub fn save_round(&mut self, now: Instant, all: bool) -> SaveRound {
        let all = all || now >= self.save_due();
        // A choice with much new text does not delay the others.
        if all {
            self.last_saved = now;
        }
        SaveRound { all }
    }

    /// Returns tokens and cost so far.
    pub fn cost(&self) -> AnswerCost {
        let RunTarget { prompt_tokens: prompt, estimated, price, .. } = self.target;
        AnswerCost::new(self.stream.usage, OwnCount { prompt, completion: self.stream.estimate(), estimated }, price)
    }

    /// Returns tokens and cost so far as the meter of the footer.
    pub fn meter(&self) -> RunMeter {
        self.cost().into()
    }

    /// Returns whether text or figures of the server's have come.
    pub fn is_answered(&self) -> bool {
        self.stream.first_text.is_some() || self.stream.usage.is_some()
    }

    /// Returns the figures of a run that has ended; `answered`: it is billed although neither text nor figures came.
    pub fn finish(&self, tab: &'static str, answered: bool, cx: &mut Cx) -> RunFigures {
        let answered = answered || self.is_answered();
        let cost = self.cost();
        let charge = Charge {
            tab,
            request_id: self.stream.request_id.clone(),
            profile: self.target.profile.clone(),
            model: self.target.model.clone(),
            cost,
        };
        let mut meter = RunMeter::default();
        let ledger = answered.then(|| charge.record(&mut meter, cx));
        RunFigures {
            meter,
            answered,
            first_token_ms: self.stream.to_first().map_or(0, |first| first.as_millis() as u64),
            total_ms: cx.now.saturating_duration_since(self.stream.started).as_millis() as u64,
            cost_nano: if answered { cost.nano() } else { Some(0) },
            ledger,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::call::{FailureKind, Reply};
    use crate::api::chat::{ChatChunk, ChatChunkChoice, ChatDelta};
    use crate::component::{Effect, Session};

    fn with<T>(effects: &mut Vec<Effect>, act: impl FnOnce(&mut Cx) -> T) -> T {
        let (session, mut tickets) = (Session::default(), effects.len() as u64);
        act(&mut Cx::new(&session, Instant::now(), 7, &mut tickets, effects))
    }

    fn run(effects: &mut Vec<Effect>) -> StreamingRun {
        let (profile, model) = (ProfileId("work".into()), "m".into());
        let target = RunTarget { profile, model, price: None, prompt_tokens: 5, estimated: false };
        with(effects, |cx| StreamingRun::send(target, Call::Chat(Box::default()), cx))
    }

    fn chunk(text: &str) -> Progress {
        let delta = ChatDelta { content: Some(text.to_owned()), ..ChatDelta::default() };
        let choices = vec![ChatChunkChoice { delta, ..ChatChunkChoice::default() }];
        Progress::Reply(Reply::ChatChunk(ChatChunk { choices, ..ChatChunk::default() }))
    }

    #[test]
    fn text_is_saved_each_second_or_when_much_is_new() {
        let mut run = run(&mut Vec::new());
        let start = run.last_saved;
        let round = run.save_round(start, false);
        assert_eq!((round.takes(SAVE_BYTES - 1), round.takes(SAVE_BYTES)), (false, true));
        let later = start + SAVE_EVERY;
        let round = run.save_round(later, false);
        assert_eq!((round.takes(0), round.takes(1)), (false, true));
        assert_eq!(run.save_due(), later + SAVE_EVERY);
        assert!(run.save_round(later, true).takes(1), "at the end");
    }

    #[test]
    fn what_ends_without_text_has_failed_and_what_ends_within_is_cut_off() {
        let (why, mut effects) = (Failure::new(FailureKind::Server, "broken"), Vec::new());
        let mut run = run(&mut effects);
        let now = run.stream.started;
        let closed = |run: &mut StreamingRun| match run.handle_progress(Progress::Closed(Err(why.clone())), now) {
            RunUpdate::Ended(end) => end.status,
            other => panic!("{other:?}"),
        };
        assert_eq!(closed(&mut run), TurnStatus::Failed);
        let unanswered = with(&mut effects, |cx| run.finish("Chat", false, cx));
        assert_eq!((unanswered.cost_nano, unanswered.ledger.is_none()), (Some(0), true));
        assert!(matches!(run.handle_progress(chunk("so far"), now), RunUpdate::Parts(parts) if parts.len() == 1));
        assert_eq!(closed(&mut run), TurnStatus::CutOff);
        let ledger = with(&mut effects, |cx| run.finish("Chat", false, cx)).ledger;
        let Some(Record::Ledger(ledger)) = ledger else { panic!("{ledger:?}") };
        assert_eq!((ledger.prompt_tokens, ledger.tab.as_str(), ledger.estimated), (5, "Chat", true));
    }

    #[test]
    fn a_stop_while_a_retry_waits_gives_up() {
        let mut effects = Vec::new();
        let mut run = run(&mut effects);
        assert!(!with(&mut effects, |cx| run.retry_now(cx)));
        let why = Failure::new(FailureKind::RateLimit, "too fast");
        let (attempt, of, at) = (2, 3, run.stream.started);
        let update = run.handle_progress(Progress::Retrying { attempt, of, at, why: why.clone() }, at);
        assert_eq!(update, RunUpdate::Retrying(why));
        assert!(with(&mut effects, |cx| run.retry_now(cx)));
        let end = with(&mut effects, |cx| run.stop(cx));
        assert_eq!(end.status, TurnStatus::Failed);
        assert_eq!(end.failure.unwrap().sentence.line(), "given up: too fast");
        assert!(matches!(effects.last(), Some(Effect::Cancel(_))));
    }
}
