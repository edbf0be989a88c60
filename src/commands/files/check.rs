//! `benchtop files check`: checks training files.

use std::collections::VecDeque;

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::columns::ColumnArgs;
use super::findings;
use crate::api::call::Ticket;
use crate::commands::input::{self, LocalFile};
use crate::commands::request::VERSION;
use crate::commands::{Output, Status, Task};
use crate::component::{Cx, Response};
use crate::record::training::{CheckReport, Mapping, ProblemKind, RowForm, Task as RowTask, TrainingFormat};
use crate::tabs::files::{CheckUpdate, ChosenColumns, Soundness, TrainingCheck, check_summary, repair_words};
use crate::text::Untrusted;
use crate::ui::meter::percent;

/// The command line of `benchtop files check`.
#[derive(Clone, Debug, Args)]
pub(super) struct CheckArgs {
    /// Files to check; --model names the model that is to be trained
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,
    /// What the rows have to be; without it either is right
    #[arg(long, value_name = "KIND")]
    kind: Option<Kind>,
    /// Print a line of JSON for each finding, and one for each file
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    columns: ColumnArgs,
}

/// What rows are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Prompts and completions
    Pairs,
    /// Conversations
    Chats,
}

impl Kind {
    /// Returns why the rows are something else; `None`: they are this, or nothing could be read.
    fn objection(self, report: &CheckReport) -> Option<&'static str> {
        match (self, report.form?) {
            (Self::Pairs, RowForm::Chats) => Some("the rows are conversations, not prompts and completions"),
            (Self::Chats, RowForm::Pairs) => Some("the rows are prompts and completions, not conversations"),
            _ => None,
        }
    }
}

/// The command.
#[derive(Debug)]
pub(super) struct Check {
    waiting: VecDeque<LocalFile>,
    kind: Option<Kind>,
    columns: Option<ChosenColumns>,
    json: bool,
    /// The file that is checked now.
    current: Option<(LocalFile, TrainingCheck)>,
    has_faults: bool,
    status: Option<Status>,
}

impl Check {
    /// Looks the files up.
    ///
    /// # Errors
    /// One of them is not there; a sentence.
    pub(super) fn new(args: CheckArgs) -> Result<Self, String> {
        let waiting = args.files.iter().map(|file| input::file(file)).collect::<Result<_, _>>()?;
        let (kind, columns, json) = (args.kind, args.columns.chosen(), args.json);
        Ok(Self { waiting, kind, columns, json, current: None, has_faults: false, status: None })
    }

    /// Begins with the next file, or ends.
    fn next_file(&mut self, cx: &mut Cx) {
        self.current = self.waiting.pop_front().map(|file| {
            let check = TrainingCheck::begin(file.path.clone(), self.columns.clone(), cx);
            (file, check)
        });
        if self.current.is_none() {
            self.status = Some(if self.has_faults { Status::ResultIsNo } else { Status::Done });
        }
    }

    /// Prints what was found in the current file.
    fn print(&mut self, out: &mut Output) {
        let Some((file, check)) = &self.current else { return };
        let Some(report) = check.report() else { return };
        let objection = self.kind.and_then(|kind| kind.objection(report));
        let soundness = if objection.is_some() { Soundness::Faults } else { Soundness::of(report) };
        self.has_faults |= soundness == Soundness::Faults;
        let shown = &file.shown;
        for problem in &report.problems {
            let (line, column) = (Some(problem.line), Some(problem.column));
            self.finding(&Finding { file: shown, line, column, kind: Some(problem.kind), words: &problem.words }, out);
        }
        for words in findings::of_whole(report).into_iter().chain(objection.map(str::to_owned)) {
            self.finding(&Finding { file: shown, line: None, column: None, kind: None, words: &words.into() }, out);
        }
        if self.json {
            out.json(&SummaryJson::of(shown, report, soundness));
        }
        let more = report.problem_count().saturating_sub(report.problems.len() as u64);
        let more =
            if more > 0 { format!(" · only the first {} are listed", report.problems.len()) } else { String::new() };
        let can_be_sent = report.valid < report.rows || Soundness::of(report) != Soundness::Faults;
        let unsent = if can_be_sent { "" } else { " · cannot be sent as it is" };
        out.notice(format!("{shown}: {}{unsent}{more}", check_summary(report)));
        for advice in &report.advice {
            out.notice(format!("{shown}: {}", advice.line()));
        }
        let advised = report.repairs.iter().filter(|repair| repair.advised || repair.necessary);
        let advised: Vec<&str> = advised.map(|repair| repair.kind.name()).collect();
        if !advised.is_empty() && report.stop.is_none() {
            out.notice(format!("{shown}: `benchtop files prepare` would repair it: {}", advised.join(", ")));
        }
    }

    fn finding(&self, finding: &Finding, out: &mut Output) {
        let Finding { file, line, column, kind, words } = finding;
        if self.json {
            let (line, column, kind) = (*line, *column, *kind);
            let message = words.raw();
            return out.json(&FindingJson { version: VERSION, r#type: "finding", file, line, column, kind, message });
        }
        let place = line.zip(*column).map(|(line, column)| format!(":{line}:{column}")).unwrap_or_default();
        out.line(&format!("{file}{place}: {}", words.line()).into());
    }
}

impl Task for Check {
    fn start(&mut self, cx: &mut Cx, _out: &mut Output) {
        self.next_file(cx);
    }

    fn reply(&mut self, ticket: Ticket, response: Response, cx: &mut Cx, out: &mut Output) {
        let Some((file, check)) = &mut self.current else { return };
        match check.handle(ticket, response, cx) {
            CheckUpdate::Moved(done, total) => {
                out.progress(format!("checking {} {}", file.shown, percent(done as f64 / total.max(1) as f64)));
            }
            CheckUpdate::Checked => {
                self.print(out);
                self.next_file(cx);
            }
            CheckUpdate::ColumnsRefused(why) => {
                out.notice(format!("{} {why}", file.shown));
                self.status = Some(Status::Usage);
            }
            CheckUpdate::Failed(why) => {
                let (file, why) = (file.shown.clone(), file.without_path(&why));
                self.has_faults = true;
                self.finding(&Finding { file: &file, line: None, column: None, kind: None, words: &why }, out);
                self.next_file(cx);
            }
            CheckUpdate::Nothing | CheckUpdate::Prepared(_) => {}
        }
    }

    fn interrupt(&mut self, cx: &mut Cx, _out: &mut Output) {
        if let Some((_, check)) = &mut self.current {
            check.stop(cx);
        }
        self.status = Some(Status::Done);
    }

    fn status(&self) -> Option<Status> {
        self.status
    }
}

/// Something that was found.
struct Finding<'a> {
    file: &'a str,
    line: Option<u64>,
    column: Option<u64>,
    kind: Option<ProblemKind>,
    words: &'a Untrusted,
}

/// The same, as JSON.
#[derive(Debug, Serialize)]
struct FindingJson<'a> {
    version: u32,
    r#type: &'static str,
    file: &'a str,
    /// Counted from 1; null: it is about the file as a whole.
    line: Option<u64>,
    column: Option<u64>,
    /// Null: it is about the file as a whole.
    kind: Option<ProblemKind>,
    message: &'a str,
}

/// What was found in a file, as JSON.
#[derive(Debug, Serialize)]
struct SummaryJson<'a> {
    version: u32,
    r#type: &'static str,
    file: &'a str,
    /// `sound`, `warnings` (every row can be used) or `faults`.
    result: &'static str,
    format: TrainingFormat,
    form: Option<RowForm>,
    task: Option<RowTask>,
    bytes: u64,
    rows: u64,
    usable_rows: u64,
    problems: Vec<CountJson>,
    tokens: u64,
    repairs: Vec<RepairJson>,
    advice: Vec<&'a str>,
    /// Null: the rows are conversations, or lines of text.
    columns: Option<ColumnsJson<'a>>,
}

/// The columns of a file, or the keys of its objects, as JSON.
#[derive(Debug, Serialize)]
struct ColumnsJson<'a> {
    names: &'a [String],
    /// Templates: `{name}` stands for a column.
    prompt: &'a str,
    completion: &'a str,
    guessed: bool,
}

#[derive(Debug, Serialize)]
struct CountJson {
    kind: ProblemKind,
    count: u64,
}

#[derive(Debug, Serialize)]
struct RepairJson {
    name: &'static str,
    rows: u64,
    necessary: bool,
    advised: bool,
    description: String,
}

impl<'a> SummaryJson<'a> {
    fn of(file: &'a str, report: &'a CheckReport, soundness: Soundness) -> Self {
        let repairs = report.repairs.iter().map(|repair| RepairJson {
            name: repair.kind.name(),
            rows: repair.rows,
            necessary: repair.necessary,
            advised: repair.advised,
            description: repair_words(repair),
        });
        let columns = report.mapping.as_ref().map(|Mapping { columns, prompt, completion, .. }| ColumnsJson {
            names: columns,
            prompt,
            completion,
            guessed: report.guessed,
        });
        Self {
            version: VERSION,
            r#type: "summary",
            file,
            result: match soundness {
                Soundness::Sound => "sound",
                Soundness::Warnings => "warnings",
                Soundness::Faults => "faults",
            },
            format: report.source,
            form: report.form,
            task: report.task,
            bytes: report.bytes,
            rows: report.rows,
            usable_rows: report.valid,
            problems: report.counts.iter().map(|(kind, count)| CountJson { kind: *kind, count: *count }).collect(),
            tokens: report.tokens.total,
            repairs: repairs.collect(),
            advice: report.advice.iter().map(Untrusted::raw).collect(),
            columns,
        }
    }
}
