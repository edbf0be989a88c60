//! Turns that were marked to learn from: the marks themselves, what a marked answer should have been, and the page that lists
//! them all and makes rows of them.

mod act;
mod export;
mod page;
pub(super) mod rows;

pub(super) use page::{Event, Page};
