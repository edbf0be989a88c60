//! Widgets and look: knows ratatui, knows nothing of benchtop.

pub mod bar;
pub mod buffer;
pub mod canvas;
pub mod char_width;
pub mod chart;
pub mod editor;
pub mod form;
pub mod heatmap;
pub mod hyperlink;
pub mod item_list;
pub mod keys;
pub mod line;
pub mod list;
pub mod markdown;
pub mod meter;
pub mod overlay;
pub mod picker;
pub mod progress;
mod rank;
pub mod rule;
pub mod scatter;
pub mod size_class;
pub mod table;
pub mod theme;
pub mod time;
pub mod transcript;
pub mod wrap;
