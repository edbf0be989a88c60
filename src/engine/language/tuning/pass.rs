//! Forward and backward pass: losses of places, and the gradient of every weight.
//!
//! Places are divided into lanes, whose number depends only on the number of places, and the lanes are summed in order:
//! so the result does not depend on the number of threads.

use std::collections::BTreeMap;

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayView2, Axis};
use rayon::prelude::*;

use super::super::network::{INPUT, Network, SEEN, WIDTH, WINDOW};
use super::places::{Places, TargetToken};
use crate::engine::numbers::{add_scaled, flat, flat_mut, fold, map_in_place};
use crate::engine::sentence;

const LANES: usize = 4;
/// Places for which a lane of its own pays off.
const LEAST: usize = 24;
/// Places that a lane computes at once: limits its memory, and the time between two calls of `busy`.
const AT_ONCE: usize = 64;

/// Result at a place.
#[derive(Clone, Copy)]
pub(super) struct TokenScore {
    /// In nats, not weighted.
    pub(super) loss: f32,
    /// Whether the target is the likeliest token.
    pub(super) right: bool,
}

/// The gradients summed by one lane.
pub(super) struct GradientLane {
    pub(super) network: Network,
    /// A row for each view: its pooled embeddings, then its features.
    pub(super) views: Array2<f32>,
}

impl GradientLane {
    pub(super) fn new(size: usize) -> Self {
        Self { network: Network::zeros(size), views: Array2::zeros((0, 2 * WIDTH)) }
    }

    fn clear(&mut self) {
        self.network.parts_mut().into_iter().for_each(|part| part.fill(0.0));
    }

    fn add(&mut self, other: &Self) {
        for (to, from) in self.network.parts_mut().into_iter().zip(other.network.parts()) {
            add_scaled(to, from, 1.0);
        }
        self.views += &other.views;
    }
}

/// Sums of gradients over places, in lanes.
pub(super) struct Gradients<'a> {
    /// The first one holds the sum afterwards.
    pub(super) lanes: &'a mut Vec<GradientLane>,
    /// Factor on each place's gradient.
    pub(super) scale: f32,
    /// Whether to add to the present content of the first lane's network.
    pub(super) more: bool,
}

/// Scores all places and, with `gradients`, computes those. `busy` is called now and then; `None` if it returns false.
pub(super) fn run(
    threads: &rayon::ThreadPool,
    network: &Network,
    places: &Places,
    mut gradients: Option<Gradients<'_>>,
    busy: &mut dyn FnMut() -> bool,
) -> Option<Vec<TokenScore>> {
    let count = places.list.len().div_ceil(LEAST).clamp(1, LANES);
    if let Some(Gradients { lanes, more, .. }) = &mut gradients {
        lanes.resize_with(count.max(lanes.len()), || GradientLane::new(network.output_bias.len()));
        let kept = usize::from(*more);
        threads.install(|| lanes[kept..].par_iter_mut().for_each(GradientLane::clear));
        lanes[..count].iter_mut().for_each(|lane| lane.views = Array2::zeros((places.views.len(), 2 * WIDTH)));
    }
    let mut judged = Vec::with_capacity(places.list.len());
    for round in places.list.chunks(count * AT_ONCE) {
        let share = round.len().div_ceil(count);
        let parts: Vec<Vec<TokenScore>> = threads.install(|| match &mut gradients {
            Some(Gradients { lanes, scale, .. }) => {
                let work = lanes[..count].par_iter_mut().zip(round.par_chunks(share));
                work.map(|(lane, part)| pass(network, part, places, Some((lane, *scale)))).collect()
            }
            None => round.par_chunks(share).map(|part| pass(network, part, places, None)).collect(),
        });
        judged.extend(parts.into_iter().flatten());
        if !busy() {
            return None;
        }
    }
    if let Some(Gradients { lanes, .. }) = gradients
        && let Some((first, others)) = lanes[..count].split_first_mut()
    {
        for lane in others.iter() {
            first.add(lane);
        }
    }
    Some(judged)
}

fn pass(
    network: &Network,
    part: &[TargetToken],
    places: &Places,
    lane: Option<(&mut GradientLane, f32)>,
) -> Vec<TokenScore> {
    let mut inputs = Array2::zeros((part.len(), INPUT));
    for (place, mut row) in part.iter().zip(inputs.axis_iter_mut(Axis(0))) {
        if let Some(row) = row.as_slice_mut() {
            network.fill(row, &place.window, 0, &places.views[place.view].vector);
        }
    }
    let (hidden, projected) = network.forward(inputs.view());
    let mut gradient = network.distributions(&projected);
    let activations = Activations { inputs, hidden, projected };
    let scale = lane.as_ref().map_or(0.0, |(_, scale)| *scale);
    let judged = part.iter().zip(gradient.axis_iter_mut(Axis(0))).map(|(place, mut row)| {
        let target = usize::from(place.target);
        let row = flat_mut(&mut row);
        let p = row[target];
        let right = fold(row, p, f32::max) <= p;
        row[target] -= 1.0;
        map_in_place(row, |x| x * (place.weight * scale));
        TokenScore { loss: -p.max(1e-30).ln(), right }
    });
    let judged = judged.collect();
    if let Some((lane, _)) = lane {
        backward(network, part, &activations, &gradient, lane);
    }
    judged
}

/// Outputs of the network's layers for a part of the places, a row each.
struct Activations {
    inputs: Array2<f32>,
    hidden: Array2<f32>,
    projected: Array2<f32>,
}

/// Computes the gradient of every weight, from the gradient of the distributions' logits.
fn backward(
    network: &Network,
    part: &[TargetToken],
    activations: &Activations,
    gradient: &Array2<f32>,
    lane: &mut GradientLane,
) {
    let Activations { inputs, hidden, projected } = activations;
    let own = &mut lane.network;
    let sum = |a: ArrayView2<f32>, b: ArrayView2<f32>, to: &mut Array2<f32>| general_mat_mul(1.0, &a, &b, 1.0, to);
    own.output_bias += &gradient.sum_axis(Axis(0));
    sum(gradient.t(), projected.view(), &mut own.embedding);
    let outward = gradient.dot(&network.embedding);
    sum(hidden.t(), outward.view(), &mut own.into_width);
    let inward = outward.dot(&network.into_width.t()) * hidden.mapv(|h| 1.0 - h * h);
    own.hidden_bias += &inward.sum_axis(Axis(0));
    let (seen, _) = inputs.view().split_at(Axis(1), SEEN);
    sum(seen.t(), inward.view(), &mut own.into_hidden);
    let inward = inward.dot(&network.into_hidden.t());
    for ((place, inward), outward) in part.iter().zip(inward.rows()).zip(outward.rows()) {
        let (window, pooled) = flat(&inward).split_at(WINDOW * WIDTH);
        for (slot, part) in place.window.iter().zip(window.chunks(WIDTH)) {
            add_scaled(flat_mut(&mut own.embedding.row_mut(usize::from(*slot))), part, 1.0);
        }
        if place.teaches_view {
            let mut view = lane.views.row_mut(place.view);
            let (of_pooled, of_features) = flat_mut(&mut view).split_at_mut(WIDTH);
            add_scaled(of_pooled, pooled, 1.0);
            add_scaled(of_features, flat(&outward), 1.0);
        }
    }
}

/// The gradients of the features.
pub(super) struct BagGradients {
    /// By row; of those that have a gradient.
    pub(super) rows: BTreeMap<u16, [f32; WIDTH]>,
    pub(super) meaning: Array2<f32>,
}

impl BagGradients {
    pub(super) fn new() -> Self {
        Self { rows: BTreeMap::new(), meaning: Array2::zeros((sentence::WIDTH, WIDTH)) }
    }
}

/// Distributes the views' gradients to the embeddings they pool, and adds those of the features to `bag`.
pub(super) fn distribute(lane: &mut GradientLane, places: &Places, bag: &mut BagGradients) {
    let GradientLane { network, views } = lane;
    for (view, gradient) in places.views.iter().zip(views.rows()) {
        if gradient.iter().all(|x| *x == 0.0) {
            continue;
        }
        let share = 1.0 / view.slots.len().max(1) as f32;
        let (of_pooled, of_features) = flat(&gradient).split_at(WIDTH);
        for slot in &view.slots {
            add_scaled(flat_mut(&mut network.embedding.row_mut(usize::from(*slot))), of_pooled, share);
        }
        for (row, share) in &view.features {
            add_scaled(bag.rows.entry(*row).or_insert([0.0; WIDTH]), of_features, *share);
        }
        for (number, mut sum) in view.meaning.iter().zip(bag.meaning.rows_mut()) {
            add_scaled(flat_mut(&mut sum), of_features, *number);
        }
    }
}
