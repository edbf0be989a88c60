//! The buffer as the model reads it: tokens with their ids, blanks made visible.
