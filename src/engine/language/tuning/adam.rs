//! Adam: for the network all at once, for the bag only the rows that a step touched.

use ndarray::Array2;

use super::super::network::{Network, WIDTH};
use super::bag::{Bag, ROWS};

const MEAN: f32 = 0.9;
const SQUARE: f32 = 0.999;
/// Pulls weights to zero, as a share of the rate.
const DECAY: f32 = 0.01;
/// The bag learns faster than the network: a row is touched by few examples.
const BAG: f32 = 12.0;

/// The optimiser's memory.
#[derive(Clone)]
pub(super) struct Adam {
    pub(super) steps: u32,
    pub(super) mean: Network,
    pub(super) square: Network,
    pub(super) bag_mean: Array2<f32>,
    pub(super) bag_square: Array2<f32>,
    /// How often each row was touched.
    pub(super) touched: Vec<u32>,
}

impl Adam {
    pub(super) fn new(size: usize) -> Self {
        Self {
            steps: 0,
            mean: Network::zeros(size),
            square: Network::zeros(size),
            bag_mean: Array2::zeros((ROWS, WIDTH)),
            bag_square: Array2::zeros((ROWS, WIDTH)),
            touched: vec![0; ROWS],
        }
    }

    /// Moves the network against `slope`.
    pub(super) fn network(&mut self, rate: f32, network: &mut Network, slope: &Network) {
        self.steps += 1;
        let (fade, fade_square) = fades(self.steps);
        let state = self.mean.parts_mut().into_iter().zip(self.square.parts_mut());
        for ((weights, slope), (mean, square)) in network.parts_mut().into_iter().zip(slope.parts()).zip(state) {
            for (((w, g), m), s) in weights.iter_mut().zip(slope).zip(mean).zip(square) {
                *m = MEAN * *m + (1.0 - MEAN) * g;
                *s = SQUARE * *s + (1.0 - SQUARE) * g * g;
                *w -= rate * (*m / fade / ((*s / fade_square).sqrt() + 1e-8) + DECAY * *w);
            }
        }
    }

    /// Moves one row of the bag against `slope`.
    pub(super) fn row(&mut self, rate: f32, bag: &mut Bag, row: usize, slope: &[f32]) {
        self.touched[row] += 1;
        let (fade, fade_square) = fades(self.touched[row]);
        let state = self.bag_mean.row_mut(row).into_iter().zip(self.bag_square.row_mut(row));
        for ((w, g), (m, s)) in bag.rows.row_mut(row).iter_mut().zip(slope).zip(state) {
            *m = MEAN * *m + (1.0 - MEAN) * g;
            *s = SQUARE * *s + (1.0 - SQUARE) * g * g;
            *w -= rate * BAG * (*m / fade / ((*s / fade_square).sqrt() + 1e-8) + DECAY * *w);
        }
    }
}

/// What makes up for the memory's start at zero.
fn fades(steps: u32) -> (f32, f32) {
    let steps = steps.min(i32::MAX as u32) as i32;
    (1.0 - MEAN.powi(steps), 1.0 - SQUARE.powi(steps))
}
