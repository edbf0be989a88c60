//! Runs `$PAGER` on a text, which it reads from its standard input.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::editor::{Child, split_command};

/// A pager that ends sooner than this has only printed the text: the user is asked before the screen comes back.
const TOO_SOON: Duration = Duration::from_millis(400);
/// Pagers without `$PAGER`, best first.
const KNOWN: [&str; 2] = ["less -R", "more"];

/// Runs the pager on a text that is safe for the screen. Fails with a sentence. The terminal must be released before;
/// `secrets` are variables that the pager does not get.
pub fn page(text: &str, secrets: &[String], running: &Child) -> Result<(), String> {
    let (name, mut child) = start(secrets)?;
    let start = Instant::now();
    if let Some(mut input) = child.stdin.take() {
        // A pager that was left before it has read all of the text closes its input. Written beside the wait, so that
        // it can be told to end.
        let text = text.to_owned();
        std::thread::spawn(move || input.write_all(text.as_bytes()));
    }
    let status = running.wait_for(&mut child).map_err(|why| format!("lost contact with the pager ({why})"))?;
    if !status.success() && start.elapsed() < TOO_SOON {
        return Err(format!("the pager {name} exited with {status}: set $PAGER"));
    }
    if start.elapsed() < TOO_SOON {
        wait_for_enter();
    }
    Ok(())
}

/// Starts the first pager that is there. Returns its name, too.
fn start(secrets: &[String]) -> Result<(String, std::process::Child), String> {
    let set = std::env::var("PAGER").ok().filter(|line| !line.trim().is_empty());
    let lines: Vec<&str> = set.as_deref().map_or_else(|| KNOWN.to_vec(), |line| vec![line]);
    let mut missing = String::new();
    for line in lines {
        let (program, args) = split_command(line, "PAGER")?;
        let name = program.to_string_lossy().into_owned();
        match spawn(program, args, secrets) {
            Ok(child) => return Ok((name, child)),
            Err(why) => missing = format!("the pager {name} could not be started ({why}): set $PAGER"),
        }
    }
    Err(missing)
}

fn spawn(program: OsString, args: Vec<OsString>, secrets: &[String]) -> io::Result<std::process::Child> {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::piped());
    for secret in secrets {
        command.env_remove(secret);
    }
    command.spawn()
}

/// Waits until the user has read what the pager printed.
fn wait_for_enter() {
    let _ = io::stdout().write_all(b"\n[press Enter to return to benchtop] ").and_then(|()| io::stdout().flush());
    let _ = io::stdin().read_line(&mut String::new());
}
