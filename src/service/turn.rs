//! Turns at the engine for other work than generating text: vectors and moderation. Long work takes many short turns,
//! so that concurrent streams continue.

use tokio::sync::OwnedSemaphorePermit;
use tokio::task::spawn_blocking;

use super::limits::WAITING;
use super::reject::Reject;
use super::state::State;

/// Begins work in a turn of its own, on a blocking thread. Fails if too much waits already, or the service stops.
pub(super) async fn begin<T: Send + 'static>(
    state: &State,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Reject> {
    let permit = {
        let _waiting = state.begin_waiting(WAITING).ok_or_else(Reject::overloaded)?;
        acquire(state).await?
    };
    run_with_permit(permit, work).await
}

/// Continues work that has begun, in another turn. Fails when the service stops.
pub(super) async fn resume<T: Send + 'static>(
    state: &State,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Reject> {
    run_with_permit(acquire(state).await?, work).await
}

/// Runs work on a blocking thread, but without a turn: for what is done once in a process's life. Fails if it panics.
pub(super) async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Reject> {
    spawn_blocking(work).await.map_err(|_| Reject::fault())
}

async fn acquire(state: &State) -> Result<OwnedSemaphorePermit, Reject> {
    state.turns().acquire_owned().await.map_err(|_| Reject::stopping())
}

async fn run_with_permit<T: Send + 'static>(
    permit: OwnedSemaphorePermit,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Reject> {
    let work = move || {
        let _permit = permit;
        work()
    };
    run_blocking(work).await
}
