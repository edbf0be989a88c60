//! Projects weighted features onto a vector: each feature has a few places and signs of its own, derived from its name
//! and the space's seed. Angles between sums are preserved up to noise that falls with the vector's length.

/// A feature's name, hashed, and its weight.
pub(super) type Feature = (u64, f32);

/// Places of a feature. More means less noise and more time.
const PLACES: u64 = 12;

/// Projects features onto a vector of `size` numbers, normalised to length 1.
pub(super) fn spread(features: &[Feature], size: usize, seed: u64) -> Vec<f32> {
    let mut vector = vec![0.0_f32; size];
    for (name, weight) in features {
        let mut draw = mix(name ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        for _ in 0..PLACES {
            draw = mix(draw);
            let place = ((draw >> 32) * size as u64) >> 32;
            vector[place as usize] += if draw & 1 == 0 { *weight } else { -weight };
        }
    }
    super::unit(&mut vector);
    vector
}

/// Returns the hash that names a word.
pub(super) fn name(word: &str) -> u64 {
    // FNV-1a, then mixed: names that differ in one letter must get unrelated places.
    mix(word.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)))
}

/// Hashes a number; every bit of the result depends on every bit of it.
pub(super) fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_are_kept() {
        let features = |from: u8, to: u8| (from..to).map(|n| (name(&n.to_string()), 1.0)).collect::<Vec<_>>();
        let near = |a: &[Feature], b: &[Feature]| {
            let (a, b) = (spread(a, 1536, 7), spread(b, 1536, 7));
            a.iter().zip(&b).map(|(a, b)| a * b).sum::<f32>()
        };
        assert!((near(&features(0, 40), &features(20, 60)) - 0.5).abs() < 0.1);
        assert!(near(&features(0, 40), &features(40, 80)).abs() < 0.1);
        assert!((near(&features(0, 40), &features(0, 40)) - 1.0).abs() < 1e-5);
    }

    #[test]
    fn nothing_still_has_a_direction() {
        let vector = spread(&[], 10, 1);
        assert!((vector.iter().map(|n| n * n).sum::<f32>() - 1.0).abs() < 1e-6);
    }
}
