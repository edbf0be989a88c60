//! Turns keys into actions: first those of the pane with the focus.

use crossterm::event::KeyEvent;

use super::Embed;
use super::keys::{Action, BLANK, INPUTS, MATRIX as CELLS};
use super::layout::MapWidth;
use super::pane::PaneEvent;
use super::pane_data::Page;
use super::state::State;
use crate::component::{Component, Cx, Effect, FindBarEvent, Notice, Offer};
use crate::record::vectors::MATRIX;
use crate::text::Untrusted;
use crate::ui::heatmap::NUMBERS;
use crate::ui::meter;

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
        state.panes.compare.end_choosing();
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
        if let Some(pane) = state.panes.get_mut(state.view.page)
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
        let wide = self.state.view.layout.wide;
        let state = &mut self.state;
        match action {
            Action::Run => state.run(cx),
            Action::Sample => state.add_sample(cx),
            Action::Stop => drop(state.stop(cx)),
            Action::Escape => state.escape(cx),
            Action::Pause => state.toggle_pause(cx),
            Action::Add => state.start_editing(None, cx),
            Action::Edit => state.start_editing(Some(state.data.cursor.0), cx),
            Action::External => state.edit_externally(cx),
            Action::Delete => state.delete(cx),
            Action::Undo => state.undo(cx),
            Action::Lower => state.shift(true, cx),
            Action::Raise => state.shift(false, cx),
            Action::File => state.choose_file(),
            Action::Lists => state.choose_list(cx),
            Action::Typed => state.show_typed_list(cx),
            Action::Open => state.open_selected_pair(),
            Action::Inputs => state.open_page(Page::Inputs, cx),
            Action::Matrix if state.view.page == Page::Matrix => {
                state.move_cursor(state.row_at(0), Some(state.row_at(0)));
            }
            Action::Matrix => state.open_page(Page::Matrix, cx),
            Action::Map => state.go_over(Page::Map, cx),
            Action::Pairs => state.go_over(Page::Pairs, cx),
            Action::Query => state.go_over(Page::Query, cx),
            Action::Compare => state.go_over(Page::Compare, cx),
            Action::Hygiene => state.go_over(Page::Hygiene, cx),
            Action::Order => state.toggle_order(cx),
            Action::Scale => state.view.stretched = !state.view.stretched,
            Action::Whole => state.view.heat.whole = !state.view.heat.whole,
            Action::Zoom => state.view.zoomed = !state.view.zoomed,
            Action::Wider => state.resize_map(true),
            Action::Narrower => state.resize_map(false),
            Action::Dimensions => state.open_dimensions(),
            Action::Model => cx.push(Effect::ChooseModel),
            Action::Newlines => state.toggle_newlines(cx),
            Action::Load => state.load_on_request(cx),
            Action::Export => state.open_export(cx),
            Action::Import => state.open_import(),
            Action::Find => state.find.start(&state.data.texts, state.data.cursor.0),
            Action::Next => state.find_next(false, cx),
            Action::Previous => state.find_next(true, cx),
            Action::Details => state.open_details(cx),
            Action::Copy => state.copy(cx),
            Action::Offer => state.offer(cx),
            Action::Left => state.step(0, -1),
            Action::Right => state.step(0, 1),
            Action::Up => state.step(-1, 0),
            Action::Down => state.step(1, 0),
            Action::Top => state.step(isize::MIN / 2, 0),
            Action::Bottom => state.step(isize::MAX / 2, 0),
            Action::PageUp => state.step(-page, 0),
            Action::PageDown => state.step(page, 0),
            Action::NextPane => state.focus_next_pane(true, wide, cx),
            Action::PreviousPane => state.focus_next_pane(false, wide, cx),
        }
    }
}

impl State {
    /// Returns whether there is nothing here at all.
    pub(super) fn is_blank(&self) -> bool {
        self.startup.loaded && self.data.texts.is_empty() && self.editing.is_none()
    }

    pub(super) fn pane_event(&mut self, event: PaneEvent, cx: &mut Cx) {
        match event {
            PaneEvent::Close if self.view.page == Page::Pair => self.view.page = self.view.back,
            PaneEvent::Close => self.open_page(Page::Matrix, cx),
            PaneEvent::Go(row) => self.move_cursor(row, None),
            PaneEvent::Select(row, column) => self.move_cursor(row, Some(column)),
            PaneEvent::Pair(one, other) => {
                self.move_cursor(one, Some(other));
                self.open_pair();
            }
            PaneEvent::Resize(wider) => self.resize_map(wider),
            PaneEvent::Above(above) => {
                self.data.above = above;
                self.analyses.other_threshold();
            }
            PaneEvent::Embed(text) => self.embed_query(text, cx),
            PaneEvent::Other(key) => self.embed_other(key, cx),
            PaneEvent::ChooseModel => cx.push(Effect::ChooseModel),
        }
    }

    /// Embeds a text that a pane asks for.
    fn embed_query(&mut self, text: Untrusted, cx: &mut Cx) {
        let why = if self.run.job.is_some() {
            Some("a run is under way; esc stops it, then run again")
        } else if self.list.is_imported() {
            Some("these vectors came from a file and their model is not known, so texts cannot be ranked")
        } else {
            None
        };
        match why {
            Some(why) => self.panes.query.vector(Err(why.into()), cx),
            None => {
                let key = self.data.key.clone();
                let text = self.sent(&text);
                self.start_run(super::embed_run::RunPurpose::Query, key, vec![(text, None)], cx);
            }
        }
    }

    /// Embeds the texts under another key, for a pane.
    fn embed_other(&mut self, key: crate::record::VectorKey, cx: &mut Cx) {
        let why = if self.run.job.is_some() {
            Some("a run is under way; esc stops it, then compare again")
        } else if self.data.texts.len() > MATRIX {
            Some("a list of more than 2,000 texts cannot be compared")
        } else {
            None
        };
        match why {
            Some(why) => self.panes.compare.other(&key, Err(why.into()), cx),
            None => {
                let texts = self.data.texts.iter().map(|text| (self.sent(&text.text), text.tokens)).collect();
                self.start_run(super::embed_run::RunPurpose::Other, key, texts, cx);
            }
        }
    }

    /// Goes to a pane over the vectors, if there are texts to look at.
    fn go_over(&mut self, page: Page, cx: &mut Cx) {
        if self.data.texts.len() < 2 {
            return cx.notify(Notice::info("add two texts first: a adds one, f reads a file").about("texts"));
        }
        self.open_page(page, cx);
    }

    /// Makes the map beside the matrix wider, or narrower; one with the keys stays.
    fn resize_map(&mut self, wider: bool) {
        let next = self.view.map_width.next(wider);
        if self.view.page != Page::Map || next != MapWidth::Hidden {
            self.view.map_width = next;
        }
    }

    /// Returns whether the map stands beside list and matrix.
    pub(super) fn shows_map(&self) -> bool {
        self.view.layout.wide && !self.view.zoomed && self.view.map_width != MapWidth::Hidden
    }

    /// Shows the texts under the cursor in full; in a long list, one with what is nearest to it.
    fn open_selected_pair(&mut self) {
        if self.data.texts.len() > MATRIX {
            self.data.cursor.1 = self.data.cursor.0;
        }
        self.open_pair();
    }

    /// Opens the text under the cursor, or the one that is typed, in the external editor.
    fn edit_externally(&mut self, cx: &mut Cx) {
        if self.editing.is_none() {
            self.start_editing(Some(self.data.cursor.0), cx);
        }
        if self.editing.is_some() {
            cx.push(Effect::Edit);
        }
    }

    /// Copies the text under the cursor.
    fn copy(&self, cx: &mut Cx) {
        if let Some(text) = self.data.texts.get(self.data.cursor.0) {
            cx.copy(text.text.clone());
        }
    }

    /// Shows both texts in full.
    pub(super) fn open_pair(&mut self) {
        let (row, column) = self.data.cursor;
        let rows = self.data.texts.len();
        if rows < 2 || row >= rows {
            return;
        }
        // Above the matrix a text has its nearest beside it.
        if rows > MATRIX && (row == column || column >= rows) {
            let nearest = self.nearest(row, 1).first().map(|(other, _)| *other);
            self.data.cursor.1 = nearest.unwrap_or((row + 1) % rows);
        }
        if self.view.page != Page::Pair {
            self.view.back = self.view.page;
        }
        self.view.page = Page::Pair;
        self.panes.pair.reset();
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
        let pane = self.panes.get(self.view.page).and_then(Component::escape);
        pane.or_else(|| self.next_escape().map(Escape::label))
    }

    /// Handles a key while words to find are typed.
    fn find_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        match self.find.bar.key(key) {
            FindBarEvent::Changed | FindBarEvent::Cancelled => self.find_typed(),
            FindBarEvent::Moved(motion) => self.find_next(motion.rows(1) < 0, cx),
            FindBarEvent::Submitted => {
                if self.find.next(self.data.cursor.0, false).is_none() {
                    self.find_next(false, cx);
                }
            }
            FindBarEvent::Ignored => {}
        }
    }

    /// Moves the cursor to the first text that contains what is typed; back, if there is none.
    pub(super) fn find_typed(&mut self) {
        self.find.update(&self.data.texts);
        self.move_cursor(self.find.first().min(self.data.texts.len().saturating_sub(1)), None);
    }

    /// Moves the cursor to the next text that contains the words, or to the one before.
    fn find_next(&mut self, back: bool, cx: &mut Cx) {
        self.find.update(&self.data.texts);
        let words = Untrusted::from(self.find.words());
        match self.find.next(self.data.cursor.0, back) {
            Some(row) => self.move_cursor(row, None),
            None if words.is_empty() => {}
            None => cx.notify(Notice::warn(format!("no text contains “{}”", words.line())).about("find")),
        }
    }

    /// Moves the cursor in the matrix, or in the list.
    fn step(&mut self, rows: isize, columns: isize) {
        let count = self.data.texts.len();
        if count == 0 {
            return;
        }
        if self.view.page == Page::Inputs || count > MATRIX {
            let last = count as isize - 1;
            let row = (self.data.cursor.0 as isize).saturating_add(rows).saturating_add(columns).clamp(0, last);
            return self.move_cursor(row as usize, None);
        }
        let heat = &mut self.view.heat;
        heat.by(rows, columns, count);
        let (row, column) = (heat.row, heat.column);
        self.data.cursor = (self.row_at(row), self.row_at(column));
    }

    /// Gives the keys to the next pane; where the panes are side by side, the map is one of them.
    fn focus_next_pane(&mut self, forward: bool, wide: bool, cx: &mut Cx) {
        let map = wide && self.view.map_width != MapWidth::Hidden;
        let panes: &[Page] = if map { &[Page::Inputs, Page::Matrix, Page::Map] } else { &[Page::Inputs, Page::Matrix] };
        let at = panes.iter().position(|page| *page == self.view.page).unwrap_or(1);
        let next = if forward { at + 1 } else { at + panes.len() - 1 } % panes.len();
        self.open_page(panes[next], cx);
    }

    fn toggle_order(&mut self, cx: &mut Cx) {
        if self.data.matrix.is_none() {
            return cx.notify(Notice::info("there is no matrix to order yet; ^R embeds the texts"));
        }
        self.view.ordered = !self.view.ordered;
        self.analyses.version += 1;
        self.place_heat();
        // Of a large matrix a part shows, which is another now.
        if self.data.texts.len() > NUMBERS {
            let order = if self.view.ordered { "ordered by cluster" } else { "in list order" };
            let heat = &self.view.heat;
            let (row, column) = (heat.row as u64 + 1, heat.column as u64 + 1);
            let said = format!("{order} · row {}, column {}", meter::count(row), meter::count(column));
            cx.notify(Notice::ok(said).about("order"));
        }
    }

    /// Newlines as spaces, or as they are: what is sent is another, and so are the vectors.
    fn toggle_newlines(&mut self, cx: &mut Cx) {
        if self.list.is_imported() {
            return cx.notify(Notice::info("imported texts are not sent to the server"));
        }
        self.saves.settings.keep_newlines = !self.saves.settings.keep_newlines;
        self.saves.settings_changed = true;
        let said = if self.saves.settings.keep_newlines {
            "newlines are sent unchanged"
        } else {
            "newlines are sent as spaces, as the API recommends"
        };
        cx.notify(Notice::ok(said).about("newlines"));
        self.update_sent_texts(cx);
    }

    /// Prepares again what is sent of each text.
    fn update_sent_texts(&mut self, cx: &mut Cx) {
        let sent: Vec<_> =
            self.data.texts.iter().map(|text| crate::record::TextKey::of(&self.sent(&text.text))).collect();
        self.change_texts(|texts| {
            for (text, sent) in texts.iter_mut().zip(sent) {
                if text.sent != sent {
                    (text.sent, text.tokens) = (sent, None);
                }
            }
        });
        self.changed(cx.now);
    }

    /// Takes a model that was chosen, for the comparison or for the list.
    pub(super) fn model_chosen(&mut self, model: &Untrusted, cx: &mut Cx) {
        if self.panes.compare.end_choosing() {
            self.panes.compare.chosen(model, cx).act(|event| self.pane_event(event, cx));
            return;
        }
        self.saves.settings.models.insert(cx.session.profile.0.clone(), model.line().into_owned());
        self.saves.settings_changed = true;
        self.saves.due.get_or_insert(cx.now + super::state::REST);
        if self.list.is_imported() {
            self.list.imported = Untrusted::default();
            self.list.touch();
            self.update_sent_texts(cx);
        }
        self.sync(cx);
    }

    /// Hands the texts to another tab.
    fn offer(&mut self, cx: &mut Cx) {
        if self.data.texts.is_empty() {
            return cx.notify(Notice::info("there are no texts to send"));
        }
        let texts = self.data.texts.iter().take(OFFERED).map(|text| (text.name.clone(), text.text.clone()));
        let texts = texts.collect();
        self.offering = true;
        cx.push(Effect::Offer(Offer::Texts(texts)));
    }
}
