//! Counts of right and wrong at a threshold, for each category.
//!
//! The scores of each category are sorted once, those labelled so apart from the others: a threshold that moves costs
//! two searches.

use super::super::category::{CategoryInfo, CategoryKey, ScoreReader, union};
use super::label::{LabelMeaning, LabelReader, LabelScheme};
use crate::record::Check;
use crate::text::Untrusted;

/// Steps of a threshold between 0 and 1 that a curve has: thresholds are kept to hundredths.
const STEPS: usize = 100;
/// Labels that are named because nobody here knows them.
const STRANGE: usize = 3;

/// Right and wrong at a threshold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ConfusionCounts {
    /// At the threshold or over it, and labelled so.
    pub(crate) tp: usize,
    /// At it or over it, and not labelled so.
    pub(crate) fp: usize,
    /// Below it, and labelled so.
    pub(crate) fn_: usize,
    /// Below it, and not labelled so.
    pub(crate) tn: usize,
    /// Checked rows without a score: the service has none.
    pub(crate) unscored: usize,
    /// Rows that were not checked yet, or whose label does not tell.
    pub(crate) unknown: usize,
}

impl ConfusionCounts {
    /// Returns the share of what was found that is right, 0 to 1; `None`: nothing was found.
    pub(crate) fn precision(&self) -> Option<f64> {
        share(self.tp, self.tp + self.fp)
    }

    /// Returns the share of what there is that was found; `None`: there is nothing to find.
    pub(crate) fn recall(&self) -> Option<f64> {
        share(self.tp, self.tp + self.fn_)
    }

    /// Returns the harmonic mean of both; `None`: there is nothing to find.
    pub(crate) fn f1(&self) -> Option<f64> {
        self.recall()?;
        share(2 * self.tp, 2 * self.tp + self.fp + self.fn_)
    }
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// The scores of one category, or of highest of all.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct LabelledScores {
    /// The scores of rows with this label, ascending.
    positive: Vec<f64>,
    /// The scores of the other rows, ascending.
    negative: Vec<f64>,
    unscored: usize,
    unknown: usize,
}

impl LabelledScores {
    fn add(&mut self, truth: Option<bool>, checked: bool, score: Option<f64>) {
        match (truth, score) {
            (None, _) => self.unknown += 1,
            _ if !checked => self.unknown += 1,
            (_, None) => self.unscored += 1,
            (Some(true), Some(score)) => self.positive.push(score),
            (Some(false), Some(score)) => self.negative.push(score),
        }
    }

    fn sort(&mut self) {
        self.positive.sort_unstable_by(f64::total_cmp);
        self.negative.sort_unstable_by(f64::total_cmp);
    }

    /// Returns the figures at a threshold.
    pub(super) fn at(&self, threshold: f64) -> ConfusionCounts {
        let below = |scores: &[f64]| scores.partition_point(|score| *score < threshold);
        let (fn_, tn) = (below(&self.positive), below(&self.negative));
        ConfusionCounts {
            tp: self.positive.len() - fn_,
            fp: self.negative.len() - tn,
            fn_,
            tn,
            unscored: self.unscored,
            unknown: self.unknown,
        }
    }

    /// Returns precision, recall and F1 over all thresholds; `None`: there is nothing to find.
    pub(super) fn curves(&self) -> Option<RateCurves> {
        let mut curves = RateCurves::default();
        for step in 0..=STEPS {
            let threshold = step as f64 / STEPS as f64;
            let counts = self.at(threshold);
            // Above all scores nothing is found, and there is no precision.
            curves.precision.push((threshold, counts.precision().unwrap_or(f64::NAN)));
            curves.recall.push((threshold, counts.recall()?));
            curves.f1.push((threshold, counts.f1()?));
        }
        Some(curves)
    }
}

/// Rates at each hundredth from 0 to 1: the threshold and the rate there.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RateCurves {
    pub(super) precision: Vec<(f64, f64)>,
    pub(super) recall: Vec<(f64, f64)>,
    pub(super) f1: Vec<(f64, f64)>,
}

impl RateCurves {
    /// Returns the best threshold and its F1: the middle of the first stretch of thresholds that are as good as any.
    pub(super) fn best(&self) -> Option<(f64, f64)> {
        let most = self.f1.iter().map(|(_, f1)| *f1).max_by(f64::total_cmp)?;
        let same = |(_, f1): &(f64, f64)| most - f1 < 1e-12;
        let from = self.f1.iter().position(same)?;
        let length = self.f1[from..].iter().take_while(|point| same(point)).count();
        Some((self.f1[from + (length - 1) / 2].0, most))
    }

    /// Returns F1 at the hundredth next to a threshold.
    pub(super) fn f1_at(&self, threshold: f64) -> f64 {
        let step = ((threshold * STEPS as f64).round() as usize).min(STEPS);
        self.f1.get(step).map_or(0.0, |(_, f1)| *f1)
    }
}

/// One category with its scores.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RatedCategory {
    pub(super) key: CategoryKey,
    pub(super) name: Untrusted,
    pub(super) scores: LabelledScores,
    /// Its rates over all thresholds.
    pub(super) curves: Option<RateCurves>,
}

/// Results beside labels, sorted so that a threshold that moves costs next to nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Evaluation {
    pub(super) categories: Vec<RatedCategory>,
    /// Each row's highest score: one threshold for all categories.
    pub(super) highest: LabelledScores,
    pub(super) highest_curves: Option<RateCurves>,
    /// How well the service's own flag agrees.
    pub(super) service: ConfusionCounts,
    /// Of rows that count: whether the text is to be flagged, and its scores, one for each category; NaN: none.
    rows: Vec<bool>,
    scores: Vec<f64>,
    /// Rows that do not count for “any”, as [`ConfusionCounts`] has them.
    unscored: usize,
    unknown: usize,
    /// Rows in all.
    pub(super) all: usize,
    /// Rows without a result.
    pub(super) unchecked: usize,
    /// Rows whose label says nothing known here.
    pub(super) untold: usize,
    /// The first of these labels.
    pub(super) strange: Vec<Untrusted>,
    /// How its labels are read.
    pub(super) scheme: LabelScheme,
}

impl Evaluation {
    /// Creates the figures from rows: each with its label and what the model said of its text.
    pub(crate) fn of<'a>(rows: impl IntoIterator<Item = (Option<&'a Untrusted>, Option<&'a Check>)>) -> Self {
        let rows: Vec<_> = rows.into_iter().collect();
        let categories = union(rows.iter().filter_map(|(_, check)| *check));
        let truths = LabelReader::new(&categories).read_all(rows.iter().map(|(label, _)| *label));
        let mut all = Self {
            categories: categories.iter().map(rated).collect(),
            all: rows.len(),
            scheme: LabelScheme::of(&truths),
            ..Self::default()
        };
        let mut reader = ScoreReader::new(&categories);
        for ((label, check), truth) in rows.into_iter().zip(truths) {
            let scores = check.map(|check| reader.read(check).into_iter().map(|(score, _)| score).collect());
            all.add(&truth, label, check, scores);
        }
        all.sort();
        all
    }

    fn add(
        &mut self,
        truth: &LabelMeaning,
        label: Option<&Untrusted>,
        check: Option<&Check>,
        scores: Option<Vec<Option<f64>>>,
    ) {
        let any = self.scheme.any(truth);
        self.unchecked += usize::from(check.is_none());
        if any.is_none() {
            self.untold += 1;
            let strange = label.filter(|label| *truth == LabelMeaning::Unknown && !self.strange.contains(label));
            self.strange.extend(strange.filter(|_| self.strange.len() < STRANGE).cloned());
        }
        let truths: Vec<Option<bool>> = (0..self.categories.len()).map(|at| self.scheme.category(truth, at)).collect();
        let score = |at: usize| scores.as_ref().and_then(|scores| scores.get(at).copied().flatten());
        for (at, (category, truth)) in self.categories.iter_mut().zip(truths).enumerate() {
            category.scores.add(truth, check.is_some(), score(at));
        }
        let highest = scores.iter().flatten().flatten().copied().max_by(f64::total_cmp);
        self.highest.add(any, check.is_some(), highest);
        let (Some(so), Some(check)) = (any, check) else {
            self.unknown += 1;
            self.service.unknown += 1;
            return;
        };
        let place = match (so, check.flagged) {
            (true, true) => &mut self.service.tp,
            (true, false) => &mut self.service.fn_,
            (false, true) => &mut self.service.fp,
            (false, false) => &mut self.service.tn,
        };
        *place += 1;
        if highest.is_none() {
            self.unscored += 1;
            return;
        }
        self.rows.push(so);
        self.scores.extend((0..self.categories.len()).map(|at| score(at).unwrap_or(f64::NAN)));
    }

    fn sort(&mut self) {
        for category in &mut self.categories {
            category.scores.sort();
            category.curves = category.scores.curves();
        }
        self.highest.sort();
        self.highest_curves = self.highest.curves();
    }

    /// Returns the figures of the question whether any category's score reaches its threshold; `thresholds` has one for
    /// each category, in their order.
    pub(super) fn any(&self, thresholds: &[f64]) -> ConfusionCounts {
        let mut figures =
            ConfusionCounts { unscored: self.unscored, unknown: self.unknown, ..ConfusionCounts::default() };
        let width = self.categories.len().max(1);
        for (so, scores) in self.rows.iter().zip(self.scores.chunks(width)) {
            let over = scores.iter().zip(thresholds).any(|(score, threshold)| score >= threshold);
            let place = match (*so, over) {
                (true, true) => &mut figures.tp,
                (true, false) => &mut figures.fn_,
                (false, true) => &mut figures.fp,
                (false, false) => &mut figures.tn,
            };
            *place += 1;
        }
        figures
    }

    /// Returns whether there is anything to compare: a row with a result and a label that tells.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

fn rated(category: &CategoryInfo) -> RatedCategory {
    RatedCategory {
        key: category.key.clone(),
        name: category.name.clone(),
        scores: LabelledScores::default(),
        curves: None,
    }
}
