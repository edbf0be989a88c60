//! Finds out how the terminal shows pictures. It is not asked: a terminal that does not know the question prints it, and
//! the environment names those that can.

use super::environment::Multiplexer;
use crate::ui::graphics::{Graphics, Protocol};
use crate::ui::theme::{Depth, Terminal};

/// Pixels of a character cell where the terminal does not report them.
const CELL: (u16, u16) = (10, 20);

/// Returns how the environment indicates that pictures are shown. A multiplexer passes no protocol on.
pub fn detect(var: impl Fn(&str) -> Option<String>) -> Graphics {
    Graphics { protocol: protocol(var), cell: cell().unwrap_or(CELL) }
}

fn protocol(var: impl Fn(&str) -> Option<String>) -> Protocol {
    let set = |name: &str| var(name).filter(|value| !value.is_empty());
    let (term, program) = (set("TERM").unwrap_or_default(), set("TERM_PROGRAM").unwrap_or_default());
    match (term.as_str(), program.as_str()) {
        _ if Multiplexer::detect(&var).is_some() => {}
        ("xterm-kitty" | "xterm-ghostty", _) | (_, "ghostty") => return Protocol::Kitty,
        (_, "iTerm.app" | "WezTerm" | "mintty") => return Protocol::Iterm2,
        ("mlterm" | "contour", _) => return Protocol::Sixel,
        (term, _) if term.starts_with("foot") => return Protocol::Sixel,
        _ => {}
    }
    // Half a character cell for a pixel needs its exact colour.
    if Terminal::from_env(var).depth() == Depth::True { Protocol::HalfBlocks } else { Protocol::None }
}

/// Returns the size of a character cell in pixels; `None`: the terminal does not report it.
fn cell() -> Option<(u16, u16)> {
    let size = crossterm::terminal::window_size().ok()?;
    let cell = (size.width.checked_div(size.columns)?, size.height.checked_div(size.rows)?);
    (cell.0 > 0 && cell.1 > 0).then_some(cell)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_are_told_by_their_environment() {
        for (vars, expected) in [
            (&[("TERM", "xterm-kitty")][..], Protocol::Kitty),
            (&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "ghostty")], Protocol::Kitty),
            (&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "iTerm.app")], Protocol::Iterm2),
            (&[("TERM", "foot-extra")], Protocol::Sixel),
            (&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")], Protocol::HalfBlocks),
            (&[("TERM", "xterm-kitty"), ("TMUX", "/tmp/tmux"), ("COLORTERM", "24bit")], Protocol::HalfBlocks),
            (&[("TERM", "screen-256color"), ("TERM_PROGRAM", "WezTerm")], Protocol::None),
            (&[("TERM", "xterm-256color")], Protocol::None),
            (&[("COLORTERM", "truecolor"), ("NO_COLOR", "1")], Protocol::None),
            (&[], Protocol::None),
        ] {
            let var = |name: &str| vars.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
            assert_eq!(protocol(var), expected, "{vars:?}");
        }
    }
}
