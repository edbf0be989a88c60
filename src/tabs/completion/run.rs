//! From asking to the end of a run: counted, kept, sent, written into the history as it comes.

use super::flight::{Flight, Order, Purpose};
use super::params::MAX_TOKENS;
use super::state::{Focus, State};
use super::{history, request};
use crate::api::call::{Call, Failure, Progress, Ticket};
use crate::api::completion::Prompt;
use crate::component::{Cx, Effect, Notice};
use crate::record::{CompletionParams, Id, LedgerRow, Made, Record, Run as Kept, Step, TurnStatus};
use crate::settings::ProfileId;
use crate::tabs::generation::limit::prompt_too_long;
use crate::tabs::generation::{News, Part, Phase, Run};
use crate::tabs::tab::RunMeter;
use crate::text::Untrusted;
use crate::tokens::{Fit, fit};

/// Bytes of the prompt that stand in the list of runs.
const EXCERPT: usize = 120;

/// One of the runs that are asked for at once.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Asking {
    pub(super) purpose: Purpose,
    pub(super) profile: ProfileId,
    pub(super) model: Untrusted,
    pub(super) params: CompletionParams,
    /// Tokens of the prompt, and whether they are a guess.
    pub(super) prompt_tokens: u64,
    pub(super) guessed: bool,
}

/// What a notice is about that says why a prompt was not sent.
const UNSENT: &str = "completion prompt";

impl State {
    /// Whether a run can be asked for; says why not.
    pub(super) fn can_run(&mut self, cx: &mut Cx) -> bool {
        if self.is_busy() {
            cx.notify(Notice::warn("a run is under way; esc stops it, then ^R runs again"));
            return false;
        }
        if !self.loaded {
            cx.notify(Notice::warn("the text is still being read; ^R again in a moment"));
            return false;
        }
        if self.model(cx.session).is_empty() && !cx.session.models.is_empty() {
            let said = "no model of this server completes texts, as far as their names tell; choose one all the same (m), \
                        or another profile (^P)";
            cx.notify(Notice::warn(said).about("model"));
            return false;
        }
        if self.model(cx.session).is_empty() {
            cx.notify(Notice::warn("no model is chosen yet; choose one, then ^R runs"));
            cx.push(Effect::ChooseModel);
            return false;
        }
        if let Err(why) = self.settings.check() {
            cx.notify(Notice::warn(why));
            return false;
        }
        true
    }

    /// Runs at the caret, with what follows it as the suffix.
    pub(super) fn run(&mut self, cx: &mut Cx) {
        if !self.can_run(cx) {
            return;
        }
        self.begin_ticking(cx.now);
        self.counting = true;
        // A text has at most as many tokens as bytes: a short one fits, however it is cut.
        let most = self.buffer.len() as u64 + self.settings.params().common.max_tokens.unwrap_or(MAX_TOKENS);
        let fits = self.context(cx.session).is_none_or(|context| most <= context);
        if fits || self.count.is_settled() {
            self.order(cx);
        } else {
            self.ask_count(cx);
            if self.count.is_settled() {
                self.order(cx);
            }
        }
    }

    /// The prompt is counted: it is refused here, or kept and then sent.
    pub(super) fn order(&mut self, cx: &mut Cx) {
        self.counting = false;
        if let Some(over) = self.over_limit(cx.session) {
            cx.notify(Notice::error(over));
            self.back_again(cx);
            return;
        }
        let ([prompt, suffix], guessed) = self.count.tokens();
        let asking = Asking {
            purpose: Purpose::Buffer,
            profile: cx.session.profile.clone(),
            model: self.model(cx.session),
            params: self.settings.params().clone(),
            prompt_tokens: prompt + suffix,
            guessed,
        };
        self.order_all(vec![asking], cx);
    }

    /// Why the prompt does not fit into the model's context; `None`: it does, or nobody knows.
    pub(super) fn over_limit(&mut self, session: &crate::component::Session) -> Option<String> {
        self.count.guess(&self.buffer);
        let ([prompt, suffix], guess) = self.count.tokens();
        let context = self.context(session).filter(|_| !guess)?;
        let most = self.settings.params().common.max_tokens.unwrap_or(MAX_TOKENS);
        let Fit::Over { cut, .. } = fit(prompt + suffix, most, Some(context)) else { return None };
        Some(prompt_too_long(prompt + suffix, most, cut, context))
    }

    /// Keeps what is asked for and sends it when it is on disk. The runs, in the same order.
    pub(super) fn order_all(&mut self, asking: Vec<Asking>, cx: &mut Cx) -> Vec<Id> {
        self.history.rest();
        self.clear_refusal();
        let mut runs = Vec::new();
        let caret = self.buffer.caret();
        let (prompt, suffix) = (self.buffer.slice(0..caret), self.buffer.slice(caret..self.buffer.len()));
        for Asking { purpose, profile, model, params, prompt_tokens, guessed } in asking {
            let name = cx.session.profiles.iter().find(|(id, _)| *id == profile).map(|(_, name)| name.clone());
            let kept = Kept {
                id: cx.id(),
                sheet: self.sheet.id,
                parent: self.history.current(),
                profile: name.unwrap_or_else(|| profile.0.as_str().into()),
                model: model.clone(),
                params: params.clone(),
                excerpt: excerpt(&prompt),
                status: TurnStatus::Streaming,
                error: Untrusted::default(),
                created_ms: cx.unix_ms,
                prompt_tokens,
                completion_tokens: 0,
                estimated: true,
                cost_nano: None,
                first_token_ms: 0,
                total_ms: 0,
            };
            let request = request::request(prompt.as_str(), suffix.as_str(), &params, &model);
            let price = cx.session.price(&profile, &model);
            runs.push(kept.id);
            self.runs.insert(0, kept.clone());
            self.own.insert(kept.id);
            self.unkept.insert(kept.id);
            self.orders.push(Order { kept, purpose, profile, request, at: caret, prompt_tokens, guessed, price });
        }
        self.last = None;
        self.begin_ticking(cx.now);
        self.keep(cx);
        runs
    }

    /// The prompts are on disk: off they go.
    pub(super) fn send_orders(&mut self, cx: &mut Cx) {
        self.again_from = None;
        cx.push(Effect::Settle(UNSENT));
        for order in std::mem::take(&mut self.orders) {
            let request = &order.request;
            let ticket = cx.call_to(order.profile.clone(), Call::Complete(Box::new(request.clone())));
            let run = match &request.prompt {
                Some(Prompt::Text(prompt)) if request.echo == Some(true) => {
                    let suffix = request.suffix.clone().unwrap_or_default();
                    Run::echoing(ticket, cx.now, prompt.as_str().into(), suffix.into())
                }
                _ => Run::new(ticket, cx.now),
            };
            self.flights.push(Flight::new(order, run, cx.now));
        }
        // What comes is looked at.
        self.focus = Focus::Browse;
        self.buffer.follow(true);
    }

    /// Nothing is sent, and why.
    pub(super) fn unsent(&mut self, cx: &mut Cx) {
        for order in std::mem::take(&mut self.orders) {
            self.runs.retain(|run| run.id != order.kept.id);
            self.unkept.remove(&order.kept.id);
            // It may be on disk all the same, as one under way.
            let error = "the prompt could not be saved and was not sent".into();
            let kept = Kept { status: TurnStatus::Failed, error, cost_nano: Some(0), prompt_tokens: 0, ..order.kept };
            self.owe(Record::Run(Box::new(kept)), cx);
        }
        cx.notify(Notice::error("The prompt could not be saved and was not sent; ^R sends it").about(UNSENT));
        self.back_again(cx);
    }

    pub(super) fn progress(&mut self, ticket: Ticket, progress: Progress, cx: &mut Cx) {
        let Some(at) = self.flights.iter().position(|flight| flight.ticket() == ticket) else { return };
        let flight = &mut self.flights[at];
        match flight.run.progress(progress, cx.now) {
            News::Phase => {
                if let Phase::Retrying { why, .. } = &flight.run.phase {
                    self.failures.insert(flight.kept.id, why.clone());
                }
            }
            News::Parts(parts) => {
                for part in parts {
                    self.part(at, part, cx);
                }
                self.save_flights(false, cx);
            }
            News::Closed(Ok(())) => self.finish(at, TurnStatus::Done, None, cx),
            News::Closed(Err(why)) => {
                let begun = flight.run.first_text.is_some();
                let status = if begun { TurnStatus::CutOff } else { TurnStatus::Failed };
                self.finish(at, status, Some(why), cx);
            }
        }
    }

    /// Adds text to a choice's step, which is made when its first text comes.
    fn part(&mut self, at: usize, part: Part, cx: &mut Cx) {
        let flight = &mut self.flights[at];
        // Each choice brings a copy of them.
        if !part.prompt.is_empty() && !self.tokens.contains_key(&flight.kept.id) {
            self.tokens.insert(flight.kept.id, part.prompt);
            self.revision += 1;
        }
        let step = match flight.output(part.choice) {
            Some(output) => output.step,
            None if part.content.is_empty() && part.tokens.is_empty() => {
                self.empty_reasons.extend(part.finish_reason.map(|reason| (flight.kept.id, reason)));
                return;
            }
            None => self.output(at, part.choice, cx),
        };
        if !part.tokens.is_empty() {
            self.tokens.entry(step).or_default().extend(part.tokens);
        }
        if let Some(splice) = self.history.grow(step, &part.content) {
            self.buffer.splice_along(splice.range.clone(), splice.text.raw());
            self.sheet.caret = self.buffer.caret() as u64;
            self.count.changed(cx.now);
        }
        self.revision += 1;
        if let (Some(reason), Some(step)) = (part.finish_reason, self.history.step_mut(step)) {
            step.finish_reason = reason;
        }
    }

    /// Makes the step of a choice whose first text comes. The buffer goes on with the first one of its run.
    fn output(&mut self, at: usize, choice: u32, cx: &mut Cx) -> Id {
        let flight = &mut self.flights[at];
        let id = cx.id();
        let made = Made::Generated { run: flight.kept.id, choice };
        let step = history::step(id, flight.kept.sheet, flight.kept.parent, made, flight.at, cx.unix_ms);
        let step = Step { status: TurnStatus::Streaming, ..step };
        let first = flight.outputs.is_empty() && flight.purpose == Purpose::Buffer;
        flight.outputs.push(super::flight::Output { choice, step: id, saved: 0, tokens_saved: 0 });
        let here = first && self.history.current() == flight.kept.parent;
        if here {
            self.history.push(step);
        } else {
            self.history.put(step);
        }
        self.own.insert(id);
        self.unkept.insert(id);
        if here {
            self.moved(cx);
        }
        // Its row is there before its text grows.
        self.keep(cx);
        id
    }

    /// Gives the store what is new of all runs.
    pub(super) fn save_flights(&mut self, at_once: bool, cx: &mut Cx) {
        let mut orders = Vec::new();
        for flight in &mut self.flights {
            let tokens = |id: Id| self.tokens.get(&id).map_or(&[][..], Vec::as_slice);
            orders.extend(flight.save(&self.history, tokens, cx.now, at_once));
        }
        for order in orders {
            self.record(order, cx);
        }
    }

    /// A run has ended, well or not: its figures, its last words to the store, its line in the ledger.
    pub(super) fn finish(&mut self, at: usize, status: TurnStatus, why: Option<Failure>, cx: &mut Cx) {
        for part in self.flights[at].run.rest() {
            self.part(at, part, cx);
        }
        self.save_flights(true, cx);
        let flight = self.flights.remove(at);
        if status == TurnStatus::Done && flight.run.lacks_echo() {
            self.unechoed.insert(flight.kept.id);
        }
        let meter = flight.meter();
        let RunMeter { prompt_tokens: prompt, completion_tokens: completion, estimated, .. } = meter;
        // A prompt that was only scored was read and is billed.
        let scored = self.tokens.contains_key(&flight.kept.id);
        let ended = status == TurnStatus::Done;
        let answered = flight.run.first_text.is_some() || flight.run.usage.is_some() || scored || ended;
        let mut kept = flight.kept.clone();
        if !flight.run.model.is_empty() {
            kept.model.clone_from(&flight.run.model);
        }
        kept.status = status;
        kept.error = match &why {
            Some(why) => why.sentence.clone(),
            None => flight.run.left_out().unwrap_or_default().into(),
        };
        kept.prompt_tokens = if answered { prompt } else { 0 };
        kept.completion_tokens = completion;
        kept.estimated = answered && estimated;
        kept.cost_nano = if answered { flight.run.cost(flight.price, prompt, completion) } else { Some(0) };
        kept.first_token_ms = flight.run.to_first().map_or(0, |first| first.as_millis() as u64);
        kept.total_ms = cx.now.saturating_duration_since(flight.run.started).as_millis() as u64;
        for output in &flight.outputs {
            if let Some(step) = self.history.step_mut(output.step) {
                // A choice that came to its end has, however the others ended.
                step.status = if step.finish_reason.is_empty() { status } else { TurnStatus::Done };
                self.unkept.insert(output.step);
            }
        }
        if answered {
            let row = LedgerRow {
                request_id: flight.run.request_id.clone().unwrap_or_else(|| format!("benchtop-{}", cx.id().0).into()),
                at_ms: cx.unix_ms,
                profile: flight.profile.0.clone(),
                tab: "Complete".into(),
                model: flight.kept.model.clone(),
                prompt_tokens: prompt,
                completion_tokens: completion,
                estimated: kept.estimated,
                cost_nano: kept.cost_nano,
            };
            self.owe(Record::Ledger(row), cx);
            self.meter = Some(meter);
        }
        match why {
            Some(why) => {
                match flight.purpose {
                    Purpose::Buffer => drop(self.settings.refused(&why)),
                    Purpose::Column(at) => self.compare.refused(at, &why),
                }
                self.failures.insert(kept.id, why);
                self.unseen = true;
            }
            None => drop(self.failures.remove(&kept.id)),
        }
        if flight.purpose == Purpose::Buffer {
            self.last = Some(kept.id);
        }
        self.unkept.insert(kept.id);
        if let Some(run) = self.runs.iter_mut().find(|run| run.id == kept.id) {
            *run = kept;
        }
        if flight.purpose != Purpose::Buffer {
            self.meter = self.compare_meter();
        }
        self.revision += 1;
        self.sheet_changed = true;
        self.keep(cx);
    }

    /// Stops what runs; what came is kept. Whether there was anything to stop.
    pub(super) fn stop(&mut self, cx: &mut Cx) -> bool {
        let busy = self.is_busy();
        self.counting = false;
        self.compare.give_up();
        for order in std::mem::take(&mut self.orders) {
            // It is on its way to the disk, and was not sent.
            if let Some(run) = self.runs.iter_mut().find(|run| run.id == order.kept.id) {
                (run.status, run.prompt_tokens, run.cost_nano) = (TurnStatus::Stopped, 0, Some(0));
                self.unkept.insert(run.id);
                self.keep_due = Some(cx.now);
            }
        }
        while !self.flights.is_empty() {
            self.stop_at(0, cx);
        }
        busy
    }

    /// Stops one run.
    pub(super) fn stop_at(&mut self, at: usize, cx: &mut Cx) {
        let flight = &self.flights[at];
        cx.cancel(flight.ticket());
        if let Phase::Retrying { why, .. } = &flight.run.phase {
            let why = Failure { sentence: format!("given up: {}", why.sentence.line()).into(), ..why.clone() };
            self.finish(at, TurnStatus::Failed, Some(why), cx);
        } else {
            self.finish(at, TurnStatus::Stopped, None, cx);
        }
    }

    /// Ends the countdowns of retries. Whether there was one.
    pub(super) fn hurry(&mut self, cx: &mut Cx) -> bool {
        let counting: Vec<Ticket> =
            self.flights.iter().filter(|flight| flight.is_counting()).map(Flight::ticket).collect();
        for ticket in &counting {
            cx.hurry(*ticket);
        }
        !counting.is_empty()
    }
}

/// Last words of a prompt.
pub(super) fn excerpt(prompt: &str) -> Untrusted {
    let from = prompt.ceil_char_boundary(prompt.len().saturating_sub(EXCERPT));
    prompt[from..].into()
}
