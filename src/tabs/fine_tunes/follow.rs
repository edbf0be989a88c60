//! Following jobs: which of them, what their streams bring, what is said when one ends.

use std::time::{Duration, Instant};

use super::board::Ended;
use super::entry::{Link, safe};
use super::history::Level;
use super::state::{Request, State};
use crate::api::call::{Call, Failure, FailureKind, Followed, Ticket};
use crate::api::job::{Dialect, Job, JobStatus};
use crate::component::{Cx, Notice};
use crate::settings::ProfileId;
use crate::ui::meter;

/// Streams at once, over all profiles; the jobs beyond are asked for now and then.
pub(super) const STREAMS: usize = 6;
/// Of so many jobs that end at once each has its notice.
const FEW: usize = 3;
/// How often the list is asked for while a job runs that is not followed.
const POLL: Duration = Duration::from_secs(45);
/// How long a list that failed is left alone.
const AGAIN: Duration = Duration::from_mins(1);

impl State {
    /// Asks for the jobs of the session's profile.
    pub(super) fn list(&mut self, cx: &mut Cx) {
        if let Some(profile) = self.board().map(|board| board.profile.clone()) {
            self.list_of(&profile, cx);
        }
    }

    pub(super) fn list_of(&mut self, profile: &ProfileId, cx: &mut Cx) {
        // What ran before must be known first: else nobody would hear that it ended.
        if !self.kept || self.board_of(profile).is_none_or(|board| board.listing.is_some()) {
            return;
        }
        let ticket = self.ask(profile, Call::Jobs, Request::List, cx);
        if let Some(board) = self.board_of(profile) {
            board.listing = Some(ticket);
            board.poll = None;
        }
    }

    pub(super) fn listed(&mut self, profile: &ProfileId, dialect: Dialect, jobs: Vec<Job>, cx: &mut Cx) {
        let deleted = self.gone.get(&profile.0).cloned().unwrap_or_default();
        let before = self.known();
        let Some(board) = self.board_of(profile) else { return };
        let (ended, gone) = board.take(dialect, jobs, cx.now);
        for id in deleted {
            if let Some(entry) = board.get_mut(&id) {
                entry.deleted = true;
            }
        }
        for ticket in gone {
            self.pending.take(ticket);
            cx.cancel(ticket);
        }
        self.tell(profile, &ended, cx);
        if let Some(board) = self.boards.iter().find(|board| board.profile == *profile) {
            for entry in board.chosen() {
                self.plot.job(profile, &entry.job, cx);
            }
        }
        if self.board().is_some_and(|board| board.profile == *profile) {
            self.create.switch(cx.session, Some(dialect));
        }
        self.feed.stale = true;
        self.selected(cx);
        // A list that tells nothing new costs the disk nothing.
        if self.known() != before {
            self.keep_soon(cx.now);
        }
        self.follow(cx);
    }

    pub(super) fn list_closed(&mut self, profile: &ProfileId, why: Option<Failure>, cx: &mut Cx) {
        let now = cx.now;
        let Some(board) = self.board_of(profile) else { return };
        board.listing = None;
        if why.is_some() {
            board.failure = why;
            board.poll = (board.running() + board.queued() > 0).then_some(now + AGAIN);
        }
    }

    /// Ctrl+C: what is waited for is waited for no more. Whether there was anything. Jobs run on.
    pub(super) fn stop(&mut self, cx: &mut Cx) -> bool {
        let mut tickets = self.plot.stop();
        let board = self.boards.get_mut(self.at);
        if let Some((board, ticket)) = board.and_then(|board| board.listing.take().map(|ticket| (board, ticket))) {
            self.pending.take(ticket);
            tickets.push(ticket);
            if board.listed.is_none() {
                board.failure = Some(Failure::new(FailureKind::CutOff, "asking for the jobs was stopped"));
            }
        }
        for ticket in &tickets {
            cx.cancel(*ticket);
        }
        self.trial.stop_reading(cx) || !tickets.is_empty()
    }

    /// Follows what can be followed; of the rest the list is asked for now and then.
    pub(super) fn follow(&mut self, cx: &mut Cx) {
        let open = |state: &Self| {
            state.boards.iter().flat_map(|board| &board.entries).filter(|entry| entry.link.ticket().is_some()).count()
        };
        let mut free = STREAMS.saturating_sub(open(self));
        let wanted: Vec<(ProfileId, String)> = {
            let wants = |board: &super::board::Board| {
                let profile = board.profile.clone();
                let entries =
                    board.entries.iter().filter(|entry| entry.runs() && !entry.off && matches!(entry.link, Link::None));
                entries.map(|entry| (profile.clone(), entry.job.id.clone())).collect::<Vec<_>>()
            };
            // Those of the profile in use come first, of those the ones that run.
            let current = self.board().into_iter().flat_map(|board| {
                let mut wanted = wants(board);
                wanted.sort_by_key(|(_, id)| board.get(id).is_none_or(|entry| entry.job.status != JobStatus::Running));
                wanted
            });
            let others =
                self.boards.iter().enumerate().filter(|(at, _)| *at != self.at).flat_map(|(_, board)| wants(board));
            current.chain(others).take(free).collect()
        };
        for (profile, id) in wanted {
            if free == 0 {
                break;
            }
            free -= 1;
            let ticket = self.ask(&profile, Call::Follow(id.clone()), Request::Follow(id.clone()), cx);
            if let Some(entry) = self.board_of(&profile).and_then(|board| board.get_mut(&id)) {
                entry.link = Link::Connecting(ticket);
            }
        }
        let now = cx.now;
        for board in &mut self.boards {
            let alone = board.entries.iter().any(|entry| entry.runs() && entry.link.ticket().is_none());
            board.poll = match (alone, board.poll) {
                (false, _) => None,
                (true, due) if board.listing.is_none() => due.or(Some(now + POLL)),
                (true, due) => due,
            };
        }
    }

    /// The lists that are due.
    pub(super) fn poll(&mut self, cx: &mut Cx) {
        let due = self.boards.iter().filter(|board| board.poll.is_some_and(|due| due <= cx.now));
        let due: Vec<ProfileId> = due.map(|board| board.profile.clone()).collect();
        for profile in due {
            if let Some(board) = self.board_of(&profile) {
                board.poll = None;
            }
            self.list_of(&profile, cx);
        }
    }

    /// What a stream brings.
    pub(super) fn followed(&mut self, ticket: Ticket, profile: &ProfileId, id: &str, news: Followed, cx: &mut Cx) {
        let unix = cx.unix_ms / 1000;
        let Some(entry) = self.board_of(profile).and_then(|board| board.get_mut(id)) else { return };
        if entry.link.ticket().is_some_and(|link| link != ticket) {
            return;
        }
        let follows = entry.link.ticket().is_some();
        let mut trimmed = false;
        let mut begun = None;
        match news {
            Followed::Events { first, events } => {
                // The words are read once, however often a history is told.
                let known = usize::try_from(entry.history.events().saturating_sub(first)).unwrap_or(usize::MAX);
                let waited = entry.told.started.is_none();
                for event in events.iter().skip(known) {
                    entry.told.hear(event, &entry.job);
                }
                // The job itself is told of only now and then.
                if waited && entry.told.started.is_some() && entry.job.status == JobStatus::Pending {
                    let job = Job { status: JobStatus::Running, ..entry.job.clone() };
                    begun = Some(job);
                }
                let missing = first.saturating_sub(entry.history.events());
                if missing > 0 {
                    let words = format!("⚠ {} events are missing: the server did not tell them", meter::count(missing));
                    trimmed = entry.history.say(unix, Level::Warn, words);
                }
                trimmed |= entry.history.add(first, &events);
                self.plot.events(profile, id, events.get(known..).unwrap_or_default());
            }
            Followed::Live { replayed, polling } => {
                if let Link::Lost { .. } = entry.link {
                    let words = format!("back, {} replayed", meter::count(replayed));
                    trimmed = entry.history.say(unix, Level::Info, words);
                }
                if follows {
                    entry.link = Link::Live { ticket, polling };
                }
            }
            Followed::Lost { why, at } => {
                let wait = at.saturating_duration_since(cx.now).as_secs_f64().ceil();
                // Of a server that stays away one line is enough.
                if !matches!(entry.link, Link::Lost { .. }) {
                    let words = format!("⚠ stream dropped; back in {wait} s");
                    trimmed = entry.history.say(unix, Level::Warn, words);
                }
                if follows {
                    entry.link = Link::Lost { ticket, at, why: why.sentence };
                }
            }
            Followed::Job(job) => self.changed(profile, *job, cx),
        }
        if let Some(job) = begun {
            self.changed(profile, job, cx);
        }
        self.feed.stale |= trimmed;
        self.feed.more = true;
    }

    /// A job is another than it was.
    pub(super) fn changed(&mut self, profile: &ProfileId, job: Job, cx: &mut Cx) {
        self.plot.job(profile, &job, cx);
        let Some(board) = self.board_of(profile) else { return };
        let before = board.get(&job.id).map(|entry| entry.job.status.clone());
        let after = job.status.clone();
        let ended = board.put(job);
        if let Some(ended) = ended {
            self.tell(profile, &[ended], cx);
        }
        if before != Some(after) {
            self.keep_soon(cx.now);
        }
    }

    /// A stream has ended: the job is over, or it cannot be followed.
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
        if let Some(entry) = self.board_of(profile).and_then(|board| board.get_mut(id))
            && entry.link.ticket() == Some(ticket)
        {
            entry.link = match end {
                Ok(()) => {
                    ask = entry.runs();
                    // Whoever closes without a word is not asked again at once.
                    if ask { Link::Failed("the server ended the stream; R follows again".into()) } else { Link::None }
                }
                Err(why) => {
                    entry.opened = false;
                    entry.history.say(unix, Level::Warn, format!("✕ {}", why.sentence.line()));
                    Link::Failed(why.sentence)
                }
            };
        }
        self.feed.more = true;
        if ask {
            self.list_of(profile, cx);
        }
    }

    /// Asks once for the events of a job that ended.
    pub(super) fn open_history(&mut self, cx: &mut Cx) {
        let Some(board) = self.board() else { return };
        let profile = board.profile.clone();
        let Some(entry) = board.here().filter(|entry| !entry.runs() && !entry.opened) else { return };
        let id = entry.job.id.clone();
        if entry.link.ticket().is_some() {
            return;
        }
        let ticket = self.ask(&profile, Call::Follow(id.clone()), Request::History(id.clone()), cx);
        if let Some(entry) = self.board_of(&profile).and_then(|board| board.get_mut(&id)) {
            entry.opened = true;
            entry.link = Link::Connecting(ticket);
        }
    }

    /// Follows the job under the cursor, or does no more.
    pub(super) fn toggle_follow(&mut self, cx: &mut Cx) {
        let Some(entry) = self.board_mut().and_then(|board| board.selected.clone().and_then(|id| board.get_mut(&id)))
        else {
            return;
        };
        if !entry.runs() {
            let said = format!("{} is over: there is nothing to follow", entry.name());
            return cx.notify(Notice::hint(said).about("follow"));
        }
        entry.off = !entry.off;
        let (off, name) = (entry.off, entry.name());
        if off {
            let ticket = entry.link.ticket();
            entry.link = Link::None;
            if let Some(ticket) = ticket {
                self.pending.take(ticket);
                cx.cancel(ticket);
            }
        }
        self.follow(cx);
        let said = if off {
            format!("{name} is not followed any more; the job runs on, and its state is asked for now and then")
        } else {
            format!("{name} is followed again")
        };
        cx.notify(Notice::hint(said).about("follow"));
    }

    /// Tries lost streams now; those that failed are asked for again.
    pub(super) fn hurry(&mut self, cx: &mut Cx) {
        let mut tickets = Vec::new();
        let mut again = false;
        if let Some(board) = self.board_mut() {
            for entry in &mut board.entries {
                match &entry.link {
                    Link::Lost { ticket, .. } => tickets.push(*ticket),
                    Link::Failed(_) => {
                        entry.link = Link::None;
                        again = true;
                    }
                    _ => {}
                }
            }
        }
        let none = tickets.is_empty() && !again;
        for ticket in tickets {
            cx.hurry(ticket);
        }
        if self.board().is_some_and(|board| board.failure.is_some()) {
            self.list(cx);
        } else if none {
            cx.notify(Notice::hint("no stream is lost").about("follow"));
        }
        self.follow(cx);
    }

    /// Says of jobs that they ended, in whatever tab is in front.
    pub(super) fn tell(&mut self, profile: &ProfileId, ended: &[Ended], cx: &mut Cx) {
        let here = cx.session.profile == *profile;
        let named = cx.session.profiles.iter().find(|(id, _)| id == profile).map(|(_, name)| name.line().into_owned());
        let at = if here { String::new() } else { named.map(|name| format!(" at {name}")).unwrap_or_default() };
        let Some(board) = self.board_of(profile) else { return };
        if ended.len() > FEW {
            let said = format!("{} fine-tunes{at} ended meanwhile", ended.len());
            return cx.notify(Notice::ok(said).about("tune"));
        }
        for Ended { id, elsewhere } in ended {
            let Some(entry) = board.get(id) else { continue };
            let meanwhile = if *elsewhere { " meanwhile" } else { "" };
            let who = format!("{} ({}){at}", entry.name(), entry.short());
            let notice = match (&entry.job.status, entry.reason()) {
                (JobStatus::Succeeded, _) => {
                    let model = entry.job.fine_tuned_model.as_deref().map(|model| format!(": {}", safe(model)));
                    Notice::ok(format!("{who} succeeded{meanwhile}{}", model.unwrap_or_default()))
                }
                (JobStatus::Failed, Some(why)) => Notice::error(format!("{who} failed{meanwhile}: {why}")),
                (JobStatus::Failed, None) => Notice::error(format!("{who} failed{meanwhile}")),
                _ => Notice::warn(format!("{who} was cancelled{meanwhile}")),
            };
            cx.notify(notice.about(format!("tune {id}")));
        }
    }

    /// When a lost stream of the board's is tried again.
    pub(super) fn lost(&self) -> Option<Instant> {
        let links = self.board()?.entries.iter().map(|entry| &entry.link);
        links.filter_map(|link| if let Link::Lost { at, .. } = link { Some(*at) } else { None }).min()
    }
}
