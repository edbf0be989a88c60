//! Files of texts: previews, contents, completion of their paths.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::course::Course;
use super::save::expand;
use crate::dataset::{TextLimits, peek_texts, read_texts};
use crate::record::work::{Columns, Done, Layout};
use crate::text::Untrusted;

/// Completions of a path at most.
const PATHS: usize = 200;
/// Names of a directory that are examined, at most.
const NAMES: usize = 100_000;
/// Bytes of a file of settings.
const SETTINGS: u64 = 1 << 20;

/// Returns completions of a path, sorted: directories with a `/` at the end, hidden names only if a dot is typed. None
/// if the directory cannot be read.
pub(super) fn paths(typed: &str) -> Done {
    Done::Paths(going_on(typed).into_iter().map(Untrusted::from).collect())
}

fn going_on(typed: &str) -> Vec<String> {
    if typed == "~" {
        return vec!["~/".to_owned()];
    }
    let slash = typed.rfind('/').map_or(0, |at| at + 1);
    let (before, name) = typed.split_at(slash);
    let Ok(directory) = expand(if before.is_empty() { "." } else { before }) else { return Vec::new() };
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let mut found: Vec<String> = entries
        .take(NAMES)
        .filter_map(Result::ok)
        // A name that is not UTF-8 could not be typed either.
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|entry| entry.starts_with(name) && (name.starts_with('.') || !entry.starts_with('.')))
        .collect();
    found.sort_unstable_by_key(|name| (name.to_lowercase(), name.clone()));
    found.truncate(PATHS);
    let whole = |name: String| {
        let path = format!("{before}{name}");
        let directory = expand(&path).is_ok_and(|path| path.is_dir());
        if directory { path + "/" } else { path }
    };
    found.into_iter().map(whole).collect()
}

/// Previews a file of texts.
pub(super) fn peek(path: &str, form: Option<(Layout, bool)>, course: &Course) -> Done {
    let peek = named(path).and_then(|path| peek_texts(&path, form, &mut course.reporter()));
    peek.map_or_else(failed, |peek| Done::Peeked(Box::new(peek)))
}

/// Reads the texts of a file.
pub(super) fn read(path: &str, columns: Columns, course: &Course) -> Done {
    let read = |path: PathBuf| read_texts(&path, columns, TextLimits::default(), &mut course.reporter());
    named(path).and_then(read).map_or_else(failed, Done::Texts)
}

/// Reads a small file as a whole.
pub(super) fn settings(path: &str) -> Done {
    named(path).and_then(|path| small(&path)).map_or_else(failed, |text| Done::Read(text.into()))
}

fn small(path: &Path) -> Result<String, String> {
    let why = |why: std::io::Error| format!("cannot read {}: {why}", path.display());
    // Checked before opening: opening a pipe would wait for a writer.
    if !path.metadata().map_err(why)?.is_file() {
        return Err(format!("{} is not a regular file", path.display()));
    }
    let mut bytes = Vec::new();
    fs::File::open(path).and_then(|file| file.take(SETTINGS + 1).read_to_end(&mut bytes)).map_err(why)?;
    if bytes.len() as u64 > SETTINGS {
        return Err(format!("{} is larger than 1 MiB, too large for a settings file", path.display()));
    }
    String::from_utf8(bytes).map_err(|_| format!("{} is not UTF-8; save it as UTF-8", path.display()))
}

/// Returns the path that was typed; fails with a sentence if it is empty.
fn named(path: &str) -> Result<PathBuf, String> {
    if path.is_empty() {
        return Err("type the path of a file".to_owned());
    }
    expand(path)
}

fn failed(why: String) -> Done {
    Done::Failed(why.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_go_on_are_sorted_and_directories_and_hidden_ones_told_apart() {
        let home = tempfile::tempdir().unwrap();
        for name in ["b.txt", "B2.csv", "a.txt", ".hidden", "c d.txt"] {
            fs::write(home.path().join(name), "").unwrap();
        }
        fs::create_dir(home.path().join("bin")).unwrap();
        let at = |rest: &str| format!("{}/{rest}", home.path().display());
        let all = |typed: &str| {
            let paths = going_on(&at(typed)).into_iter();
            paths.map(|path| path.strip_prefix(&at("")).unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(all(""), ["a.txt", "b.txt", "B2.csv", "bin/", "c d.txt"]);
        assert_eq!(all("b"), ["b.txt", "bin/"]);
        assert_eq!(all("."), [".hidden"]);
        assert_eq!(all("bin/"), Vec::<String>::new());
        assert_eq!(all("nowhere/"), Vec::<String>::new());
        assert_eq!(going_on("~"), ["~/"]);
        assert!(going_on("~/").iter().all(|path| path.starts_with("~/")));
        assert!(going_on("").contains(&"src/".to_owned()), "where the program was started");
    }

    #[test]
    fn many_names_are_two_hundred() {
        let home = tempfile::tempdir().unwrap();
        for n in 0..250 {
            fs::write(home.path().join(format!("f{n:03}")), "").unwrap();
        }
        let paths = going_on(&format!("{}/f", home.path().display()));
        assert_eq!(paths.len(), PATHS);
        assert!(paths[0].ends_with("f000") && paths.is_sorted());
    }

    #[test]
    fn settings_are_small_plain_files() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("a.json");
        let at = path.to_str().unwrap();
        for (bytes, fits) in [(SETTINGS, true), (SETTINGS + 1, false)] {
            fs::write(&path, vec![b'x'; bytes as usize]).unwrap();
            assert_eq!(matches!(settings(at), Done::Read(text) if text.len() as u64 == bytes), fits, "{bytes}");
        }
        for path in [home.path().to_str().unwrap(), "", "/dev/zero", "/no/such"] {
            assert!(matches!(settings(path), Done::Failed(_)), "{path}");
        }
    }
}
