//! Lines of listings.

use super::line::{Kind, Line, Role};
use crate::text::Untrusted;

/// Returns an empty line of a code block at the top level.
pub(super) fn code_line() -> Line {
    Line { first: "│ ".to_owned(), hang: "│ ".to_owned(), ..Line::default() }
}

/// Returns whether a listing in this language is a diff.
pub(super) fn is_diff(language: &Untrusted) -> bool {
    ["diff", "patch"].iter().any(|diff| *language == *diff)
}

/// Returns the role of a line of a listing; of a diff, by the line's first character.
pub(super) fn listing_role(language: &Untrusted, line: &str) -> Role {
    Role::of(match line.as_bytes().first() {
        Some(b'+') if is_diff(language) => Kind::Added,
        Some(b'-') if is_diff(language) => Kind::Removed,
        Some(b'@') if is_diff(language) => Kind::Hunk,
        _ => Kind::Code,
    })
}
