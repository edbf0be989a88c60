//! What training reports, and how it ends.

use super::super::shipped::InvalidWeights;

/// How well completions are predicted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scores {
    /// Mean loss of a completion's tokens, in nats.
    pub loss: f64,
    /// Share of completions of which the model would write every token, 0 to 1.
    pub sequence_accuracy: f64,
    /// Share of the completions' tokens that the model would write, 0 to 1.
    pub token_accuracy: f64,
}

/// How well the validation examples are classified; all 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub enum Classification {
    /// For [`Classes::Binary`](super::Classes::Binary).
    Binary {
        /// Share of correct predictions.
        accuracy: f64,
        /// Share of the positive predictions that are correct.
        precision: f64,
        /// Share of the positive examples that were predicted positive.
        recall: f64,
        /// Area under the receiver operating characteristic.
        auroc: f64,
        /// Area under the precision-recall curve (average precision).
        auprc: f64,
        /// `(beta, F-beta)`, in the plan's order.
        f: Vec<(f64, f64)>,
    },
    /// For [`Classes::Many`](super::Classes::Many).
    Many {
        /// Share of correct predictions.
        accuracy: f64,
        /// The mean of the classes' F1, each weighted by its share of the examples.
        weighted_f1: f64,
    },
}

/// Result of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Counted from 1 over all epochs.
    pub step: u64,
    /// `r50k` tokens of prompts and completions trained on so far.
    pub elapsed_tokens: u64,
    /// Examples trained on so far.
    pub elapsed_examples: u64,
    /// The step's examples, as predicted before the step changed the weights.
    pub training: Scores,
    /// Set at some steps, on a part of the validation examples; and at each epoch's last step, on all of them.
    pub validation: Option<Scores>,
    /// Set at each epoch's last step, if the plan has classes.
    pub classification: Option<Classification>,
}

/// Progress of a running [`tune`](super::tune).
#[derive(Debug)]
pub enum Report<'a> {
    /// Still working, without news. Comes at least every 200 ms or so in a release build, also while examples are read
    /// and within long steps, so that a stop need not wait for either.
    Busy,
    /// The prompts' sentence vectors are computed, which takes some 2 ms per prompt; a resumed training need not do it
    /// again.
    Vectors(&'a [u8]),
    /// A step is done.
    Step(&'a Row),
    /// An epoch is done; its last step was reported before.
    Epoch {
        /// Counted from 1.
        number: u32,
        /// The complete state for continuing with the next epoch exactly: weights, optimiser, counters.
        checkpoint: &'a [u8],
    },
}

/// How a [`tune`](super::tune) ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All epochs are done: the weights file, for [`Model::tuned`](super::super::Model::tuned).
    Done(Vec<u8>),
    /// A report returned break.
    Stopped,
}

/// Why training cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    /// There are no examples.
    #[error("there are no training examples; give at least one")]
    Empty,
    /// The completions are not the classes of the plan.
    #[error("the training examples have {found} different completions, not {wanted}; name the right number of classes")]
    Classes {
        /// Different completions in the training examples.
        found: usize,
        /// Different completions according to the plan.
        wanted: usize,
    },
    /// The positive class is not among the completions.
    #[error("no training example has the completion '{0}'; name a positive class that occurs")]
    Positive(String),
    /// The checkpoint cannot be used to resume.
    #[error(transparent)]
    Checkpoint(#[from] InvalidWeights),
    /// The system refused to start threads.
    #[error("no threads to train on: {0}; try again when the machine has room")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}
