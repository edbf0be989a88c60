//! The Tune tab's state: the jobs of each profile's server, what runs, what is open.

use std::time::Instant;

use super::clock::WallClock;
use super::create::CreatePage;
use super::curves::CurvesPage;
use super::details_page::DetailsPage;
use super::dialogs::Answer;
use super::evaluation::EvaluationPage;
use super::event_log::EventLog;
use super::job_list::JobList;
use super::job_lists::JobLists;
use super::job_row::JobRow;
use super::layout::JobsLayout;
use super::sample::SampleRun;
use super::saved_state::SavedState;
use super::trial::TrialPage;
use crate::api::call::{Progress, Reply, Ticket};
use crate::api::fine_tune::FineTuneRequest;
use crate::component::{Component, Cx, FindBar, Modals, Pending};
use crate::dataset::sample;
use crate::settings::ProfileId;

/// What stands in the tab.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TunePage {
    /// Jobs, curves, events.
    #[default]
    Jobs,
    /// All that is known of a job.
    Details,
    /// A new job.
    Create,
    /// A model and its base, held against rows.
    Evaluation,
    /// A model and its base on one prompt.
    Trial,
}

/// The pane with the focus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TunePane {
    #[default]
    Jobs,
    Chart,
    Events,
}

/// What a call is for.
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
    /// The same of the sample, which is not on the page of a new job.
    Sample(Box<FineTuneRequest>),
    /// The server's files, for the page of a new job.
    Files,
}

/// Moments at which something is due.
#[derive(Debug, Default)]
pub(super) struct TuneTimers {
    /// When what is drawn is another, though nothing happened; set whenever the tab is arranged.
    pub(super) frame: Option<Instant>,
    /// When the jobs of others are looked for; set whenever the tab is arranged, and so only while it shows.
    pub(super) list: Option<Instant>,
    /// When the curves become those of the job under the cursor: who walks over many jobs asks for few.
    pub(super) curves: Option<Instant>,
}

/// All state of the tab except that of its view.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) lists: JobLists,
    pub(super) page: TunePage,
    pub(super) pane: TunePane,
    /// Whether the list stands in place of the job, where there is room for one.
    pub(super) shows_list: bool,
    /// The filter of the list, while it is typed.
    pub(super) filtering: FindBar,
    pub(super) layout: JobsLayout,
    /// Rows of jobs that the list shows.
    pub(super) page_rows: usize,
    pub(super) log: EventLog,
    pub(super) curves: CurvesPage,
    pub(super) details: DetailsPage,
    pub(super) create: CreatePage,
    pub(super) evaluation: EvaluationPage,
    pub(super) trial: TrialPage,
    pub(super) modals: Modals<Answer>,
    /// Calls under way, with the profile of their server.
    pub(super) pending: Pending<(ProfileId, Request)>,
    pub(super) saved: SavedState,
    pub(super) timers: TuneTimers,
    pub(super) clock: WallClock,
    /// A sample that is being prepared.
    pub(super) sample: Option<SampleRun>,
    /// Whether the tab has begun: it knows its lists.
    pub(super) entered: bool,
}

impl State {
    /// Returns the list of the session's profile.
    pub(super) fn list(&self) -> Option<&JobList> {
        self.lists.current()
    }

    /// Returns the job under the cursor.
    pub(super) fn selected_job(&self) -> Option<&JobRow> {
        self.list()?.jobs.selected_item()
    }

    pub(super) fn list_mut(&mut self) -> Option<&mut JobList> {
        self.lists.current_mut()
    }

    pub(super) fn list_of(&mut self, profile: &ProfileId) -> Option<&mut JobList> {
        self.lists.of_mut(profile)
    }

    /// Asks for the jobs when the tab comes to the front.
    pub(super) fn enter(&mut self, cx: &mut Cx) {
        if !std::mem::replace(&mut self.entered, true) {
            self.load_saved(cx);
            self.switch_profile(cx);
        }
        self.show_curves(cx);
        self.request_jobs(cx);
    }

    /// Shows the jobs of the profile in use. What is followed on the one before continues.
    pub(super) fn switch_profile(&mut self, cx: &mut Cx) {
        self.lists.switch_to(cx.session.profile.clone());
        self.saved.hand_over(&mut self.lists);
        self.page = TunePage::Jobs;
        self.modals.close_all(cx);
        self.filtering.clear();
        let dialect = self.list().and_then(|list| list.dialect);
        self.create.switch(cx.session, dialect);
        self.log.reset();
        // Planned for the list shown before.
        self.timers = TuneTimers::default();
    }

    /// Asks a call of the list's profile.
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

    /// Takes a part of a call.
    pub(super) fn handle_progress(&mut self, ticket: Ticket, progress: Progress, cx: &mut Cx) {
        if self.sample_progress(ticket, &progress, cx) {
            return;
        }
        let Some((profile, asked)) = self.pending.get(ticket).cloned() else { return };
        let done = matches!(progress, Progress::Closed(_));
        match (&asked, progress) {
            (Request::List, Progress::Reply(Reply::Jobs(dialect, jobs))) => {
                self.jobs_received(&profile, dialect, jobs, cx);
            }
            (Request::List, Progress::Closed(end)) => self.jobs_request_ended(&profile, end.err(), cx),
            (Request::Follow(id) | Request::History(id), Progress::Reply(Reply::Followed(news))) => {
                self.handle_events(ticket, &profile, id, news, cx);
            }
            (Request::Follow(id) | Request::History(id), Progress::Closed(end)) => {
                self.follow_closed(ticket, &profile, id, end, cx);
            }
            (Request::Cancel(_) | Request::Create(_) | Request::Sample(_), Progress::Reply(Reply::Job(job))) => {
                let created = !matches!(asked, Request::Cancel(_));
                let (id, rows) = (job.id.clone(), self.known_rows(&asked));
                if let Request::Create(request) | Request::Sample(request) = asked {
                    self.saved.remember(&profile, &job.id, *request);
                }
                self.answered(&profile, *job, created, cx);
                if let Some(row) = self.list_of(&profile).and_then(|list| list.jobs.get_mut(&id)) {
                    row.rows = rows.or(row.rows);
                }
            }
            (Request::Files, Progress::Reply(Reply::Files(files))) => {
                self.create.files(files);
                self.refill_file_choice();
            }
            (Request::Files, Progress::Closed(end)) => {
                self.create.files_closed(end.err());
                self.refill_file_choice();
            }
            (Request::Create(_), Progress::Closed(end)) => self.created(&profile, end.err(), cx),
            (Request::Sample(_), Progress::Closed(Err(why))) => self.sample_failed(&why.sentence, cx),
            (Request::Cancel(id), Progress::Closed(Err(why))) => self.not_cancelled(&profile, id, &why, cx),
            (Request::Delete(id), Progress::Closed(end)) => self.deleted(&profile, id, end.err(), cx),
            _ => {}
        }
        if done {
            self.pending.take(ticket);
            self.follow(cx);
        }
    }

    /// Returns how many rows the training file of a new job has, where that is known.
    fn known_rows(&self, asked: &Request) -> Option<u64> {
        match asked {
            Request::Create(request) => self.create.known_rows(&request.training_file),
            Request::Sample(_) => Some(sample::TRAINING.1.lines().count() as u64),
            _ => None,
        }
    }

    /// Returns when something here wants to move or be kept.
    pub(super) fn due(&self) -> Option<Instant> {
        let polls = self.lists.iter().filter_map(|list| list.poll);
        [self.timers.frame, self.timers.list, self.saved.due, self.timers.curves, self.evaluation.due()]
            .into_iter()
            .flatten()
            .chain(polls)
            .min()
    }

    pub(super) fn tick(&mut self, cx: &mut Cx) {
        self.timers.frame = None;
        if self.timers.list.take_if(|due| *due <= cx.now).is_some() {
            self.request_jobs(cx);
        }
        if self.saved.due.is_some_and(|due| due <= cx.now) {
            self.save(cx);
        }
        if self.timers.curves.is_some_and(|due| due <= cx.now) {
            self.show_curves(cx);
        }
        if self.evaluation.due().is_some_and(|due| due <= cx.now) {
            self.evaluation.tick(cx);
        }
        self.poll(cx);
    }
}
