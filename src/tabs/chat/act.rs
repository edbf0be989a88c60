//! Keys become actions, actions change the state.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::Chat;
use super::blank::examples;
use super::keys::{Action, COMPOSER, LIST, TRANSCRIPT};
use super::params;
use super::state::{Focus, State};
use crate::component::{Cx, Effect, Notice};
use crate::record::TurnStatus;
use crate::ui::editor::Edit;
use crate::ui::form;

impl Chat {
    pub(super) fn on_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        self.state.settle(cx.session.area);
        if self.covered_key(key, cx) {
            return;
        }
        let was_x = std::mem::take(&mut self.after_x);
        if key.code == KeyCode::Esc {
            return self.escape_key(cx);
        }
        match self.state.focus {
            Focus::Composer => self.composer_key(key, was_x, cx),
            Focus::Transcript => {
                if let Some(action) = TRANSCRIPT.find(&key) {
                    self.act(action, cx);
                }
            }
            Focus::List => {
                if let Some(action) = LIST.find(&key) {
                    self.act(action, cx);
                }
            }
            Focus::Params => self.params_key(key, cx),
            Focus::Probe => self.probe_key(key, cx),
        }
    }

    fn composer_key(&mut self, key: KeyEvent, was_x: bool, cx: &mut Cx) {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        if was_x && control && key.code == KeyCode::Char('e') {
            return self.act(Action::External, cx);
        }
        self.after_x = control && key.code == KeyCode::Char('x');
        let newline_first = cx.session.enter_newline;
        let action = match COMPOSER.find(&key) {
            Some(Action::Submit) if newline_first => Some(Action::Newline),
            Some(Action::Newline) if newline_first && key.modifiers.contains(KeyModifiers::ALT) => Some(Action::Submit),
            action => action,
        };
        if let Some(action) = action {
            return self.act(action, cx);
        }
        let state = &mut self.state;
        let blank = state.room().is_blank() && state.editor.is_empty();
        let last = examples(cx.session.local).len() - 1;
        let looks_back = state.editor.is_empty() || state.history.is_some();
        match key.code {
            KeyCode::Up if blank => state.example = state.example.checked_sub(1).unwrap_or(last),
            KeyCode::Down if blank => state.example = (state.example + 1) % (last + 1),
            KeyCode::Up if looks_back && state.editor.on_first_row() => state.recall(1, cx),
            KeyCode::Down if state.history.is_some() && state.editor.on_last_row() => state.recall(-1, cx),
            _ => {
                if state.editor.key(key) == Edit::Changed {
                    state.typed(cx.now);
                }
            }
        }
    }

    /// Esc takes one layer away: what is found or filtered, the stream, the caret. Never text.
    fn escape_key(&mut self, cx: &mut Cx) {
        let state = &mut self.state;
        if state.waits_for_model(cx.session) {
            state.waiting = None;
        } else if state.drawer {
            state.drawer = false;
            state.focus = Focus::Transcript;
        } else if state.focus == Focus::Params {
            if state.form.typing() {
                state.form.key(KeyEvent::from(KeyCode::Esc));
            } else {
                state.close_params();
            }
        } else if !state.find.words().is_empty() {
            state.find.clear();
            self.view.find("");
        } else if state.focus == Focus::List && !state.shelf.words().is_empty() {
            state.shelf.filter("");
        } else if self.view.is_beside() {
            self.view.set_beside(None);
        } else if state.probe.is_some() && matches!(state.focus, Focus::Probe | Focus::Transcript) {
            state.close_probe();
        } else if self.view.selected().is_some() && state.focus == Focus::Transcript && !state.room().is_busy() {
            self.view.deselect();
        } else if state.stop(cx) || state.drop_edit(cx) {
        } else if matches!(state.focus, Focus::Composer | Focus::List) {
            state.focus = Focus::Transcript;
        }
    }

    /// What the next Esc does.
    pub(super) fn escape_hint(&self) -> Option<&'static str> {
        let state = &self.state;
        Some(match () {
            () if state.modals.is_open() => state.modals.escape()?,
            () if state.is_covered() => "close",
            () if state.waiting.is_some() => "do not send",
            () if state.drawer => "close list",
            () if state.focus == Focus::Params && state.form.typing() => "leave field",
            () if state.focus == Focus::Params => "close",
            () if !state.find.words().is_empty() => "end find",
            () if state.focus == Focus::List && !state.shelf.words().is_empty() => "clear filter",
            () if self.view.is_beside() => "close",
            () if state.probe.is_some() && matches!(state.focus, Focus::Probe | Focus::Transcript) => "close",
            () if self.view.selected().is_some() && state.focus == Focus::Transcript && !state.room().is_busy() => {
                "deselect"
            }
            () if state.room().answer.as_ref().is_some_and(super::room::Answer::is_counting) => "give up",
            () if state.room().is_busy() => "stop",
            () if state.editing.is_some() => "drop edit",
            () if state.focus == Focus::Composer => "browse",
            () if state.focus == Focus::List => "transcript",
            () => return None,
        })
    }

    fn params_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        match self.state.form.key(key) {
            form::Event::Change(name, text) => self.set_param(name, &text, cx),
            form::Event::Close => self.state.close_params(),
            form::Event::Ignored => match key.code {
                KeyCode::Tab | KeyCode::BackTab => self.act(Action::NextPane, cx),
                KeyCode::Char('t') => self.state.close_params(),
                KeyCode::Char('m') => self.act(Action::Model, cx),
                KeyCode::Char('p') => self.act(Action::System, cx),
                _ => {}
            },
            form::Event::None | form::Event::Ask(_) => {}
        }
    }

    fn set_param(&mut self, name: &'static str, text: &str, cx: &mut Cx) {
        let state = &mut self.state;
        let id = state.open;
        match params::set(&mut state.room_mut().conversation.params, name, text) {
            Ok(()) => {
                let shown = params::shown(&state.room().conversation.params, name);
                state.form.set(name, shown);
                state.keep_conversation(id, cx);
            }
            Err(why) => state.form.refuse(name, why),
        }
    }

    pub(super) fn act(&mut self, action: Action, cx: &mut Cx) {
        match action {
            Action::Submit => self.submit(cx),
            Action::Send => self.send(cx),
            Action::Newline => {
                self.state.editor.insert_newline();
                self.state.typed(cx.now);
            }
            Action::NextPane => self.go(1, cx),
            Action::PreviousPane => self.go(-1, cx),
            Action::External => cx.push(Effect::Edit),
            Action::NextRole => self.next_role(),
            Action::NextDraft => self.state.next_draft(cx),
            Action::ExpandPaste => {
                if self.state.editor.expand_chip() {
                    self.state.typed(cx.now);
                } else {
                    cx.notify(Notice::hint("there is no pasted text in short form"));
                }
            }
            Action::Enter if self.state.hurry(cx) => {}
            Action::Write | Action::Enter => {
                self.state.focus = Focus::Composer;
                self.state.drawer = false;
            }
            Action::Stop => drop(self.state.stop(cx)),
            Action::Marks => self.state.marked = Some(Box::new(super::marks::Page::new(cx))),
            Action::EndTrial => self.state.end_trial(cx),
            Action::Model => cx.push(Effect::ChooseModel),
            Action::System => self.state.open_system(),
            Action::Params => self.state.open_params(),
            Action::Find => {
                // All of the conversation is searched, so all of it has to be here.
                self.state.load_all(self.state.open, cx);
                self.view.begin_find();
                self.state.find.open();
            }
            Action::Filter => self.state.open_filter(),
            Action::New if self.state.focus == Focus::Transcript && !self.state.find.words().is_empty() => {
                self.find(false, cx);
            }
            Action::New => self.state.fresh(cx),
            Action::FindBack => self.find(true, cx),
            Action::SideList => self.side_list(cx),
            Action::Undo if self.state.focus == Focus::List && self.trashed_row().is_some() => {
                if let Some(id) = self.trashed_row() {
                    self.state.trash(id, false, cx);
                }
            }
            Action::Undo => self.state.undo(cx),
            _ if self.state.focus == Focus::List => self.act_in_list(action, cx),
            _ => self.act_in_transcript(action, cx),
        }
    }

    /// Goes to the next match, or the one before.
    pub(super) fn find(&mut self, back: bool, cx: &mut Cx) {
        if self.state.find.words().is_empty() {
            cx.notify(Notice::warn("nothing is looked for; / finds"));
        } else {
            // Whether there is one is said beside the position in the conversation.
            self.view.find_next(back);
        }
    }

    fn submit(&mut self, cx: &mut Cx) {
        if self.state.hurry(cx) {
            return;
        }
        if self.state.editor.is_empty() && self.state.room().is_blank() {
            self.state.editor.set_text(examples(cx.session.local)[self.state.example]);
            self.state.drafted(cx.now);
            return;
        }
        self.send(cx);
    }

    pub(super) fn send(&mut self, cx: &mut Cx) {
        self.state.send(cx);
        if self.state.room().committing.is_some() {
            self.view.follow(true);
            self.view.deselect();
        }
    }

    fn next_role(&mut self) {
        self.state.role = match self.state.role {
            "user" => "assistant",
            "assistant" => "system",
            _ => "user",
        };
    }

    /// The pane after this one, among those on the screen.
    fn pane(&mut self, way: isize, cx: &Cx) -> Focus {
        let mut panes = vec![Focus::Composer, Focus::Transcript];
        if self.state.probe.is_some() {
            panes.push(Focus::Probe);
        }
        if super::view::list_shown(&self.state, cx.session.area) {
            panes.push(Focus::List);
        }
        if self.state.params.is_some() {
            panes.push(Focus::Params);
        }
        let at = panes.iter().position(|pane| *pane == self.state.focus).unwrap_or(0) as isize;
        panes[(at + way).rem_euclid(panes.len() as isize) as usize]
    }

    /// Goes to that pane; in the list, to the conversation that is open.
    fn go(&mut self, way: isize, cx: &mut Cx) {
        self.state.focus = self.pane(way, cx);
        if self.state.focus == Focus::List {
            self.state.point_at(self.state.open);
            self.state.load_list(cx);
        }
    }
}

impl super::room::Answer {
    /// Whether a retry's countdown runs.
    pub(super) fn is_counting(&self) -> bool {
        matches!(self.run.phase, crate::tabs::generation::Phase::Retrying { .. })
    }
}

impl State {
    /// Whether a model wrote a turn; what was typed in a model's name has no model.
    pub(super) fn is_answer(turn: &crate::record::Turn) -> bool {
        turn.role == "assistant" && !turn.model.is_empty()
    }

    /// Whether a turn can be continued.
    pub(super) fn unfinished(turn: &crate::record::Turn) -> bool {
        turn.finish_reason == "length" || matches!(turn.status, TurnStatus::Stopped | TurnStatus::CutOff)
    }
}
