//! The Tune tab: fine-tunes as they run, their curves, and what became of them.
//!
//! `state` is the machine (events in, effects out), `view` the picture; this file joins them to the shell. Jobs run on the
//! server: leaving the tab, or the program, stops none.

mod act;
mod board;
mod clock;
mod create;
mod curves;
mod deed;
mod details;
mod dialogs;
mod entry;
mod events;
mod feed;
mod follow;
mod history;
mod kept;
mod keys;
mod layout;
mod list;
mod score;
mod state;
mod told;
mod trial;
mod view;
mod whole;
mod words;

use std::time::Instant;

use crossterm::event::{KeyEvent, MouseEvent, MouseEventKind};
use ratatui::Frame;
use ratatui::layout::Rect;

use self::board::Board;
use self::keys::Action;
use self::state::{Page, Pane, State};
use super::tab::{Badge, RunMeter, Tab};
use crate::api::call::{Progress, Ticket};
use crate::component::{
    Bindings, Command, Component, Cx, Handled, Hint, Notice, Offer, RenderContext, Response, Session,
};
use crate::record::Stored;
use crate::record::work::Done;
use crate::ui::theme::Theme;

/// A render context with the wall clock.
#[derive(Clone, Copy)]
struct TuneContext<'a> {
    session: &'a Session,
    theme: &'a Theme,
    now: Instant,
    /// Unix seconds.
    unix: i64,
    /// When something happened last: spinners count from there.
    began: Instant,
}

impl<'a> TuneContext<'a> {
    fn render_context(self) -> RenderContext<'a> {
        RenderContext { session: self.session, theme: self.theme, now: self.now }
    }
}

/// The Tune tab.
#[derive(Debug)]
pub struct Tune {
    state: State,
    keys: Bindings<Action, State>,
}

impl Default for Tune {
    fn default() -> Self {
        Self::new()
    }
}

impl Tune {
    /// An empty tab; it asks for the server's jobs when it first comes to the front.
    pub fn new() -> Self {
        Self { state: State::default(), keys: keys::table() }
    }

    fn heard(&mut self, cx: &Cx) {
        self.state.clock.observe(cx);
    }
}

impl Tune {
    fn progress(&mut self, ticket: Ticket, progress: Progress, cx: &mut Cx) {
        self.heard(cx);
        self.state.progress(ticket, progress, cx);
    }

    fn stored(&mut self, ticket: Ticket, mut stored: Stored, cx: &mut Cx) {
        self.heard(cx);
        if !self.state.trial.stored(ticket, &stored) && !self.state.score.stored(ticket, &mut stored, cx) {
            self.state.stored(ticket, stored, cx);
        }
    }

    fn worked(&mut self, ticket: Ticket, done: Done, cx: &mut Cx) {
        self.heard(cx);
        if self.state.trial.worked(ticket, &done) {
            return;
        }
        if !self.state.plot.worked(ticket, &done, cx) {
            self.state.score.worked(ticket, &done, cx);
        }
    }
}

impl Component for Tune {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<()> {
        self.heard(cx);
        self.on_key(key, cx);
        Handled::Consumed
    }

    fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> Handled<()> {
        match self.state.modals.reply(ticket, response, cx) {
            Handled::Ignored => {}
            Handled::Consumed => return Handled::Consumed,
            Handled::Emit(answer) => {
                self.state.answer(answer, cx);
                return Handled::Consumed;
            }
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
        self.state.arrange(area, session, now);
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let (clock, RenderContext { session, theme, now }) = (&self.state.clock, context);
        let context = TuneContext { session, theme, now, unix: clock.unix(now), began: clock.observed(now) };
        self.state.render(frame, area, context);
    }

    fn hints(&self) -> Vec<Hint> {
        let (state, hint) = (&self.state, Hint::new);
        if state.modals.is_open() {
            return state.modals.hints();
        }
        match state.page {
            Page::Create => return state.create.hints(),
            Page::Score => return state.score.hints(),
            Page::Try => return state.trial.hints(),
            Page::Details => {
                let keys = vec![hint("j k", "scroll"), hint("< >", "job")];
                return [keys, self.keys.footer(&keys::DETAILS, state)].concat();
            }
            Page::Jobs => {}
        }
        if state.filtering.is_some() || state.feed.typing.is_some() {
            return vec![hint("⏎", "done")];
        }
        let actions: &[Action] = match state.pane {
            _ if state.here().is_none() => &keys::NO_JOB,
            _ if state.lost().is_some() => &keys::LOST,
            Pane::Jobs if state.board().is_some_and(|board| board.marked.len() > 1) => {
                let curves = vec![hint("d", "differences"), hint("v", "metric"), hint("s", "smoothing")];
                return [self.keys.footer(&[Action::Mark], state), curves].concat();
            }
            Pane::Chart => return state.plot.hints(),
            Pane::Events => &keys::EVENTS,
            Pane::Jobs => &keys::JOB,
        };
        self.keys.footer(actions, state)
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        let hint = Hint::new;
        let mut panes = vec![
            ("Jobs and events", self.keys.help()),
            ("Curves", self.state.plot.help()),
            (
                "A new fine-tune",
                vec![
                    hint("j k", "field"),
                    hint("h l", "less, more"),
                    hint("⏎", "type or choose; on the last row: create the job"),
                    hint("0", "set a field back"),
                    hint("^R", "check what is filled in"),
                    hint("D", "details of a refusal"),
                    hint("esc", "back; what is filled in is kept"),
                ],
            ),
            ("Details", vec![hint("j k", "scroll"), hint("< >", "job before, next job"), hint("esc ⏎", "back")]),
        ];
        panes.extend(self.state.score.help());
        panes.extend(self.state.trial.help());
        let front = match self.state.page {
            Page::Create => "A new fine-tune",
            Page::Details => "Details",
            Page::Score => self.state.score.help().first().map_or("Details", |(name, _)| name),
            Page::Try => self.state.trial.help().first().map_or("Details", |(name, _)| name),
            Page::Jobs if self.state.pane == Pane::Chart => "Curves",
            Page::Jobs => "Jobs and events",
        };
        panes.sort_by_key(|(name, _)| *name != front);
        panes.retain(|(_, hints)| !hints.is_empty());
        panes
    }

    fn paste(&mut self, text: &str, cx: &mut Cx) -> Handled<()> {
        self.heard(cx);
        self.state.paste(text, cx);
        Handled::Consumed
    }

    fn due(&self) -> Option<Instant> {
        self.state.due()
    }

    fn tick(&mut self, cx: &mut Cx) {
        self.heard(cx);
        self.state.tick(cx);
    }

    fn editable(&self) -> Option<String> {
        (self.state.page == Page::Try).then(|| self.state.trial.editable())
    }

    fn edited(&mut self, text: &str, _cx: &mut Cx) -> Handled<()> {
        self.state.trial.edited(text);
        Handled::Consumed
    }

    fn escape(&self) -> Option<&'static str> {
        self.state.escape()
    }

    fn typing(&self) -> bool {
        self.state.typing()
    }
}

impl Tab for Tune {
    fn title(&self) -> &'static str {
        "Tune"
    }

    fn commands(&self) -> Vec<Command> {
        self.keys.palette(self.title(), &self.state)
    }

    fn command(&mut self, id: &str, cx: &mut Cx) {
        self.heard(cx);
        self.state.settle(cx);
        if let Some(action) = self.keys.command(id, &self.state) {
            if self.state.page == Page::Create {
                self.state.page = Page::Jobs;
            }
            self.act(action, cx);
        }
    }

    fn mouse(&mut self, event: MouseEvent, cx: &mut Cx) {
        self.heard(cx);
        if !self.state.modals.is_open() && !self.state.typing() {
            match event.kind {
                MouseEventKind::ScrollUp => self.state.wheel(-1, event.column, cx),
                MouseEventKind::ScrollDown => self.state.wheel(1, event.column, cx),
                _ => {}
            }
        }
    }

    fn begin(&mut self, cx: &mut Cx) {
        self.heard(cx);
        self.state.wake(cx);
    }

    fn enter(&mut self, cx: &mut Cx) {
        self.heard(cx);
        self.state.enter(cx);
    }

    fn browse(&mut self, _cx: &mut Cx) {
        self.state.trial.browse();
    }

    fn takes(&self, offer: &Offer) -> Option<&'static str> {
        matches!(offer, Offer::Training(_)).then_some("Fine-tune with this file")
    }

    fn accept(&mut self, offer: Offer, cx: &mut Cx) {
        self.heard(cx);
        let Offer::Training(training) = offer else { return };
        self.state.settle(cx);
        if training.profile != cx.session.profile {
            let said = "this file is on another profile's server: choose that profile first (^P)";
            return cx.notify(Notice::warn(said).about("create"));
        }
        if let Some(name) = self.state.create.other_file(&training.id) {
            let said = format!("{name} was on the page before; its other settings are kept");
            cx.notify(Notice::hint(said).about("create"));
        }
        self.state.create.take(&training);
        self.state.keep_soon(cx.now);
        self.state.open_create(cx);
    }

    fn badge(&self) -> Option<Badge> {
        let count = |of: fn(&Board) -> usize| self.state.boards.iter().map(of).sum::<usize>();
        let text = match (count(Board::running), count(Board::queued)) {
            (0, 0) => None,
            (0, queued) => Some(Badge::Text(format!("◌{queued}"))),
            (running, _) => Some(Badge::Text(format!("●{running}"))),
        };
        let busy = self.state.trial.is_busy().then_some(Badge::Busy);
        busy.or(self.state.score.badge()).or(text)
    }

    fn has_dialog(&self) -> bool {
        self.state.modals.is_open() || self.state.page == Page::Try && self.state.trial.has_dialog()
    }

    fn meter(&self) -> Option<RunMeter> {
        if self.state.page == Page::Try { self.state.trial.meter() } else { self.state.score.meter() }
    }

    fn interrupt(&mut self, cx: &mut Cx) -> bool {
        // What is in front comes first.
        let front = self.state.page == Page::Try;
        (front && self.state.trial.stop(cx))
            || self.state.score.interrupt(cx)
            || self.state.stop(cx)
            || self.state.trial.stop(cx)
    }

    fn holds_quit(&self, _session: &Session) -> Option<String> {
        self.state.score.holds_quit()
    }

    fn parting(&mut self, cx: &mut Cx) {
        self.state.trial.parting(cx);
        self.state.score.parting(cx);
        self.state.keep(cx);
    }
}
