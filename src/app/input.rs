//! Where events come from: the terminal's, put aside while another program has the terminal; a script's in tests.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use crossterm::event::{Event, EventStream};
use futures_util::Stream;

/// A stream of events that can be put aside.
pub trait Input: Stream<Item = io::Result<Event>> + Unpin {
    /// Another program reads the terminal from now on.
    fn pause(&mut self) {}
    /// It is ours again.
    fn resume(&mut self) {}
}

/// The terminal's events.
#[derive(Debug, Default)]
pub struct Keys {
    stream: Option<EventStream>,
}

impl Input for Keys {
    fn pause(&mut self) {
        if self.stream.take().is_some() {
            // Dropping the stream wakes its reader, and that wake stays until somebody polls: met together with a key,
            // it would hide the key until the next one. It is taken away here.
            let _ = crossterm::event::poll(Duration::ZERO);
        }
    }

    fn resume(&mut self) {
        self.stream.get_or_insert_with(EventStream::new);
    }
}

/// Whether the terminal is gone.
#[cfg(unix)]
fn gone() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let input = rustix::stdio::stdin();
    let mut fds = [PollFd::new(&input, PollFlags::empty())];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut fds, Some(&now)).is_ok_and(|_| fds[0].revents().intersects(PollFlags::HUP | PollFlags::ERR))
}

/// Elsewhere the reader reports it.
#[cfg(not(unix))]
fn gone() -> bool {
    false
}

impl Stream for Keys {
    type Item = io::Result<Event>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        match &mut self.stream {
            // On a terminal that is gone the reader would read for ever, and the loop with it.
            Some(_) if gone() => Poll::Ready(None),
            Some(stream) => Pin::new(stream).poll_next(cx),
            None => Poll::Pending,
        }
    }
}

/// Any stream of events that needs no pausing (a script).
#[derive(Debug)]
pub struct Script<S>(pub S);

impl<S: Stream<Item = io::Result<Event>> + Unpin> Stream for Script<S> {
    type Item = io::Result<Event>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Pin::new(&mut self.0).poll_next(cx)
    }
}

impl<S: Stream<Item = io::Result<Event>> + Unpin> Input for Script<S> {}
