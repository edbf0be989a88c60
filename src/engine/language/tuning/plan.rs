//! What to train, and how.

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

/// The state of an interrupted [`tune`](super::tune), from which training continues.
#[derive(Clone, Copy, Debug, Default)]
pub struct Resume<'a> {
    /// Of [`Report::Epoch`](super::Report::Epoch), the last one.
    pub checkpoint: Option<&'a [u8]>,
    /// Of [`Report::Vectors`](super::Report::Vectors).
    pub vectors: Option<&'a [u8]>,
}
