//! Files that the program itself wrote.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::path::Path;

/// Opens a file of a private folder for reading. A link is refused: the program creates none there, so its target is
/// not what was saved.
pub fn open_own(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, rustix::fs::OFlags::NOFOLLOW.bits() as i32);
    options.open(path)
}

/// Reads a file of a private folder; like [`open_own`] it refuses a link.
pub fn read_own(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_own(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns options that open files for this user alone.
pub fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}
