//! `benchtop files prepare`: writes a repaired copy of a training file.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::columns::ColumnArgs;
use crate::api::call::Ticket;
use crate::commands::input::{self, LocalFile};
use crate::commands::request::VERSION;
use crate::commands::{Output, Status, Task};
use crate::component::{Cx, Response};
use crate::record::training::{Prepared, Repair};
use crate::tabs::files::{CheckUpdate, ChosenColumns, TrainingCheck, repair_words, request_words};
use crate::text::Untrusted;
use crate::ui::meter::{count, percent};
use crate::work::output_names;

/// Accepts no repair that is not necessary.
const NONE: &str = "none";
/// Accepts all repairs.
const ALL: &str = "all";
/// Endings of files that are no JSON Lines.
const OTHER_FORMS: [&str; 3] = ["csv", "tsv", "xlsx"];
/// What `--repair` takes.
const REPAIRS: [&str; 21] = [
    NONE,
    ALL,
    "lines",
    "key-case",
    "extra-keys",
    "as-text",
    "bad-rows",
    "empty-rows",
    "blank-prompts",
    "labels",
    "contradictions",
    "duplicates",
    "long-rows",
    "over-limit",
    "lower-prompts",
    "lower-completions",
    "prompt-suffix",
    "prompt-prefix",
    "completion-prefix",
    "completion-suffix",
    "leading-space",
];

/// The command line of `benchtop files prepare`.
#[derive(Clone, Debug, Args)]
pub(super) struct PrepareArgs {
    /// File to repair; --model names the model that is to be trained
    #[arg(value_name = "FILE")]
    file: String,
    /// File to write; with --split each part gets _train or _valid behind its name
    #[arg(long, value_name = "FILE")]
    output: String,
    /// Repairs to make besides the necessary ones, separated by commas; without it those that are advised
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = REPAIRS)]
    repair: Vec<String>,
    /// Percent of the rows that are held out for validation, 1 to 50
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(1..=50))]
    split: Option<u8>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    columns: ColumnArgs,
}

/// The command.
#[derive(Debug)]
pub(super) struct PrepareFile {
    file: LocalFile,
    output: String,
    columns: Option<ChosenColumns>,
    repair: Vec<String>,
    split: Option<u8>,
    json: bool,
    check: Option<TrainingCheck>,
    is_writing: bool,
    status: Option<Status>,
}

impl PrepareFile {
    /// Looks the file up, and where to write.
    ///
    /// # Errors
    /// The file is not there, or nothing can be written there; a sentence.
    pub(super) fn new(args: PrepareArgs) -> Result<Self, String> {
        let file = input::file(&args.file)?;
        let output = input::output_file(&args.output)?;
        let ending = Path::new(&output).extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if OTHER_FORMS.iter().any(|other| ending.eq_ignore_ascii_case(other)) {
            return Err(format!("--output: the copy is JSON Lines, not .{ending}: let its name end in .jsonl"));
        }
        if args.repair.len() > 1 && args.repair.iter().any(|name| name == NONE) {
            return Err("--repair: none goes with no other repair: leave it or the others out".to_owned());
        }
        let exists = |path: &PathBuf| path.symlink_metadata().is_ok();
        if let Some(path) = output_names(Path::new(&output), args.split.is_some()).into_iter().find(exists) {
            let path = path.display();
            return Err(format!("--output: {path} exists already, and no file is overwritten: choose another name"));
        }
        Ok(Self {
            file,
            output,
            columns: args.columns.chosen(),
            repair: args.repair,
            split: args.split,
            json: args.json,
            check: None,
            is_writing: false,
            status: None,
        })
    }

    /// Chooses the repairs, and writes.
    fn write(&mut self, cx: &mut Cx, out: &mut Output) {
        let Some(check) = &mut self.check else { return };
        if !self.repair.is_empty() {
            let wanted = |name: &str| self.repair.iter().any(|wanted| wanted == name);
            check.accept(|repair: &Repair| wanted(ALL) || wanted(repair.kind.name()));
            for name in &self.repair {
                let is_found = check.accepted().any(|repair| repair.kind.name() == name);
                if !is_found && name != NONE && name != ALL {
                    out.notice(format!("{name}: there is nothing to repair"));
                }
            }
        }
        self.is_writing = true;
        if let Err(why) = check.prepare(self.output.clone(), self.split, cx) {
            self.not_used(&why, out);
        }
    }

    /// Says why nothing of the file is written.
    fn not_used(&mut self, why: &Untrusted, out: &mut Output) {
        let why = self.file.without_path(why);
        out.notice(format!("{}: nothing was written: {}", self.file.shown, why.line()));
        self.status = Some(Status::ResultIsNo);
    }

    /// Prints what was written.
    fn print(&mut self, prepared: &Prepared, out: &mut Output) {
        let Some(check) = &self.check else { return };
        let repairs: Vec<&Repair> = check.accepted().collect();
        if self.json {
            let files = prepared.files.iter();
            out.json(&PreparedJson {
                version: VERSION,
                files: files
                    .map(|(path, rows, bytes)| PartJson { path: path.raw(), rows: *rows, bytes: *bytes })
                    .collect(),
                left_out: prepared.left_out,
                repairs: repairs
                    .iter()
                    .map(|repair| DoneJson { name: repair.kind.name(), rows: repair.rows })
                    .collect(),
                prompt_end: &prepared.prompt_end,
                completion_end: &prepared.completion_end,
            });
        } else {
            prepared.files.iter().for_each(|(path, ..)| out.line(path));
        }
        for repair in repairs {
            out.notice(repair_words(repair));
        }
        let parts: Vec<String> = prepared.files.iter().map(|(_, rows, _)| count(*rows)).collect();
        let left_out = match prepared.left_out {
            0 => String::new(),
            rows => format!(", {} left out", count(rows)),
        };
        out.notice(format!("rows written: {}{left_out}", parts.join(" and ")));
        if let Some(words) = request_words(prepared) {
            out.notice(words);
        }
        self.status = Some(Status::Done);
    }
}

impl Task for PrepareFile {
    fn start(&mut self, cx: &mut Cx, _out: &mut Output) {
        self.check = Some(TrainingCheck::begin(self.file.path.clone(), self.columns.take(), cx));
    }

    fn reply(&mut self, ticket: Ticket, response: Response, cx: &mut Cx, out: &mut Output) {
        let Some(check) = &mut self.check else { return };
        match check.handle(ticket, response, cx) {
            CheckUpdate::Nothing => {}
            CheckUpdate::Moved(done, total) => {
                let verb = if self.is_writing { "writing" } else { "checking" };
                out.progress(format!("{verb} {}", percent(done as f64 / total.max(1) as f64)));
            }
            CheckUpdate::Checked => self.write(cx, out),
            CheckUpdate::Prepared(prepared) => self.print(&prepared, out),
            CheckUpdate::ColumnsRefused(why) => {
                out.notice(format!("{} {why}", self.file.shown));
                self.status = Some(Status::Usage);
            }
            CheckUpdate::Failed(why) if self.is_writing => {
                out.notice(format!("{}: {}", self.file.shown, why.line()));
                self.status = Some(Status::CutOff);
            }
            CheckUpdate::Failed(why) => self.not_used(&why, out),
        }
    }

    fn interrupt(&mut self, cx: &mut Cx, _out: &mut Output) {
        if let Some(check) = &mut self.check {
            check.stop(cx);
        }
        self.status = Some(Status::Done);
    }

    fn status(&self) -> Option<Status> {
        self.status
    }
}

/// What was written, as JSON.
#[derive(Debug, Serialize)]
struct PreparedJson<'a> {
    version: u32,
    /// The one to train on, then the one that is held out.
    files: Vec<PartJson<'a>>,
    left_out: u64,
    repairs: Vec<DoneJson>,
    /// What all prompts end with; empty: nothing.
    prompt_end: &'a str,
    completion_end: &'a str,
}

#[derive(Debug, Serialize)]
struct PartJson<'a> {
    path: &'a str,
    rows: u64,
    bytes: u64,
}

#[derive(Debug, Serialize)]
struct DoneJson {
    name: &'static str,
    rows: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::training::RepairKind;

    #[test]
    fn every_repair_can_be_named() {
        let text = String::new;
        let labels = RepairKind::Labels { same: Vec::new(), begin: text(), end: text() };
        for kind in [
            RepairKind::Lines,
            RepairKind::KeyCase,
            RepairKind::ExtraKeys,
            RepairKind::AsText,
            RepairKind::BadRows,
            RepairKind::EmptyRows,
            RepairKind::BlankPrompts,
            labels,
            RepairKind::Contradictions,
            RepairKind::Duplicates,
            RepairKind::LongRows,
            RepairKind::OverLimit,
            RepairKind::LowerPrompts,
            RepairKind::LowerCompletions,
            RepairKind::PromptSuffix(text()),
            RepairKind::PromptPrefix(text()),
            RepairKind::CompletionPrefix(text()),
            RepairKind::CompletionSuffix(text()),
            RepairKind::LeadingSpace,
        ] {
            assert!(REPAIRS.contains(&kind.name()), "{}", kind.name());
        }
    }
}
