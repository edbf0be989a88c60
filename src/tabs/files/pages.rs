//! The check page, and what waits behind it.

use super::check;
use super::local::name_of;
use super::upload_plan::UploadPlan;
use crate::api::call::Ticket;
use crate::component::{Component, Cx, Notice, Response};
use crate::record::training::Mapping;
use crate::text::Untrusted;

/// Pages over the panes or in their place.
#[derive(Debug, Default)]
pub(super) struct PageStack {
    /// A plan that comes back after a file of it was on the check page, or after its purpose was chosen.
    pub(super) planned: Option<Box<UploadPlan>>,
    /// The check page, in place of all panes.
    pub(super) check: Option<check::CheckPage>,
    /// A check page that something else stands before: it is as it was left.
    aside: Option<check::CheckPage>,
}

impl PageStack {
    /// Opens the check page of a file; one that was left for it is as it was.
    pub(super) fn check_file(&mut self, path: String, mappings: &[Mapping], cx: &mut Cx) {
        // An open check continues.
        if self.check.as_ref().is_some_and(|page| page.path() == path) {
            return;
        }
        self.close_check(cx);
        // A copy that is being written is completed.
        if let Some(page) = self.aside.take_if(|page| page.path() == path || page.writes()) {
            if page.path() != path {
                let name = Untrusted::from(name_of(page.path()));
                cx.notify(Notice::info(format!("a copy of {} is still being written", name.line())).about("check"));
            }
            self.check = Some(page);
            return;
        }
        if let Some(mut page) = self.aside.take() {
            page.close(cx);
        }
        self.check = Some(check::CheckPage::open(path, mappings.to_vec(), cx));
    }

    /// Closes the check page, if one shows.
    pub(super) fn close_check(&mut self, cx: &mut Cx) {
        if let Some(mut page) = self.check.take() {
            page.close(cx);
        }
    }

    /// Shows the check page of one of the plan's files; the plan waits behind it.
    pub(super) fn check_planned(&mut self, plan: Box<UploadPlan>, path: String, mappings: &[Mapping], cx: &mut Cx) {
        if let Some(mut old) = self.planned.replace(plan) {
            old.stop(cx);
        }
        self.check_file(path, mappings, cx);
    }

    /// Puts the check page aside, as it is.
    pub(super) fn put_aside(&mut self, cx: &mut Cx) {
        if let Some(page) = self.check.take()
            && let Some(mut other) = self.aside.replace(page)
        {
            other.close(cx);
        }
    }

    /// Brings back the check page of a file, if it was put aside.
    pub(super) fn bring_back(&mut self, path: &str) {
        if self.check.is_none() {
            self.check = self.aside.take_if(|page| page.path() == path);
        }
    }

    /// Takes a reply. Returns whether a check page asked for it.
    pub(super) fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> bool {
        let mut pages = [&mut self.check, &mut self.aside].into_iter().flatten();
        pages.any(|page| !page.reply(ticket, response, cx).is_ignored())
    }

    /// Returns whether a repaired copy is being written.
    pub(super) fn writes(&self) -> bool {
        [&self.check, &self.aside].into_iter().flatten().any(check::CheckPage::writes)
    }
}
