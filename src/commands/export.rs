//! `benchtop export`: conversations as Markdown or JSON, and their list.

use std::collections::VecDeque;
use std::path::Path;

use clap::{ArgGroup, Args, ValueEnum};
use serde::Serialize;

use super::request::{ALL_IDS, VERSION, conversation_id};
use super::{Output, Reader, Status, Task, input, rows};
use crate::api::call::Ticket;
use crate::component::{Cx, Response};
use crate::disk;
use crate::record::work::{Done, Export as Exported, ExportedConversation, Form, Work};
use crate::record::{Head, Id, Query, Rows, Stored};
use crate::tabs::chat::loading::{LoadUpdate, LoadingConversation};
use crate::text::Untrusted;
use crate::ui::time;
use crate::work::ConversationTexts;

/// The command line of `benchtop export`.
#[derive(Clone, Debug, Args)]
#[command(group = ArgGroup::new("what").args(["conversations", "all", "list"]).required(true))]
pub struct ExportArgs {
    /// Ids of the conversations
    #[arg(value_name = "ID", value_parser = conversation_id)]
    pub conversations: Vec<i64>,
    /// Export all conversations, the one changed last first; those in the trash only by their ids
    #[arg(long)]
    pub all: bool,
    /// List the conversations instead: id, time of the last change, turns, title
    #[arg(long, conflicts_with_all = ["format", "output"])]
    pub list: bool,
    /// With --list: print a line of JSON for each conversation
    #[arg(long, requires = "list", conflicts_with_all = ["all", "conversations"])]
    pub json: bool,
    /// Form of the export; without it by the extension of --output, else md
    #[arg(long, value_name = "FORM")]
    pub format: Option<ExportFormat>,
    /// File to write, or a folder for a file of each conversation; - is standard output
    #[arg(long, value_name = "FILE|DIR", default_value = "-", hide_default_value = true)]
    pub output: String,
}

/// Forms of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// Markdown: the branch that is shown
    Md,
    /// JSON: all turns
    Json,
    /// JSON Lines: the same, a line for each conversation
    Jsonl,
}

impl ExportFormat {
    /// Returns the form, and the extension of its files.
    fn form(self) -> (Form, &'static str) {
        match self {
            Self::Md => (Form::Markdown, "md"),
            Self::Json => (Form::Json, "json"),
            Self::Jsonl => (Form::JsonLines, "jsonl"),
        }
    }

    /// Returns the form that a file name's extension stands for.
    fn of(path: &str) -> Option<Self> {
        let extension = Path::new(path).extension()?.to_str()?;
        Self::value_variants().iter().copied().find(|form| extension.eq_ignore_ascii_case(form.form().1))
    }
}

/// Where conversations go.
#[derive(Debug)]
enum Target {
    /// Standard output.
    Output(ConversationTexts),
    /// One file, once all are there.
    File(String, Vec<ExportedConversation>),
    /// A file for each, in this folder.
    Folder(String),
}

/// What is waited for.
#[derive(Debug)]
enum Step {
    Nothing,
    Heads(Ticket),
    Conversation(Id, Box<LoadingConversation>),
    Saving(Ticket),
}

/// The command.
#[derive(Debug)]
pub struct Export {
    args: ExportArgs,
    form: Form,
    extension: &'static str,
    target: Target,
    left: VecDeque<Id>,
    step: Step,
    /// Whether a conversation was not there.
    is_missing: bool,
    status: Option<Status>,
}

impl Export {
    /// Creates the command.
    ///
    /// # Errors
    /// Nothing can be written where the export should go; a sentence.
    pub fn new(args: ExportArgs) -> Result<Self, String> {
        let (form, extension) = args.format.or(ExportFormat::of(&args.output)).unwrap_or(ExportFormat::Md).form();
        let target = match args.output.as_str() {
            "-" => Target::Output(ConversationTexts::new(form)),
            path if path.ends_with('/') || Path::new(path).is_dir() => Target::Folder(folder(path)?),
            path => Target::File(input::output_file(path)?, Vec::new()),
        };
        let left = args.conversations.iter().copied().map(Id).collect();
        Ok(Self { args, form, extension, target, left, step: Step::Nothing, is_missing: false, status: None })
    }

    /// Loads the next conversation; after the last one the export ends.
    fn next(&mut self, cx: &mut Cx, out: &mut Output) {
        if let Some(id) = self.left.pop_front() {
            self.step = Step::Conversation(id, Box::new(LoadingConversation::whole(id, cx)));
            return;
        }
        match &mut self.target {
            Target::Output(texts) => out.text(&texts.end().into()),
            Target::File(_, all) if all.is_empty() => {}
            Target::File(path, all) => {
                let (path, all) = (path.clone(), std::mem::take(all));
                return self.save(path, all, cx);
            }
            Target::Folder(_) => {}
        }
        self.status = Some(if self.is_missing { Status::Usage } else { Status::Done });
    }

    fn save(&mut self, path: String, all: Vec<ExportedConversation>, cx: &mut Cx) {
        let what = Exported::Conversations(all.into());
        self.step = Step::Saving(cx.work(Work::Export { path, form: self.form, what }));
    }

    /// Passes a conversation on to where it goes.
    fn put(&mut self, one: ExportedConversation, cx: &mut Cx, out: &mut Output) {
        match &mut self.target {
            Target::Output(texts) => {
                out.text(&texts.next(&one));
                self.next(cx, out);
            }
            Target::File(_, all) => {
                all.push(one);
                self.next(cx, out);
            }
            Target::Folder(folder) => {
                let name = file_name(&one, self.extension);
                let path = Path::new(folder.as_str()).join(name).to_string_lossy().into_owned();
                self.save(path, vec![one], cx);
            }
        }
    }

    fn fail(&mut self, why: &Untrusted, status: Status, out: &mut Output) {
        out.notice(format!("not exported: {}", why.line()));
        self.status = Some(status);
    }

    fn handle_stored(&mut self, ticket: Ticket, stored: Stored, cx: &mut Cx, out: &mut Output) {
        match (&mut self.step, stored) {
            (Step::Heads(asked), stored) if *asked == ticket => match stored {
                Stored::Rows(Rows::Heads(heads)) => self.take_heads(heads, cx, out),
                Stored::Failed(why) => self.fail(&why, Status::Usage, out),
                _ => {}
            },
            (Step::Conversation(id, loading), stored) => match loading.handle(ticket, stored, cx) {
                LoadUpdate::Nothing => {}
                LoadUpdate::Failed(why) => self.fail(&why, Status::Usage, out),
                LoadUpdate::Missing => {
                    out.notice(format!("there is no conversation {}: {ALL_IDS}", id.0));
                    self.is_missing = true;
                    self.next(cx, out);
                }
                LoadUpdate::Loaded => {
                    if let Step::Conversation(_, loading) = std::mem::replace(&mut self.step, Step::Nothing)
                        && let Some(one) = loading.exported()
                    {
                        self.put(one, cx, out);
                    }
                }
            },
            _ => {}
        }
    }

    fn take_heads(&mut self, heads: Vec<Head>, cx: &mut Cx, out: &mut Output) {
        let kept: Vec<Head> = heads.into_iter().filter(|head| head.conversation.trashed_ms.is_none()).collect();
        if !self.args.list {
            if kept.is_empty() {
                out.notice(match self.target {
                    Target::Output(_) => "there are no conversations",
                    Target::File(..) | Target::Folder(_) => "there are no conversations: nothing was written",
                });
            }
            self.left = kept.iter().map(|head| head.conversation.id).collect();
            return self.next(cx, out);
        }
        self.status = Some(Status::Done);
        if self.args.json {
            for head in &kept {
                out.json(&HeadJson::of(head));
            }
            return;
        }
        let reader = out.reader();
        let row = |Head { conversation, turns }: &Head| {
            let changed = match reader {
                Reader::Person => cx.session.zone.sortable(conversation.updated_ms),
                Reader::Program => time::iso(conversation.updated_ms),
            };
            let (id, turns) = (conversation.id.0.to_string(), turns.to_string());
            [Untrusted::from(id), changed.into(), turns.into(), conversation.title.clone()]
        };
        rows::print(["ID", "CHANGED", "TURNS", "TITLE"], &kept.iter().map(row).collect::<Vec<_>>(), out);
    }
}

impl Task for Export {
    fn reads_store(&self) -> bool {
        true
    }

    fn start(&mut self, cx: &mut Cx, out: &mut Output) {
        if self.args.list || self.args.all {
            self.step = Step::Heads(cx.load(Query::Heads));
        } else {
            self.next(cx, out);
        }
    }

    fn reply(&mut self, ticket: Ticket, response: Response, cx: &mut Cx, out: &mut Output) {
        match (response, &self.step) {
            (Response::Store(stored), _) => self.handle_stored(ticket, stored, cx, out),
            (Response::Work(done), Step::Saving(asked)) if *asked == ticket => match done {
                Done::Saved(path) => {
                    out.line(&path);
                    self.next(cx, out);
                }
                Done::Failed(why) => self.fail(&why, Status::CutOff, out),
                _ => {}
            },
            _ => {}
        }
    }

    fn interrupt(&mut self, cx: &mut Cx, _out: &mut Output) {
        if let Step::Saving(ticket) = self.step {
            cx.cancel(ticket);
        }
        self.status = Some(Status::Done);
    }

    fn status(&self) -> Option<Status> {
        self.status
    }
}

/// Returns the absolute path of a folder for files, which is created if it is not there.
fn folder(shown: &str) -> Result<String, String> {
    let path = input::absolute(shown)?;
    let created = std::fs::create_dir_all(&path);
    created.map_err(|why| format!("--output: the folder {shown} cannot be created: {why}"))?;
    Ok(path)
}

/// Returns the name of a conversation's file: its title, made safe, and its id.
fn file_name(one: &ExportedConversation, extension: &str) -> String {
    let title = one.conversation.title.line().replace(['/', '\\'], "_");
    format!("{} {}.{extension}", disk::clean(&title), one.conversation.id.0)
}

/// A conversation of the list as JSON.
#[derive(Debug, Serialize)]
struct HeadJson<'a> {
    version: u32,
    id: String,
    title: &'a str,
    changed: String,
    turns: u64,
    profile: &'a str,
    model: &'a str,
}

impl<'a> HeadJson<'a> {
    fn of(Head { conversation, turns }: &'a Head) -> Self {
        Self {
            version: VERSION,
            id: conversation.id.0.to_string(),
            title: conversation.title.raw(),
            changed: time::iso(conversation.updated_ms),
            turns: *turns,
            profile: conversation.profile.raw(),
            model: conversation.model.raw(),
        }
    }
}
