//! Keys become actions: what is open first, then the page, then the pane with the focus.

use crossterm::event::{KeyCode, KeyEvent};

use super::create;
use super::curves::Ask;
use super::keys::Action;
use super::score;
use super::state::{Page, Pane, Request};
use super::{Tune, trial};
use crate::api::call::Call;
use crate::component::{Cx, Handled, Notice};

impl Tune {
    /// A key that is not the shell's.
    pub(super) fn on_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let state = &mut self.state;
        state.settle(cx);
        match state.modals.key(key, cx) {
            Handled::Ignored => {}
            Handled::Consumed => return,
            Handled::Emit(answer) => return state.answer(answer, cx),
        }
        match state.page {
            Page::Create => return self.create_key(key, cx),
            Page::Score => {
                if state.score.key(key, cx) == score::Event::Close {
                    state.page = Page::Jobs;
                }
                return;
            }
            Page::Try => {
                let ready = if state.trial.has_dialog() { Vec::new() } else { state.tuned() };
                if state.trial.key(key, &ready, cx) == trial::Event::Close {
                    state.page = Page::Jobs;
                }
                return;
            }
            Page::Details => return self.details_key(key, cx),
            Page::Jobs => {}
        }
        if state.filtering.is_some() {
            return state.filter_key(key, cx);
        }
        if state.feed.typing.is_some() {
            return state.find_key(key, cx);
        }
        if state.pane == Pane::Chart {
            match state.plot.key(key, cx) {
                Ask::Ignored => {}
                Ask::Nothing => return,
                Ask::Close => {
                    state.pane = Pane::Jobs;
                    return;
                }
            }
        }
        if key.code == KeyCode::Esc {
            return state.escape_key(cx);
        }
        match self.keys.find(&key) {
            Some(action) => self.act(action, cx),
            // Keys of the curves work while they only show, too.
            None => {
                self.state.plot.key(key, cx);
                // What it opened is closed there.
                if self.state.plot.escape().is_some() {
                    self.state.pane = Pane::Chart;
                }
            }
        }
    }

    fn create_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let state = &mut self.state;
        // Only the list of models asks for them.
        let models = if matches!(key.code, KeyCode::Enter | KeyCode::Char('i')) { state.tuned() } else { Vec::new() };
        match state.create.key(key, cx.session, &models, cx.now) {
            create::Event::None => {}
            create::Event::Changed => state.keep_soon(cx.now),
            create::Event::Close => {
                state.page = Page::Jobs;
                state.keep_soon(cx.now);
            }
            create::Event::Send(request) => {
                state.keep_soon(cx.now);
                if let Some(profile) = state.board().map(|board| board.profile.clone()) {
                    let asked = Request::Create(request.clone());
                    state.ask(&profile, Call::CreateJob(request), asked, cx);
                }
            }
            create::Event::Ignored => {
                if key.code == KeyCode::Char('D') {
                    state.open_failure(cx);
                }
            }
        }
    }

    fn details_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let state = &mut self.state;
        match key.code {
            KeyCode::Esc | KeyCode::Enter => state.page = Page::Jobs,
            KeyCode::Char('j') | KeyCode::Down => state.details.scroll(1),
            KeyCode::Char('k') | KeyCode::Up => state.details.scroll(-1),
            KeyCode::PageDown => state.details.scroll(10),
            KeyCode::PageUp => state.details.scroll(-10),
            _ => {
                use Action as A;
                let action = self.keys.find(&key);
                if let Some(
                    action @ (A::Cancel
                    | A::Delete
                    | A::CopyModel
                    | A::CopyId
                    | A::Results
                    | A::Try
                    | A::Score
                    | A::Clone
                    | A::Create
                    | A::Follow
                    | A::Refresh
                    | A::Hurry
                    | A::Failure
                    | A::Before
                    | A::After),
                ) = action
                {
                    self.act(action, cx);
                }
            }
        }
    }

    pub(super) fn act(&mut self, action: Action, cx: &mut Cx) {
        use Action as A;
        let state = &mut self.state;
        match action {
            A::Refresh => state.list(cx),
            A::Create => {
                state.create.put_away_copy();
                state.open_create(cx);
            }
            A::Clone => state.clone_job(cx),
            A::Details => state.open_details(cx),
            A::Cancel => state.ask_cancel(cx),
            A::Delete => state.ask_delete(cx),
            A::CopyModel => state.copy_model(cx),
            A::CopyId => {
                if let Some(id) = state.board().and_then(|board| board.selected.clone()) {
                    cx.copy(id.into());
                }
            }
            A::Results => state.results(cx),
            A::Open => state.ask_file(),
            A::Mark => state.mark(cx),
            A::Try => state.try_it(cx),
            A::Score => state.open_score(cx),
            A::All => {
                state.feed.all = !state.feed.all;
                if state.pane == Pane::Jobs && !state.layout.wide {
                    state.list = false;
                }
            }
            A::Follow => state.toggle_follow(cx),
            A::Hurry => state.hurry(cx),
            A::Find => state.open_find(),
            A::Next | A::Back => state.seek(action == A::Back, cx),
            A::Wrap => state.feed.wrap = !state.feed.wrap,
            A::Sort => {
                let sort = state.sort.next();
                state.sort(sort, cx.now);
                cx.notify(Notice::hint(format!("jobs: {}", sort.word())).about("sort"));
            }
            A::List => {
                state.list = !state.list;
                state.pane = if state.list { Pane::Jobs } else { Pane::Events };
            }
            A::Failure => state.open_failure(cx),
            A::Pane => state.next_pane(),
            A::Before => state.walk(-1, cx),
            A::After => state.walk(1, cx),
            A::Up => state.step(-1, cx),
            A::Down => state.step(1, cx),
            A::Top => state.step(isize::MIN, cx),
            A::Bottom => state.step(isize::MAX, cx),
            A::PageUp | A::PageDown => {
                let rows = if state.pane == Pane::Events { state.feed.page } else { state.page_rows };
                let rows = rows.saturating_sub(1).max(1).cast_signed();
                state.step(if action == A::PageUp { -rows } else { rows }, cx);
            }
        }
    }
}
