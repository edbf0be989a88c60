//! Breaks a logical line into rows of a width, by grapheme and by the columns that a terminal uses.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Returns the columns of a text, counted grapheme by grapheme as ratatui draws them.
pub fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.graphemes(true).map(UnicodeWidthStr::width).sum() }
}

/// Calls `row` with the byte range of every row of `text` at `width` columns (at least 1), in order and without gaps.
/// Breaks after spaces, and between CJK characters; a word longer than a row is broken between graphemes. Spaces at the
/// end of a row may overhang. An empty text is one empty row. A character wider than a row has a row of its own.
pub fn rows(text: &str, width: usize, mut row: impl FnMut(Range<usize>)) {
    let width = width.max(1);
    let (mut start, mut used) = (0, 0);
    // Where the row may end, and the columns up to there.
    let mut rest: Option<(usize, usize)> = None;
    let mut wide_before = false;
    let mut step = |at: usize, end: usize, columns: usize, space: bool| {
        let wide = columns > 1;
        if at > start && !space && (wide || wide_before) {
            rest = Some((at, used));
        }
        if !space && columns > 0 && used + columns > width && at > start {
            let (to, before) = rest.take().unwrap_or((at, used));
            row(start..to);
            start = to;
            used -= before;
        }
        used += columns;
        if space {
            rest = Some((end, used));
        }
        wide_before = wide;
    };
    if text.is_ascii() {
        for (at, byte) in text.bytes().enumerate() {
            step(at, at + 1, 1, byte == b' ');
        }
    } else {
        for (at, grapheme) in text.grapheme_indices(true) {
            step(at, at + grapheme.len(), grapheme.width(), grapheme == " ");
        }
    }
    row(start..text.len());
}

/// Returns the rows of `text` at `width` columns, without trailing spaces.
pub fn lines(text: &str, width: usize) -> Vec<&str> {
    let mut lines = Vec::new();
    rows(text, width, |range| lines.push(text[range].trim_end_matches(' ')));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wrapped(text: &str, columns: usize) -> Vec<&str> {
        let mut all = Vec::new();
        rows(text, columns, |range| all.push(&text[range]));
        all
    }

    #[test]
    fn words_stay_whole_and_long_ones_break() {
        assert_eq!(wrapped("one two three", 8), ["one two ", "three"]);
        assert_eq!(wrapped("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrapped("", 4), [""]);
    }

    #[test]
    fn wide_characters_do_not_straddle_the_edge() {
        assert_eq!(wrapped("日本語", 5), ["日本", "語"]);
        assert_eq!(wrapped("日本", 1), ["日", "本"]);
        assert_eq!(wrapped("👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 3), ["👩‍👩‍👧‍👦", "👩‍👩‍👧‍👦"]);
    }

    #[test]
    fn a_character_wider_than_a_row_has_a_row_of_its_own() {
        // One grapheme of four columns: an accent between a person and what joins the next one.
        let joined = "👩\u{301}\u{200d}👩";
        assert_eq!(wrapped(&format!("ab{joined}cd"), 2), ["ab", joined, "cd"]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_every_row_fits(text in "[a-z 日é👩\u{200d}\u{301}]{0,60}", columns in 2_usize..20) {
            let all = wrapped(&text, columns);
            prop_assert_eq!(all.concat(), text.clone());
            for row in all {
                let row = row.trim_end_matches(' ');
                let single = row.graphemes(true).count() == 1;
                prop_assert!(single || width(row) <= columns, "{:?} in {}", row, columns);
            }
        }
    }
}
