//! Checks an open store in the background, once after each start: finds damage that a clean exit hid before the damaged
//! part is needed.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;

use rusqlite::{Connection, InterruptHandle, OpenFlags};

use super::connection::leave_log;
use super::error::sentence;
use super::events::{StoreEvent, StoreEvents};
use super::examine::{CheckDepth, examine};
use super::limits::{BUSY, SETTLED, SMALL, STARTED};
use super::lock_file::CorruptionFlag;
use super::replies::thread_named;
use super::schema::OpenError;

/// A check that runs or will run.
pub(super) struct Checkup {
    thread: JoinHandle<()>,
    reading: InterruptHandle,
    /// Dropped to end the wait before the check.
    stop: Sender<()>,
}

impl Checkup {
    /// Starts the check of the store at `path`. Without a thread or a connection there is none.
    pub(super) fn start(path: PathBuf, corruption: CorruptionFlag, events: StoreEvents) -> Option<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let small = path.metadata().ok()?.len() <= SMALL;
        let connection = Connection::open_with_flags(path, flags).ok()?;
        leave_log(&connection);
        let reading = connection.get_interrupt_handle();
        let (stop, stopped) = channel();
        let check = move || run(&connection, small, &stopped, &corruption, &events);
        let thread = thread_named("store-check").spawn(check).ok()?;
        Some(Self { thread, reading, stop })
    }

    /// Stops the check if it still runs.
    pub(super) fn stop(self) {
        drop(self.stop);
        if !self.thread.is_finished() {
            self.reading.interrupt();
        }
        let _ = self.thread.join();
    }
}

fn run(
    connection: &Connection,
    small: bool,
    stopped: &Receiver<()>,
    corruption: &CorruptionFlag,
    events: &StoreEvents,
) {
    let (wait, check) = if small { (STARTED, CheckDepth::Full) } else { (SETTLED, CheckDepth::Quick) };
    if stopped.recv_timeout(wait) != Err(RecvTimeoutError::Timeout) {
        return;
    }
    // Only this thread, on Linux; elsewhere it would be the whole process.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(19);
    let set = connection.busy_timeout(BUSY).and_then(|()| connection.pragma_update(None, "cache_size", -1024));
    if let Err(OpenError::Sqlite(error)) = set.map_err(OpenError::Sqlite).and_then(|()| examine(connection, check))
        && corruption.report_damage(&error)
    {
        tracing::error!(why = %error, "the store is damaged");
        events.send(StoreEvent::Warning(sentence(&error)));
    }
}
