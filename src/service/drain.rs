//! The rest of a request's body when its answer is complete.
//!
//! A caller that is refused while it still sends may not read the answer yet. If the connection were closed with unread
//! bytes, the system would reset it, and the answer could be lost. So a route only borrows the body; the rest is read
//! and discarded while the answer is sent, within limits.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::header;
use futures_util::StreamExt as _;
use hyper::body::{Frame, SizeHint};
use tokio::sync::oneshot;

use super::limits::{DRAIN, DRAINING};
use super::state::State;

/// Takes the body out of a request's route: returns the request with a body that is given back, and where it is given
/// back to.
pub(super) fn lend(request: Request) -> (Request, Left) {
    if request.body().is_end_stream() {
        return (request, Left(None));
    }
    let waits = request.headers().contains_key(header::EXPECT);
    let (sender, receiver) = oneshot::channel();
    let request = request.map(|body| Body::new(Lent { body, waits, back: Some(sender) }));
    (request, Left(Some(receiver)))
}

/// What a route left unread of a request's body.
#[must_use]
pub(super) struct Left(Option<oneshot::Receiver<Body>>);

impl Left {
    /// Reads the rest on a task of its own, until it ends, the service stops, or a limit is reached. Returns at once.
    pub(super) fn drain(self, state: &State) {
        let Some(body) = self.0.and_then(|mut receiver| receiver.try_recv().ok()) else { return };
        let stopped = state.stopped();
        tokio::spawn(async move {
            let past = async {
                let (mut body, mut read) = (body.into_data_stream(), 0);
                while let Some(Ok(bytes)) = body.next().await {
                    read += bytes.len() as u64;
                    if read > DRAIN {
                        break;
                    }
                }
            };
            tokio::select! {
                _ = tokio::time::timeout(DRAINING, past) => {}
                () = stopped => {}
            }
        });
    }
}

/// A body that is given back when it is dropped before its end.
struct Lent {
    body: Body,
    /// The caller waits for `100 Continue`, which was not sent yet.
    waits: bool,
    back: Option<oneshot::Sender<Body>>,
}

impl HttpBody for Lent {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        self.waits = false;
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        if matches!(frame, Poll::Ready(None | Some(Err(_)))) {
            self.back = None;
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        // The caller waits to be asked for the body: reading it would ask for it.
        if let Some(back) = self.back.take().filter(|_| !self.waits && !self.body.is_end_stream()) {
            let _ = back.send(std::mem::take(&mut self.body));
        }
    }
}
