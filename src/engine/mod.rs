//! The small local models: pure and synchronous.
//!
//! [`language`] generates text; [`moderate`] scores it; [`embed`] turns it into vectors, using those of [`sentence`];
//! [`catalogue`] maps model ids to these.

pub mod catalogue;
pub mod embed;
pub mod language;
pub mod moderate;
pub(crate) mod numbers;
pub mod sentence;
