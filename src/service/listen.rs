//! The accept loop: connections on 127.0.0.1, each a task that ends after its answer when the service leaves.

use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::limits::{CONNECTIONS, GRACE, READ_HEADERS, SILENT};
use super::state::State;

/// Limits of connections; the service's own by default.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    connections: usize,
    silent: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { connections: CONNECTIONS, silent: SILENT }
    }
}

/// Serves until the service leaves or stops. From then on no connection is accepted, and each ends with its answer; when
/// the service stops, within [`GRACE`].
pub(super) async fn serve(listener: TcpListener, router: Router, state: State, limits: Limits) {
    let leaving = state.leaving();
    tokio::pin!(leaving);
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            biased;
            () = &mut leaving => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept(), if connections.len() < limits.connections => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(connection(stream, router.clone(), state.leaving(), limits.silent));
                }
                // Out of file descriptors, most likely: wait until some are released.
                Err(why) => {
                    tracing::warn!(%why, "the local service could not accept a connection");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            },
        }
    }
    drop(listener);
    let ended = async { while connections.join_next().await.is_some() {} };
    let cut_off = async {
        state.stopped().await;
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! { () = ended => {}, () = cut_off => {} }
    // The remaining tasks are dropped, and with them the sockets.
    connections.shutdown().await;
}

/// Serves one connection: requests one after another until the peer closes it or falls silent, or the service leaves.
async fn connection(stream: TcpStream, router: Router, leaving: impl Future<Output = ()>, silent: Duration) {
    // A token is a small write that must not wait for the next one.
    let _ = stream.set_nodelay(true);
    let service = TowerToHyperService::new(router);
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(silent)
        .max_headers(READ_HEADERS)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(serving);
    let result = tokio::select! {
        result = serving.as_mut() => result,
        () = leaving => {
            serving.as_mut().graceful_shutdown();
            serving.await
        }
    };
    if let Err(why) = result {
        tracing::debug!(%why, "a connection of the local service ended early");
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    #[tokio::test]
    async fn silent_connections_do_not_keep_others_out() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let at = listener.local_addr().unwrap();
        let state = State::new("k".to_owned().into()).unwrap();
        let limits = Limits { connections: 2, silent: Duration::from_millis(50) };
        let serving = tokio::spawn(serve(listener, super::super::router(state.clone()), state.clone(), limits));
        // One sends nothing, one begins a request and never ends it.
        let _silent = TcpStream::connect(at).await.unwrap();
        let mut slow = TcpStream::connect(at).await.unwrap();
        slow.write_all(b"GET /v1/models HTTP/1.1\r\nHost: 127").await.unwrap();
        let mut third = TcpStream::connect(at).await.unwrap();
        let request = b"GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer k\r\n\r\n";
        third.write_all(request).await.unwrap();
        let mut status = [0; 12];
        let answered = tokio::time::timeout(Duration::from_secs(20), third.read_exact(&mut status)).await;
        answered.expect("an answer").unwrap();
        assert_eq!(&status, b"HTTP/1.1 200");
        state.stop();
        serving.await.unwrap();
    }
}
