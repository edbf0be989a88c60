//! The user's folders: names made safe, new files that never replace others, partial files.
//!
//! A file gets its name when it is whole and on the disk, in one step, and only where nothing has that name. Until then it
//! is there under a name of ours, for this user alone (0600).

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
