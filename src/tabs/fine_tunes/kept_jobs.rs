//! What the tab keeps of jobs between starts, for commands: they name, create and delete as the tab does.

use super::persistence::read;
use super::saved_state::{SavedState, TuneSetting};
use crate::api::call::Ticket;
use crate::api::fine_tune::FineTuneRequest;
use crate::api::job::Job;
use crate::component::Cx;
use crate::record::{Query, Record, Rows, Stored};
use crate::settings::ProfileId;

/// What is kept of the jobs of one profile.
#[derive(Debug)]
pub struct KeptJobs {
    profile: ProfileId,
    saved: SavedState,
}

impl KeptJobs {
    /// Asks for what is kept of the jobs of the session's profile.
    pub fn load(cx: &mut Cx) -> Self {
        let mut saved = SavedState::default();
        for setting in [TuneSetting::Deleted, TuneSetting::Requests] {
            saved.loads.insert(cx.load(Query::Setting(setting.name().into())), setting);
        }
        Self { profile: cx.session.profile.clone(), saved }
    }

    /// Takes an answer of the store. Returns whether all is here since then.
    pub fn handle_stored(&mut self, ticket: Ticket, stored: &Stored) -> bool {
        let Some(setting) = self.saved.loads.take(ticket) else { return false };
        match (setting, stored) {
            (TuneSetting::Deleted, Stored::Rows(Rows::Setting(_, Some(json)))) => self.saved.deleted = read(json),
            (TuneSetting::Requests, Stored::Rows(Rows::Setting(_, Some(json)))) => self.saved.requests = read(json),
            // What could not be read is not written over.
            (setting, Stored::Failed(_)) => self.saved.unreadable.push(setting),
            _ => {}
        }
        !self.saved.loads.any(|_| true)
    }

    /// Gives a job the name that was asked for, where its server tells it only with the model.
    pub fn name(&self, job: &mut Job) {
        self.saved.name(&self.profile, job);
    }

    /// Returns whether the model of a job was deleted from here.
    pub fn is_deleted(&self, job: &str) -> bool {
        self.saved.deleted(&self.profile).iter().any(|id| id == job)
    }

    /// Keeps what was sent for a job.
    pub fn add_request(&mut self, job: &str, request: FineTuneRequest, cx: &mut Cx) {
        self.saved.remember(&self.profile, job, request);
        self.save(TuneSetting::Requests, self.saved.requests_json(), cx);
    }

    /// Keeps that the model of a job was deleted.
    pub fn add_deleted(&mut self, job: &str, cx: &mut Cx) {
        self.saved.add_deleted(&self.profile, job);
        self.save(TuneSetting::Deleted, self.saved.deleted_json(), cx);
    }

    fn save(&self, setting: TuneSetting, json: String, cx: &mut Cx) {
        if !self.saved.unreadable.contains(&setting) {
            cx.save(Record::Setting(setting.name().into(), json.into()));
        }
    }
}
