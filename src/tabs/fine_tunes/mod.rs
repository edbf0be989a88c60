//! The Tune tab: fine-tunes as they run, their curves, and what became of them.

mod curves;
mod score;
