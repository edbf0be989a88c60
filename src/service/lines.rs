//! The lines of the request log: written by a thread of its own, so that a slow disk or pipe holds up no request.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use tokio::sync::oneshot;

use super::limits::GRACE;

/// Where the lines of a request log go.
pub type Log = Box<dyn Write + Send>;

/// The way to the thread that writes. It ends when this is dropped.
pub(super) struct Lines(Sender<Order>);

enum Order {
    Write(String),
    /// Tell when all before this is written.
    Flush(oneshot::Sender<()>),
}

impl Lines {
    /// Starts the thread.
    pub(super) fn start(log: Log) -> io::Result<Self> {
        let (sender, orders) = channel();
        thread::Builder::new().name("request-log".into()).spawn(move || write(log, &orders))?;
        Ok(Self(sender))
    }

    /// Writes a line soon, without waiting.
    pub(super) fn write(&self, line: String) {
        let _ = self.0.send(Order::Write(line));
    }

    /// Waits until all lines so far are written, for a moment at most.
    pub(super) async fn flush(&self) {
        let (written, hears) = oneshot::channel();
        let _ = self.0.send(Order::Flush(written));
        let _ = tokio::time::timeout(GRACE, hears).await;
    }
}

fn write(mut log: Log, orders: &Receiver<Order>) {
    for order in orders {
        // A log that cannot be written must not end the service.
        match order {
            Order::Write(line) => {
                let _ = log.write_all(line.as_bytes());
            }
            Order::Flush(written) => {
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
    use std::time::Duration;

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
    async fn a_log_that_stalls_holds_up_nobody_and_gets_every_line_in_order() {
        let written = Arc::new(Mutex::new(Vec::new()));
        let lines = Lines::start(Box::new(Held(Arc::clone(&written)))).unwrap();
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
