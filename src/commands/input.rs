//! What a command works on: texts as arguments or on standard input, files, the answer to a question.

use std::fs::File;
use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::path::Path;

use tokio::sync::oneshot;

use crate::text::Untrusted;

/// Most bytes that are read from standard input as one text.
pub(super) const INPUT: u64 = 10_000_000;

/// Returns the text of arguments; `-` among them, or no argument at all, stands for standard input.
///
/// # Errors
/// There is neither, or standard input cannot be read; a sentence.
pub(super) fn text(arguments: &[String], what: &str) -> Result<String, String> {
    let reads = arguments.is_empty() || arguments.iter().any(|argument| argument == "-");
    if arguments.is_empty() && io::stdin().is_terminal() {
        return Err(format!("give {what} as an argument or on standard input"));
    }
    let input = if reads { standard_input()? } else { String::new() };
    let parts = arguments.iter().map(|argument| if argument == "-" { input.as_str() } else { argument.as_str() });
    let text = if arguments.is_empty() { input.clone() } else { parts.collect::<Vec<_>>().join("\n\n") };
    if text.trim().is_empty() { Err(format!("{what} is empty")) } else { Ok(text) }
}

/// Reads standard input, without the line end that a shell adds.
fn standard_input() -> Result<String, String> {
    let mut bytes = Vec::new();
    let read = io::stdin().lock().take(INPUT + 1).read_to_end(&mut bytes);
    read.map_err(|why| format!("standard input cannot be read: {why}"))?;
    if bytes.len() as u64 > INPUT {
        return Err("standard input has more than 10 MB: give a shorter text".to_owned());
    }
    let text = String::from_utf8(bytes).map_err(|why| {
        let at = why.utf8_error().valid_up_to();
        format!("standard input is not UTF-8 (at byte {at}): convert it first")
    })?;
    let mut text = without_mark(text);
    if text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
    Ok(text)
}

/// Removes the byte order mark that some programs put before a text.
pub(super) fn without_mark(mut text: String) -> String {
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    text
}

/// Returns whether a path names what can be read only once, from its beginning to its end: a pipe, or a device such as
/// a terminal.
#[cfg(unix)]
pub(super) fn is_read_once(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    let kind = path.metadata().map(|about| about.file_type());
    kind.is_ok_and(|kind| kind.is_fifo() || kind.is_char_device())
}

/// Returns false: no path names a pipe.
#[cfg(not(unix))]
pub(super) fn is_read_once(_path: &Path) -> bool {
    false
}

/// Copies all that can be read to a file without a name, whatever its length.
///
/// # Errors
/// It cannot be copied; a sentence.
pub(super) fn copy_of(mut from: impl io::Read, shown: &str) -> Result<File, String> {
    let mut copy = || -> io::Result<File> {
        let mut file = tempfile::tempfile()?;
        io::copy(&mut from, &mut file)?;
        Ok(file)
    };
    copy().map_err(|why| format!("{shown} could not be copied to a temporary file: {why}"))
}

/// A file of this machine.
#[derive(Clone, Debug)]
pub(super) struct LocalFile {
    /// As it was named.
    pub(super) shown: String,
    /// Absolute.
    pub(super) path: String,
    /// Its size.
    pub(super) bytes: u64,
}

impl LocalFile {
    /// Returns a sentence about the file without its path, with which it begins: the file is named before it.
    pub(super) fn without_path(&self, sentence: &Untrusted) -> Untrusted {
        let sentence = sentence.line();
        let rest = sentence.strip_prefix(self.path.as_str()).and_then(|rest| rest.strip_prefix(' '));
        rest.map_or_else(|| Untrusted::from(&*sentence), |rest| format!("it {rest}").into())
    }
}

/// Looks up a file that is read more than once.
///
/// # Errors
/// It cannot be read, or is no file; a sentence.
pub(super) fn file(shown: &str) -> Result<LocalFile, String> {
    let path = absolute(shown)?;
    let unreadable = |why: io::Error| format!("{shown} cannot be read: {why}");
    let about = Path::new(&path).metadata().map_err(unreadable)?;
    if about.is_dir() {
        return Err(format!("{shown} is a folder: name a file"));
    }
    if !about.is_file() {
        return Err(format!("{shown} is not a regular file, and it is read more than once: write it to a file first"));
    }
    File::open(&path).map_err(unreadable)?;
    Ok(LocalFile { shown: shown.to_owned(), path, bytes: about.len() })
}

/// Returns the absolute path of a file to write, the value of `--output`. That it is not there yet is not checked.
///
/// # Errors
/// It names no file, or its folder is not there; a sentence.
pub(super) fn output_file(shown: &str) -> Result<String, String> {
    if shown == "-" {
        return Err("--output: - is standard output, where this is not printed: name a file".to_owned());
    }
    let output = absolute(shown)?;
    let path = Path::new(&output);
    if path.file_name().is_none() || path.is_dir() || shown.ends_with('/') {
        return Err(format!("--output: {shown} does not name a file: add its name"));
    }
    if !path.parent().is_some_and(Path::is_dir) {
        return Err(format!("--output: the folder of {shown} does not exist: create it first"));
    }
    Ok(output)
}

/// Returns the absolute path of a file that need not exist.
///
/// # Errors
/// It is no path; a sentence.
pub(super) fn absolute(shown: &str) -> Result<String, String> {
    let path = std::path::absolute(shown).map_err(|why| format!("{shown} is no path: {why}"))?;
    path.into_os_string()
        .into_string()
        .map_err(|_| "the name of the current folder is not UTF-8: change to another".into())
}

/// Checks that there is a terminal to ask on.
///
/// # Errors
/// There is none; a sentence.
pub(super) fn check_can_ask() -> Result<(), String> {
    if io::stdin().is_terminal() && io::stderr().is_terminal() {
        Ok(())
    } else {
        Err("there is no terminal to ask on: --yes does it without a question".to_owned())
    }
}

/// Asks a question on the terminal. Returns where the answer comes: whether it is `yes`, or why it cannot be read. It is
/// read on a thread of its own, which cannot be interrupted.
pub(super) fn ask(question: &str) -> oneshot::Receiver<Result<bool, String>> {
    let (sender, answer) = oneshot::channel();
    let question = question.to_owned();
    let read = move || {
        let _ = sender.send(confirm(&question));
    };
    // Without a thread nobody answers.
    let _ = std::thread::Builder::new().name("question".into()).spawn(read);
    answer
}

/// Asks a question on the terminal. Returns whether it was answered with `yes`.
fn confirm(question: &str) -> Result<bool, String> {
    let mut errors = io::stderr();
    // What was typed is repeated in the question, and a terminal reads it.
    let question = Untrusted::from(question);
    let asked = write!(errors, "{} Type yes: ", question.line()).and_then(|()| errors.flush());
    asked.map_err(|why| format!("the question could not be asked: {why}"))?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).map_err(|why| format!("the answer cannot be read: {why}"))?;
    if !answer.ends_with('\n') {
        // After Ctrl+D the cursor is still behind the question.
        let _ = writeln!(errors);
    }
    Ok(answer.trim() == "yes")
}
