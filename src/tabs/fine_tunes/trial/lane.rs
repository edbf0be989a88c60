//! One model of the page: its request, its answer as it streams, what it used.

use std::time::{Duration, Instant};

use crate::api::call::{Call, Progress, Ticket};
use crate::component::{Cx, Session, money};
use crate::record::{Record, Token};
use crate::settings::ProfileId;
use crate::tabs::activity::ActivityOutcome;
use crate::tabs::columns;
use crate::tabs::generation::{RunPhase, RunTarget, RunUpdate, StreamingRun};
use crate::tabs::tab::RunMeter;
use crate::text::Untrusted;
use crate::ui::{meter, time};

/// How the last answer ended.
#[derive(Debug, Default)]
enum AnswerEnd {
    /// Nothing was asked yet, or the answer is still coming.
    #[default]
    Open,
    Done,
    Stopped,
    Failed(Untrusted),
}

/// What the last answer used.
#[derive(Debug)]
struct AnswerUse {
    meter: RunMeter,
    took: Duration,
    finish: Untrusted,
}

/// A model and its last answer.
#[derive(Debug, Default)]
pub(super) struct ModelLane {
    pub(super) model: Untrusted,
    /// Letter, model and role, as shown.
    pub(super) title: Untrusted,
    run: Option<StreamingRun>,
    text: Untrusted,
    /// What it reasoned, which is shown while there is no answer.
    reasoning: Untrusted,
    tokens: Vec<Token>,
    finish: Untrusted,
    end: AnswerEnd,
    used: Option<AnswerUse>,
    /// What stands under the answer, set whenever the page is arranged.
    pub(super) foot: String,
}

impl ModelLane {
    pub(super) fn new(model: Untrusted) -> Self {
        Self { model, ..Self::default() }
    }

    /// Returns the name that is sent.
    pub(super) fn name(&self) -> String {
        self.model.raw().to_owned()
    }

    /// Returns the answer so far.
    pub(super) fn text(&self) -> &Untrusted {
        &self.text
    }

    pub(super) fn is_busy(&self) -> bool {
        self.run.is_some()
    }

    /// Returns how the last answer ended.
    pub(super) fn outcome(&self) -> ActivityOutcome {
        match self.end {
            AnswerEnd::Open | AnswerEnd::Done => ActivityOutcome::Ended,
            AnswerEnd::Stopped => ActivityOutcome::Stopped,
            AnswerEnd::Failed(_) => ActivityOutcome::Failed,
        }
    }

    /// Sends a request; `prompt_tokens` are estimated.
    pub(super) fn ask(&mut self, profile: &ProfileId, call: Call, prompt_tokens: u64, cx: &mut Cx) {
        let (profile, model, price) = (profile.clone(), self.model.clone(), cx.session.price(profile, &self.model));
        let target = RunTarget { profile, model, price, prompt_tokens, estimated: true };
        let run = Some(StreamingRun::send(target, call, cx));
        *self = Self { title: std::mem::take(&mut self.title), run, ..Self::new(self.model.clone()) };
    }

    /// Tries a refused request again now. Returns whether it waited for that.
    pub(super) fn retry_now(&self, cx: &mut Cx) -> bool {
        self.run.as_ref().is_some_and(|run| run.retry_now(cx))
    }

    /// Stops the answer; the text that arrived stays. Returns its record for the ledger, where it used anything.
    pub(super) fn stop(&mut self, cx: &mut Cx) -> Option<Record> {
        let run = self.run.take()?;
        run.stop(cx);
        self.end = AnswerEnd::Stopped;
        self.finished(&run, false, cx)
    }

    /// Returns whether a call is this lane's.
    pub(super) fn owns(&self, ticket: Ticket) -> bool {
        self.run.as_ref().is_some_and(|run| run.owns(ticket))
    }

    /// Takes in what its call brings. Returns the record for the ledger when the answer ends.
    pub(super) fn handle_progress(&mut self, progress: &Progress, cx: &mut Cx) -> Option<Record> {
        match self.run.as_mut()?.handle_progress(progress.clone(), cx.now) {
            RunUpdate::Nothing | RunUpdate::Retrying(_) => {}
            RunUpdate::Parts(parts) => {
                for part in parts.into_iter().filter(|part| part.choice == 0) {
                    self.text.append(&part.content);
                    part.blocks.iter().for_each(|block| self.text.append(block.body()));
                    self.reasoning.append(&part.reasoning);
                    self.tokens.extend(part.tokens);
                    self.finish = part.finish_reason.unwrap_or_else(|| self.finish.clone());
                }
            }
            RunUpdate::Ended(end) => {
                let run = self.run.take()?;
                let ended = end.failure.is_none();
                self.end = end.failure.map_or(AnswerEnd::Done, |why| AnswerEnd::Failed(why.sentence));
                return self.finished(&run, ended, cx);
            }
        }
        None
    }

    fn finished(&mut self, run: &StreamingRun, ended: bool, cx: &mut Cx) -> Option<Record> {
        let figures = run.finish("Tune", ended, cx);
        let took = cx.now.saturating_duration_since(run.stream.started);
        self.used = Some(AnswerUse { meter: figures.meter, took, finish: std::mem::take(&mut self.finish) });
        figures.ledger
    }

    /// Returns tokens and cost of the last answer; `None`: nothing was asked.
    pub(super) fn meter(&self) -> Option<RunMeter> {
        self.run.as_ref().map(StreamingRun::meter).or(self.used.as_ref().map(|used| used.meter))
    }

    /// Returns what stands under the answer.
    pub(super) fn words(&self, session: &Session, now: Instant) -> String {
        let tokens = |meter: &RunMeter| {
            format!("{}▼{} tok", if meter.estimated { "~" } else { "" }, meter::count(meter.completion_tokens))
        };
        if let Some(run) = &self.run {
            let elapsed = now.saturating_duration_since(run.stream.started);
            if let RunPhase::Retrying { attempt, of, at, .. } = &run.stream.phase {
                let left = time::countdown(*at, now);
                return format!("attempt {attempt} of {of} in {left} · {} now", session.send_key());
            }
            let spin = meter::spinner(elapsed, session.motion);
            return format!("{spin} {} · {}", tokens(&run.meter()), time::duration(elapsed));
        }
        match (&self.end, &self.used) {
            (AnswerEnd::Failed(_), Some(used)) => {
                format!("{} retry · tab X removes it · {}", session.send_key(), time::duration(used.took))
            }
            // It was stopped before anything came.
            (_, Some(used)) if used.meter == RunMeter::default() => time::duration(used.took),
            (_, Some(used)) => {
                let finish = used.finish.line();
                let dot = if finish.is_empty() { "" } else { " · " };
                let cost = money::cost(used.meter.cost);
                format!("{} · {} · {cost}{dot}{finish}", tokens(&used.meter), time::duration(used.took))
            }
            (_, None) => format!("{} to ask", session.send_key()),
        }
    }

    /// Returns the lane as it is drawn.
    pub(super) fn column(&self) -> columns::Column<'_> {
        use columns::OutputState as S;
        let state = match (&self.run, &self.end) {
            (Some(run), _) => match &run.stream.phase {
                RunPhase::Waiting => S::Waiting,
                RunPhase::Retrying { why, .. } => S::Retrying(&why.sentence),
                RunPhase::Streaming => S::Streaming,
            },
            (None, AnswerEnd::Open) => S::Unsent,
            (None, AnswerEnd::Done) => S::Done,
            (None, AnswerEnd::Stopped) => S::Stopped,
            (None, AnswerEnd::Failed(why)) if self.text.is_empty() => S::Failed(why),
            (None, AnswerEnd::Failed(why)) => S::CutOff(why),
        };
        let text = if self.text.is_empty() { &self.reasoning } else { &self.text };
        columns::Column { title: &self.title, text, tokens: &self.tokens, foot: &self.foot, state, mean: None }
    }
}
