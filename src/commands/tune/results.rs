//! `benchtop tune results`: prints or saves the result file of a fine-tune.

use clap::Args;

use crate::api::call::{Call, Progress, Reply, Ticket};
use crate::api::job::Job;
use crate::commands::files::target::Target;
use crate::commands::{Output, Status, Task};
use crate::component::{Cx, Response};
use crate::dataset::from_base64;
use crate::disk;
use crate::record::work::{Done, Work};
use crate::tabs::range_download::{DownloadStep, RangeDownload};
use crate::text::Untrusted;

/// Bytes of the largest result file that is read, as in the Tune tab.
const LARGEST: u64 = 64_000_000;

/// The command line of `benchtop tune results`.
#[derive(Clone, Debug, Args)]
pub(super) struct ResultsArgs {
    /// Id of the fine-tune
    #[arg(value_name = "ID")]
    id: String,
    /// Folder or file to write to; without it, and for -, standard output
    #[arg(long, value_name = "DIR|FILE|-")]
    output: Option<String>,
}

/// What is under way.
#[derive(Debug)]
enum Step {
    Nothing,
    Job(Ticket),
    Content(RangeDownload),
    Saving(Ticket),
}

/// The command.
#[derive(Debug)]
pub(super) struct Results {
    id: String,
    target: Target,
    /// The name that the server gives to the file.
    name: String,
    step: Step,
    status: Option<Status>,
}

impl Results {
    /// Creates the command.
    ///
    /// # Errors
    /// Nothing can be written where the file should go; a sentence.
    pub(super) fn new(args: ResultsArgs) -> Result<Self, String> {
        let target = args.output.as_deref().map_or(Ok(Target::Standard), Target::of)?;
        Ok(Self { id: args.id, target, name: String::new(), step: Step::Nothing, status: None })
    }

    /// Asks for the result file of the job.
    fn fetch(&mut self, job: &Job, cx: &mut Cx, out: &mut Output) {
        let Some(file) = job.result_files.first() else {
            let id = &self.id;
            out.notice(if job.status.is_finished() {
                format!("{id} has no result file")
            } else {
                format!("{id} has no result file yet: `benchtop tune watch {id}` tells when it has ended")
            });
            self.status = Some(Status::ResultIsNo);
            return;
        };
        self.name = if file.filename.is_empty() { format!("{}.csv", self.id) } else { file.filename.clone() };
        self.step = Step::Content(RangeDownload::ask(cx.session.profile.clone(), file.id.clone(), LARGEST, cx));
    }

    /// Prints or saves the file.
    fn write(&mut self, bytes: Vec<u8>, cx: &mut Cx, out: &mut Output) {
        // Some servers send the table as base64.
        let bytes = from_base64(&bytes).unwrap_or(bytes);
        if let Err(why) = self.target.create_folder() {
            out.notice(why);
            self.status = Some(Status::CutOff);
            return;
        }
        let path = match &self.target {
            Target::Standard => {
                out.content(&bytes);
                self.status = Some(Status::Done);
                return;
            }
            Target::Folder(folder) => folder.join(disk::clean(&self.name)),
            Target::File(folder, name) => folder.join(name),
        };
        let text = Untrusted::new(String::from_utf8_lossy(&bytes));
        self.step = Step::Saving(cx.work(Work::Save { path: path.to_string_lossy().into_owned(), text }));
    }
}

impl Task for Results {
    fn start(&mut self, cx: &mut Cx, _out: &mut Output) {
        self.step = Step::Job(cx.call(Call::Job(self.id.clone())));
    }

    fn reply(&mut self, ticket: Ticket, response: Response, cx: &mut Cx, out: &mut Output) {
        match (&mut self.step, response) {
            (Step::Job(asked), Response::Call(progress)) if *asked == ticket => match progress {
                Progress::Reply(Reply::Job(job)) => self.fetch(&job, cx, out),
                progress => self.status = self.status.or(Status::of_call(&progress, out)),
            },
            (Step::Content(content), Response::Call(progress)) if content.ticket == ticket => {
                if let Progress::Retrying { why, .. } = &progress {
                    out.retrying(why);
                }
                match (content.observe(&progress, cx), progress) {
                    (DownloadStep::Coming, _) => {}
                    (DownloadStep::All(bytes), _) => self.write(bytes, cx, out),
                    (DownloadStep::Failed(words), progress) => {
                        out.notice(words);
                        self.status = Some(match progress {
                            Progress::Closed(Err(why)) => Status::of_failure(&why),
                            _ => Status::CutOff,
                        });
                    }
                }
            }
            (Step::Saving(asked), Response::Work(done)) if *asked == ticket => match done {
                Done::Saved(path) => {
                    out.line(&path);
                    self.status = Some(Status::Done);
                }
                Done::Failed(why) => {
                    out.notice(why);
                    self.status = Some(Status::CutOff);
                }
                _ => {}
            },
            _ => {}
        }
    }

    fn interrupt(&mut self, cx: &mut Cx, _out: &mut Output) {
        match &self.step {
            Step::Job(asked) => cx.cancel(*asked),
            Step::Content(content) => cx.cancel(content.ticket),
            Step::Nothing | Step::Saving(_) => {}
        }
        self.status = Some(Status::Done);
    }

    fn status(&self) -> Option<Status> {
        self.status
    }
}
