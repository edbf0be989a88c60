//! What the user looks into: the file under the cursor, below the lists or in their place.

use std::time::{Duration, Instant};

use super::layout::PaneDensity;
use super::preview::{JumpTarget, Preview};
use super::remote_files::RemoteFiles;
use super::state::{ListSide, PaneFocus, State};
use crate::component::{Cx, Notice};
use crate::record::files::EntryKind;
use crate::settings::ProfileId;

/// How long the cursor rests on a local file before it is looked into.
const REST: Duration = Duration::from_millis(150);

/// What the preview is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PreviewTarget {
    Local(String),
    RemoteFile(ProfileId, String),
}

impl State {
    /// The cursor has moved: what is under it is looked into when it rests.
    pub(super) fn rested(&mut self, now: Instant) {
        self.rest = Some(now + REST);
    }

    /// Looks into the local file under the cursor, where there is room beside the lists; stored ones when asked to.
    pub(super) fn follow(&mut self, cx: &mut Cx) {
        if self.layout.density == PaneDensity::Narrow || self.focus == PaneFocus::Preview {
            return;
        }
        let wanted = match self.side {
            ListSide::Local => self
                .local
                .here()
                .filter(|entry| entry.kind == EntryKind::File)
                .map(|entry| (PreviewTarget::Local(self.local.path_of(entry)), entry.name.clone(), entry.bytes)),
            ListSide::Server => None,
        };
        let same = match (&self.preview, &wanted) {
            (Some((shown, _)), Some((subject, ..))) => shown == subject,
            (Some((PreviewTarget::RemoteFile(_, id), _)), None) => {
                self.side == ListSide::Server
                    && self.remote().and_then(RemoteFiles::here).is_some_and(|file| file.id == *id)
            }
            (None, None) => true,
            _ => false,
        };
        if same {
            return;
        }
        self.close_preview(cx);
        if let Some((PreviewTarget::Local(path), name, bytes)) = wanted {
            let preview = Preview::local(path.clone(), name, Some(bytes), cx);
            self.preview = Some((PreviewTarget::Local(path), preview));
        }
    }

    /// Looks into the file under the cursor, and gives it the keys.
    pub(super) fn look(&mut self, cx: &mut Cx) {
        let (subject, name, bytes) = match self.side {
            ListSide::Local => {
                let Some(entry) = self.local.here() else { return };
                match entry.kind {
                    EntryKind::File => {
                        (PreviewTarget::Local(self.local.path_of(entry)), entry.name.clone(), entry.bytes)
                    }
                    EntryKind::Folder => return,
                    EntryKind::Other => {
                        return cx.notify(Notice::hint("that is no file: it is not opened").about("open"));
                    }
                    EntryKind::Unnameable => {
                        let said = "its name is no text: rename it and it can be opened";
                        return cx.notify(Notice::hint(said).about("open"));
                    }
                }
            }
            ListSide::Server => {
                let Some(file) = self.remote().and_then(RemoteFiles::here) else { return };
                (PreviewTarget::RemoteFile(self.profile.clone(), file.id.clone()), file.name.clone(), file.bytes)
            }
        };
        if self.preview.as_ref().is_none_or(|(shown, _)| *shown != subject) {
            self.close_preview(cx);
            let preview = match &subject {
                PreviewTarget::Local(path) => Preview::local(path.clone(), name, Some(bytes), cx),
                PreviewTarget::RemoteFile(profile, id) => {
                    Preview::remote(profile.clone(), id.clone(), name, Some(bytes), cx)
                }
            };
            self.preview = Some((subject, preview));
        }
        self.focus = PaneFocus::Preview;
    }

    /// Looks into a local file at a byte of it.
    pub(super) fn show_place(&mut self, path: String, byte: u64, cx: &mut Cx) {
        self.put_aside(cx);
        self.close_preview(cx);
        let name = super::local::name_of(&path).into();
        let mut preview = Preview::local(path.clone(), name, self.local.bytes_of(&path), cx);
        preview.go_to(JumpTarget::Byte(byte), cx);
        self.preview = Some((PreviewTarget::Local(path), preview));
        (self.side, self.focus) = (ListSide::Local, PaneFocus::Preview);
    }

    /// Another thing stands before the check page, which stays as it is.
    pub(super) fn put_aside(&mut self, cx: &mut Cx) {
        if let Some(page) = self.check.take()
            && let Some(mut other) = self.aside.replace(page)
        {
            other.close(cx);
        }
    }

    /// A row of the file on the check page was looked at: the page comes back.
    pub(super) fn back_to_check(&mut self) {
        if let Some((PreviewTarget::Local(path), _)) = &self.preview
            && self.check.is_none()
        {
            self.check = self.aside.take_if(|page| page.path() == path);
        }
    }

    /// The preview is done with.
    pub(super) fn close_preview(&mut self, cx: &mut Cx) {
        if let Some((_, mut preview)) = self.preview.take() {
            preview.close(cx);
        }
        if self.focus == PaneFocus::Preview {
            self.focus = PaneFocus::List;
        }
    }
}
