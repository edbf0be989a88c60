//! Polls a server that does not stream a job's events, less often while nothing happens.

use std::collections::HashSet;

use super::Follower;
use super::pause::wait_for_poll;
use crate::api::call::{Failure, FailureKind};
use crate::api::job::{Dialect, JobEvent};
use crate::client::jobs::{JobPage, PAGE_ENTRIES};
use crate::client::request::path_segment;
use crate::settings::limits;

impl Follower<'_> {
    /// Polls until the job is over and everything is reported. Fails if the job cannot be read.
    pub(super) async fn poll(&mut self, dialect: Dialect) -> Result<(), Failure> {
        let mut wait = limits::POLL_FIRST;
        loop {
            // The job is read before its events: once it is over, they are complete.
            let job = self.request_job(dialect).await?;
            let before = self.seen.count();
            self.seen.begin_connection();
            self.poll_events(dialect).await?;
            self.announce(true).await;
            self.flush().await;
            let is_over = job.status.is_finished();
            if self.reported_job.as_ref() != Some(&job) || is_over {
                self.report_job(job).await;
            }
            if is_over {
                return Ok(());
            }
            wait = if self.seen.count() > before { limits::POLL_FIRST } else { (wait * 3 / 2).min(limits::POLL_MOST) };
            wait_for_poll(wait, self.client.sender).await;
        }
    }

    /// Requests the events. After a list that cannot be read several times in a row this is reported, and only the job
    /// itself is followed.
    async fn poll_events(&mut self, dialect: Dialect) -> Result<(), Failure> {
        match self.request_events(dialect).await {
            Err(why) if why.kind == FailureKind::Malformed => {
                self.unreadable_lists += 1;
                if self.unreadable_lists < super::MAX_FAILURES {
                    return Err(why);
                }
                let message = "the server's list of events cannot be read; only the job itself is followed";
                let note = JobEvent { level: "warn".into(), message: message.into(), ..JobEvent::default() };
                self.add(note, None, true).await;
                Ok(())
            }
            answer => {
                self.unreadable_lists = 0;
                answer
            }
        }
    }

    /// Reports the remaining events of a job that is over. Fails if they cannot be read, unless the server refuses the
    /// list itself.
    pub(super) async fn report_rest(&mut self, dialect: Dialect) -> Result<(), Failure> {
        self.seen.begin_connection();
        match self.request_events(dialect).await {
            // The server streamed the events and has no list of them, so they were complete.
            Err(why) if super::is_permanent(&why) => {}
            answer => answer?,
        }
        self.flush().await;
        Ok(())
    }

    /// Requests all events, and reports the new ones, oldest first.
    ///
    /// Pages come newest first. They are requested back to the first event that was reported before, and only their ids
    /// are kept; then they are requested again, the oldest first. So the reported events are always a prefix of the
    /// history even if the connection is lost, and no more than two pages are in memory.
    async fn request_events(&mut self, dialect: Dialect) -> Result<(), Failure> {
        let path = format!("{}/{}/events", dialect.path(), path_segment(self.id)?);
        let path = match dialect {
            Dialect::FineTunes => path,
            Dialect::FineTuning => format!("{path}?limit={PAGE_ENTRIES}"),
        };
        if self.last_page.is_some() {
            let first = self.request_page(&path, self.last_page.as_deref()).await?;
            return self.report_forwards(&path, first).await;
        }
        let newest = self.request_page(&path, None).await?;
        if dialect == Dialect::FineTunes || is_oldest_first(&newest.data) {
            return self.report_forwards(&path, newest).await;
        }
        let mut starts = Vec::new();
        let mut next = self.next_page(&newest);
        while let Some(id) = next {
            // A server that does not know `after` repeats the same page forever.
            if starts.contains(&id) || starts.len() == limits::EVENT_PAGES {
                break;
            }
            let page = self.request_page(&path, Some(&id)).await?;
            next = self.next_page(&page);
            starts.push(id);
        }
        for id in starts.iter().rev() {
            let page = self.request_page(&path, Some(id)).await?;
            self.report_page(page).await;
        }
        self.report_page(newest).await;
        Ok(())
    }

    /// Reports the new events of pages that come oldest first, and notes where the last of them begins.
    async fn report_forwards(&mut self, path: &str, first: JobPage<JobEvent>) -> Result<(), Failure> {
        let mut page = first;
        let mut seen = HashSet::new();
        for _ in 0..limits::EVENT_PAGES {
            let next = page.data.last().and_then(|event| event.id.clone()).filter(|_| page.has_more);
            for event in page.data {
                self.add(event, None, true).await;
            }
            // A server that does not know `after` repeats the same page forever.
            let Some(id) = next.filter(|id| seen.insert(id.clone())) else { break };
            page = self.request_page(path, Some(&id)).await?;
            self.last_page = Some(id);
        }
        Ok(())
    }

    async fn request_page(&self, path: &str, after: Option<&str>) -> Result<JobPage<JobEvent>, Failure> {
        let path = match after {
            None => path.to_owned(),
            Some(id) => format!("{path}{}after={}", if path.contains('?') { '&' } else { '?' }, path_segment(id)?),
        };
        Ok(self.client.page(path).await?.0)
    }

    /// Returns the id after which the next page begins; `None` if there is no next page, or it has no new event.
    fn next_page(&self, page: &JobPage<JobEvent>) -> Option<String> {
        let known = page.data.iter().any(|event| event.id.as_deref().is_some_and(|id| self.seen.has_id(id)));
        page.data.last().and_then(|event| event.id.clone()).filter(|_| page.has_more && !known)
    }

    /// Reports the new events of a page that is newest first.
    async fn report_page(&mut self, page: JobPage<JobEvent>) {
        for event in page.data.into_iter().rev() {
            self.add(event, None, true).await;
        }
    }
}

/// Returns whether a page's events come oldest first, contrary to the interface.
fn is_oldest_first(events: &[JobEvent]) -> bool {
    matches!((events.first(), events.last()), (Some(first), Some(last)) if first.created_at < last.created_at)
}
