//! Text from outside, made safe to show: one type, one sanitiser.

/// What a piece of code is, for colouring it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tint {
    /// Keywords and operators with a name.
    Keyword,
    /// Strings and other literals.
    String,
    /// Comments.
    Comment,
}
