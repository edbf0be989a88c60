//! Follows jobs: chooses which of them, takes their events, and notifies the user when one ends. `client/follow.rs` keeps the
//! connection.

use std::time::{Duration, Instant};

use super::event_buffer::EventLevel;
use super::job_list::EndedJob;
use super::job_row::{EventStream, safe};
use super::state::{Request, State};
use crate::api::call::{Call, Failure, FailureKind, Followed, Ticket};
use crate::api::job::{Dialect, Job, JobStatus};
use crate::component::{Cx, Effect, Notice};
use crate::settings::ProfileId;
use crate::ui::{meter, time};

/// Up to this many jobs that end at once have a notice each.
const FEW: usize = 3;
/// How long to wait before a list that failed is asked for again.
const AGAIN: Duration = Duration::from_mins(1);

impl State {
    /// Asks for the jobs of the session's profile.
    pub(super) fn request_jobs(&mut self, cx: &mut Cx) {
        if let Some(profile) = self.list().map(|list| list.profile.clone()) {
            self.request_jobs_of(&profile, cx);
        }
    }

    pub(super) fn request_jobs_of(&mut self, profile: &ProfileId, cx: &mut Cx) {
        // What ran before must be known first: else nobody would hear that it ended.
        if !self.saved.loaded || self.list_of(profile).is_none_or(|list| list.listing.is_some()) {
            return;
        }
        let ticket = self.ask(profile, Call::Jobs, Request::List, cx);
        if let Some(list) = self.list_of(profile) {
            list.listing = Some(ticket);
            list.poll = None;
        }
    }

    pub(super) fn jobs_received(&mut self, profile: &ProfileId, dialect: Dialect, mut jobs: Vec<Job>, cx: &mut Cx) {
        for job in &mut jobs {
            self.saved.name(profile, job);
        }
        let deleted = self.saved.deleted(profile).to_vec();
        let before = self.saved.running(&self.lists);
        let Some(list) = self.list_of(profile) else { return };
        let (ended, gone) = list.take(dialect, jobs, cx.now);
        for id in deleted {
            if let Some(row) = list.jobs.get_mut(&id) {
                row.deleted = true;
            }
        }
        for ticket in gone {
            self.pending.take(ticket);
            cx.cancel(ticket);
        }
        self.notify_ended(profile, &ended, cx);
        if let Some(list) = self.lists.of(profile) {
            for row in list.marked_or_selected() {
                self.curves.job(profile, &row.job, cx);
            }
        }
        if self.list().is_some_and(|list| list.profile == *profile) {
            self.create.switch(cx.session, Some(dialect));
        }
        self.log.reset();
        self.selection_changed(cx);
        // A list that tells nothing new costs the disk nothing.
        if self.saved.running(&self.lists) != before {
            self.saved.save_soon(cx.now);
        }
        self.follow(cx);
    }

    pub(super) fn jobs_request_ended(&mut self, profile: &ProfileId, why: Option<Failure>, cx: &mut Cx) {
        let now = cx.now;
        let Some(list) = self.list_of(profile) else { return };
        list.listing = None;
        if why.is_some() {
            list.failure = why;
            list.poll = (list.running() + list.queued() > 0).then_some(now + AGAIN);
        }
    }

    /// Stops, on Ctrl+C, waiting for answers of the server. Returns whether there were any to wait for. Jobs run on.
    pub(super) fn stop(&mut self, cx: &mut Cx) -> bool {
        let mut tickets = self.curves.stop();
        let list = self.lists.current_mut();
        if let Some((list, ticket)) = list.and_then(|list| list.listing.take().map(|ticket| (list, ticket))) {
            self.pending.take(ticket);
            tickets.push(ticket);
            if list.listed.is_none() {
                list.failure = Some(Failure::new(FailureKind::CutOff, "loading the jobs was stopped"));
            }
        }
        for ticket in &tickets {
            cx.cancel(*ticket);
        }
        self.trial.stop_reading(cx) || !tickets.is_empty()
    }

    /// Follows what can be followed; of the rest the list is asked for now and then.
    pub(super) fn follow(&mut self, cx: &mut Cx) {
        for (profile, id) in self.lists.to_follow() {
            let ticket = self.ask(&profile, Call::Follow(id.clone()), Request::Follow(id.clone()), cx);
            if let Some(row) = self.list_of(&profile).and_then(|list| list.jobs.get_mut(&id)) {
                row.stream = EventStream::Connecting(ticket);
            }
        }
        self.lists.plan_polls(cx.now);
    }

    /// Asks for the lists that are due.
    pub(super) fn poll(&mut self, cx: &mut Cx) {
        for profile in self.lists.take_due_polls(cx.now) {
            self.request_jobs_of(&profile, cx);
        }
    }

    /// Takes a part of an event stream.
    pub(super) fn handle_events(&mut self, ticket: Ticket, profile: &ProfileId, id: &str, news: Followed, cx: &mut Cx) {
        let unix = cx.unix_ms / 1000;
        let Some(row) = self.list_of(profile).and_then(|list| list.jobs.get_mut(id)) else { return };
        if row.stream.ticket().is_some_and(|link| link != ticket) {
            return;
        }
        let follows = row.stream.ticket().is_some();
        let mut trimmed = false;
        let mut begun = None;
        match news {
            Followed::Events { first, events } => {
                // The words are read once, however often a history is told.
                let known = usize::try_from(row.events.count().saturating_sub(first)).unwrap_or(usize::MAX);
                let waited = row.progress.started.is_none();
                for event in events.iter().skip(known) {
                    row.progress.observe(event, &row.job);
                }
                // The job itself is told of only now and then.
                if waited && row.progress.started.is_some() && row.job.status == JobStatus::Pending {
                    let job = Job { status: JobStatus::Running, ..row.job.clone() };
                    begun = Some(job);
                }
                let missing = first.saturating_sub(row.events.count());
                if missing > 0 {
                    let words = format!("⚠ {} events are missing: the server did not send them", meter::count(missing));
                    trimmed = row.events.note(unix, EventLevel::Warn, words);
                }
                trimmed |= row.events.add(first, &events);
                self.curves.events(profile, id, events.get(known..).unwrap_or_default());
            }
            Followed::Live { replayed, polling } => {
                if let EventStream::Lost { .. } = row.stream {
                    let words = format!("reconnected, {} events replayed", meter::count(replayed));
                    trimmed = row.events.note(unix, EventLevel::Info, words);
                }
                if follows {
                    row.stream = EventStream::Live { ticket, polling };
                }
            }
            Followed::Lost { why, at } => {
                // Of a server that stays away one line is enough.
                if !matches!(row.stream, EventStream::Lost { .. }) {
                    let words = format!("⚠ stream dropped; retry in {}", time::countdown(at, cx.now));
                    trimmed = row.events.note(unix, EventLevel::Warn, words);
                }
                if follows {
                    row.stream = EventStream::Lost { ticket, at, why: why.sentence };
                }
            }
            Followed::Job(job) => self.job_changed(profile, *job, cx),
        }
        if let Some(job) = begun {
            self.job_changed(profile, job, cx);
        }
        self.log.update(trimmed);
    }

    /// Takes in that a job has changed.
    pub(super) fn job_changed(&mut self, profile: &ProfileId, mut job: Job, cx: &mut Cx) {
        self.saved.name(profile, &mut job);
        self.curves.job(profile, &job, cx);
        let Some(list) = self.list_of(profile) else { return };
        let before = list.jobs.get(&job.id).map(|row| row.job.status.clone());
        let after = job.status.clone();
        let ended = list.put(job);
        if let Some(ended) = ended {
            self.notify_ended(profile, &[ended], cx);
        }
        if before != Some(after) {
            self.saved.save_soon(cx.now);
        }
    }

    /// Takes the end of an event stream: the job is over, or it cannot be followed.
    pub(super) fn follow_closed(
        &mut self,
        ticket: Ticket,
        profile: &ProfileId,
        id: &str,
        end: Result<(), Failure>,
        cx: &mut Cx,
    ) {
        let unix = cx.unix_ms / 1000;
        let mut ask = false;
        if let Some(row) = self.list_of(profile).and_then(|list| list.jobs.get_mut(id))
            && row.stream.ticket() == Some(ticket)
        {
            row.stream = match end {
                Ok(()) => {
                    ask = row.runs();
                    // Whoever closes without a word is not asked again at once.
                    if ask {
                        EventStream::Failed("the server ended the stream; R to reconnect".into())
                    } else {
                        EventStream::None
                    }
                }
                Err(why) => {
                    row.opened = false;
                    row.events.note(unix, EventLevel::Warn, format!("✕ {}", why.sentence.line()));
                    EventStream::Failed(why.sentence)
                }
            };
        }
        self.log.update(false);
        if ask {
            self.request_jobs_of(profile, cx);
        }
    }

    /// Asks once for the events of a job that ended.
    pub(super) fn open_history(&mut self, cx: &mut Cx) {
        let Some(list) = self.list() else { return };
        let profile = list.profile.clone();
        let Some(row) = list.jobs.selected_item().filter(|row| !row.runs() && !row.opened) else { return };
        let id = row.job.id.clone();
        if row.stream.ticket().is_some() {
            return;
        }
        let ticket = self.ask(&profile, Call::Follow(id.clone()), Request::History(id.clone()), cx);
        if let Some(row) = self.list_of(&profile).and_then(|list| list.jobs.get_mut(&id)) {
            row.opened = true;
            row.stream = EventStream::Connecting(ticket);
        }
    }

    /// Follows the job under the cursor, or does no more.
    pub(super) fn toggle_follow(&mut self, cx: &mut Cx) {
        let Some(row) = self.list_mut().and_then(|list| list.jobs.selected_item_mut()) else {
            return;
        };
        if !row.runs() {
            let said = format!("{} has ended: there is nothing to follow", row.name());
            return cx.notify(Notice::info(said).about("follow"));
        }
        row.off = !row.off;
        let (off, name) = (row.off, row.name());
        if off {
            let ticket = row.stream.ticket();
            row.stream = EventStream::None;
            if let Some(ticket) = ticket {
                self.pending.take(ticket);
                cx.cancel(ticket);
            }
        }
        self.follow(cx);
        let said = if off {
            format!("{name} is no longer followed; the job continues, and its state is still checked")
        } else {
            format!("{name} is followed again")
        };
        cx.notify(Notice::info(said).about("follow"));
    }

    /// Tries lost streams now; those that failed are asked for again.
    pub(super) fn retry_now(&mut self, cx: &mut Cx) {
        let mut tickets = Vec::new();
        let mut again = false;
        if let Some(list) = self.list_mut() {
            for row in list.jobs.iter_mut() {
                match &row.stream {
                    EventStream::Lost { ticket, .. } => tickets.push(*ticket),
                    EventStream::Failed(_) => {
                        row.stream = EventStream::None;
                        again = true;
                    }
                    _ => {}
                }
            }
        }
        let none = tickets.is_empty() && !again;
        for ticket in tickets {
            cx.retry_now(ticket);
        }
        if self.list().is_some_and(|list| list.failure.is_some()) {
            self.request_jobs(cx);
        } else if none {
            cx.notify(Notice::info("no stream is lost").about("follow"));
        }
        self.follow(cx);
    }

    /// Says of jobs that they ended, in whatever tab is in front.
    pub(super) fn notify_ended(&mut self, profile: &ProfileId, ended: &[EndedJob], cx: &mut Cx) {
        let other = cx.session.known_profile_name(profile).filter(|_| cx.session.profile != *profile);
        let at = other.map(|name| format!(" at {}", name.line())).unwrap_or_default();
        let Some(list) = self.list_of(profile) else { return };
        let has_model =
            |ended: &EndedJob| list.jobs.get(&ended.id).is_some_and(|row| row.job.status == JobStatus::Succeeded);
        if *profile == cx.session.profile && ended.iter().any(has_model) {
            cx.push(Effect::FetchModels);
        }
        if ended.len() > FEW {
            let said = format!("{} fine-tunes{at} ended meanwhile", ended.len());
            return cx.notify(Notice::ok(said).about("tune"));
        }
        for EndedJob { id, elsewhere } in ended {
            let Some(row) = list.jobs.get(id) else { continue };
            let meanwhile = if *elsewhere { " meanwhile" } else { "" };
            let who = format!("{} ({}){at}", row.name(), row.short());
            let notice = match (&row.job.status, row.reason()) {
                (JobStatus::Succeeded, _) => {
                    let model = row.job.fine_tuned_model.as_deref().map(|model| format!(": {}", safe(model)));
                    Notice::ok(format!("{who} succeeded{meanwhile}{}", model.unwrap_or_default()))
                }
                (JobStatus::Failed, Some(why)) => Notice::error(format!("{who} failed{meanwhile}: {why}")),
                (JobStatus::Failed, None) => Notice::error(format!("{who} failed{meanwhile}")),
                _ => Notice::warn(format!("{who} was cancelled{meanwhile}")),
            };
            cx.notify(notice.about(format!("tune {id}")));
        }
    }

    /// Returns when a lost stream of the list's is tried again.
    pub(super) fn next_reconnect(&self) -> Option<Instant> {
        let links = self.list()?.jobs.items().iter().map(|row| &row.stream);
        links.filter_map(|link| if let EventStream::Lost { at, .. } = link { Some(*at) } else { None }).min()
    }
}
