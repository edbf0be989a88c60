//! Seeded random numbers: the same seed draws the same tokens.

use std::hash::{BuildHasher, RandomState};

/// A small repeatable generator (the SplitMix64 sequence).
pub(super) struct Rng(u64);

impl Rng {
    /// Creates a generator; the same seed gives the same sequence, `None` a random one.
    pub(super) fn new(seed: Option<u64>) -> Self {
        Self(seed.unwrap_or_else(|| RandomState::new().hash_one(0)))
    }

    /// Returns a uniformly distributed number in `0..1`.
    pub(super) fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 40) as f32 / (1_u64 << 24) as f32
    }

    /// Draws an index by weight, from the likeliest that together reach `top_p` of the sum; `None` if there is no
    /// weight.
    pub(super) fn draw(&mut self, weights: &[f32], top_p: f32) -> Option<usize> {
        if top_p < 1.0 {
            let kept = nucleus(weights, top_p);
            let drawn = self.by_weight(kept.iter().map(|i| weights[*i]))?;
            return Some(kept[drawn]);
        }
        self.by_weight(weights.iter().copied())
    }

    fn by_weight(&mut self, weights: impl Iterator<Item = f32> + Clone) -> Option<usize> {
        let mut left = self.next() * weights.clone().sum::<f32>();
        weights.enumerate().find_map(|(i, weight)| {
            left -= weight;
            (left < 0.0).then_some(i)
        })
    }
}

/// Returns the likeliest indexes that together reach `top_p` of the sum, ascending.
fn nucleus(weights: &[f32], top_p: f32) -> Vec<usize> {
    let total: f32 = weights.iter().sum();
    let enough = top_p * total;
    // All weights below this together are less than what may be left out, so none of them is needed.
    let faint = (total - enough) / weights.len().max(1) as f32;
    let mut order: Vec<usize> = (0..weights.len()).filter(|i| weights[*i] > 0.0 && weights[*i] >= faint).collect();
    order.sort_unstable_by(|a, b| weights[*b].total_cmp(&weights[*a]).then(a.cmp(b)));
    let mut mass = 0.0;
    let inside = order.iter().position(|i| {
        mass += weights[*i];
        mass >= enough
    });
    order.truncate(inside.map_or(order.len(), |last| last + 1));
    order.sort_unstable();
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nucleus_is_the_fewest_that_reach_the_mass() {
        let weights = [0.1, 0.4, 0.0, 0.3, 0.2];
        assert_eq!(nucleus(&weights, 0.0), [1]);
        assert_eq!(nucleus(&weights, 0.5), [1, 3]);
        assert_eq!(nucleus(&weights, 0.999), [0, 1, 3, 4]);
    }

    #[test]
    fn draws_follow_the_weights() {
        let mut rng = Rng::new(Some(1));
        let mut drawn = [0; 3];
        for _ in 0..3000 {
            drawn[rng.draw(&[1.0, 0.0, 3.0], 1.0).expect("weights")] += 1;
        }
        assert_eq!(drawn[1], 0);
        assert!((drawn[2] as f32 / 3000.0 - 0.75).abs() < 0.05, "{drawn:?}");
        assert_eq!(rng.draw(&[0.0], 1.0), None);
    }
}
