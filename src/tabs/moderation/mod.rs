//! Moderate: texts side by side, a row for each category of harm, with thresholds of one's own; and whole files of texts.
//!
//! `state` is the machine (events in, effects out), `view` the picture; this file joins them to the shell.

mod act;
mod actions;
mod blur;
mod board;
mod category;
mod check;
mod columns;
mod deed;
mod dialogs;
mod evaluate;
mod file;
mod flight;
mod grid;
mod kept;
mod keys;
mod language;
mod origin;
mod pairs;
mod past;
mod profiles;
mod results;
mod shared;
mod single;
mod state;
mod texts;
mod thresholds;
mod turns;
mod turns_view;
mod verdict;
mod view;
mod words;

use std::time::Instant;

use crossterm::event::{KeyEvent, MouseEvent, MouseEventKind};
use ratatui::Frame;
use ratatui::layout::Rect;

use self::actions::Action;
use self::keys::{KEYS, WRITING};
use self::profiles::Profiles;
use self::state::{Page, State};
use super::tab::{Badge, RunMeter, Tab, unsaved};
use crate::api::call::{Progress, Ticket};
use crate::component::{Command, Component, Cx, Handled, Hint, Notice, Offer, RenderContext, Response, Session};
use crate::record::Stored;
use crate::record::work::Done;
use crate::text::Untrusted;

/// The Moderate tab.
#[derive(Debug)]
pub struct Moderate {
    state: State,
    /// Ctrl+X was the last key.
    after_x: bool,
}

impl Default for Moderate {
    fn default() -> Self {
        Self::new()
    }
}

impl Moderate {
    /// An empty tab; it asks for what is on disk when it first comes to the front.
    pub fn new() -> Self {
        Self { state: State::default(), after_x: false }
    }
}

impl Moderate {
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

impl Component for Moderate {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<()> {
        self.on_key(key, cx);
        Handled::Consumed
    }

    fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> Handled<()> {
        if self.state.dialog_reply(ticket, response, cx) {
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
        view::arrange(&mut self.state, area, session, now);
    }

    fn hints(&self) -> Vec<Hint> {
        let state = &self.state;
        if state.has_dialog() {
            return state.dialog_hints();
        }
        if state.writing.is_some() {
            return WRITING.footer(&[Action::Stop, Action::Run, Action::External], state);
        }
        if state.counts_down() {
            return vec![Hint::new("⏎", "try now")];
        }
        let mut hints = match &state.page {
            Page::File => state.file.hints(),
            Page::Past(page) => past::KEYS.footer(&past::FOOTER, page),
            Page::Origin(page) => origin::KEYS.footer(&origin::FOOTER, page),
            Page::Turns => turns::KEYS.footer(&turns::FOOTER, &state.turns),
            Page::Bench if state.texts.len() == 0 => {
                let hints = KEYS.footer(&[Action::Add, Action::File], state);
                return [&hints[..1], &[Hint::new("⏎", "examples")], &hints[1..]].concat();
            }
            Page::Bench if state.wide => KEYS.footer(&keys::BENCH, state),
            Page::Bench => KEYS.footer(&keys::NARROW, state),
        };
        if state.is_busy() && !matches!(state.page, Page::File) {
            hints[0] = Hint::new("esc", "stop");
        }
        hints
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        let state = &self.state;
        let mut panes = vec![
            ("Texts side by side", KEYS.help()),
            ("A text being written", WRITING.help()),
            ("Threshold profiles", Profiles::help()),
            ("A text at other times", past::KEYS.help()),
            ("Sentence by sentence", origin::KEYS.help()),
            ("A conversation", turns::KEYS.help()),
        ];
        let mut front = match (&state.profiles, &state.writing, &state.page) {
            (Some(_), ..) => "Threshold profiles",
            (_, Some(_), _) => "A text being written",
            (_, _, Page::Past(_)) => "A text at other times",
            (_, _, Page::Origin(_)) => "Sentence by sentence",
            (_, _, Page::Turns) => "A conversation",
            (_, _, Page::Bench | Page::File) => "Texts side by side",
        };
        let file = state.file.help();
        if matches!(state.page, Page::File)
            && !state.has_dialog()
            && let Some((name, _)) = file.first()
        {
            front = name;
        }
        panes.extend(file);
        panes.sort_by_key(|(name, _)| *name != front);
        panes
    }

    fn paste(&mut self, text: &str, cx: &mut Cx) -> Handled<()> {
        let state = &mut self.state;
        if state.dialog_paste(text, cx) {
            return Handled::Consumed;
        }
        if let Some(writing) = &mut state.writing {
            if let Err(why) = writing.editor.paste(text) {
                cx.notify(Notice::warn(why));
            }
            state.wrote(cx);
            return Handled::Consumed;
        }
        if matches!(state.page, Page::File) {
            state.file.paste(text, &mut state.shared, cx);
            return Handled::Consumed;
        }
        // Several paragraphs are one text.
        state.put(Untrusted::default(), text.into(), cx);
        Handled::Consumed
    }

    fn due(&self) -> Option<Instant> {
        self.state.due()
    }

    fn tick(&mut self, cx: &mut Cx) {
        self.state.tick(cx);
    }

    fn escape(&self) -> Option<&'static str> {
        self.escape_hint()
    }

    fn typing(&self) -> bool {
        let state = &self.state;
        match (state.has_dialog(), &state.writing, &state.page) {
            (true, ..) | (_, Some(_), _) => true,
            (_, _, Page::File) => state.file.typing(),
            _ => false,
        }
    }

    fn editable(&self) -> Option<String> {
        self.state.editable()
    }

    fn edited(&mut self, text: &str, cx: &mut Cx) -> Handled<()> {
        self.state.replace(text, cx);
        Handled::Consumed
    }
}

impl Tab for Moderate {
    fn draw(&mut self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let RenderContext { session, theme, now } = context;
        view::render(frame, area, &mut self.state, RenderContext { session, theme, now });
    }

    fn title(&self) -> &'static str {
        "Moderate"
    }

    fn short(&self) -> &'static str {
        "Mod"
    }

    fn commands(&self) -> Vec<Command> {
        KEYS.palette("Moderate", &self.state)
    }

    fn command(&mut self, id: &str, cx: &mut Cx) {
        if let Some(action) = KEYS.command(id, &self.state) {
            self.act(action, cx);
        }
    }

    fn mouse(&mut self, event: MouseEvent, _cx: &mut Cx) {
        let state = &mut self.state;
        if !state.has_dialog() && state.writing.is_none() && matches!(state.page, Page::Bench) {
            match event.kind {
                MouseEventKind::ScrollUp => state.step(-1),
                MouseEventKind::ScrollDown => state.step(1),
                _ => {}
            }
        }
    }

    fn enter(&mut self, cx: &mut Cx) {
        self.state.enter(cx);
    }

    fn takes(&self, offer: &Offer) -> Option<&'static str> {
        Some(match offer {
            Offer::Text(_) => "Moderate this text",
            Offer::Texts(_) => "Moderate these texts",
            Offer::Conversation(..) => "Moderate this conversation",
            Offer::Model(_) => "Moderate with this model",
            _ => return None,
        })
    }

    fn accept(&mut self, offer: Offer, cx: &mut Cx) {
        match offer {
            Offer::Text(text) => self.state.put(Untrusted::default(), text, cx),
            Offer::Texts(texts) => {
                for (name, text) in texts {
                    self.state.put(name, text, cx);
                }
            }
            Offer::Conversation(title, turns) => self.state.converse(title, turns, cx),
            Offer::Model(model) => self.state.use_model(&model, true, cx),
            _ => {}
        }
    }

    fn badge(&self) -> Option<Badge> {
        if self.state.is_busy() {
            return Some(Badge::Busy);
        }
        self.state.file.badge().or_else(|| self.state.unseen.then_some(Badge::Failed))
    }

    fn has_dialog(&self) -> bool {
        self.state.has_dialog() || self.state.file.has_dialog()
    }

    fn browse(&mut self, cx: &mut Cx) {
        if !self.state.has_dialog() {
            self.state.leave(cx);
        }
    }

    fn meter(&self) -> Option<RunMeter> {
        match self.state.page {
            Page::File => self.state.file.meter(),
            Page::Turns => self.state.meter,
            _ => self.state.meter.map(|meter| RunMeter { texts: self.state.texts.len() as u64, ..meter }),
        }
    }

    fn model(&self, session: &Session) -> Option<Untrusted> {
        let models = self.state.shared.models(session);
        models.get(self.state.column % models.len()).cloned()
    }

    fn suits(&self, model: &Untrusted) -> bool {
        crate::component::session::moderates(model)
    }

    fn choose(&mut self, model: &Untrusted, cx: &mut Cx) -> bool {
        let add = std::mem::take(&mut self.state.adding);
        self.state.use_model(model, add, cx);
        true
    }

    fn interrupt(&mut self, cx: &mut Cx) -> bool {
        match self.state.page {
            Page::File => self.state.file.interrupt(cx),
            _ => self.state.stop(cx),
        }
    }

    fn holds_quit(&self, session: &Session) -> Option<String> {
        let state = &self.state;
        let begun = session.unsaved.as_ref().filter(|_| state.texts.len() > 0);
        let why = state.refusal().or(begun);
        let said = why.map(|why| unsaved("What is on Moderate's bench", why, "E exports it"));
        state.file.holds_quit().or(said)
    }

    fn parting(&mut self, cx: &mut Cx) {
        self.state.stop(cx);
        self.state.leave(cx);
        self.state.keep(cx);
        self.state.file.parting(cx);
    }
}
