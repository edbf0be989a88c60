//! What `benchtop doctor` finds without a server: the terminal, the editor and the pager, the files of settings, the store.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::Output;
use super::config::Faults;
use crate::app::environment::{self, Multiplexer};
use crate::app::terminal_questions::{self, TerminalAnswers, Unanswered};
use crate::app::{editor, graphics, hyperlinks, pager};
use crate::component::session::Hyperlinks;
use crate::settings::Paths;
use crate::store::{Health, Inspection, inspect};
use crate::ui::graphics::Protocol;
use crate::ui::meter::bytes as bytes_in_words;
use crate::ui::theme::Terminal;

/// Free bytes below which the disk is reported: a few daily backups of a usual store.
const LITTLE: u64 = 200 << 20;

/// How a check ended; the worst is the greatest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// Nothing to do.
    Ok,
    /// It works, with a remark.
    Warn,
    /// It does not work.
    Fail,
}

impl Mark {
    /// Returns the word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }

    fn sign(self) -> char {
        match self {
            Self::Ok => '✓',
            Self::Warn => '!',
            Self::Fail => '✕',
        }
    }
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// `terminal`, `program`, `config`, `store`, `profile` or `local service`.
    area: &'static str,
    /// What of it was checked.
    name: String,
    status: Mark,
    /// A sentence.
    message: String,
    /// What to do; none: nothing.
    advice: Option<String>,
}

impl Finding {
    fn new(area: &'static str, name: &str, status: Mark, message: &str) -> Self {
        Self { area, name: name.to_owned(), status, message: message.to_owned(), advice: None }
    }

    /// Creates a finding without a fault.
    pub fn ok(area: &'static str, name: &str, message: &str) -> Self {
        Self::new(area, name, Mark::Ok, message)
    }

    /// Creates a finding with a remark.
    pub fn warn(area: &'static str, name: &str, message: &str) -> Self {
        Self::new(area, name, Mark::Warn, message)
    }

    /// Creates a finding of something that does not work.
    pub fn fail(area: &'static str, name: &str, message: &str) -> Self {
        Self::new(area, name, Mark::Fail, message)
    }

    /// Adds what to do.
    pub fn advice(self, advice: &str) -> Self {
        Self { advice: Some(advice.to_owned()), ..self }
    }

    /// Returns its mark.
    pub fn mark(&self) -> Mark {
        self.status
    }

    /// Returns whether something does not work.
    pub fn has_failed(&self) -> bool {
        self.status == Mark::Fail
    }

    /// Prints it for people: a line, and one with what to do, unless `next`, which follows, says the same.
    pub(super) fn print(&self, next: Option<&Self>, out: &mut Output) {
        let Self { area, name, status, message, advice } = self;
        let what =
            if name == area || (*area == "local service") { (*area).to_owned() } else { format!("{area} {name}") };
        out.line(&format!("{} {what}: {message}", status.sign()).into());
        let is_repeated = next.is_some_and(|next| next.advice == *advice);
        if let Some(advice) = advice.as_ref().filter(|_| !is_repeated) {
            out.line(&format!("    → {advice}").into());
        }
    }
}

/// Checks the terminal, as far as the environment and the terminal itself tell.
pub fn terminal(env: impl Fn(&str) -> Option<String> + Copy) -> Vec<Finding> {
    let set = |name: &str| env(name).filter(|value| !value.is_empty());
    let term = set("TERM");
    let mut findings = vec![match term.as_deref() {
        None => Finding::warn("terminal", "TERM", "TERM is not set")
            .advice("start benchtop in a terminal; the commands and `benchtop --plain` need none"),
        Some("dumb") => Finding::warn("terminal", "TERM", "TERM is dumb: text cannot be placed")
            .advice("`benchtop --plain` works in it, line by line, and so do the commands"),
        Some(term) => Finding::ok("terminal", "TERM", term),
    }];
    findings.push(colours(env));
    if let Some(name) = Multiplexer::detect(env).map(Multiplexer::name) {
        let words = format!("inside {name}, which passes on neither pictures nor all keys");
        let found = Finding::ok("terminal", "multiplexer", &words);
        findings.push(if name == "tmux" {
            found.advice("for copying: set -g set-clipboard on in ~/.tmux.conf")
        } else {
            found
        });
    }
    findings.push(match hyperlinks::detect(env) {
        Hyperlinks::On => Finding::ok("terminal", "links", "it opens links"),
        Hyperlinks::Off => Finding::ok("terminal", "links", "it is not known to open links: addresses are shown")
            .advice("set FORCE_HYPERLINK=1 if it does"),
    });
    findings.push(match graphics::detect(env).protocol {
        Protocol::None => Finding::ok("terminal", "pictures", "it is not known to show pictures: names are shown"),
        Protocol::HalfBlocks => Finding::ok("terminal", "pictures", "pictures are shown as characters"),
        Protocol::Kitty => Finding::ok("terminal", "pictures", "pictures are shown by kitty's protocol"),
        Protocol::Iterm2 => Finding::ok("terminal", "pictures", "pictures are shown by iTerm2's protocol"),
        Protocol::Sixel => Finding::ok("terminal", "pictures", "pictures are shown as sixels"),
    });
    findings.push(clipboard(set));
    match terminal_questions::ask(term.as_deref()) {
        Ok(answers) => findings.extend(answered(&answers)),
        Err(why) => findings.push(unanswered(why)),
    }
    findings
}

fn colours(env: impl Fn(&str) -> Option<String>) -> Finding {
    let colours = Terminal::from_env(env);
    let ok = |words| Finding::ok("terminal", "colours", words);
    match colours {
        Terminal { no_colour: true, .. } => ok("none, as NO_COLOR is set"),
        Terminal { true_colour: true, .. } => ok("16 million colours"),
        Terminal { indexed: true, .. } => {
            ok("256 colours").advice("set COLORTERM=truecolor if the terminal has 16 million")
        }
        Terminal { .. } => Finding::warn("terminal", "colours", "16 colours: panes are told apart by lines")
            .advice("set TERM to one with 256 colours, such as xterm-256color, if the terminal has them"),
    }
}

fn clipboard(set: impl Fn(&str) -> Option<String>) -> Finding {
    let is_remote = environment::is_remote(&set);
    let has_screen = ["WAYLAND_DISPLAY", "DISPLAY"].iter().any(|name| set(name).is_some()) || cfg!(target_os = "macos");
    let words = if is_remote || !has_screen {
        "copies go through the terminal (OSC 52), which has to allow it"
    } else {
        "copies go to the system's clipboard by wl-copy, xclip, xsel or pbcopy, else through the terminal (OSC 52)"
    };
    Finding::ok("terminal", "clipboard", words)
}

fn answered(answers: &TerminalAnswers) -> [Finding; 3] {
    let keys = if answers.reports_keys {
        Finding::ok("terminal", "keyboard", "it reports Shift+Enter (kitty protocol)")
    } else {
        Finding::ok("terminal", "keyboard", "it does not report Shift+Enter: Ctrl+J is a newline")
    };
    let mouse = match answers.reports_mouse {
        Some(true) => {
            Finding::ok("terminal", "mouse", "it reports clicks and dragging; F2 in the workbench turns that off")
        }
        Some(false) => Finding::warn("terminal", "mouse", "it does not report the mouse: all is done with keys"),
        None => Finding::ok("terminal", "mouse", "it does not say whether it reports the mouse; nothing needs one"),
    };
    let odd = answers.odd_widths();
    let widths = if answers.widths.is_none() {
        Finding::warn("terminal", "widths", "it does not say where its cursor is: widths were not measured")
    } else if odd.is_empty() {
        Finding::ok("terminal", "widths", "difficult characters are as wide as expected")
    } else {
        let words: Vec<String> = odd
            .iter()
            .map(|(what, expected, drawn)| format!("{what} is drawn in {drawn}, not {expected} columns"))
            .collect();
        Finding::warn("terminal", "widths", &words.join("; "))
            .advice("benchtop writes rows with such characters whole; another font or terminal may draw them better")
    };
    [keys, mouse, widths]
}

fn unanswered(why: Unanswered) -> Finding {
    match why {
        Unanswered::NoTerminal => {
            Finding::ok("terminal", "keyboard", "not asked, as standard input or output is no terminal")
        }
        Unanswered::Dumb => {
            Finding::ok("terminal", "keyboard", "not asked, as the terminal may show questions as text")
        }
        Unanswered::Typed => Finding::ok("terminal", "keyboard", "not asked, as keys were typed meanwhile"),
        Unanswered::Silent => Finding::warn("terminal", "keyboard", "the terminal does not answer questions")
            .advice("name a theme with --theme or in config.toml: its background cannot be found out"),
    }
}

/// Checks whether the programs are there that the workbench starts. None of them runs.
pub fn programs(env: impl Fn(&str) -> Option<String> + Copy) -> [Finding; 2] {
    // Without the variable the system looks there.
    let path = env("PATH").unwrap_or_else(|| "/bin:/usr/bin".to_owned());
    let editor = editor::program(env).map(|(program, _)| vec![program]);
    let pagers = pager::programs(env).map(|all| all.into_iter().map(|(program, _)| program).collect());
    [
        program("editor", editor, &path, "set VISUAL or EDITOR to an installed program"),
        program("pager", pagers, &path, "set PAGER to an installed program"),
    ]
}

/// Returns which of the programs to try is there.
fn program(name: &str, wanted: Result<Vec<OsString>, String>, path: &str, advice: &str) -> Finding {
    let wanted = match wanted {
        Ok(wanted) => wanted,
        Err(why) => return Finding::warn("program", name, &why),
    };
    match wanted.iter().find(|program| is_there(program, path)) {
        Some(program) => Finding::ok("program", name, &program.to_string_lossy()),
        None => {
            let names: Vec<_> = wanted.iter().map(|program| program.to_string_lossy()).collect();
            Finding::warn("program", name, &format!("not found: {}", names.join(", "))).advice(advice)
        }
    }
}

/// Returns whether a program is in a folder of `path`, or where its own path says.
fn is_there(program: &OsStr, path: &str) -> bool {
    let mut with_ending = program.to_owned();
    with_ending.push(std::env::consts::EXE_SUFFIX);
    // A program that is named with its folder is looked for there alone.
    let is_path = Path::new(program).components().count() > 1;
    let folders: Vec<PathBuf> = if is_path { vec![PathBuf::new()] } else { std::env::split_paths(path).collect() };
    folders.iter().any(|folder| is_program(&folder.join(program)) || is_program(&folder.join(&with_ending)))
}

/// Returns whether a file can be run.
#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

/// Returns whether there is a file: its name says whether it can be run.
#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// Checks the files of settings. Colours that are too faint are used all the same.
pub fn config(paths: &Paths, found: &Faults) -> Vec<Finding> {
    let fault =
        |fault: &String| Finding::fail("config", "config", fault).advice("correct it, then: benchtop config check");
    let mut findings: Vec<Finding> = found.faults.iter().map(fault).collect();
    if findings.is_empty() {
        let path = paths.config.display();
        findings.push(if paths.config.exists() {
            Finding::ok("config", "config", &format!("{path} has no faults"))
        } else {
            Finding::ok("config", "config", &format!("there is no {path}: defaults are used"))
                .advice("benchtop config init writes one with every setting in comments")
        });
    }
    for (file, faint) in &found.faint {
        let words = match faint.len() {
            1 => "a colour is too faint".to_owned(),
            count => format!("{count} colours are too faint"),
        };
        findings.push(Finding::warn("config", file, &words).advice("benchtop config check lists them"));
    }
    findings
}

/// Checks the store's file and its disk.
pub fn store(paths: &Paths) -> Vec<Finding> {
    let path = paths.store();
    let Inspection { bytes, free, is_remote, health } = inspect(&path);
    let shown = path.display();
    let size = bytes_in_words(bytes);
    let mut findings = vec![match health {
        Health::Missing => Finding::ok("store", "store", &format!("{shown} is created when something is stored")),
        Health::Sound => Finding::ok("store", "store", &format!("{shown} is sound, {size}")),
        Health::Damaged(why) => Finding::fail("store", "store", &format!("{shown}: {why}"))
            .advice("quit all copies of benchtop and start it: it keeps the damaged file and copies what can be read"),
        Health::Unusable(why) => Finding::fail("store", "store", &format!("{shown}: {why}")),
    }];
    if is_remote {
        findings.push(
            Finding::warn("store", "place", "it is on a network file system: slower, and without daily backups")
                .advice("use a data directory on a local disk (--data-dir)"),
        );
    }
    if !may_write(&paths.data) {
        let words = format!("{} cannot be written: nothing is kept", paths.data.display());
        findings.push(Finding::fail("store", "folder", &words).advice("check its permissions and owner"));
    } else if !may_write(&path) {
        let words = format!("{shown} cannot be written: nothing is kept");
        findings.push(Finding::fail("store", "file", &words).advice("check its permissions and owner"));
    }
    if let Some(free) = free {
        let words = format!("{} are free on its disk", bytes_in_words(free));
        findings.push(if free < LITTLE {
            Finding::warn("store", "space", &words).advice("free some space: records that do not fit wait in memory")
        } else {
            Finding::ok("store", "space", &words)
        });
    }
    findings
}

/// Returns whether a folder or file, or where there is none yet the folder to create it in, can be written.
#[cfg(unix)]
fn may_write(path: &Path) -> bool {
    let path = path.ancestors().find(|path| path.exists());
    path.is_none_or(|path| rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok())
}

/// Returns true: it is not known on this system before something is written.
#[cfg(not(unix))]
fn may_write(_path: &Path) -> bool {
    true
}
