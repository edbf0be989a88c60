//! `compiled_results.csv`: one row for each step of training, with the columns the interface published.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use super::job::{Classes, Spec};
use crate::engine::language::tuning::{Classification, Row, Scores};

/// The file's name in the interface.
pub(super) const NAME: &str = "compiled_results.csv";

/// A job's results on disk while they grow. Rows stay in memory (some 70 bytes each) until they are synced: nothing is
/// written between epochs.
pub(super) struct Results {
    file: File,
    rows: csv::Writer<Vec<u8>>,
    validation: bool,
    classes: Option<Classes>,
}

impl Results {
    /// Opens the results at `path`, truncated to `length` bytes: what follows the last finished epoch is trained again.
    /// With length 0 they start with the header. Fails if they are shorter.
    pub(super) fn open(path: &Path, length: u64, spec: &Spec) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        if file.metadata()?.len() < length {
            return Err(io::Error::other("the results of the epochs already trained are missing"));
        }
        file.set_len(length)?;
        let rows = csv::Writer::from_writer(Vec::new());
        let mut results = Self { file, rows, validation: spec.validation.is_some(), classes: spec.classes.clone() };
        if length == 0 {
            let columns = results.columns();
            results.rows.write_record(columns)?;
        }
        Ok(results)
    }

    /// Adds the row of a step. Fails only if the row cannot be written as CSV.
    pub(super) fn add(&mut self, row: &Row) -> io::Result<()> {
        let mut cells = vec![row.step.to_string(), row.elapsed_tokens.to_string(), row.elapsed_examples.to_string()];
        cells.extend(scores(&row.training));
        if self.validation {
            cells.extend(row.validation.as_ref().map_or_else(Default::default, scores));
        }
        if let Some(classes) = &self.classes {
            cells.extend(classification(classes, row.classification.as_ref()));
        }
        self.rows.write_record(cells)?;
        Ok(())
    }

    /// Writes and syncs the rows added since the last call; returns the length of the file. Fails if the disk refuses.
    pub(super) fn sync(&mut self) -> io::Result<u64> {
        let rows = std::mem::replace(&mut self.rows, csv::Writer::from_writer(Vec::new()));
        let rows = rows.into_inner().map_err(|failed| io::Error::other(failed.to_string()))?;
        self.file.write_all(&rows)?;
        self.file.sync_data()?;
        Ok(self.file.metadata()?.len())
    }

    fn columns(&self) -> Vec<String> {
        let mut columns: Vec<String> = ["step", "elapsed_tokens", "elapsed_examples"].map(str::to_owned).into();
        let scores = |of: &str| ["loss", "sequence_accuracy", "token_accuracy"].map(|what| format!("{of}_{what}"));
        columns.extend(scores("training"));
        if self.validation {
            columns.extend(scores("validation"));
        }
        let named = |what: &str| format!("classification/{what}");
        match &self.classes {
            None => {}
            Some(Classes::Many(_)) => columns.extend(["accuracy", "weighted_f1_score"].map(named)),
            Some(Classes::Two { betas, .. }) => {
                columns.extend(["accuracy", "precision", "recall", "auroc", "auprc"].map(named));
                columns.extend(betas.iter().map(|beta| format!("classification/f{beta:?}")));
            }
        }
        columns
    }
}

fn scores(scores: &Scores) -> [String; 3] {
    [loss(scores.loss), share(scores.sequence_accuracy), share(scores.token_accuracy)]
}

/// Returns the cells of a kind of classification; empty ones without it.
fn classification(classes: &Classes, found: Option<&Classification>) -> Vec<String> {
    match (classes, found) {
        (Classes::Many(_), Some(Classification::Many { accuracy, weighted_f1 })) => {
            vec![share(*accuracy), share(*weighted_f1)]
        }
        // The F-scores are in the order of the betas.
        (Classes::Two { .. }, Some(Classification::Binary { accuracy, precision, recall, auroc, auprc, f })) => {
            let fixed = [accuracy, precision, recall, auroc, auprc];
            fixed.into_iter().chain(f.iter().map(|(_, score)| score)).map(|x| share(*x)).collect()
        }
        (Classes::Many(_), _) => vec![String::new(); 2],
        (Classes::Two { betas, .. }, _) => vec![String::new(); 5 + betas.len()],
    }
}

/// Formats a loss as the interface does: seven decimals.
fn loss(loss: f64) -> String {
    format!("{loss:.7}")
}

/// Formats a share as the interface does: as short as possible, with at least one decimal. What is not defined (the
/// share of none) is empty.
fn share(share: f64) -> String {
    if share.is_nan() { String::new() } else { format!("{:?}", (share * 1e6).round() / 1e6) }
}

#[cfg(test)]
mod tests {
    use super::super::job::tests::spec;
    use super::*;

    fn row(step: u64) -> Row {
        let training = Scores { loss: 0.011_019, sequence_accuracy: 0.0, token_accuracy: 1.0 / 3.0 };
        Row {
            step,
            elapsed_tokens: 22_048 * step,
            elapsed_examples: 32 * step,
            training,
            validation: None,
            classification: None,
        }
    }

    fn written(spec: &Spec, rows: &[Row]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.csv");
        let mut results = Results::open(&path, 0, spec).unwrap();
        for row in rows {
            results.add(row).unwrap();
        }
        let length = results.sync().unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        assert_eq!(text.len() as u64, length);
        text
    }

    #[test]
    fn columns_and_cells_are_the_published_ones() {
        let text = written(&spec(), &[row(1)]);
        assert_eq!(
            text,
            "step,elapsed_tokens,elapsed_examples,training_loss,training_sequence_accuracy,training_token_accuracy\n\
             1,22048,32,0.0110190,0.0,0.333333\n"
        );
        let validated = Spec { validation: Some(crate::api::file::File::default()), ..spec() };
        let last =
            Row { validation: Some(Scores { loss: 1.0, sequence_accuracy: 0.5, token_accuracy: 1.0 }), ..row(2) };
        let text = written(&validated, &[row(1), last.clone()]);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].ends_with(",validation_loss,validation_sequence_accuracy,validation_token_accuracy"));
        assert_eq!(
            lines[1..],
            ["1,22048,32,0.0110190,0.0,0.333333,,,", "2,44096,64,0.0110190,0.0,0.333333,1.0000000,0.5,1.0"]
        );
        let many = Spec { classes: Some(Classes::Many(3)), ..validated.clone() };
        let found = Classification::Many { accuracy: 0.9, weighted_f1: 0.85 };
        let text = written(&many, &[row(1), Row { classification: Some(found), ..last.clone() }]);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].ends_with(",classification/accuracy,classification/weighted_f1_score"));
        assert!(lines[1].ends_with(",0.333333,,,,,") && lines[2].ends_with(",1.0,0.9,0.85"), "{text}");
        let two = Classes::Two { positive: "yes".into(), betas: vec![1.0, 0.5] };
        let two = Spec { classes: Some(two), ..validated };
        let found = Classification::Binary {
            accuracy: 1.0,
            precision: 0.5,
            recall: f64::NAN,
            auroc: 0.25,
            auprc: 0.75,
            f: vec![(1.0, 0.1), (0.5, 0.2)],
        };
        let text = written(&two, &[Row { classification: Some(found), ..last }]);
        let columns = ",classification/accuracy,classification/precision,classification/recall,classification/auroc,\
                       classification/auprc,classification/f1.0,classification/f0.5\n";
        assert!(text.contains(columns), "{text}");
        assert!(text.ends_with(",1.0,0.5,,0.25,0.75,0.1,0.2\n"), "{text}");
    }

    #[test]
    fn rows_after_the_last_epoch_are_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.csv");
        let mut results = Results::open(&path, 0, &spec()).unwrap();
        results.add(&row(1)).unwrap();
        let kept = results.sync().unwrap();
        results.add(&row(2)).unwrap();
        results.sync().unwrap();
        drop(results);
        let mut results = Results::open(&path, kept, &spec()).unwrap();
        results.add(&row(3)).unwrap();
        let length = results.sync().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().map(|line| &line[..2]).collect::<Vec<_>>(), ["st", "1,", "3,"]);
        drop(results);
        assert!(Results::open(&path, length + 1, &spec()).is_err());
    }
}
