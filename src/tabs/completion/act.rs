//! Keys become actions: each pane's own first.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::biases::Nudge;
use super::keys::{Action, KEYS, WRITING};
use super::runs::Runs;
use super::state::{Focus, Page, Request};
use super::tokenizer::{self, Tokenizer};
use super::{Complete, params, presets, runs};
use crate::component::{Cx, Effect, Notice, Offer};
use crate::record::Record;
use crate::tabs::columns;
use crate::tabs::generation::strip;
use crate::ui::buffer::Edit;

impl Complete {
    /// A key that is not the shell's.
    pub(super) fn on_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let after_x = std::mem::take(&mut self.after_x);
        if self.state.dialog_key(key, cx) {
            return;
        }
        if !matches!(self.state.page, Page::Buffer) && self.is_on_page() {
            return self.page_key(key, cx);
        }
        match self.state.focus {
            Focus::Text => self.text_key(key, after_x, cx),
            Focus::Browse => self.browse_key(key, cx),
            Focus::Settings => self.settings_key(key, cx),
            Focus::Presets => self.presets_key(key, cx),
        }
    }

    /// Whether the keys are the page's that stands where the buffer stands.
    pub(super) fn is_on_page(&self) -> bool {
        matches!(self.state.focus, Focus::Text | Focus::Browse)
    }

    /// A key, while the page has the keys. Whether it has a use for it.
    fn compare_key(&mut self, key: KeyEvent, cx: &mut Cx) -> bool {
        let state = &mut self.state;
        if let Some(action) = state.compare.keys.find(&key) {
            state.compare_act(action, self.view.is_wide(), cx);
            return true;
        }
        match state.compare.columns_key(key) {
            None => return false,
            Some(columns::Event::Moved) => {}
            Some(columns::Event::Adopt(at)) => match state.compare_waits() {
                Some(ticket) => cx.hurry(ticket),
                None => state.compare_adopt(at, cx),
            },
            Some(columns::Event::Cancel(at)) => state.compare_stop(at, cx),
            Some(columns::Event::Close) => state.compare_close(cx),
        }
        true
    }

    fn text_key(&mut self, key: KeyEvent, after_x: bool, cx: &mut Cx) {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('x') if control => {
                self.after_x = true;
                return;
            }
            KeyCode::Char('u' | 'U') if after_x => return self.act(Action::Undo, cx),
            KeyCode::Char('e') if after_x && control => return self.act(Action::External, cx),
            KeyCode::Esc => return self.escape_key(cx),
            // The text cannot be changed while a run is under way: ⏎ is free.
            KeyCode::Enter if self.state.hurry(cx) => return,
            KeyCode::Enter if self.state.is_blank() && self.state.loaded => {
                let sample = self.state.presets.first().clone();
                return self.state.load_preset(&sample, cx);
            }
            _ => {}
        }
        if let Some(action) = WRITING.find(&key) {
            return self.act(action, cx);
        }
        if self.state.is_busy() {
            // What is asked for was asked of this text.
            return cx.notify(Notice::warn("a run is under way; esc stops it, then the text can be changed"));
        }
        match self.state.buffer.key(key) {
            Edit::Changed(change) => self.state.changed(&change, cx),
            Edit::Moved => self.state.placed(cx.now),
            Edit::Ignored => {}
        }
    }

    fn browse_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        if key.code == KeyCode::Enter && self.state.hurry(cx) {
            return;
        }
        if key.code == KeyCode::Esc {
            return self.escape_key(cx);
        }
        if key.code == KeyCode::Enter && self.state.is_blank() && self.state.loaded {
            let sample = self.state.presets.first().clone();
            return self.state.load_preset(&sample, cx);
        }
        if self.state.has_strip() {
            let tokens = self.state.scored.tokens(&self.state.tokens);
            match self.state.strip.key(key, &self.strip_keys, &tokens) {
                Some(strip::Event::Pick { token, alternative }) => return self.state.pick(token, alternative, cx),
                Some(strip::Event::Bias { token, alternative, bias }) => {
                    return self.state.bias_token(token, alternative, bias, cx);
                }
                Some(strip::Event::Same { .. }) => return self.act(Action::Write, cx),
                Some(strip::Event::Moved) => return self.state.show_token(),
                Some(strip::Event::Close) | None => {}
            }
        }
        match KEYS.find(&key) {
            Some(Action::New) if !self.state.find.is_empty() => self.state.find_next(false, cx),
            Some(action) => self.act(action, cx),
            None => {}
        }
    }

    fn settings_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let state = &mut self.state;
        match state.pane_mut().key(key) {
            params::Event::None => {}
            params::Event::Changed => state.pane_set(cx),
            params::Event::Model => self.act(Action::Model, cx),
            params::Event::SessionModel if state.comparing() => state.compare_unchosen(cx),
            params::Event::SessionModel => {
                state.models.remove(&cx.session.profile.0);
                state.set(cx.now);
            }
            params::Event::Biases => state.open_biases(cx),
            params::Event::Below => {
                state.focus = Focus::Presets;
                state.presets.enter(false);
            }
            params::Event::Close => self.escape_key(cx),
            params::Event::Ignored if state.comparing() => self.rest_key(key, cx),
            params::Event::Ignored => self.side_key(key, cx),
        }
    }

    fn presets_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        match self.state.presets.key(key) {
            presets::Event::None => {}
            presets::Event::Load(preset) if self.state.comparing() => self.state.compare_preset(&preset, cx),
            presets::Event::Load(preset) => self.state.load_preset(&preset, cx),
            presets::Event::Save(name, over) => self.state.save_preset(name, over, cx),
            presets::Event::Keep(preset) => self.state.owe(Record::Preset(preset), cx),
            presets::Event::Gone(id) => self.state.owe(Record::PresetGone(id), cx),
            presets::Event::Above => self.state.focus = Focus::Settings,
            presets::Event::Close => self.escape_key(cx),
            presets::Event::Ignored if self.state.comparing() => self.rest_key(key, cx),
            presets::Event::Ignored => self.side_key(key, cx),
        }
    }

    fn page_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let state = &mut self.state;
        match &mut state.page {
            Page::Buffer => {}
            Page::Compare => {
                if !self.compare_key(key, cx) {
                    self.rest_key(key, cx);
                }
            }
            Page::Tokens(page) => match page.key(key) {
                tokenizer::Event::None => {}
                tokenizer::Event::Close => state.page = Page::Buffer,
                tokenizer::Event::Bias(id, nudge) => {
                    state.nudge_id(id, "this token", nudge, cx);
                    if let Page::Tokens(page) = &mut state.page {
                        page.biased(&state.settings.params().common);
                    }
                }
                tokenizer::Event::Ignored => self.rest_key(key, cx),
            },
            Page::Runs(page) => match page.key(key, &state.runs) {
                runs::Event::None => {}
                runs::Event::Open(id) => state.open_run(id, cx),
                runs::Event::Close => state.page = Page::Buffer,
                runs::Event::Ignored => self.rest_key(key, cx),
            },
            Page::Beside(page, step) => {
                let all = state.history.candidates(*step);
                match page.key(key, all.len()) {
                    None => self.rest_key(key, cx),
                    Some(columns::Event::Moved) => {}
                    Some(columns::Event::Adopt(at)) => {
                        state.page = Page::Buffer;
                        if let Some(to) = all.get(at) {
                            let leaf = state.history.leaf(*to);
                            state.go(Some(leaf), cx);
                        }
                    }
                    Some(columns::Event::Cancel(_)) => drop(state.stop(cx)),
                    Some(columns::Event::Close) => state.page = Page::Buffer,
                }
            }
        }
    }

    /// A key that a side pane has no use for: the text's, but for those that take text away.
    fn side_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        match KEYS.find(&key) {
            Some(Action::New | Action::Accept | Action::Again) | None => {}
            Some(action) => self.act(action, cx),
        }
    }

    /// A key that a page has no use for: between panes, to run where columns do, or nothing.
    fn rest_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        match KEYS.find(&key) {
            Some(action @ (Action::NextPane | Action::PreviousPane | Action::Settings | Action::Model)) => {
                self.act(action, cx);
            }
            Some(Action::Run) if self.state.comparing() => self.act(Action::Run, cx),
            _ => {}
        }
    }

    /// Esc peels one layer.
    fn escape_key(&mut self, cx: &mut Cx) {
        let state = &mut self.state;
        match state.focus {
            Focus::Settings | Focus::Presets => state.focus = Focus::Browse,
            _ if state.comparing() => state.compare_close(cx),
            _ if !matches!(state.page, Page::Buffer) => state.page = Page::Buffer,
            // What is selected stays so: it is sent and copied from there.
            Focus::Text if !state.is_busy() => state.focus = Focus::Browse,
            _ if state.buffer.selection().is_some() => state.buffer.select(None),
            _ if !state.find.is_empty() => state.find.clear(),
            _ => drop(state.stop(cx)),
        }
    }

    /// What the next Esc does, for the footer.
    pub(super) fn escape_hint(&self) -> Option<&'static str> {
        let state = &self.state;
        match state.focus {
            _ if state.modals.is_open() => state.modals.escape(),
            Focus::Presets if state.presets.holds() => Some("cancel"),
            Focus::Settings | Focus::Presets => Some("back"),
            _ if state.comparing() && state.is_busy() => Some("stop all"),
            _ if !matches!(state.page, Page::Buffer) => Some("close"),
            Focus::Text if !state.is_busy() => Some("leave text"),
            _ if state.buffer.selection().is_some() => Some("deselect"),
            _ if !state.find.is_empty() => Some("end find"),
            _ if state.writing().is_some_and(super::flight::Flight::is_counting) => Some("give up"),
            _ if state.is_busy() => Some("stop"),
            _ => None,
        }
    }

    /// Does it.
    pub(super) fn act(&mut self, action: Action, cx: &mut Cx) {
        let state = &mut self.state;
        let wide = self.view.is_wide();
        let in_text = [Action::Again, Action::Undo, Action::Redo, Action::Older, Action::Newer, Action::Accept];
        if state.comparing() && in_text.contains(&action) {
            // What becomes of the text is to be seen.
            state.page = Page::Buffer;
        }
        match action {
            Action::Run if state.comparing() => state.compare_run(cx),
            Action::Run => state.run(cx),
            Action::Compare => state.open_compare(cx),
            Action::Again => state.again(cx),
            Action::Stop => drop(state.stop(cx)),
            Action::Write => {
                state.page = Page::Buffer;
                state.focus = Focus::Text;
                state.buffer.follow(false);
            }
            Action::NextPane => {
                state.focus = match state.focus {
                    Focus::Text | Focus::Browse => Focus::Settings,
                    Focus::Settings => Focus::Presets,
                    Focus::Presets => Focus::Browse,
                }
            }
            Action::PreviousPane => {
                state.focus = match state.focus {
                    Focus::Text | Focus::Browse => Focus::Presets,
                    Focus::Settings => Focus::Browse,
                    Focus::Presets => Focus::Settings,
                }
            }
            Action::Undo | Action::Redo => state.walk(action == Action::Undo, cx),
            Action::Accept => state.accept_generated(cx),
            Action::Heat => {
                state.heat = !state.heat;
                state.set(cx.now);
                if state.heat && state.scored.is_empty() {
                    cx.notify(Notice::hint("no probabilities here: set Logprobs in the settings and run"));
                }
            }
            Action::Older | Action::Newer => state.candidate(if action == Action::Older { -1 } else { 1 }, cx),
            Action::Beside => state.beside(cx),
            Action::Settings => {
                state.focus = if state.focus == Focus::Settings && !wide { Focus::Browse } else { Focus::Settings };
            }
            Action::Model if state.comparing() => state.compare_model(cx),
            Action::Model => cx.push(Effect::ChooseModel),
            Action::Presets => {
                state.focus = Focus::Presets;
                state.presets.enter(false);
            }
            Action::SavePreset => {
                state.focus = Focus::Presets;
                state.presets.save();
            }
            Action::Strip => state.strip_shown = !state.strip_shown,
            Action::Tokenizer => state.open_tokenizer(cx),
            Action::Biases => state.open_biases(cx),
            Action::Runs => {
                let mut page = Runs::default();
                if let Some(run) = state.shown_run() {
                    page.select(run.id, &state.runs);
                }
                state.page = Page::Runs(page);
                state.focus = Focus::Browse;
            }
            Action::Select => state.select(cx.now),
            Action::Copy => state.copy(cx),
            Action::CopyAll => cx.copy(state.buffer.text().into()),
            Action::Curl => state.curl(cx),
            Action::Offer => {
                let text = state.chosen_text();
                if !text.is_empty() {
                    cx.push(Effect::Offer(Offer::Text(text)));
                }
            }
            Action::New => state.fresh(cx),
            Action::FindBack => state.find_next(true, cx),
            Action::Find => state.open_find(),
            Action::Details => state.open_details(),
            Action::External if state.is_busy() => {
                cx.notify(Notice::warn("a run is under way; esc stops it, then the text can be changed"));
            }
            Action::External => cx.push(Effect::Edit),
            Action::Left | Action::Right | Action::Up | Action::Down | Action::Top | Action::Bottom => {
                let code = match action {
                    Action::Left => KeyCode::Left,
                    Action::Right => KeyCode::Right,
                    Action::Up => KeyCode::Up,
                    _ => KeyCode::Down,
                };
                match action {
                    Action::Top => state.buffer.set_caret(0),
                    Action::Bottom => state.buffer.set_caret(state.buffer.len()),
                    _ => drop(state.buffer.key(KeyEvent::from(code))),
                }
                state.placed(cx.now);
            }
            Action::PageUp => state.buffer.page(-1),
            Action::PageDown => state.buffer.page(1),
            Action::HalfUp => state.buffer.scroll(-self.view.half()),
            Action::HalfDown => state.buffer.scroll(self.view.half()),
        }
    }
}

impl super::state::State {
    /// Whether there is nothing, and never was.
    pub(super) fn is_blank(&self) -> bool {
        self.buffer.is_empty() && self.history.len() == 0
    }

    /// Whether the strip has something to show and is wanted.
    pub(super) fn has_strip(&self) -> bool {
        self.strip_shown && !self.scored.is_empty()
    }

    /// The token under the strip's cursor comes into view.
    pub(super) fn show_token(&mut self) {
        let place = self.scored.places().get(self.strip.at).cloned();
        if let Some(place) = place
            && !self.buffer.visible().contains(&place.start)
        {
            self.buffer.set_top(place.start);
        }
    }

    pub(super) fn open_tokenizer(&mut self, cx: &mut Cx) {
        let model = self.model(cx.session);
        let context = self.context(cx.session);
        let mut page = Tokenizer::new(self.buffer.text().into(), model, context, self.buffer.caret());
        page.biased(&self.settings.params().common);
        let ticket = cx.work(page.work(cx.session.local));
        self.pending.insert(ticket, Request::Cut);
        self.page = Page::Tokens(Box::new(page));
        self.focus = Focus::Browse;
    }

    /// Puts a bias on a token of the strip, or on one of its alternatives.
    fn bias_token(&mut self, token: usize, alternative: Option<usize>, bias: i8, cx: &mut Cx) {
        let Some(token) = self.scored.token(token, &self.tokens) else { return };
        let bytes = alternative.and_then(|at| token.top.get(at)).map_or(&token.bytes, |other| &other.bytes);
        let Ok(text) = std::str::from_utf8(bytes) else {
            return cx.notify(Notice::warn("this token is a part of a character: B takes a bias by its id"));
        };
        let nudge = match bias {
            -100 => Nudge::Never,
            100 => Nudge::Always,
            _ => Nudge::Likelier,
        };
        self.nudge(text.into(), nudge, cx);
    }
}
