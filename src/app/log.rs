//! The log: files in the data directory, one a day, kept for a week. Only listed fields are written, so that no message
//! text and no key can get in by accident.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::civil::Date;
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
/// Daily files that are kept.
const DAYS: usize = 7;
/// A file for standard error with more bytes than this is deleted at the start.
const STDERR_BYTES: u64 = 1 << 20;
/// What the names of the daily files have before and after the date.
const NAME: (&str, &str) = ("benchtop", "log");

/// Starts logging into `<data>/logs`. If the directory cannot be written, only the log is lost. Returns a file for the
/// process's own standard error.
pub fn start(data: &Path) -> Option<File> {
    let dir = data.join("logs");
    make_private(&dir).ok()?;
    let files = DailyLogFiles { dir: dir.clone(), today: None };
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
        // Errors of the log would be printed to standard error, which is on the same disk; that would panic.
        .log_internal_errors(false)
        .fmt_fields(fields)
        .with_writer(std::sync::Mutex::new(files))
        .finish();
    // A second start in one process (in tests) keeps the first log.
    let _ = tracing::subscriber::set_global_default(logging);
    let errors = dir.join("stderr.log");
    if std::fs::metadata(&errors).is_ok_and(|found| found.len() > STDERR_BYTES) {
        // Another running benchtop that writes to it keeps the open file.
        let _ = std::fs::remove_file(&errors);
    }
    open_private(&errors).ok()
}

/// The daily files, each for this user alone. A line that cannot be written is dropped: the disk may have space for the
/// next one.
struct DailyLogFiles {
    dir: PathBuf,
    /// The day of the last line, and its file.
    today: Option<(Date, File)>,
}

impl DailyLogFiles {
    /// Appends a line to the file of its day, in UTC.
    fn append(&mut self, line: &[u8], now: Timestamp) -> io::Result<()> {
        let day = now.to_zoned(jiff::tz::TimeZone::UTC).date();
        let (_, file) = match self.today.take_if(|(open, _)| *open == day) {
            Some(today) => self.today.insert(today),
            None => {
                let file = open_private(&self.dir.join(file_name(day)))?;
                self.prune();
                self.today.insert((day, file))
            }
        };
        file.write_all(line)
    }

    /// Removes files beyond those kept, the oldest first: their dates sort as names.
    fn prune(&self) {
        let Ok(entries) = fs::read_dir(&self.dir) else { return };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut names: Vec<String> = names.filter(|name| is_log(name)).collect();
        names.sort_unstable();
        for old in &names[..names.len().saturating_sub(DAYS)] {
            let _ = fs::remove_file(self.dir.join(old));
        }
    }
}

impl Write for DailyLogFiles {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let _ = self.append(line, Timestamp::now());
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the name of a day's file.
fn file_name(day: Date) -> String {
    format!("{}.{day}.{}", NAME.0, NAME.1)
}

/// Returns whether a file of this name is a daily file.
fn is_log(file: &str) -> bool {
    let day = file.strip_prefix(NAME.0).and_then(|rest| rest.strip_suffix(NAME.1));
    day.is_some_and(|day| day.trim_matches('.').parse::<Date>().is_ok())
}

/// Opens a file for appending, private if it is created.
fn open_private(path: &Path) -> io::Result<File> {
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
        tracing::error!("a line");
        let files: Vec<PathBuf> = fs::read_dir(data.join("logs")).unwrap().map(|file| file.unwrap().path()).collect();
        assert!(!files.is_empty());
        for file in files {
            assert_eq!(mode(&file), 0o600, "{}", file.display());
        }
    }

    #[test]
    fn each_day_has_its_file_and_a_week_of_them_is_kept() {
        let home = tempfile::tempdir().unwrap();
        let mut files = DailyLogFiles { dir: home.path().to_owned(), today: None };
        fs::write(home.path().join("stderr.log"), "").unwrap();
        for day in 1..=9 {
            let now: Timestamp = format!("2026-03-0{day}T23:59:59Z").parse().unwrap();
            files.append(b"one\n", now).unwrap();
            files.append(b"two\n", now).unwrap();
        }
        for day in 1..=9 {
            let file = home.path().join(format!("benchtop.2026-03-0{day}.log"));
            assert_eq!(file.exists(), day > 2, "{}", file.display());
            assert!(day <= 2 || fs::read_to_string(&file).unwrap() == "one\ntwo\n");
            assert!(day <= 2 || mode(&file) == 0o600);
        }
        assert!(home.path().join("stderr.log").exists());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_line_that_does_not_fit_on_the_disk_is_lost_and_nothing_else() {
        let home = tempfile::tempdir().unwrap();
        let mut files = DailyLogFiles { dir: home.path().to_owned(), today: None };
        let now = Timestamp::now();
        let today = home.path().join(file_name(now.to_zoned(jiff::tz::TimeZone::UTC).date()));
        std::os::unix::fs::symlink("/dev/full", &today).unwrap();
        assert!(files.append(b"line\n", now).is_err());
        assert_eq!(files.write(b"line\n").unwrap(), 5);
    }
}
