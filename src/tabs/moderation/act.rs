//! Keys become actions: what is open first, then the page, then the bench.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::check::Which;
use super::keys::Action;
use super::over::Over;
use super::profiles::Profiles;
use super::state::{Page, State, Writing};
use super::thresholds::{LEAP, STEP};
use super::{Moderate, file, origin, past, turns};
use crate::api::call::Call;
use crate::tabs::{Cx, Effect, Notice, Offer};
use crate::text::Untrusted;
use crate::ui::editor::{Edit, Editor};

impl Moderate {
    /// A key that is not the shell's.
    pub(super) fn on_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let after_x = std::mem::take(&mut self.after_x);
        // The list of models was closed without a choice.
        self.state.adding = false;
        if self.state.over.is_some() {
            return self.state.over_key(key, cx);
        }
        if self.state.writing.is_some() {
            return self.writing_key(key, after_x, cx);
        }
        let state = &mut self.state;
        match &mut state.page {
            Page::Bench => self.bench_key(key, cx),
            Page::File => {
                match state.file.key(key, &mut state.shared, cx) {
                    file::Event::None => {}
                    file::Event::Close => state.page = Page::Bench,
                    file::Event::Bench(name, text) => state.put(name, text, cx),
                    file::Event::Ignored => self.page_key(key, cx),
                }
                self.state.file_did(cx);
            }
            Page::Past(past) => match past.key(key) {
                past::Event::None => {}
                past::Event::Close => state.page = Page::Bench,
                past::Event::Ignored => self.page_key(key, cx),
            },
            Page::Origin(origin) => match origin.key(key) {
                origin::Event::None => {}
                origin::Event::Close => {
                    state.at = origin.at().cloned().or(state.at.take());
                    state.page = Page::Bench;
                }
                origin::Event::Ignored => self.page_key(key, cx),
            },
            Page::Turns => match state.turns.key(key) {
                turns::Event::None => {}
                turns::Event::Close if state.flights.is_empty() => state.page = Page::Bench,
                turns::Event::Close => drop(state.stop(cx)),
                turns::Event::Bench(name, text) => state.put(name, text, cx),
                turns::Event::Ignored => self.page_key(key, cx),
            },
        }
    }

    /// A key that a page has no use for, where it means there what it means on the bench.
    fn page_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        use Action as A;
        if key.code == KeyCode::Enter && self.state.flights.hurry(cx) {
            return;
        }
        let file = matches!(self.state.page, Page::File);
        match self.bench_keys.find(&key) {
            Some(action @ (A::Thresholds | A::Blur | A::AddModel)) => self.act(action, cx),
            Some(action @ (A::Run | A::Again | A::Details | A::Differences)) if !file => {
                // Nothing differs there; failures have details.
                self.act(if action == A::Differences { A::Details } else { action }, cx);
            }
            Some(action @ (A::Raise | A::Lower | A::RaiseMuch | A::LowerMuch | A::Reset)) if !file => {
                self.act(action, cx);
            }
            _ => {}
        }
    }

    fn bench_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let state = &mut self.state;
        match key.code {
            KeyCode::Enter if state.flights.hurry(cx) => {}
            KeyCode::Enter if state.texts.len() == 0 => state.examples(cx),
            KeyCode::Esc => self.escape_key(cx),
            _ => {
                if let Some(action) = self.bench_keys.find(&key) {
                    self.act(action, cx);
                }
            }
        }
    }

    fn writing_key(&mut self, key: KeyEvent, after_x: bool, cx: &mut Cx) {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('x') if control => self.after_x = true,
            KeyCode::Char('e') if control && after_x => return self.act(Action::External, cx),
            KeyCode::Esc => return self.state.leave(cx),
            _ => {}
        }
        if let Some(action) = self.writing_keys.find(&key) {
            return self.act(action, cx);
        }
        let Some(writing) = &mut self.state.writing else { return };
        let newline = key.code == KeyCode::Enter || (control && key.code == KeyCode::Char('j'));
        let edit = if newline {
            writing.editor.insert_newline();
            Edit::Changed
        } else {
            writing.editor.key(key)
        };
        if edit == Edit::Changed {
            self.state.wrote(cx);
        }
    }

    /// Esc peels one layer.
    fn escape_key(&mut self, cx: &mut Cx) {
        let state = &mut self.state;
        if !state.marked.is_empty() {
            state.marked.clear();
        } else if state.is_busy() {
            state.stop(cx);
        } else if state.differences {
            state.differences = false;
            state.revision += 1;
        }
    }

    /// What the next Esc does, for the footer.
    pub(super) fn escape_hint(&self) -> Option<&'static str> {
        let state = &self.state;
        let counting = state.flights.counting().next().is_some();
        match (&state.over, &state.writing, &state.page) {
            (Some(_), ..) => Some("close"),
            (None, Some(_), _) => Some("done"),
            (_, _, Page::File) => state.file.escape(),
            (_, _, Page::Turns) if state.is_busy() => Some("stop"),
            (_, _, Page::Past(_) | Page::Origin(_) | Page::Turns) => Some("back"),
            (_, _, Page::Bench) if !state.marked.is_empty() => Some("unmark"),
            (_, _, Page::Bench) if counting => Some("give up"),
            (_, _, Page::Bench) if state.is_busy() => Some("stop"),
            (_, _, Page::Bench) if state.differences => Some("all rows"),
            (_, _, Page::Bench) => None,
        }
    }

    /// Does it.
    pub(super) fn act(&mut self, action: Action, cx: &mut Cx) {
        let state = &mut self.state;
        match action {
            Action::Run | Action::Again => {
                state.leave(cx);
                state.run(if action == Action::Run { Which::New } else { Which::Column }, cx);
            }
            Action::Stop => drop(state.stop(cx)),
            Action::Add => {
                let at = state.texts.add(Untrusted::default(), Untrusted::default(), cx);
                state.go_to_text(at, cx.session);
                state.page = Page::Bench;
                state.write(cx);
            }
            Action::Edit => state.write(cx),
            Action::External => {
                if state.texts.len() > 0 {
                    cx.push(Effect::Edit);
                }
            }
            Action::Delete => state.delete(cx),
            Action::Undo => match state.texts.undo() {
                Some(at) => {
                    state.go_to_text(at, cx.session);
                    state.changed(cx.now);
                }
                None => cx.notify(Notice::hint("no text was deleted").about("undo")),
            },
            Action::Later | Action::Earlier => {
                let moved = state.place(cx.session).and_then(|(at, _)| state.texts.shift(at, action == Action::Later));
                if let Some(at) = moved {
                    let models = state.shared.models(cx.session).len();
                    state.column = at * models + state.column % models;
                    state.changed(cx.now);
                }
            }
            Action::AddModel => {
                state.adding = true;
                cx.push(Effect::ChooseModel);
            }
            Action::DropModel => state.drop_model(cx),
            Action::Thresholds => state.over = Some(Over::Profiles(Profiles::new(&state.shared.thresholds))),
            Action::Raise => state.shift(STEP, cx),
            Action::Lower => state.shift(-STEP, cx),
            Action::RaiseMuch => state.shift(LEAP, cx),
            Action::LowerMuch => state.shift(-LEAP, cx),
            Action::Reset => state.reset(cx),
            Action::Mark => {
                if let Some(key) = state.at.clone()
                    && !state.marked.remove(&key)
                {
                    state.marked.insert(key);
                }
                state.step(1);
            }
            Action::Sort => {
                let by_score = state.shared.kept.by_score.unwrap_or(!state.wide);
                state.shared.kept.by_score = Some(!by_score);
                state.share(cx);
            }
            Action::Families => {
                state.shared.kept.families = !state.shared.kept.families;
                state.share(cx);
            }
            Action::Differences if state.here_failed(cx.session) => state.open_details(cx),
            Action::Differences => state.toggle_differences(cx),
            Action::Details => state.open_details(cx),
            Action::Beside => state.beside = !state.beside,
            Action::Past => state.open_past(cx),
            Action::Origin => state.open_origin(cx),
            Action::Blur => {
                state.shared.kept.blur = !state.shared.kept.blur;
                let said = if state.shared.kept.blur { "flagged texts are blurred" } else { "flagged texts are shown" };
                cx.notify(Notice::ok(said).about("blur"));
                state.share(cx);
            }
            Action::File => {
                state.page = Page::File;
                state.file.open(&state.shared, cx);
            }
            Action::Turns if state.turns.is_empty() => {
                cx.notify(Notice::hint("no conversation was sent here; Chat's palette does it").about("turns"));
            }
            Action::Turns => state.page = Page::Turns,
            Action::Export => state.open_export(cx),
            Action::Offer => {
                if let Some(text) = state.text_here(cx).filter(|text| !text.is_empty()) {
                    cx.push(Effect::Offer(Offer::Text(text)));
                }
            }
            Action::Copy => {
                if let Some(text) = state.text_here(cx) {
                    cx.copy(text);
                }
            }
            Action::Curl => {
                if let Some(ask) = state.request(cx.session) {
                    let call = Call::Moderate(Box::new(ask));
                    cx.push(Effect::CopyCurl(cx.session.profile.clone(), call));
                }
            }
            Action::Left => state.column = state.column.saturating_sub(1),
            Action::Right => state.column = (state.column + 1).min(state.columns(cx.session).saturating_sub(1)),
            Action::PageLeft => state.column = state.column.saturating_sub(state.fit.max(1)),
            Action::PageRight => {
                state.column = (state.column + state.fit.max(1)).min(state.columns(cx.session).saturating_sub(1));
            }
            Action::Up => state.step(-1),
            Action::Down => state.step(1),
            Action::Top => state.step(isize::MIN / 2),
            Action::Bottom => state.step(isize::MAX / 2),
            Action::PageUp => state.step(-10),
            Action::PageDown => state.step(10),
        }
    }
}

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

    fn delete(&mut self, cx: &mut Cx) {
        let Some((at, _)) = self.place(cx.session) else { return };
        if self.texts.delete(at).is_some() {
            cx.notify(Notice::hint("deleted; u brings it back").about("undo"));
            self.changed(cx.now);
        }
    }

    /// Takes the model of the column under the cursor away.
    fn drop_model(&mut self, cx: &mut Cx) {
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
    fn shift(&mut self, by: f64, cx: &mut Cx) {
        let here = self.category_here();
        if here.is_empty() {
            return cx.notify(Notice::hint("there are no categories yet: ^R checks, t moves the default").about("row"));
        }
        for key in here {
            self.shared.thresholds.profile_mut().shift(&key, by);
        }
        self.share(cx);
    }

    fn reset(&mut self, cx: &mut Cx) {
        for key in self.category_here() {
            self.shared.thresholds.profile_mut().clear(&key);
        }
        self.share(cx);
    }

    /// The categories that a key is about.
    fn category_here(&self) -> Vec<super::category::Key> {
        match &self.page {
            Page::Past(past) => past.at().cloned().into_iter().collect(),
            Page::Origin(origin) => origin.at().cloned().into_iter().collect(),
            _ if !self.marked.is_empty() => self.marked.iter().cloned().collect(),
            _ => self.at.iter().filter(|_| !self.board.rows.is_empty()).cloned().collect(),
        }
    }

    fn toggle_differences(&mut self, cx: &mut Cx) {
        let checked = self.board.columns.iter().filter(|column| column.check.is_some()).count();
        if checked < 2 && !self.differences {
            let said = "differences are between columns: a adds a text, m a model, ^R checks";
            return cx.notify(Notice::hint(said).about("differences"));
        }
        self.differences = !self.differences;
        self.revision += 1;
    }

    fn open_past(&mut self, cx: &mut Cx) {
        let Some((at, judge)) = self.place(cx.session) else { return };
        let Some(text) = self.texts.get(at) else { return };
        let subject = (text.key, text.row.text.clone());
        self.page = Page::Past(Box::new(super::past::Past::new(self.name(at), subject, judge, &self.results)));
        self.ask_bench(cx);
    }

    /// Opens the text sentence by sentence, and checks the sentences that were never checked.
    fn open_origin(&mut self, cx: &mut Cx) {
        let Some((at, judge)) = self.place(cx.session) else { return };
        let Some(text) = self.texts.get(at).filter(|text| !text.row.text.line().trim().is_empty()) else { return };
        let category = self.at.clone();
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
    fn text_here(&self, cx: &Cx) -> Option<Untrusted> {
        if matches!(self.page, Page::Turns) {
            return self.turns.text().map(|(_, text)| text);
        }
        let (at, _) = self.place(cx.session)?;
        self.texts.get(at).map(|text| text.row.text.clone())
    }
}
