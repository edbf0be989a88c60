//! What is said of a training file that was checked.

use crate::record::training::{CheckReport, TrainingFormat};
use crate::tabs::files::{check_summary, column_words};
use crate::ui::meter::count;

/// Returns what is wrong with a file as a whole: sentences.
pub(super) fn of_whole(report: &CheckReport) -> Vec<String> {
    let mut said: Vec<String> =
        [&report.stop, &report.cut].into_iter().flatten().map(|why| why.line().into_owned()).collect();
    let format = match report.source {
        TrainingFormat::Jsonl => None,
        TrainingFormat::Json => Some("a JSON array"),
        TrainingFormat::Csv => Some("CSV"),
        TrainingFormat::Tsv => Some("TSV"),
        TrainingFormat::Xlsx => Some("a workbook"),
        TrainingFormat::Txt => Some("plain text"),
    };
    if let Some(format) = format {
        said.push(format!("a fine-tune needs JSON Lines, and this is {format}: `benchtop files prepare` converts it"));
    }
    if report.encoding != "UTF-8" {
        said.push(format!("it is encoded as {}, not as UTF-8: `benchtop files prepare` converts it", report.encoding));
    }
    if let Some(mapping) = report.mapping.as_ref().filter(|_| report.guessed) {
        said.push(format!(
            "which columns are prompt and completion is a guess ({}): name them so, or choose them with \
             --prompt-column and --completion-column of `benchtop files prepare`",
            column_words(mapping).line()
        ));
    }
    said
}

/// Returns what was found, in one line: how much, and the first of it.
pub(super) fn in_short(report: &CheckReport) -> String {
    let first = report.problems.first().map(|problem| {
        format!("line {}, column {}: {}", count(problem.line), count(problem.column), problem.words.line())
    });
    let first = of_whole(report).into_iter().next().or(first).map(|first| format!("; {first}"));
    format!("{}{}", check_summary(report), first.unwrap_or_default())
}
