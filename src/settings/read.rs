//! Reads files of settings within bounds: no pipe, device or huge file can delay the start.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use super::limits;

/// Reads a file of settings. Fails if it is no regular file, larger than [`limits::SETTINGS_FILE`], or not UTF-8 text.
pub(crate) fn text(path: &Path) -> io::Result<String> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        // Opening a pipe that nobody writes to would wait for ever.
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits() as i32);
    }
    let file = options.open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    file.take(limits::SETTINGS_FILE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limits::SETTINGS_FILE {
        return Err(io::Error::other(format!("it is larger than {} MiB", limits::SETTINGS_FILE >> 20)));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8 text"))
}
