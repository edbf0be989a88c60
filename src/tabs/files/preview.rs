//! The pane that shows what is in a file.
