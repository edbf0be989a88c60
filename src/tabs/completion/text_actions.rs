//! The text as a whole: changes of it, a new one, one from elsewhere, presets, what a column wrote.

use super::compare::NO_TEXT;
use super::persistence::LAST;
use super::presets::{LoadedPresets, SettingsInUse};
use super::prompt_text::empty_sheet;
use super::run::excerpt;
use super::state::{CompletePane, OfferedWork, Page, Request, State};
use crate::component::{ComparisonOffer, Cx, Notice, Session};
use crate::record::{Id, Made, Preset, Record, Run, Step};
use crate::text::Untrusted;
use crate::ui::buffer::Change;

/// Stands for the model in the line of a text that was not run.
pub(super) const DRAFT: &str = "(not run)";

impl State {
    /// Takes in that the user has changed the text.
    pub(super) fn changed(&mut self, change: &Change, cx: &mut Cx) {
        if change.is_empty() {
            return;
        }
        let fresh = Step {
            removed: change.removed.as_str().into(),
            inserted: change.inserted.as_str().into(),
            ..self.text.new_step(Made::Typed, change.at, cx)
        };
        self.clear_refusal();
        let id = self.text.history.typed(change, fresh);
        self.step_made(id, cx);
        self.text.typed(cx.now);
    }

    /// Takes in that a step of this copy's is new or another.
    pub(super) fn step_made(&mut self, id: Id, cx: &mut Cx) {
        self.saves.dirty.insert(id);
        self.step_changed(cx);
    }

    /// Takes in that the buffer stands at another step, or the caret elsewhere.
    pub(super) fn step_changed(&mut self, cx: &mut Cx) {
        self.text.step_changed(cx.unix_ms);
        self.caret_moved(cx.now);
    }

    /// Begins a new, empty text. The one before stays, with all that was generated.
    pub(super) fn new_text(&mut self, cx: &mut Cx) {
        if self.active.refuses_while_busy("", cx) {
            return;
        }
        self.set_aside(cx);
        self.page = Page::Buffer;
        self.focus = CompletePane::Text;
    }

    /// Makes room for another text. The one here stays on its sheet, to which the list of runs leads back.
    pub(super) fn set_aside(&mut self, cx: &mut Cx) {
        if self.text.is_blank() {
            return;
        }
        self.text.history.end_burst();
        if self.saves.records.refusal().is_some() {
            // What the store waits to write cannot be read back from it: this text stays on its sheet, one step back.
            let change = self.text.replace_all(&Untrusted::default());
            self.changed(&change, cx);
            self.text.history.end_burst();
            cx.notify(Notice::ok("new text; esc, then u, brings the previous one back").about("sheet"));
        } else {
            self.list_draft(cx);
            self.save(cx);
            self.begin_sheet(cx);
            cx.notify(Notice::ok("new text; esc, then r, lists the previous ones").about("sheet"));
        }
    }

    /// Gives a text that no run leads back to a line of its own in the list of runs.
    pub(super) fn list_draft(&mut self, cx: &mut Cx) {
        if self.text.buffer.is_empty() || self.log.runs.iter().any(|run| run.sheet == self.text.sheet.id) {
            return;
        }
        let params = self.settings.params().clone();
        let excerpt = excerpt(&self.text.buffer.text());
        let draft = Run { model: DRAFT.into(), excerpt, ..self.text.new_run(params, cx) };
        self.saves.dirty.insert(draft.id);
        self.log.runs.insert(0, draft);
    }

    /// Begins a new sheet, on which nothing is yet.
    pub(super) fn begin_sheet(&mut self, cx: &mut Cx) {
        self.text.clear(empty_sheet(cx.id(), cx.unix_ms));
        self.scores.tokens.clear();
        self.page = Page::Buffer;
        self.log.shown = None;
        self.clear_refusal();
        self.presets.loaded = LoadedPresets::default();
        self.text.count.changed(cx.now);
        // Next time it is this one, also while it is empty.
        let last = Record::Setting(LAST.into(), self.text.sheet.id.0.to_string().into());
        self.saves.records.save(Record::Batch(vec![Record::Sheet(self.text.sheet.clone()), last]), cx);
    }

    /// Takes a text from another tab, in place of what is here.
    pub(super) fn take_text(&mut self, text: &Untrusted, cx: &mut Cx) {
        if self.active.is_busy() {
            return cx.notify(Notice::warn("a run is under way in Complete; stop it, then send the text again"));
        }
        if !self.startup.loaded {
            self.startup.offered = Some(OfferedWork::Text(text.clone()));
            return;
        }
        self.set_aside(cx);
        let change = self.text.insert(text);
        self.changed(&change, cx);
        self.text.history.end_burst();
        self.page = Page::Buffer;
        self.focus = CompletePane::Text;
    }

    /// Opens the comparison with models from another tab, and with their prompt in place of what is here.
    pub(super) fn take_comparison(&mut self, offer: ComparisonOffer, cx: &mut Cx) {
        if self.active.is_busy() {
            return cx.notify(Notice::warn("a run is under way in Complete; stop it, then try the models again"));
        }
        // The columns begin with the settings used last, so these must be loaded.
        let coming = self.compare.is_loading() || self.pending.any(|asked| *asked == Request::Settings);
        if !self.startup.loaded || coming {
            self.startup.offered = Some(OfferedWork::Comparison(Box::new(offer)));
            return;
        }
        // The text that was here stays in the list of texts.
        if !offer.prompt.is_empty() {
            self.set_aside(cx);
            let change = self.text.insert(&offer.prompt);
            self.changed(&change, cx);
            self.text.history.end_burst();
        }
        self.compare.take_offer(offer, self.settings.params().clone(), &self.models, cx.session);
        self.save_comparison(cx.now);
        self.open_compare(cx.session);
    }

    /// Takes the text as an editor left it.
    pub(super) fn replace(&mut self, text: &str, cx: &mut Cx) {
        // A run continues the text as it was: it is stopped.
        self.stop(cx);
        self.text.history.end_burst();
        let change = self.text.replace_difference(text);
        self.changed(&change, cx);
        self.text.history.end_burst();
        self.focus = CompletePane::Text;
    }

    /// Puts a preset into use: its text takes the place of what is there, which undo brings back with the settings.
    /// While columns are compared, the one with the focus gets its settings alone.
    pub(super) fn load_preset(&mut self, preset: &Preset, cx: &mut Cx) {
        if self.active.refuses_while_busy("", cx) {
            return;
        }
        if self.is_comparing() {
            self.compare.load_preset(preset, cx);
            return self.save_comparison(cx.now);
        }
        self.text.history.end_burst();
        let (before, here) = (self.settings_in_use(cx.session), self.text.history.current());
        if preset.prompt != *self.text.buffer.text() {
            let change = self.text.replace_all(&preset.prompt);
            self.changed(&change, cx);
            self.text.history.end_burst();
        }
        self.text.buffer.set_caret(preset.caret as usize);
        self.settings.load(preset.params.clone());
        if !preset.model.is_empty() {
            self.models.choose(&cx.session.profile, &preset.model);
        }
        self.presets.set_loaded(preset.id);
        let after = self.settings_in_use(cx.session);
        if let Some(step) = self.text.history.current().filter(|step| Some(*step) != here) {
            self.presets.loaded.add(step, before, after);
        }
        self.page = Page::Buffer;
        self.focus = CompletePane::Browse;
        self.log.shown = None;
        self.caret_moved(cx.now);
        self.settings_changed(cx.now);
    }

    /// Returns the preset, the settings and the model in use.
    pub(super) fn settings_in_use(&self, session: &Session) -> SettingsInUse {
        SettingsInUse {
            preset: self.presets.loaded.current,
            profile: session.profile.0.clone(),
            model: self.models.chosen(&session.profile).cloned(),
            params: self.settings.params().clone(),
        }
    }

    /// Keeps what is in use under a name.
    pub(super) fn save_preset(&mut self, name: Untrusted, over: Option<Id>, cx: &mut Cx) {
        let model = self.pane_model(cx.session).0;
        let mut preset = self.as_preset(name, model, cx);
        preset.id = over.unwrap_or(preset.id);
        self.saves.records.save(Record::Preset(Box::new(preset.clone())), cx);
        self.presets.put(preset);
        // The title is kept with the settings.
        self.settings_changed(cx.now);
    }

    /// Returns the preset that holds what is here now.
    pub(super) fn as_preset(&self, name: Untrusted, model: Untrusted, cx: &mut Cx) -> Preset {
        Preset {
            id: cx.id(),
            name,
            prompt: self.text.buffer.text().into(),
            caret: self.text.buffer.caret() as u64,
            model,
            params: self.pane_params().clone(),
            created_ms: cx.unix_ms,
        }
    }

    /// Copies what a column has written.
    pub(super) fn copy_output(&mut self, step: Option<Id>, cx: &mut Cx) {
        let text = step.and_then(|id| self.text.history.step(id)).map(|step| &step.inserted);
        match text.filter(|text| !text.is_empty()) {
            Some(text) => cx.copy(text.clone()),
            None => cx.notify(Notice::info(NO_TEXT)),
        }
    }
}
