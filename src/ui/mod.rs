//! Widgets and look: knows ratatui, knows nothing of benchtop.

pub mod editor;
pub mod form;
pub mod keys;
pub mod line;
pub mod list;
pub mod meter;
pub mod overlay;
pub mod rule;
pub mod theme;
