//! The log: files in the data directory, one a day, a week of them. Only listed fields are written, so that no message's
//! text and no key can get in by accident.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use tracing_appender::rolling::{Builder, RollingFileAppender, Rotation};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::debug_fn;

use crate::settings::paths::make_private;

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
/// Bytes of what reached stderr that a new start keeps.
const STDERR: u64 = 1 << 20;
/// How the days' files are named: before and behind the day.
const NAME: (&str, &str) = ("benchtop", "log");

/// Starts logging into `<data>/logs`. A directory that cannot be written costs the log and nothing else. Returns a file
/// for the process's own standard error.
pub fn start(data: &Path) -> Option<File> {
    let dir = data.join("logs");
    make_private(&dir).ok()?;
    let files = Files::open(&dir)?;
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
    let errors = dir.join("stderr.log");
    if std::fs::metadata(&errors).is_ok_and(|found| found.len() > STDERR) {
        // Nobody has looked at it for long. A copy that still writes to it keeps it to its end.
        let _ = std::fs::remove_file(&errors);
    }
    private(&errors).ok()
}

/// The days' files, each for the user alone: the appender opens what is there, and makes files that others can read.
struct Files {
    dir: PathBuf,
    appender: RollingFileAppender,
    /// The last day whose file was made.
    made: jiff::civil::Date,
}

impl Files {
    fn open(dir: &Path) -> Option<Self> {
        let made = prepare(dir, Timestamp::now()).ok()?;
        let appender = Builder::new()
            .rotation(Rotation::DAILY)
            .filename_prefix(NAME.0)
            .filename_suffix(NAME.1)
            .max_log_files(DAYS)
            .build(dir)
            .ok()?;
        Some(Self { dir: dir.to_owned(), appender, made })
    }
}

impl io::Write for Files {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let now = Timestamp::now();
        if soon(now) != self.made {
            self.made = prepare(&self.dir, now)?;
        }
        self.appender.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.appender.flush()
    }
}

/// The day of the appender's next file, as it counts days: in UTC. A little early, so that midnight cannot come between
/// this and its write.
fn soon(now: Timestamp) -> jiff::civil::Date {
    now.saturating_add(SignedDuration::from_secs(2)).unwrap_or(now).to_zoned(jiff::tz::TimeZone::UTC).date()
}

/// Makes the files of this moment. The later one's day.
fn prepare(dir: &Path, now: Timestamp) -> io::Result<jiff::civil::Date> {
    let (today, soon) = (now.to_zoned(jiff::tz::TimeZone::UTC).date(), soon(now));
    for day in [today, soon] {
        private(&dir.join(format!("{}.{day}.{}", NAME.0, NAME.1)))?;
    }
    Ok(soon)
}

/// A file to append to, the user's alone if it is made here.
fn private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn nobody_else_can_read_the_log_or_list_its_directory() {
        let _ = rustix::process::umask(rustix::fs::Mode::from(0o022));
        let home = tempfile::tempdir().unwrap();
        let data = home.path().join("fresh").join("data");
        drop(start(&data).unwrap());
        assert_eq!((mode(&data), mode(&data.join("logs"))), (0o700, 0o700));
        let files: Vec<PathBuf> = fs::read_dir(data.join("logs")).unwrap().map(|file| file.unwrap().path()).collect();
        assert!(files.len() >= 2, "{files:?}");
        for file in files {
            assert_eq!(mode(&file), 0o600, "{}", file.display());
        }
    }

    #[test]
    fn the_next_days_file_is_made_before_the_appender_could() {
        let home = tempfile::tempdir().unwrap();
        let last: Timestamp = "2026-03-31T23:59:59Z".parse().unwrap();
        assert_eq!(prepare(home.path(), last).unwrap().to_string(), "2026-04-01");
        for day in ["2026-03-31", "2026-04-01"] {
            assert_eq!(mode(&home.path().join(format!("benchtop.{day}.log"))), 0o600);
        }
        // The appender's own names: it opens what was made.
        let dir = home.path().join("now");
        fs::create_dir(&dir).unwrap();
        let mut files = Files::open(&dir).unwrap();
        io::Write::write_all(&mut files, b"line\n").unwrap();
        let mut written = fs::read_dir(&dir).unwrap().map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
        assert!(written.any(|text| text == "line\n"));
        assert!(fs::read_dir(&dir).unwrap().all(|file| mode(&file.unwrap().path()) == 0o600));
    }
}
