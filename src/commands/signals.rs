//! Ctrl+C and the signals that end programs. The loop of a command takes them; a program that does not stop is ended.

use std::future;
#[cfg(unix)]
use std::sync::atomic::{AtomicBool, Ordering};
#[cfg(unix)]
use std::sync::{Arc, LazyLock};
#[cfg(unix)]
use std::task::Poll;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use super::status::Status;
use crate::process;
#[cfg(unix)]
use crate::process::ignored_signals::was_ignored;

/// Time for a command to stop and to print the rest. More is taken only where nobody reads what is printed.
const STOPPING: Duration = Duration::from_secs(1);
/// Time for the programs that a command runs to be stopped.
const PROGRAMS: Duration = Duration::from_millis(50);

/// Whether a signal ends the program at once, as no loop watches for signals yet.
#[cfg(unix)]
static ENDS_AT_ONCE: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Lets signals end the program with the status for them until a loop watches for them: a command may have to wait for
/// its standard input before it begins. Those that were ignored at the start stay ignored, here and in the loop.
#[cfg(unix)]
pub fn end_at_signals() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let ends_at_once: &Arc<AtomicBool> = &ENDS_AT_ONCE;
    ends_at_once.store(true, Ordering::SeqCst);
    for signal in [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| !was_ignored(*signal)) {
        let status = i32::from(Status::Interrupted.code());
        // Without a handler the signal ends the process all the same.
        let _ = signal_hook::flag::register_conditional_shutdown(signal, status, Arc::clone(ends_at_once));
    }
}

/// Does nothing: Ctrl+C ends the process.
#[cfg(not(unix))]
pub fn end_at_signals() {}

/// A signal that has come. It is dropped when what it stops has stopped.
#[derive(Debug)]
pub(super) struct Stop {
    /// Whether the program is to end, not only what it does: it was not Ctrl+C.
    pub(super) ends_program: bool,
    _stopped: oneshot::Sender<()>,
}

/// The signals that come.
#[derive(Debug)]
pub(super) struct Signals(mpsc::Receiver<Stop>);

impl Signals {
    /// Watches for signals from now on. Needs a running tokio runtime.
    pub(super) fn watch() -> Self {
        let (sender, receiver) = mpsc::channel(1);
        let incoming = Incoming::new();
        #[cfg(unix)]
        ENDS_AT_ONCE.store(false, Ordering::SeqCst);
        tokio::spawn(pass_on(incoming, sender));
        Self(receiver)
    }

    /// Waits for the next signal.
    pub(super) async fn recv(&mut self) -> Stop {
        match self.0.recv().await {
            Some(stop) => stop,
            // The runtime has ended, and nothing waits any more.
            None => future::pending().await,
        }
    }

    /// Forgets what has come already. Returns whether the program is to end because of it.
    pub(super) fn forget(&mut self) -> bool {
        let mut ends_program = false;
        while let Ok(stop) = self.0.try_recv() {
            ends_program |= stop.ends_program;
        }
        ends_program
    }

    /// Lets the second signal end the program at once. `is_stopping`: the first one has come.
    pub(super) async fn end_at_second(mut self, is_stopping: bool) {
        if !is_stopping {
            drop(self.recv().await);
        }
        self.0.close();
        // Those that come later cannot be passed on.
        if self.0.try_recv().is_ok() {
            end_now();
        }
    }
}

/// Passes signals on. The program ends at one that nobody takes any more, that comes before the one before it has
/// stopped what it stops, or that has not done so in time: nobody reads what is printed.
async fn pass_on(mut incoming: Incoming, sender: mpsc::Sender<Stop>) {
    loop {
        let ends_program = incoming.recv().await;
        let (stopped, has_stopped) = oneshot::channel();
        if sender.try_send(Stop { ends_program, _stopped: stopped }).is_err() {
            end_now();
        }
        tokio::select! {
            biased;
            _ = has_stopped => {}
            _ = incoming.recv() => end_now(),
            () = tokio::time::sleep(STOPPING) => end_now(),
        }
    }
}

/// Ends the program without waiting for anything but the programs that it runs.
fn end_now() -> ! {
    process::stop_all();
    std::thread::sleep(PROGRAMS);
    std::process::exit(Status::Interrupted.code().into())
}

/// The handlers of signals, each with whether the program is to end.
#[cfg(unix)]
struct Incoming(Vec<(tokio::signal::unix::Signal, bool)>);

#[cfg(unix)]
impl Incoming {
    fn new() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        let kinds = [(SignalKind::interrupt(), false), (SignalKind::terminate(), true), (SignalKind::hangup(), true)];
        let kinds = kinds.into_iter().filter(|(kind, _)| !was_ignored(kind.as_raw_value()));
        // Without a handler the signal ends the process at once, as it would any other.
        Self(kinds.filter_map(|(kind, ends)| Some((signal(kind).ok()?, ends))).collect())
    }

    /// Waits for the next signal. Returns whether the program is to end.
    async fn recv(&mut self) -> bool {
        future::poll_fn(|cx| {
            let came = self.0.iter_mut().find_map(|(signal, ends)| signal.poll_recv(cx).is_ready().then_some(*ends));
            came.map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }
}

#[cfg(not(unix))]
struct Incoming;

#[cfg(not(unix))]
impl Incoming {
    fn new() -> Self {
        Self
    }

    /// Waits for the next Ctrl+C. Returns whether the program is to end.
    async fn recv(&mut self) -> bool {
        if tokio::signal::ctrl_c().await.is_err() {
            // It ends the process at once.
            future::pending::<()>().await;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ctrl_c_that_came_too_late_is_forgotten_and_a_signal_to_end_is_not() {
        for ends_program in [false, true] {
            let (sender, receiver) = mpsc::channel(1);
            let (stopped, mut has_stopped) = oneshot::channel();
            sender.try_send(Stop { ends_program, _stopped: stopped }).unwrap();
            let mut signals = Signals(receiver);
            assert_eq!(signals.forget(), ends_program);
            assert!(matches!(has_stopped.try_recv(), Err(oneshot::error::TryRecvError::Closed)), "it was taken");
            assert!(!signals.forget());
        }
    }
}
