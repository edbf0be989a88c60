//! The screens. [`all`] is the only place that knows which tabs exist.

pub mod chat;
pub mod generation;
pub mod session;
pub mod tab;

pub use session::Session;
pub use tab::{Badge, Command, Cx, Effect, Hint, Notice, Offer, Tab};
