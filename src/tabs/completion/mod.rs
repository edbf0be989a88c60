//! Complete: the playground. One buffer in which model text appears in place, what the model thought of each token, and
//! every branch that was ever tried.
#![allow(dead_code)]

mod biases;
mod columns;
mod history;
mod params;
#[cfg(test)]
mod picture;
mod presets;
mod request;
mod runs;
mod tokenizer;
