//! Handles the outcome of a transfer: updates the lists and notifies the user.

use super::batch_summary::BatchSummary;
use super::panes::ListSide;
use super::remote_files::RemoteFile;
use super::state::State;
use super::training_offer;
use super::transfer::TransferOutcome;
use crate::api::call::{Downloaded, Failure};
use crate::component::{Cx, Notice};
use crate::settings::ProfileId;
use crate::tabs::file_metadata::FileMetadata;
use crate::text::Untrusted;

impl State {
    /// Takes the outcome of a finished transfer.
    pub(super) fn handle_transfer_outcome(&mut self, outcome: TransferOutcome, cx: &mut Cx) {
        let notice = match outcome {
            TransferOutcome::Uploaded { profile, metadata, file, sha256 } => {
                self.handle_upload(&profile, metadata.hashed(&sha256), RemoteFile::of(*file), cx)
            }
            TransferOutcome::Downloaded { profile, id, file } => self.handle_download(&profile, &id, &file, cx),
            TransferOutcome::Failed { profile, name, why, id } => {
                self.handle_failure(&profile, &name, &why, id.as_deref())
            }
        };
        cx.notify(notice);
        if self.transfers.unfinished_count() == 0 {
            // The next transfer begins another batch.
            self.transfers.summary = BatchSummary::default();
        }
    }

    fn handle_upload(&mut self, profile: &ProfileId, metadata: FileMetadata, file: RemoteFile, cx: &mut Cx) -> Notice {
        let on = cx.session.name_of_profile(profile);
        let mut words = format!("{} uploaded to {}", file.name.line(), on.line());
        let mut is_pair = false;
        if let Some(remote) = self.servers.of_mut(profile) {
            let id = file.id.clone();
            remote.save_metadata(&id, metadata, cx);
            remote.put(file, cx.now);
            // Both parts of a split file are now on the server: offer training with both.
            if let Some((train, valid)) = training_offer::both_parts(remote, &id) {
                let names = format!("{} and {}", train.name.line(), valid.name.line());
                words = format!("{names} uploaded to {}; o trains with both", on.line());
                is_pair = true;
                let train = train.id.clone();
                // A user who used a key or the mouse since the upload keeps their place.
                if self.no_input_since_upload {
                    self.servers.current_mut().list.select(&train);
                    self.panes.focus_list(ListSide::Server);
                }
            }
        }
        self.transfers.summary.uploaded(&on.line(), words, is_pair)
    }

    fn handle_download(&mut self, profile: &ProfileId, id: &str, file: &Downloaded, cx: &mut Cx) -> Notice {
        if let Some(remote) = self.servers.of_mut(profile) {
            remote.save_hash(id, &file.sha256, cx);
        }
        let path = file.path.to_string_lossy();
        if super::local::split_path(&path).is_some_and(|(folder, _)| folder == self.local.path.raw()) {
            self.local.refresh(cx);
        }
        self.transfers.summary.downloaded(format!("saved {path}").into())
    }

    fn handle_failure(&mut self, profile: &ProfileId, name: &Untrusted, why: &Failure, id: Option<&str>) -> Notice {
        if let Some(id) = id.filter(|_| why.status == Some(404))
            && let Some(remote) = self.servers.of_mut(profile)
        {
            remote.mark_gone(id);
        }
        self.transfers.summary.failed(format!("{}: {}", name.line(), why.sentence.line()))
    }
}
