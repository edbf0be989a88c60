//! The state that the routes share: the keys, the models, the files and jobs, the limit of concurrent answers, and
//! how far the service is from its end.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use secrecy::SecretString;
use tempfile::TempDir;
use tokio::sync::{Semaphore, watch};

use super::caller::Keys;
use super::files::register::Files;
use super::jobs::Jobs;
use super::metrics::Metrics;
use super::request_log::LogSink;
use crate::engine::language::Model;
use crate::engine::moderate::Classifier;
use crate::settings::paths::keep_private;

/// How far a service is from its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Serving,
    /// It refuses new connections, and ends when the answers that it writes are complete.
    Leaving,
    Stopped,
}

/// Shared by all routes of one service. Cheap to clone.
#[derive(Clone)]
pub struct State(Arc<Shared>);

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").field("live", &self.live()).finish_non_exhaustive()
    }
}

struct Shared {
    keys: Keys,
    turns: Arc<Semaphore>,
    live: AtomicUsize,
    queued: AtomicUsize,
    stage: watch::Sender<Stage>,
    model: OnceLock<Arc<Model>>,
    classifier: OnceLock<Classifier>,
    metrics: Metrics,
    files: Files,
    jobs: Jobs,
    /// The temporary directory of files and jobs if there is no data directory; deleted with the service.
    _temporary: Option<TempDir>,
}

impl State {
    /// Creates the state of a service that accepts `key` and stores nothing beyond its own life. Fails if the temporary
    /// folder cannot be created.
    pub fn new(key: SecretString) -> io::Result<Self> {
        Self::open(Keys::single(key), None)
    }

    /// Creates the state of a service that accepts `keys` and stores files and jobs in `data`, which no other process
    /// may use at the same time; without one, in a folder that is deleted with the state. No model is loaded yet. Fails
    /// if the folder cannot be used.
    pub fn open(keys: Keys, data: Option<&Path>) -> io::Result<Self> {
        Self::with_log(keys, data, None)
    }

    /// Creates a state as [`open`](Self::open) does, with a request log. Fails if the directory cannot be used.
    pub(super) fn with_log(keys: Keys, data: Option<&Path>, log: Option<LogSink>) -> io::Result<Self> {
        let temporary = if data.is_none() { Some(TempDir::with_prefix("benchtop-")?) } else { None };
        let home = data.or(temporary.as_ref().map(TempDir::path)).unwrap_or(Path::new(".")).join("service");
        keep_private(&home)?;
        // The engine uses a core while it works; one is left for the screen and the sockets.
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Ok(Self(Arc::new(Shared {
            keys,
            turns: Arc::new(Semaphore::new(cores.saturating_sub(1).max(1))),
            live: AtomicUsize::new(0),
            queued: AtomicUsize::new(0),
            stage: watch::Sender::new(Stage::Serving),
            model: OnceLock::new(),
            classifier: OnceLock::new(),
            metrics: Metrics::new(log)?,
            files: Files::open(&home)?,
            jobs: Jobs::open(&home)?,
            _temporary: temporary,
        })))
    }

    /// Returns how many answers are being written at this moment, taking turns at the engine. Falls when a reader
    /// disconnects.
    pub fn live(&self) -> usize {
        self.0.live.load(Ordering::SeqCst)
    }

    /// Returns how much other work waits for a turn at this moment.
    pub(super) fn queued(&self) -> usize {
        self.0.queued.load(Ordering::SeqCst)
    }

    /// Returns the statistics of answers.
    pub(super) fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    /// Returns the base model, loaded at the first call, which takes a moment: not on a thread that serves sockets.
    pub(super) fn base(&self) -> Arc<Model> {
        Arc::clone(self.0.model.get_or_init(|| Arc::new(Model::base())))
    }

    /// Returns the moderation classifier, read at the first call: not on a thread that serves sockets.
    pub(super) fn classifier(&self) -> &Classifier {
        self.0.classifier.get_or_init(Classifier::new)
    }

    pub(super) fn keys(&self) -> &Keys {
        &self.0.keys
    }

    /// Returns the stored files.
    pub(super) fn files(&self) -> &Files {
        &self.0.files
    }

    /// Returns the fine-tune jobs and the models they made.
    pub(super) fn jobs(&self) -> &Jobs {
        &self.0.jobs
    }

    /// Returns the turns at the engine, which are granted in the order of asking.
    pub(crate) fn turns(&self) -> Arc<Semaphore> {
        Arc::clone(&self.0.turns)
    }

    /// Refuses new connections and stops training; answers that are being written go on. No job is written to the disk
    /// after this returns.
    pub(crate) fn leave(&self) {
        self.end(Stage::Leaving);
    }

    /// Stops every stream besides. No job is written to the disk after this returns.
    pub(crate) fn stop(&self) {
        self.end(Stage::Stopped);
    }

    fn end(&self, stage: Stage) {
        self.0.jobs.stop();
        self.0.stage.send_replace(stage);
    }

    /// Returns a future that completes when the service refuses new connections.
    pub(crate) fn leaving(&self) -> impl Future<Output = ()> + Send + 'static {
        self.reached(Stage::Leaving)
    }

    /// Returns a future that completes when the service stops.
    pub(crate) fn stopped(&self) -> impl Future<Output = ()> + Send + 'static {
        self.reached(Stage::Stopped)
    }

    fn reached(&self, stage: Stage) -> impl Future<Output = ()> + Send + 'static {
        let mut now = self.0.stage.subscribe();
        async move {
            let _ = now.wait_for(|now| *now >= stage).await;
        }
    }

    /// Counts an answer that is being written; `None` if `most` are already.
    pub(crate) fn begin_answer(&self, most: usize) -> Option<CountGuard> {
        CountGuard::start(self, |shared| &shared.live, most)
    }

    /// Counts other work that waits for a turn; `None` if `most` wait already.
    pub(crate) fn begin_waiting(&self, most: usize) -> Option<CountGuard> {
        CountGuard::start(self, |shared| &shared.queued, most)
    }
}

/// Increments a count for as long as this lives.
pub(crate) struct CountGuard {
    shared: Arc<Shared>,
    counter: fn(&Shared) -> &AtomicUsize,
}

impl CountGuard {
    fn start(state: &State, counter: fn(&Shared) -> &AtomicUsize, most: usize) -> Option<Self> {
        let shared = Arc::clone(&state.0);
        let before = counter(&shared).fetch_add(1, Ordering::SeqCst);
        let guard = Self { shared, counter };
        (before < most).then_some(guard)
    }
}

impl Drop for CountGuard {
    fn drop(&mut self) {
        (self.counter)(&self.shared).fetch_sub(1, Ordering::SeqCst);
    }
}
