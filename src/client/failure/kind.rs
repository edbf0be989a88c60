//! Finds out what kind of failure an error is, from its status, its code, its type and its message.

use reqwest::StatusCode;

use crate::api::call::FailureKind;
use crate::api::error::ApiError;

/// Returns the kind of failure that a status and an error body mean.
pub(super) fn kind_of_response(status: StatusCode, error: &ApiError) -> FailureKind {
    if let Some(kind) = kind_from_known_error(error) {
        return kind;
    }
    match status.as_u16() {
        // The key is valid, but not for this model, or the model does not support this call.
        403 if has_code_or_type(error, "model_not_found") || error.message.contains("from this model") => {
            FailureKind::Refused
        }
        401 | 403 => FailureKind::Auth,
        402 => FailureKind::Quota,
        // The path may be that of the models.
        404 if error.message.starts_with("Invalid URL") => FailureKind::Unsupported,
        404 if has_code_or_type(error, "model_not_found") || error.message.to_ascii_lowercase().contains("model") => {
            FailureKind::Refused
        }
        404 | 405 | 501 => FailureKind::Unsupported,
        408 => FailureKind::Timeout,
        429 => FailureKind::RateLimit,
        500.. => FailureKind::Server,
        _ => FailureKind::Refused,
    }
}

/// Returns the kind of an error that came without a status, within an answer.
pub(super) fn kind_without_status(error: &ApiError) -> FailureKind {
    kind_from_known_error(error).or_else(|| kind_from_code(error)).unwrap_or(FailureKind::Server)
}

/// Returns the kind of an error that means the same under any status; `None` for other errors.
fn kind_from_known_error(error: &ApiError) -> Option<FailureKind> {
    if has_code_or_type(error, "insufficient_quota") {
        return Some(FailureKind::Quota);
    }
    let is_too_long = has_code_or_type(error, "context_length_exceeded")
        || has_code_or_type(error, "exceed_context_size_error")
        || error.message.contains("maximum context length");
    is_too_long.then_some(FailureKind::TooLong)
}

/// Returns the kind that an error's code or type suggests.
fn kind_from_code(error: &ApiError) -> Option<FailureKind> {
    let kind_of = |name: &str| match name.to_ascii_lowercase().as_str() {
        "rate_limit_exceeded" | "rate_limit_error" | "ratelimiterror" | "throttling_error" | "requests" | "tokens" => {
            Some(FailureKind::RateLimit)
        }
        "invalid_api_key"
        | "invalid_organization"
        | "no_organization"
        | "mismatched_organization"
        | "auth_error"
        | "authentication_error"
        | "authenticationerror"
        | "permission_error"
        | "permissiondeniederror" => Some(FailureKind::Auth),
        "not_supported_error" => Some(FailureKind::Unsupported),
        "timeout_error" => Some(FailureKind::Timeout),
        "invalid_request_error"
        | "badrequesterror"
        | "bad_request_error"
        | "model_not_found"
        | "not_found_error"
        | "notfounderror" => Some(FailureKind::Refused),
        _ => None,
    };
    // One server sends this message with status 200, without a code or type.
    if error.message.to_ascii_lowercase().starts_with("unexpected endpoint") {
        return Some(FailureKind::Unsupported);
    }
    // The code is more specific than the type.
    error.code.as_deref().and_then(kind_of).or_else(|| kind_of(&error.kind))
}

/// Returns whether an error has this name as its code or its type.
fn has_code_or_type(error: &ApiError, name: &str) -> bool {
    error.code.as_deref() == Some(name) || error.kind == name
}
