//! Keeps the session up to date: profile and model, the list of models, today's cost, whether the server can be
//! reached.

use super::dialogs::PROFILE;
use super::tickets::{OpenTicket, ShellRequest, TicketOwner};
use super::{App, Effect};
use crate::api::call::{Call, FailureKind, Progress, Reply, TRIED, Ticket};
use crate::component::session::{self, Server};
use crate::component::{Notice, StartupChoice};
use crate::record::{Query, Record, Rows, Stored};
use crate::settings::ProfileId;
use crate::text::Untrusted;
use crate::tokens::Prices;

/// Subject of notices about why there is no list of models.
pub(super) const MODELS: &str = "models";

/// Returns the sentence of a failure without how often the call was tried.
fn cause(sentence: &str) -> &str {
    sentence.split(TRIED).next().unwrap_or(sentence)
}

/// Returns the name of the setting for a profile's model.
fn model_setting(profile: &ProfileId) -> String {
    format!("model:{}", profile.0)
}

/// Returns whether a record contains a ledger row.
pub(super) fn has_ledger(record: &Record) -> bool {
    match record {
        Record::Ledger(_) => true,
        Record::Batch(records) => records.iter().any(has_ledger),
        _ => false,
    }
}

impl App {
    /// Asks for what the first frame did without; called once effects are carried out.
    pub(super) fn started(&mut self) {
        self.effects.push(Effect::Title(self.title()));
        self.enter(self.front);
        self.each_tab(|tab, cx| tab.begin(cx));
        self.ask_facts();
        self.ask_model_marks();
        self.look_up();
    }

    /// Asks for what is to be known about the profile in use.
    fn look_up(&mut self) {
        self.ask_spent();
        if self.session.model.is_empty() {
            let profile = self.session.profile.clone();
            let ticket = self.request(ShellRequest::LastModel(profile.clone()));
            self.effects.push(Effect::Load(ticket, Query::Setting(model_setting(&profile))));
            self.ask_models();
        } else if self.session.local {
            self.ask_models();
        }
        // A remote server's list is fetched only when it is needed: idling costs no request and no memory.
    }

    /// Fetches the list of models, unless it is being fetched.
    pub(super) fn ask_models(&mut self) {
        let profile = self.session.profile.clone();
        let request = ShellRequest::Models(profile.clone());
        if self.requests.open.values().any(|open| open.owner == TicketOwner::Shell(request.clone())) {
            return;
        }
        let ticket = self.request(request);
        if let Some(open) = self.requests.open.get_mut(&ticket) {
            open.profile = Some(profile.clone());
        }
        self.effects.push(Effect::Call(ticket, profile, Call::Models));
    }

    /// Asks the store what the profile cost today.
    pub(super) fn ask_spent(&mut self) {
        let profile = self.session.profile.clone();
        let ticket = self.request(ShellRequest::Spent(profile.clone()));
        // A price may apply from today on.
        self.session.prices.on(self.session.zone.day(self.unix_ms));
        let since_ms = self.session.zone.start_of_day(self.unix_ms);
        self.effects.push(Effect::Load(ticket, Query::Spent { profile: profile.0, since_ms }));
    }

    /// Notes from a call's progress whether the server can be reached, and whether it accepts the key.
    pub(super) fn note_server_state(&mut self, profile: &ProfileId, progress: &Progress) {
        if let Progress::Closed(Err(why)) = progress
            && why.kind == FailureKind::Auth
        {
            // A command's key may have expired, a variable have been corrected in its file: the next call reads it
            // again.
            self.effects.push(Effect::ForgetKey(profile.clone()));
        }
        if *profile != self.session.profile {
            return;
        }
        match progress {
            Progress::Opened { .. } | Progress::Reply(_) | Progress::Closed(Ok(())) => {
                self.session.server = Server::Fine;
            }
            Progress::Closed(Err(why)) | Progress::Retrying { why, .. } => {
                self.session.server = match (why.kind, why.status) {
                    (FailureKind::Offline, _) => Server::Offline,
                    (FailureKind::Auth, None) => Server::NoKey,
                    (FailureKind::Auth, Some(401)) => Server::KeyRefused,
                    // The server was reached, and refused something else: a 403 may concern one model.
                    _ => Server::Fine,
                };
            }
            Progress::Moved { .. } | Progress::Adapted(_) | Progress::Learned(_) => {}
        }
    }

    pub(super) fn shell_progress(&mut self, request: ShellRequest, progress: Progress) {
        let profile = match request {
            ShellRequest::Models(profile) => profile,
            ShellRequest::Probe(_) => return self.probe_progress(progress),
            ShellRequest::Check => return self.checked(progress),
            _ => return,
        };
        if profile != self.session.profile {
            return;
        }
        match progress {
            Progress::Reply(Reply::Models(models)) => {
                self.learn_limits(&profile, &models);
                self.session.models = models.iter().map(|model| model.id.as_str().into()).collect();
                self.models.listed = models;
                self.settle_model();
                self.notices.settle(MODELS);
                self.refill_models(None);
                self.tell_models();
            }
            Progress::Closed(Ok(())) => self.tell_models(),
            Progress::Closed(Err(why)) => {
                self.tell_models();
                // The list itself shows it, or the failed call in the tab in front.
                let is_shown = self.shows_missing_models()
                    || self.requests.failed.as_ref().is_some_and(|shown| cause(shown) == cause(&why.sentence.line()));
                if !is_shown {
                    let said = format!("no list of models: {}", why.sentence.line());
                    self.notices.say(Notice::error(said).about(MODELS), self.now, self.unix_ms);
                }
                self.refill_models(Some(why.sentence));
            }
            _ => {}
        }
    }

    /// Whether an open dialog says why there is no list of models.
    pub(super) fn shows_missing_models(&self) -> bool {
        self.is_choosing_model() && self.session.models.is_empty()
    }

    /// Notes the failure of a call of the tab in front, which shows it: a notice about the missing list of models that
    /// gives the same reason is no longer needed.
    pub(super) fn note_shown_failure(&mut self, progress: &Progress) {
        match progress {
            Progress::Closed(Err(why)) | Progress::Retrying { why, .. } => {
                let sentence = why.sentence.line();
                self.notices.settle_for(MODELS, cause(&sentence));
                self.requests.failed = Some(sentence.into_owned());
            }
            _ => self.requests.failed = None,
        }
    }

    /// Chooses the server's first chat model if no model is chosen.
    fn settle_model(&mut self) {
        let waits = self
            .requests
            .open
            .values()
            .any(|open| matches!(open.owner, TicketOwner::Shell(ShellRequest::LastModel(_))));
        if self.session.model.is_empty() && !waits {
            let mut ids = self.session.models.iter();
            let first = ids.clone().find(|id| session::chats(id)).or_else(|| ids.next());
            self.session.model = first.cloned().unwrap_or_default();
        }
    }

    /// Tells the tabs when the model is known, or will not be: one may wait for it.
    fn tell_models(&mut self) {
        let asking = |open: &OpenTicket| {
            matches!(open.owner, TicketOwner::Shell(ShellRequest::LastModel(_) | ShellRequest::Models(_)))
        };
        if !self.session.model.is_empty() || !self.requests.open.values().any(asking) {
            self.each_tab(|tab, cx| tab.models(cx));
        }
    }

    pub(super) fn shell_stored(&mut self, request: ShellRequest, stored: Stored) {
        match (request, stored) {
            (ShellRequest::Spent(profile), Stored::Rows(Rows::Spent(spent))) if profile == self.session.profile => {
                self.session.today = spent;
            }
            (ShellRequest::LastModel(profile), answer) if profile == self.session.profile => {
                if let (true, Stored::Rows(Rows::Setting(_, Some(model)))) = (self.session.model.is_empty(), answer) {
                    self.session.model = model;
                }
                self.settle_model();
                self.tell_models();
            }
            (ShellRequest::Facts, stored) => self.facts_loaded(stored),
            (ShellRequest::ModelMarks, Stored::Rows(Rows::Settings(settings))) => {
                self.models.read(settings);
                self.refill_models(None);
            }
            (ShellRequest::Charge, Stored::Failed(why) | Stored::Waiting(why)) => {
                let said = format!("the cost of a probe could not be saved: {}", why.line());
                self.notices.say(Notice::warn(said), self.now, self.unix_ms);
            }
            (ShellRequest::Keep, Stored::Failed(why) | Stored::Waiting(why)) => {
                self.notices.say(
                    Notice::warn(format!("the choice could not be saved: {}", why.line())),
                    self.now,
                    self.unix_ms,
                );
            }
            _ => {}
        }
    }

    /// Uses a model from now on, and at the next start. Calls in flight keep theirs.
    pub(super) fn set_model(&mut self, model: Untrusted) {
        self.set_model_of(self.front, model);
    }

    /// Uses a model in a tab from now on, and at the next start. Calls in flight keep theirs.
    pub(super) fn set_model_of(&mut self, tab: usize, model: Untrusted) {
        let mut kept = false;
        self.tab(tab, |tab, cx| kept = tab.choose(&model, cx));
        if kept {
            return;
        }
        let id = self.session.profile.clone();
        if let Some(profile) = self.profiles.iter_mut().find(|profile| profile.id == id) {
            profile.model.clone_from(&model);
        }
        self.session.model.clone_from(&model);
        if id == ProfileId::local() || id == ProfileId::env() {
            // These are not in the config file.
            let ticket = self.request(ShellRequest::Keep);
            self.effects.push(Effect::Record(ticket, Record::Setting(model_setting(&id), model)));
        } else {
            self.effects.push(Effect::Remember(StartupChoice::Model(id, model)));
        }
    }

    /// Returns the model that the tab in front uses.
    pub(super) fn model(&self) -> Untrusted {
        self.model_of(self.front)
    }

    /// Returns the model that a tab works with.
    pub(super) fn model_of(&self, tab: usize) -> Untrusted {
        self.tabs[tab].model(&self.session).unwrap_or_else(|| self.session.model.clone())
    }

    /// Gives the session the names of all profiles, the prices of their servers and the parameters of their models.
    pub(super) fn name_profiles(&mut self) {
        let named = self.profiles.iter().map(|profile| (profile.id.clone(), profile.name.clone()));
        self.session.profiles = named.collect();
        let servers = self.profiles.iter().map(|profile| (profile.id.0.clone(), profile.host.line().into_owned()));
        self.session.facts.set_servers(servers);
        let tariffs = self.profiles.iter().map(|profile| (profile.id.clone(), profile.tariff.clone()));
        self.session.prices = Prices::new(tariffs, self.session.zone.day(self.unix_ms));
        let defaults = self.profiles.iter().map(|profile| (profile.id.clone(), profile.params.clone()));
        self.session.defaults = defaults.collect();
    }

    /// Uses a profile from now on, and at the next start. Calls in flight continue at their server.
    pub(super) fn set_profile(&mut self, id: &ProfileId) {
        let Some(profile) = self.profiles.iter().find(|profile| profile.id == *id).cloned() else { return };
        let used = profile.name.line().into_owned();
        if profile.id == self.session.profile {
            let said = Notice::info(format!("{used} is already in use")).about(PROFILE);
            return self.notices.say(said, self.now, self.unix_ms);
        }
        // A server named by the environment takes precedence anyway.
        if profile.id != ProfileId::env() {
            self.effects.push(Effect::Remember(StartupChoice::Profile(profile.id.clone())));
        }
        self.session.profile = profile.id;
        self.session.profile_name = profile.name;
        self.session.local = profile.local;
        self.session.fine_tunes = profile.fine_tunes;
        self.session.model = profile.model;
        self.session.server = Server::Fine;
        self.session.today = None;
        self.forget_models();
        self.notices.say(Notice::ok(format!("{used} is in use")).about(PROFILE), self.now, self.unix_ms);
        self.look_up();
        self.tell_profile();
    }

    /// Tells the tabs which profile is in use. The one in front is shown if the server has what it needs.
    pub(super) fn tell_profile(&mut self) {
        let is_shown = self.check_endpoint(self.front);
        for index in 0..self.tabs.len() {
            let in_front = index == self.front && is_shown;
            self.tab(index, |tab, cx| tab.profile_changed(in_front, cx));
        }
    }

    /// Forgets the list of models, which is of another server or key, and cancels requests for it.
    pub(super) fn forget_models(&mut self) {
        self.session.models.clear();
        self.models.listed.clear();
        let requests: Vec<Ticket> = self
            .requests
            .open
            .iter()
            .filter(|(_, open)| matches!(open.owner, TicketOwner::Shell(ShellRequest::Models(_))))
            .map(|(ticket, _)| *ticket)
            .collect();
        for ticket in requests {
            self.requests.open.remove(&ticket);
            self.effects.push(Effect::Cancel(ticket));
        }
    }
}
