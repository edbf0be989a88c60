//! Trains the classifier that finds the manual's passage for a question and writes `assets/manual/weights`:
//! `cargo run --release --example train_manual`.
#![allow(clippy::print_stdout)]

use std::{error::Error, time::Instant};

use benchtop::engine::language::train_manual;

fn main() -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let weights = train_manual(|step, loss| {
        if step % 100 == 0 {
            println!("step {step}  loss {loss:.3}  {:.1?}", start.elapsed());
        }
    });
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/manual/weights");
    std::fs::write(path, &weights)?;
    println!("{path}: {} bytes", weights.len());
    Ok(())
}
