//! The page that checks a training file and mends it.
