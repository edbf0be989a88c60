//! Keys become actions: what is open first, then the page, then the pane with the focus.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent};

use super::create;
use super::curves::Ask;
use super::keys::Action;
use super::over::Over;
use super::score::{self, Facts};
use super::state::{Asked, Page, Pane, State};
use super::{Tune, path};
use crate::api::call::Call;
use crate::tabs::tab::Trial;
use crate::tabs::{Cx, Effect, Notice, Offer, session};
use crate::text::Untrusted;
use crate::ui::line::Line;

/// How long the cursor rests on a job before its curves are asked for.
const REST: Duration = Duration::from_millis(250);

impl Tune {
    /// A key that is not the shell's.
    pub(super) fn on_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let state = &mut self.state;
        state.settle(cx);
        if state.over.is_some() {
            return state.over_key(key, cx);
        }
        match state.page {
            Page::Create => return self.create_key(key, cx),
            Page::Score => {
                if state.score.key(key, cx) == score::Event::Close {
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
        let models = state.tuned();
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
                    state.ask(&profile, Call::CreateJob(request), Asked::Create, cx);
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
            KeyCode::Char('j') | KeyCode::Down => state.scroll += 1,
            KeyCode::Char('k') | KeyCode::Up => state.scroll = state.scroll.saturating_sub(1),
            KeyCode::PageDown => state.scroll += 10,
            KeyCode::PageUp => state.scroll = state.scroll.saturating_sub(10),
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
            A::Create => state.open_create(cx),
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
            A::Open => state.over = Some(Over::Path(Box::<path::Path>::default())),
            A::Mark => state.mark(cx),
            A::Try => state.try_it(cx),
            A::Score => state.open_score(cx),
            A::All => {
                state.feed.all = !state.feed.all;
                if state.pane == Pane::Jobs && !state.wide {
                    state.list = false;
                }
            }
            A::Follow => state.toggle_follow(cx),
            A::Hurry => state.hurry(cx),
            A::Find => state.open_find(),
            A::Next | A::Back => state.seek(action == A::Back, cx),
            A::Wrap => state.feed.wrap = !state.feed.wrap,
            A::Sort => {
                if let Some(board) = state.board_mut() {
                    board.sort = board.sort.next();
                    board.arrange();
                    let said = format!("jobs: {}", board.sort.word());
                    cx.notify(Notice::hint(said).about("sort"));
                }
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

impl State {
    /// Names of models that were tuned here.
    fn tuned(&self) -> Vec<String> {
        let entries = self.board().into_iter().flat_map(|board| &board.entries).rev();
        entries.filter_map(super::entry::Entry::model).map(|model| model.line().into_owned()).collect()
    }

    /// Opens the page of a new job.
    pub(super) fn open_create(&mut self, cx: &mut Cx) {
        self.page = Page::Create;
        let Some(profile) = self.board().map(|board| board.profile.clone()) else { return };
        if self.create.open() {
            self.ask(&profile, Call::Files, Asked::Files, cx);
        }
    }

    fn clone_job(&mut self, cx: &mut Cx) {
        let Some(entry) = self.boards.get(self.at).and_then(|board| board.here()) else { return };
        if self.create.begun() {
            cx.notify(Notice::hint("what was on the page before is replaced").about("create"));
        }
        self.create.copy(&entry.job);
        self.keep_soon(cx.now);
        self.open_create(cx);
    }

    fn open_details(&mut self, cx: &mut Cx) {
        if self.board().and_then(|board| board.here()).is_none() {
            return;
        }
        // In the list of a small screen Enter goes to the job first.
        if !self.wide && self.list {
            self.list = false;
            self.pane = Pane::Events;
        } else {
            self.scroll = 0;
            self.page = Page::Details;
        }
        self.open_history(cx);
        self.show(cx);
    }

    fn copy_model(&mut self, cx: &mut Cx) {
        if self.pane == Pane::Events
            && self.page == Page::Jobs
            && let Some(words) = self.boards.get(self.at).and_then(|board| self.feed.here(board))
        {
            return cx.copy(words);
        }
        let Some(entry) = self.board().and_then(|board| board.here()) else { return };
        match entry.model() {
            Some(model) => cx.copy(model),
            None => {
                let said = format!("{} has made no model yet; Y copies the job's id", entry.name());
                cx.notify(Notice::hint(said).about("copy"));
            }
        }
    }

    /// Shows the curves of the job's result file, and its events beside them.
    fn results(&mut self, cx: &mut Cx) {
        let Some(entry) = self.board().and_then(|board| board.here()) else { return };
        if entry.job.result_files.is_empty() {
            let said = if entry.runs() {
                "there is no result file before the job is over; its events are drawn meanwhile"
            } else {
                "this job has no result file"
            };
            return cx.notify(Notice::hint(said).about("results"));
        }
        self.page = Page::Jobs;
        self.list = false;
        self.pane = Pane::Chart;
        self.open_history(cx);
        self.show(cx);
    }

    /// Draws a file of this machine.
    pub(super) fn open_file(&mut self, path: &str, cx: &mut Cx) {
        self.page = Page::Jobs;
        self.list = false;
        self.pane = Pane::Chart;
        self.plot.open(path, cx);
    }

    fn mark(&mut self, cx: &mut Cx) {
        let Some(board) = self.board_mut() else { return };
        if !board.mark() {
            return cx
                .notify(Notice::hint("six curves lie over each other at most; space takes a mark away").about("mark"));
        }
        self.show(cx);
    }

    /// Another job is under the cursor: its curves come soon.
    pub(super) fn selected(&mut self, cx: &mut Cx) {
        self.show_due = Some(cx.now + REST);
    }

    /// The curves are those of the marked jobs, or of the one under the cursor.
    pub(super) fn show(&mut self, cx: &mut Cx) {
        self.show_due = None;
        let Some(board) = self.boards.get(self.at) else { return };
        let jobs: Vec<_> = board.chosen().into_iter().map(|entry| &entry.job).collect();
        self.plot.show(&board.profile, &jobs, cx);
    }

    /// The tuned model beside its base, in whichever tab takes them.
    fn try_it(&mut self, cx: &mut Cx) {
        let Some((tuned, base, profile)) = self.pair(cx) else { return };
        let chat = session::chats(&base);
        let trial = Trial { profile, models: vec![tuned, base], prompt: Untrusted::default(), stop: Vec::new(), chat };
        cx.push(Effect::Offer(Offer::Compare(Box::new(trial))));
    }

    fn open_score(&mut self, cx: &mut Cx) {
        let Some((tuned, base, profile)) = self.pair(cx) else { return };
        let job = self.board().and_then(|board| board.here()).map(|entry| &entry.job);
        let validation = job.and_then(|job| job.validation_files.first());
        let validation = validation.map(|file| (file.id.as_str().into(), file.filename.as_str().into()));
        let chat = session::chats(&base);
        let facts = Facts { profile, tuned, base, chat, validation, stop: Vec::new() };
        self.page = Page::Score;
        self.score.open(facts, cx);
    }

    /// The tuned model of the job under the cursor and its base.
    fn pair(&self, cx: &mut Cx) -> Option<(Untrusted, Untrusted, crate::settings::ProfileId)> {
        let board = self.board()?;
        let entry = board.here()?;
        let Some(model) = entry.model() else {
            let gone = if entry.deleted { "its model is deleted" } else { "it has made no model" };
            let said = format!("there is nothing to try of {}: {gone}", entry.name());
            cx.notify(Notice::hint(said).about("try"));
            return None;
        };
        Some((model, entry.job.model.as_str().into(), board.profile.clone()))
    }

    fn next_pane(&mut self) {
        self.pane = match (self.wide, self.pane) {
            (true, Pane::Events) => Pane::Jobs,
            (_, Pane::Chart) => Pane::Events,
            // Where nothing is drawn there is nothing to do.
            _ if self.plot.is_empty() => Pane::Events,
            _ => Pane::Chart,
        };
        if !self.wide {
            self.list = false;
        }
    }

    /// Moves in the pane with the focus.
    fn step(&mut self, rows: isize, cx: &mut Cx) {
        match self.pane {
            Pane::Events => self.feed.step(rows),
            Pane::Jobs | Pane::Chart => self.walk(rows, cx),
        }
    }

    /// Moves from job to job.
    pub(super) fn walk(&mut self, rows: isize, cx: &mut Cx) {
        if let Some(board) = self.board_mut() {
            board.step(rows);
        }
        self.scroll = 0;
        self.selected(cx);
    }

    /// Esc peels one layer.
    fn escape_key(&mut self, cx: &mut Cx) {
        if !self.feed.find.is_empty() {
            self.feed.find.clear();
            return;
        }
        let Some(board) = self.board_mut() else { return };
        if !board.filter.is_empty() {
            board.filter.clear();
            board.arrange();
        } else if !board.marked.is_empty() {
            board.marked.clear();
            self.show(cx);
        } else if self.plot.clear_files(cx) {
        } else if self.pane != Pane::Jobs && self.wide {
            self.pane = Pane::Jobs;
        } else if !self.wide && !self.list {
            self.list = true;
            self.pane = Pane::Jobs;
        }
    }

    /// What the next Esc does.
    pub(super) fn escape(&self) -> Option<&'static str> {
        if self.over.is_some() {
            return Some("close");
        }
        match self.page {
            Page::Create => return Some(self.create.escape()),
            Page::Score => return self.score.escape(),
            Page::Details => return Some("back"),
            Page::Jobs => {}
        }
        if self.filtering.is_some() || self.feed.typing.is_some() {
            return Some("clear");
        }
        if self.pane == Pane::Chart
            && let Some(does) = self.plot.escape()
        {
            return Some(does);
        }
        let board = self.board();
        if !self.feed.find.is_empty() {
            Some("find no more")
        } else if board.is_some_and(|board| !board.filter.is_empty()) {
            Some("all jobs")
        } else if board.is_some_and(|board| !board.marked.is_empty()) {
            Some("unmark")
        } else if self.pane != Pane::Jobs && self.wide {
            Some("jobs")
        } else if !self.wide && !self.list && board.is_some_and(|board| !board.entries.is_empty()) {
            Some("list")
        } else {
            None
        }
    }

    fn open_find(&mut self) {
        if self.pane == Pane::Events {
            self.feed.typing = Some(Line::new(self.feed.find.clone()));
        } else {
            let filter = self.board().map(|board| board.filter.clone()).unwrap_or_default();
            self.filtering = Some(Line::new(filter));
            self.list = true;
            self.pane = Pane::Jobs;
        }
    }

    fn filter_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let Some(line) = &mut self.filtering else { return };
        match key.code {
            KeyCode::Enter => self.filtering = None,
            KeyCode::Esc => {
                self.filtering = None;
                self.filter(String::new(), cx);
            }
            KeyCode::Up => self.walk(-1, cx),
            KeyCode::Down => self.walk(1, cx),
            _ => {
                if line.key(key) {
                    let words = line.text().to_owned();
                    self.filter(words, cx);
                }
            }
        }
    }

    fn filter(&mut self, words: String, cx: &mut Cx) {
        if let Some(board) = self.board_mut() {
            board.filter = words;
            board.arrange();
        }
        self.selected(cx);
    }

    fn find_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let Some(line) = &mut self.feed.typing else { return };
        match key.code {
            KeyCode::Esc => {
                self.feed.typing = None;
                self.feed.find.clear();
            }
            KeyCode::Enter => {
                self.feed.find = line.text().trim().to_owned();
                self.feed.typing = None;
                if let Some(board) = self.boards.get(self.at)
                    && !self.feed.find.is_empty()
                    && !self.feed.seek(board, false, true)
                {
                    cx.notify(Notice::hint("no event holds this").about("find"));
                }
            }
            _ => drop(line.key(key)),
        }
    }

    fn seek(&mut self, back: bool, cx: &mut Cx) {
        let Some(board) = self.boards.get(self.at) else { return };
        if self.feed.find.is_empty() {
            cx.notify(Notice::hint("tab goes to the events, / finds words in them").about("find"));
        } else if !self.feed.seek(board, back, false) {
            cx.notify(Notice::hint("no event holds this").about("find"));
        }
    }

    /// Pasted text goes into what is typed.
    pub(super) fn paste(&mut self, text: &str, cx: &mut Cx) {
        if self.over.is_some() {
            return self.over_paste(text, cx);
        }
        match self.page {
            Page::Create => self.create.paste(text),
            Page::Score => drop(self.score.paste(text, cx)),
            Page::Details => {}
            Page::Jobs => {
                if let Some(line) = &mut self.filtering {
                    line.paste(text);
                    let words = line.text().to_owned();
                    self.filter(words, cx);
                } else if let Some(line) = &mut self.feed.typing {
                    line.paste(text);
                }
            }
        }
    }

    /// Whether letters are text just now.
    pub(super) fn typing(&self) -> bool {
        self.over.is_some()
            || match self.page {
                Page::Create => self.create.typing(),
                Page::Score => self.score.typing(),
                Page::Details => false,
                Page::Jobs => self.filtering.is_some() || self.feed.typing.is_some(),
            }
    }
}

impl State {
    /// The wheel moves what is below it.
    pub(super) fn wheel(&mut self, rows: isize, column: u16, cx: &mut Cx) {
        match self.page {
            Page::Details => self.scroll = self.scroll.saturating_add_signed(rows),
            Page::Jobs if self.list && !self.wide || self.wide && column < super::view::JOBS => self.walk(rows, cx),
            Page::Jobs => self.feed.step(rows),
            Page::Create | Page::Score => {}
        }
    }
}
