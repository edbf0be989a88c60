//! New files that never take the place of others.

use std::ffi::OsString;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};

/// Names tried before giving up.
const NAMES: u32 = 10_000;

/// What fills a file: which of them it is, and where to write. The writer has a buffer.
pub type Fill<'a> = dyn FnMut(usize, &mut dyn Write) -> io::Result<()> + 'a;

/// Writes files that belong together in one folder, whole or not at all: under these names or, where one of them is
/// taken, all with the same number. They survive a power cut when this returns the name that the first one got.
pub fn fill(folder: &Path, paths: &[PathBuf], fill: &mut Fill) -> io::Result<PathBuf> {
    let mut files = Vec::new();
    for at in 0..paths.len() {
        // 0600 and a name nobody can guess, in the folder where it will stay.
        let mut file = NamedTempFile::with_prefix_in(".benchtop-", folder)?;
        let mut buffer = BufWriter::new(file.as_file_mut());
        fill(at, &mut buffer)?;
        buffer.flush()?;
        drop(buffer);
        file.as_file().sync_all()?;
        files.push(file.into_temp_path());
    }
    name(folder, files, paths)
}

/// Gives a file that is whole and on the disk its name in its folder, or that name with a number where it is taken.
/// Returns the name it got. Where that fails the file is left as it is.
pub fn place(file: &Path, wanted: &Path) -> io::Result<PathBuf> {
    let folder = wanted.parent().unwrap_or(Path::new("."));
    for n in 1..=NAMES {
        let name = numbered(wanted, n);
        if name.symlink_metadata().is_ok() {
            continue;
        }
        match TempPath::try_from_path(file)?.persist_noclobber(&name) {
            Ok(()) => {
                sync_directory(folder)?;
                return Ok(name);
            }
            Err(error) => {
                let _ = error.path.keep();
                if error.error.kind() != io::ErrorKind::AlreadyExists {
                    return Err(error.error);
                }
            }
        }
    }
    Err(too_many())
}

fn name(folder: &Path, mut files: Vec<TempPath>, paths: &[PathBuf]) -> io::Result<PathBuf> {
    for n in 1..=NAMES {
        let names: Vec<PathBuf> = paths.iter().map(|path| numbered(path, n)).collect();
        // The first is the one that is asked about; where it is free and another is not, the number is not taken either.
        if names.iter().any(|name| name.symlink_metadata().is_ok()) {
            continue;
        }
        match persist(files, &names)? {
            None => {
                sync_directory(folder)?;
                return Ok(names.into_iter().next().unwrap_or_default());
            }
            Some(back) => files = back,
        }
    }
    Err(too_many())
}

fn too_many() -> io::Error {
    io::Error::other(format!("{NAMES} files of that name exist; choose another"))
}

/// Gives the files their names. `Some`: a name was taken this moment, and none has its own yet.
fn persist(files: Vec<TempPath>, names: &[PathBuf]) -> io::Result<Option<Vec<TempPath>>> {
    let mut named: Vec<&PathBuf> = Vec::new();
    // Whole or not at all: what has its name already is of this moment, and nobody else's.
    let undo = |named: &[&PathBuf]| named.iter().for_each(|name| drop(std::fs::remove_file(name)));
    let mut back = Vec::new();
    let mut taken = false;
    for (file, name) in files.into_iter().zip(names) {
        if taken {
            back.push(file);
            continue;
        }
        match file.persist_noclobber(name) {
            Ok(()) => named.push(name),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
                back.push(error.path);
                taken = true;
            }
            Err(error) => {
                undo(&named);
                return Err(error.error);
            }
        }
    }
    if !taken {
        return Ok(None);
    }
    if let Some(name) = named.first() {
        // Only where two copies save files of one name in the same moment.
        undo(&named);
        return Err(io::Error::other(format!("what belongs beside {} is taken; try again", name.display())));
    }
    Ok(Some(back))
}

/// Makes the names in a folder survive a power cut.
pub fn sync_directory(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    std::fs::File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// `notes.md`, `notes (2).md`, `notes (3).md`, …
pub fn numbered(path: &Path, n: u32) -> PathBuf {
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
