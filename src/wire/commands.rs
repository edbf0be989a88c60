//! Runs the commands that need no screen.

use std::sync::Arc;

use benchtop::app::session::set_profiles;
use benchtop::app::{log, run};
use benchtop::cli::{Cli, Flags};
use benchtop::commands::completions::{self, CompleteWordsArgs};
use benchtop::commands::config::{self, ConfigArgs};
use benchtop::commands::doctor::{Doctor, DoctorArgs};
use benchtop::commands::profiles::{self, ProfilesArgs};
use benchtop::commands::{self, Output, Plan, Status, Task, doctor_checks};
use benchtop::process;
use clap::CommandFactory as _;
use tokio::runtime;

use super::profiles::{SharedProfiles, env, shown};
use super::{SHUTDOWN, StartPlan, services_config, settings_flags};

/// What a command starts with, unless the settings do not permit it.
struct Prepared {
    plan: Plan,
    runtime: runtime::Runtime,
}

/// Runs a command that `make` creates. Returns the process's exit status. Fails with a sentence if the settings, the
/// command line or the system do not permit it.
pub(crate) fn run_command<T: Task>(
    flags: &Flags,
    saves: bool,
    make: impl FnOnce() -> Result<T, String>,
) -> anyhow::Result<u8> {
    let mut out = Output::standard();
    let plan = match read_settings(flags, &mut out)? {
        Ok(plan) => plan,
        Err(status) => return Ok(status.code()),
    };
    commands::end_at_signals();
    let mut task = match make() {
        Ok(task) => task,
        Err(why) => {
            out.notice(why);
            return Ok(Status::Usage.code());
        }
    };
    let Prepared { plan, runtime } = prepare(plan, saves)?;
    let status = runtime.block_on(commands::run(&mut task, plan, &mut out));
    Ok(end(runtime, status))
}

/// Runs the workbench line by line. Returns the process's exit status. Fails as [`run_command`] does.
pub(crate) fn run_plain(flags: &Flags) -> anyhow::Result<u8> {
    let mut out = Output::standard().in_whole_lines();
    let plan = match read_settings(flags, &mut out)? {
        Ok(plan) => plan,
        Err(status) => return Ok(status.code()),
    };
    if plan.settings.terminal.ascii {
        out.replace_symbols();
    }
    let Prepared { plan, runtime } = prepare(plan, true)?;
    let status = runtime.block_on(commands::plain::run(plan, &mut out));
    Ok(end(runtime, status))
}

/// Runs `benchtop doctor`: what is wrong with the settings is one of its findings. Fails as [`run_command`] does.
pub(crate) fn run_doctor(flags: &Flags, args: DoctorArgs) -> anyhow::Result<u8> {
    let plan = StartPlan::of(flags)?;
    let paths = &plan.settings.paths;
    let mut findings = doctor_checks::terminal(env);
    findings.extend(doctor_checks::programs(env));
    findings.extend(doctor_checks::config(paths, &config::faults(paths, flags.config.is_some())?));
    findings.extend(doctor_checks::store(paths));
    let mut out = Output::standard();
    // JSON says what was found byte for byte.
    if plan.settings.terminal.ascii && !args.json {
        out.replace_symbols();
    }
    let profiles = shown(&plan.settings.profiles, &plan.settings.prices);
    let in_use = plan.settings.profile.clone();
    let Prepared { mut plan, runtime } = prepare(plan, false)?;
    // The user's own store is left as it is: opening it may repair it.
    let folder = tempfile::tempdir()?;
    plan.services.store = folder.path().join("benchtop.db");
    let mut doctor = Doctor::new(args, findings, profiles, in_use, Arc::clone(&plan.services.resolve));
    let status = runtime.block_on(commands::run(&mut doctor, plan, &mut out));
    Ok(end(runtime, status))
}

/// Runs `benchtop profiles`. Fails as [`run_command`] does.
pub(crate) fn print_profiles(flags: &Flags, args: ProfilesArgs) -> anyhow::Result<u8> {
    let mut out = Output::standard();
    let plan = match read_settings(flags, &mut out)? {
        Ok(plan) => plan,
        Err(status) => return Ok(status.code()),
    };
    let all = shown(&plan.settings.profiles, &plan.settings.prices);
    let status = profiles::run(args, &all, &plan.settings.profile, &mut out);
    Ok(out.finish(status).code())
}

/// Runs `benchtop config`. Fails as [`run_command`] does.
pub(crate) fn run_config(flags: &Flags, args: ConfigArgs) -> anyhow::Result<u8> {
    let mut out = Output::standard();
    let status = config::run(args, &settings_flags(flags), env, &mut out)?;
    Ok(out.finish(status).code())
}

/// Prints the words that complete a command line. Returns the process's exit status.
pub(crate) fn print_words(args: CompleteWordsArgs) -> u8 {
    print(|out| completions::print_words(args, Cli::command(), env, out))
}

/// Runs a command that only prints. Returns the process's exit status.
pub(crate) fn print(act: impl FnOnce(&mut Output) -> Status) -> u8 {
    let mut out = Output::standard();
    let status = act(&mut out);
    out.finish(status).code()
}

/// Returns whether the environment asks for lines instead of a screen.
pub(crate) fn is_accessible() -> bool {
    env("BENCHTOP_ACCESSIBLE").is_some_and(|value| !value.is_empty() && value != "0")
}

/// Reads the settings, and tells what is wrong with them. A config file that does not say which server is used although
/// it should ends a command: its requests would go to another server.
fn read_settings(flags: &Flags, out: &mut Output) -> anyhow::Result<Result<StartPlan, Status>> {
    let plan = StartPlan::of(flags)?;
    if let Some(why) = &plan.config_error {
        out.notice(why.clone());
        return Ok(Err(Status::Config));
    }
    for warning in &plan.warnings {
        out.notice(warning.clone());
    }
    Ok(Ok(plan))
}

fn prepare(plan: StartPlan, saves: bool) -> anyhow::Result<Prepared> {
    drop(log::start(&plan.settings.paths.data));
    let mut session = plan.session();
    let settings = plan.settings;
    set_profiles(&mut session, &shown(&settings.profiles, &settings.prices), run::unix_ms());
    let profiles = Arc::new(SharedProfiles::new(settings.profiles, settings.prices, settings.paths.clone()));
    let plan = Plan { session, services: services_config(&settings.paths, &profiles), saves };
    let runtime =
        runtime::Builder::new_multi_thread().worker_threads(2).thread_stack_size(1 << 20).enable_all().build()?;
    Ok(Prepared { plan, runtime })
}

/// Ends what still runs. Returns the process's exit status.
fn end(runtime: runtime::Runtime, status: Status) -> u8 {
    process::stop_all();
    runtime.shutdown_timeout(SHUTDOWN);
    status.code()
}
