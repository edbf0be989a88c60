//! The network: embeddings of the last 16 tokens and the mean of the prompt's, one hidden layer, one distribution.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::shipped::InvalidWeights;
use super::vocabulary::Slot;
use crate::engine::numbers::{add_scaled, append_floats, flat, flat_mut, fold, map_in_place, take_floats};

/// Tokens that it sees in order.
pub(super) const WINDOW: usize = 16;
/// Width of an embedding.
pub(super) const WIDTH: usize = 48;
/// Width of the hidden layer.
pub(super) const HIDDEN: usize = 224;
/// Input of the hidden layer: the window and the pooled prompt, concatenated.
pub(super) const SEEN: usize = (WINDOW + 1) * WIDTH;
/// The same, and the input that bypasses the hidden layer: the feature vector of a fine-tuned model.
pub(super) const INPUT: usize = SEEN + WIDTH;
/// Prompt tokens that are pooled, counted from the end.
pub(super) const POOL: usize = 1024;
const MAGIC: &[u8; 8] = b"BTOPLM01";
const WRONG_LENGTH: InvalidWeights = InvalidWeights("it has the wrong length");

/// The weights. The embedding serves input and output.
#[derive(Clone)]
pub(super) struct Network {
    pub(super) embedding: Array2<f32>,
    pub(super) into_hidden: Array2<f32>,
    pub(super) hidden_bias: Array1<f32>,
    pub(super) into_width: Array2<f32>,
    pub(super) output_bias: Array1<f32>,
}

impl Network {
    pub(super) fn zeros(size: usize) -> Self {
        Self {
            embedding: Array2::zeros((size, WIDTH)),
            into_hidden: Array2::zeros((SEEN, HIDDEN)),
            hidden_bias: Array1::zeros(HIDDEN),
            into_width: Array2::zeros((HIDDEN, WIDTH)),
            output_bias: Array1::zeros(size),
        }
    }

    /// Returns the network extended to `size` tokens: the new embeddings are zero, the new biases the mean of the
    /// others.
    pub(super) fn extended(&self, size: usize) -> Self {
        let mut network =
            Self { embedding: Array2::zeros((size, WIDTH)), output_bias: Array1::zeros(size), ..self.clone() };
        network.output_bias.fill(self.output_bias.mean().unwrap_or_default());
        for (to, from) in network.parts_mut().into_iter().zip(self.parts()) {
            to[..from.len()].copy_from_slice(from);
        }
        network
    }

    /// Returns all parameters as flat slices, always in the same order.
    pub(super) fn parts_mut(&mut self) -> [&mut [f32]; 5] {
        [
            flat_mut(&mut self.embedding),
            flat_mut(&mut self.into_hidden),
            flat_mut(&mut self.hidden_bias),
            flat_mut(&mut self.into_width),
            flat_mut(&mut self.output_bias),
        ]
    }

    pub(super) fn parts(&self) -> [&[f32]; 5] {
        [
            flat(&self.embedding),
            flat(&self.into_hidden),
            flat(&self.hidden_bias),
            flat(&self.into_width),
            flat(&self.output_bias),
        ]
    }

    pub(super) fn weights(&self) -> usize {
        self.parts().iter().map(|part| part.len()).sum()
    }

    /// Returns the mean embedding of a prompt's last [`POOL`] tokens; zero for none.
    pub(super) fn pool(&self, prompt: &[Slot]) -> Array1<f32> {
        let prompt = &prompt[prompt.len().saturating_sub(POOL)..];
        let mut mean = Array1::zeros(WIDTH);
        for slot in prompt {
            add_scaled(flat_mut(&mut mean), flat(&self.embedding.row(usize::from(*slot))), 1.0);
        }
        mean / prompt.len().max(1) as f32
    }

    /// Fills one input row: the window before a place, padded in front with `pad`, then the pooled prompt, with its
    /// features in a fine-tuned model.
    pub(super) fn fill(&self, row: &mut [f32], before: &[Slot], pad: Slot, pooled: &Array1<f32>) {
        for i in 0..WINDOW {
            let slot = (before.len() + i).checked_sub(WINDOW).map_or(pad, |at| before[at]);
            row[i * WIDTH..][..WIDTH].copy_from_slice(flat(&self.embedding.row(usize::from(slot))));
        }
        row[WINDOW * WIDTH..][..pooled.len()].copy_from_slice(flat(pooled));
    }

    /// Computes the hidden layer and its projection for rows of inputs; the features are added to the latter.
    pub(super) fn forward(&self, inputs: ArrayView2<f32>) -> (Array2<f32>, Array2<f32>) {
        let (seen, past) = inputs.split_at(Axis(1), SEEN);
        let mut hidden = seen.dot(&self.into_hidden);
        for mut row in hidden.rows_mut() {
            let row = flat_mut(&mut row);
            add_scaled(row, flat(&self.hidden_bias), 1.0);
            map_in_place(row, f32::tanh);
        }
        let projected = hidden.dot(&self.into_width) + past;
        (hidden, projected)
    }

    /// Computes the distribution for each projected row (softmax).
    pub(super) fn distributions(&self, projected: &Array2<f32>) -> Array2<f32> {
        let mut rows = projected.dot(&self.embedding.t());
        for mut row in rows.rows_mut() {
            let numbers = flat_mut(&mut row);
            add_scaled(numbers, flat(&self.output_bias), 1.0);
            let top = fold(numbers, f32::MIN, f32::max);
            map_in_place(numbers, |x| (x - top).exp());
            let sum = row.sum();
            map_in_place(flat_mut(&mut row), |x| x / sum);
        }
        rows
    }

    /// Predicts the distribution of the token after `before`.
    pub(super) fn next(&self, before: &[Slot], pad: Slot, pooled: &Array1<f32>) -> Vec<f32> {
        let mut input = Array2::zeros((1, INPUT));
        if let Some(row) = input.as_slice_mut() {
            self.fill(row, before, pad, pooled);
        }
        let (_, projected) = self.forward(input.view());
        self.distributions(&projected).row(0).to_vec()
    }
}

/// Reads the ids and the network of a weights file. Fails if the file is none, or of another shape.
pub(super) fn read(bytes: &[u8]) -> Result<(Vec<u32>, Network), InvalidWeights> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(InvalidWeights("it does not begin as one"))?;
    let (size, rest) = rest.split_first_chunk::<4>().ok_or(InvalidWeights("it is cut short"))?;
    let size = u32::from_le_bytes(*size) as usize;
    let shape = [WINDOW, WIDTH, HIDDEN].map(|n| n as u8);
    let rest = rest.strip_prefix(&shape).ok_or(InvalidWeights("its network has another shape"))?;
    let mut network = Network::zeros(size.min(usize::from(u16::MAX)));
    if size > usize::from(u16::MAX) || rest.len() != size * 2 + network.weights() * 4 {
        return Err(WRONG_LENGTH);
    }
    let (ids, mut rest) = rest.split_at(size * 2);
    let ids: Vec<u32> = ids.chunks_exact(2).map(|b| u32::from(u16::from_le_bytes([b[0], b[1]]))).collect();
    for part in network.parts_mut() {
        take_floats(&mut rest, part).ok_or(WRONG_LENGTH)?;
    }
    Ok((ids, network))
}

/// Writes the weights file of ids and a network.
pub(super) fn write(ids: &[u32], network: &Network) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend((ids.len() as u32).to_le_bytes());
    bytes.extend([WINDOW, WIDTH, HIDDEN].map(|n| n as u8));
    bytes.extend(ids.iter().flat_map(|id| (*id as u16).to_le_bytes()));
    network.parts().into_iter().for_each(|part| append_floats(&mut bytes, part));
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_reads_back_and_a_broken_one_is_refused() {
        let mut network = Network::zeros(300);
        network.embedding[[3, 4]] = 1.5;
        let ids: Vec<u32> = (0..300).collect();
        let file = write(&ids, &network);
        let (again, read_back) = read(&file).expect("just written");
        assert_eq!(again, ids);
        assert!((read_back.embedding[[3, 4]] - 1.5).abs() < 1e-9);
        assert!(read(&file[..file.len() - 1]).is_err());
        assert!(read(b"nothing").is_err());
    }
}
