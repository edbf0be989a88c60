//! Changes of profiles in the config file: asked for, and what follows once they are written or refused.

use super::dialogs::PROFILE;
use super::profile_editor::ProfileEditor;
use super::profile_form::{ProfileForm, why_name_is_invalid};
use super::tickets::ShellRequest;
use super::{App, Effect, Profile};
use crate::api::call::Ticket;
use crate::component::session::Server;
use crate::component::{EditedProfile, Notice, ProfileChange};
use crate::record::Record;
use crate::settings::{ProfileId, origin};

impl App {
    /// Asks for a change of a profile; asks for another name if the new one cannot be used.
    pub(super) fn change_profile(&mut self, change: ProfileChange) {
        let (ask_again, from, to): (fn(&mut Self, &str, ProfileId), _, _) = match &change {
            ProfileChange::Rename(from, to) if from == to => return,
            ProfileChange::Rename(from, to) => (Self::ask_new_name, from, to),
            ProfileChange::Duplicate(from, to) => (Self::ask_copy_name, from, to),
            _ => return self.effects.push(Effect::ChangeProfile(change)),
        };
        match self.why_name_is_unusable(to) {
            Some(why) => {
                self.say(Notice::warn(why).about(PROFILE));
                ask_again(self, &to.0, from.clone());
            }
            None => self.effects.push(Effect::ChangeProfile(change)),
        }
    }

    /// Asks for a profile to be saved as the form has it.
    pub(super) fn save_profile(&mut self, edited: Box<EditedProfile>) {
        let is_renamed = edited.name != edited.opened.id;
        if let Some(why) = self.why_name_is_unusable(&edited.name).filter(|_| is_renamed) {
            return self.report_edit_not_saved(&edited, why.to_owned());
        }
        let is_moved = edited.opened.profile.base_url != edited.profile.base_url;
        let needs_idle = (is_renamed || is_moved) && edited.opened.exists();
        let what = if is_renamed { "rename it" } else { "change its base URL" };
        if let Some(why) = self.why_profile_is_busy(&edited.opened.id, what).filter(|_| needs_idle) {
            return self.report_edit_not_saved(&edited, why);
        }
        self.effects.push(Effect::ChangeProfile(ProfileChange::Edit(edited)));
    }

    /// Returns why a profile cannot get a name; `None`: it can.
    fn why_name_is_unusable(&self, name: &ProfileId) -> Option<&'static str> {
        let taken = || self.profile(name).map(|_| "there is a profile of this name already");
        why_name_is_invalid(&name.0).or_else(taken)
    }

    /// Takes in the profiles after a change of one, or reports why it was not made.
    pub(super) fn finish_profile_change(&mut self, change: &ProfileChange, result: Result<Vec<Profile>, String>) {
        let profiles = match (result, change) {
            (Ok(profiles), _) => profiles,
            (Err(why), ProfileChange::Edit(edited)) => return self.report_edit_not_saved(edited, why),
            (Err(why), _) => return self.keep_notice(Notice::error(why).about(PROFILE)),
        };
        self.set_profiles(profiles);
        let (selected, said) = match change {
            ProfileChange::Rename(from, to) => {
                self.follow_profile_rename(from, to);
                (to, Some(format!("{} is now called {}", from.0, to.0)))
            }
            ProfileChange::Duplicate(from, to) => (to, Some(format!("{} is saved, a copy of {}", to.0, from.0))),
            ProfileChange::Delete(id) => {
                let said = if *id == self.session.profile {
                    self.set_profile(&ProfileId::local());
                    format!("{} is deleted; the local service is in use", id.0)
                } else {
                    format!("{} is deleted", id.0)
                };
                (id, Some(said))
            }
            ProfileChange::Up(id) | ProfileChange::Down(id) => (id, None),
            ProfileChange::Edit(edited) => {
                self.finish_profile_edit(edited);
                (&edited.name, None)
            }
        };
        self.refresh_profiles(Some(selected));
        if let Some(said) = said {
            self.say(Notice::ok(said).about(PROFILE));
        }
    }

    /// Says why the settings of a profile were not saved: in their form, or in a notice if that was closed meanwhile.
    fn report_edit_not_saved(&mut self, edited: &EditedProfile, why: String) {
        let awaiting = self.dialogs.all_mut::<ProfileEditor>().find(|editor| editor.awaits(edited));
        match awaiting {
            Some(editor) => editor.show_refusal(why),
            None => self.keep_notice(Notice::error(why).about(PROFILE)),
        }
    }

    /// Closes the form of a profile that was saved, applies its settings, and asks for its key if there may be none.
    fn finish_profile_edit(&mut self, edited: &EditedProfile) {
        let is_awaited = self.dialogs.remove_if(|editor: &ProfileEditor| editor.awaits(edited));
        let EditedProfile { opened, name, profile } = edited;
        let mut said = format!("{} is saved", name.0);
        if opened.exists() {
            self.apply_profile_edit(edited);
        } else if is_awaited {
            // Whoever adds a profile wants to use it.
            self.set_profile(name);
            said.push_str(" and in use");
        }
        self.say(Notice::ok(said).about(PROFILE));
        let had_key = opened.exists() && opened.profile.key.is_same_store(&profile.key);
        let is_moved = origin(&opened.profile.base_url) != origin(&profile.base_url);
        if profile.key.stores_pasted_keys() && (!had_key || is_moved) {
            self.open_key_form(name);
        }
    }

    /// Applies the new settings of a profile to the session and the tabs.
    fn apply_profile_edit(&mut self, edited: &EditedProfile) {
        let EditedProfile { opened, name, profile } = edited;
        if *name != opened.id {
            self.follow_profile_rename(&opened.id, name);
        }
        let is_moved = opened.profile.base_url != profile.base_url;
        if is_moved {
            self.for_each_tab(|tab, cx| tab.server_changed(name, cx));
        }
        if self.session.profile != *name {
            return;
        }
        self.session.fine_tunes = profile.fine_tunes;
        if !profile.model.is_empty() {
            self.session.model = profile.model.as_str().into();
        }
        self.session.server = Server::Fine;
        self.forget_models();
        self.fetch_models();
        if is_moved {
            self.tell_tabs_profile();
        }
    }

    /// Moves what is kept and in use under a profile's old name to its new name.
    fn follow_profile_rename(&mut self, from: &ProfileId, to: &ProfileId) {
        self.session.facts.rename_profile(&from.0, &to.0);
        self.move_marks(&from.0, &to.0);
        let renamed = Record::ProfileRenamed { from: from.0.clone(), to: to.0.clone() };
        self.try_save(ShellRequest::Keep, renamed);
        if self.session.profile != *from {
            return;
        }
        self.session.profile.clone_from(to);
        self.session.profile_name = to.0.as_str().into();
        self.load_spent();
        self.tell_tabs_profile();
    }

    /// Takes in the profiles after one was added, closes its form and uses it; or reports why it was not saved.
    pub(super) fn finish_profile_add(&mut self, ticket: Ticket, result: Result<Vec<Profile>, String>) {
        let profiles = match result {
            Ok(profiles) => profiles,
            Err(why) => return self.report_form_not_saved(ticket, why),
        };
        let known: Vec<ProfileId> = self.profiles.iter().map(|profile| profile.id.clone()).collect();
        self.set_profiles(profiles);
        let new = self.profiles.iter().find(|profile| !known.contains(&profile.id)).cloned();
        self.refresh_profiles(new.as_ref().map(|new| &new.id));
        let is_awaited = self.dialogs.remove_if(|form: &ProfileForm| form.awaits(ticket));
        let Some(new) = new else { return };
        let mut said = format!("{} is saved", new.name.line());
        if is_awaited {
            // Whoever adds a profile wants to use it.
            self.set_profile(&new.id);
            said.push_str(" and in use");
        }
        self.say(Notice::ok(said).about(PROFILE));
    }

    /// Takes in the profiles after one got another key, closes its form and fetches its list of models again; or
    /// reports why the key was not saved.
    pub(super) fn finish_key_change(&mut self, ticket: Ticket, id: &ProfileId, result: Result<Vec<Profile>, String>) {
        let profiles = match result {
            Ok(profiles) => profiles,
            Err(why) => return self.report_form_not_saved(ticket, why),
        };
        self.set_profiles(profiles);
        self.refresh_profiles(Some(id));
        self.dialogs.remove_if(|form: &ProfileForm| form.awaits(ticket));
        let Some(profile) = self.profile(id) else { return };
        let said = format!("{} uses the new key", profile.name.line());
        self.say(Notice::ok(said).about(PROFILE));
        if *id == self.session.profile {
            self.forget_models();
            self.fetch_models();
        }
    }

    /// Says why a new profile or another key was not saved: in its form, or in a notice if that was closed meanwhile.
    fn report_form_not_saved(&mut self, ticket: Ticket, why: String) {
        let awaiting = self.dialogs.all_mut::<ProfileForm>().find(|form| form.awaits(ticket));
        match awaiting {
            Some(form) => form.show_refusal(why),
            None => self.keep_notice(Notice::error(why)),
        }
    }

    fn set_profiles(&mut self, profiles: Vec<Profile>) {
        self.profiles = profiles;
        self.update_session_profiles();
    }
}
