//! Signals, and the loss of the terminal. Both wait in the system until they happen.

use tokio::sync::mpsc::UnboundedSender;

use super::event::Event;
use super::terminal::Tty;

/// Time to save and end after the loss of the terminal, before the process is ended.
#[cfg(unix)]
const GRACE: std::time::Duration = std::time::Duration::from_secs(18);

/// Sends an event for each signal. Needs a running tokio runtime. Fails if a handler cannot be installed.
#[cfg(unix)]
pub fn watch_signals(events: &UnboundedSender<Event>, tty: &Tty) -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    // 20: the suspend that a terminal's driver or another program sends.
    let stop = rustix::process::Signal::TSTP.as_raw();
    let kinds = [
        SignalKind::terminate(),
        SignalKind::hangup(),
        SignalKind::interrupt(),
        SignalKind::quit(),
        SignalKind::from_raw(stop),
        SignalKind::from_raw(rustix::process::Signal::CONT.as_raw()),
    ];
    for kind in kinds {
        let mut stream = signal(kind)?;
        let (events, tty) = (events.clone(), tty.clone());
        tokio::spawn(async move {
            while stream.recv().await.is_some() {
                let number = kind.as_raw_value();
                if tty.is_lent()
                    && number != SignalKind::terminate().as_raw_value()
                    && number != SignalKind::hangup().as_raw_value()
                {
                    // An editor's Ctrl+Z stops both processes, as the shell expects of its job; its Ctrl+C is its own.
                    if number == stop {
                        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::STOP);
                    }
                    continue;
                }
                let what = match number {
                    n if n == stop => Event::Suspend,
                    n if n == rustix::process::Signal::CONT.as_raw() => Event::Continued,
                    n => Event::Signal(n),
                };
                if events.send(what).is_err() {
                    return;
                }
            }
        });
    }
    Ok(())
}

/// Sends an event for each Ctrl+C from outside.
#[cfg(not(unix))]
pub fn watch_signals(events: &UnboundedSender<Event>, _tty: &Tty) -> std::io::Result<()> {
    let events = events.clone();
    tokio::spawn(async move {
        while tokio::signal::ctrl_c().await.is_ok() {
            if events.send(Event::Signal(2)).is_err() {
                return;
            }
        }
    });
    Ok(())
}

/// Watches for the loss of the terminal: an event reader would spin on a lost terminal without reporting it.
#[cfg(unix)]
pub fn watch_terminal(events: UnboundedSender<Event>, release: impl Fn() + Send + 'static) {
    use rustix::event::{PollFd, PollFlags, poll};
    let watch = move || {
        let input = rustix::stdio::stdin();
        loop {
            // No events are requested: only the loss of the terminal wakes this.
            let mut fds = [PollFd::new(&input, PollFlags::empty())];
            match poll(&mut fds, None) {
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => return,
                Ok(_) if fds[0].revents().intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) => break,
                Ok(_) => {}
            }
        }
        let _ = events.send(Event::Hangup);
        std::thread::sleep(GRACE);
        release();
        std::process::exit(129);
    };
    let _ = std::thread::Builder::new().name("benchtop-tty".into()).stack_size(64 << 10).spawn(watch);
}

/// Does nothing: on this system the reader reports the loss.
#[cfg(not(unix))]
pub fn watch_terminal(_events: UnboundedSender<Event>, _release: impl Fn() + Send + 'static) {}
