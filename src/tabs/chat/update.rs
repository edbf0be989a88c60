//! Turns keys into actions, and does what they stand for.

use crossterm::event::{KeyCode, KeyEvent};

use super::Chat;
use super::empty_state::examples;
use super::keys::{self, Action, TRANSCRIPT};
use super::params_keys::{PARAMS, ParamsAction};
use super::state::{ChatPane, State};
use crate::component::{Component, Cx, Effect, Notice};
use crate::record::TurnStatus;
use crate::ui::form;

/// What Esc does while something is looked for.
const END_FIND: &str = "end find";

/// What Esc takes away, the uppermost first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EscapeLayer {
    /// A dialog, a page or the line of words to find: it has the key itself.
    Dialog,
    /// A message that waits for the list of models.
    Waiting,
    Drawer,
    /// The value of a parameter that is being typed.
    Field,
    Params,
    Find,
    Filter,
    Versions,
    Probabilities,
    Selection,
    /// An answer under way.
    Answer,
    Edit,
    /// The text is the result of a call.
    Result,
    Composer,
    List,
}

impl Chat {
    pub(super) fn on_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let (focus, is_covered) = (self.state.focus, self.state.is_covered());
        self.pass_key(key, cx);
        if focus != self.state.focus || is_covered {
            self.state.composer.editor.end_chord();
        }
    }

    /// Passes a key to what covers the tab, else to the pane with the focus.
    fn pass_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        if self.covered_key(key, cx) {
            return;
        }
        let opens_editor = self.editor_chord.completes(&key);
        if key.code == KeyCode::Esc {
            return self.escape_key(cx);
        }
        match self.state.focus {
            ChatPane::Composer => self.composer_key(key, opens_editor, cx),
            ChatPane::Transcript => {
                if let Some(action) = TRANSCRIPT.find(&key) {
                    self.act(action, cx);
                }
            }
            ChatPane::List => {
                self.state.list.key(key, cx).act(|event| self.list_event(event, cx));
            }
            ChatPane::Params => self.params_key(key, cx),
            ChatPane::Probabilities => self.probabilities_key(key, cx),
        }
    }

    fn composer_key(&mut self, key: KeyEvent, opens_editor: bool, cx: &mut Cx) {
        if opens_editor {
            self.state.composer.editor.end_chord();
            return self.act(Action::External, cx);
        }
        match keys::find_in_composer(&key, cx.session.enter.inserts_newline, &self.state) {
            Some(action) => {
                self.state.composer.editor.end_chord();
                self.act(action, cx);
            }
            None => self.state.composer.key(key, cx),
        }
    }

    /// Takes one layer away: what is found or filtered, the stream, the caret. Never text.
    fn escape_key(&mut self, cx: &mut Cx) {
        let Some((layer, _)) = self.next_escape() else { return };
        let state = &mut self.state;
        match layer {
            EscapeLayer::Dialog => {}
            EscapeLayer::Waiting => {
                state.composer.waits_for_models = None;
                state.composer.attachments.waits = None;
            }
            EscapeLayer::Drawer => {
                state.list.drawer = false;
                state.focus = ChatPane::Transcript;
            }
            EscapeLayer::Field => drop(state.params.form.key(KeyEvent::from(KeyCode::Esc))),
            EscapeLayer::Params => state.params.close(&mut state.focus),
            EscapeLayer::Find => {
                state.find.clear();
                self.view.transcript().find("");
            }
            EscapeLayer::Filter => state.list.clear_filter(),
            EscapeLayer::Versions => self.view.set_comparison(None),
            EscapeLayer::Probabilities => state.close_probabilities(),
            EscapeLayer::Selection => self.view.transcript().select(None),
            EscapeLayer::Answer => drop(state.stop(cx)),
            EscapeLayer::Edit => drop(state.drop_edit(cx)),
            EscapeLayer::Result => state.composer.result_of = None,
            EscapeLayer::Composer | EscapeLayer::List => state.focus = ChatPane::Transcript,
        }
    }

    /// Returns what the next Esc takes away, and what that is called; `None`: nothing.
    pub(super) fn next_escape(&self) -> Option<(EscapeLayer, &'static str)> {
        let state = &self.state;
        if state.is_covered() {
            let page = || state.marks_page.as_ref().and_then(|page| page.escape());
            let find = || state.find.is_typing().then_some(END_FIND);
            let filter = || state.list.escape().filter(|_| state.list.typing());
            let label = state.modals.escape().or_else(find).or_else(filter).or_else(page).unwrap_or("close");
            return Some((EscapeLayer::Dialog, label));
        }
        let busy = state.conversation().is_busy();
        Some(match state.focus {
            _ if state.waits_here() => (EscapeLayer::Waiting, "do not send"),
            _ if state.list.drawer => (EscapeLayer::Drawer, "close list"),
            ChatPane::Params if state.params.form.typing() => (EscapeLayer::Field, "leave field"),
            ChatPane::Params => (EscapeLayer::Params, "close"),
            _ if !state.find.text().is_empty() => (EscapeLayer::Find, END_FIND),
            ChatPane::List if let Some(label) = state.list.escape() => (EscapeLayer::Filter, label),
            _ if self.view.is_comparing() => (EscapeLayer::Versions, "close"),
            ChatPane::Probabilities | ChatPane::Transcript if state.probabilities.is_some() => {
                (EscapeLayer::Probabilities, "close")
            }
            ChatPane::Transcript if self.view.selected().is_some() && !busy => (EscapeLayer::Selection, "deselect"),
            _ if state.is_retrying() => (EscapeLayer::Answer, "give up"),
            _ if busy => (EscapeLayer::Answer, "stop"),
            _ if state.composer.editing.is_some() => (EscapeLayer::Edit, "stop editing"),
            ChatPane::Composer if state.composer.result_of.is_some() => (EscapeLayer::Result, "message"),
            ChatPane::Composer => (EscapeLayer::Composer, "browse"),
            ChatPane::List => (EscapeLayer::List, "transcript"),
            ChatPane::Transcript | ChatPane::Probabilities => return None,
        })
    }

    fn params_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        match self.state.params.form.key(key) {
            form::Event::Change(name, text) => self.state.set_param(name, &text, cx),
            form::Event::Close => self.state.params.close(&mut self.state.focus),
            form::Event::Ignored => match PARAMS.find_enabled(&key, &self.state.params.form) {
                Some(ParamsAction::NextPane) => self.act(Action::NextPane, cx),
                Some(ParamsAction::Close) => self.state.params.close(&mut self.state.focus),
                Some(ParamsAction::Keep) => cx.push(Effect::KeepParams),
                Some(ParamsAction::Model) => self.act(Action::Model, cx),
                Some(ParamsAction::System) => self.act(Action::System, cx),
                Some(ParamsAction::OpenFile) => self.state.open_tools_file(),
                _ => {}
            },
            form::Event::Ask(_) => cx.push(Effect::Edit),
            form::Event::None => {}
        }
    }

    pub(super) fn act(&mut self, action: Action, cx: &mut Cx) {
        match action {
            Action::Submit => self.submit(cx),
            Action::Send => self.send(cx),
            Action::NextPane => self.go(1, cx),
            Action::PreviousPane => self.go(-1, cx),
            Action::External => cx.push(Effect::Edit),
            Action::Enter if self.state.skip_countdown(cx) => {}
            Action::Write | Action::Enter => {
                self.state.focus = ChatPane::Composer;
                self.state.list.drawer = false;
            }
            Action::Stop => drop(self.state.stop(cx)),
            Action::Marks => self.state.marks_page = Some(Box::new(super::marks::MarksPage::new(cx))),
            Action::EndComparison => self.state.end_comparison(cx),
            Action::Model => cx.push(Effect::ChooseModel),
            Action::System => self.state.open_system(),
            Action::Result => self.state.open_results(cx),
            Action::Params => self.state.params.open(&mut self.state.focus),
            Action::Find if self.state.conversation().is_blank() => {
                cx.notify(Notice::info("no messages yet"));
            }
            Action::Find if !self.state.close_marks(cx) => {}
            Action::Find => {
                self.state.close_covering_params(cx.session.area);
                self.state.list.filter.stop_typing();
                self.view.set_comparison(None);
                // The whole conversation is searched, so all of it must be loaded.
                self.state.load_all(self.state.open, cx);
                self.view.transcript().begin_find();
                self.state.find.start_typing();
            }
            Action::Filter => self.filter_list(cx),
            Action::New if self.state.focus == ChatPane::Transcript && !self.state.find.text().is_empty() => {
                self.find(false, cx);
            }
            Action::New => self.state.new_conversation(cx),
            Action::FindBack => self.find(true, cx),
            Action::SideList => self.side_list(cx),
            Action::Undo => self.state.undo(cx),
            _ if self.state.act_in_composer(action, cx) => {}
            _ => self.act_in_transcript(action, cx),
        }
    }

    /// Goes to the next match, or the one before.
    pub(super) fn find(&mut self, back: bool, cx: &mut Cx) {
        if self.state.find.text().is_empty() {
            cx.notify(Notice::warn("nothing to find yet; / finds"));
        } else {
            // Whether there is a match is shown beside the position in the conversation.
            self.view.transcript().find_next(back);
        }
    }

    fn submit(&mut self, cx: &mut Cx) {
        if self.state.skip_countdown(cx) {
            return;
        }
        if self.state.composer.editor.is_empty() && self.state.conversation().is_blank() {
            self.state.composer.editor.set_text(examples(cx.session.local)[self.state.composer.example]);
            self.state.composer.changed(cx.now);
            return;
        }
        self.send(cx);
    }

    pub(super) fn send(&mut self, cx: &mut Cx) {
        self.state.send(cx);
        if self.state.conversation().committing.is_some() {
            self.view.transcript().set_follow(true);
            self.view.transcript().select(None);
        }
    }

    /// Returns the pane after this one, among those on the screen.
    fn pane(&mut self, way: isize, cx: &Cx) -> ChatPane {
        let mut panes = vec![ChatPane::Composer, ChatPane::Transcript];
        if self.state.probabilities.is_some() {
            panes.push(ChatPane::Probabilities);
        }
        if super::layout::list_shown(&self.state, cx.session.area) {
            panes.push(ChatPane::List);
        }
        if self.state.params.is_open() {
            panes.push(ChatPane::Params);
        }
        let at = panes.iter().position(|pane| *pane == self.state.focus).unwrap_or(0) as isize;
        panes[(at + way).rem_euclid(panes.len() as isize) as usize]
    }

    /// Goes to that pane; in the list, to the conversation that is open.
    fn go(&mut self, way: isize, cx: &mut Cx) {
        self.state.focus = self.pane(way, cx);
        if self.state.focus == ChatPane::List {
            self.state.list.items.select(self.state.open);
            self.state.load_list(cx);
        }
    }
}

impl State {
    /// Does what stands for a key of the message box. Returns whether the action is one of its own.
    fn act_in_composer(&mut self, action: Action, cx: &mut Cx) -> bool {
        match action {
            Action::Newline => {
                self.composer.editor.insert_newline(cx.now);
                self.composer.typed(cx.now);
            }
            Action::Attach => self.open_attach("", cx),
            Action::AttachMentioned => {
                let word = self.composer.editor.word();
                self.open_attach(word.strip_prefix('@').unwrap_or_default(), cx);
            }
            Action::PreviousExample => self.composer.choose_example(-1),
            Action::NextExample => self.composer.choose_example(1),
            Action::OlderPrompt => self.recall_prompt(1, cx),
            Action::NewerPrompt => self.recall_prompt(-1, cx),
            Action::NextRole => self.composer.next_role(),
            Action::NextDraft => self.next_draft(cx),
            Action::ExpandPaste => {
                if self.composer.editor.expand_chip() {
                    self.composer.typed(cx.now);
                } else {
                    cx.notify(Notice::info("no pasted text to expand"));
                }
            }
            _ => return false,
        }
        true
    }

    /// Returns whether a model wrote a turn; what was typed in a model's name has no model.
    pub(super) fn is_answer(turn: &crate::record::Turn) -> bool {
        turn.role == "assistant" && !turn.model.is_empty()
    }

    /// Returns whether a turn can be continued.
    pub(super) fn unfinished(turn: &crate::record::Turn) -> bool {
        turn.finish_reason == "length" || matches!(turn.status, TurnStatus::Stopped | TurnStatus::CutOff)
    }
}
