//! A sample job: two files are written and uploaded, then a model is trained with them.

use std::path::PathBuf;

use super::state::{Request, State};
use crate::api::call::{Call, Progress, Reply, Ticket, Upload};
use crate::api::fine_tune::FineTuneRequest;
use crate::component::{Cx, Notice};
use crate::dataset::sample;
use crate::record::work::{Done, Work};
use crate::settings::ProfileId;
use crate::text::Untrusted;

/// The files in the order in which they are uploaded.
const FILES: [(&str, &str); 2] = [sample::TRAINING, sample::VALIDATION];
/// What notices are about.
const ABOUT: &str = "sample";

/// A sample that is being prepared.
#[derive(Clone, Debug)]
pub(super) struct SampleRun {
    /// Whose server it is for.
    profile: ProfileId,
    /// The order or the call under way.
    ticket: Ticket,
    /// Ids of the files that are on the server.
    uploaded: Vec<String>,
}

impl SampleRun {
    /// Returns the name of the file under way.
    pub(super) fn file(&self) -> &'static str {
        FILES[self.uploaded.len().min(FILES.len() - 1)].0
    }
}

impl State {
    /// Trains a sample on the local service.
    pub(super) fn begin_sample(&mut self, cx: &mut Cx) {
        let Some(profile) = self.list().map(|list| list.profile.clone()) else { return };
        if self.sample.is_none() {
            self.sample = Some(SampleRun { profile, ticket: write(0, cx), uploaded: Vec::new() });
        }
    }

    /// Takes the outcome of writing a file. Returns whether it was one of the sample's.
    pub(super) fn sample_worked(&mut self, ticket: Ticket, done: &Done, cx: &mut Cx) -> bool {
        let Some(run) = self.sample.as_mut().filter(|run| run.ticket == ticket) else { return false };
        match done {
            Done::Saved(path) => {
                let upload = Upload {
                    path: PathBuf::from(path.raw()),
                    name: run.file().to_owned(),
                    purpose: "fine-tune".into(),
                };
                run.ticket = cx.call_to(run.profile.clone(), Call::Upload(Box::new(upload)));
            }
            Done::Failed(why) => self.sample_failed(why, cx),
            _ => {}
        }
        true
    }

    /// Takes a part of an upload. Returns whether it was one of the sample's.
    pub(super) fn sample_progress(&mut self, ticket: Ticket, progress: &Progress, cx: &mut Cx) -> bool {
        let Some(run) = self.sample.as_mut().filter(|run| run.ticket == ticket) else { return false };
        match progress {
            Progress::Reply(Reply::Uploaded(file, _)) => run.uploaded.push(file.id.clone()),
            Progress::Closed(Err(why)) => self.sample_failed(&why.sentence, cx),
            Progress::Closed(Ok(())) if run.uploaded.len() < FILES.len() => run.ticket = write(run.uploaded.len(), cx),
            Progress::Closed(Ok(())) => {
                let Some(run) = self.sample.take() else { return true };
                self.create_sample(run, cx);
            }
            _ => {}
        }
        true
    }

    fn create_sample(&mut self, run: SampleRun, cx: &mut Cx) {
        let mut files = run.uploaded.into_iter();
        let request = FineTuneRequest {
            training_file: files.next().unwrap_or_default(),
            validation_file: files.next(),
            suffix: Some("mood".to_owned()),
            ..FineTuneRequest::default()
        };
        let request = Box::new(request);
        self.ask(&run.profile, Call::CreateJob(request.clone()), Request::Sample(request), cx);
    }

    pub(super) fn sample_failed(&mut self, why: &Untrusted, cx: &mut Cx) {
        self.sample = None;
        cx.notify(Notice::error(format!("the sample could not be prepared: {}", why.line())).about(ABOUT));
    }
}

/// Writes a file where it can be uploaded from.
fn write(at: usize, cx: &mut Cx) -> Ticket {
    let (name, text) = FILES[at];
    let path = std::env::temp_dir().join(name).to_string_lossy().into_owned();
    cx.work(Work::Save { path, text: text.into() })
}
