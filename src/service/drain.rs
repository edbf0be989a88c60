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
pub(super) fn lend(request: Request) -> (Request, UnreadBody) {
    if request.body().is_end_stream() {
        return (request, UnreadBody(None));
    }
    let expects_continue = request.headers().contains_key(header::EXPECT);
    let (sender, receiver) = oneshot::channel();
    let request = request.map(|body| Body::new(LentBody { body, expects_continue, return_to: Some(sender) }));
    (request, UnreadBody(Some(receiver)))
}

/// What a route left unread of a request's body.
#[must_use]
pub(super) struct UnreadBody(Option<oneshot::Receiver<Body>>);

impl UnreadBody {
    /// Reads the rest on a task of its own, until it ends, the service stops, or a limit is reached. Returns at once.
    pub(super) fn drain(self, state: &State) {
        let Some(body) = self.0.and_then(|mut receiver| receiver.try_recv().ok()) else { return };
        let stopped = state.stopped();
        tokio::spawn(async move {
            let discard = async {
                let (mut body, mut read) = (body.into_data_stream(), 0);
                while let Some(Ok(bytes)) = body.next().await {
                    read += bytes.len() as u64;
                    if read > DRAIN {
                        break;
                    }
                }
            };
            tokio::select! {
                _ = tokio::time::timeout(DRAINING, discard) => {}
                () = stopped => {}
            }
        });
    }
}

/// A body that is given back when it is dropped before its end.
struct LentBody {
    body: Body,
    /// The caller waits for `100 Continue`, which was not sent yet.
    expects_continue: bool,
    return_to: Option<oneshot::Sender<Body>>,
}

impl HttpBody for LentBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        self.expects_continue = false;
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        if matches!(frame, Poll::Ready(None | Some(Err(_)))) {
            self.return_to = None;
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

impl Drop for LentBody {
    fn drop(&mut self) {
        // The caller waits to be asked for the body: reading it would ask for it.
        if let Some(return_to) = self.return_to.take().filter(|_| !self.expects_continue && !self.body.is_end_stream())
        {
            let _ = return_to.send(std::mem::take(&mut self.body));
        }
    }
}
