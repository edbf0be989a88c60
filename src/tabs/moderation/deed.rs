//! What the keys do to texts, models, thresholds and pages.

use super::category::{self, Key};
use super::flight::Which;
use super::state::{Page, State, Writing};
use super::thresholds::Sign;
use crate::component::{Cx, Notice};
use crate::text::Untrusted;
use crate::ui::editor::Editor;

impl State {
    /// Moves the cursor by rows.
    pub(super) fn step(&mut self, rows: isize) {
        let last = self.board.rows.len().saturating_sub(1);
        let at = self.board.row(self.at.as_ref()).saturating_add_signed(rows).min(last);
        self.at = self.board.key(at).cloned();
    }

    /// Opens the text under the cursor to write in it.
    pub(super) fn write(&mut self, cx: &mut Cx) {
        let Some((at, _)) = self.place(cx.session) else { return };
        let Some(text) = self.texts.get(at) else { return };
        let mut editor = Editor::new("Write or paste a text; esc when it is done.");
        editor.edit(&text.row.text);
        self.writing = Some(Writing { id: text.row.id, editor });
    }

    /// What is written is kept soon.
    pub(super) fn wrote(&mut self, cx: &mut Cx) {
        let Some(writing) = &self.writing else { return };
        if self.texts.set(writing.id, writing.editor.text().into()) {
            self.changed(cx.now);
        }
    }

    /// Leaves the text that is written; an empty one goes.
    pub(super) fn leave(&mut self, cx: &mut Cx) {
        let Some(writing) = self.writing.take() else { return };
        self.texts.set(writing.id, writing.editor.text().into());
        self.texts.drop_empty(writing.id);
        self.ask_bench(cx);
        self.changed(cx.now);
    }

    /// Another text in place of the one under the cursor.
    pub(super) fn replace(&mut self, text: &str, cx: &mut Cx) {
        if self.writing.is_none() {
            self.write(cx);
        }
        if let Some(writing) = &mut self.writing {
            writing.editor.set_text(text);
        }
        self.leave(cx);
    }

    /// Puts a text on the bench and the cursor on it.
    pub(super) fn put(&mut self, name: Untrusted, text: Untrusted, cx: &mut Cx) {
        self.leave(cx);
        self.page = Page::Bench;
        self.add(name, text, cx);
    }

    /// Adds a text; before what was here last has come, it waits.
    pub(super) fn add(&mut self, name: Untrusted, text: Untrusted, cx: &mut Cx) {
        if text.line().trim().is_empty() {
            return;
        }
        if !self.loaded {
            self.offered.push((name, text));
            return;
        }
        let at = self.texts.add(name, text, cx);
        self.go_to_text(at, cx.session);
        self.ask_bench(cx);
        self.changed(cx.now);
    }

    pub(super) fn delete(&mut self, cx: &mut Cx) {
        self.leave(cx);
        let Some((at, _)) = self.place(cx.session) else { return };
        if self.texts.delete(at).is_some() {
            cx.notify(Notice::hint("deleted; u brings it back").about("undo"));
            self.changed(cx.now);
        }
    }

    /// Takes the model of the column under the cursor away.
    pub(super) fn drop_model(&mut self, cx: &mut Cx) {
        let models = self.shared.models(cx.session);
        let at = self.column % models.len();
        if models.len() < 2 {
            return cx.notify(Notice::hint("one model has to stay; m adds another").about("model"));
        }
        let text = self.column / models.len();
        let names =
            models.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, model)| model.line().into_owned());
        self.shared.kept.models.insert(cx.session.profile.0.clone(), names.collect());
        self.column = text * (models.len() - 1);
        self.share(cx);
    }

    /// Moves the thresholds of the marked rows, or of the row under the cursor.
    pub(super) fn shift(&mut self, by: f64, cx: &mut Cx) {
        let here = self.category_here();
        if here.is_empty() {
            return cx.notify(Notice::hint("there are no categories yet: ^R checks, t moves the default").about("row"));
        }
        for key in here {
            self.shared.thresholds.profile_mut().shift(&key, by);
        }
        self.share(cx);
    }

    pub(super) fn reset(&mut self, cx: &mut Cx) {
        for key in self.category_here() {
            self.shared.thresholds.profile_mut().clear(&key);
        }
        self.share(cx);
    }

    /// The categories that a key is about.
    fn category_here(&self) -> Vec<Key> {
        match &self.page {
            Page::Past(past) => past.at().cloned().into_iter().collect(),
            Page::Origin(origin) => origin.at().cloned().into_iter().collect(),
            _ if !self.marked.is_empty() => self.marked.iter().cloned().collect(),
            _ => self.at.iter().filter(|_| !self.board.rows.is_empty()).cloned().collect(),
        }
    }

    pub(super) fn toggle_differences(&mut self, cx: &mut Cx) {
        let checked = self.board.columns.iter().filter(|column| column.check.is_some()).count();
        if checked < 2 && !self.differences {
            let said = "differences are between columns: a adds a text, m a model, ^R checks";
            return cx.notify(Notice::hint(said).about("differences"));
        }
        self.differences = !self.differences;
        self.revision += 1;
    }

    pub(super) fn open_past(&mut self, cx: &mut Cx) {
        self.leave(cx);
        let Some((at, judge)) = self.place(cx.session) else { return };
        let Some(text) = self.texts.get(at) else { return };
        let subject = (text.key, text.row.text.clone());
        self.page = Page::Past(Box::new(super::past::Past::new(self.name(at), subject, judge, &self.results)));
        self.ask_bench(cx);
    }

    /// Opens the text sentence by sentence, and checks the sentences that were never checked.
    pub(super) fn open_origin(&mut self, cx: &mut Cx) {
        self.leave(cx);
        let Some((at, judge)) = self.place(cx.session) else { return };
        let Some(text) = self.texts.get(at).filter(|text| !text.row.text.line().trim().is_empty()) else { return };
        // The category under the cursor, if this text has anything of it; else its highest.
        let profile = self.shared.thresholds.profile();
        let check = self.results.last(&text.key, &judge);
        let tells = |key: &&Key| {
            let cell = check.map(|check| (category::score(check, key), category::flag(check, key)));
            cell.is_some_and(|(score, flag)| Sign::of(score, flag, profile.of(key)) != Sign::Clear)
        };
        let category = self.at.as_ref().filter(tells).cloned();
        let page = super::origin::Origin::new(self.name(at), &text.row.text, judge, category);
        let all_known = {
            let texts = page.texts();
            self.ask_checks(texts.iter().map(|(key, _)| *key), cx);
            texts.iter().all(|(key, _)| self.results.last(key, page.judge()).is_some())
        };
        self.page = Page::Origin(Box::new(page));
        if !all_known {
            self.run(Which::New, cx);
        }
    }

    /// Texts to begin with.
    pub(super) fn examples(&mut self, cx: &mut Cx) {
        for (name, text) in super::view::EXAMPLES {
            self.add(name.into(), text.into(), cx);
        }
        self.column = 0;
    }

    /// The text a key is about.
    pub(super) fn text_here(&self, cx: &Cx) -> Option<Untrusted> {
        if matches!(self.page, Page::Turns) {
            return self.turns.text().map(|(_, text)| text);
        }
        let (at, _) = self.place(cx.session)?;
        self.texts.get(at).map(|text| text.row.text.clone())
    }
}
