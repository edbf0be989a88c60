//! `benchtop tune cancel`: cancels a fine-tune.

use clap::Args;

use super::job_json::JobJson;
use crate::api::call::{Call, Progress, Reply, Ticket};
use crate::commands::{Output, Status, Task};
use crate::component::{Cx, Response};
use crate::tabs::fine_tunes::KeptJobs;

/// The command line of `benchtop tune cancel`.
#[derive(Clone, Debug, Args)]
pub(super) struct CancelArgs {
    /// Id of the fine-tune
    #[arg(value_name = "ID")]
    id: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The command.
#[derive(Debug)]
pub(super) struct Cancel {
    args: CancelArgs,
    kept: Option<KeptJobs>,
    asked: Option<Ticket>,
    status: Option<Status>,
}

impl Cancel {
    /// Creates the command.
    pub(super) fn new(args: CancelArgs) -> Self {
        Self { args, kept: None, asked: None, status: None }
    }
}

impl Task for Cancel {
    fn start(&mut self, cx: &mut Cx, _out: &mut Output) {
        self.kept = Some(KeptJobs::load(cx));
    }

    fn reply(&mut self, ticket: Ticket, response: Response, cx: &mut Cx, out: &mut Output) {
        let Some(kept) = &mut self.kept else { return };
        match response {
            Response::Store(stored) if kept.handle_stored(ticket, &stored) => {
                self.asked = Some(cx.call(Call::CancelJob(self.args.id.clone())));
            }
            Response::Call(progress) if self.asked == Some(ticket) => match progress {
                Progress::Reply(Reply::Job(mut job)) if self.args.json => {
                    kept.name(&mut job);
                    out.json(&JobJson::from(&*job));
                }
                Progress::Reply(Reply::Job(job)) => out.line(&job.id.as_str().into()),
                progress => self.status = self.status.or(Status::of_call(&progress, out)),
            },
            _ => {}
        }
    }

    fn interrupt(&mut self, cx: &mut Cx, out: &mut Output) {
        if let Some(asked) = self.asked.take() {
            cx.cancel(asked);
            if !out.is_closed() {
                out.notice(format!("stopped: `benchtop tune show {}` says whether it was cancelled", self.args.id));
            }
        }
        self.status = Some(Status::Done);
    }

    fn status(&self) -> Option<Status> {
        self.status
    }
}
