//! Between the tab and the store and the work threads: what is kept, what is asked for, and what comes back.

use serde::{Deserialize, Serialize};

use std::collections::BTreeMap;

use super::compare;
use super::count;
use super::history::History;
use super::state::{Offered, Page, Request, State};
use super::text::DRAFT;
use crate::api::call::Ticket;
use crate::component::{Cx, Notice};
use crate::record::work::Done;
use crate::record::{CompletionParams, Id, Made, Query, Record, Rows, Sheet, Step, Stored, TurnStatus};
use crate::text::Untrusted;
use crate::tokens;

/// The setting that holds the sheet last open.
pub(super) const LAST: &str = "completion.sheet";
/// The setting that holds settings and models.
const SETTINGS: &str = "completion.settings";
/// Runs that are listed.
const RUNS: u32 = 10_000;

/// Settings as they are kept.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Settings {
    params: CompletionParams,
    /// Model by profile.
    models: BTreeMap<String, String>,
    heat: bool,
}

impl State {
    /// Asks for what is on disk.
    pub(super) fn ask_kept(&mut self, cx: &mut Cx) {
        for (query, asked) in [
            (Query::Setting(LAST.into()), Request::LastSheet),
            (Query::Setting(SETTINGS.into()), Request::Settings),
            (Query::Setting(compare::KEPT.into()), Request::Compare),
            (Query::Runs(RUNS), Request::Runs),
            (Query::Presets, Request::Presets),
        ] {
            let ticket = cx.load(query);
            self.pending.insert(ticket, asked);
        }
    }

    /// Asks for the tokens of what is shown, as far as they are not here.
    pub(super) fn ask_tokens(&mut self, cx: &mut Cx) {
        let mut wanted = Vec::new();
        for span in self.history.spans() {
            wanted.push(span.step);
            if let Some(Step { made: Made::Generated { run, .. }, .. }) = self.history.step(span.step) {
                wanted.push(*run);
            }
        }
        // A run that only scored its prompt wrote nothing.
        let here = self.history.current();
        wanted.extend(
            self.runs.iter().filter(|run| run.parent == here && run.params.echo == Some(true)).map(|run| run.id),
        );
        wanted.sort();
        wanted.dedup();
        let coming: Vec<Id> = self
            .pending
            .purposes()
            .filter_map(|asked| if let Request::Tokens(ids) = asked { Some(ids) } else { None })
            .flatten()
            .copied()
            .collect();
        wanted.retain(|id| !self.tokens.contains_key(id) && !coming.contains(id));
        if !wanted.is_empty() {
            let ticket = cx.load(Query::Tokens(wanted.clone()));
            self.pending.insert(ticket, Request::Tokens(wanted));
        }
    }

    /// Keeps all that is not kept yet; runs that wait for it go off when it is on disk.
    pub(super) fn keep(&mut self, cx: &mut Cx) {
        self.keep_due = None;
        let mut records = Vec::new();
        if std::mem::take(&mut self.settings_changed) {
            let settings =
                Settings { params: self.settings.params().clone(), models: self.models.clone(), heat: self.heat };
            let json = serde_json::to_string(&settings).expect("texts and numbers are always JSON");
            records.push(Record::Setting(SETTINGS.into(), json.into()));
        }
        if std::mem::take(&mut self.compare.changed) {
            records.push(Record::Setting(compare::KEPT.into(), self.compare.json().into()));
        }
        let unkept = std::mem::take(&mut self.unkept);
        if std::mem::take(&mut self.sheet_changed) || !unkept.is_empty() {
            // Nothing is kept of a sheet before something is on it.
            if self.history.len() > 0 || !unkept.is_empty() {
                records.push(Record::Sheet(self.sheet.clone()));
                records.push(Record::Setting(LAST.into(), self.sheet.id.0.to_string().into()));
            }
        }
        for id in unkept {
            records.extend(self.record_of(id));
        }
        if records.is_empty() {
            if self.unsaved.is_empty() && !self.orders.is_empty() {
                self.send_orders(cx);
            }
            return;
        }
        self.record(Record::Batch(records), cx);
    }

    /// What is kept of a step or a run. What the store has been given of a step that grows goes with it.
    fn record_of(&mut self, id: Id) -> Option<Record> {
        if let Some(step) = self.history.step(id) {
            let outputs = self.flights.iter_mut().flat_map(|flight| &mut flight.outputs);
            if let Some(output) = outputs.into_iter().find(|output| output.step == id) {
                output.saved = step.inserted.len();
            }
            return Some(Record::Step(Box::new(step.clone())));
        }
        self.runs.iter().find(|run| run.id == id).map(|run| Record::Run(Box::new(run.clone())))
    }

    /// Keeps something; the title says `saving…` until it is on disk.
    pub(super) fn record(&mut self, record: Record, cx: &mut Cx) {
        let ticket = cx.record(record);
        self.unsaved.push(ticket);
        self.pending.insert(ticket, Request::Save { mending: false });
    }

    /// As [`Self::record`], for what nothing but the order itself holds.
    pub(super) fn owe(&mut self, record: Record, cx: &mut Cx) {
        self.record(record.clone(), cx);
        self.owed.extend(self.unsaved.last().map(|ticket| (*ticket, record)));
    }

    /// The disk takes something again: all that this copy made is kept, whatever of it could not be before.
    fn mend(&mut self, cx: &mut Cx) {
        let mending = self.pending.any(|asked| *asked == Request::Save { mending: true });
        if self.save_error.is_none() || mending || !self.flights.is_empty() {
            return;
        }
        self.settings_changed = true;
        self.compare.changed = self.compare.setup().is_some();
        self.sheet_changed = true;
        self.unkept.extend(self.own.iter().copied());
        let before = self.unsaved.len();
        self.keep(cx);
        for ticket in &self.unsaved[before..] {
            self.pending.insert(*ticket, Request::Save { mending: true });
        }
        let mine = self.own.iter().filter_map(|id| Some((*id, self.tokens.get(id)?.clone())));
        let tokens: Vec<Record> = mine.map(|(of, tokens)| Record::Tokens { of, at: 0, tokens }).collect();
        for order in tokens {
            self.record(order, cx);
        }
        for order in std::mem::take(&mut self.lost) {
            self.owe(order, cx);
        }
    }

    /// Why something here is not on disk.
    pub(super) fn refusal(&self) -> Option<&Untrusted> {
        self.save_error.as_ref().or(self.waits.as_ref())
    }

    /// The disk refuses something for now: the store keeps it and offers it again.
    fn waits_for_disk(&mut self, ticket: Ticket, asked: Request, why: Untrusted) {
        self.pending.insert(ticket, asked);
        self.waits = Some(why);
    }

    pub(super) fn stored(&mut self, ticket: Ticket, stored: Stored, cx: &mut Cx) {
        let Some(asked) = self.pending.take(ticket) else { return };
        match (asked, stored) {
            (asked @ Request::Save { .. }, Stored::Waiting(why)) => {
                self.waits_for_disk(ticket, asked, why);
                if !self.orders.is_empty() {
                    self.unsent(cx);
                }
            }
            (Request::Save { mending }, stored) => {
                self.unsaved.retain(|other| *other != ticket);
                self.waits.take_if(|_| self.unsaved.is_empty());
                let owed = self.owed.remove(&ticket);
                if let Stored::Failed(why) = stored {
                    self.save_error = Some(why);
                    self.lost.extend(owed);
                    if !self.orders.is_empty() {
                        self.unsent(cx);
                    }
                    return;
                }
                if mending {
                    self.save_error = None;
                }
                self.mend(cx);
                if self.unsaved.is_empty() && !self.orders.is_empty() {
                    self.send_orders(cx);
                }
            }
            (asked, Stored::Rows(rows)) => {
                self.rows(asked, rows, cx);
                // It may have waited for the settings.
                self.take_offered(cx);
            }
            (Request::LastSheet | Request::Sheet(..), Stored::Failed(why)) => {
                self.is_loaded(cx);
                cx.notify(Notice::error(format!("what was here last could not be read: {}", why.line())));
            }
            (_, Stored::Failed(why)) => cx.notify(Notice::error(why)),
            (_, Stored::Committed | Stored::Waiting(_)) => {}
        }
    }

    fn rows(&mut self, asked: Request, rows: Rows, cx: &mut Cx) {
        match (asked, rows) {
            (Request::LastSheet, Rows::Setting(_, Some(id))) => match id.line().parse() {
                Ok(id) => self.load_sheet(Id(id), None, cx),
                Err(_) => self.is_loaded(cx),
            },
            (Request::LastSheet, _) => self.is_loaded(cx),
            (Request::Settings, Rows::Setting(_, Some(json))) if !self.settings_changed => {
                let Settings { params, models, heat } = serde_json::from_str(json.raw()).unwrap_or_default();
                self.settings.load(params);
                (self.models, self.heat) = (models, heat);
                self.count.changed(cx.now);
            }
            (Request::Compare, Rows::Setting(_, Some(json))) => self.compare.fill(json.raw()),
            (Request::Sheet(to), Rows::Sheet(sheet)) => self.opened(to, sheet, cx),
            (Request::Runs, Rows::Runs(runs)) => {
                // What was asked meanwhile is newer than all of them.
                let known: Vec<Id> = self.runs.iter().map(|run| run.id).collect();
                self.runs.extend(runs.into_iter().filter(|run| !known.contains(&run.id)));
                for run in &mut self.runs {
                    let live = self.flights.iter().any(|flight| flight.kept.id == run.id)
                        || self.orders.iter().any(|order| order.kept.id == run.id);
                    if run.status == TurnStatus::Streaming && !live {
                        run.status = TurnStatus::CutOff;
                        run.error = "the program ended meanwhile".into();
                    }
                }
                self.count_cut_off();
                self.ask_tokens(cx);
            }
            (Request::Presets, Rows::Presets(presets)) => self.presets.fill(presets),
            (Request::Tokens(_), Rows::Tokens(found)) => {
                for (of, tokens) in found {
                    self.tokens.entry(of).or_insert(tokens);
                }
                self.revision += 1;
            }
            _ => {}
        }
    }

    /// Opens a sheet; the run to show, if not what was left there.
    pub(super) fn load_sheet(&mut self, id: Id, to: Option<Id>, cx: &mut Cx) {
        // Until it is here nothing runs: what is asked for would be asked of the text before it.
        self.loaded = false;
        let ticket = cx.load(Query::Sheet(id));
        self.pending.insert(ticket, Request::Sheet(to));
    }

    fn opened(&mut self, to: Option<Id>, found: Option<(Sheet, Vec<Step>)>, cx: &mut Cx) {
        let Some((sheet, mut steps)) = found else {
            if to.is_some() {
                cx.notify(Notice::warn("this run's text is no longer in the store"));
            }
            return self.is_loaded(cx);
        };
        // What was typed before the first one came goes where the caret was; what was typed on the one before stays there.
        let typed = if to.is_none() { self.buffer.text() } else { String::new() };
        if to.is_some() {
            self.keep(cx);
        }
        self.tokens.clear();
        self.own.retain(|id| self.history.step(*id).is_none());
        self.unkept.retain(|id| self.history.step(*id).is_none());
        let mut caret = sheet.caret as usize;
        for step in &mut steps {
            if step.status == TurnStatus::Streaming {
                step.status = TurnStatus::CutOff;
                // The caret was kept when its text began, and stood behind what came since.
                if sheet.current == Some(step.id) {
                    caret = step.at as usize + step.inserted.len();
                }
            }
        }
        self.history = History::of(steps, sheet.current);
        self.sheet = sheet;
        if let Some(run) = to {
            let parent = self.runs.iter().find(|other| other.id == run).and_then(|run| run.parent);
            let parent = parent.filter(|step| self.history.step(*step).is_some());
            let there = self.history.output_of(run).or(parent);
            self.history.go(there);
            let last = there.and_then(|id| self.history.step(id));
            caret = last.map_or(0, |step| step.at as usize + step.inserted.len());
        }
        self.buffer.set_text(&self.history.text());
        self.buffer.set_caret(caret);
        self.page = Page::Buffer;
        // Of a text that was not run there is nothing to say.
        self.last = to.filter(|id| !self.runs.iter().any(|run| run.id == *id && run.model == DRAFT));
        self.revision += 1;
        self.count.changed(cx.now);
        if to.is_some() {
            self.moved(cx);
        }
        if !typed.is_empty() {
            let change = self.buffer.insert(&typed);
            self.changed(&change, cx);
        }
        self.count_cut_off();
        self.ask_tokens(cx);
        self.is_loaded(cx);
    }

    /// Of a run that the program's end cut off only the text is known: its tokens are counted by that.
    fn count_cut_off(&mut self) {
        for run in &mut self.runs {
            if run.status == TurnStatus::CutOff && run.completion_tokens == 0 && run.sheet == self.sheet.id {
                let texts = self.history.outputs_of(run.id);
                run.completion_tokens = texts.map(|step| tokens::estimate(step.inserted.raw())).sum();
                run.estimated = true;
            }
        }
    }

    /// What was here last has come, or there is none.
    fn is_loaded(&mut self, cx: &mut Cx) {
        self.loaded = true;
        self.take_offered(cx);
    }

    /// What another tab sent meanwhile is taken up.
    fn take_offered(&mut self, cx: &mut Cx) {
        match self.offered.take() {
            Some(Offered::Text(text)) => self.take_text(&text, cx),
            Some(Offered::Trial(trial)) => self.take_trial(*trial, cx),
            None => {}
        }
    }

    pub(super) fn worked(&mut self, ticket: Ticket, done: Done, cx: &mut Cx) {
        let Some(asked) = self.pending.take(ticket) else { return };
        match (asked, done) {
            (Request::Count { stamp }, done) => self.counted(stamp, count::exact(&done), cx),
            (Request::Tally { stamp, encoding }, done) => self.tallied(stamp, encoding, count::exact(&done), cx),
            (Request::Cut, done) => {
                if let Page::Tokens(page) = &mut self.page {
                    page.answer(done);
                }
            }
            (Request::Nudge(text, nudge), Done::Tokens(tokens)) => self.nudged(&text, nudge, tokens, cx),
            (_, Done::Failed(why)) => cx.notify(Notice::error(why)),
            _ => {}
        }
    }
}
