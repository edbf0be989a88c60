//! Replaces or marks lone surrogates, which no JSON parser accepts: the escape `\ud83d` without the one that completes
//! it. Servers that split text by UTF-16 units send the two halves of a character in two events.

use memchr::memchr;

/// The first of the private characters that stand for surrogates: U+10D83D stands for the surrogate `D83D`.
const FIRST_MARK: u32 = 0x10_0000;

/// Bytes of an escape, `\ud83d`.
const ESCAPE_BYTES: usize = 6;

/// Replaces lone surrogates by U+FFFD, in place.
pub(super) fn replace(body: &mut [u8]) {
    let mut from = 0;
    while let Some((at, _)) = find_lone(body, from) {
        from = at + ESCAPE_BYTES;
        body[at + 2..from].copy_from_slice(b"fffd");
    }
}

/// Replaces each lone surrogate by a private character, which [`marked_surrogate`] recognises; `None` if there are
/// none.
pub(super) fn mark(text: &str) -> Option<String> {
    let mut found = find_lone(text.as_bytes(), 0)?;
    let (mut marked, mut from) = (String::with_capacity(text.len()), 0);
    loop {
        let (at, unit) = found;
        marked.push_str(&text[from..at]);
        marked.extend(char::from_u32(FIRST_MARK + u32::from(unit)));
        from = at + ESCAPE_BYTES;
        match find_lone(text.as_bytes(), from) {
            Some(next) => found = next,
            None => break,
        }
    }
    marked.push_str(&text[from..]);
    Some(marked)
}

/// Returns the surrogate that a character of a marked text stands for.
pub(super) fn marked_surrogate(c: char) -> Option<u16> {
    let unit = u16::try_from(u32::from(c).checked_sub(FIRST_MARK)?).ok()?;
    (0xd800..=0xdfff).contains(&unit).then_some(unit)
}

/// Returns whether a surrogate is the first of a pair.
pub(super) fn is_first(unit: u16) -> bool {
    unit < 0xdc00
}

/// Returns the character of a surrogate pair.
pub(super) fn join_pair(first: u16, second: u16) -> char {
    char::decode_utf16([first, second]).next().and_then(Result::ok).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Finds the next lone surrogate from a byte on. Returns its place and its unit.
fn find_lone(body: &[u8], mut from: usize) -> Option<(usize, u16)> {
    loop {
        let at = from + memchr(b'\\', body.get(from..)?)?;
        from = match escaped_unit(body, at) {
            // An escaped backslash may precede a `u`.
            None => at + 2,
            Some(first @ 0xd800..=0xdbff) => match escaped_unit(body, at + ESCAPE_BYTES) {
                Some(0xdc00..=0xdfff) => at + 2 * ESCAPE_BYTES,
                _ => return Some((at, first)),
            },
            Some(second @ 0xdc00..=0xdfff) => return Some((at, second)),
            Some(_) => at + ESCAPE_BYTES,
        };
    }
}

/// Returns the UTF-16 unit of the escape at a place; `None` if there is no escape.
fn escaped_unit(body: &[u8], at: usize) -> Option<u16> {
    let digits = body.get(at..at + ESCAPE_BYTES)?.strip_prefix(b"\\u")?;
    let digit = |unit: u16, digit: &u8| Some(unit << 4 | char::from(*digit).to_digit(16)? as u16);
    digits.iter().try_fold(0, digit)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lone_halves_are_found_and_whole_characters_are_not() {
        for (sent, read) in [
            (r#""\ud83d\udc08""#, "🐈"),
            (r#""\ud83d""#, "\u{fffd}"),
            (r#""a\udc08b\uD83D""#, "a\u{fffd}b\u{fffd}"),
            (r#""\udc08\ud83d""#, "\u{fffd}\u{fffd}"),
            (r#""\ud83d\ud83d\udc08""#, "\u{fffd}🐈"),
            (r#""\ud83dA""#, "\u{fffd}A"),
            (r#""\\ud83d""#, r"\ud83d"),
            (r#""\\\ud83d""#, "\\\u{fffd}"),
            (r#""\"\u00e9\n""#, "\"é\n"),
        ] {
            let mut body = sent.as_bytes().to_vec();
            replace(&mut body);
            assert_eq!(serde_json::from_slice::<String>(&body).expect(sent), read);
            let marked = mark(sent).unwrap_or_else(|| sent.to_owned());
            let marked: String = serde_json::from_str(&marked).expect(sent);
            let plain: String = marked
                .chars()
                .map(|c| if marked_surrogate(c).is_some() { char::REPLACEMENT_CHARACTER } else { c })
                .collect();
            assert_eq!(plain, read);
        }
    }

    proptest! {
        #[test]
        fn what_is_json_stays_as_it_is(text: String) {
            let sent = serde_json::to_string(&text).expect("a text");
            prop_assert_eq!(mark(&sent), None);
            let mut body = sent.clone().into_bytes();
            replace(&mut body);
            prop_assert_eq!(body, sent.into_bytes());
        }

        #[test]
        fn any_units_can_be_read(units: Vec<u16>) {
            let mut body = String::from("\"");
            for unit in &units {
                write!(body, "\\u{unit:04x}").expect("a string takes all");
            }
            body.push('"');
            let mut body = body.into_bytes();
            replace(&mut body);
            prop_assert_eq!(serde_json::from_slice::<String>(&body).expect("JSON"), String::from_utf16_lossy(&units));
        }
    }
}
