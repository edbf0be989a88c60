//! What the environment says about what is between benchtop and the user's terminal: a multiplexer, another machine.

/// A program that shows several terminals in one, and passes on only a part of what is sent to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Multiplexer {
    /// tmux
    Tmux,
    /// GNU Screen
    Screen,
}

impl Multiplexer {
    /// Returns the one that the environment names, if any. Over ssh only `TERM` does.
    pub fn detect(var: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let set = |name: &str| var(name).filter(|value| !value.is_empty());
        let term = set("TERM").unwrap_or_default();
        if set("TMUX").is_some() || term.starts_with("tmux") {
            return Some(Self::Tmux);
        }
        (set("STY").is_some() || term.starts_with("screen")).then_some(Self::Screen)
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tmux => "tmux",
            Self::Screen => "screen",
        }
    }
}

/// Returns whether the user may be at another machine: over ssh, and in tmux, which can be left on one machine and
/// continued from another.
pub fn is_remote(var: impl Fn(&str) -> Option<String>) -> bool {
    ["SSH_CONNECTION", "SSH_TTY", "TMUX"].iter().any(|name| var(name).is_some_and(|value| !value.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiplexers_and_remote_sessions_are_told_by_their_variables() {
        let (tmux, screen) = (Some(Multiplexer::Tmux), Some(Multiplexer::Screen));
        for (vars, multiplexer, remote) in [
            (&[("TERM", "xterm-256color"), ("TMUX", ""), ("SSH_TTY", "")][..], None, false),
            (&[("TERM", "screen-256color"), ("TMUX", "/tmp/tmux")], tmux, true),
            (&[("TERM", "tmux-256color"), ("SSH_CONNECTION", "1")], tmux, true),
            (&[("TERM", "xterm"), ("STY", "1.pts")], screen, false),
            (&[("TERM", "screen"), ("SSH_TTY", "/dev/pts/1")], screen, true),
            (&[], None, false),
        ] {
            let var = |name: &str| vars.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
            assert_eq!((Multiplexer::detect(var), is_remote(var)), (multiplexer, remote), "{vars:?}");
        }
    }
}
