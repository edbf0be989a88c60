//! Finds the action of a key and carries it out.

use crossterm::event::KeyEvent;

use super::Chat;
use super::dialogs;
use super::empty_state::examples;
use super::keys::{self, Action, ESCAPE, FINDING, TRANSCRIPT, VERSIONS};
use super::layout::params_cover;
use super::marks::MarksPage;
use super::state::{ChatPane, Request, State};
use super::tool_calls::tools_of;
use crate::component::{Component, Cx, Effect, Notice};
use crate::record::work::Work;
use crate::ui::size_class::has_panes_beside;

/// What Esc does while something is looked for.
const END_FIND: &str = "end find";

/// What Esc does; [`Chat::next_escape`] has the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChatEscape {
    /// A dialog, a page or the line of words to find: it has the key itself.
    Dialog,
    /// A message that waits for the list of models or for its files.
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
        // Ctrl+X waits for a second key only in the message box: a key that went elsewhere ends it.
        if focus != self.state.focus || is_covered {
            self.state.composer.editor.end_ctrl_x();
        }
    }

    /// Passes a key to what covers the tab, else to the pane with the focus.
    fn pass_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        if self.covered_key(key, cx) {
            return;
        }
        if ESCAPE.find(&key).is_some() {
            return self.escape_key(key, cx);
        }
        match self.state.focus {
            ChatPane::Composer => self.composer_key(key, cx),
            ChatPane::Transcript => {
                let finding = if self.state.find.text().is_empty() { None } else { FINDING.find(&key) };
                let of_versions = if self.view.is_comparing() { VERSIONS.find(&key) } else { None };
                if let Some(action) = finding.or(of_versions).or_else(|| TRANSCRIPT.find(&key)) {
                    self.act(action, cx);
                }
            }
            ChatPane::List => {
                self.state.conversations.list.key(key, cx).act(|event| self.list_event(event, cx));
            }
            ChatPane::Params => self.params_key(key, cx),
            ChatPane::Probabilities => self.probabilities_key(key, cx),
        }
    }

    fn composer_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        match keys::find_in_composer(&key, cx.session.enter.inserts_newline, &self.state) {
            Some(action) => {
                self.state.composer.editor.end_ctrl_x();
                self.act(action, cx);
            }
            None => self.state.composer.key(key, cx),
        }
    }

    /// Carries out what [`Chat::next_escape`] returns.
    fn escape_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let Some((layer, _)) = self.next_escape() else { return };
        let state = &mut self.state;
        match layer {
            ChatEscape::Dialog => {}
            ChatEscape::Waiting => state.composer.stop_waiting(),
            ChatEscape::Drawer => {
                state.conversations.list.drawer = false;
                state.focus = ChatPane::Transcript;
            }
            ChatEscape::Field => self.params_key(key, cx),
            ChatEscape::Params => state.params.close(&mut state.focus),
            ChatEscape::Find => {
                state.find.clear();
                self.view.transcript().find("");
            }
            ChatEscape::Filter => state.conversations.list.clear_filter(),
            ChatEscape::Versions => self.view.set_comparison(None),
            ChatEscape::Probabilities => self.close_probabilities(),
            ChatEscape::Selection => self.view.transcript().select(None),
            ChatEscape::Answer => drop(state.stop(cx)),
            ChatEscape::Edit => {
                state.composer.drop_edit(state.conversations.current(), cx.now);
                if state.focus == ChatPane::Composer {
                    state.focus = state.composer.edit_begun_in;
                }
            }
            ChatEscape::Result => state.composer.result_of = None,
            ChatEscape::Composer | ChatEscape::List => state.focus = ChatPane::Transcript,
        }
    }

    /// Returns what the next Esc takes away, and what that is called; `None`: nothing.
    pub(super) fn next_escape(&self) -> Option<(ChatEscape, &'static str)> {
        let state = &self.state;
        if state.is_covered() {
            let page = || state.marks.page.as_ref().and_then(|page| page.escape());
            let find = || state.find.is_typing().then_some(END_FIND);
            let filter = || state.conversations.list.escape().filter(|_| state.conversations.list.typing());
            let label = state.modals.escape().or_else(find).or_else(filter).or_else(page).unwrap_or("close");
            return Some((ChatEscape::Dialog, label));
        }
        let busy = state.conversation().is_busy();
        Some(match state.focus {
            _ if state.composer.waits_in(state.conversations.open) => (ChatEscape::Waiting, "do not send"),
            ChatPane::List if let Some(label) = state.conversations.list.escape() => (ChatEscape::Filter, label),
            _ if state.conversations.list.drawer => (ChatEscape::Drawer, "close list"),
            ChatPane::Params if state.params.form.typing() => (ChatEscape::Field, "leave field"),
            ChatPane::Params => (ChatEscape::Params, "close"),
            _ if !state.find.text().is_empty() => (ChatEscape::Find, END_FIND),
            _ if self.view.is_comparing() => (ChatEscape::Versions, "close"),
            ChatPane::Probabilities | ChatPane::Transcript if state.probabilities.is_open() => {
                (ChatEscape::Probabilities, "close")
            }
            ChatPane::Transcript if self.view.selected().is_some() && !busy => (ChatEscape::Selection, "deselect"),
            _ if state.conversation().is_retrying() => (ChatEscape::Answer, "give up"),
            _ if busy => (ChatEscape::Answer, "stop"),
            _ if state.composer.editing.is_some() => (ChatEscape::Edit, "stop editing"),
            ChatPane::Composer if state.composer.result_of.is_some() => (ChatEscape::Result, "message"),
            ChatPane::Composer => (ChatEscape::Composer, "browse"),
            ChatPane::List => (ChatEscape::List, "transcript"),
            ChatPane::Transcript | ChatPane::Probabilities => return None,
        })
    }

    pub(super) fn open_system_prompt(&mut self) {
        let dialog = dialogs::system_prompt(&self.state.conversation().record.system);
        self.state.modals.open(dialog);
    }

    pub(super) fn act(&mut self, action: Action, cx: &mut Cx) {
        match action {
            Action::Submit => self.submit(cx),
            Action::Send => self.send(cx),
            Action::NextPane => self.focus_next(1, cx),
            Action::PreviousPane => self.focus_next(-1, cx),
            Action::External => cx.push(Effect::EditText),
            Action::Enter if self.state.conversation().skip_countdown(cx) => {}
            Action::Write | Action::Enter => {
                self.state.focus = ChatPane::Composer;
                self.state.conversations.list.drawer = false;
            }
            Action::Stop => drop(self.state.stop(cx)),
            Action::Marks => self.state.marks.page = Some(Box::new(MarksPage::new(cx))),
            Action::EndComparison => {
                if self.state.comparisons.end(self.state.conversations.open) {
                    cx.notify(Notice::ok("from the next message on, only the model in use answers").about("trial"));
                }
            }
            Action::Model => cx.push(Effect::OpenModelPicker),
            Action::System => self.open_system_prompt(),
            Action::Result => self.ask_result(cx),
            Action::Params => {
                // The list over the conversation would cover the parameters, or what is left between the two.
                self.state.conversations.list.drawer = false;
                self.state.params.open(&mut self.state.focus);
            }
            Action::Find => self.begin_find(cx),
            Action::Filter => self.filter_list(cx),
            Action::New => self.state.new_conversation(cx),
            Action::FindNext => self.find_next(false, cx),
            Action::FindBack => self.find_next(true, cx),
            Action::SideList => self.toggle_list(cx),
            Action::Undo => self.state.undo(cx),
            _ => {
                if !self.act_in_composer(action, cx) {
                    self.act_in_transcript(action, cx);
                }
            }
        }
    }

    /// Goes to the next match, or the one before.
    pub(super) fn find_next(&mut self, back: bool, cx: &mut Cx) {
        if self.state.find.text().is_empty() {
            cx.notify(Notice::warn("nothing to find yet; / finds"));
        } else {
            // Whether there is a match is shown beside the position in the conversation.
            self.view.transcript().find_next(back);
        }
    }

    /// Handles Enter: ends a countdown, takes the example in an empty conversation, else sends.
    fn submit(&mut self, cx: &mut Cx) {
        if self.state.conversation().skip_countdown(cx) {
            return;
        }
        if self.state.offers_examples() {
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

    /// Returns the pane `by` panes after this one, among those on the screen.
    fn next_pane(&self, by: isize, cx: &Cx) -> ChatPane {
        let mut panes = vec![ChatPane::Composer, ChatPane::Transcript];
        if self.state.probabilities.is_open() {
            panes.push(ChatPane::Probabilities);
        }
        if self.state.conversations.list.is_shown(cx.session.area) {
            panes.push(ChatPane::List);
        }
        if self.state.params.is_open() {
            panes.push(ChatPane::Params);
        }
        let at = panes.iter().position(|pane| *pane == self.state.focus).unwrap_or(0) as isize;
        panes[(at + by).rem_euclid(panes.len() as isize) as usize]
    }

    /// Moves the focus `by` panes on; in the list the cursor goes to the conversation that is open.
    fn focus_next(&mut self, by: isize, cx: &mut Cx) {
        self.state.focus = self.next_pane(by, cx);
        if self.state.focus == ChatPane::List {
            self.state.conversations.list.items.select(self.state.conversations.open);
            self.state.conversations.load_list(cx);
        }
    }

    /// Carries out an action of the message box. Returns whether it is one.
    fn act_in_composer(&mut self, action: Action, cx: &mut Cx) -> bool {
        let State { composer, conversations, modals, pending, .. } = &mut self.state;
        match action {
            Action::Newline => {
                composer.editor.insert_newline(cx.now);
                composer.typed(cx.now);
            }
            Action::Attach => modals.open(dialogs::attach("", cx)),
            Action::AttachMentioned => {
                let word = composer.editor.word();
                let begun = word.strip_prefix('@').unwrap_or_default().to_owned();
                pending.insert(cx.work(Work::Paths(begun)), Request::Paths(word));
            }
            Action::PreviousExample => composer.choose_example(-1),
            Action::NextExample => composer.choose_example(1),
            Action::OlderPrompt => composer.recall(conversations.current(), 1, cx.now),
            Action::NewerPrompt => composer.recall(conversations.current(), -1, cx.now),
            Action::NextRole => composer.next_role(),
            Action::NextDraft => self.state.next_draft(cx),
            Action::ExpandPaste => composer.expand_paste(cx),
            _ => return false,
        }
        true
    }

    /// Shows or hides the list.
    fn toggle_list(&mut self, cx: &mut Cx) {
        let State { conversations, params, focus, .. } = &mut self.state;
        let list = &mut conversations.list;
        if has_panes_beside(cx.session.area.0, cx.session.area.1) {
            list.hidden = !list.hidden;
            if list.hidden && *focus == ChatPane::List {
                *focus = ChatPane::Transcript;
            }
        } else {
            list.drawer = !list.drawer;
            params.close(focus);
            *focus = if list.drawer { ChatPane::List } else { ChatPane::Transcript };
            list.items.select(conversations.open);
        }
        conversations.load_list(cx);
    }

    /// Begins to type words that conversations are filtered by; where the list is not on the screen, it comes there.
    fn filter_list(&mut self, cx: &mut Cx) {
        if !self.state.marks.close_page(cx) {
            return;
        }
        if !self.state.conversations.list.is_shown(cx.session.area) {
            self.toggle_list(cx);
        }
        let State { conversations, params, find, focus, .. } = &mut self.state;
        if params_cover(&conversations.list, cx.session.area) {
            params.close(focus);
        }
        find.stop_typing();
        *focus = ChatPane::List;
        conversations.list.filter.start_typing();
    }

    /// Begins to type words to find in the conversation.
    fn begin_find(&mut self, cx: &mut Cx) {
        let State { conversations, marks, params, find, focus, .. } = &mut self.state;
        if conversations.current().is_blank() {
            return cx.notify(Notice::info("no messages yet"));
        }
        if !marks.close_page(cx) {
            return;
        }
        if params_cover(&conversations.list, cx.session.area) {
            params.close(focus);
        }
        conversations.list.filter.stop_typing();
        self.view.set_comparison(None);
        // The whole conversation is searched, so all of it must be loaded.
        conversations.load_all(cx);
        self.view.transcript().begin_find();
        find.start_typing();
    }

    /// Asks where the result of a call is to come from.
    fn ask_result(&mut self, cx: &mut Cx) {
        let conversation = self.state.conversation();
        let calls = conversation.open_calls();
        if calls.is_empty() {
            return cx.notify(Notice::info("no call waits for a result"));
        }
        let dialog = dialogs::result_sources(calls, &tools_of(&conversation.record.params));
        self.state.modals.open(dialog);
    }
}
