//! Quitting: at once, or after a question if something would be lost.

use super::dialogs::QuitDialog;
use super::profile_editor::ProfileEditor;
use super::profile_form::ProfileForm;
use super::{App, Effect};
use crate::component::Notice;
use crate::text::Untrusted;
use crate::ui::overlay::Confirm;

impl App {
    /// Quits, after asking once if something would be lost.
    pub(super) fn quit(&mut self) {
        let losses = self.quit_warnings();
        if losses.is_empty() || self.dialogs.find::<QuitDialog>().is_some() {
            self.effects.push(Effect::Quit);
        } else {
            let question = Confirm::new("Quit now?", losses, "Quit").otherwise("Stay");
            self.dialogs.open(QuitDialog(question));
        }
    }

    /// Returns what would be lost, a sentence for each tab, for the shell and for the profile form.
    fn quit_warnings(&self) -> Vec<Untrusted> {
        let disk = self.session.unsaved.as_ref();
        let of_tab = |index: usize| {
            let tab = self.tabs[index].as_ref();
            tab.quit_warning(&self.session).or_else(|| self.requests.unsaved.loss(index, tab, disk))
        };
        let form = self.dialogs.find::<ProfileForm>().and_then(ProfileForm::loss).map(str::to_owned);
        let editor = self.dialogs.find::<ProfileEditor>().and_then(ProfileEditor::loss).map(str::to_owned);
        let shell = self.requests.unsaved.shell_loss();
        (0..self.tabs.len()).filter_map(of_tab).chain(shell).chain(form).chain(editor).map(Untrusted::from).collect()
    }

    /// Updates the open question: the store may have written what was not saved, or refuse it for another reason.
    pub(super) fn update_quit_question(&mut self) {
        if self.dialogs.find::<QuitDialog>().is_none() {
            return;
        }
        let losses = self.quit_warnings();
        if losses.is_empty() {
            self.dialogs.remove_type::<QuitDialog>();
            self.say(Notice::ok("everything is saved; ^Q quits"));
        } else if let Some(QuitDialog(question)) = self.dialogs.find_mut() {
            question.about(losses);
        }
    }
}
