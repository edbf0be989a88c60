//! Follows a job: reports its events as one stream that reconnects and never repeats or drops an event.
//!
//! [`seen_events`] recognises events that were reported before, [`live`] reads from a server that streams them,
//! [`poll`] polls one that does not, [`pause`] waits in between. This module decides how long that continues.

mod live;
mod pause;
mod poll;
mod seen_events;

use std::time::Instant;

use self::live::StreamEnd;
use self::pause::Pauses;
use self::seen_events::SeenEvents;
use super::failure;
use super::http::Http;
use super::jobs::JobClient;
use super::progress::ProgressSender;
use crate::api::call::{Failure, FailureKind, Followed, Reply};
use crate::api::job::{Dialect, Job, JobEvent};
use crate::settings::{Endpoint, limits};

/// Reports a job's events, each once and in order, until the job is over. Fails only if the server refuses the job
/// itself.
pub(super) async fn follow(http: &Http, endpoint: &Endpoint, id: &str, sender: &ProgressSender) -> Result<(), Failure> {
    let mut follower = Follower {
        client: JobClient { http, endpoint, sender, is_retrying: false },
        id,
        seen: SeenEvents::default(),
        batch: EventBatch::default(),
        is_streaming: true,
        last_id: None,
        reported_job: None,
        is_announced: false,
        last_page: None,
        break_off: (0, 0, 0),
        unreadable_lists: 0,
    };
    let (mut pauses, mut refusals) = (Pauses::default(), 0);
    loop {
        let (begun, seen) = (Instant::now(), follower.seen.count());
        let mut why = match follower.follow_once().await {
            Ok(()) => return Ok(()),
            Err(why) => why,
        };
        if is_permanent(&why) && is_from_api(&why) {
            match follower.client.find_other_dialect(why).await {
                Ok(_) => continue,
                Err(still) => why = still,
            }
        }
        // A gateway may refuse everything while the server behind it restarts.
        refusals = if is_permanent(&why) { refusals + 1 } else { 0 };
        if refusals == MAX_FAILURES || (refusals > 0 && is_from_api(&why)) {
            return Err(why);
        }
        // The events that were read before the loss are reported before it.
        follower.flush().await;
        if begun.elapsed() >= limits::FOLLOW_STEADY || follower.seen.count() > seen {
            pauses = Pauses::default();
        }
        pauses.wait(why, sender).await;
    }
}

/// The state of following a job.
struct Follower<'a> {
    client: JobClient<'a>,
    id: &'a str,
    seen: SeenEvents,
    batch: EventBatch,
    /// Whether the server is still assumed to stream events.
    is_streaming: bool,
    /// The stream's own id of the last event that had one.
    last_id: Option<String>,
    /// The job as it was last reported.
    reported_job: Option<Job>,
    /// Whether this connection was reported.
    is_announced: bool,
    /// The id after which the last page begins, for a server whose pages come oldest first.
    last_page: Option<String>,
    /// The event at which the stream broke off, by its number and its bytes, and how often in a row.
    break_off: (u64, usize, u32),
    /// How often in a row the list of events could not be read.
    unreadable_lists: u32,
}

impl Follower<'_> {
    /// Follows the job over one connection, or by polling until a request fails. Succeeds if the job is over and
    /// everything is reported.
    async fn follow_once(&mut self) -> Result<(), Failure> {
        (self.is_announced, self.last_page) = (false, None);
        self.seen.begin_connection();
        let dialect = self.client.dialect().await?;
        if dialect == Dialect::FineTuning || !self.is_streaming {
            return self.poll(dialect).await;
        }
        let end = match self.read_stream().await {
            Err(why) if is_permanent(&why) => {
                // Perhaps only streaming is refused: what counts is whether the job itself is.
                self.request_job(dialect).await?;
                StreamEnd::NoStream
            }
            end => end?,
        };
        self.flush().await;
        match end {
            StreamEnd::NoStream => {
                self.is_streaming = false;
                self.seen.begin_connection();
                self.poll(dialect).await
            }
            StreamEnd::Done | StreamEnd::Closed => {
                let job = self.request_job(dialect).await?;
                if !job.status.is_finished() {
                    return Err(failure::cut_off("the server closed the event stream, but the job is still running"));
                }
                if end == StreamEnd::Closed {
                    // The stream did not say that it was complete.
                    self.report_rest(dialect).await?;
                }
                self.report_job(job).await;
                Ok(())
            }
        }
    }

    async fn request_job(&self, dialect: Dialect) -> Result<Job, Failure> {
        Ok(self.client.job(dialect, self.id).await?.0)
    }

    /// Notes at which event the stream broke off. A server whose stream always breaks off at the same one is polled
    /// instead.
    fn note_break_off(&mut self, number: u64, bytes: usize) {
        let (last_number, last_bytes, times) = self.break_off;
        let is_same = (last_number, last_bytes) == (number, bytes);
        self.break_off = (number, bytes, if is_same { times + 1 } else { 1 });
        self.is_streaming &= self.break_off.2 < MAX_FAILURES;
    }

    /// Reports the job as it is now.
    async fn report_job(&mut self, job: Job) {
        self.reported_job = Some(job.clone());
        self.client.sender.reply(Reply::Followed(Followed::Job(Box::new(job))), 0).await;
    }

    /// Adds an event to those that are reported, unless it was reported before. Announces the connection at the first
    /// new event, which follows all replayed ones.
    async fn add(&mut self, event: JobEvent, id: Option<&str>, polling: bool) {
        if event.message.is_empty() && event.metrics.is_empty() {
            // A keep-alive, or an extension of the server.
            return;
        }
        let figures: usize = event.metrics.iter().map(|(name, _)| name.len() + size_of::<f64>()).sum();
        let bytes = event.message.len() + event.level.len() + figures;
        let place = self.seen.count();
        if self.seen.insert(&event, id) {
            self.announce(polling).await;
            if self.batch.bytes + bytes > limits::BATCH_BYTES {
                self.flush().await;
            }
            self.batch.add(place, event, bytes);
            if self.batch.is_full() {
                self.flush().await;
            }
        } else if self.seen.is_replay_complete() {
            self.announce(polling).await;
        }
    }

    /// Reports a connection, once.
    async fn announce(&mut self, polling: bool) {
        if !std::mem::replace(&mut self.is_announced, true) {
            let live = Followed::Live { replayed: self.seen.replayed(), polling };
            self.client.sender.reply(Reply::Followed(live), 0).await;
        }
    }

    /// Reports the events of the batch, and begins the next one.
    async fn flush(&mut self) {
        let EventBatch { first, events, bytes } = std::mem::take(&mut self.batch);
        if !events.is_empty() {
            self.client.sender.reply(Reply::Followed(Followed::Events { first, events }), bytes).await;
        }
    }
}

/// New events that are not reported yet.
#[derive(Default)]
struct EventBatch {
    first: u64,
    events: Vec<JobEvent>,
    bytes: usize,
}

impl EventBatch {
    fn add(&mut self, place: u64, event: JobEvent, bytes: usize) {
        if self.events.is_empty() {
            self.first = place;
        }
        self.bytes += bytes;
        self.events.push(event);
    }

    fn is_full(&self) -> bool {
        self.events.len() >= limits::BATCH_EVENTS || self.bytes >= limits::BATCH_BYTES
    }
}

/// Failures in a row after which no other attempt is made.
const MAX_FAILURES: u32 = 3;

/// Returns whether a refusal is from the API or from this client, not from a gateway in between.
fn is_from_api(why: &Failure) -> bool {
    why.status.is_none() || why.body.screen().trim_start().starts_with('{')
}

/// Returns whether another attempt cannot help, as the server or this client refuses the request itself.
fn is_permanent(why: &Failure) -> bool {
    match why.status {
        Some(408 | 409 | 425 | 429) => false,
        Some(status) => (300..500).contains(&status) || status == 501,
        None => matches!(why.kind, FailureKind::Auth | FailureKind::Refused | FailureKind::Unsupported),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_refusal_is_permanent() {
        let why = |status, kind| Failure { status, ..Failure::new(kind, "x") };
        for status in [400, 401, 403, 404, 410, 422, 301, 501] {
            assert!(is_permanent(&why(Some(status), FailureKind::Refused)), "{status}");
        }
        for status in [408, 409, 429, 500, 502, 503, 504, 520] {
            assert!(!is_permanent(&why(Some(status), FailureKind::Server)), "{status}");
        }
        for kind in [FailureKind::Offline, FailureKind::Timeout, FailureKind::CutOff, FailureKind::Malformed] {
            assert!(!is_permanent(&why(None, kind)), "{kind:?}");
        }
        assert!(is_permanent(&why(None, FailureKind::Auth)));
    }
}
