//! Curves in braille.
