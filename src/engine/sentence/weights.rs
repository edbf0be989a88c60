//! The file of weights: written by [`quantize`], read piece by piece with [`WeightReader`]. All numbers are
//! little-endian.
//!
//! 1. Bytes of the vocabulary (`u32`), and the vocabulary: a piece a line.
//! 2. A row of [`WIDTH`] `i8` for each piece, then the scale of each row (`f32`).
//! 3. Vectors of places, with that of a first sentence added to each ([`WINDOW`] rows of `f32`), and a norm.
//! 4. For each layer four linear maps (query, key and value in one; out; up; down) and two norms. A linear map is its
//!    rows of `i8`, the scale of each row and a bias for each (`f32`); a norm is its weights and its bias (`f32`).

use super::{WIDTH, WINDOW};
use crate::engine::numbers::take_floats;

/// Layers of the model.
pub(super) const LAYERS: usize = 6;
/// Numbers within a layer.
pub(super) const INNER: usize = 4 * WIDTH;
/// The largest weight of a row becomes this.
const MOST: f32 = 127.0;

/// Reads the file from its beginning to its end. Panics where the file is not what `quantize` writes.
pub(super) struct WeightReader(&'static [u8]);

impl WeightReader {
    pub(super) fn new(file: &'static [u8]) -> Self {
        Self(file)
    }

    pub(super) fn bytes(&mut self, count: usize) -> &'static [u8] {
        let (bytes, rest) = self.0.split_at(count);
        self.0 = rest;
        bytes
    }

    pub(super) fn floats(&mut self, count: usize) -> Vec<f32> {
        let mut floats = vec![0.0; count];
        take_floats(&mut self.0, &mut floats).expect("weights that the file holds");
        floats
    }

    pub(super) fn vocabulary(&mut self) -> &'static str {
        let (length, _) = self.bytes(4).as_chunks();
        let length = u32::from_le_bytes(length[0]);
        str::from_utf8(self.bytes(length as usize)).expect("a vocabulary of UTF-8")
    }

    pub(super) fn is_done(&self) -> bool {
        self.0.is_empty()
    }
}

/// The published weights: a tensor by its name, its rows one behind the other.
pub type Tensors<'a> = &'a dyn Fn(&str) -> Vec<f32>;

/// Writes the weights file from the published weights.
pub fn quantize(vocabulary: &[String], tensors: Tensors<'_>) -> Vec<u8> {
    let mut file = Vec::new();
    let text = vocabulary.join("\n");
    file.extend((text.len() as u32).to_le_bytes());
    file.extend(text.as_bytes());
    rows(&mut file, &tensors("embeddings.word_embeddings.weight"), WIDTH);
    let first = tensors("embeddings.token_type_embeddings.weight");
    let places = tensors("embeddings.position_embeddings.weight");
    let places = places.chunks(WIDTH).take(WINDOW).flat_map(|place| place.iter().zip(&first).map(|(a, b)| a + b));
    floats(&mut file, places);
    norm(&mut file, "embeddings.LayerNorm", tensors);
    for layer in 0..LAYERS {
        let of = |name: &str| format!("encoder.layer.{layer}.{name}");
        let attention = ["query", "key", "value"].map(|part| of(&format!("attention.self.{part}")));
        linear(&mut file, &attention, WIDTH, tensors);
        linear(&mut file, &[of("attention.output.dense")], WIDTH, tensors);
        linear(&mut file, &[of("intermediate.dense")], WIDTH, tensors);
        linear(&mut file, &[of("output.dense")], INNER, tensors);
        norm(&mut file, &of("attention.output.LayerNorm"), tensors);
        norm(&mut file, &of("output.LayerNorm"), tensors);
    }
    file
}

fn linear(file: &mut Vec<u8>, names: &[String], inputs: usize, tensors: Tensors<'_>) {
    let all = |what: &str| -> Vec<f32> { names.iter().flat_map(|name| tensors(&format!("{name}.{what}"))).collect() };
    rows(file, &all("weight"), inputs);
    floats(file, all("bias"));
}

fn norm(file: &mut Vec<u8>, name: &str, tensors: Tensors<'_>) {
    floats(file, tensors(&format!("{name}.weight")));
    floats(file, tensors(&format!("{name}.bias")));
}

fn rows(file: &mut Vec<u8>, weights: &[f32], width: usize) {
    let largest = |row: &[f32]| row.iter().fold(f32::MIN_POSITIVE, |largest, weight| largest.max(weight.abs()));
    let scales: Vec<f32> = weights.chunks(width).map(|row| largest(row) / MOST).collect();
    for (row, scale) in weights.chunks(width).zip(&scales) {
        file.extend(row.iter().map(|weight| (weight / scale).round() as i8 as u8));
    }
    floats(file, scales);
}

fn floats(file: &mut Vec<u8>, numbers: impl IntoIterator<Item = f32>) {
    file.extend(numbers.into_iter().flat_map(f32::to_le_bytes));
}
