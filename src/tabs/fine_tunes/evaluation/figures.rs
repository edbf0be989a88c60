//! The figures of both models' answers: how many match, figures by class, and the confusion of classes.

use std::collections::HashMap;

use super::dataset::{AnswerVerdict, EvaluationDataset, TuningEffect};

/// As many different answers are classes.
const CLASSES: usize = 20;

/// What both models' answers come to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct EvaluationFigures {
    /// For each model: answered, right, and right byte for byte.
    pub(super) models: [[u64; 3]; 2],
    pub(super) won: u64,
    pub(super) lost: u64,
    /// The classes, the biggest first; empty: there are none.
    pub(super) classes: Vec<ClassFigures>,
    /// Of the biggest classes, of each model: how often each was taken for each, and last for something else.
    pub(super) confusion: [Vec<Vec<u64>>; 2],
}

/// A class.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ClassFigures {
    pub(super) name: String,
    pub(super) rows: u64,
    /// Of each model: rows of it that were answered, those answered right, all that were answered so.
    pub(super) models: [[u64; 3]; 2],
}

impl ClassFigures {
    /// Returns the share of the answers of this class that are right; `None`: there are none.
    pub(super) fn precision(&self, which: usize) -> Option<f64> {
        let [_, right, said] = self.models[which];
        (said > 0).then(|| right as f64 / said as f64)
    }

    /// Returns the share of the rows of this class that were answered so; `None`: none was answered.
    pub(super) fn recall(&self, which: usize) -> Option<f64> {
        let [answered, right, _] = self.models[which];
        (answered > 0).then(|| right as f64 / answered as f64)
    }
}

/// Classes of the confusion.
pub(super) const CONFUSED: usize = 6;

impl EvaluationFigures {
    pub(super) fn of(dataset: &EvaluationDataset) -> Self {
        let mut figures = Self::default();
        let classes = classes(dataset);
        let names: HashMap<&str, usize> = classes.iter().enumerate().map(|(at, class)| (*class, at)).collect();
        figures.classes =
            classes.iter().map(|name| ClassFigures { name: (*name).to_owned(), ..ClassFigures::default() }).collect();
        let most = classes.len().min(CONFUSED);
        figures.confusion = [0, 1].map(|_| vec![vec![0; most + 1]; most]);
        for row in 0..dataset.rows.len() {
            match dataset.tuning_effect(row) {
                Some(TuningEffect::Won) => figures.won += 1,
                Some(TuningEffect::Lost) => figures.lost += 1,
                None => {}
            }
            let wanted = names.get(dataset.wanted_answer(row).trim()).copied();
            if let Some(class) = wanted {
                figures.classes[class].rows += 1;
            }
            for which in [0, 1] {
                let (Some(verdict), Some(said)) = (dataset.verdict(which, row), dataset.answered_class(which, row))
                else {
                    continue;
                };
                let sums = &mut figures.models[which];
                sums[0] += 1;
                sums[1] += u64::from(verdict.is_right());
                sums[2] += u64::from(verdict == AnswerVerdict::Exact);
                let said = names.get(said).copied();
                if let Some(class) = said {
                    figures.classes[class].models[which][2] += 1;
                }
                if let Some(class) = wanted {
                    figures.classes[class].models[which][0] += 1;
                    figures.classes[class].models[which][1] += u64::from(said == wanted);
                    if class < most {
                        figures.confusion[which][class][said.unwrap_or(most).min(most)] += 1;
                    }
                }
            }
        }
        figures
    }
}

/// Returns the wanted answers, the most frequent first, if there are only a few different ones.
fn classes(dataset: &EvaluationDataset) -> Vec<&str> {
    let mut counts: HashMap<&str, u64> = HashMap::new();
    for row in 0..dataset.rows.len() {
        *counts.entry(dataset.wanted_answer(row).trim()).or_default() += 1;
        if counts.len() > CLASSES {
            return Vec::new();
        }
    }
    // As many answers as rows are no classes.
    if counts.len() < 2 || counts.len() * 2 > dataset.rows.len() {
        return Vec::new();
    }
    let mut classes: Vec<(&str, u64)> = counts.into_iter().collect();
    classes.sort_unstable_by_key(|(name, rows)| (std::cmp::Reverse(*rows), *name));
    classes.into_iter().map(|(name, _)| name).collect()
}
