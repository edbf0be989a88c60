//! New files that never replace others.

use std::ffi::OsString;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};

/// Numbers tried before giving up.
const NAMES: u32 = 10_000;

/// Writes one of the files: its index, and where to write. The writer is buffered.
pub type Fill<'a> = dyn FnMut(usize, &mut dyn Write) -> io::Result<()> + 'a;

/// Writes files that belong together into one folder, all or none: under these names or, where one of them is taken,
/// all with the same number. Returns the name that the first one got; they survive a power cut then. Fails if `fill` or
/// the disk does, or if all numbers are taken.
pub fn fill(folder: &Path, paths: &[PathBuf], fill: &mut Fill) -> io::Result<PathBuf> {
    let mut files = Vec::new();
    for at in 0..paths.len() {
        // Mode 0600 and an unguessable name, in the folder where it will stay.
        let mut file = NamedTempFile::with_prefix_in(".benchtop-", folder).map_err(|why| without_path(&why))?;
        let mut buffer = BufWriter::new(file.as_file_mut());
        fill(at, &mut buffer)?;
        buffer.flush()?;
        drop(buffer);
        file.as_file().sync_all()?;
        files.push(file.into_temp_path());
    }
    name(folder, files, paths)
}

/// Returns why a temporary file could not be created without its name, which the user did not give it.
fn without_path(why: &io::Error) -> io::Error {
    let said = why.to_string();
    io::Error::new(why.kind(), said.split(" at path ").next().unwrap_or_default().to_owned())
}

/// Renames a complete, synced file to its name in its folder, or to that name with a number where it is taken. Returns
/// the name it got. Where that fails the file is left as it is.
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
        // The user was asked about the first name; where it is free and another is not, the number is not used either.
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
    // All or none: names given so far were given by this call, so they can be removed.
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
        // Happens only if two processes save files of one name at the same moment.
        undo(&named);
        return Err(io::Error::other(format!("what belongs beside {} is taken; try again", name.display())));
    }
    Ok(Some(back))
}

/// Syncs a folder, so that the names in it survive a power cut. Fails if the disk refuses; does nothing where folders
/// cannot be synced.
pub fn sync_directory(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    std::fs::File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// Returns `notes.md` for 1, `notes (2).md` for 2 and so on.
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
