//! What is kept between starts: which jobs ran, and the page of a new job as far as it was filled in.

use std::collections::BTreeMap;
use std::time::Instant;

use super::create::JobDraft;
use super::saved_state::{JSON, RunningJobs, TuneSetting};
use super::state::State;
use crate::api::call::Ticket;
use crate::component::{Cx, Notice};
use crate::record::{Query, Record, Rows, Stored};
use crate::settings::ProfileId;
use crate::text::Untrusted;

impl State {
    /// Asks for what is on disk.
    pub(super) fn load_saved(&mut self, cx: &mut Cx) {
        for setting in TuneSetting::ALL {
            self.saved.loads.insert(cx.load(Query::Setting(setting.name().into())), setting);
        }
    }

    /// Saves all that is not saved yet.
    pub(super) fn save(&mut self, cx: &mut Cx) {
        self.saved.due = None;
        // What is on disk comes first: it would be written over.
        if !self.saved.loaded || !std::mem::take(&mut self.saved.dirty) {
            return;
        }
        // What could not be read stays as it is on the disk.
        for setting in TuneSetting::ALL.into_iter().filter(|setting| !self.saved.unreadable.contains(setting)) {
            let json = self.json(setting);
            self.saved.saves.save(Record::Setting(setting.name().into(), json.into()), cx);
        }
    }

    fn json(&self, setting: TuneSetting) -> String {
        match setting {
            TuneSetting::Order => serde_json::to_string(&self.lists.order()),
            TuneSetting::Deleted => return self.saved.deleted_json(),
            TuneSetting::Requests => return self.saved.requests_json(),
            TuneSetting::Drafts => serde_json::to_string(&self.create.drafts()),
            TuneSetting::Running => serde_json::to_string(&self.saved.running(&self.lists)),
        }
        .expect(JSON)
    }

    pub(super) fn handle_stored(&mut self, ticket: Ticket, stored: Stored, cx: &mut Cx) {
        if self.saved.saves.stored(ticket, &stored) || self.create.handle_stored(ticket, &stored) {
            return;
        }
        if self.saved.running_query.take_if(|asked| *asked == ticket).is_some() {
            return self.take_running_jobs(&stored, cx);
        }
        let Some(setting) = self.saved.loads.take(ticket) else { return };
        match stored {
            Stored::Rows(Rows::Setting(_, Some(json))) => self.restore(setting, &json, cx),
            Stored::Failed(why) => {
                self.saved.unreadable.push(setting);
                let (what, about) = match setting {
                    TuneSetting::Drafts => ("the settings of a new fine-tune", "tune drafts"),
                    TuneSetting::Running => ("which jobs ran before", "tune known"),
                    TuneSetting::Order | TuneSetting::Deleted | TuneSetting::Requests => return,
                };
                let said = format!("{what} could not be read and will not be saved: {}", why.line());
                cx.notify(Notice::error(said).about(about));
            }
            _ => {}
        }
        if setting == TuneSetting::Running {
            self.saved.loaded = true;
            self.saved.hand_over(&mut self.lists);
            self.request_jobs(cx);
        }
    }

    fn restore(&mut self, setting: TuneSetting, json: &Untrusted, cx: &Cx) {
        match setting {
            TuneSetting::Order => self.lists.set_order(read(json)),
            TuneSetting::Deleted => self.saved.deleted = read(json),
            TuneSetting::Requests => self.saved.requests = read(json),
            TuneSetting::Drafts => {
                let drafts: BTreeMap<String, JobDraft> = read(json);
                self.create.restore(drafts, cx.session);
            }
            TuneSetting::Running => self.saved.unseen = read(json),
        }
    }

    /// Marks the model of a job as deleted, over restarts, too.
    pub(super) fn mark_deleted(&mut self, profile: &ProfileId, id: &str, now: Instant) {
        if let Some(row) = self.list_of(profile).and_then(|list| list.jobs.get_mut(id)) {
            row.deleted = true;
        }
        self.saved.add_deleted(profile, id);
        self.saved.save_soon(now);
    }

    /// Asks, at the start of the program, about the profile's jobs that ran when it last ended, if there are any.
    pub(super) fn load_running_jobs(&mut self, cx: &mut Cx) {
        if !self.entered {
            self.saved.running_query = Some(cx.load(Query::Setting(TuneSetting::Running.name().into())));
        }
    }

    fn take_running_jobs(&mut self, stored: &Stored, cx: &mut Cx) {
        let Stored::Rows(Rows::Setting(_, Some(json))) = stored else { return };
        let known: RunningJobs = read(json);
        if known.get(&cx.session.profile.0).is_some_and(|jobs| !jobs.is_empty()) && !self.entered {
            self.enter(cx);
        }
    }
}

/// Reads a setting; one that is not as expected counts as none.
pub(super) fn read<T: serde::de::DeserializeOwned + Default>(json: &Untrusted) -> T {
    serde_json::from_str(json.raw()).unwrap_or_default()
}
