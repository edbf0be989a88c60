//! Keys become actions: what is open first, then the page, then the bench.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::Moderate;
use super::actions::{Action, PageEvent};
use super::file::page as file;
use super::flight::Which;
use super::keys::{KEYS, WRITING};
use super::profiles::Profiles;
use super::state::Page;
use super::thresholds::{LEAP, STEP};
use crate::api::call::Call;
use crate::component::{Cx, Effect, Notice, Offer};
use crate::text::Untrusted;
use crate::ui::editor::Edit;

impl Moderate {
    /// A key that is not the shell's.
    pub(super) fn on_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let after_x = std::mem::take(&mut self.after_x);
        // The list of models was closed without a choice.
        self.state.adding = false;
        if self.state.dialog_key(key, cx) {
            return;
        }
        if self.state.writing.is_some() {
            return self.writing_key(key, after_x, cx);
        }
        let state = &mut self.state;
        if key.code == KeyCode::Enter && state.counts_down() {
            state.flights.hurry(cx);
            return;
        }
        let event = match &mut state.page {
            Page::Bench => return self.bench_key(key, cx),
            Page::File => {
                match state.file.key(key, &mut state.shared, cx) {
                    file::Event::None => {}
                    file::Event::Close => state.page = Page::Bench,
                    file::Event::Bench { name, text } => state.put(name, text, cx),
                    file::Event::Ignored => {
                        let shared =
                            |action: &Action| matches!(action, Action::Thresholds | Action::Blur | Action::AddModel);
                        if let Some(action) = KEYS.find(&key).filter(shared) {
                            self.act(action, cx);
                        }
                    }
                }
                return self.state.file_did(cx);
            }
            Page::Past(past) => past.key(key),
            Page::Origin(origin) => origin.key(key),
            Page::Turns => state.turns.key(key),
        };
        match event {
            None => {}
            Some(PageEvent::Close) => self.close_page(cx),
            Some(PageEvent::Put { name, text }) => state.put(name, text, cx),
            Some(PageEvent::Act(Action::Differences)) if !state.here_failed(cx.session) => match &mut state.page {
                Page::Past(past) => past.toggle(&state.results),
                // Elsewhere nothing differs; failures have details.
                _ => state.open_details(cx),
            },
            Some(PageEvent::Act(action)) => self.act(action, cx),
        }
    }

    /// Shows the bench again; on a conversation, stops first what runs.
    fn close_page(&mut self, cx: &mut Cx) {
        let state = &mut self.state;
        match &state.page {
            Page::Turns if !state.flights.is_empty() => {
                state.stop(cx);
                return;
            }
            Page::Origin(origin) => state.at = origin.at().cloned().or(state.at.take()),
            _ => {}
        }
        state.page = Page::Bench;
    }

    fn bench_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let state = &mut self.state;
        match key.code {
            KeyCode::Enter if state.texts.len() == 0 => state.examples(cx),
            KeyCode::Esc => self.escape_key(cx),
            _ => {
                if let Some(action) = KEYS.find(&key) {
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
            _ => {}
        }
        match WRITING.find(&key) {
            Some(Action::Stop) => return self.state.leave(cx),
            Some(action) => return self.act(action, cx),
            None => {}
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
        match (state.has_dialog(), &state.writing, &state.page) {
            (true, ..) => state.modals.escape().or(Some("close")),
            (false, Some(_), _) => Some("done"),
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
                state.leave(cx);
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
            Action::Thresholds => state.profiles = Some(Profiles::new(&state.shared.thresholds)),
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
                state.leave(cx);
                state.page = Page::File;
                state.file.open(cx);
            }
            Action::Lists => {
                state.leave(cx);
                state.page = Page::File;
                state.file.lists(cx);
            }
            Action::Turns if state.turns.is_empty() => {
                cx.notify(Notice::hint("no conversation was sent here; Chat's palette does it").about("turns"));
            }
            Action::Turns => {
                state.leave(cx);
                state.page = Page::Turns;
            }
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
            Action::PageLeft => state.column = state.column.saturating_sub(state.in_view.len().max(1)),
            Action::PageRight => {
                let next = state.column + state.in_view.len().max(1);
                state.column = next.min(state.columns(cx.session).saturating_sub(1));
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
