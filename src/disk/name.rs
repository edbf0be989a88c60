//! Names from outside, made into file names.

/// Bytes of a name at most: every file system has space for a number after it.
const LONGEST: usize = 200;
/// Bytes of an extension that is kept where the name is shortened.
const ENDING: usize = 24;
/// The name for a file without one.
const NONE: &str = "file";

/// Makes a safe file name of whatever was sent: its last part, without characters that control a terminal, hide, or
/// change the direction of text, or that some file systems refuse; not a hidden file, a device's name or a command-line
/// option; at most 200 bytes.
pub fn clean(sent: &str) -> String {
    let last = sent.rsplit(['/', '\\']).find(|part| !part.trim().is_empty()).unwrap_or_default();
    let mut name: String = last.chars().filter(|c| !steers(*c)).map(usable).collect();
    let trimmed = name.trim_start_matches(|c: char| c == '.' || c.is_whitespace());
    let trimmed = trimmed.trim_end_matches(|c: char| c == '.' || c.is_whitespace());
    name = cut(trimmed);
    if name.is_empty() {
        return NONE.to_owned();
    }
    if name.starts_with('-') || name.starts_with('~') {
        name.replace_range(..1, "_");
    }
    if is_device(&name) { cut(&format!("_{name}")) } else { name }
}

/// Returns whether a character is no visible part of a name: controls, characters that hide, join, or reorder, tags,
/// and variation selectors.
fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fdd0}'..='\u{fdef}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
        || (c as u32 & 0xfffe) == 0xfffe
}

/// Replaces a character that some file systems refuse with `_`.
fn usable(c: char) -> char {
    if matches!(c, '<' | '>' | ':' | '"' | '|' | '?' | '*') { '_' } else { c }
}

/// Shortens a name to 200 bytes and keeps its extension.
fn cut(name: &str) -> String {
    if name.len() <= LONGEST {
        return name.to_owned();
    }
    let ending = name.rfind('.').map_or("", |dot| &name[dot..]);
    let ending = if ending.len() <= ENDING { ending } else { "" };
    let stem = name[..name.floor_char_boundary(LONGEST - ending.len())].trim_end_matches(['.', ' ']);
    format!("{stem}{ending}")
}

/// Returns whether a name is that of a device on Windows, whatever its extension.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let numbered = |port: &str| {
        stem.strip_prefix(port).is_some_and(|rest| {
            let mut rest = rest.chars();
            matches!((rest.next(), rest.next()), (Some('0'..='9' | '¹' | '²' | '³'), None))
        })
    };
    matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$" | "CLOCK$")
        || numbered("COM")
        || numbered("LPT")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn hostile_names_become_plain_ones() {
        for (sent, name) in [
            ("a.jsonl", "a.jsonl"),
            ("naïve ✓ 日本.jsonl", "naïve ✓ 日本.jsonl"),
            ("../../etc/passwd", "passwd"),
            ("/etc/passwd", "passwd"),
            ("C:\\Users\\me\\a b.jsonl", "a b.jsonl"),
            ("dir/", "dir"),
            ("a/..", "file"),
            ("a\u{1b}[31m\r\nb\0.jsonl", "a[31mb.jsonl"),
            ("a\u{9b}2Jb", "a2Jb"),
            ("\u{202e}lnosj.exe", "lnosj.exe"),
            ("a\u{200b}\u{feff}\u{e0041}b", "ab"),
            (".bashrc", "bashrc"),
            ("...", "file"),
            ("..", "file"),
            ("", "file"),
            (" . ", "file"),
            ("///", "file"),
            ("\u{7}", "file"),
            ("name. . ", "name"),
            ("-rf", "_rf"),
            ("~root", "_root"),
            ("CON", "_CON"),
            ("nul.jsonl", "_nul.jsonl"),
            ("com1.tar.gz", "_com1.tar.gz"),
            ("com10", "com10"),
            ("console.txt", "console.txt"),
            ("a<b>:c|d?e*\"f", "a_b__c_d_e__f"),
        ] {
            assert_eq!(clean(sent), name, "{sent:?}");
        }
    }

    #[test]
    fn a_long_name_is_cut_before_its_ending() {
        for length in [199, 200, 201, 5000] {
            let name = clean(&format!("{}.jsonl", "x".repeat(length - 6)));
            assert_eq!(name.len(), length.min(200));
            assert!(name.ends_with("x.jsonl"));
        }
        assert_eq!(clean(&format!("x{}", "ä".repeat(100))).len(), 199);
        assert_eq!(clean(&format!("a.{}", "e".repeat(300))).len(), 200, "an ending that is none");
    }

    proptest! {
        #[test]
        fn whatever_is_sent_a_name_stays_in_its_folder(sent in any::<String>()) {
            let name = clean(&sent);
            prop_assert!(!name.is_empty() && name.len() <= LONGEST);
            prop_assert!(!name.starts_with('.') && !name.contains(['/', '\\', '\0']));
            prop_assert_eq!(std::path::Path::new(&name).components().count(), 1);
            prop_assert_eq!(clean(&name), name.clone(), "cleaning it again changes nothing");
        }
    }
}
