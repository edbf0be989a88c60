//! Texts that several views of the page cut.

use crate::text::Untrusted;

/// Returns the beginning of a text.
pub(super) fn beginning(text: &Untrusted, most: usize) -> Untrusted {
    if text.len() <= most {
        return text.clone();
    }
    let raw = text.raw();
    raw[..raw.floor_char_boundary(most)].into()
}
