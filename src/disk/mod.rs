//! The user's folders: names made safe, new files that never replace others, partial files.
//!
//! A file gets its name when it is complete and synced, atomically, and only if nothing has that name. Until then it
//! has a temporary name, with mode 0600.

mod hashing;
mod keeping;
mod lock;
mod name;
mod new;
mod own;
mod partial;

pub use self::name::clean;
pub use self::new::{Fill, fill, numbered, place, sync_directory};
pub use self::own::{open_own, private, read_own};
pub use self::partial::{Note, Partial};
