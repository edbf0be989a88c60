//! Runs the commands that need no screen.

use std::sync::Arc;

use benchtop::app::session::set_profiles;
use benchtop::app::{log, run};
use benchtop::cli::Flags;
use benchtop::commands::{self, Output, Plan, Status, Task};
use benchtop::process;
use tokio::runtime;

use super::profiles::{SharedProfiles, shown};
use super::{SHUTDOWN, StartPlan, services_config};

/// Runs a command that `make` creates. Returns the process's exit status. Fails with a sentence if the settings, the
/// command line or the system do not permit it.
pub(crate) fn run_command<T: Task>(
    flags: &Flags,
    saves: bool,
    make: impl FnOnce() -> Result<T, String>,
) -> anyhow::Result<u8> {
    let plan = StartPlan::of(flags)?;
    let mut out = Output::standard();
    if let Some(why) = &plan.config_error {
        out.notice(why.clone());
        return Ok(Status::Config.code());
    }
    for warning in &plan.warnings {
        out.notice(warning.clone());
    }
    let mut task = match make() {
        Ok(task) => task,
        Err(why) => {
            out.notice(why);
            return Ok(Status::Usage.code());
        }
    };
    drop(log::start(&plan.settings.paths.data));
    let mut session = plan.session();
    let settings = plan.settings;
    set_profiles(&mut session, &shown(&settings.profiles, &settings.prices), run::unix_ms());
    let profiles = Arc::new(SharedProfiles::new(settings.profiles, settings.prices, settings.paths.clone()));
    let plan = Plan { session, services: services_config(&settings.paths, &profiles), saves };
    let runtime =
        runtime::Builder::new_multi_thread().worker_threads(2).thread_stack_size(1 << 20).enable_all().build()?;
    let status = runtime.block_on(commands::run(&mut task, plan, &mut out));
    process::stop_all();
    runtime.shutdown_timeout(SHUTDOWN);
    Ok(status.code())
}
