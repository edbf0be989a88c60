//! The cache of vectors: a database file of its own beside the store, on a thread of its own.
//!
//! Its content can be fetched again, at a cost, so it is in no backup, and a damaged one is renamed and replaced. It is
//! opened with the first request that needs it. Vectors are large: on this thread they delay no commit of a message.

mod file;
mod rows;

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use self::file::File;
use super::commit::commit;
use super::error::{WriteError, is_damage, sentence};
use super::limits::{BATCH, LONGEST_PAUSE, NUMBERS, PAUSE};
use super::replies::{ReplySender, WarningSender};
use super::schema::Medium;
use super::waiting::{Depends, OnRefusal};
use crate::api::call::Ticket;
use crate::record::{Rows, Stored, TextKey, VectorKey};

/// Damage while other copies use the file. The next copy that is alone with it renames it.
const DAMAGED_IN_USE: &str =
    "the vector cache is damaged and another copy of benchtop has it open; quit all copies and start again";

/// A request to the cache.
pub(super) enum CacheRequest {
    Keep(Ticket, NewVectors, OnRefusal),
    Load(Ticket, VectorQuery),
    /// Give the vectors of a profile its new name.
    Rename {
        from: String,
        to: String,
    },
    /// Sends messages for the user to this receiver from now on.
    Subscribe(WarningSender),
    /// Finish what was asked before, then end.
    Close,
}

/// Vectors to store.
pub(super) struct NewVectors {
    pub(super) key: VectorKey,
    pub(super) vectors: Vec<(TextKey, Arc<[f32]>)>,
}

/// Vectors depend on nothing.
impl Depends for NewVectors {}

/// A question.
pub(super) struct VectorQuery {
    pub(super) key: VectorKey,
    pub(super) texts: Arc<[TextKey]>,
    /// Whether the vectors themselves are wanted, or only whether they exist.
    pub(super) whole: bool,
}

/// Where the cache is stored.
pub(super) enum CacheLocation {
    /// A file.
    File(PathBuf, Medium),
    /// Memory.
    Memory,
}

/// The cache's thread.
pub(super) struct Cache {
    place: CacheLocation,
    file: Option<File>,
    requests: Receiver<CacheRequest>,
    replies: ReplySender,
    warnings_to: Option<WarningSender>,
    refused: RefusedVectors,
    /// Answers to queries are no longer needed.
    closing: Arc<AtomicBool>,
}

/// Vectors that were refused and are offered again.
#[derive(Default)]
struct RefusedVectors {
    requests: Vec<(Ticket, NewVectors, OnRefusal)>,
    reason: String,
    pause: Duration,
    due: Option<Instant>,
}

/// Why the cache could not do something.
#[derive(Debug)]
enum CacheError {
    /// Why it was refused, a sentence.
    Refused(String),
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for CacheError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl fmt::Display for CacheError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(why) => f.write_str(why),
            Self::Sqlite(error) if is_damage(error) => f.write_str(DAMAGED_IN_USE),
            Self::Sqlite(error) => write!(f, "the vector cache: {}", sentence(error)),
        }
    }
}

impl Cache {
    /// Creates a cache that is not opened yet.
    pub(super) fn new(
        place: CacheLocation,
        requests: Receiver<CacheRequest>,
        replies: ReplySender,
        closing: Arc<AtomicBool>,
    ) -> Self {
        Self { place, file: None, requests, replies, warnings_to: None, refused: RefusedVectors::default(), closing }
    }

    /// Works until [`CacheRequest::Close`] or until the store was dropped. Returns what could not be written, if
    /// anything: a sentence.
    pub(super) fn run(mut self) -> Option<String> {
        let mut open = true;
        while open {
            let first = match self.refused.due {
                None => self.requests.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(due) => self.requests.recv_timeout(due.saturating_duration_since(Instant::now())),
            };
            let first = match first {
                Ok(first) => first,
                Err(RecvTimeoutError::Timeout) => {
                    self.retry_refused();
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => break,
            };
            let (mut keeps, mut loads, mut numbers, mut renamed) = (Vec::new(), Vec::new(), 0, None);
            let mut next = Some(first);
            while let Some(request) = next.take() {
                match request {
                    CacheRequest::Keep(ticket, batch, on_refusal) => {
                        numbers += batch.vectors.iter().map(|(_, vector)| vector.len()).sum::<usize>();
                        keeps.push((ticket, batch, on_refusal));
                    }
                    CacheRequest::Load(ticket, query) => loads.push((ticket, query)),
                    CacheRequest::Rename { from, to } => {
                        renamed = Some((from, to));
                        break;
                    }
                    CacheRequest::Subscribe(warnings_to) => self.warnings_to = Some(warnings_to),
                    CacheRequest::Close => {
                        open = false;
                        break;
                    }
                }
                if numbers < NUMBERS && keeps.len() + loads.len() < BATCH {
                    next = self.requests.try_recv().ok();
                }
            }
            if !keeps.is_empty() {
                self.keep(keeps);
            }
            // After the commit: a query sees what was recorded before it was asked.
            for (ticket, query) in loads {
                let answer = self.catch_panic(|cache| cache.answer(&query));
                let stored = answer.map_or_else(|why| Stored::Failed(why.into()), Stored::Rows);
                self.replies.send(ticket, stored);
            }
            if let Some((from, to)) = renamed {
                self.rename(&from, &to);
            }
        }
        self.retry_refused();
        let RefusedVectors { requests, reason, .. } = std::mem::take(&mut self.refused);
        for (ticket, ..) in &requests {
            self.replies.send(*ticket, Stored::Failed(reason.clone().into()));
        }
        if let Some(file) = self.file {
            file.close();
        }
        (!requests.is_empty()).then(|| format!("vectors: {reason}"))
    }

    /// Gives the vectors of a profile its new name, those that were refused too. Says where that fails.
    fn rename(&mut self, from: &str, to: &str) {
        for (_, vectors, _) in &mut self.refused.requests {
            if vectors.key.profile == from {
                to.clone_into(&mut vectors.key.profile);
            }
        }
        if self.file.is_none() && !self.exists() {
            return;
        }
        let renamed = self.catch_panic(|cache| {
            cache.retry_with_new_file(|cache| Ok(rows::rename(&cache.open_file()?.connection, from, to)?))
        });
        if let Err(why) = renamed {
            self.tell(Some(format!("saved vectors stay under the name {from}: {why}")));
        }
    }

    /// Offers again what was refused.
    fn retry_refused(&mut self) {
        let requests = std::mem::take(&mut self.refused.requests);
        if requests.is_empty() {
            return;
        }
        let before = std::mem::take(&mut self.refused.reason);
        self.write_all(requests, Some(&before));
        let refused = &mut self.refused;
        if !refused.requests.is_empty() {
            refused.pause = (refused.pause * 2).min(LONGEST_PAUSE);
            refused.due = Some(Instant::now() + refused.pause);
        }
    }

    /// Commits new vectors. What was refused before waits for its time, however much arrives meanwhile.
    fn keep(&mut self, requests: Vec<(Ticket, NewVectors, OnRefusal)>) {
        self.write_all(requests, None);
        let refused = &mut self.refused;
        if !refused.requests.is_empty() && refused.due.is_none() {
            refused.pause = PAUSE;
            refused.due = Some(Instant::now() + PAUSE);
        }
    }

    /// Commits vectors and answers each request; those that are to be offered again are kept. `before` is the reason for
    /// which these were refused: it is not reported twice.
    fn write_all(&mut self, requests: Vec<(Ticket, NewVectors, OnRefusal)>, before: Option<&str>) {
        let (mut tickets, mut batch) = (Vec::with_capacity(requests.len()), Vec::with_capacity(requests.len()));
        for (ticket, vectors, on_refusal) in requests {
            tickets.push((ticket, on_refusal));
            batch.push(vectors);
        }
        let results = self.catch_panic(|cache| cache.commit(&batch));
        let results = results.unwrap_or_else(|why| batch.iter().map(|_| Err(why.clone())).collect());
        for (((ticket, on_refusal), vectors), result) in tickets.into_iter().zip(batch).zip(results) {
            let stored = match result {
                Ok(()) => Stored::Committed,
                Err(why) if on_refusal == OnRefusal::Retry => {
                    self.refused.requests.push((ticket, vectors, on_refusal));
                    self.refused.reason.clone_from(&why);
                    if before == Some(why.as_str()) {
                        continue;
                    }
                    Stored::Waiting(why.into())
                }
                Err(why) => Stored::Failed(why.into()),
            };
            self.replies.send(ticket, stored);
        }
        if self.refused.requests.is_empty() {
            self.refused.due = None;
        }
    }

    /// Runs `work` so that a panic becomes an error and leaves no half of a transaction.
    fn catch_panic<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, CacheError>) -> Result<T, String> {
        match catch_unwind(AssertUnwindSafe(|| work(self))) {
            Ok(result) => result.map_err(|error| error.to_string()),
            Err(_) => {
                // Closing rolls back. This may lose a cache in memory, too, which is only a cache.
                self.file = None;
                Err("internal error in the vector cache; please report it".to_owned())
            }
        }
    }

    /// Commits a batch. Returns a result for each.
    fn commit(&mut self, batch: &[NewVectors]) -> Result<Vec<Result<(), String>>, CacheError> {
        self.retry_with_new_file(|cache| {
            let results = commit(&mut cache.open_file()?.connection, batch, rows::write);
            let mut sentences = Vec::with_capacity(results.len());
            for result in results {
                match result {
                    // All of them again: those that were written are renamed with the rest.
                    Err(WriteError::Sqlite(error)) if is_damage(&error) => return Err(error.into()),
                    Err(WriteError::Sqlite(error)) => sentences.push(Err(CacheError::Sqlite(error).to_string())),
                    Err(WriteError::Invalid(why) | WriteError::Obsolete(why) | WriteError::Deferred(why)) => {
                        sentences.push(Err(format!("the vector cache: {why}")));
                    }
                    Ok(()) => sentences.push(Ok(())),
                }
            }
            Ok(sentences)
        })
    }

    fn answer(&mut self, query: &VectorQuery) -> Result<Rows, CacheError> {
        self.retry_with_new_file(|cache| {
            let closing = Arc::clone(&cache.closing);
            if cache.file.is_none() && !cache.exists() {
                return Ok(rows::empty_answer(query));
            }
            rows::read(&mut cache.open_file()?.connection, query, &closing)
        })
    }

    /// Does something, and once more with a new file if this one is damaged.
    fn retry_with_new_file<T>(
        &mut self,
        mut work: impl FnMut(&mut Self) -> Result<T, CacheError>,
    ) -> Result<T, CacheError> {
        match work(self) {
            Err(CacheError::Sqlite(error)) if is_damage(&error) => {
                self.replace_damaged_file()?;
                work(self)
            }
            result => result,
        }
    }

    fn exists(&self) -> bool {
        matches!(&self.place, CacheLocation::File(path, _) if path.exists())
    }

    fn open_file(&mut self) -> Result<&mut File, CacheError> {
        let file = match self.file.take() {
            Some(file) => file,
            None => {
                let mut told = None;
                let file = match &self.place {
                    CacheLocation::Memory => File::memory()?,
                    CacheLocation::File(path, medium) => File::open(path, *medium, &mut told)?,
                };
                self.tell(told);
                file
            }
        };
        Ok(self.file.insert(file))
    }

    /// Replaces the damaged file, unless another copy uses it.
    fn replace_damaged_file(&mut self) -> Result<(), CacheError> {
        if let Some(file) = self.file.take() {
            file.report_damage();
        }
        self.open_file().map(|_| ())
    }

    fn tell(&self, sentence: Option<String>) {
        if let (Some(sentence), Some(warnings_to)) = (sentence, &self.warnings_to) {
            warnings_to(sentence);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn a_full_disk_refuses_what_does_not_fit_and_no_more() {
        let home = tempfile::tempdir().unwrap();
        let (send, answers) = channel();
        let (_requests, waiting) = channel();
        let replies = ReplySender::new(move |ticket, stored| send.send((ticket, stored)).unwrap_or_default());
        let place = CacheLocation::File(home.path().join("vectors.db"), Medium::Local);
        let mut cache = Cache::new(place, waiting, replies, Arc::default());
        let key = VectorKey { profile: "p".into(), model: "m".into(), dimensions: None };
        let batch = |first: u8, count: u8| {
            let vectors = (first..first + count).map(|n| (TextKey([n; 16]), Arc::from([f32::from(n); 1_536])));
            NewVectors { key: key.clone(), vectors: vectors.collect() }
        };
        let pages = |cache: &mut Cache, most: i64| {
            let connection = &cache.open_file().unwrap().connection;
            connection.pragma_update_and_check(None, "max_page_count", most, |_| Ok(())).unwrap();
        };
        pages(&mut cache, 12);
        let requests = [(1, batch(0, 5)), (2, batch(50, 150)), (3, batch(10, 5))]
            .map(|(ticket, batch)| (Ticket(ticket), batch, OnRefusal::Report));
        cache.keep(requests.into());
        let all: Vec<_> = answers.try_iter().collect();
        assert_eq!((&all[0], &all[2]), (&(Ticket(1), Stored::Committed), &(Ticket(3), Stored::Committed)));
        let full = "the vector cache: disk full; free some space";
        assert_eq!(all[1], (Ticket(2), Stored::Failed(full.into())));
        pages(&mut cache, 1_000);
        cache.keep(vec![(Ticket(2), batch(50, 150), OnRefusal::Report)]);
        assert_eq!(answers.try_recv().unwrap(), (Ticket(2), Stored::Committed));
        pages(&mut cache, 1);
        cache.keep(vec![(Ticket(4), batch(200, 50), OnRefusal::Retry)]);
        assert_eq!(answers.try_recv().unwrap(), (Ticket(4), Stored::Waiting(full.into())));
        assert!(cache.refused.due.is_some());
        pages(&mut cache, 2_000);
        cache.retry_refused();
        assert_eq!(answers.try_recv().unwrap(), (Ticket(4), Stored::Committed));
        assert_eq!(cache.refused.due, None);
        let texts = [1, 11, 199, 30].map(|n| TextKey([n; 16])).into();
        let query = VectorQuery { key: key.clone(), texts, whole: false };
        assert_eq!(cache.answer(&query).unwrap(), Rows::HasVectors(vec![true, true, true, false]));
    }

    #[test]
    fn who_hurries_gets_no_vectors_and_keeps_them_all_the_same() {
        let (send, answers) = channel();
        let (requests, waiting) = channel();
        let replies = ReplySender::new(move |_, stored| send.send(stored).unwrap_or_default());
        let closing = Arc::new(AtomicBool::new(true));
        let key = VectorKey { profile: "p".into(), model: "m".into(), dimensions: None };
        let text = TextKey([1; 16]);
        requests
            .send(CacheRequest::Keep(
                Ticket(1),
                NewVectors { key: key.clone(), vectors: vec![(text, [1.0].into())] },
                OnRefusal::Report,
            ))
            .unwrap();
        requests.send(CacheRequest::Load(Ticket(2), VectorQuery { key, texts: [text].into(), whole: true })).unwrap();
        drop(requests);
        Cache::new(CacheLocation::Memory, waiting, replies, closing).run();
        let all: Vec<_> = answers.try_iter().collect();
        assert_eq!(all, [Stored::Committed, Stored::Failed("benchtop is closing".into())]);
    }

    #[test]
    fn a_network_file_system_has_its_journal() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("vectors.db");
        for (medium, expected) in [(Medium::Local, ("wal", 2)), (Medium::Network, ("truncate", 3))] {
            let _ = std::fs::remove_file(&path);
            let file = File::open(&path, medium, &mut None).unwrap();
            let word: String = file.connection.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
            let number: i64 = file.connection.pragma_query_value(None, "synchronous", |row| row.get(0)).unwrap();
            assert_eq!((word.as_str(), number), expected);
            file.close();
        }
    }
}
