//! Rows of `f32`, and their form in files of weights and in base64 answers: four bytes each, little-endian.
//!
//! The loops go by index: without optimisation, as in tests, iterators take five to eight times as long.

use bytemuck::{cast_slice, cast_slice_mut};
use ndarray::{ArrayRef, Dimension};

/// Returns all numbers of an array, row by row. Panics where they are not in this order in memory.
pub(crate) fn flat<D: Dimension>(array: &ArrayRef<f32, D>) -> &[f32] {
    array.as_slice().expect("an array that is stored row by row")
}

/// Does what [`flat`] does, for changing them.
pub(crate) fn flat_mut<D: Dimension>(array: &mut ArrayRef<f32, D>) -> &mut [f32] {
    array.as_slice_mut().expect("an array that is stored row by row")
}

/// Adds another row times `factor`. Panics if the other one is shorter.
pub(crate) fn add_scaled(to: &mut [f32], other: &[f32], factor: f32) {
    let (other, mut at) = (&other[..to.len()], 0);
    while at < to.len() {
        to[at] += other[at] * factor;
        at += 1;
    }
}

/// Replaces each number.
pub(crate) fn map_in_place(numbers: &mut [f32], by: impl Fn(f32) -> f32) {
    let mut at = 0;
    while at < numbers.len() {
        numbers[at] = by(numbers[at]);
        at += 1;
    }
}

/// Returns the result of combining the numbers one after another.
pub(crate) fn fold<T: Copy>(numbers: &[f32], start: T, combine: impl Fn(T, f32) -> T) -> T {
    let (mut result, mut at) = (start, 0);
    while at < numbers.len() {
        result = combine(result, numbers[at]);
        at += 1;
    }
    result
}

/// Appends numbers to `bytes`.
pub(crate) fn append_floats(bytes: &mut Vec<u8>, numbers: &[f32]) {
    let from = bytes.len();
    bytes.extend_from_slice(cast_slice(numbers));
    swap_where_needed(&mut bytes[from..]);
}

/// Fills `numbers` from the beginning of `bytes` and shortens `bytes` by what was read. Returns `None`, and changes
/// nothing, if `bytes` is too short.
pub(crate) fn take_floats(bytes: &mut &[u8], numbers: &mut [f32]) -> Option<()> {
    let (own, rest) = bytes.split_at_checked(size_of_val(numbers))?;
    let to: &mut [u8] = cast_slice_mut(numbers);
    to.copy_from_slice(own);
    swap_where_needed(to);
    *bytes = rest;
    Some(())
}

/// Changes between this machine's byte order and little-endian.
fn swap_where_needed(numbers: &mut [u8]) {
    if cfg!(target_endian = "big") {
        numbers.as_chunks_mut::<4>().0.iter_mut().for_each(|four| four.reverse());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_little_endian_and_come_back() {
        let mut bytes = vec![7];
        append_floats(&mut bytes, &[1.0, -0.5]);
        assert_eq!(bytes, [7, 0, 0, 0x80, 0x3f, 0, 0, 0, 0xbf]);
        let (mut rest, mut numbers) = (&bytes[1..], [0.0; 2]);
        assert!(take_floats(&mut rest, &mut numbers).is_some() && rest.is_empty());
        assert_eq!(numbers.map(f32::to_bits), [1.0_f32, -0.5].map(f32::to_bits));
        assert!(take_floats(&mut &bytes[2..], &mut numbers).is_none(), "it is too short");
    }
}
