//! The program: parses the command line, starts the local service when needed, runs the app, restores the terminal.

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

use benchtop::cli::{Cli, Command};
use benchtop::commands::chat::Chat;
use benchtop::commands::complete::Complete;
use benchtop::commands::embed::embed;
use benchtop::commands::export::Export;
use benchtop::commands::models::Models;
use benchtop::commands::moderate::moderate;
use benchtop::commands::{Status, completions, man};
use benchtop::text::Untrusted;
use clap::{CommandFactory as _, Parser as _};

mod wire;

fn main() -> ExitCode {
    if let Some(status) = benchtop::process::become_launched(std::env::args_os()) {
        return ExitCode::from(status);
    }
    benchtop::process::launch_through_this_program();
    harden();
    outlive_size_limit();
    let cli = parse();
    let ended = match cli.command {
        Some(Command::Serve(args)) => wire::serve(&cli.flags, args),
        Some(Command::Chat(args)) => {
            let saves = args.saves();
            wire::run_command(&cli.flags, saves, || Chat::new(args))
        }
        Some(Command::Complete(args)) => {
            let saves = args.saves();
            wire::run_command(&cli.flags, saves, || Complete::new(args))
        }
        Some(Command::Moderate(args)) => {
            wire::run_command(&cli.flags, args.saves(), || moderate(&args, cli.flags.model.as_deref()))
        }
        Some(Command::Embed(args)) => {
            wire::run_command(&cli.flags, args.saves(), || embed(&args, cli.flags.model.as_deref()))
        }
        Some(Command::Files(args)) => wire::run_command(&cli.flags, true, || args.task()),
        Some(Command::Tune(args)) => wire::run_command(&cli.flags, true, || args.task(cli.flags.model.as_deref())),
        Some(Command::Models(args)) => wire::run_command(&cli.flags, true, || Ok(Models::new(args))),
        Some(Command::Export(args)) => wire::run_command(&cli.flags, true, || Export::new(args)),
        Some(Command::Doctor(args)) => wire::run_doctor(&cli.flags, args),
        Some(Command::Profiles(args)) => wire::print_profiles(&cli.flags, args),
        Some(Command::Config(args)) => wire::run_config(&cli.flags, args),
        Some(Command::Completions(args)) => Ok(wire::print(|out| completions::run(args, out))),
        Some(Command::CompleteWords(args)) => Ok(wire::print_words(args)),
        Some(Command::Man(args)) => Ok(wire::print(|out| man::run(&args, Cli::command(), out))),
        Some(Command::Selfcheck { what }) => wire::workbench(&cli.flags, Some(what)),
        None if cli.flags.plain || wire::is_accessible() => wire::run_plain(&cli.flags),
        None => wire::workbench(&cli.flags, None),
    };
    match ended {
        Ok(status) => ExitCode::from(status),
        Err(why) => {
            // It may contain text from outside, and a terminal reads it.
            let said = Untrusted::new(format!("benchtop: {why:#}"));
            let _ = writeln!(std::io::stderr(), "{}", said.line());
            if why.is::<wire::Unsaved>() { ExitCode::FAILURE } else { ExitCode::from(Status::Usage.code()) }
        }
    }
}

/// Reads the command line; a mistake in it ends the program.
fn parse() -> Cli {
    Cli::try_parse().unwrap_or_else(|error| {
        // The message repeats arguments, and a terminal reads it: they are made safe before.
        let safe = std::env::args_os().map(|arg| Untrusted::new(arg.to_string_lossy()).line().into_owned());
        if let Err(error) = Cli::try_parse_from(safe) {
            let printed = error.print().and_then(|()| std::io::stdout().flush());
            // Help and version are the result that was asked for.
            let is_lost = |why: &std::io::Error| !error.use_stderr() && why.kind() != std::io::ErrorKind::BrokenPipe;
            if let Some(why) = printed.err().filter(is_lost) {
                let _ = writeln!(std::io::stderr(), "benchtop: the result could not be written: {why}");
                std::process::exit(Status::CutOff.code().into());
            }
            std::process::exit(error.exit_code());
        }
        // It is only wrong unmodified: bytes that are no text.
        let said = match wrong_bytes(&std::env::args_os().collect::<Vec<_>>()) {
            // It may be a key.
            Some(at) => format!("error: argument {at} is not valid UTF-8\n"),
            None => error.render().to_string(),
        };
        let _ = write!(std::io::stderr(), "{}", Untrusted::new(said).screen());
        std::process::exit(error.exit_code())
    })
}

/// Returns the number of the first argument that is refused as it is, and not as text.
fn wrong_bytes(arguments: &[OsString]) -> Option<usize> {
    let texts: Vec<OsString> =
        arguments.iter().map(|argument| argument.to_string_lossy().into_owned().into()).collect();
    let is_refused = |at: usize| {
        let mut line = texts.clone();
        line[at].clone_from(&arguments[at]);
        Cli::try_parse_from(line).is_err()
    };
    (0..arguments.len()).filter(|at| arguments[*at] != texts[*at]).find(|at| is_refused(*at))
}

/// Disables core dumps and debuggers, since the process holds keys.
#[cfg(unix)]
fn harden() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
}

#[cfg(not(unix))]
fn harden() {}

/// Makes a write beyond a limit on the size of files fail as on a full disk, instead of ending the process.
#[cfg(unix)]
fn outlive_size_limit() {
    // Only the handler matters; nobody reads the flag.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default());
}

#[cfg(not(unix))]
fn outlive_size_limit() {}
