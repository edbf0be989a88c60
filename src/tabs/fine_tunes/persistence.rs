//! What is kept between starts: which jobs ran, and the page of a new job as far as it was filled in.

use std::collections::BTreeMap;
use std::time::Instant;

use super::create::JobDraft;
use super::saved_state::RunningJobs;
use super::state::{Request, State};
use crate::api::call::Ticket;
use crate::component::{Cx, Notice};
use crate::record::{Query, Record, Rows, Stored};
use crate::settings::ProfileId;
use crate::text::Untrusted;

/// Where jobs that ran are kept: profile, job, status.
const KNOWN: &str = "tune.known";
/// Where the pages are kept that were being filled in, by profile.
const DRAFTS: &str = "tune.drafts";
/// Where the order of jobs is kept.
const SORT: &str = "tune.sort";
/// Where jobs are kept whose models were deleted from here, by profile.
const DELETED: &str = "tune.deleted";
/// Where what was sent for jobs is kept, by profile.
const SENT: &str = "tune.sent";

impl State {
    /// Asks for what is on disk.
    pub(super) fn load_saved(&mut self, cx: &mut Cx) {
        for (name, request) in [
            (SORT, Request::Sort),
            (DELETED, Request::Gone),
            (SENT, Request::Sent),
            (DRAFTS, Request::Drafts),
            (KNOWN, Request::Known),
        ] {
            let ticket = cx.load(Query::Setting(name.into()));
            self.pending.insert(ticket, (cx.session.profile.clone(), request));
        }
    }

    /// Saves all that is not saved yet.
    pub(super) fn save(&mut self, cx: &mut Cx) {
        self.saved.due = None;
        // What is on disk comes first: it would be written over.
        if !self.saved.loaded || !std::mem::take(&mut self.saved.dirty) {
            return;
        }
        let order = serde_json::to_string(&self.lists.order()).expect("a word is always JSON");
        let deleted = serde_json::to_string(&self.saved.deleted).expect("texts are always JSON");
        let sent = serde_json::to_string(&self.saved.requests).expect("texts and finite numbers are always JSON");
        let all = [
            (KNOWN, self.running_jobs()),
            (DRAFTS, self.create.json()),
            (SORT, order),
            (DELETED, deleted),
            (SENT, sent),
        ];
        // What could not be read stays as it is on the disk.
        for (name, json) in all.into_iter().filter(|(name, _)| !self.saved.unreadable.contains(name)) {
            self.saved.saves.save(Record::Setting(name.into(), json.into()), cx);
        }
    }

    /// Returns the jobs that are not over, by profile, as they are saved.
    pub(super) fn running_jobs(&self) -> String {
        self.saved.running(&self.lists)
    }

    pub(super) fn stored(&mut self, ticket: Ticket, stored: Stored, cx: &mut Cx) {
        if self.saved.saves.stored(ticket, &stored) {
            if let Stored::Waiting(why) = stored {
                cx.notify(Notice::error(format!("not saved: {}", why.line())).about("tune kept"));
            }
            return;
        }
        let Some((_, asked)) = self.pending.take(ticket) else { return };
        match (asked, stored) {
            (Request::Drafts, Stored::Rows(Rows::Setting(_, Some(json)))) => {
                let drafts: BTreeMap<String, JobDraft> = read(&json);
                self.create.restore(drafts, cx.session);
            }
            (Request::Drafts, Stored::Failed(why)) => {
                let what = "what was filled in for a new fine-tune could not be read, and is not kept from now on";
                self.saved.unreadable.push(DRAFTS);
                cx.notify(Notice::error(format!("{what}: {}", why.line())).about("tune drafts"));
            }
            (Request::Sort, Stored::Rows(Rows::Setting(_, Some(json)))) => {
                self.lists.set_order(read(&json));
            }
            (Request::Gone, Stored::Rows(Rows::Setting(_, Some(json)))) => self.saved.deleted = read(&json),
            (Request::Gone, Stored::Failed(_)) => self.saved.unreadable.push(DELETED),
            (Request::Sent, Stored::Rows(Rows::Setting(_, Some(json)))) => self.saved.requests = read(&json),
            (Request::Sent, Stored::Failed(_)) => self.saved.unreadable.push(SENT),
            (Request::Sort, Stored::Failed(_)) => self.saved.unreadable.push(SORT),
            (Request::Woken, Stored::Rows(Rows::Setting(_, Some(json)))) => {
                let known: RunningJobs = read(&json);
                if known.get(&cx.session.profile.0).is_some_and(|jobs| !jobs.is_empty()) && !self.entered {
                    self.enter(cx);
                }
            }
            (Request::Known, stored) => {
                if let Stored::Rows(Rows::Setting(_, Some(json))) = &stored {
                    self.saved.unseen = read(json);
                }
                if let Stored::Failed(why) = stored {
                    self.saved.unreadable.push(KNOWN);
                    let what = "which jobs ran before could not be read, and is not kept from now on";
                    cx.notify(Notice::error(format!("{what}: {}", why.line())).about("tune known"));
                }
                self.saved.loaded = true;
                self.saved.hand_over(&mut self.lists);
                self.request_jobs(cx);
            }
            _ => {}
        }
    }

    /// Marks the model of a job as deleted, over restarts, too.
    pub(super) fn mark_deleted(&mut self, profile: &ProfileId, id: &str, now: Instant) {
        if let Some(row) = self.list_of(profile).and_then(|list| list.get_mut(id)) {
            row.deleted = true;
        }
        self.saved.add_deleted(profile, id);
        self.saved.save_soon(now);
    }

    /// The program has begun: jobs that ran when it ended are asked about, if there are any of this profile.
    pub(super) fn wake(&mut self, cx: &mut Cx) {
        if !self.entered {
            let ticket = cx.load(Query::Setting(KNOWN.into()));
            self.pending.insert(ticket, (cx.session.profile.clone(), Request::Woken));
        }
    }
}

fn read<T: serde::de::DeserializeOwned + Default>(json: &Untrusted) -> T {
    serde_json::from_str(json.raw()).unwrap_or_default()
}
