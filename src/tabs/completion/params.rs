//! The settings pane: every request field with its bounds.
