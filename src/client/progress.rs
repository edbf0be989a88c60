//! Sends the progress of a call to the shell.

use std::sync::Arc;

use tokio::sync::{Notify, mpsc};

use super::redact::Secrets;
use crate::api::call::{Followed, Progress, Reply, Ticket};
use crate::api::capability::Finding;
use crate::settings::{Endpoint, limits};

/// Sends one call's progress to the shell, and holds what may end its countdown early. All text of the server that is
/// not an answer passes here, so secrets are removed here.
pub(super) struct ProgressSender {
    ticket: Ticket,
    progress: mpsc::Sender<(Ticket, Progress)>,
    pub(super) hurry: Arc<Notify>,
    secrets: Secrets,
}

impl ProgressSender {
    pub(super) fn new(
        ticket: Ticket,
        progress: mpsc::Sender<(Ticket, Progress)>,
        hurry: Arc<Notify>,
        endpoint: &Endpoint,
    ) -> Self {
        Self { ticket, progress, hurry, secrets: Secrets::of(endpoint) }
    }

    /// Sends a message; waits while the channel is full. If the receiver is gone, the program ends.
    pub(super) async fn send(&self, mut progress: Progress) {
        match &mut progress {
            Progress::Retrying { why, .. } | Progress::Closed(Err(why)) => self.secrets.failure(why),
            Progress::Opened { request_id: Some(id) } => self.secrets.text(id),
            Progress::Learned(fact) => {
                if let Finding::Text(words) = &mut fact.finding {
                    *words = self.secrets.body(words.as_bytes());
                }
            }
            _ => {}
        }
        let _ = self.progress.send((self.ticket, progress)).await;
    }

    /// Sends a part of the answer that was this many bytes on the wire. The channel counts messages; to limit its bytes
    /// as well, a large part is sent only when nothing else waits.
    pub(super) async fn reply(&self, mut reply: Reply, bytes: usize) {
        if let Reply::Followed(Followed::Lost { why, .. }) = &mut reply {
            self.secrets.failure(why);
        }
        if let Reply::Checked(checked) = &mut reply {
            self.secrets.text(&mut checked.words);
        }
        let places = if bytes > limits::BATCH_BYTES { self.progress.max_capacity() } else { 1 };
        if let Ok(mut permits) = self.progress.reserve_many(places).await
            && let Some(permit) = permits.next()
        {
            permit.send((self.ticket, Progress::Reply(reply)));
        }
    }
}
