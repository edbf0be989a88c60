//! `benchtop tune rm`: deletes the model that a fine-tune made.

use clap::Args;
use serde::Serialize;

use crate::api::call::{Call, Progress, Reply, Ticket};
use crate::api::job::Job;
use crate::commands::request::VERSION;
use crate::commands::{Output, Status, Task, input};
use crate::component::{Cx, Response};
use crate::tabs::fine_tunes::{KeptJobs, job_state};

/// The command line of `benchtop tune rm`.
#[derive(Clone, Debug, Args)]
pub(super) struct RmArgs {
    /// Id of the fine-tune
    #[arg(value_name = "ID")]
    id: String,
    /// Delete without asking
    #[arg(long)]
    yes: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The command.
#[derive(Debug)]
pub(super) struct Rm {
    args: RmArgs,
    /// What is asked before the model is deleted.
    question: Option<String>,
    kept: Option<KeptJobs>,
    asked: Option<Ticket>,
    /// The model, once it is known.
    model: Option<String>,
    status: Option<Status>,
}

impl Rm {
    /// Creates the command.
    ///
    /// # Errors
    /// There is no terminal to ask on, unless that is not wanted; a sentence.
    pub(super) fn new(args: RmArgs) -> Result<Self, String> {
        if !args.yes {
            input::check_can_ask()?;
        }
        Ok(Self { args, question: None, kept: None, asked: None, model: None, status: None })
    }

    /// Deletes the model of the job, if it made one, once the user wants it.
    fn found(&mut self, job: Job, cx: &mut Cx, out: &mut Output) {
        // What else comes of this call says nothing of the deletion.
        self.asked = None;
        self.model = job.fine_tuned_model;
        let id = &self.args.id;
        match &self.model {
            Some(_) if self.args.yes => self.delete(cx),
            Some(model) => {
                self.question =
                    Some(format!("Delete {model}, the model of {id}, from the server? This cannot be undone."));
            }
            None => {
                let state = job_state(&job.status);
                out.notice(format!("{id} ({state}) has no model: nothing was deleted"));
                self.status = Some(Status::Usage);
            }
        }
    }

    fn delete(&mut self, cx: &mut Cx) {
        self.asked = self.model.clone().map(|model| cx.call(Call::DeleteModel(model)));
    }

    /// Takes a part of the deletion.
    fn deleted(&mut self, progress: &Progress, cx: &mut Cx, out: &mut Output) {
        let Some(status) = Status::of_call(progress, out) else { return };
        if status == Status::Done {
            let model = self.model.as_deref().unwrap_or_default();
            if self.args.json {
                let job = self.args.id.as_str();
                out.json(&DeletedJson { version: VERSION, job, model, deleted: true });
            } else {
                out.line(&model.into());
            }
            if let Some(kept) = &mut self.kept {
                kept.add_deleted(&self.args.id, cx);
            }
        }
        self.status = Some(status);
    }
}

impl Task for Rm {
    fn start(&mut self, cx: &mut Cx, _out: &mut Output) {
        self.kept = Some(KeptJobs::load(cx));
    }

    fn reply(&mut self, ticket: Ticket, response: Response, cx: &mut Cx, out: &mut Output) {
        match response {
            Response::Store(stored) if self.kept.as_mut().is_some_and(|kept| kept.handle_stored(ticket, &stored)) => {
                self.asked = Some(cx.call(Call::Job(self.args.id.clone())));
            }
            Response::Call(progress) if self.asked == Some(ticket) => match progress {
                Progress::Reply(Reply::Job(job)) => self.found(*job, cx, out),
                progress if self.model.is_some() => self.deleted(&progress, cx, out),
                progress => self.status = self.status.or(Status::of_call(&progress, out)),
            },
            _ => {}
        }
    }

    fn question(&self) -> Option<&str> {
        self.question.as_deref()
    }

    fn answered(&mut self, is_yes: bool, cx: &mut Cx, out: &mut Output) {
        self.question = None;
        if is_yes {
            return self.delete(cx);
        }
        out.notice("nothing was deleted");
        self.status = Some(Status::ResultIsNo);
    }

    fn interrupt(&mut self, cx: &mut Cx, out: &mut Output) {
        if let Some(asked) = self.asked.take() {
            cx.cancel(asked);
            if self.model.is_some() && !out.is_closed() {
                out.notice("stopped: if the model was deleted, `benchtop models` does not list it any more");
            }
        }
        self.status = Some(Status::Done);
    }

    fn status(&self) -> Option<Status> {
        self.status
    }
}

/// A model that was deleted, as JSON.
#[derive(Debug, Serialize)]
struct DeletedJson<'a> {
    version: u32,
    job: &'a str,
    model: &'a str,
    deleted: bool,
}
