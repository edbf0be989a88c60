//! Training files: JSON Lines read in bounded memory, line by line, with the line and column of what is wrong.
//!
//! [`check`] looks at the form alone: is every line a JSON object. [`examples`] reads what a model learns from, rows of
//! `{"prompt","completion"}` or of `{"messages"}`. Both stop at the first fault.

mod example;
mod lines;
mod problem;

pub use example::{Example, Examples, Message, Role, Row, examples};
pub use lines::{Limits, check};
pub use problem::{Fault, Problem};
