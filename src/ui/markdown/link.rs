//! Targets of links. Only addresses that are safe inside a terminal's link sequence become targets.

use std::ops::Range;
use std::sync::Arc;

use memchr::memmem;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use super::line::{Kind, Line, Role};

/// Bytes of the longest address that becomes a target.
const LONGEST: usize = 2_000;
/// Characters that an address must not contain unencoded; a percent sign stays, as it may be part of an encoding.
const ENCODED: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'\\').add(b'^').add(b'`').add(b'{').add(b'|').add(b'}');

/// A web address in printable ASCII, without spaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkTarget(Arc<str>);

impl LinkTarget {
    /// Accepts an address; `None`: it is no web address, too long, or contains what a terminal could act on.
    pub fn new(address: &str) -> Option<Self> {
        let (scheme, rest) = address.split_once("://")?;
        let web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
        let host = rest.starts_with(|c: char| c.is_alphanumeric() || c == '[');
        if !web || !host || address.len() > LONGEST || address.contains(char::is_control) {
            return None;
        }
        let encoded = utf8_percent_encode(address, ENCODED).to_string();
        (encoded.len() <= LONGEST).then(|| Self(encoded.into()))
    }

    /// Returns the address.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Line {
    /// Makes the text from a place on a link.
    pub(super) fn link(&mut self, from: usize, address: &str) {
        let range = from..self.text.len();
        if let Some(target) = LinkTarget::new(address).filter(|_| !range.is_empty()) {
            self.links.push((range, target));
        }
    }

    /// Makes links of bare addresses in the text, outside code.
    pub(super) fn link_addresses(&mut self) {
        let text = self.text.as_bytes();
        let mut from = 0;
        let mut found: Vec<(Range<usize>, LinkTarget)> = Vec::new();
        while let Some(at) = memmem::find(&text[from..], b"://") {
            let at = from + at;
            let scheme = ["https", "http"].iter().find(|scheme| self.text[from..at].ends_with(**scheme));
            let Some(scheme) = scheme else {
                from = at + 3;
                continue;
            };
            let start = at - scheme.len();
            let end = at + 3 + self.text[at + 3..].find(ends_address).unwrap_or(text.len() - at - 3);
            let end = start + without_punctuation(&self.text[start..end]).len();
            from = end.max(at + 3);
            let overlaps = |range: &Range<usize>| range.start < end && start < range.end;
            let known = self.links.iter().any(|(range, _)| overlaps(range));
            let code = |role: &Role| matches!(role.kind, Kind::Code | Kind::InlineCode | Kind::Backtick);
            let taken = known || self.roles.iter().any(|(range, role)| code(role) && overlaps(range));
            if let Some(target) = LinkTarget::new(&self.text[start..end]).filter(|_| !taken) {
                found.push((start..end, target));
            }
        }
        for (range, target) in found {
            let before = self.roles.partition_point(|(role, _)| role.end <= range.start);
            if self.roles.get(before).is_none_or(|(role, _)| role.start >= range.end) {
                self.roles.insert(before, (range.clone(), Role::of(Kind::Link)));
            }
            let at = self.links.partition_point(|(link, _)| link.start < range.start);
            self.links.insert(at, (range, target));
        }
    }
}

/// Returns whether a character ends an address in a text.
fn ends_address(c: char) -> bool {
    !c.is_ascii_graphic() || matches!(c, '<' | '>' | '"' | '`' | '|')
}

/// Returns an address without the punctuation of the sentence around it.
fn without_punctuation(mut address: &str) -> &str {
    loop {
        let trimmed = address.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', '_', '~']);
        let closing = [('(', ')'), ('[', ']')].into_iter().find_map(|(open, close)| {
            let inner = trimmed.strip_suffix(close)?;
            (trimmed.matches(close).count() > trimmed.matches(open).count()).then_some(inner)
        });
        let next = closing.unwrap_or(trimmed);
        if next.len() == address.len() {
            return address;
        }
        address = next;
    }
}

#[cfg(test)]
mod tests {
    use super::super::build::blocks;
    use super::*;

    fn links(source: &str) -> Vec<(String, String)> {
        let lines = blocks(source, 0, false).into_iter().flat_map(|block| block.lines);
        let found = lines.flat_map(|line| {
            let text = line.text.clone();
            line.links.into_iter().map(move |(range, target)| (text[range].to_owned(), target.as_str().to_owned()))
        });
        found.collect()
    }

    fn owned(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|(text, target)| ((*text).to_owned(), (*target).to_owned())).collect()
    }

    #[test]
    fn addresses_are_found_as_links_and_as_text() {
        assert_eq!(
            links("See [the *docs*](https://a.example/x), <http://b.example> and https://c.example/(y).\n"),
            owned(&[
                ("the docs", "https://a.example/x"),
                ("http://b.example", "http://b.example"),
                ("https://c.example/(y)", "https://c.example/(y)"),
            ])
        );
        assert_eq!(
            links("(see https://a.example/b_c_d), **https://b.example**!"),
            owned(&[
                ("https://a.example/b_c_d", "https://a.example/b_c_d"),
                ("https://b.example", "https://b.example"),
            ])
        );
        assert_eq!(links("见https://a.example/x。"), owned(&[("https://a.example/x", "https://a.example/x")]));
        assert_eq!(links("[two  \nlines](https://a.example)").len(), 2, "a link may go on in the next line");
    }

    #[test]
    fn code_and_other_schemes_hold_none() {
        for text in [
            "`https://a.example`",
            "```\nhttps://a.example\n```",
            "[x](javascript:alert(1))",
            "[x](file:///etc/passwd)",
            "[x](//a.example)",
            "[x](https://)",
            "ftp://a.example",
            "https:// a",
        ] {
            assert!(links(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn what_a_terminal_could_act_on_is_encoded_or_refused() {
        assert_eq!(LinkTarget::new("https://a.example/ü b\\c").unwrap().as_str(), "https://a.example/%C3%BC%20b%5Cc");
        assert_eq!(LinkTarget::new("https://a.example/%41").unwrap().as_str(), "https://a.example/%41");
        assert_eq!(LinkTarget::new("https://a.example/\u{202e}x").unwrap().as_str(), "https://a.example/%E2%80%AEx");
        for address in ["https://a.example/\u{1b}\\x", "https://a.example/\u{7}", "https://a.example/\u{9b}x"] {
            assert_eq!(LinkTarget::new(address), None, "{address:?}");
        }
        let long = format!("https://a.example/{}", "x".repeat(LONGEST));
        assert_eq!(LinkTarget::new(&long), None);
        assert!(LinkTarget::new(&long[..LONGEST]).is_some());
        assert_eq!(
            LinkTarget::new(&long[..LONGEST - 10].replace('x', "ü")),
            None,
            "its length is that of what is sent"
        );
    }
}
