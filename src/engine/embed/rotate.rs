//! Maps a vector to a longer one by a fixed matrix with orthonormal columns, so that lengths and angles are preserved.
//! Each number of the result depends on all numbers of the vector, so that a part of the result nearly preserves the
//! angles.

use super::project::mix;
use crate::engine::numbers::map_in_place;

/// Step by which the numbers of the transformed vector are permuted: no size has this factor.
const STRIDE: usize = 389;

/// Maps `vector` to `size` numbers: a power of two, or three times one, and no fewer than it has.
pub(super) fn rotate(vector: &[f32], size: usize, seed: u64) -> Vec<f32> {
    let mut wide = vec![0.0; size];
    for (at, number) in vector.iter().enumerate() {
        let sign = mix(seed ^ (at as u64) << 32) & 1 == 0;
        wide[at * size / vector.len()] = if sign { *number } else { -number };
    }
    if size.is_multiple_of(3) {
        let (first, rest) = wide.split_at_mut(size / 3);
        let (second, third) = rest.split_at_mut(size / 3);
        let (all, two, one) = (3.0_f32.sqrt().recip(), 2.0_f32.sqrt().recip(), 6.0_f32.sqrt().recip());
        for ((a, b), c) in first.iter_mut().zip(second).zip(third) {
            (*a, *b, *c) = ((*a + *b + *c) * all, (*a - *b) * two, (*a + *b - 2.0 * *c) * one);
        }
        wide.chunks_mut(size / 3).for_each(hadamard);
    } else {
        hadamard(&mut wide);
    }
    (0..size).map(|at| wide[at * STRIDE % size]).collect()
}

/// Applies the Walsh-Hadamard transform, scaled so that it preserves lengths.
fn hadamard(numbers: &mut [f32]) {
    let mut half = 1;
    while half < numbers.len() {
        for pair in numbers.chunks_mut(2 * half) {
            let (low, high) = pair.split_at_mut(half);
            let (high, mut at) = (&mut high[..half], 0);
            while at < half {
                (low[at], high[at]) = (low[at] + high[at], low[at] - high[at]);
                at += 1;
            }
        }
        half *= 2;
    }
    let scale = (numbers.len() as f32).sqrt().recip();
    map_in_place(numbers, |number| number * scale);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::embed::cosine_similarity;

    #[test]
    fn angles_stay_in_every_size_and_nearly_in_a_part() {
        let draw =
            |from: u64| -> Vec<f32> { (0..384).map(|at| mix(from + at) as f32 / u64::MAX as f32 - 0.3).collect() };
        let (a, b) = (draw(1), draw(1_000));
        for size in [1024, 1536, 2048, 3072, 4096, 12_288] {
            let (long_a, long_b) = (rotate(&a, size, 3), rotate(&b, size, 3));
            let off = cosine_similarity(&long_a, &long_b) / cosine_similarity(&a, &b) - 1.0;
            assert!(off.abs() < 1e-4, "{size}: {off}");
            assert_ne!(rotate(&a, size, 4), long_a, "each seed has its own");
            let part = |vector: &[f32]| cosine_similarity(&vector[..512], &vector[..512]) * size as f32 / 512.0;
            assert!((part(&long_a) / cosine_similarity(&a, &a) - 1.0).abs() < 0.25, "{size}: {}", part(&long_a));
        }
    }
}
