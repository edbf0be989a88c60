//! Runs the commands that need no screen.

use std::sync::Arc;

use benchtop::app::session::set_profiles;
use benchtop::app::{log, run};
use benchtop::cli::Flags;
use benchtop::commands::{self, Output, Plan, Status, Task};
use benchtop::process;
use tokio::runtime;

use super::profiles::{SharedProfiles, env, shown};
use super::{SHUTDOWN, StartPlan, services_config};

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
    let Prepared { plan, runtime } = prepare(plan, true)?;
    let status = runtime.block_on(commands::plain::run(plan, &mut out));
    Ok(end(runtime, status))
}

/// Returns whether the environment asks for lines instead of a screen.
pub(crate) fn is_accessible() -> bool {
    env("BENCHTOP_ACCESSIBLE").is_some_and(|value| !value.is_empty() && value != "0")
}

/// Reads the settings, and tells what is wrong with them. A config file of which nothing can be used ends a command:
/// its requests would go to another server.
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
