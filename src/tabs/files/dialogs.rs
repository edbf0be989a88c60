//! Answers of dialogs, and what the plan of an upload asks for and is told.

use super::delete::DeleteQueue;
use super::local::split_path;
use super::panes::ListSide;
use super::remote_files::{RemoteFile, RemoteFiles};
use super::state::State;
use super::upload_plan::{self, UploadPlan, purposes};
use crate::api::call::{Progress, Ticket};
use crate::component::{ChoiceDialog, Cx};
use crate::record::work::Done;
use crate::settings::ProfileId;
use crate::text::Untrusted;

/// The answer of a dialog.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    /// Show this local folder.
    GoTo(String),
    /// Plan the upload of this local file.
    Upload(String),
    /// Download files of this profile's server into a folder.
    Download { profile: ProfileId, files: Vec<RemoteFile>, folder: String },
    /// Delete the files with these ids and names from this profile's server.
    Delete { profile: ProfileId, files: Vec<(String, Untrusted)> },
    /// Do this with the plan of an upload, which is open.
    Plan(upload_plan::Event),
    /// Upload the planned files for this purpose.
    Purpose(String),
    /// Leave the purpose of the planned files as it was; without one, upload nothing.
    SamePurpose,
}

/// The list of purposes.
type PurposeChoice = ChoiceDialog<String, Answer>;

impl From<upload_plan::Event> for Answer {
    fn from(event: upload_plan::Event) -> Self {
        Self::Plan(event)
    }
}

impl State {
    /// Does what a dialog was answered with.
    pub(super) fn answer(&mut self, answer: Answer, cx: &mut Cx) {
        match answer {
            Answer::GoTo(path) => {
                self.panes.focus_list(ListSide::Local);
                self.local.go_to(path, None, cx);
            }
            Answer::Upload(path) => self.plan(vec![(path, None)], cx),
            Answer::Download { profile, files, folder } => self.fetch(&profile, &files, &folder.into(), cx),
            Answer::Delete { profile, files } => {
                let deleting = DeleteQueue::begin(profile, files, cx);
                if let Some(remote) = self.servers.of_mut(&deleting.profile) {
                    deleting.open().for_each(|id| remote.set_deleting(id, true));
                    remote.list.clear_marks();
                }
                self.deleting = Some(deleting);
            }
            Answer::Plan(event) => self.plan_event(event, cx),
            Answer::Purpose(purpose) => {
                if let Some(plan) = &mut self.pages.planned {
                    plan.choose(purpose, cx);
                }
                self.resume_plan();
            }
            Answer::SamePurpose => {
                if let Some(mut plan) = self.pages.planned.take_if(|plan| !plan.has_purpose()) {
                    plan.stop(cx);
                }
                self.resume_plan();
            }
        }
    }

    /// Does what the plan asks for.
    fn plan_event(&mut self, event: upload_plan::Event, cx: &mut Cx) {
        match event {
            upload_plan::Event::Send => self.send_planned(cx),
            upload_plan::Event::Purpose => {
                if let Some(plan) = self.modals.take::<UploadPlan>() {
                    self.ask_purpose(plan);
                }
            }
            upload_plan::Event::Compare => {
                self.plan_with(|plan, remote| {
                    plan.read(remote, cx);
                    true
                });
            }
            upload_plan::Event::Check(path) => {
                if let Some(plan) = self.modals.take::<UploadPlan>() {
                    self.pages.check_planned(plan, path, &self.saved.view.mappings, cx);
                }
            }
        }
    }

    /// Opens a plan, in place of one that is open or waits; first its purpose is chosen.
    pub(super) fn show_plan(&mut self, plan: UploadPlan, cx: &mut Cx) {
        for mut old in [self.modals.take::<UploadPlan>(), self.pages.planned.take()].into_iter().flatten() {
            old.stop(cx);
        }
        self.modals.remove_type::<PurposeChoice>();
        if plan.has_purpose() {
            self.modals.open(plan);
        } else {
            self.ask_purpose(Box::new(plan));
        }
    }

    /// Asks for the purpose of a plan, which waits meanwhile.
    fn ask_purpose(&mut self, plan: Box<UploadPlan>) {
        let escape = if plan.has_purpose() { "back" } else { "cancel" };
        let choice = PurposeChoice::new(purposes(&plan.purpose), Answer::Purpose).or_typed(Answer::Purpose);
        self.modals.open(choice.cancelled(escape, Answer::SamePurpose));
        self.pages.planned = Some(plan);
    }

    /// Opens the plan that waits again.
    pub(super) fn resume_plan(&mut self) {
        if let Some(plan) = self.pages.planned.take() {
            self.modals.open(*plan);
        }
    }

    fn send_planned(&mut self, cx: &mut Cx) {
        let Some(mut plan) = self.modals.take::<UploadPlan>() else { return };
        self.send(&plan, cx);
        plan.stop(cx);
        self.pages.close_check(cx);
    }

    /// Sends the plan if that was ordered before all its files were looked at, and they are now.
    fn send_ready(&mut self, cx: &mut Cx) {
        if self.modals.find_mut::<UploadPlan>().is_some_and(UploadPlan::is_ready) {
            self.send_planned(cx);
        }
    }

    /// Passes the answer of a work thread to the plan, if it asked for it.
    pub(super) fn plan_worked(&mut self, ticket: Ticket, done: &Done, cx: &mut Cx) {
        if self.plan_with(|plan, remote| plan.handle_worked(ticket, done, remote, cx)) {
            self.send_ready(cx);
        }
    }

    /// Applies a change to the plan, whether it is shown or waits behind the check page.
    fn plan_with(&mut self, then: impl FnOnce(&mut UploadPlan, &mut RemoteFiles) -> bool) -> bool {
        let shown = self.modals.find_mut::<UploadPlan>();
        let Some(plan) = shown.or(self.pages.planned.as_deref_mut()) else { return false };
        self.servers.of_mut(&plan.profile).is_some_and(|remote| then(plan, remote))
    }

    /// Lets the plan compare its files with the list of a server that has arrived or failed.
    pub(super) fn plan_listed(&mut self, cx: &mut Cx) {
        self.plan_with(|plan, remote| {
            plan.listed(remote, cx);
            true
        });
        self.send_ready(cx);
    }

    /// News of a call. Returns whether it is the plan's.
    pub(super) fn plan_progress(&mut self, ticket: Ticket, progress: &Progress, cx: &mut Cx) -> bool {
        let ours = self.plan_with(|plan, remote| plan.handle_progress(ticket, progress, remote, cx));
        self.send_ready(cx);
        ours
    }

    /// Ends a deletion's calls as they come in. Returns whether the call was one.
    pub(super) fn deleted(&mut self, ticket: Ticket, progress: &Progress, cx: &mut Cx) -> bool {
        let Some(deleting) = &mut self.deleting else { return false };
        if !deleting.handle_progress(ticket, progress, cx) {
            return false;
        }
        let gone = deleting.take();
        let stay = deleting.remaining_ids();
        if let Some(remote) = self.servers.of_mut(&deleting.profile) {
            for id in &gone {
                remote.remove(id);
            }
            for id in &stay {
                remote.set_deleting(id, false);
            }
        }
        if deleting.is_finished() {
            cx.notify(deleting.summary());
            self.deleting = None;
        }
        true
    }

    /// Stops, on Ctrl+C, what was asked of the server, then deletions that have not begun, then pauses transfers.
    pub(super) fn interrupt(&mut self, cx: &mut Cx) -> bool {
        if self.servers.current_mut().stop_listing(cx) {
            return true;
        }
        if let Some(deleting) = &mut self.deleting {
            let stay = deleting.stop();
            if let Some(remote) = self.servers.of_mut(&deleting.profile) {
                for id in &stay {
                    remote.set_deleting(id, false);
                }
            }
            if !stay.is_empty() {
                return true;
            }
        }
        self.transfers.pause_all(cx)
    }

    /// Tells the plan that is open what is known of the server's files.
    pub(super) fn describe_plan(&mut self) {
        if let Some(plan) = self.modals.find_mut::<UploadPlan>()
            && let Some(remote) = self.servers.of(&plan.profile)
        {
            plan.describe(remote);
        }
    }

    /// Shows a local file in its folder.
    pub(super) fn show_local(&mut self, path: &str, cx: &mut Cx) {
        self.panes.focus_list(ListSide::Local);
        match split_path(path) {
            Some((folder, name)) => self.local.go_to(folder.to_owned(), Some(name.to_owned()), cx),
            None => self.local.go_to(path.to_owned(), None, cx),
        }
    }
}
