//! `benchtop man`: the man pages.

use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_mangen::Man;

use super::{Output, Status};

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
    Man::new(command.clone()).render(&mut page)?;
    let page = String::from_utf8_lossy(&page);
    Ok(match page.split_once(".SH EXTRA\n") {
        None => page.into_owned(),
        Some((before, after)) => {
            let (lines, rest) = after.split_once(".SH ").unwrap_or((after, ""));
            let rest = if rest.is_empty() { String::new() } else { format!(".SH {rest}") };
            format!("{before}.SH NOTES\n.nf\n{lines}.fi\n{rest}")
        }
    })
}
