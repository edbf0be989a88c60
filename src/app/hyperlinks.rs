//! Finds out whether the terminal supports hyperlinks (OSC 8). Terminals cannot be asked, so the environment decides.

use super::environment::Multiplexer;
use crate::component::session::Hyperlinks;

/// The first version of tmux that passes links on.
const TMUX: (u32, u32) = (3, 4);
/// The first version of VTE, the base of GNOME Terminal and others, that supports them without defects: 0.50.
const VTE: u32 = 5_000;
/// Values of `TERM_PROGRAM` of terminals that support them.
const PROGRAMS: [&str; 8] = ["iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio", "zed", "contour"];
/// Variables that only such terminals set.
const VARIABLES: [&str; 4] = ["WT_SESSION", "KONSOLE_VERSION", "KITTY_WINDOW_ID", "DOMTERM"];
/// Prefixes of the `TERM` of such terminals.
const NAMES: [&str; 6] = ["xterm-kitty", "xterm-ghostty", "alacritty", "foot", "wezterm", "contour"];

/// Returns whether the environment indicates support for hyperlinks; `FORCE_HYPERLINK` takes precedence: `0` is off.
pub fn detect(var: impl Fn(&str) -> Option<String>) -> Hyperlinks {
    let set = |name: &str| var(name).filter(|value| !value.is_empty());
    let term = set("TERM").unwrap_or_default();
    let on = if let Some(forced) = set("FORCE_HYPERLINK") {
        forced.trim() != "0"
    } else if let Some(multiplexer) = Multiplexer::detect(&var) {
        let program = set("TERM_PROGRAM").filter(|program| multiplexer == Multiplexer::Tmux && program == "tmux");
        program.and_then(|_| tmux_version(&set("TERM_PROGRAM_VERSION")?)).is_some_and(|version| version >= TMUX)
    } else {
        set("VTE_VERSION").and_then(|version| version.parse::<u32>().ok()).is_some_and(|version| version >= VTE)
            || set("TERM_PROGRAM").is_some_and(|program| PROGRAMS.contains(&program.as_str()))
            || VARIABLES.iter().any(|name| set(name).is_some())
            || NAMES.iter().any(|name| term.starts_with(name))
    };
    if on { Hyperlinks::On } else { Hyperlinks::Off }
}

/// Parses the major and minor version of `3.4`, `3.3a`, `next-3.5`.
fn tmux_version(version: &str) -> Option<(u32, u32)> {
    let (major, minor) = version.trim_start_matches("next-").split_once('.')?;
    let minor = minor.split(|c: char| !c.is_ascii_digit()).next()?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(vars: &[(&str, &str)]) -> bool {
        detect(|name| vars.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
            == Hyperlinks::On
    }

    #[test]
    fn terminals_that_open_links_are_told_from_others() {
        for vars in [
            &[("TERM", "xterm-256color"), ("VTE_VERSION", "7600")][..],
            &[("TERM", "xterm-kitty")],
            &[("TERM_PROGRAM", "WezTerm"), ("TERM", "xterm-256color")],
            &[("WT_SESSION", "x")],
            &[("FORCE_HYPERLINK", "1"), ("TERM", "dumb")],
        ] {
            assert!(on(vars), "{vars:?}");
        }
        for vars in [
            &[][..],
            &[("TERM", "xterm-256color")],
            &[("TERM", "linux")],
            &[("VTE_VERSION", "4601")],
            &[("TERM_PROGRAM", "Apple_Terminal")],
            &[("TERM", "screen-256color"), ("VTE_VERSION", "7600")],
            &[("FORCE_HYPERLINK", "0"), ("TERM", "xterm-kitty")],
        ] {
            assert!(!on(vars), "{vars:?}");
        }
    }

    #[test]
    fn in_tmux_its_version_decides() {
        // The terminal in which tmux was started has left its variables behind.
        let tmux = |version| {
            [("TMUX", "/tmp/x"), ("TERM_PROGRAM", "tmux"), ("TERM_PROGRAM_VERSION", version), ("VTE_VERSION", "7600")]
        };
        assert!(["3.4", "3.5a", "next-3.6", "4.0"].iter().all(|version| on(&tmux(version))));
        assert!(!["3.3a", "3.2", "2.9", "master", ""].iter().any(|version| on(&tmux(version))));
        assert!(!on(&[("TMUX", "/tmp/x"), ("VTE_VERSION", "7600")]), "it does not say which one it is");
    }
}
