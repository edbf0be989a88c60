//! Programs that are run for what they print: without the terminal, within a limit of time and of output.
//!
//! Starting a program in a session of its own needs unsafe code in Rust. So this program starts itself again, and that
//! copy leaves the terminal and becomes the other program ([`become_launched`]). Where that is not possible, as in
//! tests, programs have a process group of their own, and could still write to `/dev/tty`.

pub mod ignored_signals;

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long a wait lasts before it is looked whether the program has ended, or is to be stopped.
const POLL: Duration = Duration::from_millis(10);

/// The first argument by which this program is asked to become another one.
#[cfg(unix)]
const LAUNCH: &str = "launch-without-terminal";
/// The exit status of a copy of this program that could not become another one…
#[cfg(unix)]
const NOT_LAUNCHED: u8 = 127;
/// …and how its error output then begins.
#[cfg(unix)]
const NOT_LAUNCHED_BECAUSE: &str = "benchtop: not started: ";

/// The file of this program, where it takes [`LAUNCH`].
static LAUNCHER: OnceLock<PathBuf> = OnceLock::new();

/// Whether all programs are to be stopped.
static ENDING: AtomicBool = AtomicBool::new(false);

/// What a program may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// From its start to its end.
    pub time: Duration,
    /// Bytes that are read of its output, and of its error output; of a longer one one byte more.
    pub bytes: u64,
}

/// What a program printed.
#[derive(Debug)]
pub struct Output {
    /// How it ended.
    pub status: ExitStatus,
    /// Its output.
    pub text: Vec<u8>,
    /// Its error output.
    pub errors: Vec<u8>,
}

/// Why there is no output.
#[derive(Debug)]
pub enum Failure {
    /// It could not be started.
    NotStarted(io::Error),
    /// It took too long and was stopped.
    TookTooLong,
    /// Nobody waits for it any more.
    Cancelled,
    /// Its output could not be read.
    Unreadable(io::Error),
}

/// Starts programs through this one from now on; its `main` must call [`become_launched`] first.
pub fn launch_through_this_program() {
    #[cfg(unix)]
    {
        // By this name it is found also after an update has replaced the file.
        let running = PathBuf::from("/proc/self/exe");
        let file = if running.exists() { Some(running) } else { std::env::current_exe().ok() };
        if let Some(file) = file {
            let _ = LAUNCHER.set(file);
        }
    }
}

/// Leaves the terminal and becomes another program, if the arguments ask for that. Returns only if they do not, or if
/// it failed: then with the exit status.
pub fn become_launched(arguments: impl IntoIterator<Item = OsString>) -> Option<u8> {
    #[cfg(unix)]
    {
        let mut words = arguments.into_iter().skip(1);
        words.next().filter(|first| first == LAUNCH)?;
        let why = match (words.next(), rustix::process::setsid()) {
            (Some(program), Ok(_)) => std::os::unix::process::CommandExt::exec(Command::new(program).args(words)),
            (None, _) => io::Error::other("no program was named"),
            (_, Err(why)) => why.into(),
        };
        let _ = write!(io::stderr(), "{NOT_LAUNCHED_BECAUSE}{why}");
        Some(NOT_LAUNCHED)
    }
    #[cfg(not(unix))]
    {
        let _ = arguments;
        None
    }
}

/// Stops all programs that run or are started later, within 10 ms: this program ends.
pub fn stop_all() {
    ENDING.store(true, Ordering::Relaxed);
}

/// Returns a command that runs a program without the terminal; arguments and variables can be added to it.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    #[cfg(unix)]
    if let Some(launcher) = LAUNCHER.get() {
        let mut command = Command::new(launcher);
        command.arg(LAUNCH).arg(program);
        return command;
    }
    Command::new(program)
}

/// Returns whether a command goes by way of this program.
fn is_launched(command: &Command) -> bool {
    LAUNCHER.get().is_some_and(|launcher| launcher == command.get_program())
}

/// Runs a program, which [`command`] made, with this input until it ends.
///
/// # Errors
/// It could not be started, took too long or was cancelled; then it has been stopped, with what it started.
pub fn run(
    mut command: Command,
    input: Vec<u8>,
    limits: Limits,
    is_cancelled: impl Fn() -> bool,
) -> Result<Output, Failure> {
    let is_cancelled = || ENDING.load(Ordering::Relaxed) || is_cancelled();
    let stdin = if input.is_empty() { Stdio::null() } else { Stdio::piped() };
    command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
    // There is no terminal to ask on. With GPG_TTY pinentry would open the one that the screen is drawn on.
    command.env("GIT_TERMINAL_PROMPT", "0").env("SSH_ASKPASS_REQUIRE", "never").env_remove("GPG_TTY");
    let is_launched = is_launched(&command);
    #[cfg(unix)]
    if !is_launched {
        // A launched program creates a session, and with it a group; the leader of a group could not.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
    }
    let started = Instant::now();
    let mut child = command.spawn().map_err(Failure::NotStarted)?;
    if let Some(mut pipe) = child.stdin.take() {
        // A program that does not read its input is as good.
        thread::spawn(move || drop(pipe.write_all(&input)));
    }
    let text = read(child.stdout.take().expect("its output is a pipe"), limits.bytes, |_| ());
    // What it says beyond the limit there does not end it.
    let errors = read(child.stderr.take().expect("its error output is a pipe"), limits.bytes, |rest| {
        let _ = io::copy(rest, &mut io::sink());
    });
    let ended = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Ok(status),
            _ if is_cancelled() => break Err(Failure::Cancelled),
            Ok(None) if started.elapsed() < limits.time => thread::sleep(POLL),
            _ => break Err(Failure::TookTooLong),
        }
    };
    let status = match ended {
        Ok(status) => status,
        Err(why) => {
            // Before the wait: then the group's id cannot have become another's.
            // A child that has no group of its own yet makes none any more.
            let _ = child.kill();
            end_group(&child);
            let _ = child.wait();
            return Err(why);
        }
    };
    let rest = || limits.time.saturating_sub(started.elapsed()).max(POLL);
    let output = take(&text, rest(), &is_cancelled).and_then(|text| Ok((text, take(&errors, rest(), &is_cancelled)?)));
    if output.is_err() {
        // It ended, and something it started still holds its output.
        end_group(&child);
    }
    let (text, errors) = output?;
    match why_not_launched(status, &errors).filter(|_| is_launched) {
        Some(why) => Err(Failure::NotStarted(why)),
        None => Ok(Output { status, text, errors }),
    }
}

/// Returns why a copy of this program did not become another one.
#[cfg(unix)]
fn why_not_launched(status: ExitStatus, errors: &[u8]) -> Option<io::Error> {
    let why =
        errors.strip_prefix(NOT_LAUNCHED_BECAUSE.as_bytes()).filter(|_| status.code() == Some(NOT_LAUNCHED.into()))?;
    Some(io::Error::other(String::from_utf8_lossy(why).into_owned()))
}

#[cfg(not(unix))]
fn why_not_launched(_: ExitStatus, _: &[u8]) -> Option<io::Error> {
    None
}

/// Reads on a thread: a program that holds the pipe open must not outlast the limit. `then` gets what is left in it.
fn read<P: Read + Send + 'static>(
    mut pipe: P,
    most: u64,
    then: impl FnOnce(&mut P) + Send + 'static,
) -> Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut text = Vec::new();
        let read = pipe.by_ref().take(most + 1).read_to_end(&mut text);
        let _ = sender.send(read.map(|_| text));
        then(&mut pipe);
    });
    receiver
}

/// Waits for what was read.
fn take(
    from: &Receiver<io::Result<Vec<u8>>>,
    limit: Duration,
    is_cancelled: &impl Fn() -> bool,
) -> Result<Vec<u8>, Failure> {
    let until = Instant::now() + limit;
    loop {
        match from.recv_timeout(POLL) {
            Ok(read) => return read.map_err(Failure::Unreadable),
            Err(RecvTimeoutError::Timeout) if is_cancelled() => return Err(Failure::Cancelled),
            Err(RecvTimeoutError::Timeout) if Instant::now() < until => {}
            Err(_) => return Err(Failure::TookTooLong),
        }
    }
}

/// Ends what a program started and left running; its process group has its own id.
fn end_group(child: &Child) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
            // Gone already is as good.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
    #[cfg(not(unix))]
    let _ = child;
}
