//! Writes a text to a new file: complete or not at all, with mode 0600, never over another file.

use std::path::PathBuf;

use crate::disk;
pub(super) use crate::disk::Fill;

/// Writes the text to `path` or, if that exists, to `name (2).md` and so on. Returns the name it got; fails with a
/// sentence.
pub(super) fn save(path: &str, text: &str) -> Result<PathBuf, String> {
    write(path, &[], &mut |_, file| file.write_all(text.as_bytes()))
}

/// Writes files that belong together, one for each extension: under the name typed (the first extension is added if it
/// has none), the others beside it; all of them with the same number if one of the names is taken. Returns the name
/// that the first one got; fails with a sentence. Without extensions: one file of the name typed.
pub(super) fn write(path: &str, endings: &[&str], fill: &mut Fill) -> Result<PathBuf, String> {
    let mut path = expand(path)?;
    if path.is_dir() {
        return Err(format!("{} is a folder; name a file in it", path.display()));
    }
    if path.file_name().is_none() {
        return Err("the path has no file name; add one".to_owned());
    }
    if let (None, Some(ending)) = (path.extension(), endings.first()) {
        path.set_extension(ending);
    }
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    if !directory.is_dir() {
        return Err(format!("the folder {} does not exist; create it first", directory.display()));
    }
    let beside = endings.iter().skip(1).map(|ending| path.with_extension(ending));
    let paths: Vec<PathBuf> = std::iter::once(path.clone()).chain(beside).collect();
    let saved =
        disk::fill(&directory, &paths, fill).map_err(|error| format!("cannot save {}: {error}", path.display()))?;
    // The user may not remember where the program was started.
    Ok(std::path::absolute(&saved).unwrap_or(saved))
}

/// Expands `~` at the start of a path to the home directory, as a shell does. Fails with a sentence if that is unknown.
pub(super) fn expand(path: &str) -> Result<PathBuf, String> {
    let rest = match path.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => rest.trim_start_matches('/'),
        _ => return Ok(PathBuf::from(path)),
    };
    let home = directories::BaseDirs::new().ok_or("the home folder is unknown; type a full path")?;
    Ok(home.home_dir().join(rest))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

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
            // A dangling link counts as a taken name.
            let link = home.path().join("link");
            std::os::unix::fs::symlink(home.path().join("target"), &link).unwrap();
            assert!(save(link.to_str().unwrap(), "x").unwrap().ends_with("link (2)"));
        }
    }

    #[test]
    fn what_cannot_be_saved_says_why() {
        let home = tempfile::tempdir().unwrap();
        let at = |rest: &str| format!("{}{rest}", home.path().display());
        assert!(save(&at(""), "x").unwrap_err().contains("is a folder"));
        assert!(save(&at("/no/such.md"), "x").unwrap_err().contains("does not exist"));
        assert!(save("", "x").unwrap_err().contains("has no file name"));
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
