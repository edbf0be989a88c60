//! One model of the page: its request, its answer as it streams, what it used.

use std::time::{Duration, Instant};

use crate::api::call::{Call, Progress, Ticket};
use crate::component::{Cx, Session, money};
use crate::record::{LedgerRow, Token};
use crate::settings::ProfileId;
use crate::tabs::columns;
use crate::tabs::generation::{News, Phase, Run};
use crate::tabs::tab::RunMeter;
use crate::text::Untrusted;
use crate::tokens::Price;
use crate::ui::meter;

/// How the last answer ended.
#[derive(Debug, Default)]
enum End {
    /// Nothing was asked yet, or the answer is still coming.
    #[default]
    Open,
    Done,
    Stopped,
    Failed(Untrusted),
}

/// What the last answer used.
#[derive(Debug)]
struct Used {
    meter: RunMeter,
    took: Duration,
    finish: Untrusted,
}

/// A model and its last answer.
#[derive(Debug)]
pub(super) struct Lane {
    pub(super) model: Untrusted,
    /// Letter, model and role, as shown.
    pub(super) title: Untrusted,
    run: Option<Run>,
    text: Untrusted,
    /// What it reasoned, which is shown while there is no answer.
    reasoning: Untrusted,
    tokens: Vec<Token>,
    finish: Untrusted,
    end: End,
    /// Tokens of the prompt, estimated, and what tokens cost.
    prompt: u64,
    price: Option<Price>,
    used: Option<Used>,
    /// What stands under the answer, made anew with each frame.
    pub(super) foot: String,
}

impl Lane {
    pub(super) fn new(model: Untrusted) -> Self {
        Self {
            model,
            title: Untrusted::default(),
            run: None,
            text: Untrusted::default(),
            reasoning: Untrusted::default(),
            tokens: Vec::new(),
            finish: Untrusted::default(),
            end: End::Open,
            prompt: 0,
            price: None,
            used: None,
            foot: String::new(),
        }
    }

    /// The name that is sent.
    pub(super) fn name(&self) -> String {
        self.model.raw().to_owned()
    }

    /// The answer so far.
    pub(super) fn text(&self) -> &Untrusted {
        &self.text
    }

    pub(super) fn is_busy(&self) -> bool {
        self.run.is_some()
    }

    /// Sends a request; `prompt`: its tokens, estimated.
    pub(super) fn ask(&mut self, profile: &ProfileId, call: Call, prompt: u64, cx: &mut Cx) {
        let ticket = cx.call_to(profile.clone(), call);
        let title = std::mem::take(&mut self.title);
        let price = cx.session.price(profile, &self.model);
        let run = Some(Run::new(ticket, cx.now));
        *self = Self { title, run, prompt, price, ..Self::new(self.model.clone()) };
    }

    /// Tries a refused request again now. Whether it waited for that.
    pub(super) fn hurry(&self, cx: &mut Cx) -> bool {
        let waiting = self.run.as_ref().filter(|run| matches!(run.phase, Phase::Retrying { .. }));
        waiting.is_some_and(|run| {
            cx.hurry(run.ticket);
            true
        })
    }

    /// Stops the answer; what came of it stays. Its line of the ledger, where it used anything.
    pub(super) fn stop(&mut self, profile: &ProfileId, cx: &mut Cx) -> Option<LedgerRow> {
        let run = self.run.take()?;
        cx.cancel(run.ticket);
        self.end = End::Stopped;
        self.finished(&run, false, profile, cx)
    }

    /// Whether a call is this lane's.
    pub(super) fn owns(&self, ticket: Ticket) -> bool {
        self.run.as_ref().is_some_and(|run| run.ticket == ticket)
    }

    /// Something about its call. Returns the line of the ledger when the answer ends.
    pub(super) fn progress(&mut self, progress: &Progress, profile: &ProfileId, cx: &mut Cx) -> Option<LedgerRow> {
        let run = self.run.as_mut()?;
        match run.progress(progress.clone(), cx.now) {
            News::Phase => {}
            News::Parts(parts) => {
                for part in parts.into_iter().filter(|part| part.choice == 0) {
                    self.text.append(&part.content);
                    part.blocks.iter().for_each(|block| self.text.append(block.body()));
                    self.reasoning.append(&part.reasoning);
                    self.tokens.extend(part.tokens);
                    self.finish = part.finish_reason.unwrap_or_else(|| self.finish.clone());
                }
            }
            News::Closed(end) => {
                let run = self.run.take()?;
                let ended = end.is_ok();
                self.end = end.map_or_else(|why| End::Failed(why.sentence), |()| End::Done);
                return self.finished(&run, ended, profile, cx);
            }
        }
        None
    }

    fn finished(&mut self, run: &Run, ended: bool, profile: &ProfileId, cx: &mut Cx) -> Option<LedgerRow> {
        let answered = ended || run.first_text.is_some() || run.usage.is_some();
        let meter = if answered { self.meter_of(run) } else { RunMeter::default() };
        let took = cx.now.saturating_duration_since(run.started);
        self.used = Some(Used { meter, took, finish: std::mem::take(&mut self.finish) });
        answered.then(|| LedgerRow {
            request_id: run.request_id.clone().unwrap_or_else(|| format!("benchtop-{}", cx.id().0).into()),
            at_ms: cx.unix_ms,
            profile: profile.0.clone(),
            tab: "Tune".into(),
            model: self.model.clone(),
            prompt_tokens: meter.prompt_tokens,
            completion_tokens: meter.completion_tokens,
            estimated: meter.estimated,
            cost_nano: run.cost(self.price, meter.prompt_tokens, meter.completion_tokens),
        })
    }

    fn meter_of(&self, run: &Run) -> RunMeter {
        let (prompt_tokens, own) = run.prompt_tokens(self.prompt);
        let (completion_tokens, estimated) = run.completion_tokens();
        let cost = run.cost(self.price, prompt_tokens, completion_tokens).into();
        RunMeter { prompt_tokens, completion_tokens, estimated: own || estimated, cost, texts: 0 }
    }

    /// Tokens and cost of the last answer; `None`: nothing was asked.
    pub(super) fn meter(&self) -> Option<RunMeter> {
        self.run.as_ref().map(|run| self.meter_of(run)).or(self.used.as_ref().map(|used| used.meter))
    }

    /// What stands under the answer.
    pub(super) fn words(&self, session: &Session, now: Instant) -> String {
        let tokens = |meter: &RunMeter| {
            format!("{}▼{} tok", if meter.estimated { "~" } else { "" }, meter::count(meter.completion_tokens))
        };
        if let Some(run) = &self.run {
            let elapsed = now.saturating_duration_since(run.started);
            if let Phase::Retrying { attempt, of, at, .. } = &run.phase {
                let left = at.saturating_duration_since(now).as_secs_f64().ceil();
                return format!("attempt {attempt} of {of} in {left} s · {} now", session.send_key());
            }
            let spin = meter::spinner(elapsed, session.motion);
            return format!("{spin} {} · {}", tokens(&self.meter_of(run)), meter::time(elapsed));
        }
        match (&self.end, &self.used) {
            (End::Failed(_), Some(used)) => {
                format!("{} asks again · tab X removes it · {}", session.send_key(), meter::time(used.took))
            }
            // It was stopped before anything came.
            (_, Some(used)) if used.meter == RunMeter::default() => meter::time(used.took),
            (_, Some(used)) => {
                let finish = used.finish.line();
                let dot = if finish.is_empty() { "" } else { " · " };
                let cost = money::cost(used.meter.cost);
                format!("{} · {} · {cost}{dot}{finish}", tokens(&used.meter), meter::time(used.took))
            }
            (_, None) => format!("{} asks it", session.send_key()),
        }
    }

    /// The lane as it is drawn.
    pub(super) fn column(&self) -> columns::Column<'_> {
        use columns::State as S;
        let state = match (&self.run, &self.end) {
            (Some(run), _) => match &run.phase {
                Phase::Waiting => S::Waiting,
                Phase::Retrying { why, .. } => S::Retrying(&why.sentence),
                Phase::Streaming => S::Streaming,
            },
            (None, End::Open) => S::Unsent,
            (None, End::Done) => S::Done,
            (None, End::Stopped) => S::Stopped,
            (None, End::Failed(why)) if self.text.is_empty() => S::Failed(why),
            (None, End::Failed(why)) => S::CutOff(why),
        };
        let text = if self.text.is_empty() { &self.reasoning } else { &self.text };
        columns::Column { title: &self.title, text, tokens: &self.tokens, foot: &self.foot, state, mean: None }
    }
}
