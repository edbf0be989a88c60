//! Profiles, key sources and limits: flags > environment > config file > defaults.

pub mod limits;
pub mod profile;

pub use profile::{Endpoint, ProfileId};
