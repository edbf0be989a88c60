//! Slow local work, off the screen's thread: highlight, count tokens, save.
