//! The screens. [`all`] is the only place that knows which tabs exist.

pub mod activity;
pub(crate) mod all_keys;
pub mod batch;
pub mod chat;
mod columns;
pub mod completion;
pub mod embeddings;
pub(crate) mod file_metadata;
pub mod files;
pub mod fine_tunes;
pub mod generation;
pub mod moderation;
pub mod range_download;
pub mod tab;
pub mod texts;

pub use tab::{Badge, Tab, UnsavedWork};

/// Returns all tabs, left to right.
pub fn all() -> Vec<Box<dyn Tab>> {
    vec![
        Box::new(chat::Chat::new()),
        Box::new(completion::Complete::new()),
        Box::new(moderation::Moderate::new()),
        Box::new(embeddings::Embed::new()),
        Box::new(files::Files::new()),
        Box::new(fine_tunes::Tune::new()),
    ]
}
