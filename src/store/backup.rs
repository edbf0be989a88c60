//! Daily copies of the store, seven of them, in `backups/` beside it.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::{Connection, InterruptHandle};

use super::open;
use super::presence::{private, sync_directory};

/// Copies kept.
const KEPT: usize = 7;
/// How often it is asked whether a new day has begun.
const OFTEN: Duration = Duration::from_mins(10);

/// Makes a copy once a day, on a thread of its own, beside the writer's work.
#[derive(Default)]
pub(super) struct Backups {
    /// The store; `None`: no backups.
    path: Option<PathBuf>,
    asked: Option<Instant>,
    running: Option<(JoinHandle<()>, InterruptHandle)>,
}

impl Backups {
    /// Backups of the store at `path`.
    pub(super) fn of(path: PathBuf) -> Self {
        Self { path: Some(path), ..Self::default() }
    }

    /// Something was committed: starts today's copy where there is none yet.
    pub(super) fn due(&mut self) {
        let Some(path) = &self.path else { return };
        if self.asked.is_some_and(|asked| asked.elapsed() < OFTEN) {
            return;
        }
        self.asked = Some(Instant::now());
        if self.running.as_ref().is_some_and(|(thread, _)| !thread.is_finished()) {
            return;
        }
        let target = directory(path).join(name(path, &jiff::Zoned::now().date().to_string()));
        if target.exists() {
            return;
        }
        // A copy that fails is tried again later; the store itself is not in danger.
        let Ok(connection) = Connection::open_with_flags(path, open::flags()) else { return };
        let handle = connection.get_interrupt_handle();
        let path = path.clone();
        let thread = std::thread::Builder::new().name("store-backup".to_owned()).spawn(move || {
            if make(&connection, &target).is_ok() {
                prune(&path);
            }
        });
        self.running = thread.ok().map(|thread| (thread, handle));
    }

    /// Gives up a copy that is being made.
    pub(super) fn stop(self) {
        if let Some((thread, handle)) = self.running {
            if !thread.is_finished() {
                handle.interrupt();
            }
            let _ = thread.join();
        }
    }
}

/// The newest copy there is.
pub(super) fn newest(path: &Path) -> Option<PathBuf> {
    all(path).pop()
}

fn directory(path: &Path) -> PathBuf {
    path.with_file_name("backups")
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn name(path: &Path, day: &str) -> String {
    format!("{}-{day}.db", stem(path))
}

/// All copies, oldest first. The days' names sort like the days.
fn all(path: &Path) -> Vec<PathBuf> {
    let start = format!("{}-", stem(path));
    let is_copy = |name: &str| {
        name.strip_prefix(&start)
            .and_then(|rest| rest.strip_suffix(".db"))
            .is_some_and(|day| day.parse::<jiff::civil::Date>().is_ok())
    };
    let Ok(entries) = fs::read_dir(directory(path)) else { return Vec::new() };
    let mut copies: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.file_name().and_then(|name| name.to_str()).is_some_and(is_copy))
        .collect();
    copies.sort();
    copies
}

/// Writes a copy under another name, then gives it its own: a copy that exists is whole.
fn make(connection: &Connection, target: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let directory = target.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(directory)?;
    let half = super::beside(target, ".part");
    let name = half.to_str().ok_or("SQLite takes only UTF-8 names")?;
    match fs::remove_file(&half) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    // SQLite takes an empty file, and would make one that others can read.
    drop(private(OpenOptions::new().write(true).create_new(true)).open(&half)?);
    let made = connection
        .busy_timeout(Duration::from_secs(5))
        .and_then(|()| connection.pragma_update(None, "cache_size", -1024))
        .and_then(|()| connection.execute("VACUUM INTO ?1", [name]))
        .map_err(Box::<dyn std::error::Error>::from)
        .and_then(|_| Ok(File::open(&half)?.sync_all()?))
        .and_then(|()| Ok(fs::rename(&half, target)?))
        .and_then(|()| Ok(sync_directory(directory)?));
    if made.is_err() {
        let _ = fs::remove_file(&half);
    }
    made
}

fn prune(path: &Path) {
    let copies = all(path);
    for old in &copies[..copies.len().saturating_sub(KEPT)] {
        let _ = fs::remove_file(old);
    }
}
