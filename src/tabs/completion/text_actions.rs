//! The text as a whole: a new one, one from elsewhere, presets, what is copied of it.

use std::time::Instant;

use super::persistence::LAST;
use super::prompt_text::empty_sheet;
use super::run::excerpt;
use super::state::{CompletePane, OfferedWork, Page, State};
use crate::component::{Cx, Effect, Notice};
use crate::record::{Id, Preset, Record, Run};
use crate::text::Untrusted;
use crate::ui::buffer::Change;

/// Stands for the model in the line of a text that was not run.
pub(super) const DRAFT: &str = "(not run)";

impl State {
    /// Types a text from outside.
    pub(super) fn insert_text(&mut self, text: &Untrusted) -> Change {
        self.text.buffer.insert(text.raw())
    }

    /// Begins a new, empty text. The one before stays, with all that was generated.
    pub(super) fn new_text(&mut self, cx: &mut Cx) {
        if self.refuses_while_busy("", cx) {
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
            self.text.buffer.select(Some(0..self.text.buffer.len()));
            let change = self.text.buffer.insert("");
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
        let draft = Run { model: DRAFT.into(), excerpt, ..self.new_run(params, cx) };
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
        self.presets.loaded(None);
        self.count.changed(cx.now);
        // Next time it is this one, also while it is empty.
        let last = Record::Setting(LAST.into(), self.text.sheet.id.0.to_string().into());
        self.saves.records.save(Record::Batch(vec![Record::Sheet(self.text.sheet.clone()), last]), cx);
    }

    /// Takes a text from another tab, in place of what is here.
    pub(super) fn take_text(&mut self, text: &Untrusted, cx: &mut Cx) {
        if self.is_busy() {
            return cx.notify(Notice::warn("a run is under way in Complete; stop it, then send the text again"));
        }
        if !self.startup.loaded {
            self.startup.offered = Some(OfferedWork::Text(text.clone()));
            return;
        }
        self.set_aside(cx);
        let change = self.insert_text(text);
        self.changed(&change, cx);
        self.text.history.end_burst();
        self.page = Page::Buffer;
        self.focus = CompletePane::Text;
    }

    /// Takes the text as an editor left it. Only the part that differs is replaced, so that the tokens before and after
    /// it keep their probabilities.
    pub(super) fn replace(&mut self, text: &str, cx: &mut Cx) {
        // A run continues the text as it was: it is stopped.
        self.stop(cx);
        let before = self.text.buffer.text();
        let head: usize =
            before.chars().zip(text.chars()).take_while(|(a, b)| a == b).map(|(char, _)| char.len_utf8()).sum();
        let (old, new) = (&before[head..], &text[head..]);
        let tail: usize = (old.chars().rev().zip(new.chars().rev()))
            .take_while(|(a, b)| a == b)
            .map(|(char, _)| char.len_utf8())
            .sum();
        self.text.history.end_burst();
        let (range, inserted) = (head..before.len() - tail, &text[head..text.len() - tail]);
        let change = Change { at: head, removed: before[range.clone()].to_owned(), inserted: inserted.to_owned() };
        self.text.buffer.splice(range, inserted);
        self.text.buffer.set_caret(head + inserted.len());
        self.changed(&change, cx);
        self.text.history.end_burst();
        self.focus = CompletePane::Text;
    }

    /// Puts a preset into use: its text takes the place of what is there, which undo brings back.
    pub(super) fn load_preset(&mut self, preset: &Preset, cx: &mut Cx) {
        if self.refuses_while_busy("", cx) {
            return;
        }
        self.text.history.end_burst();
        let text = preset.prompt.clone();
        if text != *self.text.buffer.text() {
            self.text.buffer.select((!self.text.buffer.is_empty()).then(|| 0..self.text.buffer.len()));
            let change = self.insert_text(&text);
            self.changed(&change, cx);
            self.text.history.end_burst();
        }
        self.text.buffer.set_caret(preset.caret as usize);
        self.settings.load(preset.params.clone());
        if !preset.model.is_empty() {
            self.models.insert(cx.session.profile.0.clone(), preset.model.line().into_owned());
        }
        self.presets.loaded(Some(preset.id));
        self.page = Page::Buffer;
        self.focus = CompletePane::Browse;
        self.log.shown = None;
        self.caret_moved(cx.now);
        self.settings_changed(cx.now);
    }

    /// Keeps what is in use under a name.
    pub(super) fn save_preset(&mut self, name: Untrusted, over: Option<Id>, cx: &mut Cx) {
        let model = self.pane_model(cx.session).0;
        let mut preset = self.as_preset(name, model, cx);
        preset.id = over.unwrap_or(preset.id);
        self.saves.records.save(Record::Preset(Box::new(preset.clone())), cx);
        self.presets.put(preset);
    }

    /// Returns the preset that holds what is here now.
    pub(super) fn as_preset(&self, name: Untrusted, model: Untrusted, cx: &mut Cx) -> Preset {
        Preset {
            id: cx.id(),
            name,
            prompt: self.text.buffer.text().into(),
            caret: self.text.buffer.caret() as u64,
            model,
            params: self.pane().params().clone(),
            created_ms: cx.unix_ms,
        }
    }

    /// Selects the generated part around the caret, then everything, then nothing.
    pub(super) fn select(&mut self, now: Instant) {
        self.text.select_next();
        self.caret_moved(now);
    }

    /// Copies the selection, else the generated part, else the whole text.
    pub(super) fn copy(&mut self, cx: &mut Cx) {
        let text = self.text.chosen();
        if !text.is_empty() {
            cx.copy(text);
        }
    }

    /// Copies the request that `^R` would send.
    pub(super) fn curl(&mut self, cx: &mut Cx) {
        let [prompt, suffix] = self.text.around_caret();
        let request = super::request::request(prompt, suffix, self.settings.params(), &self.model(cx.session));
        let call = crate::api::call::Call::Complete(Box::new(request));
        cx.push(Effect::CopyCurl(cx.session.profile.clone(), call));
    }
}
