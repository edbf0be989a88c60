//! `benchtop tune ls`: lists the fine-tunes of a server.

use clap::Args;

use super::job_json::JobJson;
use crate::api::call::{Call, Progress, Reply, Ticket};
use crate::api::job::Job;
use crate::commands::{Output, Reader, Status, Task, rows};
use crate::component::{Cx, Response};
use crate::tabs::fine_tunes::{KeptJobs, job_name, job_state};
use crate::text::Untrusted;
use crate::ui::time;

/// The command line of `benchtop tune ls`.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct LsArgs {
    /// Print a line of JSON for each fine-tune
    #[arg(long)]
    json: bool,
}

/// How fine-tunes are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Rows,
    Json,
    /// Each in a line that can be read out.
    Sentences,
}

/// The command.
#[derive(Debug)]
pub(super) struct Ls {
    form: Form,
    kept: Option<KeptJobs>,
    asked: Option<Ticket>,
    status: Option<Status>,
}

impl Ls {
    /// Creates the command.
    pub(super) fn new(args: LsArgs) -> Self {
        Self { form: if args.json { Form::Json } else { Form::Rows }, kept: None, asked: None, status: None }
    }

    /// Creates the command that prints a sentence for each fine-tune.
    pub(super) fn in_sentences() -> Self {
        Self { form: Form::Sentences, kept: None, asked: None, status: None }
    }

    fn print(&self, mut jobs: Vec<Job>, cx: &Cx, out: &mut Output) {
        if let Some(kept) = &self.kept {
            for job in &mut jobs {
                kept.name(job);
            }
        }
        jobs.sort_by_key(|job| std::cmp::Reverse(job.created_at));
        match self.form {
            Form::Json => jobs.iter().for_each(|job| out.json(&JobJson::from(job))),
            Form::Rows if jobs.is_empty() && out.reader() == Reader::Program => {}
            _ if jobs.is_empty() => out.notice("the server has no fine-tunes: `benchtop tune create` makes one"),
            Form::Rows => {
                let reader = out.reader();
                let rows: Vec<_> = jobs.iter().map(|job| cells(job, reader, cx)).collect();
                rows::print(["ID", "STATUS", "BASE MODEL", "TUNED MODEL", "CREATED", "NAME"], &rows, out);
            }
            Form::Sentences => jobs.iter().for_each(|job| out.line(&sentence(job).into())),
        }
    }
}

impl Task for Ls {
    fn start(&mut self, cx: &mut Cx, _out: &mut Output) {
        self.kept = Some(KeptJobs::load(cx));
    }

    fn reply(&mut self, ticket: Ticket, response: Response, cx: &mut Cx, out: &mut Output) {
        match response {
            Response::Store(stored) if self.kept.as_mut().is_some_and(|kept| kept.handle_stored(ticket, &stored)) => {
                self.asked = Some(cx.call(Call::Jobs));
            }
            Response::Call(progress) if self.asked == Some(ticket) => {
                if let Progress::Reply(Reply::Jobs(_, jobs)) = progress {
                    return self.print(jobs, cx, out);
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

/// Returns a job in one line that can be read out.
fn sentence(job: &Job) -> String {
    let shown = |text: &str| Untrusted::from(text).line().into_owned();
    let made = job.fine_tuned_model.as_deref().map(|model| format!(", tuned model {}", shown(model)));
    let (id, name, state, model) = (shown(&job.id), job_name(job), job_state(&job.status), shown(&job.model));
    format!("{id}: {}, {}, base model {model}{}", shown(&name), shown(&state), made.unwrap_or_default())
}

/// Returns a job as a row.
fn cells(job: &Job, reader: Reader, cx: &Cx) -> [Untrusted; 6] {
    let created_ms = job.created_at.saturating_mul(1000);
    let created = match reader {
        Reader::Person => cx.session.zone.sortable(created_ms),
        Reader::Program => time::iso(created_ms),
    };
    [
        job.id.as_str().into(),
        job_state(&job.status).into(),
        job.model.as_str().into(),
        job.fine_tuned_model.as_deref().unwrap_or_default().into(),
        created.into(),
        job_name(job).into(),
    ]
}
