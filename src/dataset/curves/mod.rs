//! Curves of trainings: from result files, from logs of events, from events as they arrive.

mod csv;
mod events;
mod figure;
mod form;
mod live;
mod notes;
mod small;
#[cfg(test)]
mod tests;

pub use form::{from_base64, read_curves};
pub use live::Live;
