//! Profiles, key sources and limits: flags > environment > config file > defaults.

mod config;
pub mod keep;
pub mod limits;
mod load;
pub mod paths;
pub mod profile;
mod resolve;

pub use load::{Flags, Loaded, Settings};
pub use paths::Paths;
pub use profile::{Endpoint, KeySource, Profile, ProfileId, origin};
pub use resolve::resolve;
