//! A sample training file: sentences of reviews, labelled good, bad or neutral.

/// Its name and its rows.
pub const TRAINING: (&str, &str) = ("mood_train.jsonl", include_str!("../../assets/tune/mood_train.jsonl"));

/// The same for validation, with other sentences.
pub const VALIDATION: (&str, &str) = ("mood_valid.jsonl", include_str!("../../assets/tune/mood_valid.jsonl"));
