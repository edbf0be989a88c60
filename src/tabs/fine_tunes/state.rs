//! The Tune tab's state: the jobs of each profile's server, what runs, what is open. Events in, effects out.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use ratatui::layout::Rect;

use super::board::{Board, Sort};
use super::clock::WallClock;
use super::create::Create;
use super::curves::Plot;
use super::details::{self, DetailsPage};
use super::dialogs::Answer;
use super::entry::Entry;
use super::events;
use super::feed::Feed;
use super::layout::PaneLayout;
use super::score::Score;
use super::trial::Trial;
use super::view::{job_title, words_without_jobs};
use crate::api::call::{Progress, Reply, Ticket};
use crate::api::fine_tune::FineTuneRequest;
use crate::component::{Cx, Modals, Pending, Session};
use crate::settings::ProfileId;
use crate::ui::line::Line;
use crate::ui::meter::{self, SPINNER_FRAME};

/// Between two frames of what counts on: elapsed, time left.
const SECOND: Duration = Duration::from_secs(1);
/// How often the list is asked for while the tab shows, as other programs make jobs, too: seldom enough to cost a server
/// nothing, soon enough for who waits for a colleague's job.
const OTHERS: Duration = Duration::from_secs(30);

/// What stands in the tab.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Page {
    /// Jobs, curves, events.
    #[default]
    Jobs,
    /// All that is known of a job.
    Details,
    /// A new job.
    Create,
    /// A model and its base, held against rows.
    Score,
    /// A model and its base on one prompt.
    Try,
}

/// The pane with the focus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Pane {
    #[default]
    Jobs,
    Chart,
    Events,
}

/// What an outstanding ticket is for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Request {
    /// The list of jobs.
    List,
    /// The events of a job that runs.
    Follow(String),
    /// The events of a job that ended.
    History(String),
    /// A job is to be cancelled.
    Cancel(String),
    /// This job's model is to be deleted.
    Delete(String),
    /// A new job, with what is sent for it.
    Create(Box<FineTuneRequest>),
    /// The server's files, for the page of a new job.
    Files,
    /// Jobs that ran when the program ended, and the page that was being filled in.
    Known,
    Drafts,
    /// In which order jobs are shown.
    Sort,
    /// Whose models are deleted.
    Gone,
    /// What was sent for jobs.
    Sent,
    /// Whether jobs ran when the program ended.
    Woken,
    /// Something kept.
    Save,
}

/// All of the tab that is not its picture.
#[derive(Debug, Default)]
pub(super) struct State {
    /// One for each profile that was in use.
    pub(super) boards: Vec<Board>,
    /// The board of the session's profile, in `boards`.
    pub(super) at: usize,
    pub(super) page: Page,
    pub(super) pane: Pane,
    /// Whether the list stands in place of the job, where there is room for one.
    pub(super) list: bool,
    pub(super) layout: PaneLayout,
    pub(super) clock: WallClock,
    pub(super) details: DetailsPage,
    pub(super) feed: Feed,
    pub(super) create: Create,
    pub(super) modals: Modals<Answer>,
    /// The filter of the list is being typed.
    pub(super) filtering: Option<Line>,
    pub(super) plot: Plot,
    /// When the curves become those of the job under the cursor: who walks over many jobs asks for few.
    pub(super) show_due: Option<Instant>,
    pub(super) score: Score,
    pub(super) trial: Trial,
    /// Rows of jobs that the list shows.
    pub(super) page_rows: usize,
    pub(super) pending: Pending<(ProfileId, Request)>,
    /// What was kept of the time before: it comes before the first list.
    pub(super) kept: bool,
    /// Jobs that ran when the program ended, of profiles that were not in use since.
    pub(super) unseen: BTreeMap<String, BTreeMap<String, String>>,
    /// When the jobs of others are looked for; set by each frame, and so only while the tab shows.
    pub(super) look_due: Option<Instant>,
    pub(super) dirty: bool,
    pub(super) keep_due: Option<Instant>,
    /// A moment at which what is drawn is another, though nothing happened; set by each frame.
    pub(super) moves: Option<Instant>,
    /// Whether the tab has begun: it knows its boards.
    pub(super) entered: bool,
    /// In which order jobs are shown, on every board.
    pub(super) sort: Sort,
    /// Jobs whose models were deleted from here, by profile.
    pub(super) gone: BTreeMap<String, Vec<String>>,
    /// What was sent for jobs that were made from here, by profile, the newest last.
    pub(super) sent: BTreeMap<String, Vec<(String, FineTuneRequest)>>,
    /// Settings that are on the disk and could not be read: they are not written over.
    pub(super) unread: Vec<&'static str>,
}

impl State {
    /// The board of the session's profile.
    pub(super) fn board(&self) -> Option<&Board> {
        self.boards.get(self.at)
    }

    /// The job under the cursor.
    pub(super) fn here(&self) -> Option<&Entry> {
        self.board()?.here()
    }

    pub(super) fn board_mut(&mut self) -> Option<&mut Board> {
        self.boards.get_mut(self.at)
    }

    pub(super) fn board_of(&mut self, profile: &ProfileId) -> Option<&mut Board> {
        self.boards.iter_mut().find(|board| board.profile == *profile)
    }

    /// Whether the board shown is the session's.
    pub(super) fn is_current(&self, session: &Session) -> bool {
        self.board().is_some_and(|board| board.profile == session.profile)
    }

    /// Has come to the front: asks for the jobs.
    pub(super) fn enter(&mut self, cx: &mut Cx) {
        if !std::mem::replace(&mut self.entered, true) {
            self.ask_kept(cx);
        }
        self.settle(cx);
        self.list(cx);
    }

    /// Follows the session to another profile. What is followed on the one before goes on.
    pub(super) fn settle(&mut self, cx: &mut Cx) {
        if !self.entered || self.is_current(cx.session) {
            return;
        }
        let profile = cx.session.profile.clone();
        self.at = match self.boards.iter().position(|board| board.profile == profile) {
            Some(at) => at,
            None => {
                self.boards.push(Board::new(profile, self.sort));
                self.boards.len() - 1
            }
        };
        self.meet();
        self.page = Page::Jobs;
        self.modals.close(cx);
        self.filtering = None;
        self.create.switch(cx.session, self.boards[self.at].dialect);
        self.feed.stale = true;
        self.show(cx);
        self.list(cx);
    }

    /// Asks a call of the board's profile.
    pub(super) fn ask(
        &mut self,
        profile: &ProfileId,
        call: crate::api::call::Call,
        asked: Request,
        cx: &mut Cx,
    ) -> Ticket {
        let ticket = cx.call_to(profile.clone(), call);
        self.pending.insert(ticket, (profile.clone(), asked));
        ticket
    }

    /// Something about a call.
    pub(super) fn progress(&mut self, ticket: Ticket, progress: Progress, cx: &mut Cx) {
        self.settle(cx);
        if self.trial.progress(ticket, &progress, cx)
            || self.plot.progress(ticket, &progress, cx)
            || self.score.progress(ticket, &progress, cx)
        {
            return;
        }
        let Some((profile, asked)) = self.pending.get(ticket).cloned() else { return };
        let done = matches!(progress, Progress::Closed(_));
        match (&asked, progress) {
            (Request::List, Progress::Reply(Reply::Jobs(dialect, jobs))) => self.listed(&profile, dialect, jobs, cx),
            (Request::List, Progress::Closed(end)) => self.list_closed(&profile, end.err(), cx),
            (Request::Follow(id) | Request::History(id), Progress::Reply(Reply::Followed(news))) => {
                self.followed(ticket, &profile, id, news, cx);
            }
            (Request::Follow(id) | Request::History(id), Progress::Closed(end)) => {
                self.follow_closed(ticket, &profile, id, end, cx);
            }
            (Request::Cancel(_) | Request::Create(_), Progress::Reply(Reply::Job(job))) => {
                let created = matches!(asked, Request::Create(_));
                if let Request::Create(request) = asked {
                    self.remember(&profile, &job.id, *request);
                }
                self.answered(&profile, *job, created, cx);
            }
            (Request::Files, Progress::Reply(Reply::Files(files))) => self.create.files(files),
            (Request::Files, Progress::Closed(end)) => self.create.files_closed(end.err()),
            (Request::Create(_), Progress::Closed(end)) => self.created(&profile, end.err(), cx),
            (Request::Cancel(id), Progress::Closed(Err(why))) => self.not_cancelled(&profile, id, &why, cx),
            (Request::Delete(id), Progress::Closed(end)) => self.deleted(&profile, id, end.err(), cx),
            _ => {}
        }
        if done {
            self.pending.take(ticket);
            self.follow(cx);
        }
    }

    /// When something here wants to move or be kept.
    pub(super) fn due(&self) -> Option<Instant> {
        let polls = self.boards.iter().filter_map(|board| board.poll);
        [self.moves, self.look_due, self.keep_due, self.show_due, self.score.due()]
            .into_iter()
            .flatten()
            .chain(polls)
            .min()
    }

    pub(super) fn tick(&mut self, cx: &mut Cx) {
        self.moves = None;
        self.settle(cx);
        if self.look_due.take_if(|due| *due <= cx.now).is_some() {
            self.list(cx);
        }
        if self.keep_due.is_some_and(|due| due <= cx.now) {
            self.keep(cx);
        }
        if self.show_due.is_some_and(|due| due <= cx.now) {
            self.show(cx);
        }
        if self.score.due().is_some_and(|due| due <= cx.now) {
            self.score.tick(cx);
        }
        self.poll(cx);
    }

    /// Fits the state to the area and to what has come.
    pub(super) fn arrange(&mut self, area: Rect, session: &Session, now: Instant) {
        self.look_ahead(session, now);
        self.modals.arrange(area, session, now);
        if PaneLayout::is_wide(area) && self.pane == Pane::Chart && self.plot.is_empty() {
            self.pane = Pane::Jobs;
        }
        if let Some(board) = self.boards.get(self.at) {
            self.feed.refresh(board);
        }
        self.plot.update();
        match self.page {
            Page::Jobs => self.arrange_panes(area, session, now),
            Page::Details => self.arrange_details(area, session, now),
            Page::Try => self.trial.arrange(area, session, now),
            Page::Score => self.score.arrange(area),
            Page::Create => {}
        }
        self.layout.wide = PaneLayout::is_wide(area);
    }

    fn arrange_panes(&mut self, area: Rect, session: &Session, now: Instant) {
        let unix = self.clock.unix(now);
        self.layout = if self.has_no_jobs() {
            let elapsed = now.saturating_duration_since(self.clock.observed(now));
            let spinner = meter::spinner(elapsed, session.motion);
            PaneLayout::without_jobs(self, area, |width| words_without_jobs(self, width, spinner))
        } else {
            let facts = if PaneLayout::is_wide(area) {
                details::facts(self, session, unix, PaneLayout::facts_width())
            } else {
                Vec::new()
            };
            PaneLayout::new(self, area, facts)
        };
        let Some(board) = self.boards.get_mut(self.at) else { return };
        if !self.layout.jobs.is_empty() {
            self.page_rows = self.layout.job_rows(self.filtering.is_some());
            board.cursor.window(self.page_rows, board.shown.len());
        }
        if !self.layout.events.is_empty() {
            events::arrange(&mut self.feed, board, self.layout.events, unix);
        }
        self.plot.arrange(self.layout.curves);
    }

    fn arrange_details(&mut self, area: Rect, session: &Session, now: Instant) {
        let unix = self.clock.unix(now);
        let Some(board) = self.board() else { return };
        let title = (job_title(self), format!("{} of {} · < >", board.cursor.selected + 1, board.shown.len()));
        let mut page = std::mem::take(&mut self.details);
        page.set(title, area, |width| details::full(self, session, unix, width));
        self.details = page;
    }

    /// Finds out when the next frame will look otherwise though nothing happens.
    fn look_ahead(&mut self, session: &Session, now: Instant) {
        if self.entered && !self.is_current(session) {
            self.moves = Some(now);
            return;
        }
        let Some(board) = self.board() else { return };
        let quiet = board.listing.is_none() && board.failure.is_none();
        let look_due = board.listed.filter(|_| quiet).map(|listed| listed + OTHERS);
        let waits = board.listing.is_some() && board.listed.is_none() || self.create.waits();
        let counts = board.entries.iter().any(super::entry::Entry::runs);
        let next = match (waits, counts) {
            (true, _) => Some(now + if session.motion { SPINNER_FRAME } else { SECOND }),
            (false, true) => Some(now + SECOND),
            (false, false) => None,
        };
        self.moves = [next, self.trial.moves(session, now)].into_iter().flatten().min();
        self.look_due = look_due;
    }
}
