//! The interface as data: serde only, no I/O. Client and service share these types.
//!
//! Lenient in what it reads (unknown and null fields, missing ids, any scalar as error code), exact in what it writes.

pub mod call;
pub mod chat;
pub mod error;
pub mod model;
pub mod usage;
