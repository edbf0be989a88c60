//! Texts and weights that ship with the program.

pub(crate) const MANUAL: &str = include_str!("../../../assets/manual.md");
pub(crate) const PROSE: &str = include_str!("../../../assets/prose.md");
pub(super) const WEIGHTS: &[u8] = include_bytes!("../../../assets/base.weights");

/// A weights file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error(
    "the weights file is not one of benchtop's: {0}; train it again with `cargo run --release --example train_base`"
)]
pub struct InvalidWeights(pub(crate) &'static str);
