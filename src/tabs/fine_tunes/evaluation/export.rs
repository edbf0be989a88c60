//! The answers as a file: CSV for spreadsheets, JSON lines for programs.

use std::path::Path;

use super::dataset::{AnswerVerdict, EvaluationDataset, TuningEffect};
use crate::record::answers::ScoredRow;
use crate::record::work::{Export, Form, Work};

/// Returns the work of an export of all rows, in the form that the path's ending names.
pub(super) fn export(dataset: &EvaluationDataset, path: String) -> Work {
    let ending = Path::new(&path).extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let is_json = ["jsonl", "json"].into_iter().any(|json| ending.eq_ignore_ascii_case(json));
    let form = if is_json { Form::Json } else { Form::Csv };
    Work::Export { path, form, what: Export::Scores((0..dataset.rows.len()).map(|at| row(dataset, at)).collect()) }
}

fn row(dataset: &EvaluationDataset, at: usize) -> ScoredRow {
    let said = |which: usize| {
        let verdict = match dataset.verdict(which, at)? {
            AnswerVerdict::Exact => "exact",
            AnswerVerdict::Right => "trimmed",
            AnswerVerdict::Wrong => "no",
        };
        Some((dataset.answer(which, at)?.text.clone(), verdict))
    };
    let row = &dataset.rows[at];
    ScoredRow {
        line: row.name.clone(),
        prompt: row.text.clone(),
        wanted: row.label.clone().unwrap_or_default(),
        answers: [said(0), said(1)],
        changed: match dataset.tuning_effect(at) {
            None => "",
            Some(TuningEffect::Won) => "won",
            Some(TuningEffect::Lost) => "lost",
        },
    }
}
