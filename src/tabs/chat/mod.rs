//! Chat: conversations, transcript, composer, parameters.
//!
//! `state` is the machine (events in, effects out), `view` the picture; this file joins them to the shell.

mod act;
mod act_list;
mod act_turn;
mod answer;
mod beside;
mod blank;
mod change;
mod count;
mod counting;
mod dialogs;
mod drafts;
mod find;
mod kept;
mod keys;
mod list;
mod marks;
mod pages;
mod params;
mod probe;
mod request;
mod room;
mod rules;
mod send;
mod side;
mod state;
mod thought;
mod titles;
mod told;
mod tree;
mod trial;
mod undo;
mod view;
mod voices;

use std::time::Instant;

use crossterm::event::{KeyEvent, MouseButton, MouseEvent, MouseEventKind};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use self::keys::{Action, COMPOSER, LIST, TRANSCRIPT};
use self::list::Row;
use self::room::{Answer, Room};
use self::state::{Focus, State};
use self::view::View;
use super::generation::strip::Keys;
use super::tab::{Badge, RunMeter, Tab, unsaved};
use crate::api::call::{Progress, Ticket};
use crate::component::{
    Command, Component, Cx, Effect, Handled, Hint, Notice, Offer, RenderContext, Response, Session,
};
use crate::record::work::Done;
use crate::record::{Stored, TurnStatus};

/// The Chat tab.
#[derive(Debug)]
pub struct Chat {
    state: State,
    view: View,
    probe_keys: Keys,
    /// Ctrl+X was the last key: Ctrl+E then opens the editor.
    after_x: bool,
}

impl Default for Chat {
    fn default() -> Self {
        Self::new()
    }
}

impl Chat {
    /// An empty tab; it asks for what is on disk when it first comes to the front.
    pub fn new() -> Self {
        Self { state: State::new(), view: View::new(), probe_keys: Keys::reading(), after_x: false }
    }

    /// Has the listings coloured that the last frame showed without.
    fn colour(&mut self, cx: &mut Cx) {
        for listing in std::mem::take(&mut self.view.pages().uncoloured) {
            self.state.highlight(listing.turn, listing.block, listing.language, listing.code, cx);
        }
    }
}

impl Chat {
    fn progress(&mut self, ticket: Ticket, progress: Progress, cx: &mut Cx) {
        self.state.progress(ticket, progress, cx);
    }

    fn stored(&mut self, ticket: Ticket, stored: Stored, cx: &mut Cx) {
        self.state.stored(ticket, stored, cx);
    }

    fn worked(&mut self, ticket: Ticket, done: Done, cx: &mut Cx) {
        self.state.worked(ticket, done, cx);
    }
}

impl Component for Chat {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<()> {
        self.on_key(key, cx);
        Handled::Consumed
    }

    fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> Handled<()> {
        let handled = self.state.modals.reply(ticket, response, cx);
        if self.dialog_did(handled, cx) {
            return Handled::Consumed;
        }
        match response.take() {
            Response::Call(progress) => self.progress(ticket, progress, cx),
            Response::Store(stored) => self.stored(ticket, stored, cx),
            Response::Work(done) => self.worked(ticket, done, cx),
            Response::Taken => return Handled::Ignored,
        }
        Handled::Consumed
    }

    fn arrange(&mut self, area: Rect, session: &Session, now: Instant) {
        self.state.modals.arrange(area, session, now);
    }

    fn hints(&self) -> Vec<Hint> {
        let state = &self.state;
        let hint = Hint::new;
        let (send, newline) = if state.enter_newline { ("alt+⏎", "⏎") } else { ("⏎", "^J") };
        let counting = state.room().answer.as_ref().is_some_and(Answer::is_counting);
        if state.modals.is_open() {
            return state.modals.hints();
        }
        if let Some(page) = &state.marked {
            return page.hints();
        }
        // Its own line says what it takes.
        if state.find.is_typing() {
            return Vec::new();
        }
        if counting {
            let now = if state.focus == Focus::Composer { send } else { "⏎" };
            return vec![hint(now, "try now"), hint("esc", "give up")];
        }
        let busy = state.room().is_busy();
        if self.view.is_beside() && state.focus == Focus::Transcript {
            return vec![hint("< >", "choose"), hint("j k", "scroll"), hint("D", "close")];
        }
        match state.focus {
            Focus::Composer => {
                let mut hints = if busy { vec![hint("esc", "stop")] } else { vec![hint(send, "send")] };
                hints.extend([hint(newline, "newline"), hint("tab", "transcript")]);
                hints
            }
            Focus::Transcript => {
                let footer = |actions: &[Action]| TRANSCRIPT.footer(actions, state);
                if state.room().is_blank() {
                    return footer(&[Action::Write, Action::Model, Action::System, Action::Params, Action::SideList]);
                }
                let mut hints = Vec::new();
                if !state.find.words().is_empty() {
                    hints.push(hint("n N", "next, previous match"));
                }
                if busy {
                    hints.push(hint("esc", "stop"));
                }
                hints.extend(footer(&[Action::Write, Action::Regenerate]));
                if !busy {
                    hints.extend(footer(&[Action::Edit]));
                }
                let target = self.view.selected().or_else(|| state.room().path.last().copied());
                let version = target.map(|turn| self.versions_of(turn));
                if version.is_some_and(|turn| state.room().tree.version(turn).1 > 1) {
                    hints.push(hint("< >", "version"));
                }
                hints.extend(footer(&[Action::CopyBlock]));
                hints.push(hint("j k", "message"));
                hints.extend(footer(&[Action::Params, Action::SideList]));
                if !busy {
                    hints.extend(footer(&[Action::Change, Action::DeleteTurn]));
                }
                hints
            }
            Focus::List if self.on_trash() => {
                [vec![hint("⏎", "open or close the trash")], LIST.footer(&[Action::New], state)].concat()
            }
            Focus::List if self.trashed_row().is_some() => {
                LIST.footer(&[Action::Open, Action::Undo, Action::Purge], state)
            }
            Focus::List => {
                let actions = [Action::Open, Action::New, Action::Rename, Action::Trash, Action::Filter];
                LIST.footer(&actions, state)
            }
            Focus::Params => keys::params(&state.form),
            Focus::Probe => keys::probe(),
        }
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        let mut panes = vec![
            ("Message", COMPOSER.help()),
            ("Transcript", TRANSCRIPT.help()),
            ("Conversations", LIST.help()),
            ("Parameters", keys::params_help()),
            ("Probabilities", self.probe_keys.hints()),
        ];
        let front = match self.state.focus {
            Focus::Composer => 0,
            Focus::Transcript => 1,
            Focus::List => 2,
            Focus::Params => 3,
            Focus::Probe => 4,
        };
        let first = panes.remove(front);
        panes.insert(0, first);
        panes
    }

    fn paste(&mut self, text: &str, cx: &mut Cx) -> Handled<()> {
        let handled = self.state.modals.paste(text, cx);
        if self.dialog_did(handled, cx) {
            return Handled::Consumed;
        }
        let state = &mut self.state;
        if state.find.paste(text) {
            self.view.find(state.find.words());
            return Handled::Consumed;
        }
        if let Some(page) = &mut state.marked {
            page.paste(text);
            return Handled::Consumed;
        }
        if state.focus == Focus::Params && state.form.paste(text) {
            return Handled::Consumed;
        }
        state.focus = Focus::Composer;
        match state.editor.paste(text) {
            Ok(()) => state.typed(cx.now),
            Err(why) => cx.notify(Notice::error(why)),
        }
        Handled::Consumed
    }

    fn due(&self) -> Option<Instant> {
        self.view.colour_due().into_iter().chain(self.state.due()).min()
    }

    fn tick(&mut self, cx: &mut Cx) {
        self.colour(cx);
        self.state.tick(cx);
    }

    fn escape(&self) -> Option<&'static str> {
        self.escape_hint()
    }

    fn typing(&self) -> bool {
        let state = &self.state;
        state.is_covered() || state.focus == Focus::Composer || (state.focus == Focus::Params && state.form.typing())
    }

    fn editable(&self) -> Option<String> {
        Some(self.state.modals.editable().unwrap_or_else(|| self.state.editor.text()))
    }

    fn edited(&mut self, text: &str, cx: &mut Cx) -> Handled<()> {
        if self.state.modals.editable().is_some() {
            let handled = self.state.modals.edited(text, cx);
            self.dialog_did(handled, cx);
            return Handled::Consumed;
        }
        self.state.editor.set_text(text);
        self.state.focus = Focus::Composer;
        self.state.typed(cx.now);
        Handled::Consumed
    }
}

impl Tab for Chat {
    fn draw(&mut self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let RenderContext { session, theme, now } = context;
        self.view.render(frame, area, &mut self.state, RenderContext { session, theme, now });
    }

    fn title(&self) -> &'static str {
        "Chat"
    }

    fn commands(&self) -> Vec<Command> {
        keys::palette(&self.state)
    }

    fn command(&mut self, id: &str, cx: &mut Cx) {
        let Some(action) = keys::command(id, &self.state) else { return };
        // These act on the conversation, whichever pane has the keys.
        if self.state.focus == Focus::List {
            self.state.focus = Focus::Transcript;
        }
        match action {
            Action::Rename => self.state.open_rename(self.state.open),
            Action::Purge => self.state.open_purge(self.state.open),
            Action::New => self.state.fresh(cx),
            action => self.act(action, cx),
        }
    }

    fn mouse(&mut self, event: MouseEvent, cx: &mut Cx) {
        if self.state.is_covered() {
            return;
        }
        let at = Position::new(event.column, event.row);
        let Some(pane) = self.view.pane(at) else { return };
        match event.kind {
            MouseEventKind::ScrollUp | MouseEventKind::ScrollDown => {
                let rows = if event.kind == MouseEventKind::ScrollUp { -3 } else { 3 };
                if pane == Focus::List {
                    let len = self.state.list().len();
                    self.state.cursor.by(rows / 3, len);
                } else if let Some(beside) = self.view.beside() {
                    beside.scroll(rows);
                } else {
                    self.view.pages().transcript().scroll(rows);
                    if self.view.wants_older() {
                        self.state.load_turns(self.state.open, cx);
                    }
                }
            }
            MouseEventKind::Down(MouseButton::Left) => {
                self.state.focus = pane;
                match pane {
                    Focus::Composer => {
                        self.state.editor.click(at);
                    }
                    Focus::Transcript => self.view.pages().click(at),
                    Focus::List => {
                        if let Some(row) = self.view.list_row(at, &self.state) {
                            self.state.cursor.selected = row;
                            if let Some(Row::Item { id, .. }) = self.state.list().get(row) {
                                let id = *id;
                                self.state.open_row(id, cx);
                                self.state.focus = pane;
                            }
                        }
                    }
                    Focus::Params | Focus::Probe => {}
                }
            }
            _ => {}
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
                self.state.focus = Focus::Composer;
                match self.state.editor.accept(&text) {
                    Ok(()) => self.state.typed(cx.now),
                    Err(why) => cx.notify(Notice::error(why)),
                }
            }
            Offer::Model(model) => cx.push(Effect::SetModel(model)),
            Offer::Compare(trial) => self.state.take_trial(*trial, cx),
            _ => {}
        }
    }

    fn badge(&self) -> Option<Badge> {
        if self.state.rooms.values().any(room::Room::is_busy) {
            return Some(Badge::Busy);
        }
        self.state.unseen.values().any(|failed| *failed).then_some(Badge::Failed)
    }

    fn has_dialog(&self) -> bool {
        self.state.is_covered() || self.state.waiting.is_some() || self.state.drawer || self.state.form.typing()
    }

    fn models(&mut self, cx: &mut Cx) {
        let waits = self.state.waits_for_model(cx.session);
        self.state.waiting = None;
        if waits {
            if cx.session.model.is_empty() {
                cx.push(Effect::ChooseModel);
            } else {
                self.send(cx);
            }
        }
    }

    fn browse(&mut self, _cx: &mut Cx) {
        if !self.state.is_covered() && self.state.focus == Focus::Composer {
            self.state.focus = Focus::Transcript;
        }
    }

    fn meter(&self) -> Option<RunMeter> {
        self.state.meter()
    }

    fn interrupt(&mut self, cx: &mut Cx) -> bool {
        self.state.stop(cx)
    }

    fn holds_quit(&self, session: &Session) -> Option<String> {
        let state = &self.state;
        let begun = !state.shelf.is_empty() || !state.editor.is_empty() || state.room().is_begun();
        let why = state.rooms.values().find_map(Room::refusal).or(session.unsaved.as_ref().filter(|_| begun))?;
        Some(unsaved("What was written in Chat", why, "Y copies a message"))
    }

    fn parting(&mut self, cx: &mut Cx) {
        self.state.keep_draft(cx);
        if let Some(answer) = self.state.close_editor(cx) {
            self.answer(answer, cx);
        }
        let ids: Vec<_> =
            self.state.rooms.iter().filter(|(_, room)| room.answer.is_some()).map(|(id, _)| *id).collect();
        for id in ids {
            // What streams is stopped with the program, and says so next time.
            self.state.silence(id);
            self.state.save_answer(id, true, cx);
            if let Some(answer) = &self.state.rooms[&id].answer {
                cx.push(Effect::Cancel(answer.run.ticket));
            }
            self.state.finish(id, TurnStatus::Stopped, None, cx);
        }
    }
}
