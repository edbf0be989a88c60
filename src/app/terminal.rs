//! The terminal: what is switched on is noted, and switched off again in reverse by one function that may be called any
//! number of times, from any thread, and cannot panic. Frames go out in one write each, wrapped in synchronized output.

use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use ratatui::backend::{CrosstermBackend, TestBackend};

/// Opens a frame (mode 2026): the terminal shows nothing until it is closed.
const BEGIN: &[u8] = b"\x1b[?2026h";
/// Closes it.
const END: &[u8] = b"\x1b[?2026l";

/// What can be switched on, in the order in which it is, with the bytes that do and undo it.
const MODES: [Mode; 5] = [
    // The window's title, pushed and popped.
    Mode { bit: 2, on: b"\x1b[22;2t", off: b"\x1b[23;2t" },
    // The alternate screen; the cursor is visible again when it is left.
    Mode { bit: 4, on: b"\x1b[?1049h\x1b[2J", off: b"\x1b[0m\x1b[?25h\x1b[?1049l" },
    Mode { bit: 8, on: b"\x1b[?2004h", off: b"\x1b[?2004l" },
    // Buttons and drags, not bare motion: a mouse that only passes over wakes nobody.
    Mode { bit: MOUSE, on: b"\x1b[?1000h\x1b[?1002h\x1b[?1006h", off: b"\x1b[?1006l\x1b[?1002l\x1b[?1000l" },
    // kitty: disambiguate escape codes, nothing more (event types make stray text in some terminals).
    Mode { bit: KITTY, on: b"\x1b[>1u", off: b"\x1b[<u" },
];
const RAW: u8 = 1;
const MOUSE: u8 = 16;
const KITTY: u8 = 32;

struct Mode {
    bit: u8,
    on: &'static [u8],
    off: &'static [u8],
}

/// The terminal this process has, and what is switched on in it. Clones share it.
#[derive(Clone, Debug)]
pub struct Tty {
    on: Arc<AtomicU8>,
    lent: Arc<AtomicBool>,
    out: Arc<File>,
}

impl Tty {
    /// The terminal behind standard output. Fails with a sentence when input or output is no terminal.
    pub fn open() -> io::Result<Self> {
        use std::io::IsTerminal as _;
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return Err(io::Error::other(
                "benchtop draws on a terminal, and its input or output is none: start it in one",
            ));
        }
        Ok(Self { on: Arc::default(), lent: Arc::default(), out: Arc::new(output()?) })
    }

    /// Takes the terminal over.
    pub fn enter(&self, mouse: bool) -> io::Result<()> {
        crossterm::terminal::enable_raw_mode()?;
        self.on.fetch_or(RAW, Ordering::SeqCst);
        for mode in &MODES {
            if mode.bit != KITTY && (mode.bit != MOUSE || mouse) {
                self.switch(mode, true)?;
            }
        }
        Ok(())
    }

    /// Gives the terminal back as it was. Any number of times, from any thread.
    pub fn leave(&self) {
        let on = self.on.swap(0, Ordering::SeqCst);
        if on == 0 {
            return;
        }
        // A terminal that is gone refuses all of this, and that is all right.
        let _ = (&*self.out).write_all(END);
        for mode in MODES.iter().rev().filter(|mode| on & mode.bit != 0) {
            let _ = (&*self.out).write_all(mode.off);
        }
        let _ = crossterm::terminal::disable_raw_mode();
    }

    /// Whether the terminal is ours at this moment.
    pub fn entered(&self) -> bool {
        self.on.load(Ordering::SeqCst) != 0
    }

    /// Lends the terminal to a child, or takes it back: the signals of its keys are the child's meanwhile.
    pub fn lend(&self, lent: bool) {
        self.lent.store(lent, Ordering::SeqCst);
    }

    /// Whether a child has the terminal.
    pub fn lent(&self) -> bool {
        self.lent.load(Ordering::SeqCst)
    }

    /// Whether the mouse is captured.
    pub fn has_mouse(&self) -> bool {
        self.on.load(Ordering::SeqCst) & MOUSE != 0
    }

    /// Whether the kitty protocol is on.
    pub fn has_kitty(&self) -> bool {
        self.on.load(Ordering::SeqCst) & KITTY != 0
    }

    /// Mouse capture on or off.
    pub fn mouse(&self, on: bool) -> io::Result<()> {
        self.set(MOUSE, on)
    }

    /// The kitty protocol's unambiguous keys, for a terminal that knows them.
    pub fn kitty(&self) -> io::Result<()> {
        self.set(KITTY, true)
    }

    fn set(&self, bit: u8, on: bool) -> io::Result<()> {
        match MODES.iter().find(|mode| mode.bit == bit) {
            Some(mode) if (self.on.load(Ordering::SeqCst) & bit != 0) != on => self.switch(mode, on),
            _ => Ok(()),
        }
    }

    fn switch(&self, mode: &Mode, on: bool) -> io::Result<()> {
        if on {
            // Noted first: an undo too many does no harm.
            self.on.fetch_or(mode.bit, Ordering::SeqCst);
            (&*self.out).write_all(mode.on)
        } else {
            self.on.fetch_and(!mode.bit, Ordering::SeqCst);
            (&*self.out).write_all(mode.off)
        }
    }

    /// Sets the window's title: words of ours, never a model's or a user's.
    pub fn title(&self, title: &str) -> io::Result<()> {
        self.send(format!("\x1b]2;{title}\x07").as_bytes())
    }

    /// Sends bytes of ours as they are.
    pub fn send(&self, bytes: &[u8]) -> io::Result<()> {
        (&*self.out).write_all(bytes)
    }

    /// Where frames go.
    pub fn frames(&self) -> Frames {
        Frames { tty: self.clone(), held: Vec::new(), open: false }
    }

    /// Stops the process as the shell's Ctrl+Z does; returns when it goes on. The terminal is given back before and
    /// taken over again after.
    #[cfg(unix)]
    pub fn suspend(&self, mouse: bool) -> io::Result<()> {
        let kitty = self.on.load(Ordering::SeqCst) & KITTY != 0;
        self.leave();
        // Not SIGTSTP: the system discards it in an orphaned process group.
        rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::STOP)?;
        self.enter(mouse)?;
        self.set(KITTY, kitty)
    }

    /// Elsewhere there is nothing to suspend to.
    #[cfg(not(unix))]
    pub fn suspend(&self, _mouse: bool) -> io::Result<()> {
        Ok(())
    }
}

/// Standard output without the standard library's buffer, so that a frame is one write.
#[cfg(unix)]
fn output() -> io::Result<File> {
    use std::os::fd::AsFd as _;
    Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?))
}

#[cfg(windows)]
fn output() -> io::Result<File> {
    use std::os::windows::io::AsHandle as _;
    Ok(File::from(io::stdout().as_handle().try_clone_to_owned()?))
}

/// Collects a frame's bytes and writes them at its end. Writes nothing for an empty frame, and nothing once the terminal
/// was given back.
#[derive(Debug)]
pub struct Frames {
    tty: Tty,
    held: Vec<u8>,
    open: bool,
}

impl Write for Frames {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // The backend does not lend its writer: the marks come through it.
        if bytes == BEGIN || bytes == END {
            self.open = bytes == BEGIN;
            return Ok(bytes.len());
        }
        if self.held.is_empty() {
            self.held.extend_from_slice(BEGIN);
        }
        self.held.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.open || self.held.is_empty() {
            return Ok(());
        }
        self.held.extend_from_slice(END);
        let sent = if self.tty.entered() { self.tty.send(&self.held) } else { Ok(()) };
        self.held.clear();
        // A burst may have needed much; rest needs little.
        self.held.shrink_to(64 << 10);
        sent
    }
}

/// A backend that is told where frames begin and end.
pub trait Framed {
    /// A frame begins: nothing is sent until it ends.
    fn begin(&mut self) {}
    /// It has ended.
    fn end(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The terminal's backend.
pub type Screen = CrosstermBackend<Frames>;

impl Framed for Screen {
    fn begin(&mut self) {
        let _ = self.write(BEGIN);
    }

    fn end(&mut self) -> io::Result<()> {
        self.write_all(END)?;
        Write::flush(self)
    }
}

impl Framed for TestBackend {}
