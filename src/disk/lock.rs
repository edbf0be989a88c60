//! Files that one program has for itself.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long another one that lets go of a file just now is waited for.
const LETTING_GO: Duration = Duration::from_secs(3);

/// The file, for this one alone.
pub(super) fn locked(path: &Path, go: &mut dyn FnMut() -> bool) -> io::Result<File> {
    let begun = Instant::now();
    loop {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            // Not through a link that somebody laid there.
            options.mode(0o600).custom_flags(rustix::fs::OFlags::NOFOLLOW.bits() as i32);
        }
        let file = options.open(path)?;
        match file.try_lock() {
            Ok(()) if !file.metadata()?.is_file() => {
                return Err(io::Error::other(format!("{} is in the way; remove it", path.display())));
            }
            // Who had it may have given it its name meanwhile: then it is no longer here.
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
            // No locks on this file system: two at once are not told apart.
            Err(fs::TryLockError::Error(why)) if why.kind() == io::ErrorKind::Unsupported => return Ok(file),
            Err(fs::TryLockError::Error(why)) => return Err(why),
        }
    }
}

/// Whether a path leads to an open plain file.
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
