//! Fine-tuning: trains a model further on prompts and their completions, and reports every step.
//!
//! [`tune`] is synchronous and works on threads of its own; the caller's thread receives the reports and may stop it at
//! any of them. The result is a weights file that stands alone ([`Model::tuned`](super::Model::tuned)).

mod adam;
mod bag;
mod chat;
mod corpus;
mod figures;
mod file;
mod judge;
mod known;
mod meaning;
mod pass;
mod places;
mod run;
mod senses;
mod threads;

use super::Unreadable;

pub(super) use bag::Bag;
pub(super) use chat::Form;
pub use chat::chat_example;
pub(super) use file::{Weights, read};
pub(super) use known::{KnownPrompts, Nearest};
pub(super) use meaning::vector;
pub(super) use places::join;
pub use run::tune;
pub use threads::lower_priority;

/// A prompt and what is to follow it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The prompt.
    pub prompt: String,
    /// What the model should write. It is learned with the end token after it.
    pub completion: String,
}

/// How to train.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Passes over the training examples, at least 1.
    pub epochs: u32,
    /// Examples a step, at least 1.
    pub batch_size: usize,
    /// Scales the learning rate; 0.02 to 0.2 is usual.
    pub learning_rate_multiplier: f64,
    /// The weight of the loss on a prompt's tokens, 0 to 1; a completion's tokens weigh 1.
    pub prompt_loss_weight: f64,
    /// Set: the validation examples are classified at the end of each epoch.
    pub classes: Option<Classes>,
    /// The same seed, examples and plan give the same weights, whatever the number of threads.
    pub seed: u64,
    /// Threads to work on; 0: one fewer than the machine has cores, at least one.
    pub threads: usize,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            epochs: 4,
            batch_size: 1,
            learning_rate_multiplier: 0.1,
            prompt_loss_weight: 0.01,
            classes: None,
            seed: 0,
            threads: 0,
        }
    }
}

/// What the completions of a classifier are.
#[derive(Clone, Debug, PartialEq)]
pub enum Classes {
    /// One completion counts as positive, all others as negative.
    Binary {
        /// The positive completion; white space around it does not matter.
        positive: String,
        /// The betas for which F-beta is wanted.
        betas: Vec<f64>,
    },
    /// Several.
    Many {
        /// Number of different completions.
        classes: usize,
    },
}

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
    /// For [`Classes::Binary`].
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
    /// For [`Classes::Many`].
    Many {
        /// Share of correct predictions.
        accuracy: f64,
        /// The mean of the classes' F1, each weighted by its share of the examples.
        weighted_f1: f64,
    },
}

/// The state of an interrupted [`tune`], from which training continues.
#[derive(Clone, Copy, Debug, Default)]
pub struct Resume<'a> {
    /// Of [`Report::Epoch`], the last one.
    pub checkpoint: Option<&'a [u8]>,
    /// Of [`Report::Vectors`].
    pub vectors: Option<&'a [u8]>,
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

/// Progress of a running [`tune`].
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

/// How a [`tune`] ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All epochs are done: the weights file, for [`Model::tuned`](super::Model::tuned).
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
    Checkpoint(#[from] Unreadable),
    /// The system refused to start threads.
    #[error("no threads to train on: {0}; try again when the machine has room")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}
