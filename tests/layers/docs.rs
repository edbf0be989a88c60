//! What the documentation says of the source is there.

use std::fs;

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
        } else if std::path::Path::new(piece).extension().is_some_and(|end| end == "rs")
            && pieces.get(at + 1).is_some_and(|next| next.starts_with(": "))
        {
            path = Some((*piece).to_owned());
        } else if let Some(path) = &path {
            found.push((path.clone(), (*piece).trim_start_matches("app::").to_owned()));
        }
    }
    found
}

#[test]
fn functions_named_in_the_documentation_exist() {
    let mut count = 0;
    for document in ["CONTRIBUTING.md", "src/lib.rs"] {
        let text = fs::read_to_string(document).unwrap().replace("[`", "`").replace("`]", "`").replace("\n//! ", " ");
        for (path, name) in places(&text) {
            let source = fs::read_to_string(format!("src/{path}"));
            let source = source.unwrap_or_else(|_| panic!("{document} names src/{path}"));
            let function = name.rsplit("::").next().unwrap();
            let is_there = source.contains(&format!("fn {function}")) || source.contains(&format!("const {function}"));
            assert!(is_there, "{document} names {name} in src/{path}");
            count += 1;
        }
    }
    assert!(count > 30, "{count} places were read");
}
