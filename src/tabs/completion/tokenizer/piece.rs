//! Shows the bytes of one token: blanks are visible, parts of characters are shown as bytes.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthChar;

use crate::text::Untrusted;
use crate::ui::wrap;

/// What stands for a space.
const BLANK: char = '·';

/// Returns the bytes of a token, safe to show on one line, with spaces as `·`.
pub(crate) fn shown(bytes: &[u8]) -> String {
    visible(bytes, BLANK)
}

/// Returns the bytes of a token as a quotation, with spaces as they are; in which a part of a character needs no
/// quotes.
pub(crate) fn quoted(bytes: &[u8]) -> String {
    let text = visible(bytes, ' ');
    if std::str::from_utf8(bytes).is_ok() { format!("\"{text}\"") } else { text }
}

/// Returns how many columns [`shown`] takes, and whether a line ends in it.
pub(super) fn measure(bytes: &[u8]) -> (usize, bool) {
    let ends = bytes.contains(&b'\n');
    if bytes.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t')) {
        return (bytes.len(), ends);
    }
    (wrap::width(&shown(bytes)), ends)
}

/// Returns bytes as two hexadecimal digits each, the first `most` of them.
pub(super) fn hex(bytes: &[u8], most: usize) -> String {
    let mut out = String::with_capacity(bytes.len().min(most) * 3);
    for (at, byte) in bytes.iter().take(most).enumerate() {
        // Writing to a String cannot fail.
        let _ = write!(out, "{}{byte:02x}", if at == 0 { "" } else { " " });
    }
    if bytes.len() > most {
        let _ = write!(out, " … ({} bytes)", bytes.len());
    }
    out
}

fn visible(bytes: &[u8], blank: char) -> String {
    let mut out = String::with_capacity(bytes.len());
    // Several pieces of characters in a row are one run of bytes, from `part` to `at`.
    let (mut at, mut part) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        if !chunk.valid().is_empty() {
            push_part(&mut out, &bytes[part..at]);
            push_text(&mut out, chunk.valid(), blank);
            at += chunk.valid().len();
            part = at;
        }
        at += chunk.invalid().len();
    }
    push_part(&mut out, &bytes[part..]);
    out
}

fn push_part(out: &mut String, part: &[u8]) {
    if !part.is_empty() {
        let _ = write!(out, "⟨{}⟩", hex(part, usize::MAX));
    }
}

fn push_text(out: &mut String, text: &str, blank: char) {
    let mut marked = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            ' ' => marked.push(blank),
            '\n' => marked.push('⏎'),
            '\t' => marked.push('⇥'),
            // The sanitiser would leave it out before a line end.
            '\r' => marked.push('␍'),
            // Blanks that look like other blanks, or are invisible.
            c if c.is_whitespace() => {
                let _ = write!(marked, "⟨U+{:04X}⟩", c as u32);
            }
            c => marked.push(c),
        }
    }
    let marked = Untrusted::from(marked);
    let safe = marked.line();
    // An accent without its letter would be drawn over the character before it.
    if safe.chars().next().is_some_and(|c| c.width() == Some(0)) {
        out.push('◌');
    }
    out.push_str(&safe);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_token_is_invisible() {
        for (bytes, expected) in [
            (&b" music"[..], "·music"),
            (b"\n\n", "⏎⏎"),
            (b"\r\n\t", "␍⏎⇥"),
            (b"\x1b[2J\x00", "␛[2J␀"),
            (b"\xe6\x97", "⟨e6 97⟩"),
            (b"\xa5", "⟨a5⟩"),
            (b"\xff\xfe\xa5", "⟨ff fe a5⟩"),
            (b" \xe6\x97", "·⟨e6 97⟩"),
            (b"a\xe6b\xa5\xa5", "a⟨e6⟩b⟨a5 a5⟩"),
            ("日本".as_bytes(), "日本"),
            ("\u{a0}\u{3000}".as_bytes(), "⟨U+00A0⟩⟨U+3000⟩"),
            ("\u{202e}\u{200d}".as_bytes(), "⟨U+202E⟩⟨U+200D⟩"),
            ("\u{301}".as_bytes(), "◌\u{301}"),
            (b"", ""),
        ] {
            assert_eq!(shown(bytes), expected);
            assert_eq!(measure(bytes).0, wrap::width(expected), "{expected}");
        }
        assert!(measure(b".\n").1 && !measure(b"\r").1);
    }

    #[test]
    fn quotations_keep_their_spaces() {
        assert_eq!(quoted(b" music"), "\" music\"");
        assert_eq!(quoted(b"\xe6\x97"), "⟨e6 97⟩");
        assert_eq!(hex(b" mu", 8), "20 6d 75");
        assert_eq!(hex(&[b' '; 20], 2), "20 20 … (20 bytes)");
    }
}
