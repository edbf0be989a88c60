//! Widgets and look: knows ratatui, knows nothing of benchtop.

pub mod theme;
