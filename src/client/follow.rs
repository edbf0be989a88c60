//! A job's events as one stream that reconnects and never repeats or drops an event.
//!
//! [`seen_events`] recognises events that were reported before, [`live`] reads a server that streams them, [`poll`]
//! polls one that does not, [`pause`] waits in between. This module decides how long that continues, and what ends it
//! early.

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
use super::jobs::Asker;
use super::progress::ProgressSender;
use crate::api::call::{Failure, FailureKind, Followed, Reply};
use crate::api::job::{Dialect, Job, JobEvent};
use crate::settings::{Endpoint, limits};

/// Reports a job's events, each once and in order, until the job is over. Fails only if the server refuses the job
/// itself.
pub(super) async fn follow(http: &Http, endpoint: &Endpoint, id: &str, sender: &ProgressSender) -> Result<(), Failure> {
    let mut follower = Follower {
        asker: Asker { http, endpoint, sender, retries: false },
        id,
        told: SeenEvents::default(),
        batch: EventBatch::default(),
        streams: true,
        last: None,
        shown: None,
        live: false,
        from: None,
        stuck: (0, 0, 0),
        unread: 0,
    };
    let (mut pauses, mut refused) = (Pauses::default(), 0);
    loop {
        let (begun, told) = (Instant::now(), follower.told.count());
        let mut why = match follower.attend().await {
            Ok(()) => return Ok(()),
            Err(why) => why,
        };
        if is_final(&why) && is_spoken(&why) {
            match follower.asker.elsewhere(why).await {
                Ok(_) => continue,
                Err(still) => why = still,
            }
        }
        // A gateway refuses everything while the server behind it restarts.
        refused = if is_final(&why) { refused + 1 } else { 0 };
        if refused == TIMES || (refused > 0 && is_spoken(&why)) {
            return Err(why);
        }
        // What was read before the loss is reported before it.
        follower.hand_on().await;
        if begun.elapsed() >= limits::FOLLOW_STEADY || follower.told.count() > told {
            pauses = Pauses::default();
        }
        pauses.wait(why, sender).await;
    }
}

/// The state of following a job.
struct Follower<'a> {
    asker: Asker<'a>,
    id: &'a str,
    told: SeenEvents,
    batch: EventBatch,
    /// Whether the server is still assumed to stream events.
    streams: bool,
    /// The stream's own id of the last event that had one.
    last: Option<String>,
    /// The job as it was last reported.
    shown: Option<Job>,
    /// Whether this connection was reported.
    live: bool,
    /// Where the last page begins, for a server whose pages come oldest first.
    from: Option<String>,
    /// An event at which the stream broke off, by place and bytes, and how often in a row.
    stuck: (u64, usize, u32),
    /// How often in a row the list of events could not be read.
    unread: u32,
}

impl Follower<'_> {
    /// Follows over one connection, or by polling until a request fails. `Ok`: the job is over and everything is
    /// reported.
    async fn attend(&mut self) -> Result<(), Failure> {
        (self.live, self.from) = (false, None);
        self.told.begin();
        let dialect = self.asker.dialect().await?;
        if dialect == Dialect::FineTuning || !self.streams {
            return self.poll(dialect).await;
        }
        let end = match self.stream().await {
            Err(why) if is_final(&why) => {
                // Perhaps only streaming is refused. What counts is whether the job itself is.
                self.job(dialect).await?;
                StreamEnd::NoStream
            }
            end => end?,
        };
        self.hand_on().await;
        match end {
            StreamEnd::NoStream => {
                self.streams = false;
                self.told.begin();
                self.poll(dialect).await
            }
            StreamEnd::Done | StreamEnd::Closed => {
                let job = self.job(dialect).await?;
                if !job.status.is_over() {
                    return Err(failure::cut_off("the server closed the event stream, but the job is still running"));
                }
                if end == StreamEnd::Closed {
                    // The stream did not say that it was complete.
                    self.rest(dialect).await?;
                }
                self.show(job).await;
                Ok(())
            }
        }
    }

    async fn job(&self, dialect: Dialect) -> Result<Job, Failure> {
        Ok(self.asker.job(dialect, self.id).await?.0)
    }

    /// Notes where the stream broke off. A server whose stream always breaks off at the same place is polled instead.
    fn stumble(&mut self, place: u64, length: usize) {
        let again = (self.stuck.0, self.stuck.1) == (place, length);
        self.stuck = (place, length, if again { self.stuck.2 + 1 } else { 1 });
        self.streams &= self.stuck.2 < TIMES;
    }

    /// Reports the job as it is now.
    async fn show(&mut self, job: Job) {
        self.shown = Some(job.clone());
        self.asker.sender.reply(Reply::Followed(Followed::Job(Box::new(job))), 0).await;
    }

    /// Adds an event; the first new one of a connection follows all replayed ones.
    async fn take(&mut self, event: JobEvent, id: Option<&str>, polling: bool) {
        if event.message.is_empty() && event.metrics.is_empty() {
            // A keep-alive, or an extension of the server.
            return;
        }
        let figures: usize = event.metrics.iter().map(|(name, _)| name.len() + size_of::<f64>()).sum();
        let bytes = event.message.len() + event.level.len() + figures;
        let place = self.told.count();
        if self.told.is_new(&event, id) {
            self.announce(polling).await;
            if self.batch.bytes + bytes > limits::BATCH_BYTES {
                self.hand_on().await;
            }
            self.batch.add(place, event, bytes);
            if self.batch.is_full() {
                self.hand_on().await;
            }
        } else if self.told.is_through() {
            self.announce(polling).await;
        }
    }

    /// Reports once per connection that it is there.
    async fn announce(&mut self, polling: bool) {
        if !std::mem::replace(&mut self.live, true) {
            let live = Followed::Live { replayed: self.told.replayed(), polling };
            self.asker.sender.reply(Reply::Followed(live), 0).await;
        }
    }

    async fn hand_on(&mut self) {
        let EventBatch { first, events, bytes } = std::mem::take(&mut self.batch);
        if !events.is_empty() {
            self.asker.sender.reply(Reply::Followed(Followed::Events { first, events }), bytes).await;
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

/// Failures in a row that count as permanent.
const TIMES: u32 = 3;

/// Returns whether a refusal is from the API or from this client, not from a gateway in between.
fn is_spoken(why: &Failure) -> bool {
    why.status.is_none() || why.body.screen().trim_start().starts_with('{')
}

/// Returns whether asking again cannot help: the server, or this client, refuses the request itself.
fn is_final(why: &Failure) -> bool {
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
    fn only_a_refusal_is_final() {
        let why = |status, kind| Failure { status, ..Failure::new(kind, "x") };
        for status in [400, 401, 403, 404, 410, 422, 301, 501] {
            assert!(is_final(&why(Some(status), FailureKind::Refused)), "{status}");
        }
        for status in [408, 409, 429, 500, 502, 503, 504, 520] {
            assert!(!is_final(&why(Some(status), FailureKind::Server)), "{status}");
        }
        for kind in [FailureKind::Offline, FailureKind::Timeout, FailureKind::CutOff, FailureKind::Malformed] {
            assert!(!is_final(&why(None, kind)), "{kind:?}");
        }
        assert!(is_final(&why(None, FailureKind::Auth)));
    }
}
