//! What the shell asks of the tab besides what it asks of every component: its name, entries of the palette, offers, the
//! mouse, what is to be kept at the end.

use crossterm::event::{KeyCode, KeyEvent, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

use super::Chat;
use super::composer::send_key;
use super::conversation::OpenConversation;
use super::keys::{self, Action};
use super::sending::NOT_SENT;
use super::state::ChatPane;
use crate::component::{Command, Cx, DialogHelp, Effect, Notice, Offer};
use crate::record::CompletionParams;
use crate::tabs::activity::{Activity, ActivityKind, ActivityOutcome};
use crate::tabs::tab::{Badge, RunMeter, Tab, UnsavedWork, WHEEL_ROWS};

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
            Action::Rename => self.ask_rename(self.state.conversations.open),
            Action::Purge => self.ask_purge(self.state.conversations.open),
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
        if self.state.conversations.in_memory.values().any(OpenConversation::is_busy) {
            return Some(Badge::Busy);
        }
        self.state.conversations.list.unseen.values().any(|failed| *failed).then_some(Badge::Failed)
    }

    fn activities(&self) -> Vec<Activity> {
        let busy = self.state.conversations.in_memory.iter().filter(|(_, conversation)| conversation.is_busy());
        busy.map(|(id, _)| Activity::new(ActivityKind::Answer, id.0 as u64)).collect()
    }

    fn outcome(&self, activity: &Activity) -> ActivityOutcome {
        let mut all = self.state.conversations.in_memory.iter();
        let found = all.find(|(id, _)| id.0 as u64 == activity.id);
        found.map_or(ActivityOutcome::Stopped, |(_, conversation)| conversation.outcome())
    }

    fn page(&self) -> &'static str {
        if self.state.marks.page.is_some() { "Marked answers" } else { "" }
    }

    fn has_dialog(&self) -> bool {
        let state = &self.state;
        let waits = state.composer.waits_in(state.conversations.open);
        state.is_covered() || waits || state.conversations.list.drawer || state.params.form.typing()
    }

    fn dialog_help(&self) -> DialogHelp {
        match &self.state.marks.page {
            _ if self.state.modals.is_open() => self.state.modals.help().into(),
            Some(page) => page.dialog_help(),
            None if self.state.is_finding() => DialogHelp::FindBar,
            None => Vec::new().into(),
        }
    }

    fn models(&mut self, cx: &mut Cx) {
        let waits = self.state.composer.waits_for_model(cx.session, self.state.conversations.open);
        self.state.composer.waits_for_models = None;
        if waits {
            if cx.session.model.is_empty() {
                // The dialog of models says why there is none.
                let key = send_key(cx.session);
                let said = format!("not sent: no model was chosen; your message is kept, {key} in its box sends it");
                cx.notify(Notice::error(said).about(NOT_SENT));
                cx.push(Effect::OpenModelPicker);
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
        self.state.conversation().meter().or(self.state.last_meter)
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
        let written = !state.conversations.list.items.is_empty()
            || !state.composer.editor.is_empty()
            || state.conversation().is_begun();
        Some(UnsavedWork { what: "What was written in Chat", how: "Y copies a message", written })
    }

    fn before_quit(&mut self, cx: &mut Cx) {
        self.state.save_draft(cx);
        if self.state.modals.editable().is_some() {
            // What is typed in a dialog is taken as if it were closed.
            self.state.modals.key(KeyEvent::from(KeyCode::Esc), cx).act(|answer| self.answer(answer, cx));
        }
        // Answers end with the program, and are marked as stopped.
        self.state.stop_all(cx);
    }
}

impl Chat {
    /// Scrolls the pane under the mouse, or gives it the keys.
    pub(super) fn handle_mouse(&mut self, event: MouseEvent, cx: &mut Cx) {
        let at = Position::new(event.column, event.row);
        let Some(pane) = self.view.pane(at) else { return };
        match event.kind {
            MouseEventKind::ScrollUp => self.scroll_pane(pane, -1, cx),
            MouseEventKind::ScrollDown => self.scroll_pane(pane, 1, cx),
            MouseEventKind::Down(MouseButton::Left) => self.press_pane(pane, at, cx),
            _ => {}
        }
    }

    /// Scrolls by steps of the wheel: in the list one conversation each, elsewhere [`WHEEL_ROWS`] rows.
    fn scroll_pane(&mut self, pane: ChatPane, steps: isize, cx: &mut Cx) {
        let rows = steps * WHEEL_ROWS;
        if pane == ChatPane::List {
            self.state.conversations.list.scroll(steps);
        } else if let Some(comparison) = self.view.comparison() {
            comparison.scroll(rows);
        } else {
            self.view.transcript().scroll(rows);
            if self.view.borrow_transcript().wants_older() {
                self.state.conversations.load_turns(self.state.conversations.open, cx);
            }
        }
    }

    fn press_pane(&mut self, pane: ChatPane, at: Position, cx: &mut Cx) {
        self.state.focus = pane;
        match pane {
            ChatPane::Composer => {
                self.state.composer.editor.click(at);
            }
            ChatPane::Transcript => self.view.transcript_view().click(at),
            ChatPane::List => {
                if let Some(id) = self.state.conversations.list.press(at) {
                    self.state.open_row(id, cx);
                    // Opening a conversation gives another pane the keys; after a press they stay in the list.
                    self.state.focus = ChatPane::List;
                }
            }
            ChatPane::Params | ChatPane::Probabilities => {}
        }
    }
}
