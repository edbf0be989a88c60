//! Which file is previewed, and when.

use std::time::{Duration, Instant};

use super::folder_preview::FolderPreview;
use super::layout::PaneDensity;
use super::panes::{ListSide, PaneFocus};
use super::preview::{JumpTarget, Preview};
use super::state::State;
use crate::api::call::Ticket;
use crate::component::{Component, Cx, Notice, Response};
use crate::record::files::EntryKind;
use crate::record::work::Done;
use crate::settings::ProfileId;
use crate::text::Untrusted;

/// How long the cursor must rest on a local file before it is previewed.
const REST: Duration = Duration::from_millis(150);

/// What the preview is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PreviewTarget {
    Local(String),
    Remote(ProfileId, String),
}

/// The preview, and when the next file is looked into.
#[derive(Debug, Default)]
pub(super) struct PreviewPane {
    pub(super) open: Option<(PreviewTarget, Preview)>,
    /// The folder under the cursor.
    folder: Option<FolderPreview>,
    /// When what is under the cursor is looked into.
    pub(super) rest: Option<Instant>,
}

impl PreviewPane {
    /// Looks into what is under the cursor once it rests: it has moved.
    pub(super) fn preview_after_rest(&mut self, now: Instant) {
        self.rest = Some(now + REST);
    }

    /// Shows a file, unless it is shown already.
    fn show(&mut self, target: PreviewTarget, name: Untrusted, bytes: u64, cx: &mut Cx) {
        if self.open.as_ref().is_some_and(|(shown, _)| *shown == target) {
            return;
        }
        self.close(cx);
        let preview = match &target {
            PreviewTarget::Local(path) => Preview::local(path.clone(), name, Some(bytes), cx),
            PreviewTarget::Remote(profile, id) => Preview::remote(profile.clone(), id.clone(), name, Some(bytes), cx),
        };
        self.open = Some((target, preview));
    }

    /// Returns what is known of the folder at a path; `None`: it was not looked into.
    pub(super) fn folder(&self, path: &str) -> Option<&FolderPreview> {
        self.folder.as_ref().filter(|folder| folder.is_of(path))
    }

    /// Looks into a folder, unless it was already.
    fn show_folder(&mut self, path: String, cx: &mut Cx) {
        if self.folder(&path).is_none() {
            self.close_folder(cx);
            self.folder = Some(FolderPreview::new(path, cx));
        }
    }

    /// Forgets the folder that was looked into.
    pub(super) fn close_folder(&mut self, cx: &mut Cx) {
        if let Some(folder) = self.folder.take() {
            folder.close(cx);
        }
    }

    /// Takes the work threads' answer. Returns whether it is of the folder that was looked into.
    pub(super) fn handle_worked(&mut self, ticket: Ticket, done: &Done) -> bool {
        self.folder.as_mut().is_some_and(|folder| folder.handle_worked(ticket, done))
    }

    /// Takes a reply. Returns whether the preview asked for it.
    pub(super) fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> bool {
        self.open.as_mut().is_some_and(|(_, preview)| !preview.reply(ticket, response, cx).is_ignored())
    }

    /// Ends the preview.
    fn close(&mut self, cx: &mut Cx) {
        if let Some((_, mut preview)) = self.open.take() {
            preview.close(cx);
        }
    }
}

impl State {
    /// Looks into the local file or folder under the cursor, where there is room beside the lists; stored ones when
    /// asked to.
    pub(super) fn follow(&mut self, cx: &mut Cx) {
        if self.panes.layout.density == PaneDensity::One || self.panes.focus == PaneFocus::Preview {
            return;
        }
        match self.local.list.selected_item().filter(|_| self.panes.side == ListSide::Local) {
            Some(entry) if entry.kind == EntryKind::Folder => {
                let path = self.local.path_of(entry);
                self.preview.show_folder(path, cx);
            }
            Some(entry) if entry.kind == EntryKind::File => {
                self.preview.close_folder(cx);
                let target = PreviewTarget::Local(self.local.path_of(entry));
                return self.preview.show(target, entry.name.clone(), entry.bytes, cx);
            }
            _ => self.preview.close_folder(cx),
        }
        // A stored file that was looked into stays while the cursor is on it.
        let stays = match &self.preview.open {
            Some((PreviewTarget::Remote(_, id), _)) => {
                let selected = self.servers.current().and_then(|remote| remote.list.selected_item());
                self.panes.side == ListSide::Server && selected.is_some_and(|file| file.id == *id)
            }
            _ => false,
        };
        if !stays {
            self.close_preview(cx);
        }
    }

    /// Looks into the file under the cursor, and gives it the keys.
    pub(super) fn focus_preview(&mut self, cx: &mut Cx) {
        let (target, name, bytes) = match self.panes.side {
            ListSide::Local => {
                let Some(entry) = self.local.list.selected_item() else { return };
                let target = match entry.kind {
                    EntryKind::File => PreviewTarget::Local(self.local.path_of(entry)),
                    EntryKind::Folder => return,
                    EntryKind::Other => {
                        return cx.notify(Notice::info("not a regular file: it cannot be opened").about("open"));
                    }
                    EntryKind::Unnameable => {
                        let said = "its name is not valid text; rename it to open it";
                        return cx.notify(Notice::info(said).about("open"));
                    }
                };
                (target, entry.name.clone(), entry.bytes)
            }
            ListSide::Server => {
                let Some(file) = self.servers.current().and_then(|remote| remote.list.selected_item()) else { return };
                let target = PreviewTarget::Remote(self.servers.profile.clone(), file.id.clone());
                (target, file.name.clone(), file.bytes)
            }
        };
        self.preview.show(target, name, bytes, cx);
        self.panes.focus = PaneFocus::Preview;
    }

    /// Looks into the file under the cursor over the whole tab.
    pub(super) fn zoom(&mut self, cx: &mut Cx) {
        self.focus_preview(cx);
        if let Some((_, preview)) = self.preview.open.as_mut().filter(|_| self.panes.focus == PaneFocus::Preview)
            && !preview.is_zoomed()
        {
            preview.zoom();
        }
    }

    /// Returns whether the preview takes the whole tab because the user wants it to.
    pub(super) fn is_zoomed(&self) -> bool {
        let has_keys = self.panes.focus == PaneFocus::Preview;
        has_keys && self.preview.open.as_ref().is_some_and(|(_, preview)| preview.is_zoomed())
    }

    /// Looks into a local file at a byte of it.
    pub(super) fn show_place(&mut self, path: String, byte: u64, cx: &mut Cx) {
        self.pages.put_aside(cx);
        self.preview.close(cx);
        let name = super::local::name_of(&path).into();
        let mut preview = Preview::local(path.clone(), name, self.local.size_of(&path), cx);
        preview.go_to(JumpTarget::Byte(byte), cx);
        self.preview.open = Some((PreviewTarget::Local(path), preview));
        (self.panes.side, self.panes.focus) = (ListSide::Local, PaneFocus::Preview);
    }

    /// Closes the preview; of a file on the check page that page comes back.
    pub(super) fn leave_preview(&mut self, cx: &mut Cx) {
        if let Some((PreviewTarget::Local(path), _)) = &self.preview.open {
            self.pages.bring_back(path);
        }
        self.close_preview(cx);
    }

    fn close_preview(&mut self, cx: &mut Cx) {
        self.preview.close(cx);
        self.panes.leave(PaneFocus::Preview);
    }
}
