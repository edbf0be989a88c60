//! The bytes of a token as they are shown.

use std::fmt::Write as _;

use crate::text::Untrusted;

/// Returns a token's bytes made visible, on one line and safe to show: line ends as `␊`, tabs as `⇥`, what is no whole
/// character as `⟨e6 97⟩`. Blanks stay as they are: it wants quotes around it.
pub fn name(bytes: &[u8]) -> String {
    let mut name = String::new();
    for chunk in bytes.utf8_chunks() {
        name.push_str(&Untrusted::from(chunk.valid().replace('\t', "⇥")).line());
        if !chunk.invalid().is_empty() {
            let hex: Vec<String> = chunk.invalid().iter().map(|byte| format!("{byte:02x}")).collect();
            let _ = write!(name, "⟨{}⟩", hex.join(" "));
        }
    }
    name
}

/// Returns a token's name in quotation marks.
pub(super) fn quoted(bytes: &[u8]) -> String {
    format!("“{}”", name(bytes))
}

/// Returns a token's name as a row has it: in quotation marks where its end would not be seen otherwise.
pub(super) fn row_name(bytes: &[u8]) -> String {
    let name = name(bytes);
    if name.is_empty() || name.ends_with(' ') { format!("“{name}”") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_shows_where_it_ends() {
        assert_eq!([row_name(b" a"), row_name(b"a "), row_name(b""), row_name(b"  ")], [" a", "“a ”", "“”", "“  ”"]);
    }

    #[test]
    fn bytes_are_made_visible_and_safe() {
        assert_eq!(name(b" a\n"), " a␊");
        assert_eq!(name(b"\tx"), "⇥x");
        assert_eq!(name(&"日".as_bytes()[..2]), "⟨e6 97⟩");
        assert_eq!(name(b"\x1b[2J"), "␛[2J");
        assert_eq!(name("\u{202e}".as_bytes()), "⟨U+202E⟩");
    }
}
