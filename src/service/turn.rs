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
    let turn = {
        let _waiting = state.queue(WAITING).ok_or_else(Reject::overloaded)?;
        turn(state).await?
    };
    at(turn, work).await
}

/// Continues work that has begun, in another turn. Fails when the service stops.
pub(super) async fn go_on<T: Send + 'static>(
    state: &State,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Reject> {
    at(turn(state).await?, work).await
}

/// Runs work on a blocking thread, but without a turn: for what is done once in a process's life. Fails if it panics.
pub(super) async fn without<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Reject> {
    spawn_blocking(work).await.map_err(|_| Reject::fault())
}

async fn turn(state: &State) -> Result<OwnedSemaphorePermit, Reject> {
    state.turns().acquire_owned().await.map_err(|_| Reject::stopping())
}

async fn at<T: Send + 'static>(
    turn: OwnedSemaphorePermit,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Reject> {
    let work = move || {
        let _turn = turn;
        work()
    };
    without(work).await
}
