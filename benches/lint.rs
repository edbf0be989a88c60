//! The check of training files: `cargo bench --bench lint`.
#![allow(missing_docs)]

fn main() {}
