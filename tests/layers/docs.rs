//! What the documentation says of the source is there.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::source::tokens;
use super::{all, files};

/// Places named as `path.rs`: `Type::function` in a text, with the names that follow up to the next path.
fn places(text: &str) -> Vec<(String, String)> {
    let (mut found, mut path) = (Vec::new(), None);
    // Every second piece is code.
    let pieces: Vec<&str> = text.split('`').collect();
    for (at, piece) in pieces.iter().enumerate() {
        if at % 2 == 0 {
            // A name belongs to the path before it as long as only these words stand between them, and a type's
            // function in the whole sentence.
            let is_next = matches!(piece.trim(), ":" | "," | "and" | "tries");
            let is_method =
                pieces.get(at + 1).is_some_and(|next| next.contains("::") && next.starts_with(char::is_uppercase));
            if !is_next && (!is_method || piece.contains([';', '.', '|', '('])) {
                path = None;
            }
        } else if is_file(piece) && pieces.get(at + 1).is_some_and(|next| next.starts_with(": ")) {
            path = Some((*piece).to_owned());
        } else if let Some(path) = &path {
            found.push((path.clone(), (*piece).trim_start_matches("app::").to_owned()));
        }
    }
    found
}

fn is_file(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|end| end == "rs")
}

/// Returns whether a source defines a name, as a whole word.
fn defines(source: &str, name: &str) -> bool {
    ["fn", "const", "static", "struct", "enum", "trait", "type"].iter().any(|keyword| {
        let begin = format!("{keyword} {name}");
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        source.match_indices(&begin).any(|(at, _)| !source[at + begin.len()..].starts_with(is_word))
    })
}

fn last_name(path: &str) -> &str {
    path.rsplit("::").next().unwrap()
}

#[test]
fn functions_named_in_the_documentation_exist() {
    let mut count = 0;
    for document in ["CONTRIBUTING.md", "src/lib.rs"] {
        let text = fs::read_to_string(document).unwrap().replace("[`", "`").replace("`]", "`").replace("\n//! ", " ");
        for (path, name) in places(&text) {
            let source = fs::read_to_string(format!("src/{path}"));
            let source = source.unwrap_or_else(|_| panic!("{document} names src/{path}"));
            assert!(defines(&source, last_name(&name)), "{document} names {name} in src/{path}");
            count += 1;
        }
    }
    assert!(count > 30, "{count} places were read");
}

/// Returns the names in a piece of code that must be in the source: types, and what is called, qualified or alone.
fn names(code: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let words = code.split(|c| !is_word(c)).filter(|word| !word.is_empty());
    let is_name = |word: &&str| {
        // Both are parts of the same text.
        let at = word.as_ptr() as usize - code.as_ptr() as usize;
        let (before, after) = (&code[..at], &code[at + word.len()..]);
        let is_called = after.starts_with('(') || after.starts_with("::") || before.ends_with("::");
        is_called || word.len() == code.len() || word.starts_with(char::is_uppercase)
    };
    words.filter(is_name).filter(|word| word.starts_with(|c: char| c.is_alphabetic())).collect()
}

#[test]
fn files_and_names_in_the_recipes_exist() {
    let text = fs::read_to_string("CONTRIBUTING.md").unwrap();
    let recipes = text.split("## Recipes").nth(1).unwrap();
    let paths: Vec<String> = ["src", "tests"].into_iter().flat_map(files).collect();
    let read = |path: &String| tokens(&fs::read_to_string(path).unwrap());
    let sources = paths.iter().flat_map(read);
    let known: BTreeSet<String> = sources.filter_map(|(_, token)| token.ident().map(str::to_owned)).collect();
    let mut count = 0;
    for code in
        recipes.split('`').skip(1).step_by(2).filter(|code| !code.contains([' ', '<']) && !code.starts_with('/'))
    {
        if code.contains('/') || is_file(code) {
            let is_there = |path: &String| format!("/{path}").contains(&format!("/{code}"));
            assert!(Path::new(code).exists() || paths.iter().any(is_there), "the recipes name {code}");
            count += 1;
            continue;
        }
        for name in names(code) {
            assert!(known.contains(name), "the recipes name {name}, in {code}");
            count += 1;
        }
    }
    assert!(count > 90, "{count} names were read");
}

#[test]
fn a_walk_has_ten_steps_at_most() {
    let text = fs::read_to_string("src/lib.rs").unwrap();
    assert!(text.contains("\n//! 10. ") && !text.contains("\n//! 11. "));
}

#[test]
fn files_and_types_named_in_the_glossary_exist() {
    let sources = all();
    let text = fs::read_to_string("docs/glossary.md").unwrap();
    let mut count = 0;
    for name in text.split('`').skip(1).step_by(2) {
        let module = name.split("::").next().unwrap();
        if is_file(name) || name.ends_with('/') {
            assert!(Path::new("src").join(name).exists(), "the glossary names src/{name}");
        } else if name.contains("::") {
            let prefix =
                if Path::new("src").join(module).is_dir() { format!("src/{module}/") } else { "src/".to_owned() };
            let is_there =
                |(path, source): &(String, String)| path.starts_with(&prefix) && defines(source, last_name(name));
            // Modules are no definitions of their own.
            let is_module = Path::new(&format!("src/{}.rs", name.replace("::", "/"))).exists();
            assert!(is_module || sources.iter().any(is_there), "the glossary names {name}");
        } else {
            continue;
        }
        count += 1;
    }
    assert!(count > 30, "{count} names were read");
}

#[test]
fn a_name_is_found_as_a_whole_word() {
    assert!(defines("pub fn seek(", "seek") && defines("const COMPOSER: u8", "COMPOSER") && defines("fn a<T>()", "a"));
    assert!(!defines("fn seek_back(", "seek") && !defines("fn peek(", "seek"));
    assert_eq!(names("cx.save(Record::Setting(name, json))"), ["save", "Record", "Setting"]);
    assert_eq!((names("moderate.view"), names("mod"), names("1…6")), (vec![], vec!["mod"], vec![]));
}

#[test]
fn a_function_belongs_to_the_file_before_it_in_its_sentence() {
    let text = "`a.rs`: `A::one` says so, `A::two` acts; `A::three`. `b.rs`: `four`, `five` and then `six`; `c.rs` has `B::seven`";
    let place = |(path, name): &(String, String)| format!("{path} {name}");
    let found: Vec<String> = places(text).iter().map(place).collect();
    assert_eq!(found, ["a.rs A::one", "a.rs A::two", "b.rs four", "b.rs five"]);
}
