//! `benchtop tune show`: shows what is known of a fine-tune.

use clap::Args;

use super::job_json::JobJson;
use crate::api::call::{Call, Progress, Reply, Ticket};
use crate::api::job::Job;
use crate::commands::{Output, Reader, Status, Task, rows};
use crate::component::{Cx, Response};
use crate::tabs::fine_tunes::{KeptJobs, job_facts};
use crate::text::Untrusted;
use crate::ui::time;

/// Columns of a label.
const LABEL: usize = 14;

/// The command line of `benchtop tune show`.
#[derive(Clone, Debug, Args)]
pub(super) struct ShowArgs {
    /// Id of the fine-tune
    #[arg(value_name = "ID")]
    id: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The command.
#[derive(Debug)]
pub(super) struct Show {
    args: ShowArgs,
    kept: Option<KeptJobs>,
    asked: Option<Ticket>,
    status: Option<Status>,
}

impl Show {
    /// Creates the command.
    pub(super) fn new(args: ShowArgs) -> Self {
        Self { args, kept: None, asked: None, status: None }
    }

    fn print(&self, mut job: Job, cx: &Cx, out: &mut Output) {
        let Some(kept) = &self.kept else { return };
        kept.name(&mut job);
        if self.args.json {
            out.json(&JobJson::from(&job));
        } else if out.reader() == Reader::Program {
            print_program(&job, out);
        } else {
            let is_deleted = kept.is_deleted(&job.id);
            for (label, value) in job_facts(job, is_deleted, cx.session, cx.unix_ms / 1000) {
                for (at, line) in value.lines().enumerate() {
                    let label = if at == 0 { label } else { "" };
                    out.line(&format!("{label:<LABEL$}{line}").into());
                }
            }
        }
    }
}

impl Task for Show {
    fn start(&mut self, cx: &mut Cx, _out: &mut Output) {
        self.kept = Some(KeptJobs::load(cx));
    }

    fn reply(&mut self, ticket: Ticket, response: Response, cx: &mut Cx, out: &mut Output) {
        match response {
            Response::Store(stored) if self.kept.as_mut().is_some_and(|kept| kept.handle_stored(ticket, &stored)) => {
                self.asked = Some(cx.call(Call::Job(self.args.id.clone())));
            }
            Response::Call(progress) if self.asked == Some(ticket) => {
                if let Progress::Reply(Reply::Job(job)) = progress {
                    return self.print(*job, cx, out);
                }
                self.status = self.status.or(Status::of_call(&progress, out));
            }
            _ => {}
        }
    }

    fn interrupt(&mut self, cx: &mut Cx, _out: &mut Output) {
        if let Some(asked) = self.asked.take() {
            cx.cancel(asked);
        }
        self.status = Some(Status::Done);
    }

    fn status(&self) -> Option<Status> {
        self.status
    }
}

/// Prints what is known of a job, a name and a value a line, by the names that the JSON has.
fn print_program(job: &Job, out: &mut Output) {
    let json = JobJson::from(job);
    let moment = |seconds: Option<i64>| time::iso(seconds.unwrap_or_default().saturating_mul(1000));
    let lines = [
        ("id", json.id.to_owned()),
        ("name", json.name),
        ("status", json.status),
        ("model", json.model.to_owned()),
        ("fine_tuned_model", json.fine_tuned_model.unwrap_or_default().to_owned()),
        ("created_at", moment(json.created_at)),
        ("finished_at", moment(json.finished_at)),
        ("trained_tokens", json.trained_tokens.map(|tokens| tokens.to_string()).unwrap_or_default()),
        ("n_epochs", json.settings.n_epochs.map(|epochs| epochs.to_string()).unwrap_or_default()),
        ("training_files", json.training_files.join(",")),
        ("validation_files", json.validation_files.join(",")),
        ("result_files", json.result_files.join(",")),
        ("error", json.error.unwrap_or_default().to_owned()),
    ];
    for (name, value) in lines {
        rows::print_cells(&[Untrusted::from(name), value.into()], out);
    }
}
