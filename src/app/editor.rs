//! Runs `$VISUAL` or `$EDITOR` on a private file, and reads the text it left.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use tempfile::TempPath;

/// An editor or pager that exits sooner than this did not wait for the user.
pub(super) const TOO_SOON: Duration = Duration::from_millis(400);

/// Result of an editor: the text it left, `None` if that is unchanged, or a sentence.
pub type Edited = Result<Option<String>, String>;

/// The running editor or pager, so that it can be told to end. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Child {
    /// Its process id; 0: none is running.
    pid: Arc<AtomicU32>,
    /// Whether it was told to end, as the program does.
    is_told: Arc<AtomicBool>,
}

impl Child {
    /// Waits for a program that was started, which can be told to end meanwhile. Fails if the system cannot wait for
    /// it.
    pub(super) fn wait_for(&self, child: &mut std::process::Child) -> std::io::Result<ExitStatus> {
        self.pid.store(child.id(), Ordering::SeqCst);
        let ended = child.wait();
        self.pid.store(0, Ordering::SeqCst);
        ended
    }

    /// Asks the program to end, if one runs.
    pub fn end(&self) {
        self.is_told.store(true, Ordering::SeqCst);
        #[cfg(unix)]
        if let Some(pid) = i32::try_from(self.pid.load(Ordering::SeqCst)).ok().and_then(rustix::process::Pid::from_raw)
        {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        }
    }

    /// Returns whether a program was told to end.
    fn is_told_to_end(&self) -> bool {
        self.is_told.load(Ordering::SeqCst)
    }
}

/// Runs the editor, and returns the text it left; `None`: it is unchanged. Fails with a sentence; what the editor saved
/// then stays in its file. The terminal must be released before; `secrets` are variables that the editor does not get.
pub fn edit(text: &str, data: &Path, secrets: &[String], running: &Child) -> Edited {
    let file = create_file(text, data)?;
    let start = Instant::now();
    let ended = run_editor(&file, secrets, running);
    // Read by name: editors write a new file and rename it.
    let saved = match std::fs::read(&file) {
        Ok(saved) => saved,
        Err(why) => {
            let why = ended.err().unwrap_or_else(|| format!("the edited text could not be read ({why})"));
            return Err(format!("{why}; the text is unchanged"));
        }
    };
    let is_too_soon = saved == text.as_bytes() && start.elapsed() < TOO_SOON;
    let saved = String::from_utf8(saved).map(|saved| without_additions(saved, text));
    let is_changed = !saved.as_ref().is_ok_and(|saved| saved == text);
    match (ended, saved) {
        (Ok(program), _) if is_too_soon => Err(ended_too_soon(&program)),
        (Ok(_), Ok(saved)) => Ok(is_changed.then_some(saved)),
        (Ok(_), Err(_)) => Err(format!("the edited text is not UTF-8; {}", keep(file))),
        (Err(why), _) if !is_changed => Err(format!("{why}; the text is unchanged")),
        // The program is ending as well: what was saved becomes the text. Its file stays in case that cannot be stored.
        (Err(_), Ok(saved)) if running.is_told_to_end() => {
            drop(keep(file));
            Ok(Some(saved))
        }
        (Err(why), _) => Err(format!("{why}; {}", keep(file))),
    }
}

/// Creates a private file with the text, which is deleted when it is dropped. Fails with a sentence.
fn create_file(text: &str, data: &Path) -> Result<TempPath, String> {
    let create = |dir: &Path| -> std::io::Result<TempPath> {
        std::fs::create_dir_all(dir)?;
        let mut file = tempfile::Builder::new().prefix("benchtop-").suffix(".md").tempfile_in(dir)?;
        file.write_all(text.as_bytes())?;
        Ok(file.into_temp_path())
    };
    // The runtime directory is private and in memory. After `su` it may be another user's.
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|dir| dir.is_dir());
    runtime
        .and_then(|dir| create(&dir).ok())
        .map_or_else(|| create(data), Ok)
        .map_err(|why| format!("could not create a file for the editor in {}: {why}", data.display()))
}

/// Keeps the file of an editor; returns a clause that says where.
fn keep(file: TempPath) -> String {
    match file.keep() {
        Ok(path) => format!("the text is unchanged; what the editor saved is in {}", path.display()),
        Err(failed) => format!("the text is unchanged; what the editor saved could not be kept ({})", failed.error),
    }
}

/// Returns what an editor saved without what the editor alone added: a newline at its end, and CR in line ends.
fn without_additions(mut saved: String, text: &str) -> String {
    if !text.contains('\r') {
        saved = saved.replace("\r\n", "\n");
    }
    if saved.ends_with('\n') && !text.ends_with('\n') {
        saved.pop();
    }
    saved
}

/// Runs the editor on a file of the user's that is put in force afterwards, and returns once it has ended. Fails with a
/// sentence. The terminal must be released before; `secrets` are variables that the editor does not get.
pub fn edit_file(path: &Path, secrets: &[String], running: &Child) -> Result<(), String> {
    let read = || std::fs::read(path).ok();
    let (before, start) = (read(), Instant::now());
    let ended = run_editor(path, secrets, running);
    match (ended, read() != before) {
        // What was saved counts, however the editor ended.
        (Err(why), true) => Err(format!("{why}; what it saved was applied")),
        (Err(why), false) => Err(why),
        (Ok(program), false) if start.elapsed() < TOO_SOON => Err(ended_too_soon(&program)),
        (Ok(_), _) => Ok(()),
    }
}

/// Runs the editor on a file, and returns its program. Fails with a sentence.
fn run_editor(path: &Path, secrets: &[String], running: &Child) -> Result<OsString, String> {
    let (program, args) = program(|name| std::env::var(name).ok())?;
    let mut child = command(&program, &args, secrets)
        .arg(path)
        .spawn()
        .map_err(|why| format!("the editor {} could not be started ({why}): set $EDITOR", program.display()))?;
    let status = running.wait_for(&mut child).map_err(|why| format!("lost contact with the editor ({why})"))?;
    if !status.success() {
        return Err(format!("the editor ended with {}", words_of(status)));
    }
    Ok(program)
}

/// Returns the words for how a program ended.
pub(super) fn words_of(status: ExitStatus) -> String {
    status.code().map_or_else(|| status.to_string(), |code| format!("status {code}"))
}

/// Says of an editor that it has probably not waited for its window.
fn ended_too_soon(program: &OsString) -> String {
    let name = Path::new(program).file_name().unwrap_or(program).to_string_lossy().into_owned();
    format!("the editor exited at once without changes; if it opens a window, make it wait (EDITOR=\"{name} --wait\")")
}

/// Creates the command of a program that gets the terminal, but not the variables that hold keys.
pub(super) fn command(program: &OsString, args: &[OsString], secrets: &[String]) -> Command {
    let mut command = Command::new(program);
    command.args(args);
    // Standard error is the log's: what the program says there is for its user.
    #[cfg(unix)]
    if let Ok(terminal) = std::os::fd::AsFd::as_fd(&std::io::stdout()).try_clone_to_owned() {
        command.stderr(terminal);
    }
    for secret in secrets {
        command.env_remove(secret);
    }
    command
}

/// Returns the editor's program and its arguments. Fails with a sentence.
pub fn program(env: impl Fn(&str) -> Option<String>) -> Result<(OsString, Vec<OsString>), String> {
    let set = ["VISUAL", "EDITOR"].iter().find_map(|name| env(name).filter(|value| !value.trim().is_empty()));
    let line = set.unwrap_or_else(|| if cfg!(windows) { "notepad".into() } else { "vi".into() });
    split_command(&line, "EDITOR")
}

/// Splits the line of a variable such as `$EDITOR` into words as a shell does, with quotes and backslashes. The path of
/// an existing file needs no quotes. Fails with a sentence if a quote is not closed or there is no word.
pub(super) fn split_command(line: &str, variable: &str) -> Result<(OsString, Vec<OsString>), String> {
    if Path::new(line).is_file() {
        return Ok((line.into(), Vec::new()));
    }
    // On Windows a backslash separates folders.
    let quoted = if cfg!(windows) { line.replace('\\', "\\\\") } else { line.to_owned() };
    let unclosed = |_| format!("a quote in ${variable} is not closed: correct it");
    let split = shell_words::split(&quoted).map_err(unclosed)?;
    let mut words = split.into_iter().map(OsString::from);
    let program =
        words.next().filter(|program| !program.is_empty()).ok_or_else(|| format!("set ${variable} to a program"))?;
    Ok((program, words.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a test again in a process that has these variables, as they belong to a process. Returns a folder for its
    /// data if this is that process.
    #[cfg(unix)]
    fn data_where(test: &str, variables: &[(&str, &str)]) -> Option<tempfile::TempDir> {
        if variables.iter().all(|(name, value)| std::env::var_os(name).is_some_and(|set| set == *value)) {
            return Some(tempfile::tempdir().unwrap());
        }
        let name = format!("app::editor::tests::{test}");
        let mut again = Command::new(std::env::current_exe().unwrap());
        let told = again.args(["--exact", &name]).envs(variables.iter().copied()).output().unwrap();
        assert!(String::from_utf8_lossy(&told.stdout).contains("1 passed"), "{told:?}");
        None
    }

    #[test]
    fn quotes_keep_together_what_belongs_together() {
        let words = |line: &str| {
            let (program, args) = split_command(line, "EDITOR").unwrap();
            let word = |word: OsString| word.into_string().unwrap();
            std::iter::once(program).chain(args).map(word).collect::<Vec<_>>()
        };
        assert_eq!(words("vi"), ["vi"]);
        assert_eq!(words("  code --wait  -n "), ["code", "--wait", "-n"]);
        assert_eq!(words("sh -c \"exit 3\""), ["sh", "-c", "exit 3"]);
        assert_eq!(words("'/opt/my editor/ed' -w"), ["/opt/my editor/ed", "-w"]);
        #[cfg(unix)]
        assert_eq!(words("/opt/my\\ editor/ed -w"), ["/opt/my editor/ed", "-w"]);
        let folder = tempfile::Builder::new().prefix("my editors ").tempdir().unwrap();
        let file = folder.path().join("ed");
        std::fs::write(&file, "").unwrap();
        let line = file.to_str().unwrap();
        assert_eq!(words(line), [line], "a file needs no quotes");
        assert!(super::split_command("sh -c 'exit", "PAGER").unwrap_err().contains("not closed"));
        assert!(super::split_command("''", "EDITOR").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn an_editor_in_quotes_runs_and_its_status_is_told() {
        let variables = [("VISUAL", "sh -c \"exit 3\"")];
        let Some(data) = data_where("an_editor_in_quotes_runs_and_its_status_is_told", &variables) else { return };
        let why = edit("text", data.path(), &[], &Child::default()).unwrap_err();
        assert_eq!(why, "the editor ended with status 3; the text is unchanged");
        let why = edit_file(&data.path().join("file"), &[], &Child::default()).unwrap_err();
        assert_eq!(why, "the editor ended with status 3");
    }

    #[cfg(unix)]
    #[test]
    fn a_newline_at_the_end_is_kept_only_where_the_text_had_one() {
        let variables = [("VISUAL", "sh -c 'echo edited > \"$0\"'")];
        let Some(data) = data_where("a_newline_at_the_end_is_kept_only_where_the_text_had_one", &variables) else {
            return;
        };
        for (text, left) in [("text", "edited"), ("text\n", "edited\n")] {
            let edited = edit(text, data.path(), &[], &Child::default());
            assert_eq!(edited.unwrap().as_deref(), Some(left), "{text:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn line_ends_of_an_editor_are_those_of_the_text() {
        let variables = [("VISUAL", "sh -c 'printf \"one\\r\\ntwo\\r\\n\" > \"$0\"'")];
        let Some(data) = data_where("line_ends_of_an_editor_are_those_of_the_text", &variables) else { return };
        for (text, left) in [("one\ntwo", None), ("one", Some("one\ntwo")), ("one\r\n", Some("one\r\ntwo\r\n"))] {
            let edited = edit(text, data.path(), &[], &Child::default());
            assert_eq!(edited.unwrap().as_deref(), left, "{text:?}");
        }
    }

    /// Returns the contents of the files of a folder.
    #[cfg(unix)]
    fn files(folder: &Path) -> Vec<Vec<u8>> {
        std::fs::read_dir(folder).unwrap().map(|entry| std::fs::read(entry.unwrap().path()).unwrap()).collect()
    }

    #[cfg(unix)]
    #[test]
    fn what_an_editor_saved_before_it_failed_stays_in_its_file() {
        let variables = [("VISUAL", "sh -c 'printf saved > \"$0\"; exit 3'"), ("XDG_RUNTIME_DIR", "")];
        let Some(data) = data_where("what_an_editor_saved_before_it_failed_stays_in_its_file", &variables) else {
            return;
        };
        let why = edit("text", data.path(), &[], &Child::default()).unwrap_err();
        let said = "the editor ended with status 3; the text is unchanged; what the editor saved is in ";
        let path = why.strip_prefix(said).unwrap();
        assert_eq!((std::fs::read(path).unwrap(), files(data.path()).len()), (b"saved".to_vec(), 1));
        // A file of the user's is what it saved.
        let file = data.path().join("file");
        let why = edit_file(&file, &[], &Child::default()).unwrap_err();
        assert_eq!(why, "the editor ended with status 3; what it saved was applied");
        assert_eq!(edit_file(&file, &[], &Child::default()).unwrap_err(), "the editor ended with status 3");
        std::fs::remove_file(file).unwrap();
        // It has nothing that the text has not.
        std::fs::remove_file(path).unwrap();
        let why = edit("saved", data.path(), &[], &Child::default()).unwrap_err();
        assert_eq!(why, "the editor ended with status 3; the text is unchanged");
        assert!(files(data.path()).is_empty());
        // The program ends, and has told the editor to.
        let told = Child::default();
        told.end();
        assert_eq!(edit("text", data.path(), &[], &told).unwrap().as_deref(), Some("saved"));
        assert_eq!(files(data.path()), [b"saved"]);
    }

    #[cfg(unix)]
    #[test]
    fn an_edited_text_that_is_not_utf_8_stays_in_its_file() {
        let variables = [("VISUAL", "sh -c 'printf \"\\377\" > \"$0\"'"), ("XDG_RUNTIME_DIR", "")];
        let Some(data) = data_where("an_edited_text_that_is_not_utf_8_stays_in_its_file", &variables) else { return };
        let why = edit("text", data.path(), &[], &Child::default()).unwrap_err();
        let said = "the edited text is not UTF-8; the text is unchanged; what the editor saved is in ";
        assert_eq!(std::fs::read(why.strip_prefix(said).unwrap()).unwrap(), b"\xff");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_runtime_directory_that_cannot_be_written_is_not_needed() {
        // Nobody may create a file there.
        let variables = [("VISUAL", "sh -c 'printf saved > \"$0\"'"), ("XDG_RUNTIME_DIR", "/proc")];
        let Some(data) = data_where("a_runtime_directory_that_cannot_be_written_is_not_needed", &variables) else {
            return;
        };
        let edited = edit("text", data.path(), &[], &Child::default());
        assert_eq!(edited.unwrap().as_deref(), Some("saved"));
        assert!(files(data.path()).is_empty());
    }
}
