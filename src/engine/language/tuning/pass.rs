//! Forward and backward pass: losses of places, and the gradient of every weight.
//!
//! Places are divided into lanes, whose number depends only on the number of places, and the lanes are summed in order:
//! so the result does not depend on the number of threads.

use std::collections::BTreeMap;

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayView2, ArrayViewMut1, Axis};
use rayon::prelude::*;

use super::super::network::{INPUT, Network, SEEN, WIDTH, WINDOW};
use super::super::vocabulary::Slot;
use super::places::{Places, TargetToken};
use crate::engine::sentence;

const LANES: usize = 4;
/// Places for which a lane of its own pays off.
const LEAST: usize = 24;
/// Places that a lane computes at once: limits its memory, and the time between two calls of `busy`.
const AT_ONCE: usize = 64;

/// Result at a place.
#[derive(Clone, Copy)]
pub(super) struct Judged {
    /// In nats, not weighted.
    pub(super) loss: f32,
    /// Whether the target is the likeliest token.
    pub(super) right: bool,
}

/// The gradients summed by one lane.
pub(super) struct SlopeLane {
    pub(super) network: Network,
    /// A row for each view: its pooled embeddings, then its features.
    pub(super) views: Array2<f32>,
}

impl SlopeLane {
    pub(super) fn new(size: usize) -> Self {
        Self { network: Network::zeros(size), views: Array2::zeros((0, 2 * WIDTH)) }
    }

    fn clear(&mut self) {
        self.network.parts_mut().into_iter().for_each(|part| part.fill(0.0));
    }

    fn add(&mut self, other: &Self) {
        for (to, from) in self.network.parts_mut().into_iter().zip(other.network.parts()) {
            to.iter_mut().zip(from).for_each(|(a, b)| *a += b);
        }
        self.views += &other.views;
    }
}

/// Sums of gradients over places, in lanes.
pub(super) struct Slopes<'a> {
    /// The first one holds the sum afterwards.
    pub(super) lanes: &'a mut Vec<SlopeLane>,
    /// Factor on each place's gradient.
    pub(super) scale: f32,
    /// Whether to add to the present content of the first lane's network.
    pub(super) more: bool,
}

/// Scores all places and, with `slopes`, computes gradients. `busy` is called now and then; `None` if it returns false.
pub(super) fn run(
    threads: &rayon::ThreadPool,
    network: &Network,
    places: &Places,
    mut slopes: Option<Slopes<'_>>,
    busy: &mut dyn FnMut() -> bool,
) -> Option<Vec<Judged>> {
    let count = places.list.len().div_ceil(LEAST).clamp(1, LANES);
    if let Some(Slopes { lanes, more, .. }) = &mut slopes {
        lanes.resize_with(count.max(lanes.len()), || SlopeLane::new(network.output_bias.len()));
        let kept = usize::from(*more);
        threads.install(|| lanes[kept..].par_iter_mut().for_each(SlopeLane::clear));
        lanes[..count].iter_mut().for_each(|lane| lane.views = Array2::zeros((places.views.len(), 2 * WIDTH)));
    }
    let mut judged = Vec::with_capacity(places.list.len());
    for round in places.list.chunks(count * AT_ONCE) {
        let share = round.len().div_ceil(count);
        let parts: Vec<Vec<Judged>> = threads.install(|| match &mut slopes {
            Some(Slopes { lanes, scale, .. }) => {
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
    if let Some(Slopes { lanes, .. }) = slopes
        && let Some((first, others)) = lanes[..count].split_first_mut()
    {
        for lane in others.iter() {
            first.add(lane);
        }
    }
    Some(judged)
}

fn pass(network: &Network, part: &[TargetToken], places: &Places, lane: Option<(&mut SlopeLane, f32)>) -> Vec<Judged> {
    let mut inputs = Array2::zeros((part.len(), INPUT));
    for (place, mut row) in part.iter().zip(inputs.axis_iter_mut(Axis(0))) {
        if let Some(row) = row.as_slice_mut() {
            network.fill(row, &place.window, 0, &places.views[place.view].vector);
        }
    }
    let (hidden, projected) = network.forward(inputs.view());
    let mut slope = network.distributions(&projected);
    let activations = Activations { inputs, hidden, projected };
    let scale = lane.as_ref().map_or(0.0, |(_, scale)| *scale);
    let judged = part.iter().zip(slope.axis_iter_mut(Axis(0))).map(|(place, mut row)| {
        let target = usize::from(place.target);
        let p = row[target];
        let right = row.iter().all(|other| *other <= p);
        row[target] -= 1.0;
        row *= place.weight * scale;
        Judged { loss: -p.max(1e-30).ln(), right }
    });
    let judged = judged.collect();
    if let Some((lane, _)) = lane {
        back(network, part, &activations, &slope, lane);
    }
    judged
}

fn add<'a>(to: &mut ArrayViewMut1<f32>, from: impl Iterator<Item = &'a f32>, share: f32) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += from * share);
}

/// Outputs of the network's layers for a part of the places, a row each.
struct Activations {
    inputs: Array2<f32>,
    hidden: Array2<f32>,
    projected: Array2<f32>,
}

/// Computes the gradient of every weight, from the gradient of the distributions' logits.
fn back(network: &Network, part: &[TargetToken], activations: &Activations, slope: &Array2<f32>, lane: &mut SlopeLane) {
    let Activations { inputs, hidden, projected } = activations;
    let own = &mut lane.network;
    let sum = |a: ArrayView2<f32>, b: ArrayView2<f32>, to: &mut Array2<f32>| general_mat_mul(1.0, &a, &b, 1.0, to);
    own.output_bias += &slope.sum_axis(Axis(0));
    sum(slope.t(), projected.view(), &mut own.embedding);
    let outward = slope.dot(&network.embedding);
    sum(hidden.t(), outward.view(), &mut own.into_width);
    let inward = outward.dot(&network.into_width.t()) * hidden.mapv(|h| 1.0 - h * h);
    own.hidden_bias += &inward.sum_axis(Axis(0));
    let (seen, _) = inputs.view().split_at(Axis(1), SEEN);
    sum(seen.t(), inward.view(), &mut own.into_hidden);
    let inward = inward.dot(&network.into_hidden.t());
    for ((place, inward), outward) in part.iter().zip(inward.rows()).zip(outward.rows()) {
        for (i, slot) in place.window.iter().enumerate() {
            let mut row = own.embedding.row_mut(usize::from(*slot));
            add(&mut row, inward.iter().skip(i * WIDTH).take(WIDTH), 1.0);
        }
        if place.teaches_view {
            let slope = inward.iter().skip(WINDOW * WIDTH).chain(outward.iter());
            add(&mut lane.views.row_mut(place.view), slope, 1.0);
        }
    }
}

/// The gradients of the features.
pub(super) struct BagSlopes {
    /// By row; of those that have a gradient.
    pub(super) rows: BTreeMap<u16, [f32; WIDTH]>,
    pub(super) meaning: Array2<f32>,
}

impl BagSlopes {
    pub(super) fn new() -> Self {
        Self { rows: BTreeMap::new(), meaning: Array2::zeros((sentence::WIDTH, WIDTH)) }
    }
}

/// Distributes the views' gradients to the embeddings they pool, and adds those of the features to `bag`.
pub(super) fn settle(lane: &mut SlopeLane, places: &Places, bag: &mut BagSlopes) {
    let SlopeLane { network, views } = lane;
    for (view, slope) in places.views.iter().zip(views.rows()) {
        if slope.iter().all(|x| *x == 0.0) {
            continue;
        }
        let share = 1.0 / view.slots.len().max(1) as f32;
        let pooled = || slope.iter().take(WIDTH);
        let give = |slot: &Slot| add(&mut network.embedding.row_mut(usize::from(*slot)), pooled(), share);
        view.slots.iter().for_each(give);
        for (row, share) in &view.features {
            let sum = bag.rows.entry(*row).or_insert([0.0; WIDTH]);
            sum.iter_mut().zip(slope.iter().skip(WIDTH)).for_each(|(to, from)| *to += from * share);
        }
        for (number, mut sum) in view.meaning.iter().zip(bag.meaning.rows_mut()) {
            add(&mut sum, slope.iter().skip(WIDTH), *number);
        }
    }
}
