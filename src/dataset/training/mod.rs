//! Training files checked and repaired: every problem with its place; everything that the legacy preparation tool
//! looked for; a repaired copy, split into two parts without common rows if wanted.
//!
//! [`lint`] reads a file once and in bounded memory, whatever its size. [`Preparation`] reads it twice or three times:
//! the rows to remove are known after the first.

mod advice;
mod ahead;
mod columns;
mod common_text;
mod duplicates;
mod encoding;
mod json;
mod json_spans;
mod labels;
mod limits;
mod lint;
mod lint_state;
mod parts;
mod prepare;
mod raw_record;
mod repair;
mod row;
mod sample;
mod sheet;
mod shorten;
mod source;
#[cfg(test)]
mod tables;
#[cfg(test)]
mod tests;
mod token_count;
mod values;
mod words;

pub use lint::lint;
pub use prepare::{Preparation, Written};
pub use sheet::copy as copy_sheet;
pub(crate) use words::json_fault;
