//! Scores and flags as they are stored: compact and exact to the last bit, as there are millions of them.
//!
//! A score is 8 bytes, little-endian; a missing one is a bit pattern that no arithmetic produces. A flag is a byte: 0
//! no, 1 yes, 2 missing.

/// No score: a NaN, but not the one that arithmetic gives.
const NONE: [u8; 8] = [0xff; 8];

/// Encodes scores as bytes.
pub(super) fn scores(scores: &[Option<f64>]) -> Vec<u8> {
    let bytes = |score: &Option<f64>| match score {
        None => NONE,
        Some(score) if score.is_nan() => f64::NAN.to_le_bytes(),
        Some(score) => score.to_le_bytes(),
    };
    scores.iter().flat_map(bytes).collect()
}

/// Decodes what [`scores`] returned.
pub(super) fn read_scores(bytes: &[u8]) -> Box<[Option<f64>]> {
    let (scores, _) = bytes.as_chunks::<8>();
    scores.iter().map(|score| (*score != NONE).then(|| f64::from_le_bytes(*score))).collect()
}

/// Encodes flags as bytes.
pub(super) fn flags(flags: &[Option<bool>]) -> Vec<u8> {
    flags.iter().map(|flag| flag.map_or(2, u8::from)).collect()
}

/// Decodes what [`flags`] returned.
pub(super) fn read_flags(bytes: &[u8]) -> Box<[Option<bool>]> {
    let flag = |byte: &u8| match byte {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    };
    bytes.iter().map(flag).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_and_flags_come_back_to_the_last_bit() {
        let all = [None, Some(0.0), Some(-0.0), Some(0.1 + 0.2), Some(1.0), Some(5e-324), Some(f64::INFINITY), None];
        let back = read_scores(&scores(&all));
        assert_eq!(back.len(), all.len());
        for (back, score) in back.iter().zip(all) {
            assert_eq!(back.map(f64::to_bits), score.map(f64::to_bits));
        }
        let none = f64::from_le_bytes(NONE);
        assert!(read_scores(&scores(&[Some(none), Some(f64::NAN)])).iter().all(|score| score.unwrap().is_nan()));
        let all = [None, Some(true), Some(false)];
        assert_eq!(*read_flags(&flags(&all)), all);
        assert!(read_scores(&[]).is_empty() && read_flags(&[]).is_empty());
        assert_eq!(read_scores(&[1; 12]).len(), 1);
    }
}
