//! The lines of the request log: written by a thread of its own, so that a slow disk or pipe delays no request.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::Duration;

use tokio::sync::oneshot;

use super::limits::GRACE;

/// Where the lines of a request log go.
pub type LogSink = Box<dyn Write + Send>;

/// Time between two attempts to queue a line.
const RETRY: Duration = Duration::from_millis(5);
/// Lines that wait to be written, at most.
const WAITING: usize = 10_000;

/// Sends lines to the thread that writes them, which ends when this is dropped.
pub(super) struct LogWriter {
    commands: SyncSender<Command>,
    /// Lines dropped, for lack of space, since the last one that was accepted.
    lost: Arc<AtomicU64>,
}

enum Command {
    Write(String),
    /// Report when all earlier lines are written.
    Flush(oneshot::Sender<()>),
}

impl LogWriter {
    /// Starts the thread. Fails if the system starts none.
    pub(super) fn start(log: LogSink) -> io::Result<Self> {
        let (sender, commands) = sync_channel(WAITING);
        let lost = Arc::default();
        let counted = Arc::clone(&lost);
        thread::Builder::new().name("request-log".into()).spawn(move || write(log, &commands, &counted))?;
        Ok(Self { commands: sender, lost })
    }

    /// Queues a line. It is counted as lost while too many wait.
    pub(super) fn write(&self, line: String) {
        if let Err(TrySendError::Full(_)) = self.commands.try_send(Command::Write(line)) {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Waits until all lines so far are written, but only for a moment.
    pub(super) async fn flush(&self) {
        let written = async {
            let (sender, written) = oneshot::channel();
            let mut command = Command::Flush(sender);
            while let Err(TrySendError::Full(back)) = self.commands.try_send(command) {
                command = back;
                tokio::time::sleep(RETRY).await;
            }
            let _ = written.await;
        };
        let _ = tokio::time::timeout(GRACE, written).await;
    }
}

fn write(mut log: LogSink, commands: &Receiver<Command>, lost: &AtomicU64) {
    for command in commands {
        let missing = lost.swap(0, Ordering::Relaxed);
        if missing > 0 {
            let _ = writeln!(log, "# {missing} requests were not logged: the log was written too slowly");
        }
        // A log that cannot be written must not end the service.
        match command {
            Command::Write(line) => {
                let _ = log.write_all(line.as_bytes());
            }
            Command::Flush(written) => {
                let _ = log.flush();
                let _ = written.send(());
            }
        }
    }
    let _ = log.flush();
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// A log that writes nothing while its lock is held elsewhere.
    struct Held(Arc<Mutex<Vec<u8>>>);

    impl Write for Held {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn lines_that_find_no_room_are_counted_in_the_log() {
        let written = Arc::new(Mutex::new(Vec::new()));
        let lines = LogWriter::start(Box::new(Held(Arc::clone(&written)))).unwrap();
        {
            let _stalls = written.lock().unwrap();
            // One more than wait and are being written.
            (0..=WAITING + 1).for_each(|line| lines.write(format!("{line}\n")));
        }
        let count = || {
            let text = String::from_utf8(written.lock().unwrap().clone()).unwrap();
            let (said, lines): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with('#'));
            let lost: usize = said.iter().map(|line| line.split(' ').nth(1).unwrap().parse::<usize>().unwrap()).sum();
            (lines.len(), lost)
        };
        let all = async {
            while count().0 + count().1 < WAITING + 2 {
                lines.flush().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), all).await.expect("every line is written or counted");
        assert!(count().1 > 0);
    }

    #[tokio::test]
    async fn a_log_that_stalls_holds_up_nobody_and_gets_every_line_in_order() {
        let written = Arc::new(Mutex::new(Vec::new()));
        let lines = LogWriter::start(Box::new(Held(Arc::clone(&written)))).unwrap();
        {
            let stalls = written.lock().unwrap();
            (0..1000).for_each(|line| lines.write(format!("{line}\n")));
            assert!(stalls.is_empty());
        }
        let all = async {
            while !written.lock().unwrap().ends_with(b"\n999\n") {
                lines.flush().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), all).await.expect("every line is written");
        let written = String::from_utf8(written.lock().unwrap().clone()).unwrap();
        assert!(written.lines().eq((0..1000).map(|line| line.to_string())));
    }
}
