//! Answers of dialogs, and the keys and replies of the plan of an upload.

use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::delete::DeleteQueue;
use super::local::split;
use super::panes::ListSide;
use super::remote_files::{RemoteFile, RemoteFiles};
use super::state::State;
use super::upload_plan::{self, UploadPlan};
use crate::api::call::{Progress, Ticket};
use crate::component::{Component, Cx, Handled, Hint, RenderContext, Session};
use crate::record::work::Done;
use crate::settings::ProfileId;
use crate::text::Untrusted;
use crate::ui::overlay::dim;

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
}

impl State {
    /// A key for the dialogs and the plan; whether one is open.
    pub(super) fn dialog_key(&mut self, key: KeyEvent, cx: &mut Cx) -> bool {
        match self.modals.key(key, cx) {
            Handled::Ignored => {}
            Handled::Consumed => return true,
            Handled::Emit(answer) => {
                self.answer(answer, cx);
                return true;
            }
        }
        match self.pages.plan.take() {
            Some(plan) => self.plan_key(plan, key, cx),
            None => return false,
        }
        true
    }

    /// Does what a dialog was answered with.
    pub(super) fn answer(&mut self, answer: Answer, cx: &mut Cx) {
        match answer {
            Answer::GoTo(path) => {
                self.panes.focus_list(ListSide::Local);
                self.local.go(path, None, cx);
            }
            Answer::Upload(path) => self.plan(vec![(path, None)], cx),
            Answer::Download { profile, files, folder } => self.fetch(&profile, &files, &folder.into(), cx),
            Answer::Delete { profile, files } => {
                let deleting = DeleteQueue::begin(profile, files, cx);
                if let Some(remote) = self.servers.of_mut(&deleting.profile) {
                    deleting.open().for_each(|id| remote.going(id, true));
                    remote.list.clear_marks();
                }
                self.deleting = Some(deleting);
            }
        }
    }

    /// Whether a dialog or the plan lies over the panes.
    pub(super) fn has_dialog(&self) -> bool {
        self.modals.is_open() || self.pages.plan.is_some()
    }

    fn plan_key(&mut self, mut plan: Box<UploadPlan>, key: KeyEvent, cx: &mut Cx) {
        let Handled::Emit(event) = plan.key(key, cx) else {
            self.pages.plan = Some(plan);
            return;
        };
        match event {
            upload_plan::Event::Closed => plan.close(cx),
            upload_plan::Event::Send => self.send_planned(plan, cx),
            upload_plan::Event::Compare => {
                if let Some(remote) = self.servers.of(&plan.profile) {
                    plan.read(remote, cx);
                }
                self.pages.plan = Some(plan);
            }
            upload_plan::Event::Check(path) => {
                self.pages.check_planned(plan, path, &self.saved.view.mappings, cx);
            }
        }
    }

    fn send_planned(&mut self, mut plan: Box<UploadPlan>, cx: &mut Cx) {
        self.send(&plan, cx);
        plan.close(cx);
        self.pages.close_check(cx);
    }

    /// Sends the plan if that was ordered before all its files were looked at, and they are now.
    fn send_ready(&mut self, cx: &mut Cx) {
        if let Some(plan) = self.pages.plan.take_if(|plan| plan.is_ready()) {
            self.send_planned(plan, cx);
        }
    }

    /// Pasted text for the dialogs and the plan; whether one is open.
    pub(super) fn dialog_paste(&mut self, text: &str, cx: &mut Cx) -> bool {
        match self.modals.paste(text, cx) {
            Handled::Ignored => self.pages.plan.as_mut().map(|plan| plan.paste(text, cx)).is_some(),
            Handled::Consumed => true,
            Handled::Emit(answer) => {
                self.answer(answer, cx);
                true
            }
        }
    }

    /// Passes the answer of a work thread to the plan, if it asked for it.
    pub(super) fn plan_worked(&mut self, ticket: Ticket, done: &Done, cx: &mut Cx) {
        if self.plan_with(|plan, remote| plan.worked(ticket, done, remote, cx)) {
            self.send_ready(cx);
        }
    }

    /// Something for the plan, whether it shows or waits behind the check page.
    fn plan_with(&mut self, then: impl FnOnce(&mut UploadPlan, &mut RemoteFiles) -> bool) -> bool {
        let shown = self.pages.plan.take();
        let shows = shown.is_some();
        let Some(mut plan) = shown.or_else(|| self.pages.planned.take()) else { return false };
        let ours = self.servers.of_mut(&plan.profile).is_some_and(|remote| then(&mut plan, remote));
        if shows {
            self.pages.plan = Some(plan);
        } else {
            self.pages.planned = Some(plan);
        }
        ours
    }

    /// The list of a server has come, or has not: the plan compares anew.
    pub(super) fn plan_listed(&mut self, cx: &mut Cx) {
        self.plan_with(|plan, remote| {
            plan.listed(remote, cx);
            true
        });
        self.send_ready(cx);
    }

    /// News of a call; whether it is the plan's.
    pub(super) fn plan_progress(&mut self, ticket: Ticket, progress: &Progress, cx: &mut Cx) -> bool {
        let ours = self.plan_with(|plan, remote| plan.progress(ticket, progress, remote, cx));
        self.send_ready(cx);
        ours
    }

    /// Ends a deletion's calls as they come in. Whether the call was one.
    pub(super) fn deleted(&mut self, ticket: Ticket, progress: &Progress, cx: &mut Cx) -> bool {
        let Some(mut deleting) = self.deleting.take() else { return false };
        let ours = deleting.progress(ticket, progress, cx);
        let gone = deleting.take();
        let stay = deleting.stay();
        if let Some(remote) = self.servers.of_mut(&deleting.profile) {
            for id in &gone {
                remote.remove(id);
            }
            for id in &stay {
                remote.going(id, false);
            }
        }
        if deleting.is_over() {
            cx.notify(deleting.said());
        } else {
            self.deleting = Some(deleting);
        }
        ours
    }

    /// Ctrl+C: stops what was asked of the server, then deletions that have not begun, then pauses what moves.
    pub(super) fn interrupt(&mut self, cx: &mut Cx) -> bool {
        if self.servers.current_mut().listing.stop(cx) {
            return true;
        }
        if let Some(mut deleting) = self.deleting.take() {
            let stay = deleting.stop();
            if let Some(remote) = self.servers.of_mut(&deleting.profile) {
                for id in &stay {
                    remote.going(id, false);
                }
            }
            self.deleting = Some(deleting);
            if !stay.is_empty() {
                return true;
            }
        }
        self.transfers.halt(cx)
    }

    /// Keys for the footer while a dialog or the plan is open.
    pub(super) fn dialog_hints(&self) -> Vec<Hint> {
        let Some(plan) = self.pages.plan.as_ref().filter(|_| !self.modals.is_open()) else {
            return self.modals.hints();
        };
        plan.hints()
    }

    /// Whether letters are text in the dialogs or the plan.
    pub(super) fn dialog_types(&self) -> bool {
        self.modals.is_open() || self.pages.plan.as_ref().is_some_and(|plan| plan.typing())
    }

    /// Fits the plan to the area.
    pub(super) fn arrange_plan(&mut self, area: Rect, session: &Session, now: Instant) {
        let Some(plan) = &mut self.pages.plan else { return };
        if let Some(remote) = self.servers.of(&plan.profile) {
            plan.describe(remote);
        }
        plan.arrange(area, session, now);
    }

    /// Draws the plan, and the dialogs over it.
    pub(super) fn render_dialogs(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        if let Some(plan) = &self.pages.plan {
            dim(frame.buffer_mut(), area, context.theme);
            plan.render(frame, area, context);
        }
        self.modals.render(frame, area, context);
    }

    /// A local file in its folder.
    pub(super) fn show_local(&mut self, path: &str, cx: &mut Cx) {
        self.panes.focus_list(ListSide::Local);
        match split(path) {
            Some((folder, name)) => self.local.go(folder.to_owned(), Some(name.to_owned()), cx),
            None => self.local.go(path.to_owned(), None, cx),
        }
    }
}
