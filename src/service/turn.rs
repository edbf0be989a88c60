//! Turns at the engine for work that is not the writing of text: vectors and verdicts. Long work takes many short turns,
//! so that streams beside it go on.

use tokio::sync::OwnedSemaphorePermit;
use tokio::task::spawn_blocking;

use super::limits::WAITING;
use super::reject::Reject;
use super::state::State;

/// Begins work at a turn of its own, on a thread that may be kept busy. Refused where too much waits already.
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

/// Goes on with work that has begun, at another turn.
pub(super) async fn go_on<T: Send + 'static>(
    state: &State,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Reject> {
    at(turn(state).await?, work).await
}

/// Works on a thread that may be kept busy, but without a turn: for what is done once in a process's life.
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
