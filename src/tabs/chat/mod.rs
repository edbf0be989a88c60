//! Chat: conversations, transcript, composer, parameters.
//!
//! `state` handles events and asks for effects, `view` draws; this file implements `Component` and `Tab`.

mod action;
mod answer_format;
mod answer_tokens;
mod answers;
mod attachments;
mod chat_pane;
mod comparison;
mod comparison_view;
mod composer;
mod conversation;
mod conversation_list;
mod dialogs;
mod drafts;
mod empty_state;
mod footer;
mod key_reasons;
mod keys;
mod layout;
mod list_actions;
mod marks;
mod message_actions;
mod message_box;
mod message_lines;
mod mouse;
mod open_call;
mod params;
mod params_keys;
mod params_panel;
mod persistence;
mod probabilities;
mod reasoning;
mod request;
mod request_size;
mod responders;
mod sending;
mod state;
mod streaming_answer;
mod titles;
mod token_counts;
mod tool_calls;
mod tool_command_dialog;
mod transcript;
mod trash;
mod turn_edits;
mod turn_tree;
mod undo;
mod update;
mod view;
mod view_requests;

use std::time::Instant;

use crossterm::event::{KeyEvent, MouseEvent};
use ratatui::Frame;
use ratatui::layout::Rect;

use self::comparison_view::ComparisonView;
use self::conversation::OpenConversation;
use self::keys::Action;
use self::state::{ChatPane, State};
use self::view::ChatView;
use super::tab::{Badge, RunMeter, Tab, UnsavedWork};
use crate::api::call::Ticket;
use crate::component::{
    Command, Component, Cx, Effect, FindBar, Handled, Hint, Offer, RenderContext, Response, Session,
};
use crate::record::CompletionParams;
use crate::ui::editing::EditorChord;

/// The Chat tab.
#[derive(Debug)]
pub struct Chat {
    state: State,
    view: ChatView,
    editor_chord: EditorChord,
}

impl Default for Chat {
    fn default() -> Self {
        Self::new()
    }
}

impl Chat {
    /// Returns an empty tab; it asks for what is on disk when it first comes to the front.
    pub fn new() -> Self {
        Self { state: State::new(), view: ChatView::new(), editor_chord: EditorChord::default() }
    }

    /// Asks for the colours of the listings that are shown without, and for the differences of versions side by side.
    fn request_background_work(&mut self, cx: &mut Cx) {
        if let Some((of, work)) = self.view.comparison().and_then(ComparisonView::take_comparison) {
            self.state.request_differences(of, work, cx);
        }
        for listing in self.view.transcript_view().take_listings() {
            self.state.request_colours(listing.turn, listing.block, listing.language, listing.code, cx);
        }
    }
}

impl Component for Chat {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<()> {
        self.on_key(key, cx);
        Handled::Consumed
    }

    fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> Handled<()> {
        if self.state.modals.reply(ticket, response, cx).act(|answer| self.answer(answer, cx)) {
            return Handled::Consumed;
        }
        if let Some(page) = &mut self.state.marks_page
            && page.reply(ticket, response, cx).act(|event| self.marks_event(event, cx))
        {
            return Handled::Consumed;
        }
        match response.take() {
            Response::Call(progress) => self.state.handle_progress(ticket, progress, cx),
            Response::Store(stored) => self.state.handle_stored(ticket, stored, cx),
            Response::Work(done) => {
                self.state.handle_worked(ticket, done, cx);
                if let Some(addressee) = self.state.composer.attachments.take_addressee_if_read()
                    && self.state.still_goes_to(&addressee, cx)
                {
                    self.send(cx);
                }
            }
            Response::Taken => return Handled::Ignored,
        }
        Handled::Consumed
    }

    fn arrange(&mut self, area: Rect, session: &Session, now: Instant) {
        self.state.fill_defaults(session);
        self.state.params.mark_left_out(session);
        self.view.arrange(area, &mut self.state, session, now);
        if let Some(page) = &mut self.state.marks_page {
            page.arrange(area, session, now);
        }
        self.state.modals.arrange(area, session, now);
    }

    fn hints(&self) -> Vec<Hint> {
        self.footer()
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        self.all_keys()
    }

    fn paste(&mut self, text: &str, cx: &mut Cx) -> Handled<()> {
        if self.state.modals.paste(text, cx).act(|answer| self.answer(answer, cx)) {
            return Handled::Consumed;
        }
        let state = &mut self.state;
        if state.find.paste(text) {
            self.view.transcript().find(state.find.text());
            return Handled::Consumed;
        }
        if state.list.paste(text, cx).act(|event| self.list_event(event, cx)) {
            return Handled::Consumed;
        }
        let state = &mut self.state;
        if let Some(page) = &mut state.marks_page {
            page.paste(text, cx).act(|event| self.marks_event(event, cx));
            return Handled::Consumed;
        }
        if state.focus == ChatPane::Params && state.params.form.paste(text) {
            return Handled::Consumed;
        }
        state.focus = ChatPane::Composer;
        let inserted = state.composer.editor.paste(text);
        state.composer.after_insert(inserted, cx);
        Handled::Consumed
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        self.view.render(frame, area, &self.state, context);
    }

    fn due(&self) -> Option<Instant> {
        self.view.work_due().into_iter().chain(self.state.due()).min()
    }

    fn tick(&mut self, cx: &mut Cx) {
        self.request_background_work(cx);
        self.state.tick(cx);
    }

    fn escape(&self) -> Option<&'static str> {
        self.next_escape().map(|(_, label)| label)
    }

    fn typing(&self) -> bool {
        let state = &self.state;
        state.is_covered()
            || state.focus == ChatPane::Composer
            || (state.focus == ChatPane::Params && state.params.form.typing())
    }

    fn editable(&self) -> Option<String> {
        let field = || self.state.editable_field().map(|(_, text)| text);
        Some(self.state.modals.editable().or_else(field).unwrap_or_else(|| self.state.composer.editor.text()))
    }

    fn edited(&mut self, text: &str, cx: &mut Cx) -> Handled<()> {
        if self.state.modals.editable().is_some() {
            self.state.modals.edited(text, cx).act(|answer| self.answer(answer, cx));
            return Handled::Consumed;
        }
        if let Some((name, _)) = self.state.editable_field() {
            self.state.set_param(name, text, cx);
            return Handled::Consumed;
        }
        self.state.composer.editor.set_text(text);
        self.state.focus = ChatPane::Composer;
        self.state.composer.typed(cx.now);
        Handled::Consumed
    }
}

impl Tab for Chat {
    fn title(&self) -> &'static str {
        "Chat"
    }

    fn endpoints(&self) -> &'static [&'static str] {
        &["/chat/completions"]
    }

    fn commands(&self) -> Vec<Command> {
        keys::palette(&self.state)
    }

    fn command(&mut self, id: &str, cx: &mut Cx) {
        let Some(action) = keys::command(id, &self.state) else { return };
        // These act on the conversation, whichever pane has the keys.
        if self.state.focus == ChatPane::List {
            self.state.focus = ChatPane::Transcript;
        }
        match action {
            Action::Rename => self.state.open_rename(self.state.open),
            Action::Purge => self.state.open_purge(self.state.open),
            Action::New => self.state.new_conversation(cx),
            action => self.act(action, cx),
        }
    }

    fn mouse(&mut self, event: MouseEvent, cx: &mut Cx) {
        if !self.state.is_covered() {
            self.handle_mouse(event, cx);
        }
    }

    fn enter(&mut self, cx: &mut Cx) {
        self.state.enter(cx);
    }

    fn takes(&self, offer: &Offer) -> Option<&'static str> {
        Some(match offer {
            Offer::Text(_) => "Write about this text in Chat",
            Offer::Model(_) => "Chat with this model",
            Offer::Compare(trial) if trial.chat => "Compare the models in Chat",
            _ => return None,
        })
    }

    fn accept(&mut self, offer: Offer, cx: &mut Cx) {
        match offer {
            Offer::Text(text) => {
                self.state.focus = ChatPane::Composer;
                let inserted = self.state.composer.editor.accept(&text);
                self.state.composer.after_insert(inserted, cx);
            }
            Offer::Model(model) => cx.push(Effect::SetModel(model)),
            Offer::Compare(trial) => self.state.begin_comparison(*trial, cx),
            _ => {}
        }
    }

    fn badge(&self) -> Option<Badge> {
        if self.state.conversations.values().any(OpenConversation::is_busy) {
            return Some(Badge::Busy);
        }
        self.state.list.unseen.values().any(|failed| *failed).then_some(Badge::Failed)
    }

    fn has_dialog(&self) -> bool {
        self.state.is_covered() || self.state.waits_here() || self.state.list.drawer || self.state.params.form.typing()
    }

    fn dialog_help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        match &self.state.marks_page {
            _ if self.state.modals.is_open() => self.state.modals.help(),
            Some(page) => page.dialog_help(),
            None if self.state.is_finding() => FindBar::help_page(),
            None => Vec::new(),
        }
    }

    fn models(&mut self, cx: &mut Cx) {
        let waits = self.state.waits_for_model(cx.session);
        self.state.composer.waits_for_models = None;
        if waits {
            if cx.session.model.is_empty() {
                cx.push(Effect::ChooseModel);
            } else {
                self.send(cx);
            }
        }
    }

    fn browse(&mut self, _cx: &mut Cx) {
        if !self.state.is_covered() && self.state.focus == ChatPane::Composer {
            self.state.focus = ChatPane::Transcript;
        }
    }

    fn meter(&self) -> Option<RunMeter> {
        self.state.meter()
    }

    fn params(&self, kept: CompletionParams) -> Option<CompletionParams> {
        // A comparison has parameters of its own, and the model in use may be none of its models.
        let common = (!self.state.is_comparison()).then(|| self.state.conversation().record.params.clone())?;
        Some(CompletionParams { common, ..kept })
    }

    fn interrupt(&mut self, cx: &mut Cx) -> bool {
        self.state.stop(cx)
    }

    fn unsaved_work(&self) -> Option<UnsavedWork> {
        let state = &self.state;
        let written =
            !state.list.items.is_empty() || !state.composer.editor.is_empty() || state.conversation().is_begun();
        Some(UnsavedWork { what: "What was written in Chat", how: "Y copies a message", written })
    }

    fn before_quit(&mut self, cx: &mut Cx) {
        self.state.save_draft(cx);
        if let Some(answer) = self.state.close_editor(cx) {
            self.answer(answer, cx);
        }
        // Answers end with the program, and are marked as stopped.
        self.state.stop_all(cx);
    }
}
