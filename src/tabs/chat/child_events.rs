//! Passes keys to children of the tab and does what they emit: dialogs, the line of words to find, the list of
//! conversations, the page of marked answers, the parameters, the strip of probabilities.

use crossterm::event::KeyEvent;

use super::Chat;
use super::conversation_list::ListEvent;
use super::dialogs::{self, DialogAnswer};
use super::keys::{Action, TRANSCRIPT};
use super::marks::MarksEvent;
use super::open_call::{OpenCall, ResultSource};
use super::params_keys::{PARAMS, ParamsAction};
use super::state::ChatPane;
use super::tool_calls::tools_of;
use super::tool_command_dialog::ToolCommandDialog;
use crate::component::{Component, Cx, Effect, FindBarEvent, Handled, Notice};
use crate::record::Id;
use crate::ui::form;

impl Chat {
    /// Passes a key to what lies over the panes. Returns whether something does.
    pub(super) fn covered_key(&mut self, key: KeyEvent, cx: &mut Cx) -> bool {
        if self.state.modals.key(key, cx).act(|answer| self.answer(answer, cx)) {
            return true;
        }
        if self.state.find.is_typing() {
            match self.state.find.key(key) {
                FindBarEvent::Ignored | FindBarEvent::Moved(_) => {}
                FindBarEvent::Changed | FindBarEvent::Cancelled => self.view.transcript().find(self.state.find.text()),
                FindBarEvent::Submitted => self.state.focus = ChatPane::Transcript,
            }
            return true;
        }
        if self.state.conversations.list.typing() {
            return self.state.conversations.list.key(key, cx).act(|event| self.list_event(event, cx));
        }
        let handled = self.state.marks.page.as_mut().map_or(Handled::Ignored, |page| page.key(key, cx));
        handled.act(|event| self.marks_event(event, cx))
    }

    /// Passes a key to the parameters; what the form leaves over is in their own table.
    pub(super) fn params_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        match self.state.params.form.key(key) {
            form::Event::Change(name, text) => self.state.set_param(name, &text, cx),
            form::Event::Close => self.state.params.close(&mut self.state.focus),
            form::Event::Ignored => match PARAMS.find_enabled(&key, &self.state.params.form) {
                Some(ParamsAction::NextPane) => self.act(Action::NextPane, cx),
                Some(ParamsAction::Close) => self.state.params.close(&mut self.state.focus),
                Some(ParamsAction::Keep) => cx.push(Effect::KeepParams),
                Some(ParamsAction::Model) => self.act(Action::Model, cx),
                Some(ParamsAction::System) => self.open_system_prompt(),
                Some(ParamsAction::OpenFile) => self.state.modals.open(dialogs::tools_file()),
                _ => {}
            },
            form::Event::Ask(_) => cx.push(Effect::EditText),
            form::Event::None => {}
        }
    }

    /// Passes a key to the strip of probabilities, which has some of the transcript's too.
    pub(super) fn probabilities_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let handled = self.state.probabilities.key(key, self.state.conversations.current());
        if handled.is_ignored() {
            use Action as A;
            let shared = TRANSCRIPT.find(&key).filter(|action| {
                let moves = [A::NextPane, A::PreviousPane, A::PageUp, A::PageDown, A::HalfUp, A::HalfDown];
                moves.contains(action) || matches!(action, A::Write | A::Params | A::SideList | A::Regenerate)
            });
            if let Some(action) = shared {
                self.act(action, cx);
            }
        }
        handled.act(|()| self.close_probabilities());
    }

    /// Closes the strip of probabilities; its keys go back to the transcript.
    pub(super) fn close_probabilities(&mut self) {
        self.state.probabilities.close();
        if self.state.focus == ChatPane::Probabilities {
            self.state.focus = ChatPane::Transcript;
        }
    }

    /// Does what the list asks for.
    pub(super) fn list_event(&mut self, event: ListEvent, cx: &mut Cx) {
        let state = &mut self.state;
        match event {
            ListEvent::Open(id) => state.open_row(id, cx),
            ListEvent::Rename(id) => self.ask_rename(id),
            ListEvent::Trash(id) => state.set_trashed(id, true, cx),
            ListEvent::Restore(id) => state.set_trashed(id, false, cx),
            ListEvent::Purge(id) => self.ask_purge(id),
            ListEvent::Search(words) => state.conversations.search(words, cx),
            ListEvent::Act(action) => self.act(action, cx),
        }
    }

    /// Asks for a conversation's title.
    pub(super) fn ask_rename(&mut self, id: Id) {
        let head = self.state.conversations.list.items.head(id);
        self.state.modals.open(dialogs::rename(id, head));
    }

    /// Asks whether a conversation is deleted for good.
    pub(super) fn ask_purge(&mut self, id: Id) {
        let head = self.state.conversations.list.items.head(id);
        self.state.modals.open(dialogs::purge(id, head));
    }

    /// Does what the page of marked answers asks for.
    pub(super) fn marks_event(&mut self, event: MarksEvent, cx: &mut Cx) {
        let state = &mut self.state;
        match event {
            MarksEvent::Close => state.marks.page = None,
            MarksEvent::Open(conversation, turn) => {
                state.marks.page = None;
                state.open_at(conversation, turn, cx);
            }
            MarksEvent::Unmark(conversation, turn) => {
                state.view_requests.redraw(turn);
                let record = state.marks.unmark(turn);
                state.conversations.save(conversation, record, cx);
            }
            MarksEvent::Save(file) => state.save_rows(file.path, file.text, file.words, cx),
        }
    }

    /// Does what a dialog was answered with.
    pub(super) fn answer(&mut self, answer: DialogAnswer, cx: &mut Cx) {
        let state = &mut self.state;
        match answer {
            DialogAnswer::Rename(id, title) => state.conversations.rename(id, &title, cx),
            DialogAnswer::SaveAs(path, text) => state.save_file(path, text, cx),
            DialogAnswer::System(text) if text == state.conversation().record.system => {}
            DialogAnswer::System(text) => state.set_system(text, cx.now),
            DialogAnswer::SystemClosed => state.save_draft(cx),
            DialogAnswer::Ideal(turn, text) => {
                let record = state.marks.set_ideal(state.conversations.current(), turn, &text, cx.unix_ms);
                state.save_mark(turn, record, cx);
            }
            DialogAnswer::Change(turn, text) => state.finish_turn_edit(turn, text, cx),
            DialogAnswer::Purge(id) => state.purge(id, cx),
            DialogAnswer::CallResult(call, source) => self.begin_result(*call, source, cx),
            DialogAnswer::ResultText(call, text) => {
                if self.may_fill_box(cx) {
                    self.state.composer.fill_result(*call, &text, cx.now);
                    self.state.focus = ChatPane::Composer;
                }
            }
            DialogAnswer::Tools(text) => state.set_param("tools", &text, cx),
            DialogAnswer::Attach(path) => {
                state.composer.attach(&path, cx.now);
                state.focus = ChatPane::Composer;
            }
        }
    }

    /// Begins a result in the message box, from the source that was chosen.
    fn begin_result(&mut self, call: OpenCall, source: ResultSource, cx: &mut Cx) {
        if source != ResultSource::Typed && !self.may_fill_box(cx) {
            return;
        }
        let state = &mut self.state;
        match source {
            ResultSource::Typed => {
                state.composer.write_result(call);
                state.focus = ChatPane::Composer;
            }
            ResultSource::File => state.modals.open(dialogs::result_file(call)),
            ResultSource::Command => {
                if let Some(Ok(command)) = call.command(&tools_of(&state.conversation().record.params)) {
                    state.modals.open(ToolCommandDialog::new(call, command));
                }
            }
        }
    }

    /// Returns whether the message box is empty, so that a text can come into it; says it if not.
    fn may_fill_box(&self, cx: &mut Cx) -> bool {
        let is_empty = self.state.composer.editor.is_empty();
        if !is_empty {
            cx.notify(Notice::warn("the message box holds another text; send or clear it first"));
        }
        is_empty
    }
}
