//! Finds where an output first differs from the first one.

use std::ops::Range;

use crate::record::Token;
use crate::tabs::generation::tokens::token_ranges;

/// Returns where `text` first differs from `first`, as a range of bytes: the first token that differs, where the tokens
/// reach that far, else the word. The range is empty and at the end of `text` where the other text continues. `None`:
/// they do not differ, or not yet: one of them may still grow into the other.
pub(super) fn first_difference(
    first: &str,
    text: &str,
    tokens: &[Token],
    first_grows: bool,
    grows: bool,
) -> Option<Range<usize>> {
    let same = first.bytes().zip(text.bytes()).take_while(|(a, b)| a == b).count();
    match (same == first.len(), same == text.len()) {
        (true, true) => return None,
        (true, false) if first_grows => return None,
        (false, true) if grows => return None,
        (false, true) => return Some(same..same),
        _ => {}
    }
    Some(token_at(text, tokens, same).unwrap_or_else(|| word_at(text, same)))
}

/// Returns the range of the token that contains a byte.
fn token_at(text: &str, tokens: &[Token], at: usize) -> Option<Range<usize>> {
    // A token within which the text ends has not arrived as a whole.
    let whole =
        |token: &Token, place: &Range<usize>| place.end < text.len() || place.start + token.bytes.len() <= text.len();
    let all = token_ranges(tokens, text);
    let nth = all.iter().position(|place| place.end > at && place.start <= at)?;
    // A character that several tokens share is marked as a whole.
    whole(&tokens[nth], &all[nth]).then(|| all[nth].clone())
}

/// Returns the range of the word that contains a byte, or of the word after the blanks that contain it.
fn word_at(text: &str, at: usize) -> Range<usize> {
    let at = text.floor_char_boundary(at);
    let blank = |c: char| c.is_whitespace();
    let start = text[..at].rfind(blank).map_or(0, |blank| text.ceil_char_boundary(blank + 1));
    let start = if text[at..].starts_with(blank) { at } else { start };
    let word = text[start..].find(|c| !blank(c)).map_or(text.len(), |skip| start + skip);
    let end = text[word..].find(blank).map_or(text.len(), |len| word + len);
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(pieces: &[&str]) -> Vec<Token> {
        pieces.iter().map(|piece| Token { bytes: piece.as_bytes().to_vec(), ..Token::default() }).collect()
    }

    fn between(first: &str, text: &str, tokens: &[Token]) -> Option<String> {
        first_difference(first, text, tokens, false, false).map(|range| text[range].to_owned())
    }

    #[test]
    fn the_first_token_that_differs_is_the_one() {
        let cut = tokens(&["keep", " the", " music", "al"]);
        assert_eq!(between("keep the mus", "keep the musical", &cut).as_deref(), Some(" music"));
        assert_eq!(between("keep the focus", "keep the musical", &cut).as_deref(), Some(" music"));
        assert_eq!(between("keep the musical", "keep the musical", &cut), None);
    }

    #[test]
    fn without_tokens_it_is_the_word() {
        assert_eq!(between("keep the focus", "keep the music on", &[]).as_deref(), Some("music"));
        assert_eq!(between("the format", "the formats", &[]).as_deref(), Some("formats"));
        assert_eq!(between("one", "one two three", &[]).as_deref(), Some(" two"));
        assert_eq!(between("a\u{fc}", "a\u{fd}b c", &[]).as_deref(), Some("a\u{fd}b"));
        assert_eq!(between("", "x y", &tokens(&[])).as_deref(), Some("x"));
        // The tokens may have arrived later than the text and not reach this far.
        assert_eq!(between("one two", "one ten", &tokens(&["one"])).as_deref(), Some("ten"));
    }

    #[test]
    fn tokens_that_cut_characters_mark_whole_ones() {
        let mut cut = tokens(&["a"]);
        cut.push(Token { bytes: "世".as_bytes()[..2].to_vec(), ..Token::default() });
        cut.push(Token { bytes: "世".as_bytes()[2..].to_vec(), ..Token::default() });
        assert_eq!(between("a丗", "a世", &cut).as_deref(), Some("世"));
    }

    #[test]
    fn tokens_that_are_not_what_the_text_says_are_found_in_it() {
        // The blank at the beginning was removed.
        let cut = tokens(&[" keep", " the", " music"]);
        assert_eq!(between("keep the focus", "keep the music", &cut).as_deref(), Some(" music"));
        assert_eq!(
            between("keep the focus", "keep the music", &tokens(&["keep", "<|x|>", " the", " music"])).as_deref(),
            Some(" music")
        );
    }

    #[test]
    fn what_still_grows_may_become_the_same() {
        let range = |first_grows, grows| first_difference("one two", "one", &[], first_grows, grows);
        assert_eq!((range(false, true), range(true, false)), (None, Some(3..3)));
        assert_eq!(first_difference("one", "one two", &[], true, false), None);
        assert_eq!(first_difference("one", "one two", &[], false, true), Some(3..7));
        assert_eq!(first_difference("one x", "one y", &[], true, true), Some(4..5), "what differs stays different");
    }
}
