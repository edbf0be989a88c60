//! What a label says.
