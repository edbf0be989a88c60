//! Sends the progress of a call to the shell.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::{Notify, mpsc};

use super::redact::Secrets;
use crate::api::call::{Followed, Progress, Reply, Ticket};
use crate::api::capability::Finding;
use crate::settings::{Endpoint, limits};

/// Sends one call's progress to the shell, and holds what may end its countdown early. Removes secrets from all text of
/// the server that is not an answer.
pub(super) struct ProgressSender {
    ticket: Ticket,
    progress: mpsc::Sender<(Ticket, Progress)>,
    pub(super) retry_now: Arc<Notify>,
    secrets: Secrets,
}

impl ProgressSender {
    pub(super) fn new(
        ticket: Ticket,
        progress: mpsc::Sender<(Ticket, Progress)>,
        retry_now: Arc<Notify>,
        endpoint: &Endpoint,
    ) -> Self {
        Self { ticket, progress, retry_now, secrets: Secrets::of(endpoint) }
    }

    /// Sends a message; waits while the channel is full. If the receiver is gone, the program ends.
    pub(super) async fn send(&self, mut progress: Progress) {
        match &mut progress {
            Progress::Retrying { why, .. } | Progress::Closed(Err(why)) => self.secrets.clean_failure(why),
            Progress::Opened { request_id: Some(id) } => self.secrets.clean_text(id),
            Progress::Learned(fact) => {
                if let Finding::Text(words) = &mut fact.finding {
                    *words = self.secrets.redacted(words.as_bytes());
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
            self.secrets.clean_failure(why);
        }
        if let Reply::Checked(checked) = &mut reply {
            self.secrets.clean_text(&mut checked.words);
        }
        let places = if bytes > limits::BATCH_BYTES { self.progress.max_capacity() } else { 1 };
        if let Ok(mut permits) = self.progress.reserve_many(places).await
            && let Some(permit) = permits.next()
        {
            permit.send((self.ticket, Progress::Reply(reply)));
        }
    }
}

/// Counts transferred bytes, and reports them from time to time.
pub(super) struct TransferCounter {
    done: u64,
    total: Option<u64>,
    reported: u64,
    reported_at: Instant,
    /// Bytes after which progress is reported, regardless of the time.
    step: u64,
}

impl TransferCounter {
    pub(super) fn new(total: Option<u64>) -> Self {
        Self { done: 0, total, reported: 0, reported_at: Instant::now(), step: limits::MOVED_BYTES }
    }

    /// Creates a counter for a file of any size, which reports only a few times a second.
    pub(super) fn of_file(done: u64, total: Option<u64>) -> Self {
        Self { done, step: u64::MAX, ..Self::new(total) }
    }

    /// Reports the progress.
    pub(super) async fn report(&mut self, sender: &ProgressSender) {
        self.reported = self.done;
        self.reported_at = Instant::now();
        sender.send(Progress::Moved { done: self.done, total: self.total }).await;
    }

    /// Adds transferred bytes.
    pub(super) async fn add(&mut self, bytes: usize, sender: &ProgressSender) {
        self.set(self.done + bytes as u64, sender).await;
    }

    /// Sets the number of bytes transferred so far.
    pub(super) async fn set(&mut self, done: u64, sender: &ProgressSender) {
        self.done = done;
        if self.done - self.reported.min(self.done) >= self.step || self.reported_at.elapsed() >= limits::MOVED_WAIT {
            self.report(sender).await;
        }
    }
}
