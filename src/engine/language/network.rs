//! The network: embeddings of the last 16 tokens and the mean of the prompt's, one hidden layer, one distribution.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::shipped::InvalidWeights;
use super::vocabulary::Slot;

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
            self.embedding.as_slice_mut().unwrap_or_default(),
            self.into_hidden.as_slice_mut().unwrap_or_default(),
            self.hidden_bias.as_slice_mut().unwrap_or_default(),
            self.into_width.as_slice_mut().unwrap_or_default(),
            self.output_bias.as_slice_mut().unwrap_or_default(),
        ]
    }

    pub(super) fn parts(&self) -> [&[f32]; 5] {
        [
            self.embedding.as_slice().unwrap_or_default(),
            self.into_hidden.as_slice().unwrap_or_default(),
            self.hidden_bias.as_slice().unwrap_or_default(),
            self.into_width.as_slice().unwrap_or_default(),
            self.output_bias.as_slice().unwrap_or_default(),
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
            mean += &self.embedding.row(usize::from(*slot));
        }
        mean / prompt.len().max(1) as f32
    }

    /// Fills one input row: the window before a place, padded in front with `pad`, then the pooled prompt, with its
    /// features in a fine-tuned model.
    pub(super) fn fill(&self, row: &mut [f32], before: &[Slot], pad: Slot, pooled: &Array1<f32>) {
        for i in 0..WINDOW {
            let slot = (before.len() + i).checked_sub(WINDOW).map_or(pad, |at| before[at]);
            for (to, from) in row[i * WIDTH..(i + 1) * WIDTH].iter_mut().zip(self.embedding.row(usize::from(slot))) {
                *to = *from;
            }
        }
        row[WINDOW * WIDTH..].iter_mut().zip(pooled).for_each(|(to, from)| *to = *from);
    }

    /// Computes the hidden layer and its projection for rows of inputs; the features are added to the latter.
    pub(super) fn forward(&self, inputs: ArrayView2<f32>) -> (Array2<f32>, Array2<f32>) {
        let (seen, past) = inputs.split_at(Axis(1), SEEN);
        let hidden = (seen.dot(&self.into_hidden) + &self.hidden_bias).mapv_into(f32::tanh);
        let projected = hidden.dot(&self.into_width) + past;
        (hidden, projected)
    }

    /// Computes the distribution for each projected row (softmax).
    pub(super) fn distributions(&self, projected: &Array2<f32>) -> Array2<f32> {
        let mut rows = projected.dot(&self.embedding.t()) + &self.output_bias;
        for mut row in rows.axis_iter_mut(Axis(0)) {
            let top = row.fold(f32::MIN, |a, b| a.max(*b));
            row.mapv_inplace(|x| (x - top).exp());
            let sum = row.sum();
            row.mapv_inplace(|x| x / sum);
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
        return Err(InvalidWeights("it has the wrong length"));
    }
    let (ids, mut rest) = rest.split_at(size * 2);
    let ids: Vec<u32> = ids.chunks_exact(2).map(|b| u32::from(u16::from_le_bytes([b[0], b[1]]))).collect();
    for part in network.parts_mut() {
        let (own, behind) = rest.split_at(part.len() * 4);
        for (to, b) in part.iter_mut().zip(own.chunks_exact(4)) {
            *to = f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        }
        rest = behind;
    }
    Ok((ids, network))
}

/// Writes the weights file of ids and a network.
pub(super) fn write(ids: &[u32], network: &Network) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend((ids.len() as u32).to_le_bytes());
    bytes.extend([WINDOW, WIDTH, HIDDEN].map(|n| n as u8));
    bytes.extend(ids.iter().flat_map(|id| (*id as u16).to_le_bytes()));
    bytes.extend(network.parts().iter().flat_map(|part| part.iter().flat_map(|x| x.to_le_bytes())));
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
