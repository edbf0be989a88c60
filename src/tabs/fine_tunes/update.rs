//! Turns keys into actions: first of what is open, then of the page, then of the pane with the focus.

use crossterm::event::KeyEvent;

use super::Tune;
use super::details_page::DetailsEvent;
use super::keys::{self, Action};
use super::no_jobs;
use super::state::{TunePage, TunePane};
use super::trial::TrialEvent;
use crate::component::{Component, Cx, Handled, Notice};

impl Tune {
    /// Takes a key that is not the shell's.
    pub(super) fn on_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let state = &mut self.state;
        if state.modals.key(key, cx).act(|answer| state.answer(answer, cx)) {
            return;
        }
        match state.page {
            TunePage::Create => {
                state.create.key(key, cx).act(|event| state.create_event(event, cx));
                return;
            }
            TunePage::Evaluation => {
                state.evaluation.key(key, cx).act(|event| state.evaluation_event(event));
                return;
            }
            TunePage::Trial => {
                match state.trial.key(key, cx) {
                    Handled::Emit(TrialEvent::Close) => state.page = TunePage::Jobs,
                    Handled::Emit(TrialEvent::AddModel) => state.choose_trial_model(cx),
                    Handled::Ignored | Handled::Consumed => {}
                }
                return;
            }
            TunePage::Details => return self.details_key(key, cx),
            TunePage::Jobs => {}
        }
        if state.filtering.is_typing() {
            return state.filter_key(key, cx);
        }
        if state.log.bar.is_typing() {
            return state.find_key(key, cx);
        }
        let action = keys::KEYS.find(&key);
        if action == Some(Action::Escape) {
            return state.escape_key(cx);
        }
        if state.pane == TunePane::Chart && !state.curves.key(key, cx).is_ignored() {
            return;
        }
        // Where nothing has failed the key of failures is the curves'.
        let is_curves_key = action == Some(Action::Failure) && keys::no_failure(state).is_some();
        if let Some(action) = action.filter(|_| !is_curves_key) {
            return self.act(action, cx);
        }
        // Keys of the curves work while they only show, too.
        let is_taken = !state.curves.key(key, cx).is_ignored();
        // What it opened is closed there.
        if state.curves.escape().is_some() {
            state.pane = TunePane::Chart;
        }
        if let Some(action) = action.filter(|_| !is_taken) {
            self.act(action, cx);
        }
    }

    fn details_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let state = &mut self.state;
        match state.details.key(key, cx) {
            Handled::Consumed => {}
            Handled::Emit(DetailsEvent::Close) => state.page = TunePage::Jobs,
            Handled::Emit(DetailsEvent::Job(places)) => state.move_selection(places, cx),
            Handled::Ignored => {
                if let Some(action) = keys::KEYS.find(&key).filter(|action| keys::ON_DETAILS.contains(action)) {
                    self.act(action, cx);
                }
            }
        }
    }

    pub(super) fn act(&mut self, action: Action, cx: &mut Cx) {
        use Action as A;
        let state = &mut self.state;
        match action {
            A::Refresh => state.request_jobs(cx),
            A::Create => {
                state.create.put_away_copy();
                state.open_create(cx);
            }
            // Where there is no job yet ⏎ takes the sample.
            A::Details if no_jobs::offers_sample(state) => state.begin_sample(cx),
            A::Sample => {
                if let Some(why) = keys::no_sample(state) {
                    return cx.notify(Notice::info(why).about("sample"));
                }
                state.begin_sample(cx);
            }
            A::Clone => state.clone_job(cx),
            A::Details => state.open_details(cx),
            A::Cancel => state.ask_cancel(cx),
            A::Delete => state.ask_delete(cx),
            A::CopyModel => state.copy_model(cx),
            A::CopyId => state.copy_id(cx),
            A::Results => state.results(cx),
            A::Open => state.ask_file(),
            A::Mark => state.mark(cx),
            A::Try => state.try_it(cx),
            A::Score => state.open_score(cx),
            A::All => {
                state.log.all = !state.log.all;
                if state.pane == TunePane::Jobs && !state.layout.wide {
                    state.shows_list = false;
                }
            }
            A::Follow => state.toggle_follow(cx),
            A::RetryNow => state.retry_now(cx),
            A::Find => state.open_find(),
            A::Next | A::Back => state.seek(action == A::Back, cx),
            A::Wrap => state.log.wrap = !state.log.wrap,
            A::Sort => state.sort(cx),
            A::List => {
                state.shows_list = !state.shows_list;
                state.pane = if state.shows_list { TunePane::Jobs } else { TunePane::Events };
            }
            A::Failure => state.open_failure(cx),
            A::Escape => state.escape_key(cx),
            A::Pane => state.next_pane(),
            A::Before => state.move_selection(-1, cx),
            A::After => state.move_selection(1, cx),
            A::Move(motion) => state.step(motion, cx),
        }
    }
}
