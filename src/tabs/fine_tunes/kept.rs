//! What is kept between starts: which jobs ran, and the page of a new job as far as it was filled in.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::create::Draft;
use super::state::{Asked, State};
use crate::api::call::Ticket;
use crate::record::{Query, Record, Rows, Stored};
use crate::tabs::{Cx, Notice};
use crate::text::Untrusted;

/// Where jobs that ran are kept: profile, job, status.
pub(super) const KNOWN: &str = "tune.known";
/// Where the pages are kept that were being filled in, by profile.
pub(super) const DRAFTS: &str = "tune.drafts";
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
        for (name, asked) in [(DRAFTS, Asked::Drafts), (KNOWN, Asked::Known)] {
            let ticket = cx.load(Query::Setting(name.into()));
            self.asked.insert(ticket, (cx.session.profile.clone(), asked));
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
        for (name, json) in [(KNOWN, self.known()), (DRAFTS, self.create.json())] {
            let ticket = cx.record(Record::Setting(name.into(), json.into()));
            self.asked.insert(ticket, (cx.session.profile.clone(), Asked::Save));
        }
    }

    /// Jobs that are not over, by profile.
    fn known(&self) -> String {
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
        let Some((_, asked)) = self.asked.remove(&ticket) else { return };
        match (asked, stored) {
            (Asked::Save, Stored::Failed(why)) => {
                cx.notify(Notice::error(format!("not saved: {}", why.line())).about("tune kept"));
                self.dirty = true;
                self.keep_due = Some(cx.now + RETRY);
            }
            (Asked::Drafts, Stored::Rows(Rows::Setting(_, Some(json)))) => {
                let drafts: BTreeMap<String, Draft> = read(&json);
                self.create.restore(drafts, cx.session);
            }
            (Asked::Known, stored) => {
                if let Stored::Rows(Rows::Setting(_, Some(json))) = &stored {
                    self.unseen = read(json);
                }
                if let Stored::Failed(why) = stored {
                    cx.notify(Notice::error(why));
                }
                self.kept = true;
                self.meet();
                self.list(cx);
            }
            _ => {}
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
