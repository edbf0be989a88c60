//! How accurate a classifier is on labelled rows: precision and recall with their intervals, and cross-validation.

use std::fmt::Write as _;

use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use super::corpus::Row;
use super::train::{self, Example, train};
use super::{Category, Classifier};

/// Precision that the thresholds are set for.
const PRECISION: f64 = 0.95;

/// Results for one category.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Rows of the category.
    pub n: usize,
    /// Flagged correctly.
    pub hits: usize,
    /// Flagged wrongly.
    pub false_alarms: usize,
}

impl Counts {
    /// Returns the rows of the category that were not flagged.
    pub fn missed(&self) -> usize {
        self.n - self.hits
    }

    /// Returns the share of the flagged that are right, with its 95 % interval.
    pub fn precision(&self) -> Share {
        Share::of(self.hits, self.hits + self.false_alarms)
    }

    /// Returns the share of the category's rows that were flagged, with its 95 % interval.
    pub fn recall(&self) -> Share {
        Share::of(self.hits, self.n)
    }
}

/// A share and Wilson's 95 % interval around it; all 0 to 1, NaN where nothing was counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// The share itself.
    pub share: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Share {
    /// Returns the share `part` of `whole`, with its interval.
    pub fn of(part: usize, whole: usize) -> Self {
        const Z: f64 = 1.959_963_985;
        let n = whole as f64;
        let share = part as f64 / n;
        let middle = share + Z * Z / (2.0 * n);
        let spread = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
        let scale = 1.0 + Z * Z / n;
        Self { share, low: ((middle - spread) / scale).max(0.0), high: ((middle + spread) / scale).min(1.0) }
    }
}

/// The counts of each category, and the clean rows that were flagged at all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// By category.
    pub counts: [Counts; 7],
    /// Clean rows.
    pub clean: usize,
    /// Clean rows flagged in any category.
    pub alarmed: usize,
}

impl Report {
    /// Adds a row and the categories flagged for it.
    pub fn add(&mut self, row: &Row, flagged: impl Fn(Category) -> bool) {
        for category in Category::ALL {
            let counts = &mut self.counts[category as usize];
            let (is, said) = (row.is(category), flagged(category));
            counts.n += usize::from(is);
            counts.hits += usize::from(is && said);
            counts.false_alarms += usize::from(!is && said);
        }
        if row.labels.is_empty() {
            self.clean += 1;
            self.alarmed += usize::from(Category::ALL.into_iter().any(flagged));
        }
    }

    /// Returns the report as a Markdown table and a sentence on the clean rows.
    pub fn table(&self) -> String {
        let mut out = String::from(
            "| category | n | tp | fp | fn | precision (95 %) | recall (95 %) |\n|---|---:|---:|---:|---:|---|---|\n",
        );
        let shown = |share: Share| {
            if share.share.is_nan() {
                return "-".to_owned();
            }
            format!("{:.3} ({:.3}–{:.3})", share.share, share.low, share.high)
        };
        for category in Category::ALL {
            let counts = &self.counts[category as usize];
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} | {} | {} | {} |",
                category.name(),
                counts.n,
                counts.hits,
                counts.false_alarms,
                counts.missed(),
                shown(counts.precision()),
                shown(counts.recall())
            );
        }
        let alarms = Share::of(self.alarmed, self.clean);
        let _ = writeln!(out, "\nClean rows flagged: {} of {}, {}", self.alarmed, self.clean, shown(alarms));
        out
    }
}

/// Scores each row by a classifier that was trained without it: the rows are split into `folds` parts, each left out
/// once. Returns the scores, in the rows' order, and the thresholds derived from them.
pub fn cross_validate(examples: &[Example], rows: &[Row], folds: usize) -> (Vec<[f32; 7]>, [f32; 7]) {
    let composed = examples.len() - rows.len();
    let fold = |fold: usize| {
        let rest = examples.iter().enumerate().filter(|(at, _)| *at < composed || (at - composed) % folds != fold);
        let rest: Vec<_> = rest.map(|(_, example)| example).collect();
        let classifier = Classifier::with(&train(&rest, [1.0; 7]));
        let judged = rows.iter().enumerate().filter(|(at, _)| at % folds == fold).map(|(at, row)| {
            let verdict = classifier.judge(&row.text);
            (at, Category::ALL.map(|category| verdict.score(category)))
        });
        judged.collect::<Vec<_>>()
    };
    let mut scores = vec![[0.0; 7]; rows.len()];
    for (at, found) in (0..folds).into_par_iter().flat_map_iter(fold).collect::<Vec<_>>() {
        scores[at] = found;
    }
    let scored: Vec<_> = rows.iter().cloned().zip(scores.iter().copied()).collect();
    let thresholds = train::thresholds(&scored, PRECISION);
    (scores, thresholds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_wilsons() {
        let half = Share::of(5, 10);
        assert!((half.low - 0.2366).abs() < 1e-4 && (half.high - 0.7634).abs() < 1e-4, "{half:?}");
        assert!(Share::of(10, 10).high > 0.999_999);
        assert!(Share::of(0, 0).share.is_nan());
    }

    #[test]
    fn a_report_counts_rows() {
        let mut report = Report::default();
        let row = |labels: &[Category]| Row { labels: labels.to_vec(), kind: String::new(), text: String::new() };
        report.add(&row(&[Category::Hate]), |category| category == Category::Hate);
        report.add(&row(&[Category::Hate]), |_| false);
        report.add(&row(&[]), |category| category == Category::Hate);
        assert_eq!(report.counts[0], Counts { n: 2, hits: 1, false_alarms: 1 });
        assert_eq!((report.clean, report.alarmed), (1, 1));
        assert!(report.table().contains("| hate | 2 | 1 | 1 | 1 | 0.500"));
    }
}
