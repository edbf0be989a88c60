//! `benchtop files put`: uploads files.

use std::time::Instant;

use clap::Args;

use super::file_json::FileJson;
use super::upload::{TRAINING, Uploader};
use crate::api::call::Ticket;
use crate::commands::{Output, Status, Task};
use crate::component::{Cx, Response};

/// The command line of `benchtop files put`.
#[derive(Clone, Debug, Args)]
pub(super) struct PutArgs {
    /// Files to upload
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,
    /// What the server is to use them for
    #[arg(long, value_name = "PURPOSE", default_value = TRAINING)]
    purpose: String,
    /// Upload training files without checking them
    #[arg(long)]
    no_check: bool,
    /// Print a line of JSON for each file
    #[arg(long)]
    json: bool,
}

/// The command.
#[derive(Debug)]
pub(super) struct Put {
    uploader: Uploader,
    json: bool,
    status: Option<Status>,
}

impl Put {
    /// Creates the command.
    ///
    /// # Errors
    /// A file cannot be read; a sentence.
    pub(super) fn new(args: PutArgs) -> Result<Self, String> {
        let uploader = Uploader::new(&args.files, args.purpose, !args.no_check)?;
        Ok(Self { uploader, json: args.json, status: None })
    }

    /// Prints the files that were uploaded since this was called last.
    fn print(&mut self, out: &mut Output) {
        let json = self.json;
        while let Some((path, file)) = self.uploader.take_sent() {
            if json {
                out.json(&FileJson::uploaded(path, file));
            } else {
                out.line(&file.id.as_str().into());
            }
        }
    }
}

impl Task for Put {
    fn start(&mut self, cx: &mut Cx, _out: &mut Output) {
        self.uploader.start(cx);
    }

    fn reply(&mut self, ticket: Ticket, response: Response, cx: &mut Cx, out: &mut Output) {
        self.status = self.status.or(self.uploader.reply(ticket, response, cx, out));
        self.print(out);
    }

    fn due(&self, now: Instant) -> Option<Instant> {
        self.uploader.due(now)
    }

    fn tick(&mut self, cx: &mut Cx, out: &mut Output) {
        self.uploader.show(cx.now, out);
    }

    fn interrupt(&mut self, cx: &mut Cx, out: &mut Output) {
        self.uploader.stop(cx);
        self.uploader.give_up();
        self.print(out);
        self.status = Some(Status::Done);
    }

    fn status(&self) -> Option<Status> {
        self.status
    }
}
