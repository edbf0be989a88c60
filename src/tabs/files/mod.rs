//! The Files tab: local folders and the files of a server, side by side.

mod check;
mod preview;
