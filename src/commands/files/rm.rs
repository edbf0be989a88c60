//! `benchtop files rm`: deletes files of a server.

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use serde::Serialize;

use crate::api::call::Ticket;
use crate::commands::request::VERSION;
use crate::commands::{Output, Status, Task, input};
use crate::component::{Cx, Response};
use crate::tabs::files::{FilesUpdate, ServerFiles};

/// The command line of `benchtop files rm`.
#[derive(Clone, Debug, Args)]
pub(super) struct RmArgs {
    /// Ids of the files
    #[arg(value_name = "ID", required = true, value_parser = NonEmptyStringValueParser::new())]
    ids: Vec<String>,
    /// Delete without asking
    #[arg(long)]
    yes: bool,
    /// Delete files that a job uses, too
    #[arg(long)]
    force: bool,
    /// Print a line of JSON for each deleted file
    #[arg(long)]
    json: bool,
}

/// The command.
#[derive(Debug)]
pub(super) struct Rm {
    args: RmArgs,
    /// What is asked before files are deleted.
    question: Option<String>,
    files: Option<ServerFiles>,
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
        Ok(Self { args, question: None, files: None, status: None })
    }

    /// Deletes the files, once the user wants it.
    fn confirm(&mut self, cx: &mut Cx) {
        if self.args.yes {
            return self.delete(cx);
        }
        self.question = Some(match self.args.ids.as_slice() {
            [id] => format!("Delete {id} from the server?"),
            some => format!("Delete {} files from the server?", some.len()),
        });
    }

    fn delete(&mut self, cx: &mut Cx) {
        if let Some(files) = &mut self.files {
            files.delete(&self.args.ids, cx);
        }
    }

    /// Goes on, unless a file is not there or a job uses it.
    fn listed(&mut self, cx: &mut Cx, out: &mut Output) {
        let Some(files) = &self.files else { return };
        if let Some(why) = files.failure() {
            out.notice(why.sentence.clone());
            self.status = Some(Status::of_failure(why));
            return;
        }
        if let Some(why) = files.jobs_failure() {
            out.notice(format!("it is not known which files jobs use: {}", why.sentence.line()));
            out.notice("nothing was deleted: try again, or use --force");
            self.status = Some(Status::of_failure(why));
            return;
        }
        let mut objection = None;
        for id in &self.args.ids {
            if !files.all().any(|file| file.id == *id) {
                out.notice(missing(id));
                objection.get_or_insert(Status::Refused);
            } else if let Some(job) = files.running_job(id) {
                out.notice(format!("{} uses {id}: wait until the job has ended, or use --force", job.line()));
                objection.get_or_insert(Status::ResultIsNo);
            }
        }
        match objection {
            Some(status) => {
                out.notice("nothing was deleted");
                self.status = Some(status);
            }
            None => self.confirm(cx),
        }
    }

    /// Prints the ids of files that were deleted, and in the end why others were not.
    fn print(&mut self, ids: &[String], out: &mut Output) {
        for id in ids {
            if self.args.json {
                out.json(&DeletedJson { version: VERSION, id, deleted: true });
            } else {
                out.line(&id.as_str().into());
            }
        }
        let Some(files) = self.files.as_ref().filter(|files| !files.is_deleting()) else { return };
        self.status = Some(Status::Done);
        for (id, why) in files.not_deleted() {
            out.notice(match why.status {
                Some(404) => missing(id),
                _ => format!("{id} was not deleted: {}", why.sentence.line()),
            });
            self.status = Some(Status::of_failure(why));
        }
    }
}

impl Task for Rm {
    fn start(&mut self, cx: &mut Cx, _out: &mut Output) {
        let files = self.files.insert(ServerFiles::new(cx.session));
        if self.args.force {
            return self.confirm(cx);
        }
        files.list_with_jobs(cx);
    }

    fn reply(&mut self, ticket: Ticket, response: Response, cx: &mut Cx, out: &mut Output) {
        let Some(files) = &mut self.files else { return };
        match files.handle(ticket, response, cx) {
            FilesUpdate::Retrying(why) => out.retrying(&why),
            FilesUpdate::Known if !files.is_waiting() && self.question.is_none() => self.listed(cx, out),
            FilesUpdate::Deleted(ids) => self.print(&ids, out),
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
        if let Some(files) = &mut self.files {
            if files.is_deleting() && !out.is_closed() {
                out.notice("stopped: `benchtop files ls` lists the files that are left");
            }
            files.stop(cx);
        }
        self.status = Some(Status::Done);
    }

    fn status(&self) -> Option<Status> {
        self.status
    }
}

/// Says that the server does not have a file.
fn missing(id: &str) -> String {
    format!("the server has no file {id}: `benchtop files ls` lists all")
}

/// A file that was deleted, as JSON.
#[derive(Debug, Serialize)]
struct DeletedJson<'a> {
    version: u32,
    id: &'a str,
    deleted: bool,
}
