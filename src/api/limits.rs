//! Limits on what is read of the interface's JSON.

/// Entries of a list. A list of nothing but `{}` is fifty times as large in memory as on the wire.
pub const LIST_ENTRIES: usize = 1 << 16;
/// The size of a stored file, bytes: one that is said to be larger has none.
pub const FILE_BYTES: u64 = 1 << 40;
/// The words of an error, characters.
pub const ERROR_WORDS: usize = 1000;
/// Tokens that one answer can be said to have used.
pub const TOKENS: u64 = 1 << 40;
/// Dollars that one answer can be said to have cost.
pub const ANSWER_DOLLARS: f64 = 1e6;
