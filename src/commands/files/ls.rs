//! `benchtop files ls`: lists the files of a server.

use clap::Args;

use super::file_json::FileJson;
use crate::api::call::Ticket;
use crate::commands::{Output, Reader, Status, Task, rows};
use crate::component::{Cx, Response};
use crate::tabs::files::{FilesUpdate, RemoteFile, ServerFiles};
use crate::text::Untrusted;
use crate::ui::{meter, time};

/// The command line of `benchtop files ls`.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct LsArgs {
    /// Print a line of JSON for each file
    #[arg(long)]
    json: bool,
}

/// The command.
#[derive(Debug)]
pub(super) struct Ls {
    json: bool,
    files: Option<ServerFiles>,
    status: Option<Status>,
}

impl Ls {
    /// Creates the command.
    pub(super) fn new(args: LsArgs) -> Self {
        Self { json: args.json, files: None, status: None }
    }

    fn print(&mut self, cx: &Cx, out: &mut Output) {
        let Some(files) = &self.files else { return };
        if self.json {
            files.all().for_each(|file| out.json(&FileJson::from(file)));
        } else {
            let reader = out.reader();
            let rows: Vec<_> = files.all().map(|file| cells(file, reader, cx)).collect();
            if rows.is_empty() && files.failure().is_none() && reader == Reader::Person {
                out.notice("the server has no files: `benchtop files put FILE` uploads one");
            } else {
                rows::print(["ID", "NAME", ">SIZE", "PURPOSE", "CREATED", "STATUS"], &rows, out);
            }
        }
        self.status = Some(Status::Done);
        if let Some(why) = files.failure() {
            out.notice(why.sentence.clone());
            self.status = Some(Status::of_failure(why));
        }
    }
}

impl Task for Ls {
    fn start(&mut self, cx: &mut Cx, _out: &mut Output) {
        self.files.insert(ServerFiles::new(cx.session)).list(cx);
    }

    fn reply(&mut self, ticket: Ticket, response: Response, cx: &mut Cx, out: &mut Output) {
        let Some(files) = &mut self.files else { return };
        match files.handle(ticket, response, cx) {
            FilesUpdate::Retrying(why) => out.retrying(&why),
            FilesUpdate::Known => self.print(cx, out),
            _ => {}
        }
    }

    fn interrupt(&mut self, cx: &mut Cx, _out: &mut Output) {
        if let Some(files) = &mut self.files {
            files.stop(cx);
        }
        self.status = Some(Status::Done);
    }

    fn status(&self) -> Option<Status> {
        self.status
    }
}

/// Returns a file as a row.
fn cells(file: &RemoteFile, reader: Reader, cx: &Cx) -> [Untrusted; 6] {
    let (bytes, created) = match reader {
        Reader::Person => (meter::bytes(file.bytes), file.created_ms.map(|created| cx.session.zone.sortable(created))),
        Reader::Program => (file.bytes.to_string(), file.created_ms.map(time::iso)),
    };
    [
        file.id.as_str().into(),
        file.name.clone(),
        bytes.into(),
        file.purpose.clone(),
        created.unwrap_or_default().into(),
        file.status.word(),
    ]
}
