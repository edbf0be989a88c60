//! Counts the transfers of a batch that ended, for one notice.

use super::format::files;
use crate::component::Notice;
use crate::text::Untrusted;

/// What these notices are about.
const ABOUT: &str = "transfers";

/// Transfers that ended since nothing was under way.
#[derive(Debug, Default)]
pub(super) struct BatchSummary {
    uploaded: usize,
    downloaded: usize,
    failed: usize,
    /// Which failed last and why.
    last: Untrusted,
}

impl BatchSummary {
    /// Counts an upload to this server; `words` say it where it is the only one, or tell what to do next.
    pub(super) fn uploaded(&mut self, server: &str, words: String, next: bool) -> Notice {
        self.uploaded += 1;
        if next { Notice::ok(words).about(ABOUT) } else { self.notice(server, words.into()) }
    }

    /// Counts a download; `words` say it where it is the only one.
    pub(super) fn downloaded(&mut self, words: Untrusted) -> Notice {
        self.downloaded += 1;
        self.notice("the server", words)
    }

    /// Counts a failure, and says which and why.
    pub(super) fn failed(&mut self, which: String) -> Notice {
        self.failed += 1;
        self.last = which.into();
        self.notice("the server", self.last.clone())
    }

    fn notice(&self, server: &str, only: Untrusted) -> Notice {
        let text = if self.uploaded + self.downloaded + self.failed == 1 {
            only
        } else {
            let mut parts = Vec::new();
            if self.uploaded > 0 {
                parts.push(format!("{} uploaded to {server}", files(self.uploaded)));
            }
            if self.downloaded > 0 {
                parts.push(format!("{} saved", files(self.downloaded)));
            }
            if self.failed > 0 {
                parts.push(format!("{} failed, the last is {}", self.failed, self.last.line()));
            }
            parts.join("; ").into()
        };
        if self.failed > 0 { Notice::error(text) } else { Notice::ok(text) }.about(ABOUT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transfers_that_ran_together_are_one_notice() {
        let mut summary = BatchSummary::default();
        let one = summary.uploaded("work", "a.jsonl uploaded to work".into(), false);
        assert_eq!(one, Notice::ok("a.jsonl uploaded to work").about(ABOUT));
        let two = summary.uploaded("work", "b.jsonl uploaded to work".into(), false);
        assert_eq!(two, Notice::ok("2 files uploaded to work").about(ABOUT));
        let failed = summary.failed("c.jsonl: the server is full".into());
        let said = "2 files uploaded to the server; 1 failed, the last is c.jsonl: the server is full";
        assert_eq!(failed, Notice::error(said).about(ABOUT));
    }
}
