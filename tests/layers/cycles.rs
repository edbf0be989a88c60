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

/// The name of a module or of something in it, from the crate on.
type Path = Vec<String>;

/// What a file names.
#[derive(Default)]
struct Named {
    used: Vec<Path>,
    reexported: Vec<Path>,
}

/// Returns whether a name is in a file more than once: one that is re-exported is then used there too.
fn occurs_twice(tokens: &Tokens, name: &str) -> bool {
    tokens.iter().filter(|(_, token)| token.ident() == Some(name)).count() > 1
}

/// Returns the paths that a file of this module names by `crate`, `self`, `super` or a child module.
fn named(tokens: &Tokens, module: &[String], is_module: impl Fn(&[String]) -> bool) -> Named {
    let mut found = Named::default();
    let mut at = 0;
    while at < tokens.len() {
        let start = at;
        at += 1;
        let Some(word) = tokens[start].1.ident() else { continue };
        let before = |by: usize| start.checked_sub(by).map(|at| &tokens[at].1);
        let in_use = before(1).and_then(Token::ident) == Some("use");
        let is_reexport =
            in_use && before(2).is_some_and(|token| token.ident() == Some("pub") || *token == Token::Punct(')'));
        let in_path = tokens.get(at).is_some_and(|(_, token)| *token == Token::Punct(':'))
            && before(1).is_none_or(|token| !matches!(token, Token::Punct(':' | '.')));
        let is_child = || (in_use || in_path) && is_module(&[module, &[word.to_owned()]].concat());
        let is_root = matches!(word, "crate" | "self" | "super");
        if !is_root && !is_child() {
            continue;
        }
        let (all, end) = leaves(tokens, at, &[word.to_owned()]);
        at = end.max(at);
        // `pub(in path)` uses nothing of it.
        if before(1).and_then(Token::ident) == Some("in") && before(2) == Some(&Token::Punct('(')) {
            continue;
        }
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
            let full: Path = base.iter().chain(&path[rooted..]).cloned().collect();
            if !is_reexport || occurs_twice(tokens, &path[path.len() - 1]) {
                found.used.push(full.clone());
            }
            if is_reexport {
                found.reexported.push(full);
            }
        }
    }
    found
}

/// Returns which files import which, without tests. What a module re-exports is imported from where it is defined.
pub fn imports(files: &[(String, String)]) -> BTreeMap<String, BTreeSet<String>> {
    let files: Vec<_> = files.iter().filter(|(path, _)| !is_test(path)).collect();
    let by_module: BTreeMap<Path, &String> = files.iter().map(|(path, _)| (module(path), path)).collect();
    let is_module = |path: &[String]| by_module.contains_key(path);
    let read = |(path, text): &&(String, String)| {
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        (module(path), named(&tokens(code), &module(path), is_module))
    };
    let named: BTreeMap<Path, Named> = files.iter().map(read).collect();
    let reexport = |(module, named): (&Path, &Named)| {
        let name = |path: &Path| [&module[..], &path[path.len() - 1..]].concat();
        named.reexported.iter().map(|path| (name(path), path.clone())).collect::<Vec<_>>()
    };
    let reexports: BTreeMap<Path, Path> = named.iter().flat_map(reexport).collect();
    let file = |path: &Path| {
        let mut path = path.clone();
        loop {
            let end = (1..=path.len()).rev().find(|end| is_module(&path[..*end]))?;
            let target = path.get(..=end).and_then(|name| reexports.get(name).filter(|target| *target != name));
            let Some(target) = target else { return by_module.get(&path[..end]).copied() };
            path = [target, &path[end + 1..]].concat();
        }
    };
    let of = |(module, named): (&Path, &Named)| {
        let path = by_module[module];
        let imported = named.used.iter().filter_map(file).filter(|other| *other != path).cloned();
        (path.clone(), imported.collect())
    };
    named.iter().map(of).collect()
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
        file("run/mod", "mod step; mod log; pub use step::Step; fn f() { log::write(); }"),
        file("run/step", "use super::Log; fn f() { self.log::x(); }"),
        file("run/log", "use super::Step; use crate::run::step;"),
        file("own/mod", "mod part; pub struct Own; fn f() { part::draw(); }"),
        file("own/part", "use super::Own;"),
        file("show/mod", "mod part; pub use self::part::Part; fn f(part: Part) {}"),
        file("show/part", "pub struct Part; use super::f;"),
        file("ui/a", "use super::b::{B, deep::{C, D}}; use crate::ui::alone;"),
        file("ui/b/mod", "pub(super) mod deep; pub(in crate::ui::a) fn f() {}"),
        file("ui/b/deep", "fn f(x: super::super::c::X) {}"),
        file("ui/c", "use crate::{text, ui::a::A};\n#[cfg(test)]\nmod tests { use crate::ui::alone::X; }"),
        file("ui/alone", "use super::c::X;"),
    ];
    let found = cycles(&imports(&files));
    let names = |names: &[&str]| names.iter().map(|name| format!("src/ui/{name}.rs")).collect::<BTreeSet<_>>();
    let net = ["net/mod", "net/x"].map(|name| format!("src/{name}.rs")).into();
    let own = ["own/mod", "own/part"].map(|name| format!("src/{name}.rs")).into();
    let run = ["run/log", "run/mod", "run/step"].map(|name| format!("src/{name}.rs")).into();
    let show = ["show/mod", "show/part"].map(|name| format!("src/{name}.rs")).into();
    assert_eq!(found, [net, own, run, show, names(&["a", "alone", "b/deep", "c"])]);
}
