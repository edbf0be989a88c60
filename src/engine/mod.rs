//! The small local models: pure and synchronous.
//!
//! [`language`] writes text; [`moderate`] scores it; [`embed`] turns it into vectors, with what [`sentence`] makes of it;
//! [`catalogue`] says which model ids stand for what.

pub mod catalogue;
pub mod embed;
pub mod language;
pub mod moderate;
pub mod sentence;
