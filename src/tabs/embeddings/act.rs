//! Keys become actions: each pane's own first.

use crossterm::event::{KeyCode, KeyEvent};

use super::Embed;
use super::keys::{Action, INPUTS, MATRIX as CELLS};
use super::pane::{Ask, Page};
use super::state::State;
use crate::component::{Cx, Effect, Notice, Offer};
use crate::record::vectors::MATRIX;
use crate::text::Untrusted;
use crate::ui::heatmap::NUMBERS;
use crate::ui::meter;

/// Texts that are handed to another tab at most.
const OFFERED: usize = 2_000;

impl Embed {
    /// A key that is not the shell's.
    pub(super) fn on_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let state = &mut self.state;
        (state.offering, state.choosing) = (false, false);
        state.sync(cx);
        if state.dialog_key(key, cx) {
            return state.pump(cx);
        }
        if state.writing.is_some() {
            state.writing_key(key, cx);
            return state.pump(cx);
        }
        if let Some((pane, read)) = state.pane() {
            let ask = pane.key(key, read, cx);
            if ask != Ask::Ignored {
                state.asked_by_pane(ask, cx);
                return state.pump(cx);
            }
        }
        if key.code == KeyCode::Esc {
            state.escape(cx);
            return state.pump(cx);
        }
        if state.page == Page::Pair && state.pair_key(key) {
            return;
        }
        if key.code == KeyCode::Enter && state.is_blank() {
            state.sample(cx);
            return state.pump(cx);
        }
        let table = if state.page == Page::Inputs { &INPUTS } else { &CELLS };
        if let Some(action) = table.find(&key) {
            self.act(action, cx);
        }
        self.state.pump(cx);
    }

    /// Does what a key or the palette asks for.
    pub(super) fn act(&mut self, action: Action, cx: &mut Cx) {
        let page = self.view.page();
        let wide = self.view.is_wide();
        let state = &mut self.state;
        match action {
            Action::Run => state.run(cx),
            Action::Stop => drop(state.stop(cx)),
            Action::Pause => state.pause(cx),
            Action::Add => state.write(None, cx),
            Action::Edit => state.write(Some(state.read.cursor.0), cx),
            Action::External => {
                if state.writing.is_none() {
                    state.write(Some(state.read.cursor.0), cx);
                }
                if state.writing.is_some() {
                    cx.push(Effect::Edit);
                }
            }
            Action::Delete => state.delete(cx),
            Action::Undo => state.take_back(cx),
            Action::Lower => state.shift(true, cx),
            Action::Raise => state.shift(false, cx),
            Action::File => state.choose_file(),
            Action::Lists => state.choose_list(cx),
            Action::Typed => state.typed_list(cx),
            Action::Open => {
                // In a long list a text is looked at with what is nearest to it.
                if state.read.texts.len() > MATRIX {
                    state.read.cursor.1 = state.read.cursor.0;
                }
                state.open_pair();
            }
            Action::Inputs => state.go(Page::Inputs, cx),
            Action::Matrix if state.page == Page::Matrix => state.put(state.row_at(0), Some(state.row_at(0))),
            Action::Matrix => state.go(Page::Matrix, cx),
            Action::Map => state.go_over(Page::Map, cx),
            Action::Pairs => state.go_over(Page::Pairs, cx),
            Action::Query => state.go_over(Page::Query, cx),
            Action::Compare => state.go_over(Page::Compare, cx),
            Action::Hygiene => state.go_over(Page::Hygiene, cx),
            Action::Order => state.toggle_order(cx),
            Action::Scale => state.stretched = !state.stretched,
            Action::Whole => state.heat.whole = !state.heat.whole,
            Action::Zoom => state.zoomed = !state.zoomed,
            Action::Dimensions => state.open_dimensions(),
            Action::Model => cx.push(Effect::ChooseModel),
            Action::Newlines => state.toggle_newlines(cx),
            Action::Load => state.load_now(cx),
            Action::Export => state.open_export(cx),
            Action::Import => state.open_import(),
            Action::Find => state.open_find(),
            Action::Next => state.find_next(false, false, cx),
            Action::Previous => state.find_next(true, false, cx),
            Action::Details => state.open_details(cx),
            Action::Copy => {
                if let Some(text) = state.read.texts.get(state.read.cursor.0) {
                    cx.copy(text.text.clone());
                }
            }
            Action::Offer => state.offer(cx),
            Action::Left => state.step(0, -1),
            Action::Right => state.step(0, 1),
            Action::Up => state.step(-1, 0),
            Action::Down => state.step(1, 0),
            Action::Top => state.step(isize::MIN / 2, 0),
            Action::Bottom => state.step(isize::MAX / 2, 0),
            Action::PageUp => state.step(-page, 0),
            Action::PageDown => state.step(page, 0),
            Action::NextPane => state.turn(true, wide, cx),
            Action::PreviousPane => state.turn(false, wide, cx),
        }
    }
}

impl State {
    /// Whether there is nothing here at all.
    pub(super) fn is_blank(&self) -> bool {
        self.loaded && self.read.texts.is_empty() && self.writing.is_none()
    }

    /// Does what a pane asks for.
    pub(super) fn asked_by_pane(&mut self, ask: Ask, cx: &mut Cx) {
        match ask {
            Ask::Nothing | Ask::Ignored => {}
            Ask::Close => self.go(Page::Matrix, cx),
            Ask::Go(row) => self.put(row, None),
            Ask::Pair(one, other) => {
                self.put(one, Some(other));
                self.open_pair();
            }
            Ask::Above(above) => {
                self.read.above = above;
                self.sums.other_threshold();
                if let Some((pane, read)) = self.pane() {
                    pane.fresh(read, cx);
                }
            }
            Ask::Embed(text) => self.embed_query(text, cx),
            Ask::Other(key) => self.embed_other(key, cx),
            Ask::Model => {
                self.choosing = true;
                cx.push(Effect::ChooseModel);
            }
        }
    }

    /// A pane wants the vector of a text.
    fn embed_query(&mut self, text: Untrusted, cx: &mut Cx) {
        use super::pane::Pane;
        let why = if self.job.is_some() {
            Some("a run is under way; esc stops it, then run again")
        } else if !self.imported.is_empty() {
            Some("these vectors came from a file: nobody here knows what made them, so a text cannot be ranked by them")
        } else {
            None
        };
        match why {
            Some(why) => self.query.vector(Err(why.into()), &self.read, cx),
            None => {
                let key = self.read.key.clone();
                let text = self.sent(&text);
                self.begin(super::job::Purpose::Query, key, vec![(text, None)], cx);
            }
        }
    }

    /// A pane wants the same texts under another key.
    fn embed_other(&mut self, key: crate::record::VectorKey, cx: &mut Cx) {
        use super::pane::Pane;
        let why = if self.job.is_some() {
            Some("a run is under way; esc stops it, then compare again")
        } else if self.read.texts.len() > MATRIX {
            Some("a list above 2,000 texts cannot be compared")
        } else {
            None
        };
        match why {
            Some(why) => self.compare.other(&key, Err(why.into()), &self.read, cx),
            None => {
                let texts = self.read.texts.iter().map(|text| (self.sent(&text.text), text.tokens)).collect();
                self.begin(super::job::Purpose::Other, key, texts, cx);
            }
        }
    }

    /// Goes to a pane over the vectors, if there are texts to look at.
    fn go_over(&mut self, page: Page, cx: &mut Cx) {
        if self.read.texts.len() < 2 {
            return cx.notify(Notice::hint("add two texts first: a adds one, f reads a file").about("texts"));
        }
        self.go(page, cx);
    }

    /// Both texts in full.
    pub(super) fn open_pair(&mut self) {
        let (row, column) = self.read.cursor;
        let rows = self.read.texts.len();
        if rows < 2 || row >= rows {
            return;
        }
        // Above the matrix a text has its nearest beside it.
        if rows > MATRIX && (row == column || column >= rows) {
            let nearest = self.nearest(row, 1).first().map(|(other, _)| *other);
            self.read.cursor.1 = nearest.unwrap_or((row + 1) % rows);
        }
        if self.page != Page::Pair {
            self.back = self.page;
        }
        self.page = Page::Pair;
        self.scroll = 0;
    }

    /// A key of the pair's page; whether it was one.
    fn pair_key(&mut self, key: KeyEvent) -> bool {
        let rows = self.read.texts.len();
        let (row, column) = self.read.cursor;
        match key.code {
            KeyCode::Char('j') | KeyCode::Down => self.scroll += 1,
            KeyCode::Char('k') | KeyCode::Up => self.scroll = self.scroll.saturating_sub(1),
            KeyCode::PageDown => self.scroll += 10,
            KeyCode::PageUp => self.scroll = self.scroll.saturating_sub(10),
            KeyCode::Char('l') | KeyCode::Right if rows > 0 => self.read.cursor.1 = (column + 1) % rows,
            KeyCode::Char('h') | KeyCode::Left if rows > 0 => self.read.cursor.1 = (column + rows - 1) % rows,
            KeyCode::Char('<') => self.read.cursor = (column, row),
            KeyCode::Enter => self.page = self.back,
            _ => return false,
        }
        self.place_heat();
        true
    }

    /// Esc peels one layer.
    fn escape(&mut self, cx: &mut Cx) {
        if !self.find.is_empty() {
            self.find.clear();
        } else if self.job.is_some() {
            self.stop(cx);
        } else if self.page == Page::Pair {
            self.page = self.back;
        } else if !matches!(self.page, Page::Inputs | Page::Matrix) {
            self.go(Page::Matrix, cx);
        } else if self.zoomed {
            self.zoomed = false;
        }
    }

    /// What the next Esc does.
    pub(super) fn escape_hint(&self) -> Option<&'static str> {
        if self.modals.is_open() {
            return self.modals.escape();
        }
        if self.writing.is_some() {
            return Some("take it");
        }
        if let Some(pane) = self.pane_ref() {
            return Some(pane.escape().unwrap_or("back"));
        }
        if !self.find.is_empty() {
            Some("end finding")
        } else if self.job.is_some() {
            Some("stop")
        } else if self.page == Page::Pair {
            Some("back")
        } else {
            self.zoomed.then_some("narrow again")
        }
    }

    /// Moves the cursor in the matrix, or in the list.
    fn step(&mut self, rows: isize, columns: isize) {
        let count = self.read.texts.len();
        if count == 0 {
            return;
        }
        if self.page == Page::Inputs || count > MATRIX {
            let last = count as isize - 1;
            let row = (self.read.cursor.0 as isize).saturating_add(rows).saturating_add(columns).clamp(0, last);
            return self.put(row as usize, None);
        }
        self.heat.by(rows, columns, count);
        self.read.cursor = (self.row_at(self.heat.row), self.row_at(self.heat.column));
        self.inputs.selected = self.read.cursor.0;
    }

    /// To the next pane; where they stand side by side, the map is one of them.
    fn turn(&mut self, forward: bool, wide: bool, cx: &mut Cx) {
        let panes: &[Page] =
            if wide { &[Page::Inputs, Page::Matrix, Page::Map] } else { &[Page::Inputs, Page::Matrix] };
        let at = panes.iter().position(|page| *page == self.page).unwrap_or(1);
        let next = if forward { at + 1 } else { at + panes.len() - 1 } % panes.len();
        self.go(panes[next], cx);
    }

    fn toggle_order(&mut self, cx: &mut Cx) {
        if self.read.matrix.is_none() {
            return cx.notify(Notice::hint("there is no matrix to order yet; ^R embeds the texts"));
        }
        self.ordered = !self.ordered;
        self.sums.version += 1;
        self.place_heat();
        // Of a large matrix a part shows, which is another now.
        if self.read.texts.len() > NUMBERS {
            let order = if self.ordered { "by cluster" } else { "as listed" };
            let (row, column) = (self.heat.row as u64 + 1, self.heat.column as u64 + 1);
            let said = format!("{order} · row {}, column {}", meter::count(row), meter::count(column));
            cx.notify(Notice::ok(said).about("order"));
        }
    }

    /// Newlines as spaces, or as they are: what is sent is another, and so are the vectors.
    fn toggle_newlines(&mut self, cx: &mut Cx) {
        if !self.imported.is_empty() {
            return cx.notify(Notice::hint("imported texts are not sent"));
        }
        self.settings.keep_newlines = !self.settings.keep_newlines;
        self.settings_changed = true;
        let said = if self.settings.keep_newlines {
            "newlines are sent as they are"
        } else {
            "newlines are sent as spaces, as the interface advises"
        };
        cx.notify(Notice::ok(said).about("newlines"));
        self.resend(cx);
    }

    /// What is sent of each text is made anew.
    fn resend(&mut self, cx: &mut Cx) {
        let sent: Vec<_> =
            self.read.texts.iter().map(|text| crate::record::TextKey::of(&self.sent(&text.text))).collect();
        for (text, sent) in self.read.texts.iter_mut().zip(sent) {
            if text.sent != sent {
                (text.sent, text.tokens) = (sent, None);
            }
        }
        self.changed(cx.now);
    }

    /// A model was chosen: for the comparison, or for the list.
    pub(super) fn chosen(&mut self, model: &Untrusted, cx: &mut Cx) {
        use super::pane::Pane;
        if std::mem::take(&mut self.choosing) {
            let ask = self.compare.chosen(model, &self.read, cx);
            return self.asked_by_pane(ask, cx);
        }
        self.settings.models.insert(cx.session.profile.0.clone(), model.line().into_owned());
        self.settings_changed = true;
        self.keep_due.get_or_insert(cx.now + super::state::REST);
        if !self.imported.is_empty() {
            self.imported = Untrusted::default();
            self.list_changed = true;
            self.resend(cx);
        }
        self.sync(cx);
    }

    /// Hands the texts to another tab.
    fn offer(&mut self, cx: &mut Cx) {
        if self.read.texts.is_empty() {
            return cx.notify(Notice::hint("there is no text to send"));
        }
        let texts = self.read.texts.iter().take(OFFERED).map(|text| (text.name.clone(), text.text.clone()));
        let texts = texts.collect();
        self.offering = true;
        cx.push(Effect::Offer(Offer::Texts(texts)));
    }
}
