//! Hashes of local files.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use ring::digest::{Context, SHA256};

use super::course::Course;
use super::save::expand;
use crate::record::work::Done;

/// Bytes read at once.
const BLOCK: usize = 1 << 20;

/// Hashes a file of any size.
pub(super) fn hash(path: &str, course: &Course) -> Done {
    match expand(path).and_then(|path| read(&path, &mut course.reporter())) {
        Ok((hash, bytes)) => Done::Hashed(hash, bytes),
        Err(why) => Done::Failed(why.into()),
    }
}

fn read(path: &Path, go: &mut dyn FnMut(u64, u64) -> bool) -> Result<([u8; 32], u64), String> {
    let why = |why: std::io::Error| format!("cannot read {}: {why}", path.display());
    // Checked before opening: opening a pipe would wait for a writer.
    if !path.metadata().map_err(why)?.is_file() {
        return Err(format!("{} is not a regular file; choose another", path.display()));
    }
    let mut file = File::open(path).map_err(why)?;
    let total = file.metadata().map_err(why)?.len();
    let (mut hash, mut done, mut block) = (Context::new(&SHA256), 0, vec![0; BLOCK]);
    loop {
        if !go(done, total.max(done)) {
            return Err("stopped".to_owned());
        }
        let read = file.read(&mut block).map_err(why)?;
        if read == 0 {
            break;
        }
        hash.update(&block[..read]);
        done += read as u64;
    }
    Ok((hash.finish().as_ref().try_into().expect("SHA-256 has 32 bytes"), done))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_hashed_and_a_stop_is_heard() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("a");
        for bytes in [0, 1, BLOCK, BLOCK + 1] {
            let content = vec![b'x'; bytes];
            std::fs::write(&path, &content).unwrap();
            let (hash, length) = read(&path, &mut |_, total| total == bytes as u64).unwrap();
            assert_eq!((&hash[..], length), (ring::digest::digest(&SHA256, &content).as_ref(), bytes as u64));
        }
        assert_eq!(read(&path, &mut |done, _| done == 0).unwrap_err(), "stopped");
        for (path, words) in [(home.path(), "not a regular file"), (Path::new("/no/such"), "cannot read")] {
            assert!(read(path, &mut |_, _| true).unwrap_err().contains(words));
        }
    }
}
