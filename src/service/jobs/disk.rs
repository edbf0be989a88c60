//! Jobs on disk: a folder for each, with the list of its changes, one JSON line each, appended and synced; the sentence
//! vectors of its prompts; the checkpoint of its last epoch; its results so far; the model it made.
//!
//! A crash can only leave an incomplete last line, which is removed. A job that cannot be read for another reason is
//! renamed, never deleted, and never blocks the start.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::job::{Change, Job};
use crate::disk::read_own;
use crate::settings::paths::{keep_private, make_private};

/// Bytes of the longest list of changes that is read: thousands of epochs and places in the queue.
const MAX_BYTES: u64 = 16 << 20;

/// A stored change.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    /// Unix seconds.
    at: i64,
    change: Change,
}

/// The folder of all jobs.
#[derive(Debug)]
pub(super) struct Folder(PathBuf);

/// A checkpoint or a model on the disk, under a temporary name.
#[derive(Debug)]
pub(super) struct Unsaved(NamedTempFile);

/// A job as it was read.
#[derive(Debug)]
pub(super) struct StoredJob {
    pub(super) job: Job,
    /// Part of its list of changes could not be read.
    pub(super) damaged: bool,
}

impl Folder {
    /// Opens the jobs stored under `home`, in any order. Fails if the folder cannot be created or read.
    pub(super) fn open(home: &Path) -> io::Result<(Self, Vec<StoredJob>)> {
        let folder = Self(home.join("jobs"));
        keep_private(&folder.0)?;
        let mut kept = Vec::new();
        for entry in fs::read_dir(&folder.0)? {
            let entry = entry?;
            let name = entry.file_name();
            // Damaged jobs that were renamed, and files of others, stay as they are.
            let Some(id) = name.to_str().filter(|name| is_job_id(name)) else { continue };
            match folder.read(id) {
                Ok(Some(found)) => kept.push(found),
                // Created but never written: the crash came before anybody was told of it.
                Ok(None) => {
                    let _ = fs::remove_dir_all(entry.path());
                }
                Err(why) => {
                    tracing::warn!(id, %why, "a fine-tune job cannot be read and is set aside");
                    if let Err(why) = fs::rename(entry.path(), damaged_path(&entry.path())) {
                        tracing::warn!(id, %why, "and it could not be set aside");
                    }
                }
            }
        }
        Ok((folder, kept))
    }

    /// Stores a new job durably, or fails without leaving anything.
    pub(super) fn create(&self, id: &str, at: i64, change: &Change) -> io::Result<()> {
        let folder = self.folder(id)?;
        make_private(&folder)?;
        let written = replace(&folder.join(CHANGES), line(at, change)?.as_bytes()).and_then(|()| sync(&self.0));
        if written.is_err() {
            let _ = fs::remove_dir_all(&folder);
        }
        written
    }

    /// Appends a change to a job's list; `lasting`: it must survive a power cut when this returns. Fails, without a
    /// partial line, if the disk refuses.
    pub(super) fn append(&self, id: &str, at: i64, change: &Change, lasting: bool) -> io::Result<()> {
        let line = line(at, change)?;
        let mut file = OpenOptions::new().append(true).open(self.folder(id)?.join(CHANGES))?;
        let before = file.metadata()?.len();
        let written = file.write_all(line.as_bytes()).and_then(|()| if lasting { file.sync_data() } else { Ok(()) });
        if written.is_err() {
            // A partial line must not precede the next.
            let _ = file.set_len(before);
        }
        written
    }

    /// Writes a future checkpoint or model under a temporary name, which is deleted if this is dropped: the slow part,
    /// for which nothing else has to wait. Fails if the disk refuses.
    pub(super) fn prepare(&self, id: &str, bytes: &[u8]) -> io::Result<Unsaved> {
        write_temporary(&self.folder(id)?, bytes).map(Unsaved)
    }

    /// Stores the checkpoint of an epoch. Fails if the disk refuses.
    pub(super) fn save_checkpoint(&self, id: &str, epoch: u32, prepared: Unsaved) -> io::Result<()> {
        persist(prepared.0, &self.folder(id)?.join(checkpoint(epoch)))
    }

    /// Stores the sentence vectors of a job's prompts. Fails if the disk refuses.
    pub(super) fn save_vectors(&self, id: &str, prepared: Unsaved) -> io::Result<()> {
        persist(prepared.0, &self.folder(id)?.join(VECTORS))
    }

    /// Reads the sentence vectors of a job's prompts. Fails if there are none.
    pub(super) fn vectors(&self, id: &str) -> io::Result<Vec<u8>> {
        read_own(&self.folder(id)?.join(VECTORS))
    }

    /// Removes the checkpoints of a job, except that of `epoch`, and what a crash left incomplete.
    pub(super) fn delete_checkpoints(&self, id: &str, except: Option<u32>) {
        let Ok(folder) = self.folder(id) else { return };
        let kept = except.map(checkpoint);
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let old = name.starts_with(CHECKPOINT) && Some(&*name) != kept.as_deref();
            if old || name.starts_with(UNFINISHED) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Removes what a finished job does not need any more: checkpoints, sentence vectors, and the results, which are a
    /// file of their own by now.
    pub(super) fn remove_leftovers(&self, id: &str) {
        self.delete_checkpoints(id, None);
        let vectors = self.folder(id).map(|folder| folder.join(VECTORS));
        for path in [self.results(id), vectors].into_iter().flatten() {
            let _ = fs::remove_file(path);
        }
    }

    /// Reads the checkpoint of an epoch. Fails if there is none.
    pub(super) fn checkpoint(&self, id: &str, epoch: u32) -> io::Result<Vec<u8>> {
        read_own(&self.folder(id)?.join(checkpoint(epoch)))
    }

    /// Returns the path of a job's results so far. Fails for an invalid id.
    pub(super) fn results(&self, id: &str) -> io::Result<PathBuf> {
        Ok(self.folder(id)?.join("results.csv"))
    }

    /// Stores the model that a job made. Fails if the disk refuses.
    pub(super) fn save_model(&self, id: &str, prepared: Unsaved) -> io::Result<()> {
        persist(prepared.0, &self.folder(id)?.join(MODEL))
    }

    /// Reads the model that a job made. Fails if there is none.
    pub(super) fn model(&self, id: &str) -> io::Result<Vec<u8>> {
        read_own(&self.folder(id)?.join(MODEL))
    }

    /// Deletes the model that a job made. Fails if the disk refuses.
    pub(super) fn delete_model(&self, id: &str) -> io::Result<()> {
        match fs::remove_file(self.folder(id)?.join(MODEL)) {
            Err(why) if why.kind() != io::ErrorKind::NotFound => Err(why),
            _ => Ok(()),
        }
    }

    /// Deletes a job. Fails if the disk refuses.
    pub(super) fn delete(&self, id: &str) -> io::Result<()> {
        let folder = self.folder(id)?;
        // The list first: a crash in between leaves a folder that the next start removes.
        fs::remove_file(folder.join(CHANGES))?;
        sync(&folder)?;
        fs::remove_dir_all(folder)
    }

    fn folder(&self, id: &str) -> io::Result<PathBuf> {
        // Ids are created here and never come from a caller; this makes sure of it.
        if is_job_id(id) { Ok(self.0.join(id)) } else { Err(io::ErrorKind::InvalidInput.into()) }
    }

    /// Reads a job; `None`: there is no list of changes.
    fn read(&self, id: &str) -> io::Result<Option<StoredJob>> {
        let path = self.folder(id)?.join(CHANGES);
        let text = match fs::metadata(&path) {
            Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(why) => return Err(why),
            Ok(found) if found.len() > MAX_BYTES => return Err(io::Error::other("its list of changes is too long")),
            Ok(_) => read_own(&path)?,
        };
        let (job, good) = replay(id, &text).ok_or_else(|| io::Error::other("its list of changes has no beginning"))?;
        // What follows the last whole line was interrupted by a crash if it is a partial line; anything else is damage.
        let rest = &text[good..];
        let damaged = rest.contains(&b'\n');
        if damaged {
            fs::copy(&path, damaged_path(&path))?;
        }
        if !rest.is_empty() {
            let file = OpenOptions::new().write(true).open(&path)?;
            file.set_len(good as u64)?;
            file.sync_data()?;
        }
        Ok(Some(StoredJob { job, damaged }))
    }
}

const CHANGES: &str = "changes.jsonl";
const CHECKPOINT: &str = "epoch-";
const MODEL: &str = "model";
const VECTORS: &str = "vectors";
const UNFINISHED: &str = ".new-";

fn checkpoint(epoch: u32) -> String {
    format!("{CHECKPOINT}{epoch}")
}

/// Returns whether this is a valid id of a job: `ft-` and letters and digits.
fn is_job_id(id: &str) -> bool {
    id.strip_prefix("ft-").is_some_and(|tail| !tail.is_empty() && tail.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

fn line(at: i64, change: &Change) -> io::Result<String> {
    Ok(serde_json::to_string(&Line { at, change: change.clone() })? + "\n")
}

/// Replays the changes of the job `id` up to the first that cannot be read, and returns where in the list that is.
/// `None`: already the first cannot be read.
fn replay(id: &str, text: &[u8]) -> Option<(Job, usize)> {
    let mut lines = text.split_inclusive(|byte| *byte == b'\n');
    let whole = |line: &[u8]| line.ends_with(b"\n").then(|| serde_json::from_slice::<Line>(line).ok()).flatten();
    let first = lines.next()?;
    let Line { at, change } = whole(first)?;
    let mut job = Job::create(at, &change).ok().filter(|job| job.id == id)?;
    let mut good = first.len();
    for text in lines {
        let Some(Line { at, change }) = whole(text) else { break };
        if job.apply(at, &change).is_err() {
            break;
        }
        good += text.len();
    }
    Some((job, good))
}

/// Returns a free name beside `path`: `ft-x.damaged`, `ft-x.damaged-1`, …
fn damaged_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".damaged");
    let first = PathBuf::from(&name);
    let numbered = (1..).map(|n| {
        let mut name = name.clone();
        name.push(format!("-{n}"));
        PathBuf::from(name)
    });
    std::iter::once(first).chain(numbered).find(|path| !path.exists()).expect("one of all names is free")
}

/// Writes a file so that a crash leaves the old one or the new one.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    persist(write_temporary(path.parent().unwrap_or(Path::new(".")), bytes)?, path)
}

/// Writes a file under a temporary name and syncs it.
fn write_temporary(folder: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let mut file = NamedTempFile::with_prefix_in(UNFINISHED, folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// Renames the file to its final name, durably.
fn persist(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.persist(path).map_err(|failed| failed.error)?;
    sync(path.parent().unwrap_or(Path::new(".")))
}

/// Syncs a folder: otherwise a power cut could undo a renaming. Fails if the disk does.
#[cfg(unix)]
pub(super) fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Does nothing: folders cannot be synced here.
#[cfg(not(unix))]
pub(super) fn sync(_folder: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::job::tests::created;
    use super::*;

    fn folder() -> (tempfile::TempDir, Folder) {
        let home = tempfile::tempdir().unwrap();
        let (folder, kept) = Folder::open(home.path()).unwrap();
        assert!(kept.is_empty());
        folder.create("ft-x", 1, &created()).unwrap();
        folder.append("ft-x", 2, &Change::Queued { place: 0 }, true).unwrap();
        (home, folder)
    }

    #[test]
    fn a_job_is_read_as_it_was_kept() {
        let (home, folder) = folder();
        for (epoch, bytes) in [(1, b"one"), (2, b"two")] {
            folder.save_checkpoint("ft-x", epoch, folder.prepare("ft-x", bytes).unwrap()).unwrap();
        }
        let unfinished = home.path().join("jobs/ft-x/.new-torn");
        fs::write(&unfinished, "half").unwrap();
        folder.delete_checkpoints("ft-x", Some(2));
        assert!(!unfinished.exists());
        assert!(folder.checkpoint("ft-x", 1).is_err());
        assert_eq!(folder.checkpoint("ft-x", 2).unwrap(), b"two");
        let (_, kept) = Folder::open(home.path()).unwrap();
        assert_eq!((kept.len(), kept[0].damaged, kept[0].job.events.len()), (1, false, 2));
        folder.delete("ft-x").unwrap();
        assert!(Folder::open(home.path()).unwrap().1.is_empty());
    }

    #[test]
    fn a_list_cut_at_any_byte_gives_the_job_up_to_there() {
        let (home, folder) = folder();
        let path = home.path().join("jobs/ft-x").join(CHANGES);
        let whole = fs::read(&path).unwrap();
        let first = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        for end in first..=whole.len() {
            fs::write(&path, &whole[..end]).unwrap();
            let kept = folder.read("ft-x").unwrap().unwrap();
            let events = if end == whole.len() { 2 } else { 1 };
            assert_eq!((kept.job.events.len(), kept.damaged), (events, false), "{end}");
            // What is appended after that is read.
            folder.append("ft-x", 3, &Change::Cancelled, true).unwrap();
            assert!(folder.read("ft-x").unwrap().unwrap().job.finished(), "{end}");
        }
    }

    #[test]
    fn damage_is_set_aside_and_blocks_nothing() {
        let (home, folder) = folder();
        let path = home.path().join("jobs/ft-x").join(CHANGES);
        let mut bytes = fs::read(&path).unwrap();
        let end = bytes.len();
        bytes.extend(b"{\"at\":\0\n{}\n");
        fs::write(&path, &bytes).unwrap();
        let kept = folder.read("ft-x").unwrap().unwrap();
        assert_eq!((kept.damaged, kept.job.events.len()), (true, 2));
        assert_eq!(fs::read(damaged_path(&path).with_file_name("changes.jsonl.damaged")).unwrap(), bytes);
        assert_eq!(fs::read(&path).unwrap().len(), end);
        for (id, text) in [("ft-y", "\0\0\0\n"), ("ft-z", "")] {
            folder.create(id, 1, &created()).unwrap();
            fs::write(home.path().join("jobs").join(id).join(CHANGES), text).unwrap();
        }
        fs::create_dir(home.path().join("jobs/ft-empty")).unwrap();
        let (_, kept) = Folder::open(home.path()).unwrap();
        assert_eq!(kept.iter().map(|kept| kept.job.id.as_str()).collect::<Vec<_>>(), ["ft-x"]);
        assert!(home.path().join("jobs/ft-y.damaged").exists() && home.path().join("jobs/ft-z.damaged").exists());
        assert!(!home.path().join("jobs/ft-empty").exists());
    }

    #[test]
    fn only_ids_made_here_name_folders() {
        let (_home, folder) = folder();
        for id in ["", "ft-", "ft-../x", "../x", "ft-a/b", "ft-ä", "ftjob-x"] {
            assert!(folder.folder(id).is_err(), "{id}");
        }
    }
}
