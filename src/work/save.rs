//! Writing a text to a new file: whole or not at all, for this user alone, never over another file.

use std::ffi::OsString;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// Names tried before giving up.
const NAMES: u32 = 10_000;

/// Writes the text to `path` or, where that exists, to `name (2).md` and so on. Returns the name it got, or a sentence.
pub(super) fn save(path: &str, text: &str) -> Result<PathBuf, String> {
    write(path, &[], &mut |_, file| file.write_all(text.as_bytes()))
}

/// What fills a file: which of them it is, and where to write. The writer has a buffer.
pub(super) type Fill<'a> = dyn FnMut(usize, &mut dyn Write) -> io::Result<()> + 'a;

/// Writes files that belong together, one for each ending: under the name typed (the first ending is added where it has
/// none), the others beside it; all of them with the same number where one of the names is taken. Returns the name the
/// first one got, or a sentence. No ending: one file of the name typed.
pub(super) fn write(path: &str, endings: &[&str], fill: &mut Fill) -> Result<PathBuf, String> {
    let mut path = expand(path)?;
    if path.is_dir() {
        return Err(format!("{} is a directory; name a file in it", path.display()));
    }
    if path.file_name().is_none() {
        return Err("the path names no file; give one".to_owned());
    }
    if let (None, Some(ending)) = (path.extension(), endings.first()) {
        path.set_extension(ending);
    }
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    if !directory.is_dir() {
        return Err(format!("the directory {} does not exist; make it first", directory.display()));
    }
    let beside = endings.iter().skip(1).map(|ending| path.with_extension(ending));
    let paths: Vec<PathBuf> = std::iter::once(path.clone()).chain(beside).collect();
    let saved =
        fill_all(&directory, &paths, fill).map_err(|error| format!("cannot save {}: {error}", path.display()))?;
    // Where the program was started is not always remembered.
    Ok(std::path::absolute(&saved).unwrap_or(saved))
}

fn fill_all(directory: &Path, paths: &[PathBuf], fill: &mut Fill) -> io::Result<PathBuf> {
    let mut files = Vec::new();
    for at in 0..paths.len() {
        // 0600 and a name nobody can guess, in the directory where it will stay.
        let mut file = NamedTempFile::with_prefix_in(".benchtop-", directory)?;
        let mut buffer = BufWriter::new(file.as_file_mut());
        fill(at, &mut buffer)?;
        buffer.flush()?;
        drop(buffer);
        file.as_file().sync_all()?;
        files.push(file);
    }
    for n in 1..=NAMES {
        let names: Vec<PathBuf> = paths.iter().map(|path| numbered(path, n)).collect();
        // The first is the one that is asked about; where it is free and another is not, the number is not taken either.
        if names.iter().any(|name| name.symlink_metadata().is_ok()) {
            continue;
        }
        match persist(files, &names)? {
            None => {
                #[cfg(unix)]
                std::fs::File::open(directory)?.sync_all()?;
                return Ok(names.into_iter().next().unwrap_or_default());
            }
            Some(back) => files = back,
        }
    }
    Err(io::Error::other(format!("{NAMES} files of that name exist; choose another")))
}

/// Gives the files their names. `Some`: a name was taken this moment, and none has its own yet.
fn persist(files: Vec<NamedTempFile>, names: &[PathBuf]) -> io::Result<Option<Vec<NamedTempFile>>> {
    let mut named: Vec<(std::fs::File, &PathBuf)> = Vec::new();
    let mut back = Vec::new();
    let mut taken = false;
    for (file, name) in files.into_iter().zip(names) {
        if taken {
            back.push(file);
            continue;
        }
        match file.persist_noclobber(name) {
            Ok(file) => named.push((file, name)),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
                back.push(error.file);
                taken = true;
            }
            Err(error) => return Err(error.error),
        }
    }
    if !taken {
        return Ok(None);
    }
    if let Some((_, name)) = named.first() {
        // Only where two copies save files of one name in the same moment.
        return Err(io::Error::other(format!("{} is there, but what belongs beside it is taken", name.display())));
    }
    Ok(Some(back))
}

/// `notes.md`, `notes (2).md`, `notes (3).md`, …
fn numbered(path: &Path, n: u32) -> PathBuf {
    if n == 1 {
        return path.to_owned();
    }
    let mut name = OsString::from(path.file_stem().unwrap_or_default());
    name.push(format!(" ({n})"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// A path with `~` for the home directory, as a shell has it.
pub(super) fn expand(path: &str) -> Result<PathBuf, String> {
    let rest = match path.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => rest.trim_start_matches('/'),
        _ => return Ok(PathBuf::from(path)),
    };
    let home = directories::BaseDirs::new().ok_or("no home directory is known; give a full path")?;
    Ok(home.home_dir().join(rest))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_is_never_written_over() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("answer.tar.md");
        let text = "a\r\nb\0\u{1b}";
        let names: Vec<String> = (0..3)
            .map(|n| save(path.to_str().unwrap(), &format!("{text}{n}")).unwrap())
            .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
            .collect();
        assert_eq!(names, ["answer.tar.md", "answer.tar (2).md", "answer.tar (3).md"]);
        assert_eq!(fs::read_to_string(&path).unwrap(), format!("{text}0"));
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 3, "nothing else is left behind");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            // A dangling link is a name that is taken.
            let link = home.path().join("link");
            std::os::unix::fs::symlink(home.path().join("target"), &link).unwrap();
            assert!(save(link.to_str().unwrap(), "x").unwrap().ends_with("link (2)"));
        }
    }

    #[test]
    fn what_cannot_be_saved_says_why() {
        let home = tempfile::tempdir().unwrap();
        let at = |rest: &str| format!("{}{rest}", home.path().display());
        assert!(save(&at(""), "x").unwrap_err().contains("is a directory"));
        assert!(save(&at("/no/such.md"), "x").unwrap_err().contains("does not exist"));
        assert!(save("", "x").unwrap_err().contains("names no file"));
        assert!(save(&at(&format!("/{}", "n".repeat(300))), "x").unwrap_err().starts_with("cannot save"));
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
    }

    #[test]
    fn home_is_expanded() {
        let home = directories::BaseDirs::new().unwrap().home_dir().to_owned();
        assert_eq!(expand("~/a/b").unwrap(), home.join("a/b"));
        assert_eq!(expand("~").unwrap(), home);
        assert_eq!(expand("~other/a").unwrap(), Path::new("~other/a"));
        assert_eq!(expand("a~").unwrap(), Path::new("a~"));
    }
}
