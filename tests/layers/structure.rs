//! Types and functions stay small, and so does what a tab takes: its own code and the helpers of its tests.

use std::fs;
use std::path::Path;

use super::source::{Token, tokens};
use super::{all, is_test};

/// Fields of a struct at most.
const FIELDS: usize = 20;
/// Structs with more: a list of styles is no state.
const LISTS: &[&str] = &["Theme"];
/// Fields of a struct at most that are `bool`.
const BOOLS: usize = 3;
/// Parameters of a function at most, `self` included.
const PARAMETERS: usize = 6;
/// Lines of code of the new tab at most, without comments and blank lines.
const NEW_TAB: usize = 200;
/// Lines of a tab's test helpers at most.
const HELPERS: usize = 80;

/// Returns the parts between the commas of the group that opens at `at`, and the place behind it; `None`: none opens
/// there.
fn group(tokens: &[(usize, Token)], at: usize) -> Option<(Vec<Vec<&Token>>, usize)> {
    let close = match tokens.get(at)?.1 {
        Token::Punct('{') => '}',
        Token::Punct('(') => ')',
        Token::Punct('<') => '>',
        _ => return None,
    };
    let (mut parts, mut part, mut depth) = (Vec::new(), Vec::new(), 0);
    for here in at + 1..tokens.len() {
        let token = &tokens[here].1;
        // The end of `->` closes nothing.
        let arrow = *token == Token::Punct('>') && tokens[here - 1].1 == Token::Punct('-');
        match token {
            Token::Punct(end) if depth == 0 && *end == close && !arrow => {
                parts.push(part);
                return Some((parts.into_iter().filter(|part| !part.is_empty()).collect(), here + 1));
            }
            Token::Punct(',') if depth == 0 => parts.push(std::mem::take(&mut part)),
            Token::Punct('{' | '(' | '[' | '<') => depth += 1,
            Token::Punct('}' | ')' | ']' | '>') if !arrow => depth -= 1,
            _ => {}
        }
        if *token != Token::Punct(',') || depth > 0 {
            part.push(token);
        }
    }
    None
}

/// Returns everything too large in one file, as `file:line: what`.
fn faults(path: &str, text: &str) -> Vec<String> {
    let tokens = tokens(text);
    let mut faults = Vec::new();
    for at in 0..tokens.len() {
        let (line, ident) = (tokens[at].0, tokens[at].1.ident());
        let Some(name) = tokens.get(at + 1).and_then(|(_, token)| token.ident()) else { continue };
        let mut open = at + 2;
        if let Some((_, end)) = group(&tokens, open).filter(|_| tokens[open].1 == Token::Punct('<')) {
            open = end;
        }
        match ident {
            Some("struct") => {
                let ends = |token: &Token| matches!(token, Token::Punct('{' | '(' | ';'));
                while tokens.get(open).is_some_and(|(_, token)| !ends(token)) {
                    open += 1;
                }
                let Some((fields, _)) = group(&tokens, open) else { continue };
                let is_bool = |field: &&Vec<&Token>| field.last().and_then(|token| token.ident()) == Some("bool");
                // A type in brackets or with parameters ends with a bracket.
                let bools = fields.iter().filter(is_bool).count();
                if fields.len() > FIELDS && !LISTS.contains(&name) {
                    faults.push(format!(
                        "{path}:{line}: {name} has {} fields: group those that go together",
                        fields.len()
                    ));
                }
                if bools > BOOLS {
                    faults.push(format!("{path}:{line}: {name} has {bools} bools: let an enum say what holds"));
                }
            }
            Some("fn") => {
                let Some((parameters, _)) = group(&tokens, open) else { continue };
                if parameters.len() > PARAMETERS {
                    faults.push(format!(
                        "{path}:{line}: {name} has {} parameters: make a struct of them",
                        parameters.len()
                    ));
                }
            }
            _ => {}
        }
    }
    faults
}

#[test]
fn structs_and_parameter_lists_are_short() {
    let all = all();
    let faults: Vec<String> =
        all.iter().filter(|(path, _)| !is_test(path)).flat_map(|(path, text)| faults(path, text)).collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn what_is_too_long_is_found() {
    let fields = |count: usize| (0..count).map(|at| format!("f{at}: u8")).collect::<Vec<_>>().join(", ");
    let planted = [
        (format!("struct A {{ {} }}", fields(21)), 1),
        (format!("pub struct Theme {{ {} }}", fields(21)), 0),
        (format!("struct A<T: Fn(u8) -> u8> where T: Copy {{ {}, m: Map<u8, u8> }}", fields(19)), 0),
        ("struct A { a: bool, pub b: bool, c: bool, d: Option<bool>, e: [bool; 2] }".to_owned(), 0),
        ("struct A { a: bool, /// b\n b: bool, c: bool, pub(super) d: bool }".to_owned(), 1),
        ("struct A(bool, bool, bool, bool);".to_owned(), 1),
        ("fn f(&self, a: (u8, u8), b: fn(u8, u8) -> u8, c: Map<u8, u8>, d: u8, e: u8) {}".to_owned(), 0),
        ("fn f<A, B>(&self, a: A, b: B, c: u8, d: u8, e: u8, f: u8) {}".to_owned(), 1),
    ];
    for (text, count) in planted {
        assert_eq!(faults("src/x.rs", &text).len(), count, "{text}");
    }
}

/// Counts the lines that are neither blank nor comments.
fn code_lines(text: &str) -> usize {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

#[test]
fn a_new_tab_and_the_test_helpers_of_tabs_are_short() {
    let tab = fs::read_to_string("tests/new_tab/tab.rs").unwrap();
    assert!(code_lines(&tab) <= NEW_TAB, "the new tab has {} lines of code", code_lines(&tab));
    for tab in ["chat", "complete", "moderate_tab", "embed_tab", "files_tab", "tune_tab"] {
        let path = format!("tests/{tab}/desk.rs");
        if Path::new(&path).exists() {
            let lines = fs::read_to_string(&path).unwrap().lines().count();
            assert!(lines <= HELPERS, "{path} has {lines} lines: what other tabs need too belongs to tests/kit");
        }
    }
}
