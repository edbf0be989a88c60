//! Copies to the clipboard: with a command of the system, or through the terminal (OSC 52) if there is none. Over ssh
//! and in tmux always through the terminal: a command would set the clipboard of the remote machine.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::environment;
use super::terminal::Tty;
use crate::component::Notice;
use crate::text::Untrusted;

/// Bytes sent through the terminal at most: some terminals drop longer texts silently.
const OSC52_MAX_BYTES: usize = 74_994;

/// Commands that read the clipboard's text from standard input, best first, with the variable that must be set for them
/// to work.
const COMMANDS: [(&str, &[&str], Option<&str>); 4] = [
    ("wl-copy", &[], Some("WAYLAND_DISPLAY")),
    ("xclip", &["-selection", "clipboard"], Some("DISPLAY")),
    ("xsel", &["--clipboard", "--input"], Some("DISPLAY")),
    ("pbcopy", &[], None),
];

/// Copies `text`, byte for byte, and returns a notice for the user. May wait for a command: call it where waiting is
/// allowed.
pub fn copy(tty: &Tty, text: &Untrusted, data: &Path, secrets: &[String]) -> Notice {
    let text = text.raw();
    let is_remote = environment::is_remote(|name| std::env::var(name).ok());
    if !is_remote && COMMANDS.iter().any(|command| copy_with_command(command, text, secrets)) {
        return Notice::ok("copied");
    }
    if text.len() <= OSC52_MAX_BYTES {
        return match tty.send(osc52(text).as_bytes()) {
            Ok(()) => Notice::ok("copied (via terminal)"),
            Err(why) => Notice::error(format!("not copied: {why}")),
        };
    }
    match write_to_file(text, data) {
        Ok(path) => Notice::warn(format!("too long for the terminal's clipboard: written to {}", path.display())),
        Err(why) => {
            Notice::error(format!("not copied: too long for the terminal, and no file could be written ({why})"))
        }
    }
}

/// Copies with a command; returns whether that worked.
fn copy_with_command((program, args, needs): &(&str, &[&str], Option<&str>), text: &str, secrets: &[String]) -> bool {
    if needs.is_some_and(|name| std::env::var_os(name).is_none()) {
        return false;
    }
    let mut command = Command::new(program);
    command.args(*args).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    for secret in secrets {
        command.env_remove(secret);
    }
    let Ok(mut child) = command.spawn() else { return false };
    let sent = child.stdin.take().is_some_and(|mut stdin| stdin.write_all(text.as_bytes()).is_ok());
    child.wait().is_ok_and(|status| status.success()) && sent
}

/// Returns the OSC 52 sequence for a text; tmux passes it on if `set-clipboard` is on.
fn osc52(text: &str) -> String {
    use crossterm::Command as _;
    let mut out = String::new();
    let _ = crossterm::clipboard::CopyToClipboard::to_clipboard_from(text).write_ansi(&mut out);
    out
}

/// Writes a text to a new private file. Fails if the disk refuses.
fn write_to_file(text: &str, data: &Path) -> std::io::Result<PathBuf> {
    std::fs::create_dir_all(data)?;
    let mut file = tempfile::Builder::new().prefix("copy-").suffix(".txt").tempfile_in(data)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    let (_, path) = file.keep().map_err(|why| why.error)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_carries_the_text_and_nothing_of_it_acts() {
        let sequence = osc52("a\u{1b}]0;x\u{7}");
        assert!(sequence.starts_with("\u{1b}]52;c;"), "{sequence:?}");
        assert_eq!(sequence.matches('\u{1b}').count(), 2, "its own start and end");
    }

    #[test]
    fn a_long_text_goes_to_a_file_byte_for_byte() {
        let dir = tempfile::tempdir().unwrap();
        let text = "x\r\n".repeat(40_000);
        let path = write_to_file(&text, dir.path()).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
}
