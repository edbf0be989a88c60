//! A request's body in JSON, read within bounds of size and time.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;

use super::limits;
use super::reject::Reject;

/// The bytes of a body: at most [`limits::BODY`] of them, all here within [`limits::ARRIVE`].
pub(super) struct Whole(pub(super) Bytes);

impl<S: Send + Sync> FromRequest<S> for Whole {
    type Rejection = Reject;

    async fn from_request(request: Request, state: &S) -> Result<Self, Reject> {
        // A connection that never ends its request must not keep others out.
        let Ok(read) = tokio::time::timeout(limits::ARRIVE, Bytes::from_request(request, state)).await else {
            let message = "The body of your request did not arrive in time. Please send it again.";
            return Err(Reject::new(StatusCode::REQUEST_TIMEOUT, message));
        };
        match read {
            Ok(bytes) => Ok(Self(bytes)),
            Err(why) if why.status() == StatusCode::PAYLOAD_TOO_LARGE => {
                let message =
                    format!("The body of your request is larger than {} MiB. Please send less.", limits::BODY >> 20);
                Err(Reject::new(StatusCode::PAYLOAD_TOO_LARGE, message))
            }
            Err(_) => Err(Reject::bad("The body of your request ended before it was complete. Please send it again.")),
        }
    }
}
