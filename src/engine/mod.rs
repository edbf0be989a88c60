//! The small local models: pure and synchronous.
//!
//! [`language`] writes text; [`catalogue`] says which model ids stand for what.

pub mod catalogue;
pub mod language;
