//! Counts, models and quoted texts in words.

use crate::text::Untrusted;
use crate::ui::wrap;

/// Rows of one text at most.
const ROWS: usize = 40;

/// Returns `“How do I …` over several lines: the first begins with the quote, the others are as far in.
pub(super) fn quoted(text: &str, width: usize) -> Vec<String> {
    let inner = width.saturating_sub(1).max(1);
    let mut lines: Vec<String> = Vec::new();
    // The closing quote has its place too.
    for line in format!("{}”", text.trim_end()).lines() {
        lines.extend(wrap::lines(line, inner).into_iter().map(str::to_owned));
        if lines.len() > ROWS {
            break;
        }
    }
    let first = |at: usize| if at == 0 { "“" } else { " " };
    lines.into_iter().enumerate().map(|(at, line)| format!("{}{line}", first(at))).collect()
}

/// Returns a number of categories, such as `2 categories`.
pub(super) fn categories(count: usize) -> String {
    format!("{count} categor{}", if count == 1 { "y" } else { "ies" })
}

/// Returns what a model is called that may have no name.
pub(super) fn model_name(name: &Untrusted) -> String {
    if name.is_empty() { "the server's default".to_owned() } else { name.line().into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_is_wrapped_as_it_is_drawn() {
        assert_eq!(
            quoted("I will find you and make you pay for this.", 28),
            ["“I will find you and make", " you pay for this.”"]
        );
        assert_eq!(quoted("a\n\nb", 10), ["“a", " ", " b”"]);
        assert_eq!(quoted("", 10), ["“”"]);
    }
}
