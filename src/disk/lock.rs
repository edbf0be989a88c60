//! Files locked by one process.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long to wait for another process that is about to release a file.
const LETTING_GO: Duration = Duration::from_secs(3);

/// Opens a file for reading and writing and locks it for this process; creates it if missing. Fails if another process
/// has it, if the path is a link or no plain file, or if `go` returns false.
pub(super) fn locked(path: &Path, go: &mut dyn FnMut() -> bool) -> io::Result<File> {
    let begun = Instant::now();
    loop {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            // Do not follow a link that somebody else created.
            options.mode(0o600).custom_flags(rustix::fs::OFlags::NOFOLLOW.bits() as i32);
        }
        let file = options.open(path)?;
        match file.try_lock() {
            Ok(()) if !file.metadata()?.is_file() => {
                return Err(io::Error::other(format!("{} is in the way; remove it", path.display())));
            }
            // Its owner may have renamed it meanwhile: then it is no longer at this path.
            Ok(()) if is_at(&file, path) || begun.elapsed() > LETTING_GO => return Ok(file),
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => {
                if begun.elapsed() > LETTING_GO {
                    return Err(io::Error::new(io::ErrorKind::ResourceBusy, "it is being downloaded here already"));
                }
                if !go() {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                std::thread::sleep(Duration::from_millis(20));
            }
            // The file system has no locks: two processes are not told apart.
            Err(fs::TryLockError::Error(why)) if why.kind() == io::ErrorKind::Unsupported => return Ok(file),
            Err(fs::TryLockError::Error(why)) => return Err(why),
        }
    }
}

/// Returns whether a path leads to an open plain file.
fn is_at(file: &File, path: &Path) -> bool {
    let (Ok(open), Ok(there)) = (file.metadata(), path.symlink_metadata()) else { return false };
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        open.dev() == there.dev() && open.ino() == there.ino()
    }
    #[cfg(not(unix))]
    {
        open.is_file() == there.is_file()
    }
}
