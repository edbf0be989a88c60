//! A server that does not stream a job's events: it is polled, less often while nothing happens.

use std::collections::HashSet;

use super::{Follower, pause};
use crate::api::call::{Failure, FailureKind};
use crate::api::job::{Dialect, JobEvent};
use crate::client::http::step;
use crate::client::jobs::{JobPage, PAGE};
use crate::settings::limits;

impl Follower<'_> {
    /// Polls until the job is over and everything is reported. Fails if the job cannot be read.
    pub(super) async fn poll(&mut self, dialect: Dialect) -> Result<(), Failure> {
        let mut wait = limits::POLL_FIRST;
        loop {
            // Read before its events: those of a job that is over are complete.
            let job = self.job(dialect).await?;
            let before = self.told.count();
            self.told.begin();
            self.hear(dialect).await?;
            self.announce(true).await;
            self.hand_on().await;
            let over = job.status.is_over();
            if self.shown.as_ref() != Some(&job) || over {
                self.show(job).await;
            }
            if over {
                return Ok(());
            }
            wait = if self.told.count() > before { limits::POLL_FIRST } else { (wait * 3 / 2).min(limits::POLL_MOST) };
            pause::rest(wait, self.asker.sender).await;
        }
    }

    /// Polls the events. A list that cannot be read three times in a row is reported as such, and only the job is
    /// followed on, to its end.
    async fn hear(&mut self, dialect: Dialect) -> Result<(), Failure> {
        match self.ask(dialect).await {
            Err(why) if why.kind == FailureKind::Malformed => {
                self.unread += 1;
                if self.unread < super::TIMES {
                    return Err(why);
                }
                let message = "the server's list of events cannot be read; only the job itself is followed";
                let note = JobEvent { level: "warn".into(), message: message.into(), ..JobEvent::default() };
                self.take(note, None, true).await;
                Ok(())
            }
            asked => {
                self.unread = 0;
                asked
            }
        }
    }

    /// Reports the remaining events of a job that is over. Fails if they cannot be read, unless the server refuses the
    /// list itself.
    pub(super) async fn rest(&mut self, dialect: Dialect) -> Result<(), Failure> {
        self.told.begin();
        match self.ask(dialect).await {
            // It streamed the events and has no list of them: they were complete.
            Err(why) if super::is_final(&why) => {}
            asked => asked?,
        }
        self.hand_on().await;
        Ok(())
    }

    /// Requests the events there are, and reports the new ones, oldest first.
    ///
    /// Pages come newest first. They are followed back to the first event that was reported before, and only what is
    /// needed to request them again is kept; then they are read from the oldest on. So what is reported is always a
    /// prefix of the history, a loss in between costs nothing, and no more than two pages are in memory.
    async fn ask(&mut self, dialect: Dialect) -> Result<(), Failure> {
        let path = format!("{}/{}/events", dialect.path(), step(self.id)?);
        let path = match dialect {
            Dialect::FineTunes => path,
            Dialect::FineTuning => format!("{path}?limit={PAGE}"),
        };
        if self.from.is_some() {
            let first = self.page(&path, self.from.as_deref()).await?;
            return self.ahead(&path, first).await;
        }
        let newest = self.page(&path, None).await?;
        if dialect == Dialect::FineTunes || rises(&newest.data) {
            return self.ahead(&path, newest).await;
        }
        let mut marks = Vec::new();
        let mut mark = self.mark(&newest);
        while let Some(id) = mark {
            // A server that does not know `after` repeats the same page for ever.
            if marks.contains(&id) || marks.len() == limits::EVENT_PAGES {
                break;
            }
            let page = self.page(&path, Some(&id)).await?;
            mark = self.mark(&page);
            marks.push(id);
        }
        for id in marks.iter().rev() {
            let page = self.page(&path, Some(id)).await?;
            self.tell(page).await;
        }
        self.tell(newest).await;
        Ok(())
    }

    /// Reads pages that come oldest first, and notes where the last of them begins.
    async fn ahead(&mut self, path: &str, first: JobPage<JobEvent>) -> Result<(), Failure> {
        let mut page = first;
        let mut seen = HashSet::new();
        for _ in 0..limits::EVENT_PAGES {
            let next = page.data.last().and_then(|event| event.id.clone()).filter(|_| page.has_more);
            for event in page.data {
                self.take(event, None, true).await;
            }
            // A server that does not know `after` repeats the same page for ever.
            let Some(id) = next.filter(|id| seen.insert(id.clone())) else { break };
            page = self.page(path, Some(&id)).await?;
            self.from = Some(id);
        }
        Ok(())
    }

    async fn page(&self, path: &str, after: Option<&str>) -> Result<JobPage<JobEvent>, Failure> {
        let path = match after {
            None => path.to_owned(),
            Some(id) => format!("{path}{}after={}", if path.contains('?') { '&' } else { '?' }, step(id)?),
        };
        Ok(self.asker.page(path).await?.0)
    }

    /// Returns where the page after this one begins; `None`: there is none, or nothing in it is new.
    fn mark(&self, page: &JobPage<JobEvent>) -> Option<String> {
        let known = page.data.iter().any(|event| event.id.as_deref().is_some_and(|id| self.told.knows(id)));
        page.data.last().and_then(|event| event.id.clone()).filter(|_| page.has_more && !known)
    }

    async fn tell(&mut self, page: JobPage<JobEvent>) {
        for event in page.data.into_iter().rev() {
            self.take(event, None, true).await;
        }
    }
}

/// Returns whether a page's events are oldest first, contrary to the interface.
fn rises(events: &[JobEvent]) -> bool {
    matches!((events.first(), events.last()), (Some(first), Some(last)) if first.created_at < last.created_at)
}
