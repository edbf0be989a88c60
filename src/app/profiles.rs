//! What the list of profiles asks for, and what becomes of it.

use std::path::Path;

use super::dialog_answer::{DialogAnswer, ProfileAnswer};
use super::dialogs::{PROFILE, PickerDialog};
use super::profile_editor::ProfileEditor;
use super::profile_editor_rows::HEADERS;
use super::profile_form::{ProfileForm, unusable_name};
use super::profile_test::TestDialog;
use super::profiles_page::ProfilesPage;
use super::tickets::{ShellRequest, TicketOwner};
use super::{App, Effect, Profile};
use crate::api::call::{Call, Progress, Reply};
use crate::api::capability::Subject;
use crate::component::facts::FactKey;
use crate::component::session::Server;
use crate::component::{ConfirmDialog, EditedProfile, EditorDialog, LinePrompt, Notice, ProfileChange};
use crate::settings::edit_fields::OpenedProfile;
use crate::settings::templates::{TEMPLATES, Template};
use crate::settings::{KeySource, ProfileId, keyring, origin};
use crate::text::Untrusted;
use crate::ui::editor::Editor;
use crate::ui::overlay::Confirm;
use crate::ui::picker::{Item, Picker};
use crate::ui::text_field::TextField;

impl App {
    /// Opens the list of profiles.
    pub(super) fn open_profiles(&mut self) {
        self.dialogs.open(ProfilesPage::new(&self.profiles, &self.session.profile));
    }

    /// Uses the profile that stands so many places behind the one in use, from the last on to the first.
    pub(super) fn step_profile(&mut self, by: isize) {
        let len = self.profiles.len() as isize;
        let at = self.profiles.iter().position(|profile| profile.id == self.session.profile).unwrap_or_default();
        if len < 2 {
            let said = Notice::info("this is the only profile; add one with Ctrl+P → Profile: add").about(PROFILE);
            return self.notices.say(said, self.now, self.unix_ms);
        }
        let next = (at as isize + by).rem_euclid(len) as usize;
        let id = self.profiles[next].id.clone();
        self.set_profile(&id);
    }

    /// Carries out an answer of the list or of what it opens.
    pub(super) fn profile_answer(&mut self, answer: ProfileAnswer) {
        match answer {
            ProfileAnswer::Use(id) => self.set_profile(&id),
            ProfileAnswer::Add => self.dialogs.open(ProfileForm::new(self.session.found.env_key)),
            ProfileAnswer::Templates => self.choose_template(),
            ProfileAnswer::Template(at) => {
                if let Some(template) = TEMPLATES.get(at) {
                    let name = self.free_name(template.name);
                    self.dialogs.open(ProfileEditor::fresh(template.profile(), &name, template.note));
                }
            }
            ProfileAnswer::Edit(id) => self.effects.push(Effect::OpenProfile(id)),
            ProfileAnswer::Save(edited) => self.save_profile(edited),
            ProfileAnswer::EditText(row) => self.edit_text(row),
            ProfileAnswer::Text(row, text) => {
                if let Some(editor) = self.dialogs.find_mut::<ProfileEditor>() {
                    editor.take(row, text);
                }
            }
            ProfileAnswer::NewKey(id) => {
                if let Some(profile) = self.profile(&id).cloned() {
                    self.dialogs.open(ProfileForm::new_key(profile, self.session.found.env_key));
                }
            }
            ProfileAnswer::AskDuplicate(id) => {
                let name = format!("{}-copy", id.0);
                self.ask_copy_name(&name, id);
            }
            ProfileAnswer::AskRename(id) => self.ask_rename(id),
            ProfileAnswer::AskDelete(id) => self.ask_delete(id),
            ProfileAnswer::Change(change) => self.change_profile(change),
            ProfileAnswer::Test(id) => {
                if let Some(profile) = self.profile(&id).cloned() {
                    self.dialogs.open(TestDialog::new(profile));
                }
            }
            ProfileAnswer::StartTest(id) => self.start_test(id),
            ProfileAnswer::StopTest => self.stop_test(),
            ProfileAnswer::Cannot(why) => {
                self.notices.say(Notice::info(why).about(PROFILE), self.now, self.unix_ms);
            }
        }
    }

    fn profile(&self, id: &ProfileId) -> Option<&Profile> {
        self.profiles.iter().find(|profile| profile.id == *id)
    }

    /// How many requests to a profile's server are under way.
    fn running(&self, id: &ProfileId) -> usize {
        self.requests.open.values().filter(|open| open.profile.as_ref() == Some(id)).count()
    }

    /// Says why a profile must keep its name and its server for now, and when one can do `what`; `None`: it need not.
    fn held(&self, id: &ProfileId, what: &str) -> Option<String> {
        if self.running(id) > 0 {
            // What belongs together would go on under two names, or at another server.
            return Some(format!("requests to {} are running; {what} when they are done", id.0));
        }
        let tab = self.tabs.iter().find(|tab| tab.needs_profile(id))?;
        Some(format!("{} has paused work that continues with {}; {what} when it is done", tab.title(), id.0))
    }

    fn ask_rename(&mut self, id: ProfileId) {
        if let Some(why) = self.held(&id, "rename it") {
            return self.notices.say(Notice::warn(why).about(PROFILE), self.now, self.unix_ms);
        }
        let name = id.0.clone();
        self.ask_new_name(&name, id);
    }

    fn ask_new_name(&mut self, name: &str, id: ProfileId) {
        let prompt = Self::name_prompt("New name", name, id, ProfileChange::Rename);
        self.dialogs.open(prompt.example("work").saying("Saved vectors, checks and costs stay under the old name."));
    }

    fn ask_copy_name(&mut self, name: &str, id: ProfileId) {
        let prompt = Self::name_prompt("Name of the copy", name, id, ProfileChange::Duplicate);
        self.dialogs.open(prompt.example("work-2").saying("Letters, digits, - _ . in any language."));
    }

    /// A prompt for a name that answers with the change that it makes.
    fn name_prompt(
        title: &str,
        name: &str,
        id: ProfileId,
        change: fn(ProfileId, ProfileId) -> ProfileChange,
    ) -> LinePrompt<DialogAnswer> {
        let answer = move |text: &str, _| {
            let to = ProfileId(text.trim().to_owned());
            DialogAnswer::Profile(ProfileAnswer::Change(change(id.clone(), to)))
        };
        LinePrompt::new(title, "save", TextField::new(name), answer).required()
    }

    fn ask_delete(&mut self, id: ProfileId) {
        let Some(profile) = self.profile(&id) else { return };
        let mut lines: Vec<Untrusted> = Vec::new();
        // What matters most comes first: a small screen has no room for all.
        if id == self.session.profile {
            lines.push("In use now; the local service will be used instead.".into());
        }
        match self.running(&id) {
            0 => {}
            1 => lines.push("One request is running with it and continues to its end; new ones fail.".into()),
            many => lines.push(format!("{many} requests are running with it and continue; new ones fail.").into()),
        }
        if let Some(tab) = self.tabs.iter().find(|tab| tab.needs_profile(&id)) {
            lines.push(format!("{} has paused work that needs it and cannot continue without it.", tab.title()).into());
        }
        if matches!(profile.key, KeySource::Kept(_)) {
            lines.push("Its key in keys.toml is deleted too.".into());
        }
        if matches!(profile.key, KeySource::Keyring(_)) {
            lines.push("Its key in the system's keyring stays there.".into());
        }
        let config = self.session.found.config.line();
        let file = Path::new(&*config).file_name().unwrap_or_default().to_string_lossy();
        lines.push(format!("It is removed from {file}; its conversations, results and costs stay.").into());
        let title = format!("Delete {}?", profile.name.line());
        let yes = DialogAnswer::Profile(ProfileAnswer::Change(ProfileChange::Delete(id)));
        self.dialogs.open(ConfirmDialog::new(Confirm::new(title, lines, "Delete"), yes));
    }

    /// Has a profile changed, if its new name can be one.
    fn change_profile(&mut self, change: ProfileChange) {
        if let ProfileChange::Rename(from, to) | ProfileChange::Duplicate(from, to) = &change {
            if from == to && matches!(change, ProfileChange::Rename(..)) {
                return;
            }
            let taken = self.profile(to).map(|_| "there is a profile of this name already");
            if let Some(why) = unusable_name(&to.0).or(taken) {
                self.notices.say(Notice::warn(why).about(PROFILE), self.now, self.unix_ms);
                let (name, from) = (to.0.clone(), from.clone());
                return if matches!(change, ProfileChange::Rename(..)) {
                    self.ask_new_name(&name, from);
                } else {
                    self.ask_copy_name(&name, from);
                };
            }
        }
        self.effects.push(Effect::ChangeProfile(change));
    }

    /// A profile was changed, or could not be.
    pub(super) fn profile_changed(&mut self, change: &ProfileChange, result: Result<Vec<Profile>, String>) {
        let profiles = match result {
            Ok(profiles) => profiles,
            Err(why) if matches!(change, ProfileChange::Edit(_)) => return self.not_saved(why),
            Err(why) => return self.notices.keep(Notice::error(why).about(PROFILE), self.unix_ms),
        };
        self.profiles = profiles;
        self.name_profiles();
        let (here, said) = match change {
            ProfileChange::Rename(from, to) => {
                self.renamed(from, to);
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
                self.edited_profile(edited);
                (&edited.name, None)
            }
        };
        self.refresh_profiles(Some(here));
        if let Some(said) = said {
            self.notices.say(Notice::ok(said).about(PROFILE), self.now, self.unix_ms);
        }
    }

    /// Servers that people have, to choose one for a new profile.
    fn choose_template(&mut self) {
        let item = |(at, template): (usize, &Template)| Item::new(at, template.title, template.base_url);
        let picker = Picker::new("Add a profile", TEMPLATES.iter().enumerate().map(item).collect());
        let chosen = |at, _: &str| DialogAnswer::Profile(ProfileAnswer::Template(at));
        self.dialogs.open(PickerDialog::new(picker, "fill in the form", chosen));
    }

    /// A name that no profile has: this one, or with a number.
    fn free_name(&self, name: &str) -> String {
        let taken = |name: &str| self.profiles.iter().any(|profile| profile.id.0 == name);
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        std::iter::once(name.to_owned()).chain(numbered).find(|name| !taken(name)).unwrap_or_default()
    }

    /// Opens the form over a profile of the config file.
    pub(super) fn profile_opened(&mut self, opened: Result<Box<OpenedProfile>, String>) {
        match opened {
            Ok(opened) => self.dialogs.open(ProfileEditor::new(*opened)),
            Err(why) => self.notices.say(Notice::error(why).about(PROFILE), self.now, self.unix_ms),
        }
    }

    /// Opens an editor on a row of the form.
    fn edit_text(&mut self, row: &'static str) {
        let Some(form) = self.dialogs.find::<ProfileEditor>() else { return };
        let mut editor = Editor::new("{ }");
        editor.set_text(form.text(row));
        let title = if row == HEADERS { "Headers, as JSON" } else { "Further fields of requests, as JSON" };
        let closed = move |text| DialogAnswer::Profile(ProfileAnswer::Text(row, text));
        self.dialogs.open(EditorDialog::new(title, (72, 16), editor, closed));
    }

    /// Has a profile saved as the form has it.
    fn save_profile(&mut self, edited: Box<EditedProfile>) {
        let renamed = edited.name != edited.opened.id;
        if renamed && self.profile(&edited.name).is_some() {
            return self.not_saved("there is a profile of this name already".to_owned());
        }
        let moved = edited.opened.profile.base_url != edited.profile.base_url;
        let changes = (renamed || moved) && edited.opened.exists();
        let what = if renamed { "rename it" } else { "change its base URL" };
        if let Some(why) = self.held(&edited.opened.id, what).filter(|_| changes) {
            return self.not_saved(why);
        }
        self.effects.push(Effect::ChangeProfile(ProfileChange::Edit(edited)));
    }

    /// The form says why it was not saved, a notice if it was closed meanwhile.
    fn not_saved(&mut self, why: String) {
        match self.dialogs.find_mut::<ProfileEditor>() {
            Some(editor) => editor.refused(why),
            None => self.notices.keep(Notice::error(why).about(PROFILE), self.unix_ms),
        }
    }

    /// A profile has other settings, or is new.
    fn edited_profile(&mut self, edited: &EditedProfile) {
        let awaited = self.dialogs.find::<ProfileEditor>().is_some();
        self.dialogs.close_type::<ProfileEditor>();
        let EditedProfile { opened, name, profile } = edited;
        let mut said = format!("{} is saved", name.0);
        if opened.exists() {
            self.apply_edited(edited);
        } else if awaited {
            // Whoever adds a profile wants to use it.
            self.set_profile(name);
            said.push_str(" and in use");
        }
        self.notices.say(Notice::ok(said).about(PROFILE), self.now, self.unix_ms);
        let same = |old: &KeySource, new: &KeySource| match (old, new) {
            (KeySource::Keyring(old), KeySource::Keyring(new)) => old.service == new.service,
            (old, new) => matches!((old, new), (KeySource::Kept(_), KeySource::Kept(_))),
        };
        let had_key = same(&opened.profile.key, &profile.key) && opened.exists();
        let moved = origin(&opened.profile.base_url) != origin(&profile.base_url);
        let stores_key = match profile.key {
            KeySource::Kept(_) => true,
            KeySource::Keyring(_) => keyring::AVAILABLE,
            _ => false,
        };
        if stores_key && (!had_key || moved) {
            // There may be none yet.
            self.profile_answer(ProfileAnswer::NewKey(name.clone()));
        }
    }

    /// The session goes on with what the profile has now.
    fn apply_edited(&mut self, edited: &EditedProfile) {
        let EditedProfile { opened, name, profile } = edited;
        if *name != opened.id {
            self.renamed(&opened.id, name);
        }
        let moved = opened.profile.base_url != profile.base_url;
        if moved {
            self.each_tab(|tab, cx| tab.server_changed(name, cx));
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
        self.ask_models();
        if moved {
            self.tell_profile();
        }
    }

    /// What is known of a profile's servers stands under another name.
    fn move_facts(&mut self, from: &str, to: &str) {
        let known: Vec<_> = self.session.facts.of(from).map(|(key, known)| (key.clone(), known.clone())).collect();
        for (old, known) in known {
            let new = FactKey(to.to_owned(), old.1.clone(), old.2.clone());
            if let Subject::RateLimit(_) | Subject::Context(_) | Subject::Output(_) = old.2 {
                // These are not kept.
                self.session.facts.note(new, known);
                self.session.facts.remove(&old);
                continue;
            }
            for record in [self.session.facts.set(new, Some(known)), self.session.facts.set(old, None)] {
                let ticket = self.request(ShellRequest::Keep);
                self.effects.push(Effect::Record(ticket, record));
            }
        }
    }

    /// Shows the profiles there are now where the list is open, with the cursor on one of them.
    pub(super) fn refresh_profiles(&mut self, here: Option<&ProfileId>) {
        let (profiles, used) = (&self.profiles, &self.session.profile);
        if let Some(page) = self.dialogs.find_mut::<ProfilesPage>() {
            page.refresh(profiles, used, here);
        }
    }

    /// A profile has another name: what is known and in use under the old one goes along.
    fn renamed(&mut self, from: &ProfileId, to: &ProfileId) {
        self.move_facts(&from.0, &to.0);
        self.move_marks(&from.0, &to.0);
        if self.session.profile != *from {
            return;
        }
        self.session.profile.clone_from(to);
        self.session.profile_name = to.0.as_str().into();
        self.ask_spent();
        self.tell_profile();
    }

    /// Sends the request of a profile's test.
    fn start_test(&mut self, id: ProfileId) {
        let ticket = self.request(ShellRequest::Check);
        if let Some(open) = self.requests.open.get_mut(&ticket) {
            open.profile = Some(id.clone());
        }
        self.effects.push(Effect::Call(ticket, id, Call::Check));
        if let Some(dialog) = self.dialogs.find_mut::<TestDialog>() {
            dialog.begin();
        }
    }

    /// Stops the test that runs.
    pub(super) fn stop_test(&mut self) {
        let check = TicketOwner::Shell(ShellRequest::Check);
        let open = self.requests.open.iter().find(|(_, open)| open.owner == check);
        if let Some(ticket) = open.map(|(ticket, _)| *ticket) {
            self.requests.open.remove(&ticket);
            self.effects.push(Effect::Cancel(ticket));
        }
    }

    /// Shows what a test has found.
    pub(super) fn checked(&mut self, progress: Progress) {
        let Some(dialog) = self.dialogs.find_mut::<TestDialog>() else { return };
        match progress {
            Progress::Reply(Reply::Checked(checked)) => dialog.add(checked),
            Progress::Closed(ended) => dialog.end(ended.err().map(|why| why.sentence)),
            _ => {}
        }
    }
}
