//! The bag: the whole prompt at one glance, as the set of its words, pairs of words and parts of words.
//!
//! Each feature has a row of numbers, found by its hash; their sum over a prompt is added to the network's output. That
//! is what lets a tuned model tell classes of prompts apart after a few hundred examples.

use ndarray::Array2;

use super::super::network::WIDTH;

/// Rows, for all features together; two features may share one.
pub(super) const ROWS: usize = 1 << 14;

/// The rows of the features.
#[derive(Clone)]
pub(in super::super) struct Bag {
    pub(super) rows: Array2<f32>,
}

impl Default for Bag {
    fn default() -> Self {
        Self { rows: Array2::zeros((ROWS, WIDTH)) }
    }
}
