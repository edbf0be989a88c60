//! Runs `$VISUAL` or `$EDITOR` on a private file, and reads the text it left.

use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// An editor or pager that exits sooner than this did not wait for the user.
pub(super) const TOO_SOON: Duration = Duration::from_millis(400);

/// Result of an editor: the text it left, `None` if that is unchanged, or a sentence.
pub type Edited = Result<Option<String>, String>;

/// The running editor or pager, so that it can be told to end. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Child {
    /// Its process id; 0: none is running.
    pid: Arc<AtomicU32>,
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
        #[cfg(unix)]
        if let Some(pid) = i32::try_from(self.pid.load(Ordering::SeqCst)).ok().and_then(rustix::process::Pid::from_raw)
        {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        }
    }
}

/// Runs the editor, and returns the text it left; `None`: it is unchanged. Fails with a sentence. The terminal must be
/// released before; `secrets` are variables that the editor does not get.
pub fn edit(text: &str, data: &Path, secrets: &[String], running: &Child) -> Edited {
    // The runtime directory is private and in memory; without one the data directory is used.
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(std::path::PathBuf::from).filter(|dir| dir.is_dir());
    let dir = runtime.as_deref().unwrap_or(data);
    let fail = |why: std::io::Error| format!("could not create a file for the editor in {}: {why}", dir.display());
    std::fs::create_dir_all(dir).map_err(fail)?;
    let mut file = tempfile::Builder::new().prefix("benchtop-").suffix(".md").tempfile_in(dir).map_err(fail)?;
    file.write_all(text.as_bytes()).map_err(fail)?;
    file.flush().map_err(fail)?;
    let start = Instant::now();
    let program = run_editor(file.path(), secrets, running).map_err(|why| format!("{why}; the text is unchanged"))?;
    // Read by name: editors write a new file and rename it.
    let mut left = String::new();
    std::fs::File::open(file.path())
        .and_then(|mut file| file.read_to_string(&mut left))
        .map_err(|why| format!("the edited text could not be read ({why}); the text is unchanged"))?;
    if left == text && start.elapsed() < TOO_SOON {
        return Err(ended_too_soon(&program));
    }
    // Editors end a file with a newline that nobody typed.
    if left.ends_with('\n') && !text.ends_with('\n') {
        left.pop();
    }
    Ok((left != text).then_some(left))
}

/// Runs the editor on a file of the user's, and returns once it has ended. Fails with a sentence. The terminal must be
/// released before; `secrets` are variables that the editor does not get.
pub fn edit_file(path: &Path, secrets: &[String], running: &Child) -> Result<(), String> {
    let read = || std::fs::read(path).ok();
    let (before, start) = (read(), Instant::now());
    let program = run_editor(path, secrets, running)?;
    if read() == before && start.elapsed() < TOO_SOON { Err(ended_too_soon(&program)) } else { Ok(()) }
}

/// Runs the editor on a file, and returns its program. Fails with a sentence.
fn run_editor(path: &Path, secrets: &[String], running: &Child) -> Result<OsString, String> {
    let (program, args) = program()?;
    let mut child = command(&program, &args, secrets)
        .arg(path)
        .spawn()
        .map_err(|why| format!("the editor {} could not be started ({why}): set $EDITOR", program.display()))?;
    let status = running.wait_for(&mut child).map_err(|why| format!("lost contact with the editor ({why})"))?;
    if !status.success() {
        return Err(format!("the editor exited with {status}"));
    }
    Ok(program)
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
fn program() -> Result<(OsString, Vec<OsString>), String> {
    let set =
        ["VISUAL", "EDITOR"].iter().find_map(|name| std::env::var(name).ok().filter(|value| !value.trim().is_empty()));
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
        // Variables belong to the process: the test runs itself again in one that has them.
        if std::env::var_os("VISUAL").is_none_or(|set| set != "sh -c \"exit 3\"") {
            let name = "app::editor::tests::an_editor_in_quotes_runs_and_its_status_is_told";
            let mut again = Command::new(std::env::current_exe().unwrap());
            let told = again.args(["--exact", name]).env("VISUAL", "sh -c \"exit 3\"").output().unwrap();
            assert!(String::from_utf8_lossy(&told.stdout).contains("1 passed"), "{told:?}");
            return;
        }
        let data = tempfile::tempdir().unwrap();
        let why = edit("text", data.path(), &[], &Child::default()).unwrap_err();
        assert_eq!(why, "the editor exited with exit status: 3; the text is unchanged");
        // A file of the user's may be changed although the editor failed.
        let why = edit_file(&data.path().join("file"), &[], &Child::default()).unwrap_err();
        assert_eq!(why, "the editor exited with exit status: 3");
    }

    #[cfg(unix)]
    #[test]
    fn a_newline_at_the_end_is_kept_only_where_the_text_had_one() {
        const EDITOR: &str = "sh -c 'echo edited > \"$0\"'";
        // Variables belong to the process: the test runs itself again in one that has them.
        if std::env::var_os("VISUAL").is_none_or(|set| set != EDITOR) {
            let name = "app::editor::tests::a_newline_at_the_end_is_kept_only_where_the_text_had_one";
            let mut again = Command::new(std::env::current_exe().unwrap());
            let told = again.args(["--exact", name]).env("VISUAL", EDITOR).output().unwrap();
            assert!(String::from_utf8_lossy(&told.stdout).contains("1 passed"), "{told:?}");
            return;
        }
        let data = tempfile::tempdir().unwrap();
        for (text, left) in [("text", "edited"), ("text\n", "edited\n")] {
            let edited = edit(text, data.path(), &[], &Child::default());
            assert_eq!(edited.unwrap().as_deref(), Some(left), "{text:?}");
        }
    }
}
