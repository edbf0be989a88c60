//! Writes `assets/embed/frequency.txt`, English words by how common they are:
//! `cargo run --release --example list_words`.
//!
//! The order is that in which the `r50k` encoding came to have them as tokens of their own, which follows how often they
//! occur on the web.
#![allow(clippy::print_stdout)]

use std::error::Error;

use benchtop::tokens::Encoding;

fn main() -> Result<(), Box<dyn Error>> {
    let word = |id: u32| {
        let bytes = Encoding::R50k.bytes(&[id]).ok()?;
        let word = bytes.strip_prefix(b" ")?;
        let plain = word.iter().all(u8::is_ascii_lowercase) && (word.len() > 1 || word == b"a" || word == b"i");
        if plain { String::from_utf8(word.to_vec()).ok() } else { None }
    };
    let words: Vec<String> = (0..50_256).filter_map(word).collect();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/embed/frequency.txt");
    std::fs::write(path, words.join("\n") + "\n")?;
    println!("{path}: {} words", words.len());
    Ok(())
}
