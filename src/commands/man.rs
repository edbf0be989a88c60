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
/// The sections that follow the exit status.
const LATER: [&str; 2] = [".SH EXTRA\n", ".SH VERSION\n"];

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
    let name = Man::new(command.clone()).get_filename();
    std::fs::write(folder.join(name), page(command)?)?;
    command.get_subcommands().filter(|command| !command.is_hide_set()).try_for_each(|command| write(command, folder))
}

/// Returns the page of a command. The lines below its help stay lines: they are examples.
fn page(command: &Command) -> io::Result<String> {
    let mut page = Vec::new();
    Man::new(command.clone()).date(DATE).manual("benchtop").render(&mut page)?;
    let mut page = String::from_utf8_lossy(&page).into_owned();
    let place = LATER.iter().filter_map(|section| page.find(section)).min().unwrap_or(page.len());
    page.insert_str(place, &exit_status(command));
    Ok(match page.split_once(".SH EXTRA\n") {
        None => page,
        Some((before, after)) => {
            let (lines, rest) = after.split_once(".SH ").unwrap_or((after, ""));
            let rest = if rest.is_empty() { String::new() } else { format!(".SH {rest}") };
            format!("{before}.SH NOTES\n.nf\n{lines}.fi\n{rest}")
        }
    })
}

/// Returns the section on exit statuses. A server has its own: a signal is how it is stopped.
fn exit_status(command: &Command) -> String {
    let mut section = Roff::new();
    section.control("SH", ["EXIT STATUS"]);
    let of_commands = || Status::ALL.map(|status| (status.code(), status.meaning())).to_vec();
    let all = if command.get_name() == "serve" { serve::STATUSES.to_vec() } else { of_commands() };
    for (code, meaning) in all {
        section.control("TP", []).text([bold(code.to_string())]).text([roman(meaning)]);
    }
    section.to_roff()
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
}
