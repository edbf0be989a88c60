//! Charts as they are drawn.
