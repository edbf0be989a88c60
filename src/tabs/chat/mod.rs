//! Chat: conversations, transcript, composer, parameters.
//!
//! `state` has the parts, `update` does what keys stand for, `view` draws; this file implements `Component`, `tab`
//! implements `Tab`.

mod action;
pub(crate) mod all_keys;
mod answer_format;
mod answer_tokens;
mod answers;
mod attachments;
mod chat_pane;
mod child_events;
mod comparison_view;
mod composer;
mod conversation;
mod conversation_changes;
mod conversation_list;
mod conversations;
mod dialogs;
mod drafts;
mod empty_state;
pub mod exchange;
mod key_reasons;
mod keys;
mod layout;
pub mod loading;
mod marks;
mod message_actions;
mod message_box;
mod message_lines;
mod open_call;
mod params;
mod params_keys;
mod params_panel;
mod persistence;
mod probabilities;
mod reasoning;
mod replies;
mod request;
mod request_size;
mod responders;
mod sending;
mod state;
mod streaming_answer;
mod tab;
mod titles;
mod token_counts;
mod tool_calls;
mod tool_command_dialog;
mod transcript;
mod turn_edits;
mod turn_tree;
mod undo;
mod update;
mod version_marks;
mod view;
mod view_requests;

use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use self::keys::{Action, FINDING, TRANSCRIPT, VERSIONS};
use self::layout::ChatLayout;
use self::params_keys::PARAMS;
use self::state::{ChatPane, State};
use self::view::ChatView;
use crate::api::call::Ticket;
use crate::component::{Component, Cx, FindBar, Handled, Hint, RenderContext, Response, Session, help_in_use_first};
use crate::record::Block;
use crate::tabs::generation::strip::StripKeys;
use crate::text::Untrusted;

/// The Chat tab.
#[derive(Debug)]
pub struct Chat {
    state: State,
    view: ChatView,
}

impl Default for Chat {
    fn default() -> Self {
        Self::new()
    }
}

impl Chat {
    /// Returns an empty tab; it asks for what is on disk when it first comes to the front.
    pub fn new() -> Self {
        Self { state: State::new(), view: ChatView::new() }
    }

    /// Asks for the colours of the listings that are shown without, and for the differences of versions side by side.
    fn request_background_work(&mut self, cx: &mut Cx) {
        if let Some((of, work)) = self.view.comparison().and_then(|view| view.marks.take_comparison()) {
            self.state.view_requests.ask_differences(of, work, cx);
        }
        for listing in self.view.transcript_view().take_listings() {
            self.state.view_requests.ask_colours(listing, cx);
        }
    }

    /// Returns the keys for the footer, most important first, Esc apart.
    pub(super) fn footer(&self) -> Vec<Hint> {
        let state = &self.state;
        if state.modals.is_open() {
            return state.modals.hints();
        }
        if let Some(page) = &state.marks.page {
            return page.hints();
        }
        if state.is_finding() {
            return FindBar::hints();
        }
        let busy = state.conversation().is_busy();
        match state.focus {
            ChatPane::Composer if state.conversation().is_retrying() => {
                keys::composer_footer(&[Action::Submit, Action::Stop], state)
            }
            _ if state.conversation().is_retrying() => TRANSCRIPT.footer(&[Action::Enter, Action::Stop], state),
            // The frame of the message box names the other keys.
            ChatPane::Composer if self.view.box_names_keys() => keys::composer_footer(&[Action::NextPane], state),
            ChatPane::Composer => {
                let first = if busy { Action::Stop } else { Action::Submit };
                keys::composer_footer(&[first, Action::Newline, Action::ExpandPaste, Action::NextPane], state)
            }
            ChatPane::Transcript if self.view.is_comparing() => vec![
                VERSIONS.joined(&[Action::Older, Action::Newer], "choose"),
                VERSIONS.joined(&[Action::NextMessage, Action::PreviousMessage], "scroll"),
                VERSIONS.joined(&[Action::SideBySide], "close"),
            ],
            ChatPane::Transcript => self.transcript_footer(busy),
            ChatPane::List => state.conversations.list.hints(),
            ChatPane::Params => params_keys::footer(&state.params.form),
            ChatPane::Probabilities => {
                [StripKeys::Reading.footer(), TRANSCRIPT.footer(&[Action::Params], state)].concat()
            }
        }
    }

    fn transcript_footer(&self, busy: bool) -> Vec<Hint> {
        let state = &self.state;
        let keys = |actions: &[Action]| TRANSCRIPT.footer(actions, state);
        if state.conversation().is_blank() {
            return keys(&[Action::Write, Action::Model, Action::System, Action::Params, Action::SideList]);
        }
        let mut hints = Vec::new();
        if !state.find.text().is_empty() {
            hints.extend(FINDING.footer(&[Action::FindNext], state));
        }
        if busy {
            hints.extend(keys(&[Action::Stop]));
        }
        let turn = self.target().and_then(|turn| state.conversation().tree.turn(turn));
        if turn.is_some_and(|turn| turn.blocks.iter().any(Block::is_picture)) {
            hints.extend(keys(&[Action::Pictures]));
        }
        hints.extend(keys(&[Action::Result, Action::Write]));
        // The footer has this place also while Esc ends a selection.
        let version = self.target().map(|turn| self.versions_of(turn));
        if version.is_some_and(|turn| state.conversation().tree.version(turn).1 > 1) {
            hints.push(TRANSCRIPT.joined(&[Action::Older, Action::Newer], "version"));
        }
        hints.extend(keys(&[Action::Regenerate]));
        if !busy {
            hints.extend(keys(&[Action::Edit]));
        }
        hints.extend(keys(&[Action::CopyBlock]));
        hints.push(TRANSCRIPT.joined(&[Action::NextMessage, Action::PreviousMessage], "message"));
        hints.extend(keys(&[Action::Params, Action::SideList]));
        if !busy {
            hints.extend(keys(&[Action::Change, Action::DeleteTurn]));
        }
        hints
    }

    /// Returns every key by pane, the pane in use first.
    pub(super) fn all_keys(&self) -> Vec<(&'static str, Vec<Hint>)> {
        let one = |title, hints| vec![(title, hints)];
        let transcript = if self.view.is_comparing() {
            one("Versions side by side", VERSIONS.help())
        } else {
            TRANSCRIPT.help_groups("Transcript")
        };
        let composer = keys::composer(self.state.composer.enter_newline);
        let panes = [
            (ChatPane::Composer, one("Message", [composer.help(), Hint::of_text_box()].concat())),
            (ChatPane::Transcript, transcript),
            (ChatPane::List, self.state.conversations.list.help()),
            (ChatPane::Params, one("Parameters", PARAMS.help())),
            (ChatPane::Probabilities, one("Probabilities", StripKeys::Reading.help())),
        ];
        help_in_use_first(panes.map(|(pane, groups)| (pane == self.state.focus, groups)))
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
        if let Some(page) = &mut self.state.marks.page
            && page.reply(ticket, response, cx).act(|event| self.marks_event(event, cx))
        {
            return Handled::Consumed;
        }
        let is_mark = self.state.marks.take_load(ticket);
        match response.take() {
            Response::Store(stored) if is_mark => {
                for turn in self.state.marks.loaded(stored, cx) {
                    self.state.view_requests.redraw(turn);
                }
            }
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
        self.state.focus_visible_pane((area.width, area.height));
        let layout = ChatLayout::of(area, &self.state, session);
        self.state.arrange_panes(&layout, session, now);
        self.view.arrange(layout, self.state.viewed(), session, now);
        if let Some(page) = &mut self.state.marks.page {
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
        if state.conversations.list.paste(text, cx).act(|event| self.list_event(event, cx)) {
            return Handled::Consumed;
        }
        let state = &mut self.state;
        if let Some(page) = &mut state.marks.page {
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

    fn in_text_box(&self) -> bool {
        let state = &self.state;
        state.modals.in_text_box() || (!state.is_covered() && state.focus == ChatPane::Composer)
    }

    fn is_prefix_pending(&self) -> bool {
        let state = &self.state;
        if state.modals.is_open() {
            return state.modals.is_prefix_pending();
        }
        self.in_text_box() && state.composer.editor.is_after_x()
    }

    fn editable(&self) -> Option<String> {
        let field = || self.state.editable_field().map(|(_, text)| text);
        Some(self.state.modals.editable().or_else(field).unwrap_or_else(|| self.state.composer.editor.text()))
    }

    fn readable(&self, session: &Session) -> Option<Untrusted> {
        if self.state.modals.is_open() {
            return self.state.modals.readable(session);
        }
        let turn = self.target().and_then(|turn| self.state.conversation().tree.turn(turn))?;
        Some(turn.said().into_owned())
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
