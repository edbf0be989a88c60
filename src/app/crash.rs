//! The panic hook: writes `crash-<time>.txt` into the data directory. A panic in a task, in local work or in the store
//! is a failure of that alone (its caller receives an error, the program continues); in any other thread it ends the
//! program with status 70, after restoring the terminal.

use std::fs;
use std::io::Write as _;
use std::panic::PanicHookInfo;
use std::path::{Path, PathBuf};

use super::terminal::Tty;
use crate::text;

/// Name of the threads that run tasks: whoever waits for a task gets its panic as an error.
pub const TASKS: &str = "benchtop-task";
/// Prefixes of the names of threads whose panics become errors: tasks, slow local work, the store.
const CAUGHT: [&str; 3] = [TASKS, "work", "store-"];
/// Exit status after a panic (EX_SOFTWARE).
pub const STATUS: i32 = 70;

/// Installs the hook. `stderr` is where standard error pointed at the start; `report` is called for panics that do not
/// end the program.
pub fn install(tty: Tty, data: PathBuf, stderr: Option<fs::File>, report: impl Fn(String) + Send + Sync + 'static) {
    std::panic::set_hook(Box::new(move |panic| {
        let thread = std::thread::current();
        let name = thread.name().unwrap_or("unnamed").to_owned();
        let file = write_report(&data, &name, panic);
        let place = file.as_deref().map_or_else(
            || "no crash report could be written".to_owned(),
            |file| format!("the crash report is in {}", file.display()),
        );
        if CAUGHT.iter().any(|begin| name.starts_with(begin)) {
            report(format!("part of benchtop failed and was stopped; {place}"));
            return;
        }
        tty.leave();
        let line = format!("benchtop crashed; everything shown as saved is saved; {place}\n");
        let line = text::screen(&line).into_owned();
        // Standard error points to the log while benchtop draws; this is where it pointed before.
        match stderr.as_ref() {
            Some(mut stderr) => drop(stderr.write_all(line.as_bytes())),
            None => drop(std::io::stderr().write_all(line.as_bytes())),
        }
        std::process::exit(STATUS);
    }));
}

/// Writes the place, the message and the backtrace, and nothing of a conversation. Returns the file.
fn write_report(data: &Path, thread: &str, panic: &PanicHookInfo<'_>) -> Option<PathBuf> {
    let what = panic
        .payload()
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.payload().downcast_ref::<String>().map(String::as_str))
        .unwrap_or("(no message)");
    let place = panic.location().map(ToString::to_string).unwrap_or_default();
    let trace = std::backtrace::Backtrace::force_capture();
    // A message may quote user data: its first line, shortened, suffices to find the place.
    let what: String = what.lines().next().unwrap_or_default().chars().take(200).collect();
    let report = format!(
        "benchtop {} failed\nthread: {thread}\nplace: {place}\nwhat: {what}\n\n{trace}\n",
        env!("CARGO_PKG_VERSION")
    );
    let time = jiff::Zoned::now().strftime("%Y%m%d-%H%M%S").to_string();
    let path = data.join(format!("crash-{time}-{}.txt", std::process::id()));
    fs::create_dir_all(data).ok()?;
    let mut options = fs::OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(&path).and_then(|mut file| file.write_all(text::screen(&report).as_bytes()));
    if written.is_err() {
        // A full disk may have space for the file's name alone.
        let _ = fs::remove_file(&path);
    }
    written.is_ok().then_some(path)
}
