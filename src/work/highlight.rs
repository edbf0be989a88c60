//! From code to tinted byte ranges. Three tints are enough for a terminal theme, so scopes are mapped instead of
//! themed.

use std::ops::Range;
use std::time::{Duration, Instant};

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};
use syntect::util::LinesWithEndings;

use crate::text::Tint;

/// Bytes of the longest code that is coloured; more would take seconds and stays plain.
pub(super) const MOST: usize = 200 << 10;
/// Time after which the rest of a block stays plain.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long the syntaxes (tens of megabytes once in use) are kept in memory without use.
pub(super) const KEEP: Duration = Duration::from_mins(2);

/// Language names after a fence that no syntax lists.
const ALIASES: &[(&str, &str)] = &[
    ("shell", "sh"),
    ("console", "sh"),
    ("terminal", "sh"),
    ("shell-session", "sh"),
    ("c++", "cpp"),
    ("csharp", "cs"),
    ("c#", "cs"),
    ("golang", "go"),
    ("jsonc", "json"),
    ("json5", "json"),
    ("jsonl", "json"),
    ("ndjson", "json"),
    ("javascript", "js"),
    ("typescript", "ts"),
    ("python3", "py"),
    ("rustlang", "rs"),
    ("objective-c", "m"),
    ("patch", "diff"),
    ("docker", "dockerfile"),
    ("kotlin", "kt"),
];

/// The syntaxes, loaded.
pub(super) struct Painter {
    syntaxes: SyntaxSet,
    scopes: Scopes,
}

impl Painter {
    pub(super) fn new() -> Self {
        Self { syntaxes: two_face::syntax::extra_newlines(), scopes: Scopes::new() }
    }

    /// Returns the tinted ranges of code, ascending and not overlapping; none for an unknown language.
    pub(super) fn paint(&self, language: &str, code: &str) -> Vec<(Range<usize>, Tint)> {
        let mut tints: Vec<(Range<usize>, Tint)> = Vec::new();
        if code.len() > MOST {
            return tints;
        }
        let Some(syntax) = self.syntax(language, code) else { return tints };
        let start = Instant::now();
        let mut state = ParseState::new(syntax);
        let mut stack = ScopeStack::new();
        let mut line_at = 0;
        for line in LinesWithEndings::from(code) {
            // After an error or a slow expression the rest stays plain.
            let Ok(changes) = state.parse_line(line, &self.syntaxes) else { break };
            let mut from = 0;
            for (to, change) in changes.iter().map(|(to, change)| (*to, Some(change))).chain([(line.len(), None)]) {
                self.scopes.add(&mut tints, &stack, code, line_at + from..line_at + to);
                from = to.max(from);
                if change.is_some_and(|change| stack.apply(change).is_err()) {
                    return tints;
                }
            }
            line_at += line.len();
            if start.elapsed() > PATIENCE {
                break;
            }
        }
        tints
    }

    /// Returns the syntax for a fence's word; without a word, the one that the first line (`#!/bin/sh`) indicates.
    fn syntax(&self, language: &str, code: &str) -> Option<&SyntaxReference> {
        let word = language.trim_start_matches(['{', '.', ' ']).to_ascii_lowercase();
        let end = word.find(|c: char| !(c.is_alphanumeric() || "+#-_".contains(c))).unwrap_or(word.len());
        let word = &word[..end];
        if word.is_empty() {
            return self.syntaxes.find_syntax_by_first_line(code);
        }
        let word = ALIASES.iter().find(|(alias, _)| *alias == word).map_or(word, |(_, word)| word);
        self.syntaxes.find_syntax_by_token(word)
    }
}

/// The scopes that are mapped, as numbers.
struct Scopes {
    tints: Vec<(Scope, Tint)>,
    operator: Scope,
    /// Scopes inside which code begins again: `${…}` in a string is no string.
    fresh: Vec<Scope>,
}

impl Scopes {
    fn new() -> Self {
        // These names are well-formed, so none is left out.
        let scopes = |names: &[&str]| names.iter().filter_map(|name| Scope::new(name).ok()).collect::<Vec<_>>();
        let tinted = [
            (Tint::Comment, scopes(&["comment"])),
            (Tint::String, scopes(&["string", "constant"])),
            (Tint::Keyword, scopes(&["keyword", "storage", "variable.language", "entity.name.tag"])),
        ];
        Self {
            tints: tinted.into_iter().flat_map(|(tint, scopes)| scopes.into_iter().map(move |s| (s, tint))).collect(),
            operator: scopes(&["keyword.operator"]).into_iter().next().unwrap_or_default(),
            fresh: scopes(&["source", "meta.interpolation", "meta.embedded"]),
        }
    }

    /// Adds a range under its innermost tint, joined to the one before if both are the same.
    fn add(&self, tints: &mut Vec<(Range<usize>, Tint)>, stack: &ScopeStack, code: &str, range: Range<usize>) {
        let text = code.get(range.clone()).unwrap_or_default();
        if text.trim().is_empty() {
            return;
        }
        let Some(tint) = self.tint(stack, text) else { return };
        match tints.last_mut() {
            Some((last, same)) if *same == tint && last.end == range.start => last.end = range.end,
            _ => tints.push((range, tint)),
        }
    }

    fn tint(&self, stack: &ScopeStack, text: &str) -> Option<Tint> {
        for scope in stack.as_slice().iter().rev() {
            if self.fresh.iter().any(|fresh| fresh.is_prefix_of(*scope)) {
                return None;
            }
            // `and` is a word, `+` is not.
            if self.operator.is_prefix_of(*scope) && !text.starts_with(char::is_alphabetic) {
                return None;
            }
            if let Some((_, tint)) = self.tints.iter().find(|(known, _)| known.is_prefix_of(*scope)) {
                return Some(*tint);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn painted<'a>(language: &str, code: &'a str) -> Vec<(&'a str, Tint)> {
        let tints = Painter::new().paint(language, code);
        let mut end = 0;
        for (range, _) in &tints {
            assert!(range.start >= end && range.end > range.start, "{tints:?}");
            end = range.end;
        }
        tints.into_iter().map(|(range, tint)| (code[range].trim_end(), tint)).collect()
    }

    #[test]
    fn keywords_strings_and_comments_are_told_apart() {
        let seen = painted("rust", "// note\nfn main() { let s = \"é\\n\"; let n = 1 + 2; }\n");
        for part in [
            ("// note", Tint::Comment),
            ("fn", Tint::Keyword),
            ("let", Tint::Keyword),
            ("\"é\\n\"", Tint::String),
            ("1", Tint::String),
        ] {
            assert!(seen.contains(&part), "{part:?} in {seen:?}");
        }
        assert!(!seen.iter().any(|(text, _)| text.contains('+')), "{seen:?}");
        let seen = painted("python", "x = a and f\"b{c}d\"  # e");
        assert!(seen.contains(&("and", Tint::Keyword)) && seen.contains(&("# e", Tint::Comment)), "{seen:?}");
        assert!(!seen.iter().any(|(text, _)| text.contains('c')), "{seen:?}");
    }

    #[test]
    fn fence_words_find_their_syntax() {
        let painter = Painter::new();
        for word in [
            "rust",
            "Rust",
            "rust,no_run",
            "{.python}",
            "py",
            "js",
            "javascript",
            "ts",
            "typescript",
            "tsx",
            "json",
            "jsonl",
            "sh",
            "bash",
            "shell",
            "console",
            "zsh",
            "toml",
            "yaml",
            "yml",
            "html",
            "css",
            "sql",
            "go",
            "golang",
            "c",
            "cpp",
            "c++",
            "java",
            "csharp",
            "kotlin",
            "ruby",
            "php",
            "swift",
            "diff",
            "dockerfile",
            "makefile",
            "lua",
            "xml",
            "ini",
        ] {
            assert!(painter.syntax(word, "").is_some(), "{word}");
        }
        for word in ["text", "nonsense-language"] {
            let plain = painter.syntax(word, "").is_none_or(|syntax| syntax.name == "Plain Text");
            assert!(plain, "{word}");
        }
        assert_eq!(painter.syntax("", "#!/usr/bin/env python3\nx").map(|s| s.name.as_str()), Some("Python"));
    }

    #[test]
    fn what_is_too_long_or_unknown_stays_plain() {
        assert_eq!(painted("rust", &"let x;\n".repeat(MOST / 7 + 1)), []);
        assert_eq!(painted("nonsense-language", "let x;"), []);
        assert_eq!(painted("rust", ""), []);
    }
}
