//! Runs the calls in flight: one abortable task for each ticket.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::{Notify, mpsc};
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};

use super::http::Http;
use super::perform::perform;
use super::progress::ProgressSender;
use super::{WorkerCommand, failure};
use crate::api::call::{Progress, Ticket};

/// One call in flight.
struct CallInFlight {
    task: AbortHandle,
    retry_now: Arc<Notify>,
}

/// Carries out commands until every handle is gone; all tasks are dropped then.
pub(super) async fn run(
    mut commands: mpsc::UnboundedReceiver<WorkerCommand>,
    progress: mpsc::Sender<(Ticket, Progress)>,
) {
    let http = Arc::new(Http::default());
    let mut flights: HashMap<Ticket, CallInFlight> = HashMap::new();
    let mut tickets: HashMap<Id, Ticket> = HashMap::new();
    let mut tasks = JoinSet::new();
    loop {
        tokio::select! {
            command = commands.recv() => match command {
                None => return,
                Some(WorkerCommand::Call(ticket, endpoint, call)) => {
                    let retry_now = Arc::new(Notify::new());
                    let sender = ProgressSender::new(ticket, progress.clone(), Arc::clone(&retry_now), &endpoint);
                    let task = tasks.spawn(perform(Arc::clone(&http), endpoint, call, sender));
                    tickets.insert(task.id(), ticket);
                    flights.insert(ticket, CallInFlight { task, retry_now });
                }
                Some(WorkerCommand::Cancel(ticket)) => {
                    if let Some(flight) = flights.remove(&ticket) {
                        flight.task.abort();
                    }
                }
                Some(WorkerCommand::Know(fact)) => http.knowledge.set(&fact.server, fact.subject, Some(fact.finding)),
                Some(WorkerCommand::Forget(server, subject)) => http.knowledge.set(&server, subject, None),
                Some(WorkerCommand::RetryNow(ticket)) => {
                    if let Some(flight) = flights.get(&ticket) {
                        // Only a wait under way is ended: later ones are not shortened.
                        flight.retry_now.notify_waiters();
                    }
                }
            },
            Some(ended) = tasks.join_next_with_id(), if !tasks.is_empty() => {
                let id = ended.as_ref().map_or_else(JoinError::id, |(id, ())| *id);
                let Some(ticket) = tickets.remove(&id) else { continue };
                flights.remove(&ticket);
                if ended.is_err_and(|error| error.is_panic()) {
                    let progress = progress.clone();
                    // Sent outside this loop: a full channel must not delay cancels.
                    tasks.spawn(async move {
                        let _ = progress.send((ticket, Progress::Closed(Err(failure::bug())))).await;
                    });
                }
            }
        }
    }
}
