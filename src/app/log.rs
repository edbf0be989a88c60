//! The log: files in the data directory, one a day, a week of them. Only listed fields are written, so that no message's
//! text and no key can get in by accident.

use std::fs;
use std::path::Path;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::debug_fn;

/// Fields that may be logged: facts about a call, never its content.
const FIELDS: [&str; 20] = [
    "message",
    "why",
    "data",
    "path",
    "status",
    "method",
    "request_id",
    "attempt",
    "of",
    "kind",
    "profile",
    "host",
    "model",
    "bytes",
    "ms",
    "port",
    "count",
    "version",
    "pid",
    "thread",
];
/// Files kept.
const DAYS: usize = 7;

/// Starts logging into `<data>/logs`. A directory that cannot be written costs the log and nothing else. Returns a file
/// for the process's own standard error.
pub fn start(data: &Path) -> Option<fs::File> {
    let dir = data.join("logs");
    fs::create_dir_all(&dir).ok()?;
    let files = tracing_appender::rolling::Builder::new()
        .rotation(tracing_appender::rolling::Rotation::DAILY)
        .filename_prefix("benchtop")
        .filename_suffix("log")
        .max_log_files(DAYS)
        .build(&dir)
        .ok()?;
    let fields = debug_fn(|writer, field, value| {
        if field.name() == "message" {
            write!(writer, "{value:?} ")
        } else if FIELDS.contains(&field.name()) {
            write!(writer, "{field}={value:?} ")
        } else {
            Ok(())
        }
    });
    let filter = EnvFilter::try_new("off,benchtop=info").ok()?;
    let logging = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false)
        .fmt_fields(fields)
        .with_writer(std::sync::Mutex::new(files))
        .finish();
    // A second start in one process (tests) keeps the first log.
    let _ = tracing::subscriber::set_global_default(logging);
    fs::OpenOptions::new().append(true).create(true).open(dir.join("stderr.log")).ok()
}
