//! Local folders, and files by their paths.

use std::ffi::OsString;
use std::fs::{self, DirEntry, Metadata};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::attach::unreadable;
use super::course::Course;
use super::save::expand;
use crate::record::files::{Entry, EntryKind, Folder};
use crate::record::work::Done;
use crate::text::Untrusted;

/// Entries of a folder that are listed.
const ENTRIES: usize = 100_000;

/// Lists a folder, in no order.
pub(super) fn list(path: &str, course: &Course) -> Done {
    let listed = place(path).and_then(|path| read(&path, ENTRIES, &|| !course.is_stopped()));
    listed.map_or_else(|why| Done::Failed(why.into()), Done::Folder)
}

/// Looks up a regular file, whatever else its folder has.
pub(super) fn look_up(path: &str) -> Done {
    match file(path) {
        Ok((path, bytes)) => Done::File { path: path.to_string_lossy().into_owned().into(), bytes },
        Err(why) => Done::Failed(why.into()),
    }
}

/// Returns the absolute path of the file that is meant, and its size; fails with a sentence.
fn file(path: &str) -> Result<(PathBuf, u64), String> {
    let typed = Path::new(path);
    // Only the folder's path is resolved: a link to a file keeps its name.
    let folder = place(typed.parent().and_then(Path::to_str).unwrap_or_default())?;
    let path = folder.join(typed.file_name().unwrap_or_default());
    let about = fs::metadata(&path).map_err(|why| unreadable(&why))?;
    if about.is_dir() {
        return Err("it is a folder; only files can be uploaded".to_owned());
    }
    if !about.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    Ok((path, about.len()))
}

/// Returns the absolute path of the folder that is meant; fails with a sentence.
fn place(path: &str) -> Result<PathBuf, String> {
    let path = if path.is_empty() { PathBuf::from(".") } else { expand(path)? };
    let why = |why: io::Error| format!("the current folder is unknown ({why}); type a full path");
    let whole = std::path::absolute(&path).map_err(why)?;
    // `..` after a link leads elsewhere than the path's text says.
    let winds = whole.components().any(|part| part == Component::ParentDir);
    Ok(if winds { whole.canonicalize().unwrap_or(whole) } else { whole })
}

fn read(path: &Path, most: usize, go: &dyn Fn() -> bool) -> Result<Folder, String> {
    let refused = |why: io::Error| {
        let at = path.display();
        match why.kind() {
            io::ErrorKind::NotFound => format!("{at} does not exist; choose another folder"),
            io::ErrorKind::NotADirectory => format!("{at} is not a folder; choose a folder"),
            io::ErrorKind::PermissionDenied => {
                format!("you do not have permission to read {at}; choose another folder")
            }
            _ => format!("{at} cannot be read: {why}; choose another folder"),
        }
    };
    let mut folder = Folder { path: path.to_string_lossy().into_owned().into(), ..Folder::default() };
    for found in fs::read_dir(path).map_err(refused)? {
        if !go() {
            break;
        }
        if folder.entries.len() == most {
            folder.cut =
                Some(format!("only {most} of its entries are listed, in no order; open a smaller folder").into());
            break;
        }
        match found {
            Ok(found) => folder.entries.push(entry(&found)),
            Err(why) => {
                folder.cut = Some(format!("some entries cannot be listed: {why}").into());
                break;
            }
        }
    }
    Ok(folder)
}

fn entry(found: &DirEntry) -> Entry {
    // For a link, its target.
    let about = fs::metadata(found.path()).ok();
    let (name, unnameable) = named(found.file_name());
    let kind = match &about {
        _ if unnameable => EntryKind::Unnameable,
        Some(about) if about.is_dir() => EntryKind::Folder,
        Some(about) if about.is_file() => EntryKind::File,
        _ => EntryKind::Other,
    };
    let about = about.as_ref();
    let bytes = about.filter(|about| about.is_file()).map_or(0, Metadata::len);
    let is_link = found.file_type().is_ok_and(|kind| kind.is_symlink());
    let target = |path: PathBuf| Untrusted::from(path.to_string_lossy().into_owned());
    // One whose target cannot be read is a link all the same.
    let link = is_link.then(|| fs::read_link(found.path()).map(target).unwrap_or_default());
    Entry { name, kind, link, bytes, modified_ms: about.and_then(modified_ms) }
}

/// Returns a name as well as it can be shown, and whether it is not text.
fn named(name: OsString) -> (Untrusted, bool) {
    match name.into_string() {
        Ok(name) => (name.into(), false),
        Err(name) => (name.to_string_lossy().into_owned().into(), true),
    }
}

/// Returns when it was changed last, in Unix milliseconds.
fn modified_ms(about: &Metadata) -> Option<i64> {
    let modified = about.modified().ok()?;
    let millis = |span: std::time::Duration| i64::try_from(span.as_millis()).ok();
    match modified.duration_since(UNIX_EPOCH) {
        Ok(after) => millis(after),
        Err(before) => millis(before.duration()).map(|millis| -millis),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(path: &Path) -> Vec<(String, EntryKind, u64)> {
        let mut all: Vec<_> = read(path, ENTRIES, &|| true)
            .unwrap()
            .entries
            .into_iter()
            .map(|entry| (entry.name.line().into_owned(), entry.kind, entry.bytes))
            .collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    }

    #[cfg(unix)]
    #[test]
    fn entries_are_what_they_lead_to() {
        use std::os::unix::ffi::OsStringExt;
        use std::os::unix::fs::symlink;
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        fs::write(at("a.jsonl"), "abc").unwrap();
        fs::create_dir(at("dir")).unwrap();
        symlink(at("a.jsonl"), at("link")).unwrap();
        symlink(at("dir"), at("link to dir")).unwrap();
        symlink(at("nowhere"), at("lost")).unwrap();
        symlink(at("round"), at("round")).unwrap();
        fs::write(home.path().join(OsString::from_vec(b"x\xff.txt".to_vec())), "12").unwrap();
        fs::write(at("\u{1b}[2J\u{202e}.txt"), "").unwrap();
        let kinds: Vec<_> = all(home.path());
        assert_eq!(
            kinds.iter().map(|(name, kind, bytes)| (name.as_str(), *kind, *bytes)).collect::<Vec<_>>(),
            [
                ("a.jsonl", EntryKind::File, 3),
                ("dir", EntryKind::Folder, 0),
                ("link", EntryKind::File, 3),
                ("link to dir", EntryKind::Folder, 0),
                ("lost", EntryKind::Other, 0),
                ("round", EntryKind::Other, 0),
                ("x\u{fffd}.txt", EntryKind::Unnameable, 2),
                ("␛[2J⟨U+202E⟩.txt", EntryKind::File, 0),
            ]
        );
        let listed = read(home.path(), ENTRIES, &|| true).unwrap();
        let last = |target: &Untrusted| target.line().rsplit('/').next().unwrap_or_default().to_owned();
        let link = |entry: &Entry| Some((entry.name.line().into_owned(), last(entry.link.as_ref()?)));
        let links: std::collections::BTreeMap<String, String> = listed.entries.iter().filter_map(link).collect();
        let expected = [("link", "a.jsonl"), ("link to dir", "dir"), ("lost", "nowhere"), ("round", "round")];
        assert_eq!(links, expected.map(|(name, target)| (name.to_owned(), target.to_owned())).into());
        assert!(listed.entries.iter().any(|entry| entry.modified_ms.is_some_and(|ms| ms > 1_600_000_000_000)));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_is_looked_up_by_its_path() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("a.jsonl"), "abc").unwrap();
        fs::create_dir(home.path().join("dir")).unwrap();
        std::os::unix::fs::symlink(home.path().join("a.jsonl"), home.path().join("link")).unwrap();
        let at = |name: &str| format!("{}/{name}", home.path().display());
        let whole = home.path().canonicalize().unwrap();
        for (name, path) in [
            ("a.jsonl", home.path().join("a.jsonl")),
            ("link", home.path().join("link")),
            ("dir/../link", whole.join("link")),
        ] {
            assert_eq!(file(&at(name)).unwrap(), (path, 3), "{name}");
        }
        assert_eq!(file("Cargo.toml").unwrap().0, std::env::current_dir().unwrap().join("Cargo.toml"));
        let (none, folder) = ("there is no such file", "it is a folder; only files can be uploaded");
        for (name, why) in [
            ("b.jsonl", none),
            ("none/a", none),
            ("a.jsonl/a", none),
            ("dir", folder),
            ("dir/", folder),
            ("dir/..", folder),
        ] {
            assert_eq!(file(&at(name)).unwrap_err(), why, "{name}");
        }
        assert_eq!(file("/dev/null").unwrap_err(), "it is not a regular file");
    }

    #[test]
    fn a_folder_of_too_many_says_so() {
        let home = tempfile::tempdir().unwrap();
        for n in 0..5 {
            fs::write(home.path().join(n.to_string()), "").unwrap();
        }
        for (most, cut) in [(4, true), (5, false), (6, false)] {
            let folder = read(home.path(), most, &|| true).unwrap();
            assert_eq!((folder.entries.len(), folder.cut.is_some()), (most.min(5), cut), "{most}");
        }
    }

    #[test]
    fn what_cannot_be_listed_says_why() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("file"), "").unwrap();
        let why = |name: &str| read(&home.path().join(name), ENTRIES, &|| true).unwrap_err();
        assert!(why("none").contains("does not exist"));
        assert!(why("file").contains("is not a folder"));
        assert_eq!(place("").unwrap(), std::env::current_dir().unwrap());
        assert_eq!(place(&format!("{}/x/..", home.path().display())).unwrap(), home.path().join("x/.."));
        fs::create_dir(home.path().join("x")).unwrap();
        let whole = home.path().canonicalize().unwrap();
        assert_eq!(place(&format!("{}/x/..", home.path().display())).unwrap(), whole);
    }
}
