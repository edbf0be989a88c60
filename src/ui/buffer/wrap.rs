//! Where the rows of a line begin at a width, also after an edit.

use std::ops::Range;

use super::glyph::glyphs;

/// Rows that an edit can change before its own. A row ends where a word did not fit, and that word is in the next row,
/// or begins the one after: nothing later has an effect.
const BEFORE: usize = 2;

/// Returns the end of the row that begins at byte `from` of a line; `width` is in columns, at least 1. It depends on
/// nothing before `from`. Breaks after blanks and beside wide characters, and words longer than a row between
/// characters; a character wider than a row has one of its own.
fn row(text: &str, from: usize, width: usize) -> usize {
    let (mut used, mut may, mut wide_before) = (0, None, false);
    for glyph in glyphs(text, from) {
        let first = glyph.at == from;
        if !first && !glyph.blank() && (glyph.wide() || wide_before) {
            may = Some(glyph.at);
        }
        used += match glyph.fits(used, width) {
            Some(columns) => columns,
            None if first => glyph.columns(used),
            None => return may.unwrap_or(glyph.at),
        };
        if glyph.blank() {
            may = Some(glyph.end);
        }
        wide_before = glyph.wide();
    }
    text.len()
}

/// Returns where the rows of a line begin, without the first one.
pub(super) fn rows(text: &str, width: usize) -> Vec<u32> {
    rewrap(text, width, Vec::new(), 0..text.len(), std::iter::empty())
}

/// Returns where the rows of a line begin after an edit, without the first one: `edit` is what was inserted, `head` the
/// rows of the line whose beginning this one has, and `tail` those after the edit of the line whose end it has, at
/// their new places.
pub(super) fn rewrap(
    text: &str,
    width: usize,
    mut head: Vec<u32>,
    edit: Range<usize>,
    tail: impl Iterator<Item = u32>,
) -> Vec<u32> {
    // The row of the character before the edit, with which it may have combined.
    let own = head.partition_point(|start| (*start as usize) < edit.start);
    head.truncate(own.saturating_sub(BEFORE));
    let mut at = head.last().map_or(0, |start| *start as usize);
    let mut tail = tail.skip_while(|start| (*start as usize) < edit.end).peekable();
    while at < text.len() {
        at = row(text, at, width);
        if at >= text.len() {
            break;
        }
        while tail.next_if(|start| (*start as usize) < at).is_some() {}
        if at >= edit.end && tail.peek() == Some(&(at as u32)) {
            head.extend(tail);
            break;
        }
        head.push(at as u32);
    }
    head
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wrapped(text: &str, width: usize) -> Vec<&str> {
        let mut starts = rows(text, width);
        starts.insert(0, 0);
        starts.push(text.len() as u32);
        starts.windows(2).map(|pair| &text[pair[0] as usize..pair[1] as usize]).collect()
    }

    #[test]
    fn words_stay_whole_and_one_blank_hangs_over() {
        assert_eq!(wrapped("one two three", 8), ["one two ", "three"]);
        assert_eq!(wrapped("abcd efgh", 4), ["abcd ", "efgh"]);
        assert_eq!(wrapped("abcd  efgh", 4), ["abcd ", " ", "efgh"]);
        assert_eq!(wrapped("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrapped("", 4), [""]);
    }

    #[test]
    fn wide_ones_break_anywhere_and_do_not_straddle_the_edge() {
        assert_eq!(wrapped("日本語", 5), ["日本", "語"]);
        assert_eq!(wrapped("日本", 1), ["日", "本"]);
        assert_eq!(wrapped("ab\u{202e}cd", 4), ["ab", "\u{202e}", "cd"]);
        assert_eq!(wrapped("a\tb\tc", 6), ["a\tb\t", "c"]);
    }

    fn text() -> impl Strategy<Value = String> {
        "[ab 日é\t\u{301}\u{200d}👩🇵🇹\u{202e}\u{1b}]{0,40}"
    }

    proptest! {
        #[test]
        fn an_edit_wraps_as_anew(before in text(), new in text(), a in 0.0..1.0, b in 0.0..1.0, width in 1_usize..20) {
            let place = |part: f64| before.floor_char_boundary((part * before.len() as f64) as usize);
            let (a, b) = (place(a).min(place(b)), place(a).max(place(b)));
            let after = format!("{}{new}{}", &before[..a], &before[b..]);
            let old = rows(&before, width);
            let tail = old.clone().into_iter().filter(|s| *s as usize >= b).map(|s| s - b as u32 + (a + new.len()) as u32);
            prop_assert_eq!(rewrap(&after, width, old, a..a + new.len(), tail), rows(&after, width));
        }
    }
}
