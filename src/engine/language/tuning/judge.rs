//! How well a model predicts: scores of examples, and the metrics of a classifier.

use std::collections::BTreeSet;

use super::super::vocabulary::{Slot, Vocabulary};
use super::corpus::{Corpus, ExampleTokens};
use super::figures::{BinaryCounts, accuracy, auprc, auroc, weighted_f1};
use super::pass::{self, TokenScore};
use super::places::{Places, Setter};
use super::plan::{Classes, Example};
use super::report::{Classification, Scores, TuneError};

/// Examples scored at once.
const AT_ONCE: usize = 32;

/// Sums of scores.
#[derive(Default)]
pub(super) struct ScoreSums {
    loss: f64,
    tokens: usize,
    right: usize,
    examples: usize,
    whole: usize,
}

impl ScoreSums {
    /// Adds scored places; `examples` is how many examples they belong to.
    pub(super) fn add(&mut self, places: &Places, judged: &[TokenScore], examples: usize) {
        let mut whole = vec![true; examples];
        for (place, judged) in places.list.iter().zip(judged).filter(|(place, _)| place.counts) {
            self.loss += f64::from(judged.loss);
            self.tokens += 1;
            self.right += usize::from(judged.right);
            whole[place.example] &= judged.right;
        }
        self.examples += examples;
        self.whole += whole.into_iter().filter(|whole| *whole).count();
    }

    pub(super) fn scores(&self) -> Scores {
        let mean = |sum: f64, n: usize| sum / n.max(1) as f64;
        Scores {
            loss: mean(self.loss, self.tokens),
            sequence_accuracy: mean(self.whole as f64, self.examples),
            token_accuracy: mean(self.right as f64, self.tokens),
        }
    }
}

/// Scores examples without learning from them; `None` if `busy` returns false.
pub(super) fn scores(
    threads: &rayon::ThreadPool,
    setter: &Setter<'_>,
    corpus: &Corpus,
    examples: &[usize],
    busy: &mut dyn FnMut() -> bool,
) -> Option<Scores> {
    let mut tally = ScoreSums::default();
    for some in examples.chunks(AT_ONCE) {
        let mut places = Places::default();
        for (i, example) in some.iter().enumerate() {
            setter.completion(&mut places, corpus.get(*example), i);
        }
        let judged = pass::run(threads, setter.network, &places, None, busy)?;
        tally.add(&places, &judged, some.len());
    }
    Some(tally.scores())
}

/// The classes of a classifier: the different completions of the training examples, ignoring white space around them.
pub(super) struct Classifier {
    plan: Classes,
    /// Each spelling of a class, with the class's number.
    spellings: Vec<(usize, Vec<Slot>)>,
    /// Number of classes.
    classes: usize,
    positive: usize,
}

impl Classifier {
    pub(super) fn new(plan: &Classes, training: &[Example], vocabulary: &Vocabulary) -> Result<Self, TuneError> {
        let written: BTreeSet<&str> = training.iter().map(|example| example.completion.as_str()).collect();
        let mut names: Vec<&str> = written.iter().map(|name| name.trim()).collect();
        names.sort_unstable();
        names.dedup();
        let number = |name: &str| names.binary_search(&name.trim()).ok();
        let positive = match plan {
            Classes::Many { classes } if *classes != names.len() => {
                return Err(TuneError::Classes { found: names.len(), wanted: *classes });
            }
            Classes::Many { .. } => 0,
            Classes::Binary { positive, .. } => {
                number(positive).ok_or_else(|| TuneError::Positive(positive.clone()))?
            }
        };
        let spelled = |name: &&str| Some((number(name)?, vocabulary.slots_to_end(name)));
        let mut spellings: Vec<(usize, Vec<Slot>)> = written.iter().filter_map(spelled).collect();
        // If the first token distinguishes the classes, only that is scored.
        let first: BTreeSet<Slot> = spellings.iter().map(|(_, spelling)| spelling[0]).collect();
        if first.len() == spellings.len() {
            for (_, spelling) in &mut spellings {
                spelling.truncate(1);
            }
        }
        Ok(Self { plan: plan.clone(), spellings, classes: names.len(), positive })
    }

    /// Classifies all examples; `None` if `busy` returns false.
    pub(super) fn judge(
        &self,
        threads: &rayon::ThreadPool,
        setter: &Setter<'_>,
        corpus: &Corpus,
        busy: &mut dyn FnMut() -> bool,
    ) -> Option<Classification> {
        let (mut pairs, mut scored) = (Vec::new(), Vec::new());
        for example in 0..corpus.len() {
            let piece = corpus.get(example);
            let is = self.spellings.iter().find(|(_, spelling)| piece.answer().starts_with(spelling));
            let is = is.map(|(class, _)| *class);
            let chances = self.probabilities(threads, setter, piece, busy)?;
            let called = (0..chances.len()).max_by(|a, b| chances[*a].total_cmp(&chances[*b])).unwrap_or_default();
            // A completion that is no class is never predicted.
            pairs.push((called, is.unwrap_or(usize::MAX)));
            scored.push((chances[self.positive], is == Some(self.positive)));
        }
        Some(match &self.plan {
            Classes::Many { .. } => {
                Classification::Many { accuracy: accuracy(&pairs), weighted_f1: weighted_f1(&pairs, self.classes) }
            }
            Classes::Binary { betas, .. } => {
                let sides: Vec<_> = pairs
                    .iter()
                    .map(|(called, is)| (usize::from(*called == self.positive), usize::from(*is == self.positive)))
                    .collect();
                let counts = BinaryCounts::of(&sides, 2)[1];
                Classification::Binary {
                    accuracy: accuracy(&sides),
                    precision: counts.precision(),
                    recall: counts.recall(),
                    auroc: auroc(&scored),
                    auprc: auprc(&scored),
                    f: betas.iter().map(|beta| (*beta, counts.f(*beta))).collect(),
                }
            }
        })
    }

    /// Returns the probability of each class, normalised over the classes; `None` if `busy` returns false.
    fn probabilities(
        &self,
        threads: &rayon::ThreadPool,
        setter: &Setter<'_>,
        piece: ExampleTokens<'_>,
        busy: &mut dyn FnMut() -> bool,
    ) -> Option<Vec<f64>> {
        let mut places = Places::default();
        setter.answers(&mut places, piece, self.spellings.iter().map(|(_, spelling)| spelling.as_slice()));
        let judged = pass::run(threads, setter.network, &places, None, busy)?;
        let mut logs = vec![0.0; self.spellings.len()];
        for (place, judged) in places.list.iter().zip(&judged) {
            logs[place.example] -= f64::from(judged.loss);
        }
        let top = logs.iter().copied().fold(f64::MIN, f64::max);
        let weights: Vec<f64> = logs.iter().map(|log| (log - top).exp()).collect();
        let sum: f64 = weights.iter().sum();
        let mut chances = vec![0.0; self.classes];
        for ((class, _), weight) in self.spellings.iter().zip(weights) {
            chances[*class] += weight / sum;
        }
        Some(chances)
    }
}
