//! Embed: texts as vectors, how similar they are, what is near what, and whether the vectors are as they should be.
//!
//! `state` handles events and asks for effects, `view` draws; this file implements `Component` and `Tab`.
//! `embedded_list` is the open list with its vectors and what is computed of them. `run` finds the texts without a vector
//! and asks before sending, `send` sends them, `embed_run` is the run as data.

pub(crate) mod all_keys;
mod analyses;
mod answer;
mod background;
mod compare;
mod cursor;
mod dialogs;
mod editing;
mod embed_run;
mod embedded_list;
mod estimate;
mod hints;
mod hygiene;
mod inputs;
mod keys;
mod labels;
mod layout;
mod list_storage;
mod map;
mod matrix_view;
mod notes;
mod pair;
mod pairs;
mod pane;
mod pane_data;
#[cfg(test)]
mod pane_test;
mod panes;
mod persistence;
mod query;
mod rows;
mod run;
mod saves;
mod send;
mod similar;
mod state;
mod text_find;
pub mod text_run;
mod transfer;
mod update;
mod vector_loading;
mod vector_set;
mod view;

use std::time::Instant;

use crossterm::event::{KeyEvent, MouseButton, MouseEvent, MouseEventKind};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use self::editing::NewText;
use self::keys::Action;
use self::pane_data::Page;
use self::state::State;
use super::activity::{Activity, ActivityOutcome};
use super::tab::{Badge, RunMeter, Tab, UnsavedWork};
use crate::api::call::Ticket;
use crate::component::{Command, Component, Cx, DialogHelp, Handled, Hint, Offer, RenderContext, Response, Session};
use crate::settings::ProfileId;
use crate::text::Untrusted;
use crate::ui::meter;

/// The Embed tab.
#[derive(Debug, Default)]
pub struct Embed {
    state: State,
}

impl Embed {
    /// Creates an empty tab; it asks for what is on disk when it first comes to the front.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Component for Embed {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<()> {
        self.on_key(key, cx);
        Handled::Consumed
    }

    fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> Handled<()> {
        let state = &mut self.state;
        if state.modals.reply(ticket, response, cx).act(|answer| state.answer(answer, cx)) {
            return Handled::Consumed;
        }
        if state.list.panes.reply(ticket, response, cx).act(|event| state.pane_event(event, cx)) {
            state.advance(cx);
            return Handled::Consumed;
        }
        if state.list.reply(ticket, response, state.run.is_busy(), cx).act(|bytes| state.ask_to_load(bytes)) {
            state.advance(cx);
            return Handled::Consumed;
        }
        match response.take() {
            Response::Call(progress) => state.handle_progress(ticket, progress, cx),
            Response::Store(stored) => {
                state.handle_stored(ticket, stored, cx);
                state.advance(cx);
            }
            Response::Work(done) => state.handle_worked(ticket, done, cx),
            Response::Taken => return Handled::Ignored,
        }
        Handled::Consumed
    }

    fn arrange(&mut self, area: Rect, session: &Session, now: Instant) {
        self.state.arrange(area, session, now);
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        self.state.render(frame, area, context);
    }

    fn hints(&self) -> Vec<Hint> {
        hints::hints(&self.state)
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        hints::help(&self.state)
    }

    fn paste(&mut self, text: &str, cx: &mut Cx) -> Handled<()> {
        self.state.paste(text, cx);
        self.state.advance(cx);
        Handled::Consumed
    }

    fn due(&self) -> Option<Instant> {
        self.state.due()
    }

    fn tick(&mut self, cx: &mut Cx) {
        self.state.tick(cx);
    }

    fn escape(&self) -> Option<&'static str> {
        self.state.escape_hint()
    }

    fn typing(&self) -> bool {
        let state = &self.state;
        state.modals.typing()
            || state.find.bar.is_typing()
            || state.editing.is_some()
            || state.list.panes.get(state.view.page).is_some_and(Component::typing)
    }

    fn in_text_box(&self) -> bool {
        !self.state.modals.is_open() && !self.state.find.bar.is_typing() && self.state.editing.is_some()
    }

    fn is_prefix_pending(&self) -> bool {
        self.in_text_box() && self.state.editing.as_ref().is_some_and(|row_editor| row_editor.editor.is_after_x())
    }

    fn editable(&self) -> Option<String> {
        self.state.editing.as_ref().map(|row_editor| row_editor.editor.text())
    }

    fn readable(&self, session: &Session) -> Option<Untrusted> {
        let state = &self.state;
        if state.modals.is_open() {
            return state.modals.readable(session);
        }
        state.list.data.texts.get(state.list.data.cursor.0).map(|text| text.text.clone())
    }

    fn edited(&mut self, text: &str, cx: &mut Cx) -> Handled<()> {
        if let Some(row_editor) = &mut self.state.editing {
            row_editor.editor.set_text(text.trim_end_matches('\n'));
        }
        self.state.finish_editing(cx);
        self.state.advance(cx);
        Handled::Consumed
    }
}

impl Tab for Embed {
    fn title(&self) -> &'static str {
        "Embed"
    }

    fn endpoints(&self) -> &'static [&'static str] {
        &["/embeddings"]
    }

    fn commands(&self) -> Vec<Command> {
        keys::palette(&self.state)
    }

    fn command(&mut self, id: &str, cx: &mut Cx) {
        self.state.list.panes.compare.end_choosing();
        self.state.find.bar.stop_typing();
        // What is being typed stands in a row: it is taken before rows change their places.
        if id != "external" {
            self.state.finish_editing(cx);
        }
        if let Some(action) = keys::command(id, &self.state) {
            self.act(action, cx);
        }
        self.state.advance(cx);
    }

    fn mouse(&mut self, event: MouseEvent, cx: &mut Cx) {
        if self.state.modals.is_open() {
            return;
        }
        let at = Position::new(event.column, event.row);
        match event.kind {
            MouseEventKind::Down(MouseButton::Left) => {
                self.state.find.bar.stop_typing();
                if let Some(page) = self.state.view.layout.pane_at(at) {
                    self.state.open_page(page, cx);
                }
            }
            MouseEventKind::ScrollUp => self.act(Action::Up, cx),
            MouseEventKind::ScrollDown => self.act(Action::Down, cx),
            _ => {}
        }
        self.state.advance(cx);
    }

    fn enter(&mut self, cx: &mut Cx) {
        self.state.enter(cx);
        self.state.advance(cx);
    }

    fn takes(&self, offer: &Offer) -> Option<&'static str> {
        if self.state.offering {
            return None;
        }
        Some(match offer {
            Offer::Text(_) => "Embed this text",
            Offer::Texts(_) => "Embed these texts",
            Offer::Model(_) => "Embed with this model",
            _ => return None,
        })
    }

    fn accept(&mut self, offer: Offer, cx: &mut Cx) {
        self.state.find.bar.stop_typing();
        let texts = match offer {
            Offer::Text(text) => vec![text.into()],
            Offer::Texts(texts) => {
                texts.into_iter().map(|(name, text)| NewText { name, ..NewText::from(text) }).collect()
            }
            Offer::Model(model) => {
                self.choose(&model, cx);
                return;
            }
            _ => return,
        };
        if self.state.startup.loaded {
            self.state.add(texts, cx);
        } else {
            // What was here last comes first.
            self.state.startup.offered.extend(texts);
        }
        self.state.advance(cx);
    }

    fn badge(&self) -> Option<Badge> {
        let state = &self.state;
        if state.is_busy() {
            let tally = state.run.job.as_ref().map(embed_run::EmbedRun::tally).unwrap_or_default();
            let long = tally.total > 1_000;
            let share = tally.done as f64 / tally.total.max(1) as f64;
            return Some(if long { Badge::Text(meter::percent(share)) } else { Badge::Busy });
        }
        if state.run.job.as_ref().is_some_and(embed_run::EmbedRun::is_sending) {
            return Some(Badge::Text("‖".to_owned()));
        }
        state.run.unseen.then_some(Badge::Failed)
    }

    fn activities(&self) -> Vec<Activity> {
        self.state.run.job.as_ref().and_then(embed_run::EmbedRun::activity).into_iter().collect()
    }

    fn outcome(&self, activity: &Activity) -> ActivityOutcome {
        let run = &self.state.run;
        run.job.as_ref().filter(|job| job.number == activity.id).map_or(run.ended, embed_run::EmbedRun::outcome)
    }

    fn page(&self) -> &'static str {
        match self.state.view.page {
            // These stand side by side where there is room.
            Page::Inputs | Page::Matrix | Page::Map => "",
            Page::Pairs => "Pairs",
            Page::Pair => "Pair",
            Page::Query => "Rank by similarity",
            Page::Compare => "Compare",
            Page::Hygiene => "Vector checks",
        }
    }

    fn has_dialog(&self) -> bool {
        self.state.modals.is_open()
    }

    fn dialog_help(&self) -> DialogHelp {
        if self.state.find.bar.is_typing() {
            return DialogHelp::FindBar;
        }
        self.state.modals.help().into()
    }

    fn browse(&mut self, cx: &mut Cx) {
        if !self.state.modals.is_open() {
            self.state.finish_editing(cx);
            self.state.advance(cx);
        }
    }

    fn meter(&self) -> Option<RunMeter> {
        self.state.run.meter
    }

    fn model(&self, session: &Session) -> Option<Untrusted> {
        Some(self.state.saves.settings.model(session))
    }

    fn suits(&self, model: &Untrusted) -> bool {
        crate::component::session::embeds(model)
    }

    fn choose(&mut self, model: &Untrusted, cx: &mut Cx) -> bool {
        self.state.model_chosen(model, cx);
        self.state.advance(cx);
        true
    }

    fn interrupt(&mut self, cx: &mut Cx) -> bool {
        let stopped = self.state.stop(cx);
        self.state.advance(cx);
        stopped
    }

    fn needs_profile(&self, profile: &ProfileId) -> bool {
        self.state.run.job.as_ref().is_some_and(|job| job.key.profile == profile.0)
    }

    fn quit_warning(&self, _session: &Session) -> Option<String> {
        let state = &self.state;
        if state.is_busy() {
            let tally = state.run.job.as_ref().map(embed_run::EmbedRun::tally).unwrap_or_default();
            let (done, total) = (meter::count(tally.done), meter::count(tally.total));
            return (tally.total > 1_000).then(|| {
                format!("{done} of {total} texts are embedded. Their vectors are kept; ^R continues next time.")
            });
        }
        if state.refusal().is_none()
            && (!state.list.storage.copying.is_empty() || state.list.vectors.importing.is_some())
        {
            return Some("A file is still being saved; its list would be incomplete.".to_owned());
        }
        None
    }

    fn unsaved_work(&self) -> Option<UnsavedWork> {
        Some(UnsavedWork {
            what: "Texts and vectors of Embed",
            how: "its texts can be copied",
            written: !self.state.list.data.texts.is_empty(),
        })
    }

    fn before_quit(&mut self, cx: &mut Cx) {
        self.state.finish_editing(cx);
        self.state.stop(cx);
        self.state.save(cx);
    }
}
