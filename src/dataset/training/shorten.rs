//! Shortens texts that are shown as samples.

/// Characters of a text at its beginning and at its end; what is between is left out.
const ENDS: usize = 240;

/// Returns a text without its middle if it is long.
pub(super) fn shorten(text: &str) -> String {
    if text.len() <= 2 * ENDS {
        return text.to_owned();
    }
    let from = text.char_indices().nth(ENDS).map_or(text.len(), |(at, _)| at);
    let to = text.char_indices().rev().nth(ENDS - 1).map_or(0, |(at, _)| at);
    if to <= from { text.to_owned() } else { format!("{} … {}", &text[..from], &text[to..]) }
}
