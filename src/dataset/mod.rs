//! Files that are read in bounded memory, with the line and column of each problem: training files and files of texts.
//!
//! [`check`] checks only the form: whether every line is a JSON object. [`examples`] reads training examples, rows of
//! `{"prompt","completion"}` or of `{"messages"}`. Both stop at the first fault.

mod curves;
mod example;
mod lines;
mod problem;
pub mod sample;
mod texts;
mod training;

pub use curves::{Live, from_base64, read_curves};
pub use example::{Example, Examples, Message, Role, Row, examples};
pub use lines::{LineLimits, check};
pub use problem::{Fault, Problem};
pub(crate) use texts::rows;
pub use texts::{Moved, OtherColumns, TextInput, TextLimits, TextReader, other_columns, peek_texts, read_texts};
pub(crate) use training::json_fault;
pub use training::{Preparation, Written, copy_sheet, lint};
