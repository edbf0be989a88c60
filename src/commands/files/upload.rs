//! Checks files and uploads them: what `benchtop files put` and `benchtop tune create` have in common.

use std::time::Instant;

use super::findings;
use crate::api::call::Ticket;
use crate::commands::input::{self, LocalFile};
use crate::commands::{Output, Status};
use crate::component::{Cx, Response};
use crate::tabs::files::{FilesUpdate, RemoteFile, ServerFiles, Soundness};
use crate::ui::meter::percent;

/// The purpose of training files; they are checked before they are sent.
pub(in crate::commands) const TRAINING: &str = "fine-tune";

/// What became of a file.
#[derive(Debug)]
enum Upload {
    Waiting,
    Sent(Box<RemoteFile>),
    Failed,
}

/// Files on their way to the server.
#[derive(Debug)]
pub(in crate::commands) struct Uploader {
    local: Vec<LocalFile>,
    purpose: String,
    checks: bool,
    files: Option<ServerFiles>,
    /// What became of each file; empty: nothing is sent yet.
    uploads: Vec<Upload>,
    /// How many of these were handed out.
    taken: usize,
    failed: Option<Status>,
}

impl Uploader {
    /// Looks the files up. Those for training are checked before they are sent, unless `checks` says no.
    ///
    /// # Errors
    /// One of them is not there, or is not a file; a sentence.
    pub(in crate::commands) fn new(paths: &[String], purpose: String, checks: bool) -> Result<Self, String> {
        let local = paths.iter().map(|path| input::file(path)).collect::<Result<_, _>>()?;
        let checks = checks && purpose == TRAINING;
        Ok(Self { local, purpose, checks, files: None, uploads: Vec::new(), taken: 0, failed: None })
    }

    /// Begins to check the files.
    pub(in crate::commands) fn start(&mut self, cx: &mut Cx) {
        let files = self.files.insert(ServerFiles::new(cx.session));
        files.load_hashes(cx);
        files.plan(self.local.iter().map(|file| (file.path.clone(), file.bytes)).collect(), self.checks, cx);
    }

    /// Takes in a reply of client, store or work threads. Returns how the last upload ended it; `None`: it runs.
    pub(in crate::commands) fn reply(
        &mut self,
        ticket: Ticket,
        response: Response,
        cx: &mut Cx,
        out: &mut Output,
    ) -> Option<Status> {
        let files = self.files.as_mut()?;
        match files.handle(ticket, response, cx) {
            FilesUpdate::Retrying(why) => out.retrying(&why),
            FilesUpdate::Moved => self.show(cx.now, out),
            FilesUpdate::Known if self.uploads.is_empty() && !files.is_waiting() => return self.send(cx, out),
            FilesUpdate::Sent(place, Ok(file)) => self.uploads[place] = Upload::Sent(file),
            FilesUpdate::Sent(place, Err(why)) => {
                out.notice(format!("{} was not uploaded: {}", self.local[place].shown, why.sentence.line()));
                self.uploads[place] = Upload::Failed;
                self.failed.get_or_insert(Status::of_failure(&why));
            }
            _ => {}
        }
        let is_running = self.uploads.is_empty() || self.uploads.iter().any(|upload| matches!(upload, Upload::Waiting));
        (!is_running).then(|| self.failed.unwrap_or(Status::Done))
    }

    /// Sends the files, unless a check found that the server would refuse one.
    fn send(&mut self, cx: &mut Cx, out: &mut Output) -> Option<Status> {
        let files = self.files.as_mut()?;
        let (mut refused, mut repairable) = (false, false);
        for (place, checked) in files.checks() {
            let file = &self.local[place];
            let shown = &file.shown;
            match checked {
                Ok(report) if Soundness::of(report) == Soundness::Sound => {}
                Ok(report) => {
                    let has_faults = Soundness::of(report) == Soundness::Faults;
                    refused |= has_faults;
                    repairable |= has_faults && report.stop.is_none();
                    out.notice(format!("{shown}: {}", findings::in_short(report)));
                }
                Err(why) => {
                    refused = true;
                    out.notice(format!("{shown}: {}", file.without_path(why).line()));
                }
            }
        }
        if refused {
            let repair = if repairable { ", `benchtop files prepare` repairs it" } else { "" };
            out.notice(format!(
                "nothing was uploaded: `benchtop files check` lists what is wrong{repair}, --no-check uploads the files \
                 as they are"
            ));
            return Some(Status::ResultIsNo);
        }
        files.send(&self.purpose, cx);
        self.uploads.extend(self.local.iter().map(|_| Upload::Waiting));
        None
    }

    /// Returns the next file that was uploaded, in the order in which they were named, with its path as it was named.
    pub(in crate::commands) fn take_sent(&mut self) -> Option<(&str, &RemoteFile)> {
        while matches!(self.uploads.get(self.taken), Some(Upload::Failed)) {
            self.taken += 1;
        }
        let Some(Upload::Sent(file)) = self.uploads.get(self.taken) else { return None };
        self.taken += 1;
        Some((&self.local[self.taken - 1].shown, file))
    }

    /// Passes over the files that are not uploaded yet, so that [`Self::take_sent`] returns those behind them.
    pub(in crate::commands) fn give_up(&mut self) {
        for upload in &mut self.uploads {
            if matches!(upload, Upload::Waiting) {
                *upload = Upload::Failed;
            }
        }
    }

    /// Shows how far it is.
    pub(in crate::commands) fn show(&self, now: Instant, out: &mut Output) {
        let Some(files) = &self.files else { return };
        if self.uploads.is_empty() {
            let (done, total) = files.check_progress();
            out.progress(format!("checking {}", percent(done as f64 / total.max(1) as f64)));
        } else {
            out.progress(files.progress_line(now, out.progress_width()));
        }
    }

    /// Returns when it is to be shown again.
    pub(in crate::commands) fn due(&self, now: Instant) -> Option<Instant> {
        self.files.as_ref()?.due(now)
    }

    /// Stops what is under way.
    pub(in crate::commands) fn stop(&mut self, cx: &mut Cx) {
        if let Some(files) = &mut self.files {
            files.stop(cx);
        }
    }
}
