//! Exchanges data with the store and the work threads: saves, loads, and takes their answers.

use serde::{Deserialize, Serialize};

use super::history::EditHistory;
use super::lacking::Lacking;
use super::models::ChosenModels;
use super::presets::LoadedPresets;
use super::state::{OfferedWork, Page, Request, State};
use super::text_actions::DRAFT;
use crate::api::call::Ticket;
use crate::component::{Cx, Notice};
use crate::record::work::Done;
use crate::record::{CompletionParams, Id, Made, Query, Record, Rows, Sheet, Step, Stored, TurnStatus};

/// The setting that holds the sheet last open.
pub(super) const LAST: &str = "completion.sheet";
/// The setting that holds settings and models.
const SETTINGS: &str = "completion.settings";
/// Runs that are listed.
const RUNS: u32 = 10_000;

/// Settings as they are kept.
#[derive(Debug, Serialize, Deserialize)]
#[serde(default)]
struct SavedSettings {
    params: CompletionParams,
    /// The defaults of the model in use, as they were taken into the settings.
    defaults: CompletionParams,
    models: ChosenModels,
    heat: bool,
    lacking: Lacking,
    /// The sheet last open, and the presets loaded on it: the settings came from them.
    sheet: Option<Id>,
    presets: LoadedPresets,
}

impl Default for SavedSettings {
    fn default() -> Self {
        Self {
            params: CompletionParams::default(),
            defaults: CompletionParams::default(),
            models: ChosenModels::default(),
            heat: true,
            lacking: Lacking::default(),
            sheet: None,
            presets: LoadedPresets::default(),
        }
    }
}

impl State {
    /// Asks for what is on disk.
    pub(super) fn load_saved(&mut self, cx: &mut Cx) {
        for (query, asked) in [
            (Query::Setting(LAST.into()), Request::LastSheet),
            (Query::Setting(SETTINGS.into()), Request::Settings),
            (Query::Runs(RUNS), Request::Runs),
            (Query::Presets, Request::Presets),
        ] {
            let ticket = cx.load(query);
            self.pending.insert(ticket, asked);
        }
        self.compare.load(cx);
    }

    /// Asks for the tokens of what is shown, as far as they are not here.
    pub(super) fn ask_tokens(&mut self, cx: &mut Cx) {
        let mut wanted = Vec::new();
        for span in self.text.history.spans() {
            wanted.push(span.step);
            if let Some(Step { made: Made::Generated { run, .. }, .. }) = self.text.history.step(span.step) {
                wanted.push(*run);
            }
        }
        // A run that only scored its prompt wrote nothing.
        let here = self.text.history.current();
        wanted.extend(
            self.log.runs.iter().filter(|run| run.parent == here && run.params.echo == Some(true)).map(|run| run.id),
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
        wanted.retain(|id| !self.scores.tokens.contains_key(id) && !coming.contains(id));
        if !wanted.is_empty() {
            let ticket = cx.load(Query::Tokens(wanted.clone()));
            self.pending.insert(ticket, Request::Tokens(wanted));
        }
    }

    /// Saves all that is not saved yet; `None`: there is nothing.
    pub(super) fn save(&mut self, cx: &mut Cx) -> Option<Ticket> {
        self.saves.due = None;
        let mut records = Vec::new();
        if std::mem::take(&mut self.saves.settings_changed) {
            let settings = SavedSettings {
                params: self.settings.params().clone(),
                defaults: self.settings.defaults().clone(),
                models: self.models.clone(),
                heat: self.scores.heat,
                lacking: self.log.lacking.clone(),
                sheet: Some(self.text.sheet.id),
                presets: self.presets.loaded.clone(),
            };
            let json = serde_json::to_string(&settings).expect("texts and numbers are always JSON");
            records.push(Record::Setting(SETTINGS.into(), json.into()));
        }
        records.extend(self.compare.take_record());
        let dirty = std::mem::take(&mut self.saves.dirty);
        let sheet_changed = std::mem::take(&mut self.saves.sheet_changed);
        // Nothing is saved of a sheet before something is on it.
        if !dirty.is_empty() || (sheet_changed && self.text.history.len() > 0) {
            records.push(Record::Sheet(self.text.sheet.clone()));
            records.push(Record::Setting(LAST.into(), self.text.sheet.id.0.to_string().into()));
        }
        for id in dirty {
            records.extend(self.record_of(id));
        }
        (!records.is_empty()).then(|| self.saves.records.save(Record::Batch(records), cx))
    }

    /// Returns the record of a step or a run. What came of a step that grows is in it.
    fn record_of(&mut self, id: Id) -> Option<Record> {
        if let Some(step) = self.text.history.step(id) {
            let mut outputs = self.active.runs.iter_mut().flat_map(|active| &mut active.outputs);
            if let Some(output) = outputs.find(|output| output.step == id) {
                output.saved = step.inserted.len();
            }
            return Some(Record::Step(Box::new(step.clone())));
        }
        self.log.find(id).map(|run| Record::Run(Box::new(run.clone())))
    }

    /// Takes in an answer of the store. Returns whether it was asked here.
    pub(super) fn handle_stored(&mut self, ticket: Ticket, stored: Stored, cx: &mut Cx) -> bool {
        let saved = self.saves.records.stored(ticket, &stored);
        if self.compare.stored(ticket, &stored, cx) {
            self.take_offered(cx);
            return true;
        }
        let Some(request) = self.pending.take(ticket) else { return saved };
        match (request, stored) {
            (Request::Prompt, Stored::Committed) => self.send_queued(cx),
            // The store keeps it; it is not sent when it is on disk some time later.
            (Request::Prompt, _) => self.give_up_queued(cx),
            (request, Stored::Rows(rows)) => {
                self.take_rows(request, rows, cx);
                // It may have waited for the settings.
                self.take_offered(cx);
            }
            (Request::LastSheet | Request::Sheet(..), Stored::Failed(why)) => {
                self.finish_loading(cx);
                cx.notify(Notice::error(format!("the last text could not be read: {}", why.line())));
            }
            (_, Stored::Failed(why)) => cx.notify(Notice::error(why)),
            (_, Stored::Committed | Stored::Waiting(_)) => {}
        }
        true
    }

    fn take_rows(&mut self, asked: Request, rows: Rows, cx: &mut Cx) {
        match (asked, rows) {
            (Request::LastSheet, Rows::Setting(_, Some(id))) => match id.line().parse() {
                Ok(id) => self.load_sheet(Id(id), None, cx),
                Err(_) => self.finish_loading(cx),
            },
            (Request::LastSheet, _) => self.finish_loading(cx),
            (Request::Settings, Rows::Setting(_, Some(json))) if !self.saves.settings_changed => {
                let saved: SavedSettings = serde_json::from_str(json.raw()).unwrap_or_default();
                self.settings.restore(saved.params, saved.defaults);
                (self.models, self.scores.heat, self.log.lacking) = (saved.models, saved.heat, saved.lacking);
                self.startup.presets = saved.sheet.map(|sheet| (sheet, saved.presets));
                self.restore_title();
                self.text.count.changed(cx.now);
            }
            (Request::Sheet(to), Rows::Sheet(sheet)) => self.sheet_loaded(to, sheet, cx),
            (Request::Runs, Rows::Runs(runs)) => {
                self.log.add_stored(runs, &self.active);
                self.log.count_cut_off(self.text.sheet.id, &self.text.history);
                self.ask_tokens(cx);
            }
            (Request::Presets, Rows::Presets(presets)) => self.presets.fill(presets),
            (Request::Tokens(_), Rows::Tokens(found)) => {
                for (of, tokens) in found {
                    self.scores.tokens.entry(of).or_insert(tokens);
                }
                self.text.revision += 1;
            }
            _ => {}
        }
    }

    /// Opens a sheet; the run to show, if not what was left there.
    pub(super) fn load_sheet(&mut self, id: Id, to: Option<Id>, cx: &mut Cx) {
        // Until it is here nothing is running: what is asked for would be asked of the text before it.
        self.startup.loaded = false;
        let ticket = cx.load(Query::Sheet(id));
        self.pending.insert(ticket, Request::Sheet(to));
    }

    fn sheet_loaded(&mut self, to: Option<Id>, found: Option<(Sheet, Vec<Step>)>, cx: &mut Cx) {
        let Some((sheet, mut steps)) = found else {
            if to.is_some() {
                cx.notify(Notice::warn("this run's text is no longer in the store"));
            }
            return self.finish_loading(cx);
        };
        // What was typed before the first one came goes where the caret was; what was typed on the one before stays
        // there.
        let typed = if to.is_none() { self.text.buffer.text() } else { String::new() };
        if to.is_some() {
            self.save(cx);
        }
        self.scores.tokens.clear();
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
        self.text.history = EditHistory::of(steps, sheet.current);
        self.text.sheet = sheet;
        if let Some(run) = to {
            let parent = self.log.find(run).and_then(|run| run.parent);
            let parent = parent.filter(|step| self.text.history.step(*step).is_some());
            let there = self.text.history.output_of(run).or(parent);
            self.text.history.go_to(there);
            let last = there.and_then(|id| self.text.history.step(id));
            caret = last.map_or(0, |step| step.at as usize + step.inserted.len());
        }
        self.text.buffer.set_text(&self.text.history.text());
        self.text.buffer.set_caret(caret);
        self.page = Page::Buffer;
        // Of a text that was not run there is nothing to say.
        self.log.shown = to.filter(|id| self.log.find(*id).is_none_or(|run| run.model != DRAFT));
        self.text.revision += 1;
        self.text.count.changed(cx.now);
        if to.is_some() {
            self.step_changed(cx);
        }
        if !typed.is_empty() {
            let change = self.text.buffer.insert(&typed);
            self.changed(&change, cx);
        }
        self.log.count_cut_off(self.text.sheet.id, &self.text.history);
        self.ask_tokens(cx);
        self.finish_loading(cx);
    }

    /// Notes that what was here last has come, or that there is none.
    fn finish_loading(&mut self, cx: &mut Cx) {
        self.startup.loaded = true;
        self.restore_title();
        self.take_offered(cx);
    }

    /// Takes the preset that the text came from, once the text and the settings that were saved with it are here. Other
    /// copies of the program save other texts and the same settings.
    fn restore_title(&mut self) {
        if self.startup.loaded
            && let Some((sheet, presets)) = self.startup.presets.take()
            && sheet == self.text.sheet.id
            && self.presets.loaded.current.is_none()
        {
            self.presets.loaded = presets;
        }
    }

    /// Takes up what another tab sent meanwhile.
    fn take_offered(&mut self, cx: &mut Cx) {
        match self.startup.offered.take() {
            Some(OfferedWork::Text(text)) => self.take_text(&text, cx),
            Some(OfferedWork::Comparison(offer)) => self.take_comparison(*offer, cx),
            None => {}
        }
    }

    /// Takes in what a worker has done. Returns whether it was asked here.
    pub(super) fn handle_worked(&mut self, ticket: Ticket, done: Done, cx: &mut Cx) -> bool {
        if self.active.column_counts.as_mut().is_some_and(|counts| counts.take(ticket, &done)) {
            self.send_columns(cx);
            return true;
        }
        if self.text.count.take(ticket, &done) {
            if self.active.counting && self.text.count.is_settled() {
                self.queue_run(cx);
            }
            return true;
        }
        self.biases.take(ticket, &done, cx).act(|token| self.change_bias(&token, cx))
    }
}
