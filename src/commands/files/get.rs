//! `benchtop files get`: downloads a file.

use std::time::Instant;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use serde::Serialize;

use super::target::Target;
use crate::api::call::{Downloaded, Failure, Progress, Ticket};
use crate::commands::request::VERSION;
use crate::commands::{Output, Reader, Status, Task};
use crate::component::{Cx, Response};
use crate::tabs::file_metadata::hex;
use crate::tabs::files::{FilesUpdate, RemoteFile, ServerFiles};
use crate::tabs::range_download::{DownloadStep, RangeDownload};
use crate::ui::meter;

/// The command line of `benchtop files get`.
#[derive(Clone, Debug, Args)]
pub(super) struct GetArgs {
    /// Id of the file, or its name
    #[arg(value_name = "ID|NAME", value_parser = NonEmptyStringValueParser::new())]
    file: String,
    /// Folder or file to write to, or - for standard output; without it the current folder
    #[arg(long, value_name = "DIR|FILE|-")]
    output: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The command.
#[derive(Debug)]
pub(super) struct Get {
    wanted: String,
    target: Target,
    json: bool,
    files: Option<ServerFiles>,
    found: Option<RemoteFile>,
    /// The content on its way to standard output.
    content: Option<RangeDownload>,
    status: Option<Status>,
}

impl Get {
    /// Creates the command.
    ///
    /// # Errors
    /// Nothing can be written where the file should go; a sentence.
    pub(super) fn new(args: GetArgs) -> Result<Self, String> {
        let target = args.output.as_deref().map_or_else(Target::here, Target::of)?;
        if args.json && target == Target::Standard {
            return Err("--json describes the file that was written: leave it out with --output -".to_owned());
        }
        Ok(Self { wanted: args.file, target, json: args.json, files: None, found: None, content: None, status: None })
    }

    /// Looks the file up in the list, and asks for its content.
    fn begin(&mut self, cx: &mut Cx, out: &mut Output) {
        let Some(files) = &mut self.files else { return };
        let by_id = files.all().find(|file| file.id == self.wanted);
        let named: Vec<&RemoteFile> = match by_id {
            Some(file) => vec![file],
            None => files.all().filter(|file| file.name == *self.wanted).collect(),
        };
        let file = match named.as_slice() {
            [file] => (*file).clone(),
            [] => {
                // The file may be among those that were not listed.
                let (why, status) = match files.failure() {
                    Some(why) => (why.sentence.clone(), Status::of_failure(why)),
                    None => {
                        let why = format!("the server has no file {}: `benchtop files ls` lists all", self.wanted);
                        (why.into(), Status::Refused)
                    }
                };
                out.notice(why);
                self.status = Some(status);
                return;
            }
            some => {
                let ids: Vec<&str> = some.iter().map(|file| file.id.as_str()).collect();
                out.notice(format!("{} files have this name: choose one by its id: {}", ids.len(), ids.join(", ")));
                self.status = Some(Status::Usage);
                return;
            }
        };
        if let Err(why) = self.target.create_folder() {
            out.notice(why);
            self.status = Some(Status::CutOff);
            return;
        }
        match &self.target {
            Target::Standard => {
                self.content = Some(RangeDownload::ask(cx.session.profile.clone(), file.id.clone(), u64::MAX, cx));
            }
            Target::Folder(folder) => files.fetch(&file, folder.clone(), None, cx),
            Target::File(folder, name) => files.fetch(&file, folder.clone(), Some(name.clone()), cx),
        }
        self.found = Some(file);
    }

    /// Prints what came of the content.
    fn print_content(&mut self, progress: &Progress, cx: &mut Cx, out: &mut Output) {
        let Some(content) = &mut self.content else { return };
        if let Progress::Retrying { why, .. } = progress {
            out.retrying(why);
        }
        let step = content.observe(progress, cx);
        match step {
            DownloadStep::Coming => {
                out.content(&content.take_bytes());
                if out.reader() == Reader::Program {
                    let (done, total) = content.moved();
                    let of = total.map(|total| format!(" of {}", meter::bytes(total))).unwrap_or_default();
                    out.progress(format!("{}{of}", meter::bytes(done)));
                }
            }
            DownloadStep::All(rest) => {
                out.content(&rest);
                self.status = Some(Status::Done);
            }
            DownloadStep::Failed(words) => {
                out.notice(words);
                self.status = Some(match progress {
                    Progress::Closed(Err(why)) if content.moved().0 == 0 => Status::of_failure(why),
                    _ => Status::CutOff,
                });
            }
        }
    }

    fn saved(&mut self, saved: Result<Downloaded, Box<Failure>>, out: &mut Output) {
        match saved {
            Err(why) => {
                out.notice(why.sentence.clone());
                self.status = Some(Status::of_failure(&why));
            }
            Ok(saved) => {
                let path = saved.path.to_string_lossy();
                match &self.found {
                    Some(file) if self.json => out.json(&SavedJson {
                        version: VERSION,
                        id: &file.id,
                        name: file.name.raw(),
                        path: &path,
                        bytes: saved.bytes,
                        sha256: hex(&saved.sha256),
                    }),
                    _ => out.line(&(&*path).into()),
                }
                self.status = Some(Status::Done);
            }
        }
    }
}

impl Task for Get {
    fn start(&mut self, cx: &mut Cx, _out: &mut Output) {
        let files = self.files.insert(ServerFiles::new(cx.session));
        files.load_hashes(cx);
        files.list(cx);
    }

    fn reply(&mut self, ticket: Ticket, response: Response, cx: &mut Cx, out: &mut Output) {
        if self.content.as_ref().is_some_and(|content| content.ticket == ticket) {
            if let Response::Call(progress) = response {
                self.print_content(&progress, cx, out);
            }
            return;
        }
        let Some(files) = &mut self.files else { return };
        match files.handle(ticket, response, cx) {
            FilesUpdate::Retrying(why) => out.retrying(&why),
            FilesUpdate::Known if self.found.is_none() && !files.is_waiting() => self.begin(cx, out),
            FilesUpdate::Moved => out.progress(files.progress_line(cx.now, out.progress_width())),
            FilesUpdate::Saved(saved) => self.saved(saved, out),
            _ => {}
        }
    }

    fn due(&self, now: Instant) -> Option<Instant> {
        self.files.as_ref()?.due(now)
    }

    fn tick(&mut self, cx: &mut Cx, out: &mut Output) {
        if let Some(files) = &self.files {
            out.progress(files.progress_line(cx.now, out.progress_width()));
        }
    }

    fn interrupt(&mut self, cx: &mut Cx, out: &mut Output) {
        if let Some(content) = self.content.take() {
            cx.cancel(content.ticket);
        } else if self.found.is_some() && !out.is_closed() {
            out.notice("stopped: the same command continues where it was");
        }
        if let Some(files) = &mut self.files {
            files.stop(cx);
        }
        self.status = Some(Status::Done);
    }

    fn status(&self) -> Option<Status> {
        self.status
    }
}

/// A file that was written, as JSON.
#[derive(Debug, Serialize)]
struct SavedJson<'a> {
    version: u32,
    id: &'a str,
    name: &'a str,
    path: &'a str,
    bytes: u64,
    sha256: String,
}
