//! Every refusal as the interface's error body: `{"error":{"message","type","param","code"}}`, all four keys always.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::api::error::{ErrorBody, ErrorFields};

/// A request that is refused, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reject {
    /// HTTP status.
    pub(crate) status: StatusCode,
    /// One sentence for people; some clients parse it.
    pub(crate) message: String,
    /// `type`: `invalid_request_error` or `server_error`.
    pub(crate) kind: &'static str,
    /// The field at fault, if the interface names one.
    pub(crate) param: Option<&'static str>,
    /// A code for programs, if the interface has one.
    pub(crate) code: Option<&'static str>,
}

impl Reject {
    /// Creates a refusal for a mistake of the request, without `param` and `code`.
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), kind: "invalid_request_error", param: None, code: None }
    }

    /// Creates a 400: the request is wrong.
    pub(crate) fn bad(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    /// Creates a 500: an internal fault.
    pub(crate) fn fault() -> Self {
        let message = "The server had an error while processing your request. Sorry about that! Please try again; \
                       the newest file in the folder logs of benchtop's data directory says what went wrong.";
        Self { kind: "server_error", ..Self::new(StatusCode::INTERNAL_SERVER_ERROR, message) }
    }

    /// Creates a 503: too many answers are asked for at once.
    pub(crate) fn overloaded() -> Self {
        let message = "That model is currently overloaded with other requests. Please try again in a moment.";
        Self { kind: "server_error", ..Self::new(StatusCode::SERVICE_UNAVAILABLE, message) }
    }

    /// Creates a 503: the service is being stopped.
    pub(crate) fn stopping() -> Self {
        let message = "The local service is stopping. Please send the request again in a moment.";
        Self { kind: "server_error", ..Self::new(StatusCode::SERVICE_UNAVAILABLE, message) }
    }

    /// Creates a 400: no model is named.
    pub(crate) fn no_model() -> Self {
        Self::bad("you must provide a model parameter")
    }

    /// Creates a 404: the model named in a request body is unknown.
    pub(crate) fn unknown_model(model: &str) -> Self {
        let message = format!("The model: `{}` does not exist", short(model, 200));
        Self { code: Some("model_not_found"), ..Self::new(StatusCode::NOT_FOUND, message) }
    }

    /// Sets the field at fault.
    pub(crate) fn param(self, param: &'static str) -> Self {
        Self { param: Some(param), ..self }
    }

    /// Sets the code for programs.
    pub(crate) fn code(self, code: &'static str) -> Self {
        Self { code: Some(code), ..self }
    }

    /// Returns the error body as JSON text: the body of a refusal, and the last event of a stream that failed.
    pub(crate) fn json(&self) -> String {
        serde_json::to_string(&self.envelope()).expect("an envelope holds nothing but strings")
    }

    fn envelope(&self) -> ErrorBody {
        let Self { message, kind, param, code, .. } = self;
        let owned = |word: Option<&'static str>| word.map(str::to_owned);
        ErrorBody {
            error: ErrorFields {
                message: message.clone(),
                kind: (*kind).to_owned(),
                param: owned(*param),
                code: owned(*code),
            },
        }
    }
}

impl IntoResponse for Reject {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(self.envelope())).into_response();
        if self.status == StatusCode::UNAUTHORIZED {
            let realm = HeaderValue::from_static("Basic realm=\"OpenAI API\"");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, realm);
        }
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            // Seconds. Answers before this one end, or another process takes over, in about that time.
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

/// Returns at most `most` characters of what a caller sent, so that an error never repeats a megabyte.
pub(crate) fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_four_keys_stand_in_every_body() {
        let body = Reject::bad("no \"x\"").param("x").json();
        assert_eq!(body, r#"{"error":{"message":"no \"x\"","type":"invalid_request_error","param":"x","code":null}}"#);
    }

    #[test]
    fn a_refusal_for_a_moment_says_how_long_that_is() {
        for reject in [Reject::overloaded(), Reject::stopping()] {
            let response = reject.into_response();
            assert_eq!((response.status().as_u16(), &response.headers()["retry-after"]), (503, &"1".parse().unwrap()));
        }
        assert!(!Reject::fault().into_response().headers().contains_key("retry-after"));
    }

    #[test]
    fn long_words_of_a_caller_are_cut_between_characters() {
        assert_eq!(short("äöü", 2), "äö…");
        assert_eq!(short("äö", 2), "äö");
    }
}
