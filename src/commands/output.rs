//! What a command prints: its result on standard output, everything else on standard error.

use std::borrow::Cow;
use std::io::{self, BufWriter, ErrorKind, Write};

use indicatif::ProgressBar;
use serde::Serialize;

use super::status::Status;
use super::{advice, progress_line};
use crate::api::call::Failure;
use crate::text::Untrusted;
use crate::ui::ascii;
use crate::ui::rule::cut;

/// Who reads a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// A person at a terminal.
    Person,
    /// A program or a file.
    Program,
}

impl Reader {
    /// Returns who reads a stream.
    fn of(stream: &impl io::IsTerminal) -> Self {
        if stream.is_terminal() { Self::Person } else { Self::Program }
    }
}

/// Standard output and standard error of a command.
///
/// On a terminal, text from outside is made safe to show; into a pipe or a file it goes byte for byte. A reader that
/// has closed the pipe ends the command without a message.
pub struct Output {
    out: BufWriter<Box<dyn Write + Send>>,
    errors: Box<dyn Write + Send>,
    result_reader: Reader,
    errors_reader: Reader,
    /// The end of a text that is printed with what follows it: it may be the first half of a line end, or where only
    /// whole lines are printed, a part of one.
    held_back: String,
    /// The beginning of a character at the end of a piece of a file.
    incomplete: Vec<u8>,
    whole_lines: bool,
    /// Whether symbols are replaced by ASCII characters.
    ascii: bool,
    /// Why nothing more can be written; `None`: it can.
    closed: Option<io::Error>,
    /// The line on standard error that shows how far the command is; `None`: there is none.
    progress: Option<ProgressBar>,
}

impl Output {
    /// Prints to the process's own standard output and standard error.
    pub fn standard() -> Self {
        let (out, errors) = (io::stdout(), io::stderr());
        let readers = (Reader::of(&out), Reader::of(&errors));
        Self::new(Box::new(out), Box::new(errors), readers)
    }

    /// Prints to these, which are read by these.
    pub fn new(
        out: Box<dyn Write + Send>,
        errors: Box<dyn Write + Send>,
        (result_reader, errors_reader): (Reader, Reader),
    ) -> Self {
        let out = BufWriter::new(out);
        Self {
            out,
            errors,
            result_reader,
            errors_reader,
            held_back: String::new(),
            incomplete: Vec::new(),
            whole_lines: false,
            ascii: false,
            closed: None,
            progress: None,
        }
    }

    /// Prints texts in whole lines only, each once, as a screen reader needs it; shows no progress.
    #[must_use]
    pub fn in_whole_lines(mut self) -> Self {
        (self.whole_lines, self.errors_reader) = (true, Reader::Program);
        self
    }

    /// Replaces symbols by ASCII characters in lines and notices, and in texts on a terminal.
    pub fn replace_symbols(&mut self) {
        self.ascii = true;
    }

    /// Returns who reads the result.
    pub fn reader(&self) -> Reader {
        self.result_reader
    }

    /// Returns how many columns a line of the result may have; `None`: any number.
    pub fn columns(&self) -> Option<usize> {
        (self.result_reader == Reader::Person).then(|| columns_of(crossterm::terminal::size()))
    }

    /// Returns whether the reader of the result has gone, or nothing can be written.
    pub fn is_closed(&self) -> bool {
        self.closed.is_some()
    }

    /// Returns why the result could not be written although somebody reads it.
    pub fn failure(&self) -> Option<&io::Error> {
        self.closed.as_ref().filter(|why| why.kind() != ErrorKind::BrokenPipe)
    }

    /// Prints a piece of text from outside.
    pub fn text(&mut self, text: &Untrusted) {
        if self.result_reader == Reader::Program && !self.whole_lines {
            return self.bytes(text.raw().as_bytes());
        }
        let mut whole = std::mem::take(&mut self.held_back);
        whole.push_str(text.raw());
        let ready = if self.whole_lines { whole.rfind('\n').map_or(0, |end| end + 1) } else { whole.len() };
        // A line end may arrive in two pieces.
        let ready = ready - usize::from(whole[..ready].ends_with('\r'));
        self.held_back = whole.split_off(ready);
        match self.result_reader {
            Reader::Person => {
                let whole = Untrusted::new(whole);
                let shown = self.shown(whole.screen());
                self.bytes(shown.as_bytes());
            }
            Reader::Program => self.bytes(whole.as_bytes()),
        }
    }

    /// Prints a piece of a file.
    pub fn content(&mut self, bytes: &[u8]) {
        match self.result_reader {
            Reader::Person => {
                let mut whole = std::mem::take(&mut self.incomplete);
                whole.extend_from_slice(bytes);
                self.incomplete = whole.split_off(whole_characters(&whole));
                self.text(&String::from_utf8_lossy(&whole).into_owned().into());
            }
            Reader::Program => self.bytes(bytes),
        }
    }

    /// Prints a line, which may hold text from outside.
    pub fn line(&mut self, line: &Untrusted) {
        let line = match self.result_reader {
            Reader::Person => line.line(),
            Reader::Program => line.raw().into(),
        };
        let line = self.shown(line);
        self.bytes(line.as_bytes());
        self.bytes(b"\n");
    }

    /// Prints a value as one line of JSON.
    pub fn json(&mut self, value: &impl Serialize) {
        match serde_json::to_string(value) {
            // JSON has no control characters but may have characters that reorder text.
            Ok(json) => self.line(&json.into()),
            Err(why) => self.closed = Some(why.into()),
        }
    }

    /// Sends what was printed on its way.
    pub fn flush(&mut self) {
        if !self.is_closed() {
            self.closed = self.out.flush().err();
        }
    }

    /// Ends the output of a command with this status. Returns it, or that of a result that could not be written.
    pub fn finish(&mut self, status: Status) -> Status {
        let rest = std::mem::take(&mut self.incomplete);
        self.text(&String::from_utf8_lossy(&rest).into_owned().into());
        self.flush();
        self.clear_progress();
        let Some(why) = self.failure().map(ToString::to_string) else { return status };
        self.notice(format!("the result could not be written: {why}"));
        Status::CutOff
    }

    /// Tells the user something on standard error, one line.
    pub fn notice(&mut self, words: impl Into<Untrusted>) {
        // On a terminal both are in the same place, and the result came first.
        self.flush();
        self.clear_progress();
        let words: Untrusted = words.into();
        // If standard error cannot be written either, nobody can be told.
        let words = advice::for_shell(&words.line());
        let line = self.shown(words.into());
        let _ = writeln!(self.errors, "benchtop: {line}");
    }

    /// Asks for a line where a person types it.
    pub fn prompt(&mut self, words: &str) {
        if self.result_reader == Reader::Person {
            self.bytes(words.as_bytes());
            self.flush();
        }
    }

    /// Tells the user that a request is sent again, and why.
    pub fn retrying(&mut self, why: &Failure) {
        let sentence = why.sentence.line();
        let (found, _) = advice::split(&sentence);
        let found = found.trim_end_matches("; wait a moment and try again").trim_end_matches("; try again");
        let separator = if found.ends_with('?') { " Trying" } else { "; trying" };
        self.notice(format!("{found}{separator} again"));
    }

    /// Shows how far the command is, on a terminal: the line replaces the one before.
    pub fn progress(&mut self, words: impl Into<Untrusted>) {
        if self.errors_reader == Reader::Person {
            // Both may be on one terminal: the result comes first.
            self.flush();
            let words: Untrusted = words.into();
            let words = cut(&words.line(), self.progress_width());
            self.progress.get_or_insert_with(progress_line::new).set_message(words);
        }
    }

    /// Returns how many columns a line of progress has.
    pub fn progress_width(&self) -> usize {
        progress_line::width().clamp(20, 118)
    }

    /// Removes the line of progress.
    pub fn clear_progress(&mut self) {
        if let Some(line) = self.progress.take() {
            line.finish_and_clear();
        }
    }

    /// Returns a text as it is printed.
    fn shown<'t>(&self, text: Cow<'t, str>) -> Cow<'t, str> {
        if self.ascii { ascii::text(&text).into() } else { text }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        if self.result_reader == Reader::Person {
            self.clear_progress();
        }
        if !self.is_closed() {
            self.closed = self.out.write_all(bytes).err();
        }
    }
}

/// Returns the columns of a terminal of this size; a usual number where it is not known or 0, as a terminal may say.
pub(super) fn columns_of(size: io::Result<(u16, u16)>) -> usize {
    size.ok().map(|(columns, _)| usize::from(columns)).filter(|columns| *columns > 0).unwrap_or(80)
}

/// Returns the length of bytes without a character at their end that goes on behind it.
fn whole_characters(bytes: &[u8]) -> usize {
    let last = bytes.utf8_chunks().last().map_or(&[][..], |chunk| chunk.invalid());
    let goes_on = std::str::from_utf8(last).is_err_and(|why| why.error_len().is_none());
    if goes_on { bytes.len() - last.len() } else { bytes.len() }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn printed(reader: Reader, pieces: &[&str]) -> String {
        let (out, errors) = (Shared::default(), Shared::default());
        let mut output = Output::new(Box::new(out.clone()), Box::new(errors), (reader, Reader::Program));
        for piece in pieces {
            output.text(&(*piece).into());
        }
        output.flush();
        String::from_utf8(out.0.lock().unwrap().clone()).unwrap()
    }

    #[test]
    fn a_program_gets_every_byte_and_a_terminal_no_control_character() {
        let pieces = ["a\u{1b}[31mred\r", "\nb\u{202e}c", "\r", "d"];
        assert_eq!(printed(Reader::Program, &pieces), pieces.concat());
        let shown = printed(Reader::Person, &pieces);
        assert!(!shown.contains(['\u{1b}', '\u{202e}', '\r']), "{shown:?}");
        assert!(shown.contains("red\nb"), "a line end in two pieces is one: {shown:?}");
    }

    #[test]
    fn a_terminal_that_does_not_say_its_width_has_a_usual_one() {
        assert_eq!([Ok((0, 0)), Ok((7, 3)), Err(io::Error::other("no"))].map(columns_of), [80, 7, 80]);
    }

    #[test]
    fn a_character_in_two_pieces_of_a_file_is_one() {
        let shown = |pieces: &[&[u8]]| {
            let (out, errors) = (Shared::default(), Shared::default());
            let mut output = Output::new(Box::new(out.clone()), Box::new(errors), (Reader::Person, Reader::Program));
            for piece in pieces {
                output.content(piece);
            }
            output.finish(Status::Done);
            String::from_utf8(out.0.lock().unwrap().clone()).unwrap()
        };
        let whole = "aü日b".as_bytes();
        for at in 0..whole.len() {
            assert_eq!(shown(&[&whole[..at], &whole[at..]]), "aü日b");
        }
        assert_eq!(shown(&[b"a\xff", b"b\xe6\x97", b"c", b"\xe6"]), "a\u{fffd}b\u{fffd}c\u{fffd}");
    }
}
