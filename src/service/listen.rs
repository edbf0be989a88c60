//! The accept loop: connections on 127.0.0.1, each a task that stopping can end.

use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::state::State;

/// Connections at once; more wait in the listener's backlog.
const CONNECTIONS: usize = 512;
/// What an open answer gets to end in when the service stops. Streams end by themselves within a token.
const GRACE: Duration = Duration::from_millis(500);

/// Serves until the state says stop, then ends every connection within [`GRACE`].
pub(super) async fn serve(listener: TcpListener, router: Router, state: State) {
    let stopped = state.stopped();
    tokio::pin!(stopped);
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            biased;
            () = &mut stopped => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept(), if connections.len() < CONNECTIONS => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(connection(stream, router.clone(), state.stopped()));
                }
                // Out of file descriptors, most likely: wait for some to be given back.
                Err(why) => {
                    tracing::warn!(%why, "the local service could not accept a connection");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            },
        }
    }
    drop(listener);
    let ended = async { while connections.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(GRACE, ended).await;
    // What is left is dropped, and with it the sockets.
    connections.shutdown().await;
}

/// One connection: requests one after another until the peer closes it or the service stops.
async fn connection(stream: TcpStream, router: Router, stopped: impl Future<Output = ()>) {
    // A token is a small write that must not wait for the next one.
    let _ = stream.set_nodelay(true);
    let service = TowerToHyperService::new(router);
    let serving = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    tokio::pin!(serving);
    let result = tokio::select! {
        result = serving.as_mut() => result,
        () = stopped => {
            serving.as_mut().graceful_shutdown();
            serving.await
        }
    };
    if let Err(why) = result {
        tracing::debug!(%why, "a connection of the local service ended early");
    }
}
