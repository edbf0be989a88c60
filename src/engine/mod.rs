//! The small local models: pure and synchronous.
//!
//! [`language`] writes text; [`moderate`] scores it; [`catalogue`] says which model ids stand for what.

pub mod catalogue;
pub mod language;
pub mod moderate;
