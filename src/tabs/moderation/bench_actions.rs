//! What keys do to texts, models, thresholds and pages.

use super::bench_runs::RunScope;
use super::category::{self, CategoryKey};
use super::check_history::CheckHistory;
use super::check_run;
use super::conversation::ConversationCheck;
use super::sentence_scores::SentenceScores;
use super::sign::Sign;
use super::state::{Moderate, Page};
use super::text_editing::TextEditing;
use super::thresholds::STEP;
use crate::component::{Cx, Effect, Notice, Offer, Session};
use crate::text::Untrusted;

/// Texts to begin with, with their names.
pub(super) const EXAMPLES: [(&str, &str); 3] = [
    ("threat", "If you come near my house again you will regret it."),
    ("film", "The hero shoots the villain in the last scene."),
    ("plain", "The train to Vienna leaves at ten."),
];

/// Texts.
impl Moderate {
    /// Opens the text under the cursor to write in it.
    pub(super) fn edit_text(&mut self, cx: &mut Cx) {
        let text = self.text_and_model_under_cursor(cx.session).and_then(|(at, _)| self.texts.get(at));
        if let Some(text) = text {
            self.text_editor = Some(TextEditing::new(text.row.id, &text.row.text));
        }
    }

    /// Takes what is written; it is saved soon.
    pub(super) fn save_written(&mut self, cx: &mut Cx) {
        let Some(editor) = &self.text_editor else { return };
        if self.texts.set(editor.id, editor.text()) {
            self.changed(cx.now);
        }
    }

    /// Leaves the text that is written; an empty one goes.
    pub(super) fn leave(&mut self, cx: &mut Cx) {
        let Some(editor) = self.text_editor.take() else { return };
        self.texts.set(editor.id, editor.text());
        self.texts.drop_empty(editor.id);
        self.ask_bench(cx);
        self.changed(cx.now);
    }

    /// Adds an empty text and opens it.
    pub(super) fn add_empty(&mut self, cx: &mut Cx) {
        self.leave(cx);
        let at = self.texts.add(Untrusted::default(), Untrusted::default(), cx);
        self.go_to_text(at, cx.session);
        self.page = Page::Bench;
        self.edit_text(cx);
    }

    /// Puts a text on the bench and the cursor on it.
    pub(super) fn put(&mut self, name: Untrusted, text: Untrusted, cx: &mut Cx) {
        self.leave(cx);
        self.page = Page::Bench;
        self.add_text(name, text, cx);
    }

    /// Adds a text; before what was here last has come, it waits.
    pub(super) fn add_text(&mut self, name: Untrusted, text: Untrusted, cx: &mut Cx) {
        if text.line().trim().is_empty() {
            return;
        }
        if !self.texts.is_loaded() {
            return self.texts.hold_back(name, text);
        }
        let at = self.texts.add(name, text, cx);
        self.go_to_text(at, cx.session);
        self.ask_bench(cx);
        self.changed(cx.now);
    }

    /// Adds the texts that are tried first. The local service, which costs nothing, checks them at once.
    pub(super) fn add_examples(&mut self, cx: &mut Cx) {
        for (name, text) in EXAMPLES {
            self.add_text(name.into(), text.into(), cx);
        }
        self.bench.column = 0;
        if cx.session.local {
            self.start_run(RunScope::New, cx);
        }
    }

    pub(super) fn delete_text(&mut self, cx: &mut Cx) {
        self.leave(cx);
        let Some((at, _)) = self.text_and_model_under_cursor(cx.session) else { return };
        if self.texts.delete(at).is_some() {
            cx.notify(Notice::info("deleted; u restores it").about("undo"));
            self.changed(cx.now);
        }
    }

    pub(super) fn undo_delete(&mut self, cx: &mut Cx) {
        let Some(at) = self.texts.undo() else {
            return cx.notify(Notice::info("no text was deleted").about("undo"));
        };
        // The notice that it is deleted.
        cx.push(Effect::ResolveNotice("undo"));
        self.go_to_text(at, cx.session);
        self.changed(cx.now);
    }

    /// Moves the text under the cursor by one place.
    pub(super) fn move_text(&mut self, later: bool, cx: &mut Cx) {
        let moved = self.text_and_model_under_cursor(cx.session).and_then(|(at, _)| self.texts.shift(at, later));
        if let Some(at) = moved {
            let models = self.file.shared.models(cx.session).len();
            self.bench.column = at * models + self.bench.column % models;
            self.changed(cx.now);
        }
    }

    /// Returns the text a key is about.
    pub(super) fn text_here(&self, session: &Session) -> Option<Untrusted> {
        if matches!(self.page, Page::Conversation) {
            return self.conversation.text().map(|(_, text)| text);
        }
        let (at, _) = self.text_and_model_under_cursor(session)?;
        self.texts.get(at).map(|text| text.row.text.clone())
    }

    pub(super) fn offer_text(&mut self, cx: &mut Cx) {
        if let Some(text) = self.text_here(cx.session).filter(|text| !text.is_empty()) {
            cx.push(Effect::Offer(Offer::Text(text)));
        }
    }

    pub(super) fn copy_text(&mut self, cx: &mut Cx) {
        if let Some(text) = self.text_here(cx.session) {
            cx.copy(text);
        }
    }

    /// Copies what a run of the model under the cursor would send, for all texts.
    pub(super) fn copy_request(&mut self, cx: &mut Cx) {
        if let Some((_, model)) = self.text_and_model_under_cursor(cx.session) {
            let texts = self.texts.all().iter().map(|text| &text.row.text);
            let call = check_run::request(&model, texts);
            cx.push(Effect::CopyCurl(cx.session.profile.clone(), call));
        }
    }
}

/// Models.
impl Moderate {
    /// Asks for a model that gets a column.
    pub(super) fn choose_model(&mut self, cx: &mut Cx) {
        self.adding_column = true;
        cx.push(Effect::OpenModelPicker);
    }

    /// Uses a model: in one more column, or in place of the one under the cursor.
    pub(super) fn use_model(&mut self, model: &Untrusted, add: bool, cx: &mut Cx) {
        let mut models = self.file.shared.models(cx.session);
        if models.contains(model) {
            return cx.notify(Notice::info("this model already has a column").about("model"));
        }
        let (text, mut at) = (self.bench.column / models.len(), self.bench.column % models.len());
        if add {
            models.push(model.clone());
            at = models.len() - 1;
        } else {
            models[at] = model.clone();
        }
        self.bench.column = text * models.len() + at;
        self.set_models(&models, cx);
    }

    /// Takes the model of the column under the cursor away.
    pub(super) fn drop_model(&mut self, cx: &mut Cx) {
        let mut models = self.file.shared.models(cx.session);
        if models.len() < 2 {
            return cx.notify(Notice::info("at least one model is needed; m adds another").about("model"));
        }
        let text = self.bench.column / models.len();
        models.remove(self.bench.column % models.len());
        self.bench.column = text * models.len();
        self.set_models(&models, cx);
    }

    fn set_models(&mut self, models: &[Untrusted], cx: &mut Cx) {
        let names = models.iter().map(|model| model.line().into_owned()).collect();
        self.file.shared.view.models.insert(cx.session.profile.0.clone(), names);
        self.shared_changed(cx);
    }
}

/// Thresholds and what shows.
impl Moderate {
    /// Moves the thresholds of the marked rows, or of the row under the cursor, by so many hundredths.
    pub(super) fn shift_thresholds(&mut self, by: i8, cx: &mut Cx) {
        let here = self.categories_here();
        if here.is_empty() {
            return cx.notify(
                Notice::info("there are no categories yet: ^R checks, t changes the default threshold").about("row"),
            );
        }
        for key in here {
            self.file.shared.thresholds.profile_mut().shift(&key, f64::from(by) * STEP);
        }
        self.shared_changed(cx);
    }

    pub(super) fn reset_thresholds(&mut self, cx: &mut Cx) {
        for key in self.categories_here() {
            self.file.shared.thresholds.profile_mut().clear(&key);
        }
        self.shared_changed(cx);
    }

    /// Returns the categories that a key is about.
    fn categories_here(&self) -> Vec<CategoryKey> {
        match &self.page {
            Page::History(page) => page.at().cloned().into_iter().collect(),
            Page::Sentences(page) => page.at().cloned().into_iter().collect(),
            Page::Bench | Page::File | Page::Conversation => self.bench.chosen(),
        }
    }

    pub(super) fn toggle_sort(&mut self, cx: &mut Cx) {
        let by_score = self.file.shared.view.by_score.unwrap_or(!self.bench.wide);
        self.file.shared.view.by_score = Some(!by_score);
        self.shared_changed(cx);
    }

    pub(super) fn toggle_families(&mut self, cx: &mut Cx) {
        self.file.shared.view.families ^= true;
        self.shared_changed(cx);
    }

    pub(super) fn toggle_mask(&mut self, cx: &mut Cx) {
        self.file.shared.view.mask_flagged ^= true;
        let words =
            if self.file.shared.view.mask_flagged { "flagged texts are blurred" } else { "flagged texts are shown" };
        cx.notify(Notice::ok(words).about("blur"));
        self.shared_changed(cx);
    }

    pub(super) fn toggle_differences(&mut self, cx: &mut Cx) {
        let checked = self.bench.table.columns.iter().filter(|column| column.check.is_some()).count();
        if checked < 2 && !self.bench.differences {
            let words = "differences need two columns: a adds a text, m a model, ^R checks";
            return cx.notify(Notice::info(words).about("differences"));
        }
        self.bench.set_differences(!self.bench.differences);
    }
}

/// Pages.
impl Moderate {
    pub(super) fn start_run(&mut self, scope: RunScope, cx: &mut Cx) {
        self.leave(cx);
        self.run(scope, cx);
    }

    /// Opens the file opened last, or with `lists` the choice of those opened before.
    pub(super) fn open_file(&mut self, lists: bool, cx: &mut Cx) {
        self.leave(cx);
        self.page = Page::File;
        self.file.shared.file_column = self.model_index_under_cursor(cx.session);
        if lists { self.file.lists(cx) } else { self.file.open(cx) }
    }

    /// Shows a conversation from another tab.
    pub(super) fn show_conversation(&mut self, title: Untrusted, turns: Vec<(Untrusted, Untrusted)>, cx: &mut Cx) {
        self.leave(cx);
        self.conversation = ConversationCheck::new(title, turns);
        self.page = Page::Conversation;
        self.results.ask(self.conversation.keys(), cx);
    }

    pub(super) fn open_conversation(&mut self, cx: &mut Cx) {
        if self.conversation.is_empty() {
            let words = "no conversation was sent here; send one from Chat's palette";
            return cx.notify(Notice::info(words).about("turns"));
        }
        self.leave(cx);
        self.page = Page::Conversation;
    }

    pub(super) fn open_history(&mut self, cx: &mut Cx) {
        self.leave(cx);
        let Some((at, model)) = self.text_and_model_under_cursor(cx.session) else { return };
        let Some(text) = self.texts.get(at) else { return };
        let subject = (text.key, text.row.text.clone());
        self.page = Page::History(Box::new(CheckHistory::new(self.texts.title(at), subject, model)));
        self.ask_bench(cx);
    }

    /// Opens the text sentence by sentence, and checks the sentences that were never checked.
    pub(super) fn open_sentences(&mut self, cx: &mut Cx) {
        self.leave(cx);
        let Some((at, model)) = self.text_and_model_under_cursor(cx.session) else { return };
        let Some(text) = self.texts.get(at).filter(|text| !text.row.text.line().trim().is_empty()) else { return };
        // The category under the cursor, if this text has anything of it; else its highest.
        let profile = self.file.shared.thresholds.profile();
        let check = self.results.last(&text.key, &model);
        let has_sign = |key: &&CategoryKey| {
            let cell = check.map(|check| (category::score(check, key), category::flag(check, key)));
            cell.is_some_and(|(score, flag)| Sign::of(score, flag, profile.of(key)) != Sign::Clear)
        };
        let category = self.bench.at.as_ref().filter(has_sign).cloned();
        let page = SentenceScores::new(self.texts.title(at), &text.row.text, model, category);
        let keys = page.keys();
        let all_known = keys.iter().all(|key| self.results.last(key, page.model()).is_some());
        self.page = Page::Sentences(Box::new(page));
        self.results.ask(keys, cx);
        if !all_known {
            self.run(RunScope::New, cx);
        }
    }

    /// Shows the bench again.
    pub(super) fn close_page(&mut self) {
        if let Page::Sentences(page) = &self.page {
            self.bench.at = page.at().cloned().or(self.bench.at.take());
        }
        self.page = Page::Bench;
    }
}
