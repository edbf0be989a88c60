//! Between the tab and the store and the work threads: what is kept, what is asked for, and what comes back.

use std::sync::Arc;
use std::time::Duration;

use super::shared::{self, Shared};
use super::state::{Request, State};
use super::texts;
use super::thresholds::{self, Thresholds};
use crate::api::call::Ticket;
use crate::component::{Cx, Notice};
use crate::record::work::Done;
use crate::record::{Check, Id, Query, Record, Rows, Stored, TextKey};
use crate::text::Untrusted;

/// How long a disk that refused something is left alone.
const RETRY: Duration = Duration::from_secs(10);

impl State {
    /// Asks for what is on disk.
    pub(super) fn ask_kept(&mut self, cx: &mut Cx) {
        for (name, asked) in
            [(thresholds::KEPT, Request::Thresholds), (shared::KEPT, Request::View), (texts::KEPT, Request::BenchId)]
        {
            let ticket = cx.load(Query::Setting(name.into()));
            self.pending.insert(ticket, asked);
        }
    }

    /// Asks what the disk knows of texts, as far as that is not here.
    pub(super) fn ask_checks(&mut self, keys: impl IntoIterator<Item = TextKey>, cx: &mut Cx) {
        let wanted = self.results.wanted(keys);
        if !wanted.is_empty() {
            let ticket = cx.load(Query::Checks(wanted.clone()));
            self.pending.insert(ticket, Request::Checks(wanted));
        }
    }

    /// The same for all texts of the bench.
    pub(super) fn ask_bench(&mut self, cx: &mut Cx) {
        let keys: Vec<TextKey> = self.texts.all().iter().map(|text| text.key).collect();
        self.ask_checks(keys, cx);
    }

    /// Keeps all that is not kept yet.
    pub(super) fn keep(&mut self, cx: &mut Cx) {
        self.keep_due = None;
        if !self.loaded {
            // What is on disk comes first: it would be written over.
            return self.keep_soon(cx.now);
        }
        // What was refused before is older than what is new.
        let mut records = std::mem::take(&mut self.lost);
        records.extend(self.texts.records(cx));
        if std::mem::take(&mut self.shared.changed) {
            records.extend(settings(&self.shared));
        }
        if !records.is_empty() {
            self.owe(Record::Batch(records), cx);
        }
    }

    /// Keeps something; it stays here until it is on disk.
    pub(super) fn owe(&mut self, record: Record, cx: &mut Cx) {
        let ticket = cx.record(record.clone());
        self.unsaved.push(ticket);
        self.pending.insert(ticket, Request::Save);
        self.owed.insert(ticket, record);
    }

    /// Keeps checks, which are shown when they are on disk.
    pub(super) fn keep_checks(&mut self, checks: Vec<Check>, cx: &mut Cx) {
        let ticket = cx.record(Record::Checks(checks.clone()));
        self.unsaved.push(ticket);
        self.pending.insert(ticket, Request::Fresh(checks.into_iter().map(Arc::new).collect()));
    }

    pub(super) fn stored(&mut self, ticket: Ticket, mut stored: Stored, cx: &mut Cx) {
        if self.file.stored(ticket, &mut stored, &mut self.shared, cx) {
            return self.file_did(cx);
        }
        let Some(asked) = self.pending.take(ticket) else { return };
        if let Stored::Waiting(why) = stored {
            if let Request::Fresh(checks) = asked {
                // They are shown all the same.
                let record = Record::Checks(checks.iter().map(|check| Check::clone(check)).collect());
                self.owed.insert(ticket, record);
                self.came(checks);
            }
            return self.waits_for_disk(ticket, Request::Save, why);
        }
        self.unsaved.retain(|other| *other != ticket);
        self.waits.take_if(|_| self.unsaved.is_empty());
        let owed = self.owed.remove(&ticket);
        match (asked, stored) {
            (Request::Save, Stored::Failed(why)) => self.refused(owed, why, cx),
            (Request::Fresh(checks), Stored::Failed(why)) => {
                let record = Record::Checks(checks.iter().map(|check| Check::clone(check)).collect());
                self.refused(Some(record), why, cx);
                self.came(checks);
            }
            (Request::Fresh(checks), _) => {
                self.mend(cx);
                self.came(checks);
            }
            (Request::Save, _) => self.mend(cx),
            (asked, Stored::Rows(rows)) => self.rows(asked, rows, cx),
            (Request::BenchId | Request::Bench, Stored::Failed(why)) => {
                self.is_loaded(cx);
                cx.notify(Notice::error(format!("what was here last could not be read: {}", why.line())));
            }
            (Request::Checks(keys), Stored::Failed(why)) => {
                // What was known is asked for again from the server; nothing is lost.
                self.results.fill(&keys, Vec::new());
                cx.notify(Notice::error(why));
                self.wished(cx);
            }
            (_, Stored::Failed(why)) => cx.notify(Notice::error(why)),
            (_, Stored::Committed | Stored::Waiting(_)) => {}
        }
    }

    /// Why something here is not on disk.
    pub(super) fn refusal(&self) -> Option<&Untrusted> {
        self.save_error.as_ref().or(self.waits.as_ref())
    }

    /// The disk refuses something for now: the store keeps it and offers it again.
    fn waits_for_disk(&mut self, ticket: Ticket, asked: Request, why: Untrusted) {
        self.pending.insert(ticket, asked);
        self.waits = Some(why);
    }

    /// Checks are on disk, or could not be kept: they are shown.
    fn came(&mut self, checks: Vec<Arc<Check>>) {
        for check in checks {
            self.results.add(check);
        }
        self.revision += 1;
    }

    /// The disk refused something: it stays owed, and is offered again.
    fn refused(&mut self, owed: Option<Record>, why: Untrusted, cx: &mut Cx) {
        self.save_error = Some(why);
        self.lost.extend(owed);
        self.keep_due = Some(cx.now + RETRY);
    }

    /// The disk takes something again: what it refused is offered at once.
    fn mend(&mut self, cx: &mut Cx) {
        if self.lost.is_empty() {
            self.save_error = None;
        } else {
            self.keep(cx);
        }
    }

    fn rows(&mut self, asked: Request, rows: Rows, cx: &mut Cx) {
        match (asked, rows) {
            (Request::Thresholds, Rows::Setting(_, Some(json))) if !self.shared.changed => {
                self.shared.thresholds = Thresholds::kept(json.raw());
                self.revision += 1;
                self.file.changed(&self.shared);
            }
            (Request::View, Rows::Setting(_, Some(json))) if !self.shared.changed => {
                self.shared.kept = serde_json::from_str(json.raw()).unwrap_or_default();
                self.revision += 1;
                self.file.changed(&self.shared);
            }
            (Request::BenchId, Rows::Setting(_, Some(id))) => match id.line().parse() {
                Ok(id) => {
                    let ticket = cx.load(Query::Texts(Id(id)));
                    self.pending.insert(ticket, Request::Bench);
                }
                Err(_) => self.is_loaded(cx),
            },
            (Request::BenchId, _) => self.is_loaded(cx),
            (Request::Bench, Rows::Texts(found)) => {
                if let Some((list, rows)) = found {
                    self.texts.fill(list, rows);
                }
                self.is_loaded(cx);
            }
            (Request::Checks(keys), Rows::Checks(checks)) => {
                self.results.fill(&keys, checks);
                self.revision += 1;
                self.wished(cx);
            }
            _ => {}
        }
    }

    /// What was here last has come, or there is none.
    fn is_loaded(&mut self, cx: &mut Cx) {
        self.loaded = true;
        self.revision += 1;
        self.ask_bench(cx);
        for (name, text) in std::mem::take(&mut self.offered) {
            self.add(name, text, cx);
        }
        self.wished(cx);
    }

    pub(super) fn worked(&mut self, ticket: Ticket, done: Done, cx: &mut Cx) {
        if self.file.worked(ticket, &done, cx) {
            return self.file_did(cx);
        }
        match (self.pending.get(ticket), done) {
            (_, Done::Moved { .. }) => return,
            (Some(Request::Import), Done::Read(json)) => self.import(json.raw(), cx),
            (Some(Request::Import | Request::Export), Done::Failed(why)) => cx.notify(Notice::error(why)),
            (Some(Request::Export), Done::Saved(path)) => cx.notify(Notice::ok(format!("written to {}", path.line()))),
            _ => {}
        }
        self.pending.take(ticket);
    }

    /// The profiles of a file.
    fn import(&mut self, json: &str, cx: &mut Cx) {
        match thresholds::read(json) {
            Err(why) => cx.notify(Notice::error(format!("no thresholds were imported: {why}"))),
            Ok(profiles) => {
                let count = profiles.len();
                for profile in profiles {
                    self.shared.thresholds.add(profile);
                }
                self.share(cx);
                let name = &self.shared.thresholds.profile().name;
                let said = if count == 1 {
                    format!("“{name}” is in use")
                } else {
                    format!("{count} profiles came; “{name}” is in use")
                };
                cx.notify(Notice::ok(said).about("thresholds"));
            }
        }
    }
}

/// The orders that keep what both pages share.
fn settings(shared: &Shared) -> [Record; 2] {
    let view = serde_json::to_string(&shared.kept).expect("texts and numbers are always JSON");
    [
        Record::Setting(thresholds::KEPT.into(), shared.thresholds.json().into()),
        Record::Setting(shared::KEPT.into(), view.into()),
    ]
}
