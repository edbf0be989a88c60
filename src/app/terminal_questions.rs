//! Questions to a terminal that the workbench does not have: which keys it reports, how wide it draws characters that
//! terminals disagree about. All of it takes a second at most, and leaves nothing on the screen.

use unicode_width::UnicodeWidthStr as _;

/// Characters that terminals draw with different widths, with what they are.
pub const SAMPLES: [(&str, &str); 8] = [
    ("e\u{301}", "a letter with an accent of its own"),
    ("日", "a Han character"),
    ("…", "an ellipsis"),
    ("─", "a line"),
    ("👩", "an emoji"),
    ("👩\u{200d}👩\u{200d}👧", "a family"),
    ("🇩🇪", "a flag"),
    ("❤\u{fe0f}", "a heart"),
];

/// What a terminal answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TerminalAnswers {
    /// Whether it reports Shift+Enter and the like (kitty protocol).
    pub reports_keys: bool,
    /// Whether it reports the mouse in the form that the workbench reads; `None`: it does not say.
    pub reports_mouse: Option<bool>,
    /// The columns of each sample, in order; `None`: it does not say where its cursor is.
    pub widths: Option<Vec<usize>>,
}

impl TerminalAnswers {
    /// Returns what is drawn with another width than expected: what it is, the columns expected and drawn.
    pub fn odd_widths(&self) -> Vec<(&'static str, usize, usize)> {
        let drawn = self.widths.iter().flatten();
        let all = SAMPLES.iter().zip(drawn).map(|((sample, what), drawn)| (*what, sample.width(), *drawn));
        all.filter(|(_, expected, drawn)| expected != drawn).collect()
    }
}

/// Why a terminal has no answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unanswered {
    /// Standard input or output is no terminal.
    NoTerminal,
    /// It may show questions as text.
    Dumb,
    /// Keys were typed already, which would be lost.
    Typed,
    /// It did not answer in time.
    Silent,
}

/// Asks the terminal of this process; `term` is the value of `TERM`.
///
/// # Errors
/// There is no answer; why.
#[cfg(unix)]
pub fn ask(term: Option<&str>) -> Result<TerminalAnswers, Unanswered> {
    use std::io::IsTerminal as _;
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        return Err(Unanswered::NoTerminal);
    }
    if term.is_none_or(|term| term == "dumb") {
        return Err(Unanswered::Dumb);
    }
    let mut raw = unix::RawTerminal::begin().map_err(|_| Unanswered::NoTerminal)?;
    if unix::is_readable(std::time::Duration::ZERO) {
        return Err(Unanswered::Typed);
    }
    raw.has_asked = true;
    let answers = answers();
    unix::write("\r\x1b[K");
    answers
}

/// Asks everything. Leaves samples in the line.
#[cfg(unix)]
fn answers() -> Result<TerminalAnswers, Unanswered> {
    // The last question has an answer everywhere, so nobody waits for one to the others.
    let answer =
        unix::ask("\x1b[?u\x1b[?1006$p\x1b[c", |answer| is_complete(answer, 'c', 1)).ok_or(Unanswered::Silent)?;
    let (reports_keys, reports_mouse) = (answer.contains('u'), knows_mouse(&answer));
    let drawn: Vec<String> = SAMPLES.iter().map(|(sample, _)| format!("\r{sample}\x1b[6n")).collect();
    let answer = unix::ask(&drawn.concat(), |answer| is_complete(answer, 'R', SAMPLES.len()));
    Ok(TerminalAnswers { reports_keys, reports_mouse, widths: answer.and_then(|answer| columns(&answer)) })
}

/// Returns `NoTerminal`: terminals of this system are not asked.
#[cfg(not(unix))]
pub fn ask(_term: Option<&str>) -> Result<TerminalAnswers, Unanswered> {
    Err(Unanswered::NoTerminal)
}

/// Returns whether an answer has this many parts that end so.
#[cfg(any(unix, test))]
fn is_complete(answer: &str, end: char, parts: usize) -> bool {
    answer.matches(end).count() >= parts
}

/// Reads whether a terminal knows the mode 1006 (`ESC [ ? 1006 ; state $ y`, where 0 is unknown and 4 always off);
/// `None`: it does not say.
#[cfg(any(unix, test))]
fn knows_mouse(answer: &str) -> Option<bool> {
    let state = answer.split_once("\u{1b}[?1006;")?.1.chars().next()?;
    Some(!matches!(state, '0' | '4'))
}

/// Reads the places of the cursor (`ESC [ row ; column R`), from the column after the sample; `None`: it is no such
/// answer.
#[cfg(any(unix, test))]
fn columns(answer: &str) -> Option<Vec<usize>> {
    let place = |part: &str| part.rsplit_once(';')?.1.parse::<usize>().ok()?.checked_sub(1);
    let columns: Option<Vec<usize>> = answer.split_terminator('R').map(place).collect();
    columns.filter(|columns| columns.len() == SAMPLES.len())
}

#[cfg(unix)]
mod unix {
    use std::io::{self, Write as _};
    use std::time::{Duration, Instant};

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::process::getpgrp;
    use rustix::stdio::stdin;
    use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetpgrp, tcsetattr};

    /// Time for one answer: a connection around the world takes less.
    const LIMIT: Duration = Duration::from_millis(500);
    /// Bytes of an answer at most.
    const LONGEST: usize = 1_000;

    /// The terminal, which neither shows nor interprets what it sends meanwhile.
    pub(super) struct RawTerminal {
        before: Termios,
        /// Whether it was asked: answers that come too late must not reach the shell.
        pub(super) has_asked: bool,
    }

    impl RawTerminal {
        pub(super) fn begin() -> io::Result<Self> {
            // A job in the background would be stopped.
            if tcgetpgrp(stdin())? != getpgrp() {
                return Err(io::Error::other("the terminal is another program's at the moment"));
            }
            let before = tcgetattr(stdin())?;
            let mut raw = before.clone();
            raw.make_raw();
            tcsetattr(stdin(), OptionalActions::Now, &raw)?;
            Ok(Self { before, has_asked: false })
        }
    }

    /// Sends a question, and returns the answer once it is complete; `None`: it does not come.
    pub(super) fn ask(question: &str, is_complete: impl Fn(&str) -> bool) -> Option<String> {
        write(question);
        let (end, mut answer) = (Instant::now() + LIMIT, String::new());
        while !is_complete(&answer) {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() || !is_readable(left) {
                return None;
            }
            let mut bytes = [0; 256];
            let count = rustix::io::read(stdin(), &mut bytes).ok().filter(|count| *count > 0)?;
            answer.push_str(&String::from_utf8_lossy(&bytes[..count]));
            if answer.len() > LONGEST {
                return None;
            }
        }
        Some(answer)
    }

    /// Returns whether there is something to read within this time.
    pub(super) fn is_readable(most: Duration) -> bool {
        let input = stdin();
        let mut fds = [PollFd::new(&input, PollFlags::IN)];
        let most = Timespec { tv_sec: most.as_secs() as i64, tv_nsec: most.subsec_nanos().into() };
        poll(&mut fds, Some(&most)).is_ok() && fds[0].revents().contains(PollFlags::IN)
    }

    pub(super) fn write(bytes: &str) {
        let mut out = io::stdout().lock();
        // A terminal that cannot be written does not answer.
        let _ = out.write_all(bytes.as_bytes()).and_then(|()| out.flush());
    }

    impl Drop for RawTerminal {
        fn drop(&mut self) {
            let when = if self.has_asked { OptionalActions::Flush } else { OptionalActions::Now };
            let _ = tcsetattr(stdin(), when, &self.before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_read_from_the_places_of_the_cursor() {
        let answer: Vec<String> =
            SAMPLES.iter().map(|(sample, _)| format!("\u{1b}[12;{}R", sample.width() + 1)).collect();
        let answer = answer.concat();
        let widths = columns(&answer);
        assert!(is_complete(&answer, 'R', SAMPLES.len()) && !is_complete(&answer, 'R', SAMPLES.len() + 1));
        assert_eq!(widths.as_ref().map(Vec::len), Some(SAMPLES.len()));
        let mut answers = TerminalAnswers { reports_keys: false, reports_mouse: None, widths };
        assert_eq!(answers.odd_widths(), []);
        if let Some(widths) = &mut answers.widths {
            widths[5] = 6;
        }
        assert_eq!(answers.odd_widths(), [("a family", 2, 6)]);
        assert_eq!((columns("\u{1b}[1;2R"), columns("garbage")), (None, None));
    }

    #[test]
    fn the_state_of_a_mode_tells_whether_the_mouse_is_known() {
        let answer = |state| format!("\u{1b}[?0u\u{1b}[?1006;{state}$y\u{1b}[?62;c");
        assert_eq!([0, 1, 2, 4].map(|state| knows_mouse(&answer(state))), [false, true, true, false].map(Some));
        assert_eq!(knows_mouse("\u{1b}[?62;c"), None);
    }
}
