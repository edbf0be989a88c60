//! The program: parse the command line, start the local service when needed, run the app, give the terminal back.

use std::process::ExitCode;

use benchtop::cli::{Cli, Command};
use clap::Parser as _;

mod wire;

fn main() -> ExitCode {
    harden();
    let cli = Cli::parse();
    let ended = match cli.command {
        Some(Command::Serve(args)) => benchtop::service::serve::run(args, &wire::data_dir(&cli.flags)).map(|()| 0),
        Some(Command::Selfcheck { what }) => wire::workbench(&cli.flags, Some(what)),
        None => wire::workbench(&cli.flags, None),
    };
    match ended {
        Ok(status) => ExitCode::from(status),
        Err(why) => {
            // Text from outside may be in it; a terminal reads it.
            use std::io::Write as _;
            let said = format!("benchtop: {why:#}");
            let _ = writeln!(std::io::stderr(), "{}", benchtop::text::Untrusted::new(said).line());
            ExitCode::FAILURE
        }
    }
}

/// No core dump and no debugger's eye on a process that holds a key.
#[cfg(unix)]
fn harden() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
}

#[cfg(not(unix))]
fn harden() {}
