//! The local service: the interface over HTTP on 127.0.0.1.
//!
//! [`start`] binds and serves until the [`Running`] it returns is dropped; [`router`] is the same without a socket.
//! [`share::Local`] is what benchtop itself uses: one process serves a data directory, the others join it.

mod body;
mod caller;
mod chat;
mod chat_request;
mod check;
mod completions;
mod drain;
mod embeddings;
mod engines;
mod files;
mod fine_tunes;
mod fine_tuning;
mod gate;
mod generate;
mod headers;
mod heading;
mod input;
mod jobs;
mod json;
mod json_object;
mod limits;
mod listen;
mod logprobs;
mod metrics;
mod models;
mod moderations;
mod query;
mod reject;
mod request_log;
mod sampling;
mod secret;
pub mod serve;
pub mod share;
mod state;
mod stream;
mod turn;
mod writer;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use secrecy::ExposeSecret as _;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

pub use caller::{Caller, KeyFileError, Keys, Role};
pub use request_log::LogSink;
pub use state::State;

/// Where a service listens and which keys it accepts.
#[derive(Default)]
pub struct Options {
    /// Port on 127.0.0.1; 0 takes a free one.
    pub port: u16,
    /// The keys that are accepted; `None` makes a random one.
    pub keys: Option<Keys>,
    /// Directory of files and jobs, used by one process at a time. `None`: a temporary directory, deleted with the
    /// service.
    pub data: Option<PathBuf>,
    /// Receives a line for each request: time, method, path, status, milliseconds, tokens.
    pub log: Option<LogSink>,
}

/// Why a service could not be started or shared.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// Another program listens on the port.
    #[error("port {0} is in use by another program; choose another one with --port, or 0 for any free one")]
    PortInUse(u16),
    /// The system refuses the port.
    #[error("port {port} could not be opened: {why}; choose another one with --port")]
    Bind {
        /// The port asked for.
        port: u16,
        /// The system's error.
        why: io::Error,
    },
    /// The data directory cannot be used.
    #[error("the data directory cannot be used: {0}; choose another one with --data-dir")]
    Data(io::Error),
    /// The system failed a step of the start.
    #[error("the local service could not be started: {0}")]
    Start(io::Error),
}

/// A running service. Dropping it stops it: it accepts no more requests at once and open streams end within half a
/// second.
#[derive(Debug)]
pub struct Running {
    address: SocketAddr,
    state: State,
    serving: Option<JoinHandle<()>>,
}

impl Running {
    /// Returns `http://127.0.0.1:<port>/v1`.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Returns the key that benchtop itself shows.
    pub fn key(&self) -> &str {
        self.state.keys().own_key().expose_secret()
    }

    /// Returns what the routes share; tests read from it how many answers are being written.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Refuses new connections, and stops the service when the answers that it writes are complete, or after five
    /// seconds.
    pub async fn leave(mut self) {
        self.state.leave();
        if let Some(serving) = &mut self.serving
            && tokio::time::timeout(limits::LEAVING, serving).await.is_ok()
        {
            self.serving = None;
        }
        self.stop().await;
    }

    /// Stops the service and waits until the last connection is closed: less than a second, with or without streams.
    pub async fn stop(mut self) {
        self.state.stop();
        if let Some(serving) = self.serving.take() {
            let _ = serving.await;
        }
        self.state.metrics().flush().await;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.state.stop();
    }
}

/// Binds 127.0.0.1 and serves on the current runtime, which needs time and I/O. Fails if the port is taken or the data
/// directory cannot be opened.
pub async fn start(options: Options) -> Result<Running, ServiceError> {
    let Options { port, keys, data, log } = options;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(|why| match why.kind() {
        io::ErrorKind::AddrInUse => ServiceError::PortInUse(port),
        _ => ServiceError::Bind { port, why },
    })?;
    let address = listener.local_addr().map_err(ServiceError::Start)?;
    let keys = keys.unwrap_or_else(|| Keys::single(secret::new_key()));
    // Opening the data directory reads files: not on a thread that serves sockets.
    let opened = tokio::task::spawn_blocking(move || State::with_log(keys, data.as_deref(), log));
    let state = opened.await.map_err(io::Error::other).and_then(|opened| opened).map_err(ServiceError::Data)?;
    jobs::start(&state);
    let serving =
        tokio::spawn(listen::serve(listener, router(state.clone()), state.clone(), listen::Limits::default()));
    Ok(Running { address, state, serving: Some(serving) })
}

/// Returns a router with every route, without a socket.
pub fn router(state: State) -> Router {
    Router::new()
        .route(gate::HEALTH, get(metrics::health))
        .route("/metrics", get(metrics::metrics))
        .route("/v1/models", get(models::list))
        .route("/v1/models/{model}", get(models::retrieve).delete(models::delete))
        .route("/v1/chat/completions", post(chat::create))
        .merge(completions::routes())
        .merge(engines::routes())
        .merge(moderations::routes())
        .merge(embeddings::routes())
        .merge(files::routes())
        .merge(fine_tunes::routes())
        .merge(fine_tuning::routes())
        .fallback(gate::unknown_url)
        .method_not_allowed_fallback(gate::wrong_method)
        .layer(DefaultBodyLimit::max(limits::BODY))
        .layer(from_fn_with_state(state.clone(), gate::handle_request))
        .with_state(state)
}
