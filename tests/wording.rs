//! Every text of the program that a user may see, in one list, and the words that none of them has.
//!
//! `cargo test --test wording -- --nocapture` prints the list, by file and line; at its end single words, most of them
//! labels.
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Folders and files whose texts reach the screen, the command line or a reply of the local service.
const SHOWN: [&str; 22] = [
    "src/api",
    "src/app",
    "src/cli.rs",
    "src/client",
    "src/component",
    "src/dataset",
    "src/disk",
    "src/engine",
    "src/main.rs",
    "src/process.rs",
    "src/record",
    "src/service",
    "src/settings",
    "src/store",
    "src/tabs",
    "src/text",
    "src/tokens",
    "src/ui",
    "src/vectors",
    "src/wire",
    "src/wire.rs",
    "src/work",
];

/// Prompts for a model, which are no texts of the program.
const PROMPTS: &str = "src/tabs/completion/presets/examples.rs";

/// Words and phrases that plain English has a better one for, each with it.
const AVOIDED: [(&str, &str); 22] = [
    ("1 rows", "1 row"),
    ("again in {", "retry in {"),
    ("asked of the server", "requested from the server"),
    ("came to nothing", "failed"),
    ("comes to nothing", "fails"),
    ("directory", "folder"),
    ("drawn", "chosen"),
    ("learnt", "learned"),
    ("make good", "repair"),
    ("no news", "nothing new"),
    ("nothing has run yet", "No runs yet."),
    ("of one's own", "your own"),
    ("part of the way", "partly"),
    ("rank by a text", "Rank by similarity to…"),
    ("reckon", "estimate"),
    ("rows go that", "Remove duplicate rows"),
    ("sent to terminal", "copied (via terminal)"),
    ("so many alternatives", "alternatives per token"),
    ("sum up again", "recompute"),
    ("was said yet", "No messages yet."),
    ("where it parts", "first difference"),
    ("whoever", "anyone who"),
];

/// Macros whose texts only developers see.
const INTERNAL: [&str; 14] = [
    "assert",
    "assert_eq",
    "assert_ne",
    "debug",
    "debug_assert",
    "error",
    "info",
    "panic",
    "params",
    "todo",
    "trace",
    "unreachable",
    "warn",
    "include_str",
];

/// A text with the line it stands in.
struct Text {
    line: usize,
    text: String,
}

/// Collects the string literals of a token stream, without tests and what only developers see. Documentation is text
/// where `documented`: the command line's help is made of it.
fn collect(tokens: TokenStream, documented: bool, found: &mut Vec<Text>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            // An attribute: of a test, the item behind it is left out.
            TokenTree::Punct(punct) if punct.as_char() == '#' => {
                at += 1;
                // `#!` is of the file or the block as a whole.
                at += usize::from(matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == '!'));
                let Some(TokenTree::Group(group)) = tokens.get(at) else { continue };
                let words = group.stream().to_string();
                at += 1;
                if words.starts_with("cfg (test)") || words.starts_with("cfg(test)") {
                    at = behind_item(&tokens, at);
                } else if (words.starts_with("doc") && (documented || is_flag(&tokens, at)))
                    || words.starts_with("error")
                {
                    // The sentence of an error is in its attribute.
                    collect(group.stream(), false, found);
                }
                continue;
            }
            TokenTree::Ident(name) if is_internal(&tokens, at) => {
                at += if name == "expect" || name == "in_palette" { 2 } else { 3 };
                continue;
            }
            TokenTree::Group(group) => collect(group.stream(), documented, found),
            TokenTree::Literal(literal) => {
                if let Some(text) = unquoted(&literal.to_string()).filter(|text| is_shown(text)) {
                    found.push(Text { line: literal.span().start().line, text });
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// Returns whether the documentation before this is that of a flag: an attribute of the command line follows.
fn is_flag(tokens: &[TokenTree], from: usize) -> bool {
    let attributes = tokens[from..].chunks(2).map_while(|pair| match pair {
        [TokenTree::Punct(punct), TokenTree::Group(group)] if punct.as_char() == '#' => {
            Some(group.stream().to_string())
        }
        _ => None,
    });
    attributes.into_iter().any(|words| words.starts_with("arg"))
}

/// Returns whether a macro for developers, `expect(…)`, or `in_palette(…)`, whose words are not shown, begins here.
fn is_internal(tokens: &[TokenTree], at: usize) -> bool {
    let TokenTree::Ident(name) = &tokens[at] else { return false };
    let name = name.to_string();
    let is = |token: Option<&TokenTree>, wanted: char| matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == wanted);
    let called =
        matches!(tokens.get(at + 1), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
    (INTERNAL.contains(&name.as_str()) && is(tokens.get(at + 1), '!'))
        || ((name == "expect" || name == "in_palette") && called)
}

/// Returns the index after an item: after its body or its semicolon.
fn behind_item(tokens: &[TokenTree], from: usize) -> usize {
    for (at, token) in tokens.iter().enumerate().skip(from) {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => return at + 1,
            TokenTree::Punct(punct) if punct.as_char() == ';' => return at + 1,
            _ => {}
        }
    }
    tokens.len()
}

/// Returns the text of a string literal; `None`: it is another literal.
fn unquoted(literal: &str) -> Option<String> {
    if let Some(raw) = literal.strip_prefix('r') {
        let raw = raw.trim_matches('#');
        return raw.strip_prefix('"')?.strip_suffix('"').map(str::to_owned);
    }
    let inside = literal.strip_prefix('"')?.strip_suffix('"')?;
    let mut text = String::new();
    let mut lines = inside.split("\\\n");
    text.push_str(lines.next().unwrap_or_default());
    lines.for_each(|line| text.push_str(line.trim_start()));
    Some(text.replace("\\n", "\n").replace("\\\"", "\"").replace("\\\\", "\\"))
}

/// Returns whether a literal may be text for the user: a word or several, and no path, query or pattern.
fn is_shown(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let words = text.split_whitespace().count();
    if words == 1 {
        return letters >= 3 && text.trim().chars().all(|c| c.is_alphabetic() || "-’…".contains(c));
    }
    let code = ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "CREATE ", "PRAGMA ", "WHERE ", "\u{1b}", "\\u{1b}", "(?"];
    letters >= 3 && !code.iter().any(|sign| text.contains(sign))
}

fn files(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let mut inside: Vec<PathBuf> = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
        inside.sort();
        for path in &inside {
            files(path, found);
        }
    } else if path.extension().is_some_and(|end| end == "rs") && !is_test(path) {
        found.push(path.to_owned());
    }
}

/// Returns whether a file holds tests, by its folder or its name.
fn is_test(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "tests")
        || path.file_stem().is_some_and(|name| name == "tests" || name.to_string_lossy().ends_with("_test"))
}

/// Returns all texts by file.
fn texts() -> Vec<(PathBuf, Vec<Text>)> {
    let mut paths = Vec::new();
    for place in SHOWN {
        files(Path::new(place), &mut paths);
    }
    paths.retain(|path| path != Path::new(PROMPTS));
    let read = |path: PathBuf| {
        let source = std::fs::read_to_string(&path).unwrap();
        let mut found = Vec::new();
        let tokens: TokenStream = source.parse().unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        collect(tokens, path.ends_with("cli.rs"), &mut found);
        (path, found)
    };
    paths.into_iter().map(read).filter(|(_, texts)| !texts.is_empty()).collect()
}

#[test]
fn every_text_is_listed_and_none_has_a_word_to_avoid() {
    let (mut list, mut wrong, mut count) = (String::new(), String::new(), 0);
    // Labels, but also names in the code: one list of them, each once.
    let mut single = BTreeSet::new();
    for (path, texts) in texts() {
        writeln!(list, "\n{}", path.display()).unwrap();
        for Text { line, text } in texts {
            if text.split_whitespace().count() == 1 {
                single.insert(text.trim().to_owned());
            } else {
                count += 1;
                writeln!(list, "{line:>5}  {}", text.replace('\n', "⏎")).unwrap();
            }
            // The data directory is called by the name of its flag.
            let small = text.to_lowercase().replace("data directory", "");
            for (avoided, better) in AVOIDED.iter().filter(|(avoided, _)| small.contains(avoided)) {
                writeln!(wrong, "{}:{line}: “{avoided}” in “{text}”; better: {better}", path.display()).unwrap();
            }
        }
    }
    let words: Vec<String> = single.into_iter().collect();
    println!("{list}\n{count} texts\n\nsingle words: {}", words.join(", "));
    assert!(count > 1_000, "only {count} texts were found");
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_symbol_that_is_drawn_has_an_ascii_character() {
    let (mut wrong, mut count) = (String::new(), 0);
    let mut paths = Vec::new();
    for folder in ["src/app", "src/component", "src/tabs", "src/ui"] {
        files(Path::new(folder), &mut paths);
    }
    // Formulas of texts; what the width of characters is measured with.
    let others = ["src/ui/markdown/latex.rs", "src/app/terminal_questions.rs", PROMPTS];
    paths.retain(|path| !others.iter().any(|other| path == Path::new(other)));
    for path in paths {
        let source = std::fs::read_to_string(&path).unwrap();
        let mut found = Vec::new();
        literals(source.parse().unwrap(), &mut found);
        for (line, c) in found {
            count += 1;
            if !c.is_alphanumeric() && benchtop::ui::ascii::replacement(c).is_none() {
                writeln!(wrong, "{}:{line}: {c} {:x}", path.display(), u32::from(c)).unwrap();
            }
        }
    }
    assert!(count > 500, "only {count} symbols were found");
    assert!(wrong.is_empty(), "{wrong}");
}

/// Collects the characters of all literals that are not ASCII, without those of tests.
fn literals(tokens: TokenStream, found: &mut Vec<(usize, char)>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Punct(punct) if punct.as_char() == '#' => {
                at += 1;
                at += usize::from(matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == '!'));
                let Some(TokenTree::Group(group)) = tokens.get(at) else { continue };
                at += 1;
                if group.stream().to_string().replace(' ', "").starts_with("cfg(test)") {
                    at = behind_item(&tokens, at);
                }
                continue;
            }
            TokenTree::Group(group) => literals(group.stream(), found),
            TokenTree::Literal(literal) => {
                let line = literal.span().start().line;
                found.extend(literal.to_string().chars().filter(|c| !c.is_ascii()).map(|c| (line, c)));
            }
            _ => {}
        }
        at += 1;
    }
}

#[test]
fn texts_are_found_and_what_only_developers_see_is_not() {
    let source = r##"
        #[doc = "not a text"]
        struct Flags { #[doc = "a flag"] #[arg(long)] flag: bool }
        fn shown() { bind("enter", "send"); put("Press a key", format!("{count} rows left"), r#"raw "text" here"#); }
        fn not() { panic!("for developers only"); value.expect("is always there"); path("src/one.rs"); }
        enum Error { #[error("the disk is full")] Full }
        #[cfg(test)]
        mod tests { const A: &str = "in a test only"; }
        const LAST: &str = "One more \
            line of it";
    "##;
    let mut found = Vec::new();
    collect(source.parse().unwrap(), false, &mut found);
    let found: Vec<&str> = found.iter().map(|text| text.text.as_str()).collect();
    assert_eq!(
        found,
        [
            "a flag",
            "enter",
            "send",
            "Press a key",
            "{count} rows left",
            "raw \"text\" here",
            "the disk is full",
            "One more line of it"
        ]
    );
}
