//! A training file to try things with: sentences of reviews, and whether they are good, bad or plain.

/// Its name and its rows.
pub const TRAINING: (&str, &str) = ("mood_train.jsonl", include_str!("../../assets/tune/mood_train.jsonl"));

/// The same of a file to validate with: other sentences.
pub const VALIDATION: (&str, &str) = ("mood_valid.jsonl", include_str!("../../assets/tune/mood_valid.jsonl"));
