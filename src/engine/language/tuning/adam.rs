//! Adam: for the whole network, and of the feature rows only for those that a step used.

use ndarray::Array2;

use super::super::network::{Network, WIDTH};
use super::bag::Bag;
use crate::engine::numbers::{flat, flat_mut};
use crate::engine::sentence;

const MEAN: f32 = 0.9;
const SQUARE: f32 = 0.999;
/// Weight decay, as a share of the learning rate.
const DECAY: f32 = 0.01;
/// Factor on the learning rate of feature rows: few examples use each of them.
const BAG: f32 = 12.0;
/// Factor on the learning rate of the matrix that the sentence vector is multiplied with.
const MEANING: f32 = 4.0;

/// The optimiser's state.
#[derive(Clone)]
pub(super) struct Adam {
    pub(super) steps: u32,
    pub(super) mean: Network,
    pub(super) square: Network,
    pub(super) bag_mean: Array2<f32>,
    pub(super) bag_square: Array2<f32>,
    pub(super) meaning_mean: Array2<f32>,
    pub(super) meaning_square: Array2<f32>,
    /// How often each row was updated.
    pub(super) touched: Vec<u32>,
}

impl Adam {
    /// Creates the state for a network of `size` tokens and `rows` feature rows.
    pub(super) fn new(size: usize, rows: usize) -> Self {
        Self {
            steps: 0,
            mean: Network::zeros(size),
            square: Network::zeros(size),
            bag_mean: Array2::zeros((rows, WIDTH)),
            bag_square: Array2::zeros((rows, WIDTH)),
            meaning_mean: Array2::zeros((sentence::WIDTH, WIDTH)),
            meaning_square: Array2::zeros((sentence::WIDTH, WIDTH)),
            touched: vec![0; rows],
        }
    }

    /// Updates the network by its gradient.
    pub(super) fn network(&mut self, rate: f32, network: &mut Network, gradient: &Network) {
        self.steps += 1;
        let corrections = bias_corrections(self.steps);
        let state = self.mean.parts_mut().into_iter().zip(self.square.parts_mut());
        for ((weights, gradient), memory) in network.parts_mut().into_iter().zip(gradient.parts()).zip(state) {
            shift(rate, corrections, weights, gradient, memory);
        }
    }

    /// Updates the matrix of the sentence vector by its gradient; call it after `network`, whose step count it
    /// shares.
    pub(super) fn meaning(&mut self, rate: f32, bag: &mut Bag, gradient: &Array2<f32>) {
        let memory = (flat_mut(&mut self.meaning_mean), flat_mut(&mut self.meaning_square));
        let gradient = flat(gradient);
        shift(rate * MEANING, bias_corrections(self.steps), flat_mut(&mut bag.meaning), gradient, memory);
    }

    /// Updates one feature row by its gradient.
    pub(super) fn row(&mut self, rate: f32, bag: &mut Bag, row: usize, gradient: &[f32]) {
        self.touched[row] += 1;
        let own = row * WIDTH..(row + 1) * WIDTH;
        let memory = (&mut flat_mut(&mut self.bag_mean)[own.clone()], &mut flat_mut(&mut self.bag_square)[own.clone()]);
        shift(rate * BAG, bias_corrections(self.touched[row]), &mut flat_mut(&mut bag.rows)[own], gradient, memory);
    }
}

/// Updates `weights` by their gradient and the optimiser's state for them.
fn shift(
    rate: f32,
    (mean_correction, square_correction): (f32, f32),
    weights: &mut [f32],
    gradient: &[f32],
    (mean, square): (&mut [f32], &mut [f32]),
) {
    let count = weights.len();
    let (gradient, mean, square, mut at) = (&gradient[..count], &mut mean[..count], &mut square[..count], 0);
    // By index, as in `numbers`.
    while at < count {
        let g = gradient[at];
        mean[at] = MEAN * mean[at] + (1.0 - MEAN) * g;
        square[at] = SQUARE * square[at] + (1.0 - SQUARE) * g * g;
        let step = mean[at] / mean_correction / ((square[at] / square_correction).sqrt() + 1e-8);
        weights[at] -= rate * (step + DECAY * weights[at]);
        at += 1;
    }
}

/// Returns the bias corrections of the two moments after `steps`.
fn bias_corrections(steps: u32) -> (f32, f32) {
    let steps = steps.min(i32::MAX as u32) as i32;
    (1.0 - MEAN.powi(steps), 1.0 - SQUARE.powi(steps))
}
