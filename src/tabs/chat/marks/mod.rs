//! Turns that were marked to learn from: the marks themselves, what a marked answer should have been, and the page that
//! lists them all and makes rows of them.

mod export;
mod keys;
mod page;
pub(super) mod training_rows;
mod update;

pub(super) use page::{MarksEvent, MarksPage};
