//! The interface as data: serde only, no I/O. Client and service share these types.
//!
//! Lenient in what it reads (unknown and null fields, missing ids, any scalar as error code), exact in what it writes.

pub mod advice;
mod as_json;
pub mod call;
pub mod capability;
pub mod chat;
pub mod check;
pub mod completion;
pub mod delta;
pub mod embedding;
pub mod error;
pub mod field_scopes;
pub mod file;
pub mod fine_tune;
pub mod fine_tuning;
pub mod job;
pub(crate) mod lenient;
pub mod limits;
pub mod model;
pub mod moderation;
pub mod probe;
pub mod probed;
mod tally;
pub mod usage;
mod value_kind;
mod vector;
