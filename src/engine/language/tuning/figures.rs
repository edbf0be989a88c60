//! The metrics of a classifier, from pairs of predicted and true classes.

/// Counts of a two-class decision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct BinaryCounts {
    /// Predicted positive, and positive.
    pub(super) hits: usize,
    /// Predicted positive, but negative.
    pub(super) false_alarms: usize,
    /// Predicted negative, but positive.
    pub(super) misses: usize,
}

impl BinaryCounts {
    /// Counts, for each of the first `classes` classes, over `(predicted, true)` pairs.
    pub(super) fn of(pairs: &[(usize, usize)], classes: usize) -> Vec<Self> {
        let mut counts = vec![Self::default(); classes];
        for (called, is) in pairs {
            if let Some(counts) = counts.get_mut(*called) {
                if called == is { counts.hits += 1 } else { counts.false_alarms += 1 }
            }
            if let Some(counts) = counts.get_mut(*is).filter(|_| called != is) {
                counts.misses += 1;
            }
        }
        counts
    }

    /// Returns the share of those predicted positive that are; 0 where none was predicted.
    pub(super) fn precision(self) -> f64 {
        share(self.hits, self.hits + self.false_alarms)
    }

    /// Returns the share of the positive ones that were predicted; 0 where there is none.
    pub(super) fn recall(self) -> f64 {
        share(self.hits, self.hits + self.misses)
    }

    /// Returns F-beta: recall counts `beta` times as much as precision. 0 where both are 0.
    pub(super) fn f(self, beta: f64) -> f64 {
        let (precision, recall, square) = (self.precision(), self.recall(), beta * beta);
        let below = square * precision + recall;
        if below <= 0.0 { 0.0 } else { (1.0 + square) * precision * recall / below }
    }
}

fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// Returns the share of `(predicted, true)` pairs that agree.
pub(super) fn accuracy(pairs: &[(usize, usize)]) -> f64 {
    share(pairs.iter().filter(|(called, is)| called == is).count(), pairs.len())
}

/// Returns the mean F1 of the classes, each weighted by its number of examples.
pub(super) fn weighted_f1(pairs: &[(usize, usize)], classes: usize) -> f64 {
    let weighted = |counts: &BinaryCounts| (counts.hits + counts.misses) as f64 * counts.f(1.0);
    BinaryCounts::of(pairs, classes).iter().map(weighted).sum::<f64>() / pairs.len().max(1) as f64
}

/// Returns the area under the receiver operating characteristic of `(score, positive)`: the probability that a positive
/// scores above a negative, where a tie counts half. 0.5 where one of the kinds is missing.
pub(super) fn auroc(scored: &[(f64, bool)]) -> f64 {
    let mut order = scored.to_vec();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut below, mut pairs) = (0.0, 0.0);
    for tied in order.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
        let positive = tied.iter().filter(|(_, positive)| *positive).count() as f64;
        let negative = tied.len() as f64 - positive;
        pairs += positive * (below + negative / 2.0);
        below += negative;
    }
    let positive = scored.len() as f64 - below;
    if positive <= 0.0 || below <= 0.0 { 0.5 } else { pairs / (positive * below) }
}

/// Returns the area under the precision-recall curve of `(score, positive)`, as average precision: the precision at
/// each threshold, weighted by the recall gained there. 0 where nothing is positive.
pub(super) fn auprc(scored: &[(f64, bool)]) -> f64 {
    let mut order = scored.to_vec();
    order.sort_by(|a, b| b.0.total_cmp(&a.0));
    let all = order.iter().filter(|(_, positive)| *positive).count();
    let (mut hits, mut called, mut area) = (0, 0, 0.0);
    for tied in order.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
        let gained = tied.iter().filter(|(_, positive)| *positive).count();
        hits += gained;
        called += tied.len();
        area += share(gained, all) * share(hits, called);
    }
    area
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-9, "{a} is not {b}");
    }

    #[test]
    fn two_classes_by_hand() {
        // Predicted 1: three, of which two are; missed: one of three.
        let pairs = [(1, 1), (1, 1), (1, 0), (0, 1), (0, 0)];
        let counts = BinaryCounts::of(&pairs, 2)[1];
        assert_eq!(counts, BinaryCounts { hits: 2, false_alarms: 1, misses: 1 });
        near(accuracy(&pairs), 0.6);
        near(counts.precision(), 2.0 / 3.0);
        near(counts.recall(), 2.0 / 3.0);
        near(counts.f(1.0), 2.0 / 3.0);
        // Precision 1, recall 1/4: F2 = 5·0.25 / (4·1 + 0.25), F½ = 1.25·0.25 / (0.25·1 + 0.25).
        let careful = BinaryCounts { hits: 1, false_alarms: 0, misses: 3 };
        near(careful.f(2.0), 1.25 / 4.25);
        near(careful.f(0.5), 0.3125 / 0.5);
        near(BinaryCounts::default().f(1.0), 0.0);
    }

    #[test]
    fn three_classes_by_hand() {
        // F1: class 0: p 1, r 1/2 → 2/3; class 1: p 1/2, r 1 → 2/3; class 2: 1. Weights 2, 1, 1.
        let pairs = [(0, 0), (1, 0), (1, 1), (2, 2)];
        near(accuracy(&pairs), 0.75);
        near(weighted_f1(&pairs, 3), (2.0 * 2.0 / 3.0 + 2.0 / 3.0 + 1.0) / 4.0);
        near(weighted_f1(&[], 3), 0.0);
        // What is no class counts in the total, as an example of no class.
        near(weighted_f1(&[(0, 0), (0, usize::MAX)], 1), 2.0 / 3.0 / 2.0);
    }

    #[test]
    fn areas_by_hand() {
        let scored = [(0.9, true), (0.8, false), (0.7, true), (0.1, false)];
        // Pairs of positive above negative: 3 of 4.
        near(auroc(&scored), 0.75);
        // Precision 1 at recall 1/2, 2/3 at recall 1.
        near(auprc(&scored), 0.5 + 0.5 * 2.0 / 3.0);
        // All tied: half of the pairs; precision is the share of positives.
        let tied = [(0.5, true), (0.5, false), (0.5, false), (0.5, false)];
        near(auroc(&tied), 0.5);
        near(auprc(&tied), 0.25);
        near(auroc(&[(0.3, true)]), 0.5);
        near(auprc(&[(0.3, false)]), 0.0);
    }
}
