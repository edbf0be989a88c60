//! Shortens texts that are shown as samples.

/// Characters kept of a text at its beginning and at its end.
const ENDS: usize = 240;

/// Shortens a long text in the middle.
pub(super) fn shorten(text: &str) -> String {
    if text.len() <= 2 * ENDS {
        return text.to_owned();
    }
    let from = text.char_indices().nth(ENDS).map_or(text.len(), |(at, _)| at);
    let to = text.char_indices().rev().nth(ENDS - 1).map_or(0, |(at, _)| at);
    if to <= from { text.to_owned() } else { format!("{} … {}", &text[..from], &text[to..]) }
}
