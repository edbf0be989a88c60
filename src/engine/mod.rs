//! The small local models: pure and synchronous.
