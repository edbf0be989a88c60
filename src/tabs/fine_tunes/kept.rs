//! What is kept between starts: which jobs ran, and the page of a new job as far as it was filled in.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::board::Sort;
use super::create::Draft;
use super::state::{Request, State};
use crate::api::call::Ticket;
use crate::api::fine_tune::FineTuneRequest;
use crate::component::{Cx, Notice};
use crate::record::{Query, Record, Rows, Stored};
use crate::settings::ProfileId;
use crate::text::Untrusted;

/// Where jobs that ran are kept: profile, job, status.
pub(super) const KNOWN: &str = "tune.known";
/// Where the pages are kept that were being filled in, by profile.
pub(super) const DRAFTS: &str = "tune.drafts";
/// Where the order of jobs is kept.
pub(super) const SORT: &str = "tune.sort";
/// Where jobs are kept whose models were deleted from here, by profile.
pub(super) const GONE: &str = "tune.deleted";
/// Where what was sent for jobs is kept, by profile.
pub(super) const SENT: &str = "tune.sent";
/// How long what is typed rests before it is kept.
const REST: Duration = Duration::from_millis(300);
/// How long a disk that refused something is left alone.
const RETRY: Duration = Duration::from_secs(10);
/// Profiles, and jobs of each, that are kept.
const PROFILES: usize = 32;
const JOBS: usize = 500;

type Known = BTreeMap<String, BTreeMap<String, String>>;

impl State {
    /// Asks for what is on disk.
    pub(super) fn ask_kept(&mut self, cx: &mut Cx) {
        for (name, asked) in [
            (SORT, Request::Sort),
            (GONE, Request::Gone),
            (SENT, Request::Sent),
            (DRAFTS, Request::Drafts),
            (KNOWN, Request::Known),
        ] {
            let ticket = cx.load(Query::Setting(name.into()));
            self.pending.insert(ticket, (cx.session.profile.clone(), asked));
        }
    }

    /// What is not kept yet is kept soon.
    pub(super) fn keep_soon(&mut self, now: Instant) {
        self.dirty = true;
        self.keep_due.get_or_insert(now + REST);
    }

    /// Keeps all that is not kept yet.
    pub(super) fn keep(&mut self, cx: &mut Cx) {
        self.keep_due = None;
        // What is on disk comes first: it would be written over.
        if !self.kept || !std::mem::take(&mut self.dirty) {
            return;
        }
        let sort = serde_json::to_string(&self.sort).expect("a word is always JSON");
        let gone = serde_json::to_string(&self.gone).expect("texts are always JSON");
        let sent = serde_json::to_string(&self.sent).expect("texts and finite numbers are always JSON");
        let all = [(KNOWN, self.known()), (DRAFTS, self.create.json()), (SORT, sort), (GONE, gone), (SENT, sent)];
        // What could not be read stays as it is on the disk.
        for (name, json) in all.into_iter().filter(|(name, _)| !self.unread.contains(name)) {
            let ticket = cx.record(Record::Setting(name.into(), json.into()));
            self.pending.insert(ticket, (cx.session.profile.clone(), Request::Save));
        }
    }

    /// Jobs that are not over, by profile.
    pub(super) fn known(&self) -> String {
        let mut known: Known = self.unseen.clone();
        for board in &self.boards {
            let jobs = board.entries.iter().filter(|entry| entry.runs()).take(JOBS);
            let mut jobs: BTreeMap<String, String> = jobs.map(|entry| (entry.job.id.clone(), entry.state())).collect();
            jobs.extend(board.known.clone());
            known.insert(board.profile.0.clone(), jobs);
        }
        known.retain(|_, jobs| !jobs.is_empty());
        while known.len() > PROFILES {
            known.pop_first();
        }
        serde_json::to_string(&known).expect("texts are always JSON")
    }

    pub(super) fn stored(&mut self, ticket: Ticket, stored: Stored, cx: &mut Cx) {
        if let Stored::Waiting(why) = stored {
            // The store offers it again.
            return cx.notify(Notice::error(format!("not saved: {}", why.line())).about("tune kept"));
        }
        let Some((_, asked)) = self.pending.take(ticket) else { return };
        match (asked, stored) {
            (Request::Save, Stored::Failed(why)) => {
                cx.notify(Notice::error(format!("not saved: {}", why.line())).about("tune kept"));
                self.dirty = true;
                self.keep_due = Some(cx.now + RETRY);
            }
            (Request::Drafts, Stored::Rows(Rows::Setting(_, Some(json)))) => {
                let drafts: BTreeMap<String, Draft> = read(&json);
                self.create.restore(drafts, cx.session);
            }
            (Request::Drafts, Stored::Failed(why)) => {
                let what = "what was filled in for a new fine-tune could not be read, and is not kept from now on";
                self.unread.push(DRAFTS);
                cx.notify(Notice::error(format!("{what}: {}", why.line())).about("tune drafts"));
            }
            (Request::Sort, Stored::Rows(Rows::Setting(_, Some(json)))) => {
                self.sort_jobs(read(&json));
            }
            (Request::Gone, Stored::Rows(Rows::Setting(_, Some(json)))) => self.gone = read(&json),
            (Request::Gone, Stored::Failed(_)) => self.unread.push(GONE),
            (Request::Sent, Stored::Rows(Rows::Setting(_, Some(json)))) => self.sent = read(&json),
            (Request::Sent, Stored::Failed(_)) => self.unread.push(SENT),
            (Request::Sort, Stored::Failed(_)) => self.unread.push(SORT),
            (Request::Woken, Stored::Rows(Rows::Setting(_, Some(json)))) => {
                let known: Known = read(&json);
                if known.get(&cx.session.profile.0).is_some_and(|jobs| !jobs.is_empty()) && !self.entered {
                    self.enter(cx);
                }
            }
            (Request::Known, stored) => {
                if let Stored::Rows(Rows::Setting(_, Some(json))) = &stored {
                    self.unseen = read(json);
                }
                if let Stored::Failed(why) = stored {
                    self.unread.push(KNOWN);
                    let what = "which jobs ran before could not be read, and is not kept from now on";
                    cx.notify(Notice::error(format!("{what}: {}", why.line())).about("tune known"));
                }
                self.kept = true;
                self.meet();
                self.list(cx);
            }
            _ => {}
        }
    }

    /// All boards are in this order from now on, and those of later starts.
    pub(super) fn sort(&mut self, sort: Sort, now: Instant) {
        self.sort_jobs(sort);
        self.keep_soon(now);
    }

    fn sort_jobs(&mut self, sort: Sort) {
        self.sort = sort;
        for board in self.boards.iter_mut().filter(|board| board.sort != sort) {
            board.sort = sort;
            board.arrange();
        }
    }

    /// A job's model is deleted, and stays so over a restart.
    pub(super) fn forget(&mut self, profile: &ProfileId, id: &str, now: Instant) {
        if let Some(entry) = self.board_of(profile).and_then(|board| board.get_mut(id)) {
            entry.deleted = true;
        }
        let gone = self.gone.entry(profile.0.clone()).or_default();
        gone.retain(|other| other != id);
        gone.push(id.to_owned());
        if gone.len() > JOBS {
            gone.remove(0);
        }
        self.keep_soon(now);
    }

    /// Keeps what was sent for a job: servers do not tell all of it again.
    pub(super) fn remember(&mut self, profile: &ProfileId, id: &str, request: FineTuneRequest) {
        let sent = self.sent.entry(profile.0.clone()).or_default();
        sent.push((id.to_owned(), request));
        if sent.len() > JOBS {
            sent.remove(0);
        }
    }

    /// The program has begun: jobs that ran when it ended are asked about, if there are any of this profile.
    pub(super) fn wake(&mut self, cx: &mut Cx) {
        if !self.entered {
            let ticket = cx.load(Query::Setting(KNOWN.into()));
            self.pending.insert(ticket, (cx.session.profile.clone(), Request::Woken));
        }
    }

    /// Gives each board what is known of the time before.
    pub(super) fn meet(&mut self) {
        for board in &mut self.boards {
            if let Some(known) = self.unseen.remove(&board.profile.0) {
                board.known.extend(known);
            }
        }
    }
}

fn read<T: serde::de::DeserializeOwned + Default>(json: &Untrusted) -> T {
    serde_json::from_str(json.raw()).unwrap_or_default()
}
