//! Import cycles: files that, through others, import one another.

use std::collections::{BTreeMap, BTreeSet};

use super::source::{Token, Tokens, tokens};
use super::{all, is_test, module};

/// Files that may import one another in one cycle.
const MOST: usize = 4;

/// Returns the paths after the `::` at `at`, one for each leaf of a group, and where they end.
fn leaves(tokens: &[(usize, Token)], mut at: usize, before: &[String]) -> (Vec<Vec<String>>, usize) {
    let punct = |at: usize, c: char| tokens.get(at).is_some_and(|(_, token)| *token == Token::Punct(c));
    let mut path = before.to_vec();
    while punct(at, ':') && punct(at + 1, ':') {
        at += 2;
        if punct(at, '{') {
            let mut all = Vec::new();
            at += 1;
            while at < tokens.len() && !punct(at, '}') {
                if let Some(name) = tokens[at].1.ident() {
                    let (found, end) = leaves(tokens, at + 1, &[path.clone(), vec![name.to_owned()]].concat());
                    all.extend(found);
                    at = end;
                } else {
                    at += 1;
                }
            }
            return (all, at + 1);
        }
        let Some(name) = tokens.get(at).and_then(|(_, token)| token.ident()) else { break };
        path.push(name.to_owned());
        at += 1;
    }
    (vec![path], at)
}

/// Returns the full paths that a file of this module names by `crate`, `self` or `super`, or imports by the name of
/// a child module.
fn paths(tokens: &Tokens, module: &[String], is_module: impl Fn(&[String]) -> bool) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let start = at;
        at += 1;
        let Some(word) = tokens[start].1.ident() else { continue };
        // What is re-exported is not used here.
        let before = |by: usize| start.checked_sub(by).map(|at| &tokens[at].1);
        let is_used = before(1).and_then(Token::ident) == Some("use")
            && before(2).is_none_or(|token| token.ident() != Some("pub") && *token != Token::Punct(')'));
        let is_child = || is_used && is_module(&[module, &[word.to_owned()]].concat());
        let is_root = matches!(word, "crate" | "self" | "super");
        if !is_root && !is_child() {
            continue;
        }
        let (all, end) = leaves(tokens, at, &[word.to_owned()]);
        at = end.max(at);
        for path in all {
            let ups = path.iter().take_while(|name| *name == "super").count();
            let rooted = if is_root { ups.max(1) } else { 0 };
            // `pub(super)` and `mod child;` name nothing.
            if path.len() == rooted.max(1) {
                continue;
            }
            let base = match path[0].as_str() {
                "crate" => &[][..],
                "super" => &module[..module.len().saturating_sub(ups)],
                _ => module,
            };
            found.push(base.iter().chain(&path[rooted..]).cloned().collect());
        }
    }
    found
}

/// Returns which files import which, without tests.
fn imports(files: &[(String, String)]) -> BTreeMap<String, BTreeSet<String>> {
    let files: Vec<_> = files.iter().filter(|(path, _)| !is_test(path)).collect();
    let by_module: BTreeMap<Vec<String>, &String> = files.iter().map(|(path, _)| (module(path), path)).collect();
    let of = |(path, text): &&(String, String)| {
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let is_module = |path: &[String]| by_module.contains_key(path);
        let named = paths(&tokens(code), &module(path), is_module).into_iter();
        let file = |named: Vec<String>| (1..=named.len()).rev().find_map(|to| by_module.get(&named[..to]));
        let imported = named.filter_map(file).filter(|other| **other != path).map(|other| (*other).clone());
        (path.clone(), imported.collect())
    };
    files.iter().map(of).collect()
}

/// Returns groups of files each of which imports every other, directly or through others.
fn cycles(imports: &BTreeMap<String, BTreeSet<String>>) -> Vec<BTreeSet<String>> {
    let reached = |from: &String| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(next) = open.pop() {
            open.extend(imports[next].iter().filter(|other| seen.insert((*other).clone())));
        }
        seen
    };
    let reach: BTreeMap<&String, BTreeSet<String>> = imports.keys().map(|file| (file, reached(file))).collect();
    let mut found: Vec<BTreeSet<String>> = Vec::new();
    for file in imports.keys().filter(|file| reach[file].contains(*file)) {
        if !found.iter().any(|cycle| cycle.contains(file)) {
            found.push(reach[file].iter().filter(|other| reach[other].contains(file)).cloned().collect());
        }
    }
    found
}

#[test]
fn no_import_cycle_is_large() {
    let large: Vec<_> = cycles(&imports(&all())).into_iter().filter(|cycle| cycle.len() > MOST).collect();
    assert!(large.is_empty(), "cycles over {MOST} files: open them\n{large:#?}");
}

#[test]
fn cycles_are_found() {
    let file = |path: &str, text: &str| (format!("src/{path}.rs"), text.to_owned());
    let files = [
        file("ui/mod", "mod a; mod b; pub use self::a::A;"),
        file("net/mod", "mod x; use x::{X, Y};"),
        file("net/x", "use super::Z; fn f(mod_x: u8) { other::x::y(); }"),
        file("ui/a", "use super::b::{B, deep::{C, D}}; use crate::ui::alone;"),
        file("ui/b/mod", "pub(super) mod deep;"),
        file("ui/b/deep", "fn f(x: super::super::c::X) {}"),
        file("ui/c", "use crate::{text, ui::a::A};\n#[cfg(test)]\nmod tests { use crate::ui::alone::X; }"),
        file("ui/alone", "use super::c::X;"),
    ];
    let found = cycles(&imports(&files));
    let names = |names: &[&str]| names.iter().map(|name| format!("src/ui/{name}.rs")).collect::<BTreeSet<_>>();
    let net = ["net/mod", "net/x"].map(|name| format!("src/{name}.rs")).into();
    assert_eq!(found, [net, names(&["a", "alone", "b/deep", "c"])]);
}
