//! The answers as a file: CSV for spreadsheets, JSONL for programs.

use std::fmt::Write as _;

use super::dataset::{AnswerVerdict, EvaluationDataset};

/// All rows, as the path's ending has it.
pub(super) fn export(dataset: &EvaluationDataset, path: &str) -> String {
    let jsonl = path.to_lowercase().ends_with(".jsonl") || path.to_lowercase().ends_with(".json");
    let mut text = String::new();
    if !jsonl {
        text.push_str("line,prompt,wanted,tuned,tuned_match,base,base_match,changed\n");
    }
    for (at, row) in dataset.rows.iter().enumerate() {
        let said = |which: usize| dataset.answer(which, at).map(|answer| answer.text.raw());
        let verdict = |which: usize| match dataset.verdict(which, at) {
            None => "",
            Some(AnswerVerdict::Exact) => "exact",
            Some(AnswerVerdict::Right) => "trimmed",
            Some(AnswerVerdict::Wrong) => "no",
        };
        let changed = match dataset.change(at) {
            None => "",
            Some(super::dataset::TuningEffect::Won) => "won",
            Some(super::dataset::TuningEffect::Lost) => "lost",
        };
        let wanted = row.label.as_ref().map_or("", |label| label.raw());
        if jsonl {
            let row = serde_json::json!({
                "line": row.name.raw(), "prompt": row.text.raw(), "wanted": wanted,
                "tuned": said(0), "tuned_match": verdict(0), "base": said(1), "base_match": verdict(1),
                "changed": changed,
            });
            let _ = writeln!(text, "{row}");
        } else {
            let cells = [row.name.raw(), row.text.raw(), wanted, said(0).unwrap_or_default(), verdict(0)];
            let more = [said(1).unwrap_or_default(), verdict(1), changed];
            let line: Vec<String> = cells.into_iter().chain(more).map(cell).collect();
            text.push_str(&line.join(","));
            text.push('\n');
        }
    }
    text
}

/// A cell of a CSV file. One that a spreadsheet would take for a formula begins with `'`.
fn cell(text: &str) -> String {
    let guard = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
    if guard.is_empty() && !text.contains([',', '"', '\n', '\r', '\'']) {
        return text.to_owned();
    }
    format!("\"{guard}{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_safe_in_spreadsheets() {
        assert_eq!(cell("a"), "a");
        assert_eq!(cell("=1+1"), "\"'=1+1\"");
        assert_eq!(cell("a,\"b\"\n"), "\"a,\"\"b\"\"\n\"");
    }
}
