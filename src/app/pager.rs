//! Runs `$PAGER` on a text, which it reads from its standard input.

use std::ffi::OsString;
use std::io::{self, BufRead as _, ErrorKind, Write as _};
use std::process::Stdio;
use std::time::Instant;

use super::editor::{Child, TOO_SOON, command, split_command, words_of};

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
    if start.elapsed() < TOO_SOON {
        if !status.success() {
            return Err(format!("the pager {name} ended with {}: set $PAGER", words_of(status)));
        }
        // It has only printed the text, which goes when the screen comes back.
        wait_for_enter();
    }
    Ok(())
}

/// Returns the pagers to try, each with its arguments. Fails with a sentence.
pub fn programs(env: impl Fn(&str) -> Option<String>) -> Result<Vec<(OsString, Vec<OsString>)>, String> {
    let set = env("PAGER").filter(|line| !line.trim().is_empty());
    let lines = set.as_deref().map_or_else(|| KNOWN.to_vec(), |line| vec![line]);
    lines.into_iter().map(|line| split_command(line, "PAGER")).collect()
}

/// Starts the first pager that is there. Returns its name, too.
fn start(secrets: &[String]) -> Result<(String, std::process::Child), String> {
    let mut missing = String::new();
    for (program, args) in programs(|name| std::env::var(name).ok())? {
        let name = program.to_string_lossy().into_owned();
        match command(&program, &args, secrets).stdin(Stdio::piped()).spawn() {
            Ok(child) => return Ok((name, child)),
            Err(why) => missing = format!("the pager {name} could not be started ({why}): set $PAGER"),
        }
    }
    Err(missing)
}

/// Waits until the user has read what the pager printed. Returns on Enter, on Ctrl+C and at the end of the input.
fn wait_for_enter() {
    end_line_at_ctrl_c();
    let _ = io::stdout().write_all(b"\n[press Enter to return to benchtop] ").and_then(|()| io::stdout().flush());
    let mut input = io::stdin().lock();
    // The terminal passes one line: what is typed after it is read by the workbench.
    let len = loop {
        match input.fill_buf() {
            Ok(line) => break line.len(),
            Err(why) if why.kind() == ErrorKind::Interrupted => {}
            Err(_) => break 0,
        }
    };
    input.consume(len);
}

/// Makes Ctrl+C end a line as Enter does, until the terminal is taken back: its signal would be ignored, and a line that
/// is being read cannot be given up from outside.
#[cfg(unix)]
fn end_line_at_ctrl_c() {
    use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, tcgetattr, tcsetattr};
    const CTRL_C: u8 = 3;
    let input = rustix::stdio::stdin();
    let Ok(mut mode) = tcgetattr(input) else { return };
    mode.local_modes.remove(LocalModes::ISIG);
    mode.special_codes[SpecialCodeIndex::VEOL] = CTRL_C;
    // Enter returns in any case.
    let _ = tcsetattr(input, OptionalActions::Now, &mode);
}

/// Does nothing: there are no such settings here.
#[cfg(not(unix))]
fn end_line_at_ctrl_c() {}
