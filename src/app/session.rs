//! Keeps the session up to date: profile, model, list of models, today's cost, and whether the server can be reached.

use super::dialogs::PROFILE;
use super::tickets::ShellRequest;
use super::{App, Effect, Profile};
use crate::api::call::{Call, FailureKind, Progress, Reply};
use crate::component::session::{self, Server};
use crate::component::{Notice, Session, StartupChoice};
use crate::record::{Query, Record, Rows, Stored};
use crate::settings::ProfileId;
use crate::text::Untrusted;
use crate::tokens::Prices;

/// Subject of notices about why there is no list of models.
pub(super) const MODELS: &str = "models";

/// Returns the name of the setting for a profile's model.
pub(crate) fn model_setting(profile: &ProfileId) -> String {
    format!("model:{}", profile.0)
}

/// Tells the session what is known of the profiles: names, servers, prices, and parameters of models.
pub fn set_profiles(session: &mut Session, profiles: &[Profile], unix_ms: i64) {
    session.profiles = profiles.iter().map(|profile| (profile.id.clone(), profile.name.clone())).collect();
    let servers = profiles.iter().map(|profile| (profile.id.0.clone(), profile.host.line().into_owned()));
    session.facts.set_servers(servers);
    let tariffs = profiles.iter().map(|profile| (profile.id.clone(), profile.tariff.clone()));
    session.prices = Prices::new(tariffs, session.zone.day(unix_ms));
    session.defaults = profiles.iter().map(|profile| (profile.id.clone(), profile.params.clone())).collect();
}

impl App {
    /// Enters the first tab and loads what is stored: effects are carried out from now on.
    pub(super) fn handle_start(&mut self) {
        self.set_title();
        self.enter_tab(self.front);
        self.for_each_tab(|tab, cx| tab.begin(cx));
        self.load_facts();
        self.load_model_marks();
        self.load_profile_state();
    }

    /// Loads the cost, the model and the list of models of the profile in use.
    fn load_profile_state(&mut self) {
        self.load_spent();
        if self.session.model.is_empty() {
            let profile = self.session.profile.clone();
            self.load(ShellRequest::LastModel(profile.clone()), Query::Setting(model_setting(&profile)));
            self.fetch_models();
        } else if self.session.local {
            self.fetch_models();
        }
        // A remote server's list is fetched only when it is needed: idling costs no request and no memory.
    }

    /// Fetches the list of models, unless it is being fetched.
    pub(super) fn fetch_models(&mut self) {
        let profile = self.session.profile.clone();
        let request = ShellRequest::Models(profile.clone());
        if !self.requests.has_shell_request(|other| *other == request) {
            self.call(request, profile, Call::Models);
        }
    }

    /// Asks the store what the profile in use cost today.
    pub(super) fn load_spent(&mut self) {
        let profile = self.session.profile.clone();
        // A price may apply from today on.
        self.session.prices.on(self.session.zone.day(self.unix_ms));
        let since_ms = self.session.zone.start_of_day(self.unix_ms);
        self.load(ShellRequest::Spent(profile.clone()), Query::Spent { profile: profile.0, since_ms });
    }

    /// Notes from a call's progress whether the server can be reached, and whether it accepts the key.
    pub(super) fn note_server_state(&mut self, profile: &ProfileId, progress: &Progress) {
        if let Progress::Closed(Err(why)) = progress
            && why.kind == FailureKind::Auth
        {
            // A command may print another key by now, or keys.toml contain one: the next call looks the key up again.
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

    /// Takes in the list of models of the profile in use, or shows why there is none.
    pub(super) fn handle_models_progress(&mut self, profile: &ProfileId, progress: Progress) {
        match progress {
            Progress::Reply(Reply::Models(models)) => {
                self.learn_limits(profile, &models);
                self.session.models = models.iter().map(|model| model.id.as_str().into()).collect();
                self.models.listed = models;
                self.choose_first_model();
                self.notices.resolve(MODELS);
                self.refresh_models(None);
                self.tell_tabs_models();
            }
            Progress::Closed(Ok(())) => self.tell_tabs_models(),
            Progress::Closed(Err(why)) => {
                self.tell_tabs_models();
                // The list itself shows it, or the failed call in the tab in front.
                let is_shown =
                    self.shows_missing_models() || self.requests.shown_failure.as_ref() == Some(&why.cause());
                if !is_shown {
                    let said = format!("no list of models: {}", why.sentence.line());
                    self.say(Notice::error(said).about(MODELS));
                }
                self.refresh_models(Some(why.sentence));
            }
            _ => {}
        }
    }

    /// Returns whether an open dialog says why there is no list of models.
    pub(super) fn shows_missing_models(&self) -> bool {
        self.is_choosing_model() && self.session.models.is_empty()
    }

    /// Notes the failure of a call of the tab in front, which shows it: a notice about the missing list of models that
    /// gives the same reason is no longer needed.
    pub(super) fn note_shown_failure(&mut self, progress: &Progress) {
        match progress {
            Progress::Closed(Err(why)) | Progress::Retrying { why, .. } => {
                let cause = why.cause();
                self.notices.resolve_reason(MODELS, &cause);
                self.requests.shown_failure = Some(cause);
            }
            _ => self.requests.shown_failure = None,
        }
    }

    /// Chooses the server's first chat model if no model is chosen.
    fn choose_first_model(&mut self) {
        let is_loading = self.requests.has_shell_request(|request| matches!(request, ShellRequest::LastModel(_)));
        if self.session.model.is_empty() && !is_loading {
            let models = &self.session.models;
            let which = |suits: fn(&Untrusted) -> bool| models.iter().find(|id| suits(id));
            let first = which(session::chats).or_else(|| which(session::may_chat)).or(models.first());
            self.session.model = first.cloned().unwrap_or_default();
        }
    }

    /// Uses the model that the profile in use was last used with, as the store has it; without one, the server's first.
    pub(super) fn use_last_model(&mut self, answer: Stored) {
        if let (true, Stored::Rows(Rows::Setting(_, Some(model)))) = (self.session.model.is_empty(), answer) {
            self.session.model = model;
        }
        self.choose_first_model();
        self.tell_tabs_models();
    }

    /// Tells the tabs when the model is known, or will not be: one may wait for it.
    fn tell_tabs_models(&mut self) {
        let may_bring_one =
            |request: &ShellRequest| matches!(request, ShellRequest::LastModel(_) | ShellRequest::Models(_));
        if !self.session.model.is_empty() || !self.requests.has_shell_request(may_bring_one) {
            self.for_each_tab(|tab, cx| tab.models(cx));
        }
    }

    /// Uses a model in the tab in front from now on, and at the next start. Calls in flight keep theirs.
    pub(super) fn set_model(&mut self, model: Untrusted) {
        self.set_tab_model(self.front, model);
    }

    /// Uses a model in a tab from now on, and at the next start. Calls in flight keep theirs.
    pub(super) fn set_tab_model(&mut self, tab: usize, model: Untrusted) {
        if self.with_tab(tab, |tab, cx| tab.choose(&model, cx)) {
            return;
        }
        let id = self.session.profile.clone();
        if let Some(profile) = self.profiles.iter_mut().find(|profile| profile.id == id) {
            profile.model.clone_from(&model);
        }
        self.session.model.clone_from(&model);
        if id.is_reserved() {
            // These are not in the config file.
            self.try_save(ShellRequest::Keep, Record::Setting(model_setting(&id), model));
        } else {
            self.effects.push(Effect::Remember(StartupChoice::Model(id, model)));
        }
    }

    /// Returns the model that the tab in front uses.
    pub(super) fn model(&self) -> Untrusted {
        self.tab_model(self.front)
    }

    /// Returns the model that a tab uses.
    pub(super) fn tab_model(&self, tab: usize) -> Untrusted {
        self.tabs[tab].model(&self.session).unwrap_or_else(|| self.session.model.clone())
    }

    /// Updates what the session knows of the profiles: names, servers, prices, and parameters of models.
    pub(super) fn update_session_profiles(&mut self) {
        set_profiles(&mut self.session, &self.profiles, self.unix_ms);
    }

    /// Uses a profile from now on, and at the next start. Calls in flight continue at their server.
    pub(super) fn set_profile(&mut self, id: &ProfileId) {
        let Some(profile) = self.profile(id).cloned() else { return };
        let name = profile.name.line().into_owned();
        if profile.id == self.session.profile {
            let said = Notice::info(format!("{name} is already in use")).about(PROFILE);
            return self.say(said);
        }
        // At the next start a server named by the environment takes precedence anyway.
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
        self.say(Notice::ok(format!("{name} is in use")).about(PROFILE));
        self.load_profile_state();
        self.tell_tabs_profile();
    }

    /// Tells the tabs that another profile is in use. The one in front is shown if the server has what it needs.
    pub(super) fn tell_tabs_profile(&mut self) {
        let is_shown = self.check_endpoint(self.front);
        for index in 0..self.tabs.len() {
            let in_front = index == self.front && is_shown;
            self.with_tab(index, |tab, cx| tab.profile_changed(in_front, cx));
        }
    }

    /// Forgets the list of models, which belongs to another server or key, and cancels requests for it.
    pub(super) fn forget_models(&mut self) {
        self.session.models.clear();
        self.models.listed.clear();
        self.cancel_requests(|request| matches!(request, ShellRequest::Models(_)));
    }
}
