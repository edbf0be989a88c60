//! Starts uploads, downloads, deletions and checks.

use std::path::PathBuf;

use crossterm::event::KeyEvent;

use super::check;
use super::delete::DeleteDialog;
use super::dialogs::Answer;
use super::format::files;
use super::local::{join_path, name_of};
use super::panes::{ListSide, PaneFocus};
use super::remote_files::RemoteFile;
use super::state::{Request, State};
use super::transfer::TransferKind;
use super::upload_plan::planned_file::UploadVerdict;
use super::upload_plan::{self, UploadPlan};
use crate::component::{Component, Cx, Handled, Notice, PathInput, PathPrompt, TextViewer, Wanted};
use crate::dataset::sample;
use crate::disk;
use crate::record::work::{Done, Work};
use crate::settings::ProfileId;
use crate::text::Untrusted;

impl State {
    /// Returns whether the cursor is in the folder and has nothing there to be on.
    pub(super) fn has_empty_folder(&self) -> bool {
        self.panes.side == ListSide::Local && self.local.list.selected_item().is_none() && !self.local.is_asking()
    }

    /// Uploads the marked files of the folder, or the one under the cursor; from the server's side a typed path.
    pub(super) fn begin_upload(&mut self, cx: &mut Cx) {
        if self.servers.current().is_some_and(|remote| remote.listing.is_unsupported()) {
            return cx
                .notify(Notice::info("this server does not store files, so nothing can be uploaded").about("upload"));
        }
        let picked = if self.panes.side == ListSide::Local { self.local.picked() } else { Vec::new() };
        if picked.is_empty() {
            let folder = self.local.path.raw();
            let begins =
                if folder.is_empty() || folder.ends_with('/') { folder.to_owned() } else { format!("{folder}/") };
            let input = PathInput::new(Wanted::File, &begins);
            let prompt = PathPrompt::new("Upload which file?", "continue", input, Answer::Upload);
            self.modals.open(prompt.existing());
            return;
        }
        let files = picked.into_iter().map(|picked| (picked.path, Some(picked.bytes))).collect();
        self.plan(files, cx);
    }

    pub(super) fn plan(&mut self, files: Vec<(String, Option<u64>)>, cx: &mut Cx) {
        let purpose = if self.saved.view.purpose.is_empty() {
            upload_plan::TRAINING.to_owned()
        } else {
            self.saved.view.purpose.clone()
        };
        self.servers.current_mut().refresh_outdated(cx);
        let Some(remote) = self.servers.current() else { return };
        let plan = UploadPlan::new(files, &purpose, remote, cx);
        self.show_plan(plan, cx);
    }

    /// Plans the upload of files that are for training.
    fn plan_training(&mut self, paths: Vec<String>, cx: &mut Cx) {
        if self.servers.current().is_some_and(|remote| remote.listing.is_unsupported()) {
            return cx
                .notify(Notice::info("this server does not store files, so nothing was uploaded").about("upload"));
        }
        let files = paths.into_iter().map(|path| (path, None)).collect();
        self.servers.current_mut().refresh_outdated(cx);
        let Some(remote) = self.servers.current() else { return };
        let plan = UploadPlan::training(files, remote, cx);
        self.show_plan(plan, cx);
    }

    /// Replaces a planned file by the files that the check page wrote.
    fn plan_instead(&mut self, mut plan: UploadPlan, from: &str, paths: Vec<String>, cx: &mut Cx) {
        if let Some(remote) = self.servers.of_mut(&plan.profile) {
            plan.replace(from, paths, remote, cx);
        }
        self.modals.open(plan);
    }

    /// Puts what was planned in line.
    pub(super) fn send(&mut self, plan: &UploadPlan, cx: &mut Cx) {
        self.saved.view.purpose.clone_from(&plan.purpose);
        self.saved.record(cx);
        self.no_input_since_upload = true;
        let mut there = Vec::new();
        for item in &plan.items {
            match item.verdict() {
                UploadVerdict::Send => {
                    let upload = item.upload(&plan.purpose);
                    self.transfers.add(plan.profile.clone(), upload, Some(item.bytes()), cx);
                }
                UploadVerdict::Use(id) => there.push((id, item.metadata())),
                UploadVerdict::Waits | UploadVerdict::Asks | UploadVerdict::Out => {}
            }
        }
        self.local.list.clear_marks();
        let shown = plan.profile == self.servers.profile;
        for (id, metadata) in there {
            // The profile may have changed while the plan was open.
            let Some(remote) = self.servers.of_mut(&plan.profile) else { continue };
            remote.save_metadata(&id, metadata, cx);
            if remote.list.select(&id) && shown {
                self.panes.focus_list(ListSide::Server);
            }
        }
    }

    /// Asks where the marked files of the server go, or the one under the cursor.
    pub(super) fn begin_download(&mut self, cx: &mut Cx) {
        if self.panes.side == ListSide::Local {
            let said = "D downloads files from the server's list; tab goes there";
            return cx.notify(Notice::info(said).about("download"));
        }
        let Some(remote) = self.servers.current() else { return };
        let (profile, picked) = (remote.profile.clone(), remote.picked());
        if picked.is_empty() {
            return;
        }
        let title = match picked.as_slice() {
            [one] => format!("Download {} to which folder?", one.name.line()),
            some => format!("Download {} to which folder?", files(some.len())),
        };
        let renamed = picked.iter().filter_map(|file| {
            let clean = disk::clean(file.name.raw());
            (clean != file.name.raw()).then(|| format!("{} is saved as {clean}", file.name.line()).into())
        });
        let lines = renamed.collect();
        let input = PathInput::new(Wanted::Folder, self.local.path.raw());
        let download = move |folder| Answer::Download { profile: profile.clone(), files: picked.clone(), folder };
        self.modals.open(PathPrompt::new(title, "download", input, download).with_lines(lines).resolved());
    }

    /// Puts downloads into an absolute folder in line.
    pub(super) fn fetch(&mut self, profile: &ProfileId, files: &[RemoteFile], folder: &Untrusted, cx: &mut Cx) {
        for file in files {
            let sha256 = self.servers.of_mut(profile).and_then(|remote| remote.metadata.of(&file.id)?.sha256());
            let download = file.download(PathBuf::from(folder.raw()), sha256);
            let bytes = download.bytes;
            self.transfers.add(profile.clone(), TransferKind::Down(download), bytes, cx);
        }
        if let Some(remote) = self.servers.of_mut(profile) {
            remote.list.clear_marks();
        }
    }

    /// Asks whether the marked files of the server are to go, or the one under the cursor.
    pub(super) fn begin_delete(&mut self, cx: &mut Cx) {
        if self.panes.side == ListSide::Local {
            let said = "only files on the server can be deleted here; tab goes there";
            return cx.notify(Notice::info(said).about("delete"));
        }
        if self.deleting.is_some() {
            return cx.notify(Notice::info("a deletion is already under way").about("delete"));
        }
        let Some(remote) = self.servers.current() else { return };
        let mut picked = remote.picked();
        picked.retain(|file| !file.going);
        if !picked.is_empty() {
            let deletion = DeleteDialog::new(remote, &picked);
            self.modals.open(deletion);
        }
    }

    /// Opens the check page of the local file under the cursor.
    pub(super) fn begin_check(&mut self, cx: &mut Cx) {
        if self.panes.side == ListSide::Server {
            let selected = self.servers.current().is_some_and(|remote| remote.list.selected_item().is_some());
            let said = if selected {
                "only local files can be checked; D downloads this one"
            } else {
                "only local files can be checked; tab goes to the folder"
            };
            return cx.notify(Notice::info(said).about("check"));
        }
        if let Some(picked) = self.local.picked().into_iter().next() {
            self.pages.check_file(picked.path, &self.saved.view.mappings, cx);
        }
    }

    /// Writes a sample training file into the folder, unless it is there already, and goes to it.
    pub(super) fn write_sample(&mut self, cx: &mut Cx) {
        self.panes.focus_list(ListSide::Local);
        let (name, text) = sample::TRAINING;
        if self.local.list.select(name)
            || self.pending.any(|request| *request == Request::Sample)
            || self.local.path.is_empty()
        {
            return;
        }
        let path = join_path(self.local.path.raw(), name);
        self.pending.insert(cx.work(Work::Save { path, text: text.into() }), Request::Sample);
    }

    /// Goes to the sample file, or tells why it is not there.
    pub(super) fn sample_written(&mut self, done: &Done, cx: &mut Cx) {
        match done {
            Done::Saved(path) => {
                self.show_local(path.raw(), cx);
                let name = Untrusted::from(name_of(path.raw()));
                let said = format!("wrote {}: v checks it, U uploads it", name.line());
                cx.notify(Notice::ok(said).about("sample"));
            }
            Done::Failed(why) => cx.notify(Notice::error(why.clone()).about("sample")),
            _ => {}
        }
    }

    /// Passes a key to the check page.
    pub(super) fn check_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let Some(page) = &mut self.pages.check else { return };
        let Handled::Emit(event) = page.key(key, cx) else { return };
        match event {
            check::Event::Closed => {
                self.pages.check = None;
                self.local.refresh(cx);
                self.resume_plan();
            }
            check::Event::Mapped(mapping) => {
                self.saved.view.remember(*mapping);
                self.saved.record(cx);
            }
            check::Event::Show(path, byte) => self.show_place(path, byte, cx),
            check::Event::Read(finding) => self.modals.open(check::finding_viewer(&finding)),
            check::Event::Upload(paths) => {
                self.local.refresh(cx);
                let from = page.path().to_owned();
                match self.pages.planned.take() {
                    Some(plan) => self.plan_instead(*plan, &from, paths, cx),
                    None => self.plan_training(paths, cx),
                }
            }
        }
    }

    /// Asks for a folder's path.
    pub(super) fn begin_path(&mut self) {
        let path = self.local.path.raw();
        let input = PathInput::new(Wanted::Folder, path);
        self.modals.open(PathPrompt::new("Go to which folder?", "go", input, Answer::GoTo).resolved());
    }

    /// Shows what the server said of the last failure.
    pub(super) fn begin_details(&mut self, cx: &mut Cx) {
        let remote = self.servers.current().and_then(|remote| remote.listing.failed.as_ref());
        let failure = if self.panes.focus == PaneFocus::Transfers {
            self.transfers.selected_failure(self.panes.layout.transfer_rows)
        } else {
            self.transfers.last_failure()
        };
        match failure.or(remote) {
            Some(why) => self.modals.open(TextViewer::of_failure(why)),
            None => cx.notify(Notice::info("nothing has failed").about("details")),
        }
    }
}
