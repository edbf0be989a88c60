//! Trains the base weights on the texts in `assets/` and writes `assets/base.weights`:
//! `cargo run --release --example train_base [epochs]`.
#![allow(clippy::print_stdout)]

use std::{error::Error, time::Instant};

use benchtop::engine::language::train_base;

fn main() -> Result<(), Box<dyn Error>> {
    // More than three learn the texts by heart: the loss on the texts held out rises again.
    let epochs = std::env::args().nth(1).map_or(Ok(3), |n| n.parse())?;
    let start = Instant::now();
    let weights = train_base(epochs, |epoch| {
        println!("epoch {}  train {:.3}  valid {:.3}  {:.1?}", epoch.number, epoch.train, epoch.valid, start.elapsed());
    });
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/base.weights");
    std::fs::write(path, &weights)?;
    println!("{path}: {} bytes", weights.len());
    Ok(())
}
