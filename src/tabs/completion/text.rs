//! The text as a whole: a new one, one from elsewhere, presets, what is copied of it.

use std::time::Instant;

use super::history::History;
use super::kept::LAST;
use super::presets;
use super::run::excerpt;
use super::state::{Focus, Offered, Page, State};
use crate::component::{Cx, Effect, Notice, Session};
use crate::record::{Id, Preset, Record, Run as Kept, Sheet, TurnStatus};
use crate::text::Untrusted;
use crate::ui::buffer::Change;

/// Stands for the model in the line of a text that was not run.
pub(super) const DRAFT: &str = "(not run)";

impl State {
    /// Types a text from outside.
    pub(super) fn put(&mut self, text: &Untrusted) -> Change {
        self.buffer.insert(text.raw())
    }

    /// A new, empty text. The one before stays, with all that was generated.
    pub(super) fn fresh(&mut self, cx: &mut Cx) {
        if self.is_busy() {
            return cx.notify(Notice::warn("a run is under way; esc stops it"));
        }
        self.set_aside(cx);
        self.page = Page::Buffer;
        self.focus = Focus::Text;
    }

    /// Makes room for another text. The one here stays on its sheet, to which the list of runs leads back.
    pub(super) fn set_aside(&mut self, cx: &mut Cx) {
        if self.is_blank() {
            return;
        }
        self.history.rest();
        if self.save_error.is_none() {
            self.list_draft(cx);
            self.keep(cx);
            self.begin_sheet(cx);
            cx.notify(Notice::ok("a new text; r leads back to the one before").about("sheet"));
        } else {
            // What could not be kept is kept later, from here.
            self.buffer.select(Some(0..self.buffer.len()));
            let change = self.buffer.insert("");
            self.changed(&change, cx);
            self.history.rest();
            cx.notify(Notice::ok("a new text; u brings the one before back").about("sheet"));
        }
    }

    /// A text that no run leads back to gets a line of its own in the list of runs.
    pub(super) fn list_draft(&mut self, cx: &mut Cx) {
        if self.buffer.is_empty() || self.runs.iter().any(|run| run.sheet == self.sheet.id) {
            return;
        }
        let draft = Kept {
            id: cx.id(),
            sheet: self.sheet.id,
            parent: self.history.current(),
            profile: cx.session.profile_name.clone(),
            model: DRAFT.into(),
            params: self.settings.params().clone(),
            excerpt: excerpt(&self.buffer.text()),
            status: TurnStatus::Done,
            error: Untrusted::default(),
            created_ms: cx.unix_ms,
            prompt_tokens: 0,
            completion_tokens: 0,
            estimated: false,
            cost_nano: Some(0),
            first_token_ms: 0,
            total_ms: 0,
        };
        self.own.insert(draft.id);
        self.unkept.insert(draft.id);
        self.runs.insert(0, draft);
    }

    /// A new sheet, on which nothing is yet.
    pub(super) fn begin_sheet(&mut self, cx: &mut Cx) {
        self.sheet = Sheet { id: cx.id(), created_ms: cx.unix_ms, updated_ms: cx.unix_ms, current: None, caret: 0 };
        self.history = History::default();
        self.tokens.clear();
        self.buffer.set_text("");
        self.page = Page::Buffer;
        self.last = None;
        self.clear_refusal();
        self.presets.loaded(None);
        self.revision += 1;
        self.count.changed(cx.now);
        // Next time it is this one, also while it is empty.
        let last = Record::Setting(LAST.into(), self.sheet.id.0.to_string().into());
        self.record(Record::Batch(vec![Record::Sheet(self.sheet.clone()), last]), cx);
    }

    /// A text from another tab, which takes the place of what is here.
    pub(super) fn take_text(&mut self, text: &Untrusted, cx: &mut Cx) {
        if self.is_busy() {
            return cx.notify(Notice::warn("a run is under way in Complete; stop it, then send the text again"));
        }
        if !self.loaded {
            self.offered = Some(Offered::Text(text.clone()));
            return;
        }
        self.set_aside(cx);
        let change = self.put(text);
        self.changed(&change, cx);
        self.history.rest();
        self.page = Page::Buffer;
        self.focus = Focus::Text;
    }

    /// The text as an editor left it: what is the same at both ends keeps what is known of it.
    pub(super) fn replace(&mut self, text: &str, cx: &mut Cx) {
        // What streams is stopped: it was asked of the text as it was.
        self.stop(cx);
        let before = self.buffer.text();
        let head: usize =
            before.chars().zip(text.chars()).take_while(|(a, b)| a == b).map(|(char, _)| char.len_utf8()).sum();
        let (old, new) = (&before[head..], &text[head..]);
        let tail: usize = (old.chars().rev().zip(new.chars().rev()))
            .take_while(|(a, b)| a == b)
            .map(|(char, _)| char.len_utf8())
            .sum();
        self.history.rest();
        let (range, inserted) = (head..before.len() - tail, &text[head..text.len() - tail]);
        let change = Change { at: head, removed: before[range.clone()].to_owned(), inserted: inserted.to_owned() };
        self.buffer.splice(range, inserted);
        self.buffer.set_caret(head + inserted.len());
        self.changed(&change, cx);
        self.history.rest();
        self.focus = Focus::Text;
    }

    /// Puts a preset into use: its text takes the place of what is there, which undo brings back.
    pub(super) fn load_preset(&mut self, preset: &Preset, cx: &mut Cx) {
        if self.is_busy() {
            return cx.notify(Notice::warn("a run is under way; esc stops it"));
        }
        self.history.rest();
        let text = preset.prompt.clone();
        if text != *self.buffer.text() {
            self.buffer.select((!self.buffer.is_empty()).then(|| 0..self.buffer.len()));
            let change = self.put(&text);
            self.changed(&change, cx);
            self.history.rest();
        }
        self.buffer.set_caret(preset.caret as usize);
        self.settings.load(preset.params.clone());
        if !preset.model.is_empty() {
            self.models.insert(cx.session.profile.0.clone(), preset.model.line().into_owned());
        }
        self.presets.loaded(Some(preset.id));
        self.page = Page::Buffer;
        self.focus = Focus::Browse;
        self.last = None;
        self.placed(cx.now);
        self.set(cx.now);
    }

    /// Keeps what is in use under a name.
    pub(super) fn save_preset(&mut self, name: Untrusted, over: Option<Id>, cx: &mut Cx) {
        let model = self.pane_model(cx.session).0;
        let mut preset = self.as_preset(name, model, cx);
        preset.id = over.unwrap_or(preset.id);
        self.owe(Record::Preset(Box::new(preset.clone())), cx);
        self.presets.put(preset);
    }

    /// Whether what the user wrote, or set, is other than the preset loaded last has it; what models wrote is not.
    pub(super) fn mark_edited(&mut self, session: &Session) {
        let model = self.model(session);
        let stamp = (self.revision, self.settings.params().clone(), model.clone());
        if self.compared.as_ref() == Some(&stamp) {
            return;
        }
        let Some(preset) = self.presets.in_use() else { return };
        let generated: usize = self.spans().iter().map(|span| span.range.len()).sum();
        // A text of another length is another.
        let same = preset.prompt.len() + generated == self.buffer.len();
        let edited = !same || presets::differs(preset, &self.written(), self.settings.params(), &model);
        self.presets.edited(edited);
        self.compared = Some(stamp);
    }

    /// The text without what models wrote.
    fn written(&self) -> String {
        let (mut written, mut from) = (String::new(), 0);
        for span in self.spans() {
            written.push_str(&self.buffer.slice(from..span.range.start));
            from = span.range.end;
        }
        written + &self.buffer.slice(from..self.buffer.len())
    }

    /// The preset that holds what is here now.
    pub(super) fn as_preset(&self, name: Untrusted, model: Untrusted, cx: &mut Cx) -> Preset {
        Preset {
            id: cx.id(),
            name,
            prompt: self.buffer.text().into(),
            caret: self.buffer.caret() as u64,
            model,
            params: self.pane().params().clone(),
            created_ms: cx.unix_ms,
        }
    }

    /// Selects the generated part around the caret, then everything, then nothing.
    pub(super) fn select(&mut self, now: Instant) {
        let (all, caret) = (0..self.buffer.len(), self.buffer.caret());
        let before = caret.saturating_sub(1);
        let part = self.history.part(caret).or_else(|| self.history.part(before)).or_else(|| self.history.last_part());
        let next = match self.buffer.selection() {
            None => part.or(Some(all)),
            Some(selected) if selected == all => None,
            Some(_) => Some(all),
        };
        self.buffer.select(next.filter(|range| !range.is_empty()));
        self.placed(now);
    }

    /// The selection, else the generated part, else the whole text.
    pub(super) fn chosen_text(&self) -> Untrusted {
        let range = self.buffer.selection().or_else(|| self.history.last_part()).unwrap_or(0..self.buffer.len());
        self.buffer.slice(range).into()
    }

    pub(super) fn copy(&mut self, cx: &mut Cx) {
        let text = self.chosen_text();
        if !text.is_empty() {
            cx.copy(text);
        }
    }

    /// Copies the request that `^R` would send.
    pub(super) fn curl(&mut self, cx: &mut Cx) {
        let caret = self.buffer.caret();
        let (prompt, suffix) = (self.buffer.slice(0..caret), self.buffer.slice(caret..self.buffer.len()));
        let request = super::request::request(prompt, suffix, self.settings.params(), &self.model(cx.session));
        let call = crate::api::call::Call::Complete(Box::new(request));
        cx.push(Effect::CopyCurl(cx.session.profile.clone(), call));
    }
}
