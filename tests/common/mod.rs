//! benchtop in a real pseudo-terminal, with a home of its own and a screen that a test can read.
#![allow(dead_code, missing_docs, unreachable_pub, clippy::unwrap_used)]

pub mod kept;
pub mod server;

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// Longest wait for something to appear. No pass depends on it; without optimisation a local model trains for minutes.
pub const LIMIT: Duration = Duration::from_mins(10);

/// Returns a command that starts benchtop without a terminal. No signal is ignored in it, as may be in the tests where
/// they run in the background.
pub fn program() -> std::process::Command {
    const PROGRAM: &str = env!("CARGO_BIN_EXE_benchtop");
    use rustix::process::Signal;
    let is_ignored = |signal: Signal| benchtop::process::ignored_signals::was_ignored(signal.as_raw());
    if ![Signal::INT, Signal::HUP, Signal::TERM].into_iter().any(is_ignored) {
        return std::process::Command::new(PROGRAM);
    }
    let mut command = std::process::Command::new("/usr/bin/env");
    command.args(["--default-signal=INT,HUP,TERM", PROGRAM]);
    command
}

/// A running benchtop. Dropping it kills it.
pub struct Bench {
    pub home: tempfile::TempDir,
    child: Box<dyn Child + Send + Sync>,
    master: Option<Box<dyn MasterPty + Send>>,
    keys: Option<Box<dyn std::io::Write + Send>>,
    output: mpsc::Receiver<Vec<u8>>,
    stop: Arc<AtomicBool>,
    pump: Option<std::thread::JoinHandle<()>>,
    screen: vt100::Parser,
    /// Everything the program wrote.
    pub bytes: Vec<u8>,
}

/// For a terminal with 256 colours. Without it there are 16: panes are distinguished by lines and the tab in front by a
/// mark, which are in the screen's text.
pub const COLOURS: (&str, &str) = ("TERM", "xterm-256color");

/// How to start it.
pub struct Setup<'a> {
    pub args: &'a [&'a str],
    pub env: &'a [(&'a str, &'a str)],
    pub size: (u16, u16),
    /// A home to go on with; else a fresh one.
    pub home: Option<tempfile::TempDir>,
    /// Whether the terminal is the program's controlling one: its end then comes as a signal, too.
    pub controlling: bool,
    /// A program that starts it, with arguments: the program's own follow.
    pub through: &'a [&'a str],
    /// Whether it is started over ssh: else the clipboard is this machine's.
    pub ssh: bool,
}

impl Default for Setup<'_> {
    fn default() -> Self {
        let (args, env, through) = (&[][..], &[][..], &[][..]);
        Self { args, env, size: (120, 36), home: None, controlling: true, through, ssh: true }
    }
}

impl Bench {
    /// Starts benchtop with these arguments at 120×36 in a fresh home.
    pub fn start(args: &[&str]) -> Self {
        Self::with(Setup { args, ..Setup::default() })
    }

    pub fn with(setup: Setup) -> Self {
        let home = setup.home.unwrap_or_else(|| tempfile::tempdir().unwrap());
        let (cols, rows) = setup.size;
        let pair = native_pty_system().openpty(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).unwrap();
        let line = [setup.through, &[env!("CARGO_BIN_EXE_benchtop")], setup.args].concat();
        let mut command = CommandBuilder::new(line[0]);
        command.args(&line[1..]);
        command.set_controlling_tty(setup.controlling);
        command.env_clear();
        command.cwd(home.path());
        command.env("HOME", home.path());
        command.env("PATH", std::env::var("PATH").unwrap_or_default());
        command.env("TERM", "xterm");
        if setup.ssh {
            command.env("SSH_TTY", "/dev/none");
        }
        for (name, value) in setup.env {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let keys = pair.master.take_writer().unwrap();
        let (sender, output) = mpsc::channel();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let pump = std::thread::spawn(move || {
            let mut buffer = [0; 16 << 10];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() || stopped.load(Ordering::SeqCst) {
                    return;
                }
            }
        });
        Self {
            home,
            child,
            master: Some(pair.master),
            keys: Some(keys),
            output,
            stop,
            pump: Some(pump),
            screen: vt100::Parser::new(rows.try_into().unwrap(), cols.try_into().unwrap(), 0),
            bytes: Vec::new(),
        }
    }

    /// Returns its process id.
    pub fn pid(&self) -> i32 {
        self.child.process_id().unwrap() as i32
    }

    /// Returns the device of its terminal.
    pub fn device(&self) -> std::path::PathBuf {
        self.master.as_ref().unwrap().tty_name().unwrap()
    }

    /// Sends bytes as the keyboard does.
    pub fn send(&mut self, bytes: &str) {
        let keys = self.keys.as_mut().unwrap();
        keys.write_all(bytes.as_bytes()).unwrap();
        keys.flush().unwrap();
    }

    /// Types a text and waits until the cursor is behind its end, so that what follows is no paste. (The text alone may be
    /// on the screen before it is typed to its end: as a name that completes it.)
    pub fn type_in(&mut self, text: &str) {
        self.type_slowly(text);
        let end: String = text.chars().rev().take(20).collect::<Vec<_>>().into_iter().rev().collect();
        self.until_screen(&format!("(before the cursor) {end}"), |screen| {
            let (row, column) = screen.cursor_position();
            screen.contents_between(row, 0, row, column).trim_end().ends_with(end.trim())
        });
        // On a busy machine all of it may have been read at once: an Enter this much later does not belong to a paste.
        std::thread::sleep(Duration::from_millis(9));
    }

    /// Types a text as a person does.
    pub fn type_slowly(&mut self, text: &str) {
        for c in text.chars() {
            self.send(&c.to_string());
            std::thread::sleep(Duration::from_millis(9));
        }
    }

    /// Returns the screen's present text.
    pub fn text(&mut self) -> String {
        while let Ok(bytes) = self.output.try_recv() {
            self.take(&bytes);
        }
        self.screen.screen().contents()
    }

    /// Returns whether what was read last ends with a complete frame.
    pub fn whole_frame(&self) -> bool {
        self.bytes.ends_with(b"\x1b[?2026l")
    }

    /// Waits for the next bytes, at most this long.
    pub fn pause(&mut self, most: Duration) {
        if let Ok(bytes) = self.output.recv_timeout(most) {
            self.take(&bytes);
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.screen.process(bytes);
        self.bytes.extend_from_slice(bytes);
    }

    pub fn screen(&self) -> &vt100::Screen {
        self.screen.screen()
    }

    /// Waits until the screen shows `wanted`; fails with the screen after [`LIMIT`].
    pub fn wait(&mut self, wanted: &str) -> String {
        self.until(wanted, |text| text.contains(wanted))
    }

    /// Waits until the screen no longer shows `gone`.
    pub fn wait_gone(&mut self, gone: &str) -> String {
        self.until(&format!("(no) {gone}"), |text| !text.contains(gone))
    }

    /// Waits until `fits` returns true for the screen's text.
    pub fn until(&mut self, what: &str, fits: impl Fn(&str) -> bool) -> String {
        self.until_screen(what, |screen| fits(&screen.contents()))
    }

    /// Waits until `fits` returns true for the screen; returns its text.
    fn until_screen(&mut self, what: &str, fits: impl Fn(&vt100::Screen) -> bool) -> String {
        let end = Instant::now() + LIMIT;
        loop {
            let text = self.text();
            if fits(self.screen()) {
                return text;
            }
            let left = end.saturating_duration_since(Instant::now());
            let Ok(bytes) = self.output.recv_timeout(left) else { panic!("never on the screen: {what}\n{text}") };
            self.take(&bytes);
        }
    }

    /// Waits for the bytes `wanted` in the output from byte `from` on.
    pub fn wait_bytes(&mut self, from: usize, wanted: &[u8]) {
        let end = Instant::now() + LIMIT;
        while !self.bytes[from..].windows(wanted.len()).any(|bytes| bytes == wanted) {
            let left = end.saturating_duration_since(Instant::now());
            let Ok(bytes) = self.output.recv_timeout(left) else {
                panic!("never written: {:?}", String::from_utf8_lossy(wanted))
            };
            self.take(&bytes);
        }
    }

    /// Returns what was sent to the terminal's clipboard (OSC 52) from byte `from` on, decoded.
    pub fn clipboard(&self, from: usize) -> Vec<Vec<u8>> {
        use base64::Engine as _;
        let text = String::from_utf8_lossy(&self.bytes[from..]);
        let sent = text.split("\x1b]52;c;").skip(1).filter_map(|rest| rest.split_once("\x1b\\"));
        sent.map(|(code, _)| base64::engine::general_purpose::STANDARD.decode(code).unwrap()).collect()
    }

    /// Sends a signal by its number.
    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_raw(self.pid()).unwrap();
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// Closes the terminal, as closing its window does: while the program waits in a text field, or handles a key.
    pub fn hang_up(&mut self, at_rest: bool) {
        // The reading thread holds the terminal too: it ends with the next output of the program, a letter.
        self.stop.store(true, Ordering::SeqCst);
        self.send("x");
        self.pump.take().map(std::thread::JoinHandle::join);
        if at_rest {
            self.rest();
        }
        self.keys = None;
        self.master = None;
    }

    /// Waits until nothing has run for a while.
    pub fn rest(&self) {
        let times = || {
            let all = std::fs::read_dir(format!("/proc/{}/task", self.pid())).unwrap().flatten();
            let stat = |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("schedstat"));
            all.filter_map(|task| stat(task).ok()).collect::<Vec<_>>()
        };
        let (end, mut before) = (Instant::now() + LIMIT, Vec::new());
        loop {
            let now = times();
            if now == before {
                return;
            }
            assert!(Instant::now() < end, "never at rest");
            before = now;
            // Longer than what is typed waits to be stored.
            std::thread::sleep(Duration::from_millis(700));
        }
    }

    /// Waits for the end; returns its exit status, and its last bytes on the screen.
    pub fn ended(&mut self) -> u32 {
        let end = Instant::now() + LIMIT;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < end, "still running:\n{}", self.text());
            std::thread::sleep(Duration::from_millis(5));
        };
        // A child that goes on may keep the terminal open.
        while let Ok(bytes) = self.output.recv_timeout(Duration::from_secs(2)) {
            self.take(&bytes);
        }
        status.exit_code()
    }

    /// Kills it, if it still runs. (The library's own kill begins with SIGHUP, which is an orderly end.)
    fn end(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            self.signal(rustix::process::Signal::KILL);
            let _ = self.child.wait();
        }
    }

    /// Returns the home, for another start; what still runs is killed.
    pub fn into_home(mut self) -> tempfile::TempDir {
        self.end();
        std::mem::replace(&mut self.home, tempfile::tempdir().unwrap())
    }

    /// Fails unless every mode that was switched on is off again, in the reverse order.
    pub fn assert_whole(&self) {
        let bytes = String::from_utf8_lossy(&self.bytes);
        for (on, off) in [
            ("\x1b[?1049h", "\x1b[?1049l"),
            ("\x1b[?2004h", "\x1b[?2004l"),
            ("\x1b[?1000h", "\x1b[?1000l"),
            ("\x1b[?1002h", "\x1b[?1002l"),
            ("\x1b[?1006h", "\x1b[?1006l"),
            ("\x1b[?1004h", "\x1b[?1004l"),
            ("\x1b[22;2t", "\x1b[23;2t"),
            ("\x1b[?2026h", "\x1b[?2026l"),
        ] {
            let (last_on, last_off) = (bytes.rfind(on), bytes.rfind(off));
            assert!(last_on.is_some(), "{on:?} was never on");
            assert!(last_off > last_on, "{on:?} is still on");
        }
        let screen = self.screen.screen();
        assert!(!screen.alternate_screen() && !screen.hide_cursor() && !screen.bracketed_paste());
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
        assert!(bytes.rfind("\x1b[?2004l") < bytes.rfind("\x1b[?1049l"), "modes are undone in reverse");
    }

    /// Returns files of the home whose name starts with `prefix`.
    pub fn files(&self, prefix: &str) -> Vec<std::path::PathBuf> {
        fn walk(dir: &Path, prefix: &str, found: &mut Vec<std::path::PathBuf>) {
            for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    walk(&path, prefix, found);
                } else if entry.file_name().to_string_lossy().starts_with(prefix) {
                    found.push(path);
                }
            }
        }
        let mut found = Vec::new();
        walk(self.home.path(), prefix, &mut found);
        found
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        self.end();
    }
}
