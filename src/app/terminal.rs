//! The terminal. Every mode that is switched on is noted, and switched off in reverse order by one function that may be
//! called any number of times, from any thread, and cannot panic. Each frame is sent in one write, as synchronized
//! output.

use std::fs::File;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Opens a frame (mode 2026): the terminal shows nothing until it is closed.
pub(super) const BEGIN: &[u8] = b"\x1b[?2026h";
/// Closes a frame.
pub(super) const END: &[u8] = b"\x1b[?2026l";

/// Modes that can be switched on, in this order, with the bytes to set, renew and reset them.
const MODES: [Mode; 6] = [
    // The window's title, pushed and popped: a second push would leave ours behind.
    Mode { bit: TITLE, on: b"\x1b[22;2t", renew: b"", off: b"\x1b[23;2t" },
    // The alternate screen; the cursor is visible again when it is left.
    Mode { bit: 4, on: b"\x1b[?1049h\x1b[2J", renew: b"\x1b[?1049h\x1b[2J", off: b"\x1b[0m\x1b[?25h\x1b[?1049l" },
    Mode { bit: 8, on: b"\x1b[?2004h", renew: b"\x1b[?2004h", off: b"\x1b[?2004l" },
    // Buttons and drags, not bare motion: moving the mouse causes no wake-ups.
    Mode {
        bit: MOUSE,
        on: b"\x1b[?1000h\x1b[?1002h\x1b[?1006h",
        renew: b"\x1b[?1000h\x1b[?1002h\x1b[?1006h",
        off: b"\x1b[?1006l\x1b[?1002l\x1b[?1000l",
    },
    // Reports whether the window has the focus.
    Mode { bit: 64, on: b"\x1b[?1004h", renew: b"\x1b[?1004h", off: b"\x1b[?1004l" },
    // kitty: disambiguate escape codes, nothing more (event types cause stray text in some terminals). Pushed and
    // popped.
    Mode { bit: KITTY, on: b"\x1b[>1u", renew: b"\x1b[=1u", off: b"\x1b[<u" },
];
const RAW: u8 = 1;
const TITLE: u8 = 2;
const MOUSE: u8 = 16;
const KITTY: u8 = 32;

/// A mode of the terminal.
struct Mode {
    bit: u8,
    on: &'static [u8],
    /// Restores the mode after another program may have switched it off.
    renew: &'static [u8],
    off: &'static [u8],
}

/// The process's terminal, and the modes that are on. Clones share it.
#[derive(Clone, Debug)]
pub struct Tty {
    on: Arc<AtomicU8>,
    /// Modes to switch on again when a child returns the terminal; 0: no child has it.
    lent: Arc<AtomicU8>,
    lines: Arc<Mutex<Option<Lines>>>,
    out: Arc<File>,
}

/// The terminal driver's settings of lines and keys.
#[cfg(unix)]
type Lines = rustix::termios::Termios;
/// Other systems have none.
#[cfg(not(unix))]
type Lines = ();

impl Tty {
    /// Opens the terminal behind standard output. Fails with a sentence if input or output is no terminal.
    pub fn open() -> io::Result<Self> {
        use std::io::IsTerminal as _;
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return Err(io::Error::other(
                "benchtop needs a terminal, but its input or output is not one: start it in a terminal, or use `benchtop \
                 --plain` (line by line) or a command such as `benchtop chat`",
            ));
        }
        Ok(Self { on: Arc::default(), lent: Arc::default(), lines: Arc::default(), out: Arc::new(output()?) })
    }

    /// Takes the terminal: raw mode, alternate screen, and mouse capture if `mouse`. Fails if the terminal refuses.
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

    /// Sets the active modes again, after something outside may have changed them. Fails if the terminal refuses.
    pub fn renew(&self) -> io::Result<()> {
        let on = self.on.load(Ordering::SeqCst);
        if on == 0 {
            return Ok(());
        }
        renew_raw_mode()?;
        MODES.iter().filter(|mode| on & mode.bit != 0).try_for_each(|mode| (&*self.out).write_all(mode.renew))
    }

    /// Releases the terminal with all modes off. May be called any number of times, from any thread.
    pub fn leave(&self) {
        let on = self.on.swap(0, Ordering::SeqCst);
        if self.lent.swap(0, Ordering::SeqCst) != 0 {
            // The child that has it may have switched on any mode, and will not switch it off any more.
            self.restore_line_settings();
            self.switch_off(!(RAW | TITLE | KITTY));
        } else if on != 0 {
            self.switch_off(on);
        }
    }

    /// Switches these modes off. Errors of a terminal that is gone are ignored.
    fn switch_off(&self, on: u8) {
        let _ = (&*self.out).write_all(END);
        for mode in MODES.iter().rev().filter(|mode| on & mode.bit != 0) {
            let _ = (&*self.out).write_all(mode.off);
        }
        let _ = crossterm::terminal::disable_raw_mode();
    }

    /// Returns whether benchtop has the terminal at this moment.
    fn is_entered(&self) -> bool {
        self.on.load(Ordering::SeqCst) != 0
    }

    /// Releases the terminal to a child: the signals of its keys are the child's until [`Tty::regain`].
    pub fn lend(&self) {
        let on = self.on.load(Ordering::SeqCst);
        self.leave();
        self.save_line_settings();
        self.lent.store(on | RAW, Ordering::SeqCst);
    }

    /// Takes the terminal back from the child, with the modes that were on before. Fails if the terminal refuses.
    pub fn regain(&self) -> io::Result<()> {
        let on = self.lent.swap(0, Ordering::SeqCst);
        if on == 0 {
            return Ok(());
        }
        self.restore_line_settings();
        self.enter(on & MOUSE != 0)?;
        self.set(KITTY, on & KITTY != 0)
    }

    /// Returns whether a child has the terminal.
    pub fn is_lent(&self) -> bool {
        self.lent.load(Ordering::SeqCst) != 0
    }

    /// Saves the driver's settings of lines and keys.
    #[cfg(unix)]
    fn save_line_settings(&self) {
        *self.lines.lock().unwrap_or_else(PoisonError::into_inner) =
            rustix::termios::tcgetattr(rustix::stdio::stdin()).ok();
    }

    /// Restores the driver's settings of lines and keys: a child that failed may have changed them.
    #[cfg(unix)]
    fn restore_line_settings(&self) {
        if let Some(lines) = self.lines.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            let _ = rustix::termios::tcsetattr(rustix::stdio::stdin(), rustix::termios::OptionalActions::Now, lines);
        }
    }

    #[cfg(not(unix))]
    fn save_line_settings(&self) {
        *self.lines.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    #[cfg(not(unix))]
    fn restore_line_settings(&self) {}

    /// Switches mouse capture on or off. Fails if the terminal cannot be written.
    pub fn mouse(&self, on: bool) -> io::Result<()> {
        self.set(MOUSE, on)
    }

    /// Switches on the kitty protocol's unambiguous keys, for a terminal that supports them. Fails if the terminal
    /// cannot be written.
    pub fn kitty(&self) -> io::Result<()> {
        self.set(KITTY, true)
    }

    /// Switches a mode on or off, unless it is already.
    fn set(&self, bit: u8, on: bool) -> io::Result<()> {
        match MODES.iter().find(|mode| mode.bit == bit) {
            Some(mode) if (self.on.load(Ordering::SeqCst) & bit != 0) != on => self.switch(mode, on),
            _ => Ok(()),
        }
    }

    /// Switches a mode on or off, and notes that.
    fn switch(&self, mode: &Mode, on: bool) -> io::Result<()> {
        if on {
            // Noted first: an unneeded reset does no harm.
            self.on.fetch_or(mode.bit, Ordering::SeqCst);
            (&*self.out).write_all(mode.on)
        } else {
            self.on.fetch_and(!mode.bit, Ordering::SeqCst);
            (&*self.out).write_all(mode.off)
        }
    }

    /// Sets the window's title: text of the program, never of a model or a user. Does nothing while another program has
    /// the terminal. Fails if the terminal cannot be written.
    pub fn title(&self, title: &str) -> io::Result<()> {
        self.tell(format!("\x1b]2;{title}\x07").as_bytes())
    }

    /// Sends bytes that concern the window, unless another program has the terminal. Fails if the terminal cannot be
    /// written.
    pub fn tell(&self, bytes: &[u8]) -> io::Result<()> {
        if self.is_entered() { self.send(bytes) } else { Ok(()) }
    }

    /// Sends bytes of the program unchanged. Fails if the terminal cannot be written.
    pub fn send(&self, bytes: &[u8]) -> io::Result<()> {
        (&*self.out).write_all(bytes)
    }

    /// Returns the writer of frames.
    pub fn frames(&self) -> Frames {
        Frames { tty: self.clone(), held: Vec::new(), open: false }
    }

    /// Stops the process as the shell's Ctrl+Z does; returns when it continues. The terminal is restored before and
    /// taken again after. Fails if the terminal refuses.
    #[cfg(unix)]
    pub fn suspend(&self, mouse: bool) -> io::Result<()> {
        let kitty = self.on.load(Ordering::SeqCst) & KITTY != 0;
        self.leave();
        // Not SIGTSTP: the system discards it in an orphaned process group.
        rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::STOP)?;
        self.enter(mouse)?;
        self.set(KITTY, kitty)
    }

    /// Does nothing: there is no suspending here.
    #[cfg(not(unix))]
    pub fn suspend(&self, _mouse: bool) -> io::Result<()> {
        Ok(())
    }
}

/// Sets raw mode again where something outside has switched it off and crossterm believes that it is on. The terminal
/// is not switched to line mode in between: the driver would take a ^Q that arrives meanwhile for flow control.
#[cfg(unix)]
fn renew_raw_mode() -> io::Result<()> {
    use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
    let mut mode = tcgetattr(rustix::stdio::stdin())?;
    mode.make_raw();
    Ok(tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, &mode)?)
}

#[cfg(not(unix))]
fn renew_raw_mode() -> io::Result<()> {
    crossterm::terminal::disable_raw_mode()?;
    crossterm::terminal::enable_raw_mode()
}

/// Returns standard output without the standard library's buffer, so that a frame is one write.
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

/// Collects a frame's bytes and writes them at its end. Writes nothing for an empty frame, and nothing once the
/// terminal was released.
#[derive(Debug)]
pub struct Frames {
    tty: Tty,
    held: Vec<u8>,
    open: bool,
}

impl Write for Frames {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // The backend does not expose its writer, so the marks are passed through it.
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
        let sent = if self.tty.is_entered() { self.tty.send(&self.held) } else { Ok(()) };
        self.held.clear();
        // One large frame must not keep its memory: most frames are small.
        self.held.shrink_to(64 << 10);
        sent
    }
}
