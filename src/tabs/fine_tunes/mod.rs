//! The Tune tab: fine-tunes as they run, their curves and their results.
//!
//! `state` handles events and asks for effects, `view` draws; this file implements `Component` and `Tab`. Jobs run on
//! the server: leaving the tab or quitting the program does not stop them.

mod actions;
pub(crate) mod all_keys;
mod arrange;
mod clock;
mod create;
mod curves;
mod details;
mod details_page;
mod dialogs;
mod escape;
mod evaluation;
mod event_buffer;
mod event_log;
mod events_view;
mod follow;
mod format;
mod job_list;
mod job_lists;
mod job_progress;
mod job_row;
mod kept_jobs;
mod keys;
mod layout;
mod list_view;
mod no_jobs;
mod persistence;
mod sample;
mod saved_state;
mod state;
mod step_columns;
mod styled_lines;
mod trial;
mod tune_context;
mod update;
mod view;

use std::time::Instant;

use crossterm::event::{KeyEvent, MouseEvent, MouseEventKind};
use ratatui::Frame;
use ratatui::layout::Rect;

pub use self::create::{BASES, is_tunable, new_job};
pub use self::details::job_facts;
pub use self::format::after_quitting;
use self::job_list::JobList;
pub use self::job_progress::is_step;
pub use self::job_row::{job_name, job_state};
pub use self::kept_jobs::KeptJobs;
use self::keys::Action;
use self::state::{State, TunePage, TunePane};
use self::tune_context::TuneContext;
use super::activity::{Activity, ActivityKind, ActivityOutcome};
use super::tab::{Badge, RunMeter, Tab};
use crate::api::call::Ticket;
use crate::component::{
    Command, Component, Cx, DialogHelp, FindBar, Handled, Hint, Notice, Offer, RenderContext, Response, Session,
    help_in_use_first, palette_key,
};
use crate::settings::ProfileId;
use crate::text::Untrusted;

/// The Tune tab.
#[derive(Debug)]
pub struct Tune {
    state: State,
}

impl Default for Tune {
    fn default() -> Self {
        Self::new()
    }
}

impl Tune {
    /// Creates an empty tab; it asks for the server's jobs when it first comes to the front.
    pub fn new() -> Self {
        Self { state: State::default() }
    }

    fn observe_clock(&mut self, cx: &Cx) {
        self.state.clock.observe(cx);
    }
}

impl Component for Tune {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<()> {
        self.observe_clock(cx);
        self.on_key(key, cx);
        Handled::Consumed
    }

    /// Passes a reply to whoever asked: a dialog, a page, or the tab itself.
    fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> Handled<()> {
        self.observe_clock(cx);
        let state = &mut self.state;
        if state.modals.reply(ticket, response, cx).act(|answer| state.answer(answer, cx)) {
            return Handled::Consumed;
        }
        if !state.trial.reply(ticket, response, cx).is_ignored()
            || !state.curves.reply(ticket, response, cx).is_ignored()
            || state.evaluation.reply(ticket, response, cx).act(|event| state.evaluation_event(event))
        {
            return Handled::Consumed;
        }
        match response.take() {
            Response::Call(progress) => state.handle_progress(ticket, progress, cx),
            Response::Store(stored) => state.handle_stored(ticket, stored, cx),
            Response::Work(done) if state.sample_worked(ticket, &done, cx) => {}
            Response::Work(_) | Response::Taken => return Handled::Ignored,
        }
        Handled::Consumed
    }

    fn arrange(&mut self, area: Rect, session: &Session, now: Instant) {
        self.state.arrange(area, session, now);
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let (clock, RenderContext { session, theme, now }) = (&self.state.clock, context);
        let context = TuneContext { session, theme, now, unix: clock.unix(now) };
        self.state.render(frame, area, context);
    }

    fn hints(&self) -> Vec<Hint> {
        let state = &self.state;
        if state.modals.is_open() {
            return state.modals.hints();
        }
        match state.page {
            TunePage::Create => return state.create.hints(),
            TunePage::Evaluation => return state.evaluation.hints(),
            TunePage::Trial => return state.trial.hints(),
            TunePage::Details => return [state.details.hints(), keys::KEYS.footer(&keys::DETAILS, state)].concat(),
            TunePage::Jobs => {}
        }
        if state.filtering.is_typing() || state.log.bar.is_typing() {
            return FindBar::hints();
        }
        let actions: &[Action] = match state.pane {
            _ if state.selected_job().is_none() => &keys::NO_JOB,
            _ if state.next_reconnect().is_some() => &keys::LOST,
            TunePane::Jobs if state.list().is_some_and(|list| list.jobs.marked_count() > 1) => {
                return [keys::KEYS.footer(&[Action::Mark], state), state.curves.overlay_hints()].concat();
            }
            TunePane::Chart => return state.curves.hints(),
            TunePane::Events => &keys::EVENTS,
            TunePane::Jobs => &keys::JOB,
        };
        keys::KEYS.footer(actions, state)
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        let state = &self.state;
        let jobs = keys::KEYS.help_groups("Jobs");
        let (curves, create, details) = (state.curves.help(), state.create.help(), state.details.help());
        let (score, trial) = (state.evaluation.help(), state.trial.help());
        let is_chart = state.pane == TunePane::Chart;
        let is_page = |page| state.page == page;
        help_in_use_first([
            (is_page(TunePage::Jobs) && is_chart, curves),
            (is_page(TunePage::Jobs), jobs),
            (is_page(TunePage::Create), create),
            (is_page(TunePage::Details), details),
            (is_page(TunePage::Evaluation), score),
            (is_page(TunePage::Trial), trial),
        ])
    }

    fn paste(&mut self, text: &str, cx: &mut Cx) -> Handled<()> {
        self.observe_clock(cx);
        self.state.paste(text, cx);
        Handled::Consumed
    }

    fn due(&self) -> Option<Instant> {
        self.state.due()
    }

    fn tick(&mut self, cx: &mut Cx) {
        self.observe_clock(cx);
        self.state.tick(cx);
    }

    fn editable(&self) -> Option<String> {
        self.state.trial.editable().filter(|_| self.state.page == TunePage::Trial)
    }

    fn readable(&self, session: &Session) -> Option<Untrusted> {
        let state = &self.state;
        match state.page {
            _ if state.modals.is_open() => state.modals.readable(session),
            TunePage::Trial => state.trial.readable(session),
            TunePage::Evaluation => state.evaluation.readable(session),
            TunePage::Jobs => Some(state.log.text(state.lists.current()?)),
            _ => None,
        }
    }

    fn edited(&mut self, text: &str, cx: &mut Cx) -> Handled<()> {
        self.state.trial.edited(text, cx);
        Handled::Consumed
    }

    fn escape(&self) -> Option<&'static str> {
        self.state.escape()
    }

    fn typing(&self) -> bool {
        self.state.typing()
    }

    fn in_text_box(&self) -> bool {
        !self.state.modals.is_open() && self.state.page == TunePage::Trial && self.state.trial.typing()
    }

    fn is_prefix_pending(&self) -> bool {
        self.in_text_box() && self.state.trial.is_prefix_pending()
    }
}

impl Tab for Tune {
    fn title(&self) -> &'static str {
        "Tune"
    }

    fn endpoints(&self) -> &'static [&'static str] {
        &["/fine_tuning/jobs", "/fine-tunes"]
    }

    fn commands(&self) -> Vec<Command> {
        keys::KEYS.palette(self.title(), &self.state)
    }

    fn command(&mut self, id: &str, cx: &mut Cx) {
        self.observe_clock(cx);
        if let Some(action) = keys::KEYS.command(id, &self.state) {
            self.state.leave_page(cx);
            if self.state.page == TunePage::Create {
                self.state.show_jobs(cx);
            }
            self.act(action, cx);
        }
    }

    fn mouse(&mut self, event: MouseEvent, cx: &mut Cx) {
        self.observe_clock(cx);
        if !self.state.modals.is_open() && !self.state.typing() {
            match event.kind {
                MouseEventKind::ScrollUp => self.state.scroll_at(-1, event.column, cx),
                MouseEventKind::ScrollDown => self.state.scroll_at(1, event.column, cx),
                _ => {}
            }
        }
    }

    fn begin(&mut self, cx: &mut Cx) {
        self.observe_clock(cx);
        self.state.load_running_jobs(cx);
    }

    fn profile_changed(&mut self, in_front: bool, cx: &mut Cx) {
        self.observe_clock(cx);
        if self.state.entered {
            self.state.switch_profile(cx);
            if in_front {
                self.state.enter(cx);
            }
        }
    }

    fn server_changed(&mut self, profile: &ProfileId, cx: &mut Cx) {
        self.observe_clock(cx);
        self.state.saved.unseen.remove(&profile.0);
        self.state.lists.forget(profile);
        if self.state.create.forget_files(profile) {
            self.state.close_choices();
        }
    }

    fn enter(&mut self, cx: &mut Cx) {
        self.observe_clock(cx);
        self.state.enter(cx);
    }

    fn browse(&mut self, _cx: &mut Cx) {
        self.state.trial.browse();
    }

    fn takes(&self, offer: &Offer) -> Option<&'static str> {
        matches!(offer, Offer::Training(_)).then_some("Fine-tune with this file")
    }

    fn accept(&mut self, offer: Offer, cx: &mut Cx) {
        self.observe_clock(cx);
        let Offer::Training(training) = offer else { return };
        if training.profile != cx.session.profile {
            let key = palette_key();
            let said = format!("this file is on another profile's server: switch to that profile first ({key})");
            return cx.notify(Notice::warn(said).about("create"));
        }
        if let Some(name) = self.state.create.other_file(&training.id) {
            let said = format!("{name} was replaced on the page; the other settings are kept");
            cx.notify(Notice::info(said).about("create"));
        }
        self.state.leave_page(cx);
        self.state.create.take(&training);
        self.state.saved.save_soon(cx.now);
        self.state.open_create(cx);
    }

    fn badge(&self) -> Option<Badge> {
        let count = |of: fn(&JobList) -> usize| self.state.lists.iter().map(of).sum::<usize>();
        let text = match (count(JobList::running), count(JobList::queued)) {
            (0, 0) => None,
            (0, queued) => Some(Badge::Text(format!("◌{queued}"))),
            (running, _) => Some(Badge::Text(format!("●{running}"))),
        };
        let busy = self.state.trial.is_busy().then_some(Badge::Busy);
        busy.or(self.state.evaluation.badge()).or(text)
    }

    fn activities(&self) -> Vec<Activity> {
        let state = &self.state;
        let mut all = state.lists.activities();
        all.extend(state.trial.is_busy().then(|| Activity::new(ActivityKind::Answer, 0)));
        all.extend(state.evaluation.activity());
        all
    }

    fn outcome(&self, activity: &Activity) -> ActivityOutcome {
        let state = &self.state;
        match activity.kind {
            ActivityKind::Answer => state.trial.outcome(),
            ActivityKind::Run => state.evaluation.outcome(),
            _ => state.lists.outcome(activity),
        }
    }

    fn dialog_help(&self) -> DialogHelp {
        let state = &self.state;
        match state.page {
            _ if state.modals.is_open() => state.modals.help().into(),
            TunePage::Jobs if state.filtering.is_typing() || state.log.bar.is_typing() => DialogHelp::FindBar,
            _ => Vec::new().into(),
        }
    }

    fn page(&self) -> &'static str {
        match self.state.page {
            TunePage::Jobs => "",
            TunePage::Details => "Details",
            TunePage::Create => "New fine-tune",
            TunePage::Evaluation => "Evaluation",
            TunePage::Trial => "Try a model",
        }
    }

    fn has_dialog(&self) -> bool {
        self.state.modals.is_open()
    }

    fn meter(&self) -> Option<RunMeter> {
        if self.state.page == TunePage::Trial { self.state.trial.meter() } else { self.state.evaluation.meter() }
    }

    fn interrupt(&mut self, cx: &mut Cx) -> bool {
        // What is in front comes first.
        let front = self.state.page == TunePage::Trial;
        (front && self.state.trial.stop(cx))
            || self.state.evaluation.interrupt(cx)
            || self.state.stop(cx)
            || self.state.trial.stop(cx)
    }

    fn needs_profile(&self, profile: &ProfileId) -> bool {
        self.state.evaluation.needs_profile(profile)
    }

    fn quit_warning(&self, _session: &Session) -> Option<String> {
        self.state.evaluation.quit_warning()
    }

    fn before_quit(&mut self, cx: &mut Cx) {
        self.state.trial.stop(cx);
        self.state.evaluation.before_quit(cx);
        self.state.save(cx);
    }
}
