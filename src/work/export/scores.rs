//! Answers of a fine-tuned model and its base as files: a row for each row that was asked. CSV is for spreadsheets;
//! JSON has a line for each row, with every text unchanged.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::PathBuf;

use serde_json::json;

use super::super::course::Course;
use super::super::save;
use super::rows::{cell, moved};
use crate::record::answers::ScoredRow;
use crate::record::work::Form;

const HEADERS: [&str; 8] = ["line", "prompt", "wanted", "tuned", "tuned_match", "base", "base_match", "changed"];

/// Writes `Export::Scores` to a new file. Returns its name; the error is a sentence.
pub(super) fn write(path: &str, form: Form, rows: &[ScoredRow], course: &Course) -> Result<PathBuf, String> {
    match form {
        Form::Csv => save::write(path, &["csv"], &mut |_, file| csv(file, rows, course)),
        Form::Json | Form::JsonLines => save::write(path, &["jsonl"], &mut |_, file| json_lines(file, rows, course)),
        Form::Npy | Form::Markdown => Err("answers are texts; export them as CSV or JSON lines".to_owned()),
    }
}

/// Returns a model's answer and the word for how it compares; empty if there is none yet.
fn said(row: &ScoredRow, which: usize) -> (Option<&str>, &str) {
    row.answers[which].as_ref().map_or((None, ""), |(text, verdict)| (Some(text.raw()), *verdict))
}

fn csv(file: &mut dyn Write, rows: &[ScoredRow], course: &Course) -> io::Result<()> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(file);
    writer.write_record(HEADERS)?;
    for (at, row) in rows.iter().enumerate() {
        moved(course, at, rows.len())?;
        let [(tuned, tuned_match), (base, base_match)] = [said(row, 0), said(row, 1)];
        let (tuned, base) = (tuned.unwrap_or_default(), base.unwrap_or_default());
        let texts = [row.line.raw(), row.prompt.raw(), row.wanted.raw()];
        let cells = texts.into_iter().chain([tuned, tuned_match, base, base_match, row.changed]);
        writer.write_record(cells.map(cell).map(Cow::into_owned))?;
    }
    writer.flush()
}

fn json_lines(file: &mut dyn Write, rows: &[ScoredRow], course: &Course) -> io::Result<()> {
    for (at, row) in rows.iter().enumerate() {
        moved(course, at, rows.len())?;
        let [(tuned, tuned_match), (base, base_match)] = [said(row, 0), said(row, 1)];
        let row = json!({
            "line": row.line.raw(), "prompt": row.prompt.raw(), "wanted": row.wanted.raw(),
            "tuned": tuned, "tuned_match": tuned_match, "base": base, "base_match": base_match,
            "changed": row.changed,
        });
        writeln!(file, "{row}")?;
    }
    Ok(())
}
