//! Names of files as callers send and get them. A name is text: it never becomes a path here.

use std::fmt::Write as _;

use axum::http::HeaderValue;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode, utf8_percent_encode};

/// Bytes of a name; longer ones are shortened.
const LONGEST: usize = 200;
/// The name of a file that was sent without one.
const NONE: &str = "file";
/// Characters that are not encoded in the extended form of a header's parameter.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'.').remove(b'-').remove(b'_').remove(b'~');

/// Returns the name of an uploaded file: the last part of what was sent, without characters that control a terminal or
/// change the direction of text, and of a length that every file system supports.
pub(super) fn clean(sent: &str) -> String {
    let base = sent.rsplit(['/', '\\']).find(|part| !part.trim().is_empty()).unwrap_or_default();
    let mut name = String::new();
    for c in base.chars().filter(|c| !steers(*c)) {
        if name.len() + c.len_utf8() > LONGEST {
            break;
        }
        name.push(c);
    }
    let name = name.trim();
    if matches!(name, "" | "." | "..") { NONE.to_owned() } else { name.to_owned() }
}

fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
        || matches!(c, '\u{e0000}'..='\u{e007f}')
}

/// Returns the name in the extended parameter of a part's `Content-Disposition`, which some clients send instead of the
/// plain one for names outside ASCII: `filename*=utf-8''na%C3%AFve.jsonl`.
pub(super) fn extended(disposition: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(disposition);
    let value = text.split(';').find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("filename*").then(|| value.trim().trim_matches('"').to_owned())
    })?;
    let (_charset, rest) = value.split_once('\'')?;
    let (_language, name) = rest.split_once('\'')?;
    Some(percent_decode(name.as_bytes()).decode_utf8_lossy().into_owned())
}

/// Returns the `Content-Disposition` of a download: the name in ASCII, and also in full if that differs.
pub(super) fn disposition(name: &str) -> HeaderValue {
    let mut value = String::from("attachment; filename=\"");
    for c in name.chars() {
        match c {
            '"' | '\\' => value.extend(['\\', c]),
            ' '..='~' => value.push(c),
            _ => value.push('_'),
        }
    }
    value.push('"');
    if !name.is_ascii() {
        let _ = write!(value, "; filename*=UTF-8''{}", utf8_percent_encode(name, PLAIN));
    }
    HeaderValue::from_str(&value).expect("all of it is printable ASCII")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_last_part_of_what_was_sent_and_steers_nothing() {
        for (sent, name) in [
            ("a.jsonl", "a.jsonl"),
            ("../../etc/passwd", "passwd"),
            ("C:\\Users\\me\\a b.jsonl", "a b.jsonl"),
            ("/tmp/dir/", "dir"),
            ("a\u{1b}[31m\r\nb\0.jsonl", "a[31mb.jsonl"),
            ("\u{202e}lnosj.exe", "lnosj.exe"),
            ("naïve ✓.jsonl", "naïve ✓.jsonl"),
            ("", "file"),
            ("..", "file"),
            (" . ", "file"),
            ("///", "file"),
            ("\u{7}", "file"),
        ] {
            assert_eq!(clean(sent), name, "{sent:?}");
        }
        assert_eq!(clean(&"x".repeat(200)).len(), 200);
        assert_eq!(clean(&"x".repeat(201)).len(), 200);
        assert_eq!(clean(&format!("x{}", "ä".repeat(100))).len(), 199);
    }

    #[test]
    fn the_extended_form_is_read() {
        let read = |text: &str| extended(text.as_bytes());
        assert_eq!(read("form-data; name=\"file\"; filename*=utf-8''na%C3%AFve.jsonl").as_deref(), Some("naïve.jsonl"));
        assert_eq!(read("form-data; FileName*=\"UTF-8'en'a%20b\"").as_deref(), Some("a b"));
        assert_eq!(read("form-data; name=\"file\"; filename=\"x\""), None);
        assert_eq!(read("form-data; filename*=x"), None);
    }

    #[test]
    fn a_download_has_its_name_quoted_and_in_full() {
        for (name, header) in [
            ("a b.jsonl", "attachment; filename=\"a b.jsonl\""),
            ("a\"b;c", "attachment; filename=\"a\\\"b;c\""),
            ("ä'.x", "attachment; filename=\"_'.x\"; filename*=UTF-8''%C3%A4%27.x"),
        ] {
            assert_eq!(disposition(name).to_str().unwrap(), header);
        }
    }
}
