//! Texts that a command works on: arguments, or standard input.

use std::io::{self, IsTerminal as _, Read as _};

/// Most bytes that are read from standard input as one text.
const INPUT: u64 = 10_000_000;

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
    let mut text = String::from_utf8(bytes).map_err(|why| {
        let at = why.utf8_error().valid_up_to();
        format!("standard input is not UTF-8 (at byte {at}): convert it first")
    })?;
    if text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
    Ok(text)
}
