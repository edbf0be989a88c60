//! The local service: the interface over HTTP on 127.0.0.1.
//!
//! [`start`] binds and serves until the [`Running`] it returns is dropped; [`router`] is the same without a socket.
//! [`share::Local`] is what benchtop itself uses: one process serves a data directory, the others join it.

mod ask;
mod body;
mod chat;
mod check;
mod gate;
mod generate;
mod limits;
mod listen;
mod models;
mod reject;
mod secret;
pub mod serve;
pub mod share;
mod state;
mod stream;
mod voice;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use secrecy::{ExposeSecret as _, SecretString};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

pub use state::State;

/// Where a service listens and whom it admits.
#[derive(Default)]
pub struct Options {
    /// Port on 127.0.0.1; 0 takes a free one.
    pub port: u16,
    /// The key callers must show; `None` makes a random one.
    pub key: Option<SecretString>,
}

/// Why a service could not be started or shared.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// Another program listens there.
    #[error("port {0} is in use by another program; choose another one with --port, or 0 for any free one")]
    PortInUse(u16),
    /// The port is not ours to take.
    #[error("port {port} could not be opened: {why}; choose another one with --port")]
    Bind {
        /// The port asked for.
        port: u16,
        /// What the system said.
        why: io::Error,
    },
    /// The system ended the start half-way.
    #[error("the local service could not be started: {0}")]
    Start(io::Error),
}

/// A running service. Dropping it stops it: it takes no more requests at once and open streams end within half a second.
#[derive(Debug)]
pub struct Running {
    address: SocketAddr,
    state: State,
    serving: Option<JoinHandle<()>>,
}

impl Running {
    /// `http://127.0.0.1:<port>/v1`
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The key callers must show.
    pub fn key(&self) -> &str {
        self.state.key().expose_secret()
    }

    /// What the routes share; tests read from it how many answers are being written.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Stops and waits until the last connection is closed: less than a second, streams open or not.
    pub async fn stop(mut self) {
        self.state.stop();
        if let Some(serving) = self.serving.take() {
            let _ = serving.await;
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.state.stop();
    }
}

/// Binds 127.0.0.1 and serves on the current runtime. Needs a tokio runtime with time and I/O.
pub async fn start(options: Options) -> Result<Running, ServiceError> {
    let Options { port, key } = options;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(|why| match why.kind() {
        io::ErrorKind::AddrInUse => ServiceError::PortInUse(port),
        _ => ServiceError::Bind { port, why },
    })?;
    let address = listener.local_addr().map_err(ServiceError::Start)?;
    let state = State::new(key.unwrap_or_else(secret::new_key));
    let serving =
        tokio::spawn(listen::serve(listener, router(state.clone()), state.clone(), listen::Limits::default()));
    Ok(Running { address, state, serving: Some(serving) })
}

/// Every route, without a socket.
pub fn router(state: State) -> Router {
    Router::new()
        .route("/v1/models", get(models::list))
        .route("/v1/models/{model}", get(models::retrieve))
        .route("/v1/chat/completions", post(chat::create))
        .fallback(gate::unknown_url)
        .method_not_allowed_fallback(gate::wrong_method)
        .layer(DefaultBodyLimit::max(limits::BODY))
        .layer(from_fn_with_state(state.clone(), gate::pass))
        .with_state(state)
}
