//! `benchtop complete`: sends a prompt and prints how a model continues it.

use clap::Args;
use serde::Serialize;
use serde_json::{Map, Value};

use super::fields::FieldArgs;
use super::request::{RequestArgs, SET_LIMIT, UsageJson, VERSION, end_note, error, status_word};
use super::{Output, Status, Task, input};
use crate::api::call::Ticket;
use crate::component::{Cx, Response, session};
use crate::record::TurnStatus;
use crate::tabs::completion::one_run::{OneRun, OneRunUpdate};
use crate::tabs::generation::RunEnd;
use crate::text::Untrusted;

/// The command line of `benchtop complete`.
#[derive(Clone, Debug, Args)]
pub struct CompleteArgs {
    /// The prompt; without one, and for an argument -, standard input is read
    #[arg(value_name = "PROMPT")]
    pub prompt: Vec<String>,
    /// Text after the gap, for models that fill one
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub suffix: String,
    #[command(flatten)]
    pub(crate) request: RequestArgs,
    #[command(flatten)]
    pub(crate) fields: FieldArgs,
}

impl CompleteArgs {
    /// Returns whether prompt and completion are stored.
    pub fn saves(&self) -> bool {
        !self.request.no_save
    }
}

/// The command.
#[derive(Debug)]
pub struct Complete {
    prompt: String,
    suffix: String,
    fields: Map<String, Value>,
    json: bool,
    /// Whether prompt and completion are stored.
    saves: bool,
    /// What can be done at a limit of tokens.
    at_limit: Option<&'static str>,
    run: Option<OneRun>,
    status: Option<Status>,
}

impl Complete {
    /// Reads the prompt.
    ///
    /// # Errors
    /// The command line cannot be carried out; a sentence.
    pub fn new(args: CompleteArgs) -> Result<Self, String> {
        let saves = args.saves();
        let prompt = input::text(&args.prompt, "a prompt")?;
        let fields = args.fields.fields()?;
        let (json, at_limit) = (args.request.json, Some(SET_LIMIT));
        Ok(Self { suffix: args.suffix, fields, json, saves, at_limit, ..Self::of(prompt) })
    }

    /// Creates the command for a prompt, without flags; the completion is printed as text.
    pub fn of(prompt: String) -> Self {
        Self {
            prompt,
            suffix: String::new(),
            fields: Map::new(),
            json: false,
            saves: true,
            at_limit: None,
            run: None,
            status: None,
        }
    }

    /// Prints what is left, and how the run ended.
    fn end(&mut self, end: &RunEnd, out: &mut Output) {
        let Some(run) = &self.run else { return };
        let (record, step) = (run.record(), run.step());
        if self.json && !Status::is_unsent(end) {
            out.json(&CompleteJson {
                version: VERSION,
                model: record.model.raw(),
                status: status_word(end.status),
                text: step.inserted.raw(),
                finish_reason: (!step.finish_reason.is_empty()).then(|| step.finish_reason.raw()),
                error: error(&record.error, self.saves),
                usage: run.meter().map(UsageJson::from),
                first_token_ms: record.first_token_ms,
                total_ms: record.total_ms,
            });
        } else if !self.json {
            if !step.inserted.is_empty() && !step.inserted.raw().ends_with('\n') {
                out.text(&"\n".into());
            }
            if end.status == TurnStatus::Done && !record.error.is_empty() {
                out.notice(record.error.clone());
            } else if end.status == TurnStatus::Done
                && let Some(note) = end_note(&step.finish_reason, !step.inserted.is_empty(), self.at_limit)
            {
                out.notice(format!("the completion {note}"));
            }
        }
        self.status = Some(Status::of_end(end, self.saves, out));
    }
}

impl Task for Complete {
    fn suits(&self) -> Option<fn(&Untrusted) -> bool> {
        Some(session::completes)
    }

    fn start(&mut self, cx: &mut Cx, out: &mut Output) {
        match OneRun::send(std::mem::take(&mut self.prompt), &self.suffix, &self.fields, cx) {
            Ok(run) => self.run = Some(run),
            Err(why) => {
                out.notice(format!("not sent: {why}"));
                self.status = Some(Status::Usage);
            }
        }
    }

    fn reply(&mut self, ticket: Ticket, response: Response, cx: &mut Cx, out: &mut Output) {
        let Response::Call(progress) = response else { return };
        let Some(run) = &mut self.run else { return };
        match run.handle_progress(ticket, progress, cx) {
            OneRunUpdate::Retrying(why) => out.retrying(&why),
            OneRunUpdate::Parts(parts) if !self.json => {
                for part in parts.iter().filter(|part| part.choice == 0) {
                    out.text(&part.content);
                }
            }
            OneRunUpdate::Nothing | OneRunUpdate::Parts(_) => {}
            OneRunUpdate::Ended(end) => self.end(&end, out),
        }
    }

    fn interrupt(&mut self, cx: &mut Cx, out: &mut Output) {
        let end = self.run.as_mut().and_then(|run| run.stop(cx));
        if let Some(end) = end.filter(|_| !out.is_closed()) {
            self.end(&RunEnd { failure: None, ..end }, out);
        }
        self.status = Some(Status::Done);
    }

    fn status(&self) -> Option<Status> {
        self.status
    }
}

/// The completion as JSON.
#[derive(Debug, Serialize)]
struct CompleteJson<'a> {
    version: u32,
    model: &'a str,
    /// `done`, `stopped`, `cut_off` or `failed`.
    status: &'static str,
    text: &'a str,
    finish_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    usage: Option<UsageJson>,
    first_token_ms: u64,
    total_ms: u64,
}
