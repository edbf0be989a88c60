//! Widgets and look: knows ratatui, knows nothing of benchtop.

pub mod buffer;
pub mod editor;
pub mod form;
pub mod keys;
pub mod line;
pub mod list;
pub mod markdown;
pub mod meter;
pub mod odd;
pub mod overlay;
pub mod picker;
pub mod rule;
pub mod theme;
pub mod transcript;
pub mod wrap;
