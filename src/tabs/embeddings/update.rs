//! Turns keys into actions: first those of the pane with the focus.

use crossterm::event::KeyEvent;

use super::Embed;
use super::embedded_list::EmbeddedList;
use super::keys::{Action, BLANK, INPUTS, MATRIX as CELLS};
use super::pane::PaneEvent;
use super::pane_data::Page;
use super::state::State;
use crate::component::{Component, Cx, Effect, FindBarEvent, Notice, Offer};
use crate::record::vectors::MATRIX;
use crate::text::Untrusted;

/// Texts that are handed to another tab at most.
const OFFERED: usize = 2_000;

/// What Esc does where no dialog, text or pane takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Escape {
    EndFinding,
    StopRun,
    LeavePair,
    Narrow,
}

impl Escape {
    fn label(self) -> &'static str {
        match self {
            Self::EndFinding => "end find",
            Self::StopRun => "stop",
            Self::LeavePair => "back",
            Self::Narrow => "narrow",
        }
    }
}

impl Embed {
    /// Takes a key that is not the shell's.
    pub(super) fn on_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let state = &mut self.state;
        state.offering = false;
        state.list.panes.compare.end_choosing();
        state.sync(cx);
        if state.modals.key(key, cx).act(|answer| state.answer(answer, cx)) {
            return state.advance(cx);
        }
        if state.find.bar.is_typing() {
            state.find_key(key, cx);
            return state.advance(cx);
        }
        if state.editing.is_some() {
            state.editing_key(key, cx);
            return state.advance(cx);
        }
        if let Some(pane) = state.list.panes.get_mut(state.view.page)
            && pane.key(key, cx).act(|event| state.pane_event(event, cx))
        {
            return state.advance(cx);
        }
        let table = if state.view.page == Page::Inputs { &INPUTS } else { &CELLS };
        let blank = BLANK.find(&key).filter(|_| state.is_blank());
        if let Some(action) = blank.or_else(|| table.find(&key)) {
            self.act(action, cx);
        }
        self.state.advance(cx);
    }

    /// Does what a key or the palette asks for.
    pub(super) fn act(&mut self, action: Action, cx: &mut Cx) {
        let page = self.state.view.layout.page();
        let state = &mut self.state;
        match action {
            Action::Run => state.run(cx),
            Action::Sample => state.add_sample(cx),
            Action::Stop => drop(state.stop(cx)),
            Action::Escape => state.escape(cx),
            Action::Pause => state.toggle_pause(cx),
            Action::Add => state.start_editing(None, cx),
            Action::Edit => state.start_editing(Some(state.list.data.cursor.0), cx),
            Action::External => state.edit_externally(cx),
            Action::Delete => state.change_list(cx, EmbeddedList::delete),
            Action::Undo => state.change_list(cx, EmbeddedList::undo),
            Action::Lower => state.change_list(cx, |list, cx| list.shift(true, cx)),
            Action::Raise => state.change_list(cx, |list, cx| list.shift(false, cx)),
            Action::File => state.choose_file(),
            Action::Lists => state.choose_list(cx),
            Action::Typed => state.show_typed_list(cx),
            Action::Open => state.open_selected_pair(),
            Action::Inputs => state.open_page(Page::Inputs, cx),
            Action::Matrix if state.view.page == Page::Matrix => {
                let first = state.list.row_at(0);
                state.list.move_cursor(first, Some(first));
            }
            Action::Matrix => state.open_page(Page::Matrix, cx),
            Action::Map => state.go_over(Page::Map, cx),
            Action::Pairs => state.go_over(Page::Pairs, cx),
            Action::Query => state.go_over(Page::Query, cx),
            Action::Compare => state.go_over(Page::Compare, cx),
            Action::Hygiene => state.go_over(Page::Hygiene, cx),
            Action::Order => state.list.toggle_order(cx),
            Action::Scale => state.list.matrix.stretched = !state.list.matrix.stretched,
            Action::Whole => state.list.matrix.heat.whole = !state.list.matrix.heat.whole,
            Action::Zoom => state.view.zoomed = !state.view.zoomed,
            Action::Wider => state.view.resize_map(true),
            Action::Narrower => state.view.resize_map(false),
            Action::Dimensions => state.open_dimensions(),
            Action::Model => cx.push(Effect::OpenModelPicker),
            Action::Newlines => state.toggle_newlines(cx),
            Action::Load => state.list.load_on_request(state.run.is_busy(), cx),
            Action::Export => state.open_export(cx),
            Action::Import => state.open_import(),
            Action::Find => state.find.start(&state.list.data.texts, state.list.data.cursor.0),
            Action::Next => state.find_next(false, cx),
            Action::Previous => state.find_next(true, cx),
            Action::Details => state.open_details(cx),
            Action::Copy => state.copy(cx),
            Action::Offer => state.offer(cx),
            Action::Left => state.list.step(state.view.page, 0, -1),
            Action::Right => state.list.step(state.view.page, 0, 1),
            Action::Up => state.list.step(state.view.page, -1, 0),
            Action::Down => state.list.step(state.view.page, 1, 0),
            Action::Top => state.list.step(state.view.page, isize::MIN / 2, 0),
            Action::Bottom => state.list.step(state.view.page, isize::MAX / 2, 0),
            Action::PageUp => state.list.step(state.view.page, -page, 0),
            Action::PageDown => state.list.step(state.view.page, page, 0),
            Action::NextPane => state.open_page(state.view.next_page(true), cx),
            Action::PreviousPane => state.open_page(state.view.next_page(false), cx),
        }
    }
}

impl State {
    /// Returns whether there is nothing here at all.
    pub(super) fn is_blank(&self) -> bool {
        self.startup.loaded && self.list.data.texts.is_empty() && self.editing.is_none()
    }

    pub(super) fn pane_event(&mut self, event: PaneEvent, cx: &mut Cx) {
        match event {
            PaneEvent::Close if self.view.page == Page::Pair => self.view.page = self.view.back,
            PaneEvent::Close => self.open_page(Page::Matrix, cx),
            PaneEvent::Go(row) => self.list.move_cursor(row, None),
            PaneEvent::Select(row, column) => self.list.move_cursor(row, Some(column)),
            PaneEvent::Pair(one, other) => {
                self.list.move_cursor(one, Some(other));
                self.open_pair();
            }
            PaneEvent::Resize(wider) => self.view.resize_map(wider),
            PaneEvent::Above(above) => {
                self.list.data.above = above;
                self.list.analyses.other_threshold();
            }
            PaneEvent::Embed(text) => self.embed_query(text, cx),
            PaneEvent::Other(key) => self.embed_other(key, cx),
            PaneEvent::ChooseModel => cx.push(Effect::OpenModelPicker),
        }
    }

    /// Embeds a text that a pane asks for.
    fn embed_query(&mut self, text: Untrusted, cx: &mut Cx) {
        let why = if self.run.job.is_some() {
            Some("a run is under way; esc stops it, then run again")
        } else if self.list.storage.is_imported() {
            Some("these vectors came from a file and their model is not known, so texts cannot be ranked")
        } else {
            None
        };
        match why {
            Some(why) => self.list.panes.query.vector(Err(why.into()), cx),
            None => {
                let key = self.list.data.key.clone();
                let text = self.list.sent(&text);
                self.start_run(super::embed_run::RunPurpose::Query, key, vec![(text, None)], cx);
            }
        }
    }

    /// Embeds the texts under another key, for a pane.
    fn embed_other(&mut self, key: crate::record::VectorKey, cx: &mut Cx) {
        let why = if self.run.job.is_some() {
            Some("a run is under way; esc stops it, then compare again")
        } else if self.list.data.texts.len() > MATRIX {
            Some("a list of more than 2,000 texts cannot be compared")
        } else {
            None
        };
        match why {
            Some(why) => self.list.panes.compare.other(&key, Err(why.into()), cx),
            None => {
                let texts = self.list.texts_to_send();
                self.start_run(super::embed_run::RunPurpose::Other, key, texts, cx);
            }
        }
    }

    /// Goes to a pane over the vectors, if there are texts to look at.
    fn go_over(&mut self, page: Page, cx: &mut Cx) {
        if self.list.data.texts.len() < 2 {
            return cx.notify(Notice::info("add two texts first: a adds one, f reads a file").about("texts"));
        }
        self.open_page(page, cx);
    }

    /// Shows the texts under the cursor in full; in a long list, one with what is nearest to it.
    fn open_selected_pair(&mut self) {
        if self.list.data.texts.len() > MATRIX {
            self.list.data.cursor.1 = self.list.data.cursor.0;
        }
        self.open_pair();
    }

    /// Opens the text under the cursor, or the one that is typed, in the external editor.
    fn edit_externally(&mut self, cx: &mut Cx) {
        if self.editing.is_none() {
            self.start_editing(Some(self.list.data.cursor.0), cx);
        }
        if self.editing.is_some() {
            cx.push(Effect::EditText);
        }
    }

    /// Copies the text under the cursor.
    fn copy(&self, cx: &mut Cx) {
        if let Some(text) = self.list.data.texts.get(self.list.data.cursor.0) {
            cx.copy(text.text.clone());
        }
    }

    /// Shows both texts in full.
    pub(super) fn open_pair(&mut self) {
        if !self.list.choose_pair() {
            return;
        }
        if self.view.page != Page::Pair {
            self.view.back = self.view.page;
        }
        self.view.page = Page::Pair;
        self.list.panes.pair.reset();
    }

    /// Returns what the next Esc does that is no dialog's, text's or pane's; `None`: nothing.
    fn next_escape(&self) -> Option<Escape> {
        if !self.find.words().is_empty() {
            Some(Escape::EndFinding)
        } else if self.run.job.is_some() {
            Some(Escape::StopRun)
        } else if self.view.page == Page::Pair {
            Some(Escape::LeavePair)
        } else {
            self.view.zoomed.then_some(Escape::Narrow)
        }
    }

    fn escape(&mut self, cx: &mut Cx) {
        match self.next_escape() {
            Some(Escape::EndFinding) => self.find.bar.clear(),
            Some(Escape::StopRun) => drop(self.stop(cx)),
            Some(Escape::LeavePair) => self.view.page = self.view.back,
            Some(Escape::Narrow) => self.view.zoomed = false,
            None => {}
        }
    }

    /// Returns what the next Esc does, in words.
    pub(super) fn escape_hint(&self) -> Option<&'static str> {
        if self.modals.is_open() {
            return self.modals.escape();
        }
        if self.editing.is_some() {
            return Some("done");
        }
        if self.find.bar.is_typing() {
            return Some(Escape::EndFinding.label());
        }
        let pane = self.list.panes.get(self.view.page).and_then(Component::escape);
        pane.or_else(|| self.next_escape().map(Escape::label))
    }

    /// Handles a key while words to find are typed.
    fn find_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        match self.find.bar.key(key) {
            FindBarEvent::Changed | FindBarEvent::Cancelled => self.find_typed(),
            FindBarEvent::Moved(motion) => self.find_next(motion.rows(1) < 0, cx),
            FindBarEvent::Submitted => {
                if self.find.next(self.list.data.cursor.0, false).is_none() {
                    self.find_next(false, cx);
                }
            }
            FindBarEvent::Ignored => {}
        }
    }

    /// Moves the cursor to the first text that contains what is typed; back, if there is none.
    pub(super) fn find_typed(&mut self) {
        self.find.update(&self.list.data.texts);
        self.list.move_cursor(self.find.first().min(self.list.data.texts.len().saturating_sub(1)), None);
    }

    /// Moves the cursor to the next text that contains the words, or to the one before.
    fn find_next(&mut self, back: bool, cx: &mut Cx) {
        self.find.update(&self.list.data.texts);
        let words = Untrusted::from(self.find.words());
        match self.find.next(self.list.data.cursor.0, back) {
            Some(row) => self.list.move_cursor(row, None),
            None if words.is_empty() => {}
            None => cx.notify(Notice::warn(format!("no text contains “{}”", words.line())).about("find")),
        }
    }

    /// Sends newlines as spaces, or as they are: the vectors are others then.
    fn toggle_newlines(&mut self, cx: &mut Cx) {
        if self.list.toggle_newlines(cx) {
            self.saves.settings_changed = true;
            self.texts_changed(cx.now);
        }
    }

    /// Takes a model that was chosen, for the comparison or for the list.
    pub(super) fn model_chosen(&mut self, model: &Untrusted, cx: &mut Cx) {
        if self.list.panes.compare.end_choosing() {
            self.list.panes.compare.chosen(model, cx).act(|event| self.pane_event(event, cx));
            return;
        }
        self.saves.choose_model(model, cx.session, cx.now);
        if self.list.storage.is_imported() {
            self.list.storage.imported = Untrusted::default();
            self.list.storage.touch();
            self.list.update_sent_texts();
            self.texts_changed(cx.now);
        }
        self.sync(cx);
    }

    /// Hands the texts to another tab.
    fn offer(&mut self, cx: &mut Cx) {
        if self.list.data.texts.is_empty() {
            return cx.notify(Notice::info("there are no texts to send"));
        }
        let texts = self.list.data.texts.iter().take(OFFERED).map(|text| (text.name.clone(), text.text.clone()));
        let texts = texts.collect();
        self.offering = true;
        cx.push(Effect::Offer(Offer::Texts(texts)));
    }
}
