//! Vectors.

use benchtop::api::call::{Failure, FailureKind, Progress, Reply};
use benchtop::api::completion::Prompt;
use benchtop::api::embedding::{Embedding, EmbeddingList, EmbeddingRequest};
use benchtop::api::usage::Usage;

pub use super::{failure, offline};

/// The eight sample texts' vectors: their similarities are those of the snapshots.
const SAMPLE: [(&str, [f32; 8]); 8] = [
    ("refund within 30 days", [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
    ("money back guarantee", [0.87, 0.4931, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
    ("return unused shoes", [0.82, 0.1554, 0.5509, 0.0, 0.0, 0.0, 0.0, 0.0]),
    ("shipping costs", [0.52, 0.1777, 0.3739, 0.7471, 0.0, 0.0, 0.0, 0.0]),
    ("delivery takes 5 days", [0.47, 0.2050, 0.3136, 0.6182, 0.5065, 0.0, 0.0, 0.0]),
    ("change my password", [0.17, 0.0043, 0.3085, 0.4089, 0.0389, 0.8410, 0.0, 0.0]),
    ("reset login", [0.16, 0.0219, 0.3184, 0.4602, 0.0710, 0.6582, 0.4716, 0.0]),
    ("日本語: 返金について", [0.83, 0.0363, 0.2247, -0.0161, -0.0356, 0.0445, -0.0095, 0.5057]),
];

/// Length of the vectors.
pub const DIMENSIONS: usize = 1_536;

/// Returns a text's vector: a sample's, else one derived from its bytes.
pub fn vector(text: &str, dimensions: usize) -> Vec<f32> {
    let known = SAMPLE.iter().find(|(sample, _)| *sample == text).map(|(_, vector)| vector.to_vec());
    let mut numbers = known.unwrap_or_else(|| {
        let mut seed = text
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 40) as f32 / (1_u32 << 24) as f32 - 0.3
        };
        let numbers: Vec<f32> = (0..8).map(|_| next()).collect();
        let norm = numbers.iter().map(|number| number * number).sum::<f32>().sqrt();
        numbers.into_iter().map(|number| number / norm).collect()
    });
    numbers.resize(dimensions, 0.0);
    numbers
}

/// Returns the answer to a request: a vector and five tokens for each text.
pub fn vectors(request: &EmbeddingRequest) -> EmbeddingList {
    let length = request.dimensions.map_or(DIMENSIONS, |dimensions| dimensions as usize);
    let entries = texts(request).iter().zip(0..).map(|(text, index)| entry(index, &vector(text, length)));
    list(entries.collect(), 5 * texts(request).len() as u64)
}

pub fn entry(index: u32, numbers: &[f32]) -> Embedding {
    Embedding { index, embedding: numbers.to_vec(), ..Embedding::default() }
}

pub fn list(data: Vec<Embedding>, tokens: u64) -> EmbeddingList {
    let usage = Usage { prompt_tokens: tokens, total_tokens: tokens, ..Usage::default() };
    EmbeddingList { data, usage, ..EmbeddingList::default() }
}

pub fn unsupported() -> Failure {
    let why = "this server has no embeddings (501): start it with --embeddings, or choose another profile";
    failure(FailureKind::Unsupported, Some(501), why)
}

pub fn refused(sentence: &str) -> Failure {
    super::refused(400, sentence, "{\"error\":{}}")
}

/// Returns the texts of a request.
pub fn texts(request: &EmbeddingRequest) -> &[String] {
    match &request.input {
        Prompt::Texts(texts) => texts,
        other => panic!("{other:?}"),
    }
}
