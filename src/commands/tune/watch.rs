//! `benchtop tune watch`: prints the events of a fine-tune until it has ended.

use std::collections::BTreeMap;

use clap::Args;
use serde::Serialize;

use super::job_json::JobJson;
use crate::api::call::{Call, Failure, Followed, Progress, Reply, Ticket, cut_off_reason};
use crate::api::job::{Job, JobEvent, JobStatus};
use crate::commands::request::VERSION;
use crate::commands::{Output, Reader, Status, Task, advice, rows};
use crate::component::{Cx, Response};
use crate::tabs::fine_tunes::{KeptJobs, is_step, job_state};
use crate::text::Untrusted;
use crate::ui::time;

/// The command line of `benchtop tune watch`.
#[derive(Clone, Debug, Args)]
pub(super) struct WatchArgs {
    /// Id of the fine-tune
    #[arg(value_name = "ID")]
    id: String,
    /// Print a line of JSON for each event, and one for the fine-tune when it has ended
    #[arg(long)]
    json: bool,
}

/// The command.
#[derive(Debug)]
pub(super) struct Watch {
    args: WatchArgs,
    /// How it is followed again.
    again: String,
    /// Whether it is a part of a session: a fine-tune of the local service goes on, as benchtop does, and the single
    /// steps are left out, as every line may be read out.
    is_in_session: bool,
    kept: Option<KeptJobs>,
    asked: Option<Ticket>,
    /// What was told of the server since the connection was lost; empty: it is there.
    lost: Vec<String>,
    /// As it was told last.
    job: Option<Job>,
    status: Option<Status>,
}

impl Watch {
    /// Creates the command.
    pub(super) fn new(args: WatchArgs) -> Self {
        let again = format!("`benchtop tune watch {}`", args.id);
        Self { args, again, is_in_session: false, kept: None, asked: None, lost: Vec::new(), job: None, status: None }
    }

    /// Creates the command for a job that was created just now.
    pub(super) fn of(id: String, json: bool) -> Self {
        Self::new(WatchArgs { id, json })
    }

    /// Creates the command for a program that runs on; `again` and the id follow the job again.
    pub(super) fn within(id: String, again: &str) -> Self {
        let again = format!("{again} {id}");
        Self { again, is_in_session: true, ..Self::of(id, false) }
    }

    fn print(&self, event: &JobEvent, cx: &Cx, out: &mut Output) {
        let at_ms = event.created_at.saturating_mul(1000);
        if self.args.json {
            out.json(&EventJson {
                version: VERSION,
                r#type: "event",
                created_at: event.created_at,
                level: &event.level,
                message: &event.message,
                metrics: event.metrics.iter().map(|(name, value)| (name.as_str(), *value)).collect(),
            });
        } else if out.reader() == Reader::Program {
            rows::print_cells(&[time::iso(at_ms).into(), event.message.as_str().into()], out);
        } else {
            let message = Untrusted::from(event.message.as_str());
            out.line(&format!("{}  {}", cx.session.zone.moment(at_ms, cx.unix_ms), message.line()).into());
        }
    }

    /// Says that the connection was lost, and what is done about it: each reason once until it is back.
    fn tell_lost(&mut self, why: &Failure, out: &mut Output) {
        let sentence = why.sentence.line();
        let (reason, _) = advice::split(cut_off_reason(&sentence));
        let reason = reason.trim_end_matches("; try again").to_owned();
        if self.lost.contains(&reason) {
            return;
        }
        if self.lost.is_empty() {
            let separator = if reason.ends_with('?') { " Waiting" } else { "; waiting" };
            out.notice(format!("{reason}{separator} for the server; Ctrl+C stops watching"));
        } else {
            out.notice(reason.clone());
        }
        self.lost.push(reason);
    }

    /// Says how the job ended.
    fn end(&mut self, out: &mut Output) -> Status {
        let id = &self.args.id;
        let Some(job) = self.job.as_ref().filter(|job| job.status.is_finished()) else {
            out.notice(format!("the server sends no more events, and {id} has not ended: {}", self.again));
            return Status::CutOff;
        };
        if self.args.json {
            out.json(&EndJson { r#type: "job", job: JobJson::from(job) });
        }
        let of = |text: &Option<String>| {
            let text = text.as_deref().filter(|text| !text.is_empty()).map(|text| format!(": {text}"));
            text.unwrap_or_default()
        };
        let (why, status) = match job.status {
            JobStatus::Succeeded => (of(&job.fine_tuned_model), Status::Done),
            JobStatus::Failed => (of(&job.error), Status::ResultIsNo),
            _ => (String::new(), Status::ResultIsNo),
        };
        let was = if job.status == JobStatus::Cancelled { "was " } else { "" };
        out.notice(format!("{id} {was}{}{why}", job_state(&job.status)));
        status
    }
}

impl Task for Watch {
    fn start(&mut self, cx: &mut Cx, _out: &mut Output) {
        self.kept = Some(KeptJobs::load(cx));
    }

    fn reply(&mut self, ticket: Ticket, response: Response, cx: &mut Cx, out: &mut Output) {
        let Some(kept) = &mut self.kept else { return };
        let progress = match response {
            Response::Call(progress) if self.asked == Some(ticket) => progress,
            Response::Store(stored) if kept.handle_stored(ticket, &stored) => {
                self.asked = Some(cx.call(Call::Follow(self.args.id.clone())));
                return;
            }
            _ => return,
        };
        match progress {
            Progress::Reply(Reply::Followed(Followed::Events { events, .. })) => {
                for event in events.iter().filter(|event| !self.is_in_session || !is_step(event)) {
                    self.print(event, cx, out);
                }
            }
            Progress::Reply(Reply::Followed(Followed::Lost { why, .. })) => self.tell_lost(&why, out),
            Progress::Reply(Reply::Followed(Followed::Live { .. })) if !self.lost.is_empty() => {
                self.lost.clear();
                out.notice("the connection is back");
            }
            Progress::Reply(Reply::Followed(Followed::Job(mut job))) => {
                kept.name(&mut job);
                self.job = Some(*job);
            }
            Progress::Closed(Ok(())) => self.status = Some(self.end(out)),
            progress => self.status = self.status.or(Status::of_call(&progress, out)),
        }
    }

    fn interrupt(&mut self, cx: &mut Cx, out: &mut Output) {
        if let Some(asked) = self.asked.take() {
            cx.cancel(asked);
        }
        if !out.is_closed() {
            let waits = cx.session.local && !self.is_in_session;
            let goes_on = if waits { "the job goes on when benchtop runs again" } else { "the job goes on" };
            out.notice(format!("{goes_on}; {} shows it again", self.again));
        }
        self.status = Some(Status::Done);
    }

    fn status(&self) -> Option<Status> {
        self.status
    }
}

/// An event, as JSON.
#[derive(Debug, Serialize)]
struct EventJson<'a> {
    version: u32,
    r#type: &'static str,
    /// Unix seconds.
    created_at: i64,
    level: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    metrics: BTreeMap<&'a str, f64>,
}

/// The job when it has ended, as JSON.
#[derive(Debug, Serialize)]
struct EndJson<'a> {
    r#type: &'static str,
    #[serde(flatten)]
    job: JobJson<'a>,
}
