//! Notifications that the desktop shows while another window has the focus. Terminals cannot be asked whether they show
//! any, so the environment decides which sequence is sent; the bell is sent in any case.

use super::environment::Multiplexer;
use crate::settings::Notify;

/// Ends a sequence.
const ST: &str = "\x1b\\";
const BELL: &str = "\x07";

/// The sequence by which a terminal shows a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sequence {
    /// Of iTerm2: a text.
    Osc9,
    /// Of urxvt: a title and a text.
    Osc777,
    /// Of kitty, which shows it only while the window is not in use.
    Osc99,
}

/// How a task that ended is told of outside the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DesktopNotifications {
    notify: Notify,
    sequence: Option<Sequence>,
}

impl DesktopNotifications {
    /// Creates them for the terminal that the environment names. A multiplexer passes no sequence on, but the bell.
    pub fn detect(notify: Notify, var: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| var(name).filter(|value| !value.is_empty());
        let (term, program) = (set("TERM").unwrap_or_default(), set("TERM_PROGRAM").unwrap_or_default());
        let sequence = match (term.as_str(), program.as_str()) {
            _ if Multiplexer::detect(&var).is_some() => None,
            ("xterm-kitty", _) => Some(Sequence::Osc99),
            (_, "iTerm.app" | "WezTerm" | "ghostty") | ("xterm-ghostty" | "wezterm", _) => Some(Sequence::Osc9),
            (term, _) if term.starts_with("foot") || term.starts_with("rxvt-unicode") => Some(Sequence::Osc777),
            _ if set("WT_SESSION").is_some() => Some(Sequence::Osc777),
            _ => None,
        };
        Self { notify, sequence }
    }

    /// Returns what is sent to the terminal to show these words, which are the program's own; `None`: nothing.
    pub fn bytes(&self, words: &str) -> Option<String> {
        let shown = match self.sequence.filter(|_| self.notify == Notify::On) {
            // A text that begins with a digit would be a command to some terminals.
            Some(Sequence::Osc9) => format!("\x1b]9;benchtop: {words}{ST}"),
            Some(Sequence::Osc777) => format!("\x1b]777;notify;benchtop;{words}{ST}"),
            Some(Sequence::Osc99) => format!("\x1b]99;o=unfocused;benchtop: {words}{ST}"),
            None => String::new(),
        };
        (self.notify != Notify::Off).then(|| shown + BELL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(notify: Notify, vars: &[(&str, &str)]) -> Option<String> {
        let var = |name: &str| vars.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        DesktopNotifications::detect(notify, var).bytes("1 answer ended")
    }

    #[test]
    fn each_terminal_gets_the_sequence_that_it_knows_and_the_bell() {
        for (vars, expected) in [
            (&[("TERM", "xterm-kitty")][..], "\x1b]99;o=unfocused;benchtop: 1 answer ended\x1b\\\x07"),
            (&[("TERM_PROGRAM", "iTerm.app")], "\x1b]9;benchtop: 1 answer ended\x1b\\\x07"),
            (&[("TERM", "xterm-256color"), ("WT_SESSION", "x")], "\x1b]777;notify;benchtop;1 answer ended\x1b\\\x07"),
            (&[("TERM", "foot")], "\x1b]777;notify;benchtop;1 answer ended\x1b\\\x07"),
            (&[("TERM", "xterm-256color")], "\x07"),
            (&[("TERM", "xterm-kitty"), ("TMUX", "/tmp/tmux")], "\x07"),
            (&[], "\x07"),
        ] {
            assert_eq!(sent(Notify::On, vars).as_deref(), Some(expected), "{vars:?}");
            assert_eq!(sent(Notify::Bell, vars).as_deref(), Some("\x07"), "{vars:?}");
            assert_eq!(sent(Notify::Off, vars), None, "{vars:?}");
        }
    }
}
