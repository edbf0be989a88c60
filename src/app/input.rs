//! Sources of events: the terminal, which can be paused while another program uses it, and a script in tests.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use crossterm::event::{Event, EventStream};
use futures_util::Stream;
use futures_util::task::AtomicWaker;

/// A stream of events that can be paused.
pub trait Input: Stream<Item = io::Result<Event>> + Unpin {
    /// Stops reading, as another program reads the terminal.
    fn pause(&mut self) {}
    /// Continues to read.
    fn resume(&mut self) {}
}

/// How long to look for another event that the terminal's reader has already decoded. Of several that it read at once, the
/// reader returns the first; it returns the next only to a call that may wait, however briefly.
const DECODED: Duration = Duration::from_micros(5);

/// The terminal's events.
#[derive(Debug, Default)]
pub struct Keys {
    stream: Option<WokenStream<EventStream>>,
    /// Whether the last poll returned an event, so that the reader may have decoded more.
    has_returned: bool,
}

impl Input for Keys {
    fn pause(&mut self) {
        self.stream = None;
    }

    fn resume(&mut self) {
        self.stream.get_or_insert_with(|| WokenStream::new(EventStream::new()));
    }
}

/// Returns whether the terminal is gone.
#[cfg(unix)]
fn is_terminal_gone() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let input = rustix::stdio::stdin();
    let mut fds = [PollFd::new(&input, PollFlags::empty())];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut fds, Some(&now)).is_ok_and(|_| fds[0].revents().intersects(PollFlags::HUP | PollFlags::ERR))
}

/// Returns false: on this system the reader reports the loss.
#[cfg(not(unix))]
fn is_terminal_gone() -> bool {
    false
}

impl Stream for Keys {
    type Item = io::Result<Event>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Self { stream, has_returned } = &mut *self;
        match stream {
            Some(stream) if !stream.is_woken(cx) => Poll::Pending,
            // On a terminal that is gone the reader would never return, and the loop would hang.
            Some(_) if is_terminal_gone() => Poll::Ready(None),
            Some(stream) => {
                if *has_returned {
                    // The keys of a paste are then handled together, without waking a thread for each. The stream reports
                    // errors.
                    let _ = crossterm::event::poll(DECODED);
                }
                let next = stream.poll();
                *has_returned = next.is_ready();
                next
            }
            None => Poll::Pending,
        }
    }
}

/// A stream that is polled only after it woke its task. Polling the terminal's takes a lock that its reader holds while
/// it waits, and costs several system calls: too much for each token that arrives meanwhile.
#[derive(Debug)]
struct WokenStream<S> {
    stream: S,
    flag: Arc<WakeFlag>,
}

/// The waker that the stream gets: wakes the task, and remembers that it did.
#[derive(Debug)]
struct WakeFlag {
    is_set: AtomicBool,
    task: AtomicWaker,
}

impl Wake for WakeFlag {
    fn wake(self: Arc<Self>) {
        self.is_set.store(true, Ordering::Release);
        self.task.wake();
    }
}

impl<S: Stream + Unpin> WokenStream<S> {
    fn new(stream: S) -> Self {
        Self { stream, flag: Arc::new(WakeFlag { is_set: AtomicBool::new(true), task: AtomicWaker::new() }) }
    }

    /// Returns whether the stream may have something; otherwise wakes the task of `cx` when it may.
    fn is_woken(&self, cx: &Context<'_>) -> bool {
        // Registered before checking, so that a wake in between is not lost.
        self.flag.task.register(cx.waker());
        self.flag.is_set.load(Ordering::Acquire)
    }

    fn poll(&mut self) -> Poll<Option<S::Item>> {
        self.flag.is_set.store(false, Ordering::Release);
        let waker = Waker::from(Arc::clone(&self.flag));
        let next = Pin::new(&mut self.stream).poll_next(&mut Context::from_waker(&waker));
        if next.is_ready() {
            // There may be more, for which no further wake comes.
            self.flag.is_set.store(true, Ordering::Release);
        }
        next
    }
}

/// A stream of events that needs no pausing: a script in tests.
#[derive(Debug)]
pub struct Script<S>(pub S);

impl<S: Stream<Item = io::Result<Event>> + Unpin> Stream for Script<S> {
    type Item = io::Result<Event>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Pin::new(&mut self.0).poll_next(cx)
    }
}

impl<S: Stream<Item = io::Result<Event>> + Unpin> Input for Script<S> {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Yields what is sent to it, and counts how often it is polled.
    struct Counted(tokio::sync::mpsc::UnboundedReceiver<u8>, usize);

    impl Stream for Counted {
        type Item = u8;

        fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<u8>> {
            self.1 += 1;
            self.0.poll_recv(cx)
        }
    }

    #[test]
    fn the_terminal_is_asked_only_when_it_has_something() {
        let (sender, receiver) = tokio::sync::mpsc::unbounded_channel();
        let mut stream = WokenStream::new(Counted(receiver, 0));
        let flag = Arc::new(WakeFlag { is_set: AtomicBool::new(false), task: AtomicWaker::new() });
        let waker = Waker::from(Arc::clone(&flag));
        let cx = Context::from_waker(&waker);
        let next = |stream: &mut WokenStream<Counted>| if stream.is_woken(&cx) { stream.poll() } else { Poll::Pending };
        for _ in 0..10 {
            assert_eq!(next(&mut stream), Poll::Pending);
        }
        assert_eq!(stream.stream.1, 1);
        for key in 1..=3 {
            sender.send(key).unwrap();
        }
        assert!(flag.is_set.swap(false, Ordering::Acquire), "the loop is woken");
        for key in 1..=3 {
            assert_eq!(next(&mut stream), Poll::Ready(Some(key)));
        }
        for _ in 0..10 {
            assert_eq!(next(&mut stream), Poll::Pending);
        }
        assert_eq!(stream.stream.1, 5);
        sender.send(4).unwrap();
        assert!(flag.is_set.load(Ordering::Acquire));
        assert_eq!(next(&mut stream), Poll::Ready(Some(4)));
    }
}
