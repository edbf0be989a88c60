//! The licences of the crates: the file that travels with the program names each crate, and `deny.toml` allows what
//! they need.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use toml_edit::{DocumentMut, Item, TableLike, Value};

/// An entry of `assets/licences.txt`.
struct Entry {
    /// Name and version of the crate.
    name: String,
    /// The licence as an SPDX expression.
    licence: String,
    /// Numbers of its texts.
    texts: Vec<usize>,
}

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

fn toml(path: &str) -> DocumentMut {
    read(path).parse().unwrap()
}

/// Returns the part of `assets/licences.txt` below a heading.
fn part(heading: &str) -> String {
    let text = read("assets/licences.txt");
    let (_, rest) = text.split_once(&format!("\n# {heading}\n")).unwrap_or_else(|| panic!("no heading {heading}"));
    rest.split_once("\n# ").map_or(rest, |(part, _)| part).to_owned()
}

/// Returns the crates of a part: `name version (licence), texts 1, 2`.
fn entries(heading: &str) -> Vec<Entry> {
    let parse = |line: &str| {
        let (name, rest) = line.split_once(" (")?;
        let (licence, texts) = rest.rsplit_once(')')?;
        let (_, version) = name.split_once(' ')?;
        let numbers = texts.trim_start_matches(", texts ").trim_start_matches(", text ").split(", ");
        let is_crate = version.starts_with(|c: char| c.is_ascii_digit());
        is_crate.then(|| Entry {
            name: name.to_owned(),
            licence: licence.to_owned(),
            texts: numbers.filter_map(|number| number.parse().ok()).collect(),
        })
    };
    part(heading).lines().filter_map(parse).collect()
}

fn in_the_program() -> Vec<Entry> {
    entries("Crates in the program")
}

/// Returns whether licences are enough for an SPDX expression. No crate has an `AND` inside an `OR`.
fn satisfies(allowed: &BTreeSet<&str>, expression: &str) -> bool {
    let is_met = |part: &str| part.trim_matches(['(', ')']).split(" OR ").any(|licence| allowed.contains(licence));
    expression.split(" AND ").all(is_met)
}

#[test]
fn the_file_of_licences_names_each_crate_of_the_lock_file_once() {
    let lock = toml("Cargo.lock");
    let packages = lock["package"].as_array_of_tables().unwrap().iter();
    // The package without a source is this one.
    let locked: BTreeSet<String> = packages
        .filter(|package| package.contains_key("source"))
        .map(|package| format!("{} {}", package["name"].as_str().unwrap(), package["version"].as_str().unwrap()))
        .collect();
    let mut named = in_the_program();
    named.extend(entries("Crates outside the program"));
    assert_eq!(named.len(), locked.len(), "a crate is named twice, or not at all");
    let named: BTreeSet<String> = named.into_iter().map(|entry| entry.name).collect();
    let differ: Vec<&String> = named.symmetric_difference(&locked).collect();
    assert!(differ.is_empty(), "Cargo.lock has changed, run `python3 .ci/licences.py`: {differ:?}");
}

#[test]
fn each_crate_that_the_program_uses_has_its_texts_in_the_file_of_licences() {
    let texts = read("assets/licences.txt").lines().filter(|line| line.starts_with("## Text ")).count();
    let entries = in_the_program();
    for entry in &entries {
        assert!(!entry.texts.is_empty(), "{} has no text", entry.name);
        assert!(entry.texts.iter().all(|number| (1..=texts).contains(number)), "{} has a wrong text", entry.name);
    }
    let names: BTreeSet<&str> = entries.iter().map(|entry| entry.name.split(' ').next().unwrap()).collect();
    let manifest = toml("Cargo.toml");
    let systems = manifest["target"].as_table_like().unwrap().iter().map(|(_, system)| &system["dependencies"]);
    let tables: Vec<&dyn TableLike> =
        systems.chain([&manifest["dependencies"]]).map(|table| table.as_table_like().unwrap()).collect();
    for (key, dependency) in tables.iter().flat_map(|table| table.iter()) {
        // A crate under another name.
        let name = dependency.get("package").and_then(Item::as_str).unwrap_or(key);
        assert!(names.contains(name), "{name} is not among the crates in the program");
    }
}

#[test]
fn the_allowed_licences_are_those_that_crates_need() {
    let deny = toml("deny.toml");
    let allowed: BTreeSet<&str> =
        deny["licenses"]["allow"].as_array().unwrap().iter().map(|licence| licence.as_str().unwrap()).collect();
    let entries = in_the_program();
    for entry in &entries {
        assert!(satisfies(&allowed, &entry.licence), "{}: {} is not allowed", entry.name, entry.licence);
    }
    for licence in &allowed {
        let mut others = allowed.clone();
        others.remove(licence);
        let is_needed = entries.iter().any(|entry| !satisfies(&others, &entry.licence));
        assert!(is_needed, "no crate needs {licence}");
    }
}

#[test]
fn files_that_a_package_takes_from_here_exist() {
    let manifest = toml("Cargo.toml");
    let assets = manifest["package"]["metadata"]["deb"]["assets"].as_array().unwrap();
    for asset in assets {
        let source = asset.as_array().and_then(|asset| asset.get(0)).and_then(Value::as_str).unwrap();
        // A pattern names files of a folder; what is built is not there yet.
        let (path, _) = source.split_once('*').unwrap_or((source, ""));
        let is_built = path.starts_with("target/");
        assert!(is_built || Path::new(env!("CARGO_MANIFEST_DIR")).join(path).exists(), "{source} is not there");
    }
}
