//! `benchtop tune create`: creates a fine-tune, and uploads its files first where they are of this machine.

use std::path::Path;
use std::time::Instant;

use clap::Args;

use super::job_json::JobJson;
use super::watch::Watch;
use crate::api::call::{Call, FailureKind, Progress, Reply, Ticket};
use crate::api::fine_tune::FineTuneRequest;
use crate::api::job::{Dialect, Job};
use crate::api::model::Model;
use crate::commands::files::upload::{TRAINING, Uploader};
use crate::commands::{Output, Status, Task};
use crate::component::{Cx, Response};
use crate::record::Stored;
use crate::tabs::fine_tunes::{BASES, KeptJobs, after_quitting, is_tunable, new_job};

/// Bytes from which on a word with digits may be an id, whatever it begins with.
const LONG_ID: usize = 20;

/// The command line of `benchtop tune create`.
#[derive(Clone, Debug, Args)]
pub(super) struct CreateArgs {
    /// Training file: its id on the server, or a file of this machine, which is uploaded first
    #[arg(long, value_name = "ID|FILE")]
    training_file: String,
    /// Validation file, in the same way
    #[arg(long, value_name = "ID|FILE")]
    validation_file: Option<String>,
    /// Passes over the training file; without it the server's choice
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=1000))]
    epochs: Option<u32>,
    /// Part of the new model's name
    #[arg(long, value_name = "TEXT")]
    suffix: Option<String>,
    /// Upload files without checking them
    #[arg(long)]
    no_check: bool,
    /// Print the events of the fine-tune as they come, until it has ended
    #[arg(long)]
    watch: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What is under way.
#[derive(Debug)]
enum Step {
    /// What is kept of jobs is asked for.
    Loading,
    /// The server is asked for its interface.
    Asking(Ticket),
    /// The server is asked for its models, before anything is uploaded.
    Listing(Ticket),
    Uploading(Box<Uploader>),
    Creating(Ticket, Box<FineTuneRequest>),
    Watching(Box<Watch>),
}

/// The command.
#[derive(Debug)]
pub(super) struct Create {
    args: CreateArgs,
    /// Which of the files are of this machine: the one for training, the one for validation.
    are_local: [bool; 2],
    /// The base model.
    model: String,
    kept: Option<KeptJobs>,
    /// The interface to fine-tunes that the server has.
    dialect: Option<Dialect>,
    step: Step,
    status: Option<Status>,
}

impl Create {
    /// Looks the files up.
    ///
    /// # Errors
    /// No model is named, or a file is neither here nor looks like an id; a sentence.
    pub(super) fn new(args: CreateArgs, model: Option<&str>) -> Result<Self, String> {
        let model = model.ok_or("--model is needed: the model to tune, such as ada")?.to_owned();
        let files = [Some(&args.training_file), args.validation_file.as_ref()];
        let are_local = files.map(|file| file.is_some_and(|file| Path::new(file).exists()));
        for (file, is_local) in files.into_iter().zip(are_local) {
            if let Some(file) = file.filter(|file| !is_local && !looks_like_id(file)) {
                return Err(format!(
                    "{file}: there is no such file on this machine, and an id of the server's files begins with file-"
                ));
            }
        }
        Ok(Self { args, are_local, model, kept: None, dialect: None, step: Step::Loading, status: None })
    }

    /// Checks the request before anything is sent; then the files of this machine are uploaded, once it is known that
    /// the server has the model.
    fn prepare(&mut self, cx: &mut Cx, out: &mut Output) {
        if cx.session.local && self.dialect == Some(Dialect::FineTunes) && !is_tunable(&self.model) {
            let bases = BASES.join(", ");
            return self.lacks_model(format!("the local service tunes {bases} and models tuned before"), out);
        }
        match self.request(&self.args.training_file, self.args.validation_file.as_deref()) {
            Ok((_, advice)) => advice.into_iter().for_each(|advice| out.notice(advice)),
            Err(why) => return self.not_created(why, out),
        }
        if self.are_local.contains(&true) {
            self.step = Step::Listing(cx.call(Call::Models));
        } else {
            self.create(cx, out);
        }
    }

    /// Uploads the files of this machine, unless the server lists its models and lacks the one to tune. Where there is
    /// no list, the server decides.
    fn listed(&mut self, models: &[Model], cx: &mut Cx, out: &mut Output) {
        if !models.is_empty() && !models.iter().any(|model| model.id == self.model) {
            let why = format!("the server has no model {}: `benchtop models` lists all", self.model);
            return self.lacks_model(why, out);
        }
        let files =
            [Some(&self.args.training_file), self.args.validation_file.as_ref()].into_iter().zip(self.are_local);
        let local: Vec<String> = files.filter_map(|(file, is_local)| file.filter(|_| is_local).cloned()).collect();
        match Uploader::new(&local, TRAINING.to_owned(), !self.args.no_check) {
            Ok(mut uploader) => {
                uploader.start(cx);
                self.step = Step::Uploading(Box::new(uploader));
            }
            Err(why) => self.not_created(why, out),
        }
    }

    /// Takes the ids of the files that were uploaded, and creates the job.
    fn uploaded(&mut self, status: Status, cx: &mut Cx, out: &mut Output) {
        if status != Status::Done {
            self.status = Some(status);
            return;
        }
        let Step::Uploading(uploader) = &mut self.step else { return };
        let files = [Some(&mut self.args.training_file), self.args.validation_file.as_mut()];
        for (file, is_local) in files.into_iter().zip(self.are_local) {
            if let Some(file) = file.filter(|_| is_local)
                && let Some((_, sent)) = uploader.take_sent()
            {
                out.notice(format!("{file} was uploaded as {}", sent.id));
                file.clone_from(&sent.id);
            }
        }
        self.create(cx, out);
    }

    fn create(&mut self, cx: &mut Cx, out: &mut Output) {
        match self.request(&self.args.training_file, self.args.validation_file.as_deref()) {
            Ok((request, _)) => {
                let request = Box::new(request);
                self.step = Step::Creating(cx.call(Call::CreateJob(request.clone())), request);
            }
            Err(why) => self.not_created(why, out),
        }
    }

    fn request(&self, training: &str, validation: Option<&str>) -> Result<(FineTuneRequest, Vec<String>), String> {
        let epochs = self.args.epochs.map(|epochs| epochs.to_string()).unwrap_or_default();
        let values = [
            ("training_file", training),
            ("validation_file", validation.unwrap_or_default()),
            ("model", &self.model),
            ("n_epochs", &epochs),
            ("suffix", self.args.suffix.as_deref().unwrap_or_default()),
        ];
        new_job(&values, self.dialect)
    }

    /// Ends as if the server had refused the model.
    fn lacks_model(&mut self, why: String, out: &mut Output) {
        out.notice(why);
        out.notice("nothing was uploaded and no fine-tune created");
        self.status = Some(Status::Refused);
    }

    fn not_created(&mut self, why: String, out: &mut Output) {
        out.notice(why);
        self.status = Some(Status::Usage);
    }

    /// Prints the job that was created, and follows it if that is wanted.
    fn created(&mut self, mut job: Job, request: FineTuneRequest, cx: &mut Cx, out: &mut Output) {
        if let Some(kept) = &mut self.kept {
            kept.add_request(&job.id, request, cx);
            kept.name(&mut job);
        }
        if self.args.json {
            out.json(&JobJson::from(&job));
        } else {
            out.line(&job.id.as_str().into());
        }
        if self.args.watch {
            let mut watch = Watch::of(job.id.clone(), self.args.json);
            watch.start(cx, out);
            self.step = Step::Watching(Box::new(watch));
        } else {
            if cx.session.local {
                out.notice(format!("{}: {}", job.id, after_quitting(&cx.session.profile)));
            }
            self.status = Some(Status::Done);
        }
    }

    fn stored(&mut self, ticket: Ticket, stored: &Stored, cx: &mut Cx, out: &mut Output) {
        if !self.kept.as_mut().is_some_and(|kept| kept.handle_stored(ticket, stored)) {
            return;
        }
        self.dialect = cx.session.fine_tunes;
        if self.dialect.is_some() {
            self.prepare(cx, out);
        } else {
            self.step = Step::Asking(cx.call(Call::Jobs));
        }
    }
}

/// Returns whether a word may be the id of a file of the server. Not all servers let them begin with `file-`.
fn looks_like_id(word: &str) -> bool {
    let is_long = word.len() >= LONG_ID && word.contains(|char: char| char.is_ascii_digit());
    !word.contains(['/', '.']) && (word.starts_with("file-") || is_long)
}

impl Task for Create {
    fn start(&mut self, cx: &mut Cx, _out: &mut Output) {
        self.kept = Some(KeptJobs::load(cx));
    }

    fn reply(&mut self, ticket: Ticket, response: Response, cx: &mut Cx, out: &mut Output) {
        match (&mut self.step, response) {
            (Step::Loading, Response::Store(stored)) => self.stored(ticket, &stored, cx, out),
            (Step::Asking(asked), Response::Call(progress)) if *asked == ticket => match progress {
                Progress::Reply(Reply::Jobs(dialect, _)) => {
                    self.dialect = Some(dialect);
                    self.prepare(cx, out);
                }
                progress => self.status = self.status.or(Status::of_call(&progress, out)),
            },
            (Step::Listing(asked), Response::Call(progress)) if *asked == ticket => match progress {
                Progress::Reply(Reply::Models(models)) => self.listed(&models, cx, out),
                Progress::Retrying { why, .. } => out.retrying(&why),
                // Without a list the server decides.
                Progress::Closed(Err(why)) if matches!(why.kind, FailureKind::Unsupported | FailureKind::Refused) => {
                    self.listed(&[], cx, out);
                }
                Progress::Closed(Err(why)) => {
                    out.notice(why.sentence.clone());
                    self.status = Some(Status::of_failure(&why));
                }
                _ => {}
            },
            (Step::Uploading(uploader), response) => {
                if let Some(status) = uploader.reply(ticket, response, cx, out) {
                    self.uploaded(status, cx, out);
                }
            }
            (Step::Creating(asked, request), Response::Call(progress)) if *asked == ticket => match progress {
                Progress::Reply(Reply::Job(job)) => {
                    let request = std::mem::take(&mut **request);
                    self.created(*job, request, cx, out);
                }
                progress => self.status = self.status.or(Status::of_call(&progress, out)),
            },
            (Step::Watching(watch), response) => watch.reply(ticket, response, cx, out),
            _ => {}
        }
    }

    fn due(&self, now: Instant) -> Option<Instant> {
        if let Step::Uploading(uploader) = &self.step { uploader.due(now) } else { None }
    }

    fn tick(&mut self, cx: &mut Cx, out: &mut Output) {
        if let Step::Uploading(uploader) = &self.step {
            uploader.show(cx.now, out);
        }
    }

    fn interrupt(&mut self, cx: &mut Cx, out: &mut Output) {
        match &mut self.step {
            Step::Loading => {}
            Step::Asking(asked) | Step::Listing(asked) => cx.cancel(*asked),
            Step::Uploading(uploader) => uploader.stop(cx),
            Step::Creating(asked, _) => {
                cx.cancel(*asked);
                if !out.is_closed() {
                    out.notice("stopped: `benchtop tune ls` says whether the job was created");
                }
            }
            Step::Watching(watch) => watch.interrupt(cx, out),
        }
        self.status = Some(Status::Done);
    }

    fn status(&self) -> Option<Status> {
        if let Step::Watching(watch) = &self.step { self.status.or(watch.status()) } else { self.status }
    }
}
