//! The sentences of the check page.

use std::path::Path;

use super::page::CheckPage;
use super::run::CheckPhase;
use crate::component::money;
use crate::record::training::{CheckReport, Prepared, ProblemKind, Repair, RowForm, Task, TrainingFormat};
use crate::text::Untrusted;
use crate::tokens::{Price, Used};
use crate::ui::meter::{bytes, count, percent};

/// Why a repair cannot be rejected.
pub(super) const REQUIRED: &str = "the file cannot be used without this repair";

/// Returns a number of rows, such as `1 row` or `2 rows`.
pub(super) fn rows(number: u64) -> String {
    format!("{} {}", count(number), if number == 1 { "row" } else { "rows" })
}

pub(super) fn source(source: TrainingFormat) -> &'static str {
    match source {
        TrainingFormat::Jsonl => "JSONL",
        TrainingFormat::Json => "JSON",
        TrainingFormat::Csv => "CSV",
        TrainingFormat::Tsv => "TSV",
        TrainingFormat::Xlsx => "XLSX",
        TrainingFormat::Txt => "text",
    }
}

/// Returns what stands at the right of the page's title.
pub(super) fn about(report: &CheckReport) -> String {
    let encoding = match report.encoding {
        "" | "UTF-8" => String::new(),
        "windows-1252" => " · Windows-1252".to_owned(),
        // The byte order is not mentioned.
        wide => format!(" · {}", wide.trim_end_matches("LE").trim_end_matches("BE")),
    };
    format!("{}{encoding} · {} · {}", source(report.source), rows(report.rows), bytes(report.bytes))
}

/// Returns what the rows are for.
pub(super) fn task(report: &CheckReport) -> &'static str {
    match (report.form, report.task) {
        (Some(RowForm::Chats), _) => "conversations",
        (_, Some(Task::OpenEnded)) => "open-ended generation",
        (_, Some(Task::Classification)) => "classification",
        (_, Some(Task::Conditional)) => "conditional generation",
        (Some(RowForm::Pairs), None) => "prompts and completions",
        (None, None) => "",
    }
}

/// Returns how many there are of a kind.
pub(super) fn of(report: &CheckReport, kind: ProblemKind) -> u64 {
    report.counts.iter().find(|(found, _)| *found == kind).map_or(0, |(_, number)| *number)
}

/// Returns how many rows can be used, such as `all 1,296 rows can be used`; in little room `2 of 4 usable`.
pub(super) fn good(report: &CheckReport, width: u16) -> String {
    match (report.valid, report.rows) {
        (_, 0) => "no rows".to_owned(),
        (good, all) if width < 60 => format!("{} of {} usable", count(good), count(all)),
        (1, 1) => "the only row can be used".to_owned(),
        (good, all) if good == all => format!("all {} can be used", rows(all)),
        (good, all) => format!("{} of {} can be used", count(good), rows(all)),
    }
}

/// Returns how many of each kind, in one line.
pub(super) fn counts(report: &CheckReport) -> String {
    let kinds = report.counts.iter().map(|(kind, number)| format!("{} {}", kind.words(), count(*number)));
    kinds.collect::<Vec<_>>().join(" · ")
}

/// Returns what a check found, in one line, such as `2 of 4 rows can be used · 3 problems (not JSON 3) · 120 tokens`.
pub fn check_summary(report: &CheckReport) -> String {
    let problems = match report.problem_count() {
        0 => String::new(),
        1 => format!("1 problem ({})", counts(report)),
        some => format!("{} problems ({})", count(some), counts(report)),
    };
    let tokens = Some(report.tokens.total).filter(|tokens| *tokens > 0);
    let tokens = tokens.map(|tokens| format!("{} tokens", count(tokens))).unwrap_or_default();
    let parts = [good(report, u16::MAX), problems, task(report).to_owned(), tokens];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
}

/// Returns why nothing can be written; `None`: it can be.
pub(super) fn objection(report: &CheckReport) -> Option<Untrusted> {
    if report.rows == 0 || report.form.is_none() {
        return Some("no row of this file can be used for training".into());
    }
    report.stop.clone().or_else(|| report.cut.clone())
}

/// Returns what a repair is called.
pub(super) fn repair(repair: &Repair) -> String {
    format!("{} ({})", repair.words.line(), rows(repair.rows))
}

/// Returns the names of what would be written.
pub(super) fn names(page: &CheckPage) -> Vec<Untrusted> {
    let stem = Path::new(&page.file.path).file_stem().unwrap_or_default().to_string_lossy();
    let ends: &[&str] = if page.choices.held_out.is_some() { &["_train", "_valid"] } else { &[""] };
    ends.iter().map(|end| Untrusted::from(format!("{stem}_prepared{end}.jsonl"))).collect()
}

/// Returns the name of the file that is checked.
pub(super) fn name(page: &CheckPage) -> Untrusted {
    Path::new(&page.file.path).file_name().unwrap_or_default().to_string_lossy().into_owned().into()
}

/// Returns what training costs.
pub(super) fn cost(page: &CheckPage) -> String {
    let epochs = format!("{} {}", page.choices.epochs, if page.choices.epochs == 1 { "epoch" } else { "epochs" });
    if page.file.local {
        return format!("{epochs}  free on the local service");
    }
    let tokens = page.report.tokens.total.saturating_mul(page.choices.epochs);
    let said = money::about(page.file.price.and_then(|price| price.cost(Used::prompt(tokens))));
    match page.file.price {
        Some(Price { as_of: Some(day), .. }) => format!("{epochs}  {said}  prices as of {day}"),
        Some(_) => format!("{epochs}  {said}"),
        None => format!("{epochs}  {said}  price unknown"),
    }
}

/// Returns what requests to the model have to send, by what all prompts and all completions end with.
pub(super) fn requests(prompt_end: &str, completion_end: &str) -> Option<Untrusted> {
    let written = |text: &str| Untrusted::from(text.replace('\\', "\\\\").replace('\n', "\\n"));
    if prompt_end.is_empty() && completion_end.is_empty() {
        return None;
    }
    let mut words = Untrusted::from("end each prompt with “");
    words.append(&written(prompt_end));
    if prompt_end.is_empty() {
        words = "send prompts as they are".into();
    } else {
        words.push("”");
    }
    if completion_end.is_empty() {
        words.push(" · completions have no common ending: limit them with max_tokens");
    } else {
        words.push(" · stop “");
        words.append(&written(completion_end));
        words.push("”");
    }
    Some(words)
}

/// Returns what was written.
pub(super) fn written(prepared: &Prepared) -> Vec<Untrusted> {
    let file = |(path, number, size): &(Untrusted, u64, u64)| {
        let mut line = Untrusted::from(format!("✓ {} · {} · ", rows(*number), bytes(*size)));
        line.append(path);
        line
    };
    prepared.files.iter().map(file).collect()
}

/// Returns how many of the rows that were written are held out.
pub(super) fn held_out(prepared: &Prepared) -> String {
    let all: u64 = prepared.files.iter().map(|(_, number, _)| number).sum();
    let held_out: u64 = prepared.files.iter().skip(1).map(|(_, number, _)| number).sum();
    format!("{} ({}) held out", rows(held_out), percent(held_out as f64 / all.max(1) as f64))
}

/// Returns what happens next, or what was done, for the last line.
pub(super) fn next(page: &CheckPage) -> Untrusted {
    match &page.run.phase {
        CheckPhase::NotWritten(why) => {
            let mut words = Untrusted::from("✕ not written: ");
            words.append(why);
            words
        }
        CheckPhase::Written(prepared) => {
            let out = match prepared.left_out {
                0 => String::new(),
                left => format!(" · repairs removed {} of {}", count(left), rows(page.report.rows)),
            };
            format!("U uploads {}{out}", if prepared.files.len() > 1 { "both" } else { "it" }).into()
        }
        _ => {
            if let Some(why) = objection(&page.report) {
                let mut words = Untrusted::from("✕ ");
                words.append(&why);
                return words;
            }
            let mut words = Untrusted::from("w writes ");
            for (at, name) in names(page).iter().enumerate() {
                if at > 0 {
                    words.push(" and ");
                }
                words.append(name);
            }
            words.push(if page.choices.held_out.is_some() { ", U then uploads them" } else { ", U then uploads it" });
            words.push("; no file is overwritten");
            words
        }
    }
}
