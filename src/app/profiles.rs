//! What the list of profiles asks for: another profile in use, forms, prompts and questions.

use std::path::Path;

use super::dialog_answer::{DialogAnswer, ProfileAnswer};
use super::dialogs::{PROFILE, PickerDialog};
use super::profile_editor::ProfileEditor;
use super::profile_editor_rows::HEADERS;
use super::profile_form::ProfileForm;
use super::profile_test::TestDialog;
use super::profiles_page::ProfilesPage;
use super::{App, Effect, Profile};
use crate::component::{ConfirmDialog, EditorDialog, LinePrompt, Notice, ProfileChange, palette_key};
use crate::settings::edit_fields::OpenedProfile;
use crate::settings::templates::{TEMPLATES, Template};
use crate::settings::{KeySource, ProfileId};
use crate::tabs::Tab;
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

    /// Uses the profile that stands `by` places after the one in use; the first follows the last.
    pub(super) fn step_profile(&mut self, by: isize) {
        let len = self.profiles.len() as isize;
        let at = self.profiles.iter().position(|profile| profile.id == self.session.profile).unwrap_or_default();
        if len < 2 {
            let said = format!("this is the only profile; add one with {} → Profile: add", palette_key());
            return self.say(Notice::info(said).about(PROFILE));
        }
        let next = (at as isize + by).rem_euclid(len) as usize;
        let id = self.profiles[next].id.clone();
        self.set_profile(&id);
    }

    /// Carries out an answer of the list or of what it opens.
    pub(super) fn handle_profile_answer(&mut self, answer: ProfileAnswer) {
        match answer {
            ProfileAnswer::Use(id) => self.set_profile(&id),
            ProfileAnswer::Add => self.open_profile_form(),
            ProfileAnswer::Templates => self.choose_template(),
            ProfileAnswer::Template(at) => {
                if let Some(template) = TEMPLATES.get(at) {
                    let name = self.free_name(template.name);
                    self.dialogs.open(ProfileEditor::for_new(template.profile(), &name, template.note));
                }
            }
            ProfileAnswer::Edit(id) => self.effects.push(Effect::OpenProfile(id)),
            ProfileAnswer::Save(edited) => self.save_profile(edited),
            ProfileAnswer::EditText(row) => self.open_profile_text_editor(row),
            ProfileAnswer::Text(row, text) => {
                if let Some(profile_editor) = self.dialogs.find_mut::<ProfileEditor>() {
                    profile_editor.set_json(row, text);
                }
            }
            ProfileAnswer::NewKey(id) => self.open_key_form(&id),
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
            ProfileAnswer::Cannot(why) => self.say(Notice::info(why).about(PROFILE)),
        }
    }

    /// Returns the profile with this id, if there is one.
    pub(super) fn profile(&self, id: &ProfileId) -> Option<&Profile> {
        self.profiles.iter().find(|profile| profile.id == *id)
    }

    /// Opens the form for a new profile.
    pub(super) fn open_profile_form(&mut self) {
        self.dialogs.open(ProfileForm::new(self.session.found.env_key));
    }

    /// Opens the form for another key of a profile.
    pub(super) fn open_key_form(&mut self, id: &ProfileId) {
        if let Some(profile) = self.profile(id).cloned() {
            self.dialogs.open(ProfileForm::new_key(profile, self.session.found.env_key));
        }
    }

    /// Returns why the name and server of a profile cannot change now, as a sentence in which `what` names the change;
    /// `None` if they can.
    pub(super) fn why_profile_is_busy(&self, id: &ProfileId, what: &str) -> Option<String> {
        // Otherwise one conversation or run would continue under two names, or at another server.
        if self.requests.count_calls(id) > 0 {
            return Some(format!("requests to {} are running; {what} when they are done", id.0));
        }
        let tab = self.tab_that_needs(id)?;
        Some(format!("{} has paused work that continues with {}; {what} when it is done", tab.title(), id.0))
    }

    fn tab_that_needs(&self, id: &ProfileId) -> Option<&dyn Tab> {
        self.tabs.iter().map(Box::as_ref).find(|tab| tab.needs_profile(id))
    }

    fn ask_rename(&mut self, id: ProfileId) {
        if let Some(why) = self.why_profile_is_busy(&id, "rename it") {
            return self.say(Notice::warn(why).about(PROFILE));
        }
        let name = id.0.clone();
        self.ask_new_name(&name, id);
    }

    /// Asks for another name of a profile; `name` is offered.
    pub(super) fn ask_new_name(&mut self, name: &str, id: ProfileId) {
        let prompt = Self::name_prompt("New name", name, id, ProfileChange::Rename);
        self.dialogs.open(prompt.example("work").saying("Its conversations, vectors, checks and costs move with it."));
    }

    /// Asks for the name of a copy of a profile; `name` is offered.
    pub(super) fn ask_copy_name(&mut self, name: &str, id: ProfileId) {
        let prompt = Self::name_prompt("Name of the copy", name, id, ProfileChange::Duplicate);
        self.dialogs.open(prompt.example("work-2").saying("Letters of any language, digits, - _ ."));
    }

    /// Returns a prompt for a name; its answer is the change that is made with it.
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
        match self.requests.count_calls(&id) {
            0 => {}
            1 => lines.push("One request is running with it and continues to its end; new ones fail.".into()),
            many => lines.push(format!("{many} requests are running with it and continue; new ones fail.").into()),
        }
        if let Some(tab) = self.tab_that_needs(&id) {
            lines.push(format!("{} has paused work that needs it and cannot continue without it.", tab.title()).into());
        }
        match profile.key {
            KeySource::Kept(_) => lines.push("Its key in keys.toml is deleted too.".into()),
            KeySource::Keyring(_) => lines.push("Its key in the system's keyring stays there.".into()),
            _ => {}
        }
        let config = self.session.found.config.line();
        let file = Path::new(&*config).file_name().unwrap_or_default().to_string_lossy();
        lines.push(format!("It is removed from {file}; its conversations, results and costs stay.").into());
        let title = format!("Delete {}?", profile.name.line());
        let yes = DialogAnswer::Profile(ProfileAnswer::Change(ProfileChange::Delete(id)));
        self.dialogs.open(ConfirmDialog::new(Confirm::new(title, lines, "Delete"), yes));
    }

    /// Opens a list of known servers, to choose one for a new profile.
    fn choose_template(&mut self) {
        let item = |(at, template): (usize, &Template)| Item::new(at, template.title, template.base_url);
        let picker = Picker::new("Add a profile", TEMPLATES.iter().enumerate().map(item).collect());
        let chosen = |at, _: &str| DialogAnswer::Profile(ProfileAnswer::Template(at));
        self.dialogs.open(PickerDialog::new(picker, "fill in the form", chosen));
    }

    /// Returns `name`, or `name-2`, `name-3` and so on: the first that no profile has.
    fn free_name(&self, name: &str) -> String {
        let taken = |name: &str| self.profiles.iter().any(|profile| profile.id.0 == name);
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        std::iter::once(name.to_owned()).chain(numbered).find(|name| !taken(name)).unwrap_or_default()
    }

    /// Opens the form over a profile of the config file, or says why it cannot be read.
    pub(super) fn open_profile_editor(&mut self, opened: Result<Box<OpenedProfile>, String>) {
        match opened {
            Ok(opened) => self.dialogs.open(ProfileEditor::new(*opened)),
            Err(why) => self.say(Notice::error(why).about(PROFILE)),
        }
    }

    /// Opens an editor on a row of the form that is JSON.
    fn open_profile_text_editor(&mut self, row: &'static str) {
        let Some(profile_editor) = self.dialogs.find::<ProfileEditor>() else { return };
        let mut text_editor = Editor::new("{ }");
        text_editor.set_text(profile_editor.json(row));
        let title = if row == HEADERS { "Headers, as JSON" } else { "Further request fields, as JSON" };
        let closed = move |text| DialogAnswer::Profile(ProfileAnswer::Text(row, text));
        self.dialogs.open(EditorDialog::new(title, (72, 16), text_editor, closed));
    }

    /// Updates the list of profiles if it is open; `selected`: the profile to put the cursor on.
    pub(super) fn refresh_profiles(&mut self, selected: Option<&ProfileId>) {
        let (profiles, used) = (&self.profiles, &self.session.profile);
        if let Some(page) = self.dialogs.find_mut::<ProfilesPage>() {
            page.refresh(profiles, used, selected);
        }
    }
}
