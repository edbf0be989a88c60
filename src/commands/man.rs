//! `benchtop man`: the man pages.

use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use super::{Output, Status};
use crate::service::serve;

/// The date of the pages: that of the newest release in the changelog; before the first one that of the pages themselves.
const DATE: &str = "2026-11-28";
/// The section with which a page ends.
const VERSION: &str = ".SH VERSION\n";
/// The sections before which others are put. The first one has the lines below the help, which are notes and examples.
const LATER: [&str; 2] = [".SH EXTRA\n", VERSION];

/// Variables and what they do, as `docs/commands.md` lists them.
const ENVIRONMENT: [(&str, &str); 13] = [
    (
        "OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_ORG_ID",
        "key, server and organization of the profile env, which is used if one of the first two is set",
    ),
    ("the variable that api_key_env names", "holds the key of its profile"),
    ("HTTPS_PROXY, ALL_PROXY, NO_PROXY", "proxies, unless the profile names one"),
    (
        "XDG_CONFIG_HOME, XDG_DATA_HOME, HOME",
        "where the config file and the data directory are without --config and --data-dir",
    ),
    ("VISUAL, EDITOR", "the editor of the workbench, with its arguments; the first one that is set, else vi"),
    ("PAGER", "the pager of the workbench, with its arguments; else less -R, or more where there is no less"),
    ("TERM, COLORTERM", "what the terminal can do: colours, and whether it can be asked"),
    ("TZ", "the time zone of times on a terminal; elsewhere they are in UTC"),
    ("BENCHTOP_ACCESSIBLE", "the workbench runs line by line, as with --plain; 0 or nothing: it does not"),
    (
        "BENCHTOP_ASCII",
        "the workbench, also with --plain, and doctor print symbols as ASCII characters, as with --ascii; 0: they do \
         not, whatever the config file says",
    ),
    (
        "FORCE_HYPERLINK",
        "the workbench writes links that the terminal opens, also where that is not known of the terminal; 0: it \
         writes none",
    ),
    (
        "NO_COLOR",
        "no colours: the workbench has the theme mono, whatever --theme and the config file say; also in help and \
         error messages of the command line",
    ),
    ("PATH", "where editor, pager, and programs that copy to the clipboard are looked for"),
];

/// Files, where they are on Linux, and what they have.
const FILES: [(&str, &str); 6] = [
    ("~/.config/benchtop/config.toml", "settings and profiles; benchtop config init writes a first one"),
    ("~/.config/benchtop/prices.toml", "prices of models"),
    ("~/.config/benchtop/bindings.toml", "key bindings"),
    ("~/.config/benchtop/themes", "a folder with themes of your own"),
    ("~/.config/benchtop/keys.toml", "API keys that were pasted, readable by you alone"),
    (
        "~/.local/share/benchtop",
        "conversations, texts, vectors, costs and logs; files, jobs and keys of the local service",
    ),
];

/// The command line of `benchtop man`.
#[derive(Clone, Debug, Args)]
pub struct ManArgs {
    /// Write a page for each command into this folder instead: benchtop.1, benchtop-chat.1 and so on
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

/// Prints the man page of the program, or writes those of all its commands.
pub fn run(args: &ManArgs, program: Command, out: &mut Output) -> Status {
    let mut program = program.disable_help_subcommand(true);
    program.build();
    let done = match &args.dir {
        None => page(&program).map(|page| out.text(&page.into())).map_err(|why| why.to_string()),
        Some(folder) if folder.is_file() => Err(format!("--dir: {} is a file: name a folder", folder.display())),
        Some(folder) => {
            let written = std::fs::create_dir_all(folder).and_then(|()| write(&program, folder));
            written.map_err(|why| format!("{} cannot be written: {why}", folder.display()))
        }
    };
    match done {
        Ok(()) => Status::Done,
        Err(why) => {
            out.notice(why);
            Status::Usage
        }
    }
}

/// Writes the page of a command and those of the commands in it.
fn write(command: &Command, folder: &Path) -> io::Result<()> {
    std::fs::write(folder.join(format!("{}.1", name(command))), page(command)?)?;
    command.get_subcommands().filter(|command| !command.is_hide_set()).try_for_each(|command| write(command, folder))
}

/// Returns the page of a command.
fn page(command: &Command) -> io::Result<String> {
    // The usage of the help: it has the values of options, and which are required.
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim().to_owned();
    let man = Man::new(command.clone().override_usage(usage))
        .title(name(command).to_uppercase())
        .date(DATE)
        .source(concat!("benchtop ", env!("CARGO_PKG_VERSION")))
        .manual("benchtop");
    let mut page = Vec::new();
    man.render(&mut page)?;
    // Before "Possible values:" stand two line breaks around an empty line.
    let page = String::from_utf8_lossy(&page).replace(".br\n\n.br\n", ".br\n");
    let place = LATER.iter().filter_map(|section| page.find(section)).min().unwrap_or(page.len());
    let version = page.find(VERSION).map_or("", |place| &page[place..]);
    let mut sections = Roff::new();
    add_exit_status(&mut sections, command);
    if !command.get_bin_name().unwrap_or_default().contains(' ') {
        add_environment(&mut sections);
    }
    add_notes(&mut sections, command);
    let others = see_also(command).join(", ");
    sections.control("SH", ["SEE ALSO"]).text([roman(others)]);
    Ok(format!("{}{}{version}", &page[..place], sections.to_roff()))
}

/// Returns the name of a command's page: `benchtop-files-get`.
fn name(command: &Command) -> &str {
    command.get_display_name().unwrap_or_else(|| command.get_name())
}

/// Adds the section on exit statuses. A server has its own: a signal is how it is stopped.
fn add_exit_status(page: &mut Roff, command: &Command) {
    page.control("SH", ["EXIT STATUS"]);
    let of_commands = || Status::ALL.map(|status| (status.code(), status.meaning())).to_vec();
    let all = if command.get_name() == "serve" { serve::STATUSES.to_vec() } else { of_commands() };
    for (code, meaning) in all {
        add_entry(page, &code.to_string(), meaning);
    }
}

/// Adds the sections on variables and files.
fn add_environment(page: &mut Roff) {
    page.control("SH", ["ENVIRONMENT"]);
    for (variable, does) in ENVIRONMENT {
        add_entry(page, variable, does);
    }
    page.control("SH", ["FILES"]);
    for (path, has) in FILES {
        add_entry(page, path, has);
    }
    let others = "Other systems have other places, and variables and flags name some: ";
    page.control("PP", []).text([roman(others), bold("benchtop config path --all"), roman(" prints them.")]);
}

/// Adds what stands below the help of a command: sentences, and examples with what each does.
fn add_notes(page: &mut Roff, command: &Command) {
    let Some(help) = command.get_after_help().map(ToString::to_string) else { return };
    let (notes, examples) = help.split_once("Examples:\n").unwrap_or((help.as_str(), ""));
    page.control("SH", ["NOTES"]);
    for line in notes.lines().filter(|line| !line.is_empty()) {
        page.text([roman(line)]);
    }
    if !examples.is_empty() {
        page.control("SH", ["EXAMPLES"]);
    }
    for line in examples.lines() {
        let (example, does) = line.trim().split_once("  ").unwrap_or((line.trim(), ""));
        add_entry(page, example, does.trim());
    }
}

/// Returns the pages of the commands that a command is in, and of those in it.
fn see_also(command: &Command) -> Vec<String> {
    let words: Vec<&str> = command.get_bin_name().unwrap_or_default().split(' ').collect();
    let above = (1..words.len()).map(|count| words[..count].join("-"));
    let within =
        command.get_subcommands().filter(|command| !command.is_hide_set()).map(|command| name(command).to_owned());
    above.chain(within).map(|name| format!("{name}(1)")).collect()
}

/// Adds an entry of a list: a term, and what is said of it.
fn add_entry(page: &mut Roff, term: &str, words: &str) {
    page.control("TP", []).text([bold(term)]).text([roman(words)]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_have_the_date_of_the_newest_release() {
        let changelog = include_str!("../../CHANGELOG.md");
        let releases = changelog.lines().filter_map(|line| line.strip_prefix("## [")?.split_once("] - "));
        let newest = releases.map(|(_, date)| date).next();
        assert!(newest.is_none_or(|date| date == DATE), "{newest:?}");
    }

    #[test]
    fn variables_and_files_are_those_of_the_documentation() {
        let contract = include_str!("../../docs/commands.md").replace('`', "");
        let (_, section) = contract.split_once("\n## Environment\n").unwrap();
        let rows = section.lines().skip(3).take_while(|line| line.starts_with("| "));
        let rows: Vec<&str> = rows.collect();
        assert_eq!(rows, ENVIRONMENT.map(|(variable, does)| format!("| {variable} | {does} |")));
        let installing = include_str!("../../docs/installing.md").replace('`', "");
        let (_, kept) = installing.split_once("\n## Uninstalling\n").unwrap();
        for (path, _) in FILES {
            let (folder, name) = path.rsplit_once('/').unwrap();
            let is_folder = kept.contains(&format!("| {path}, or "));
            assert!(is_folder || (kept.contains(&format!("| {folder}, or ")) && kept.contains(name)), "{path}");
        }
    }
}
