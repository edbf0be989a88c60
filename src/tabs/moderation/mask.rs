//! Hides the letters of a text until the user asks for it; its width stays.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Replaces letters by `▒` and digits by `░`; blanks, line ends and signs stay, and so does the width.
pub(super) fn masked(safe: &str) -> String {
    let mut out = String::with_capacity(safe.len());
    for grapheme in safe.graphemes(true) {
        let first = grapheme.chars().next().unwrap_or(' ');
        let sign = match first {
            _ if first.is_numeric() => "░",
            _ if first.is_alphabetic() || grapheme.width() > 1 => "▒",
            _ => {
                out.push_str(grapheme);
                continue;
            }
        };
        out.push_str(&sign.repeat(grapheme.width()));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_masked_text_is_as_wide_and_says_nothing() {
        for (text, hidden) in [
            ("I will, at 10:30!", "▒ ▒▒▒▒, ▒▒ ░░:░░!"),
            ("日本 e\u{301}é", "▒▒▒▒ ▒▒"),
            ("a\n\nb", "▒\n\n▒"),
            ("👩‍👩‍👧", "▒▒"),
        ] {
            assert_eq!(masked(text), hidden);
            for (line, blur) in text.lines().zip(hidden.lines()) {
                assert_eq!(line.width(), blur.width(), "{text}");
            }
        }
    }
}
