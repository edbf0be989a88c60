//! What the documentation says of the source is there.

use std::fs;
use std::path::Path;

use super::all;

/// Places named as `path.rs`: `Type::function` in a text, with the names that follow up to the next path.
fn places(text: &str) -> Vec<(String, String)> {
    let (mut found, mut path) = (Vec::new(), None);
    // Every second piece is code.
    let pieces: Vec<&str> = text.split('`').collect();
    for (at, piece) in pieces.iter().enumerate() {
        if at % 2 == 0 {
            // A name belongs to the path before it as long as only these words stand between them.
            if !matches!(piece.trim(), ":" | "," | "and" | "tries") {
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
}
