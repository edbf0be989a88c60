//! Every limit of the program, in one place (reliability: nothing waits or grows without bound).

use std::time::Duration;

/// To open a TCP connection.
pub const CONNECT: Duration = Duration::from_secs(10);
/// From the request to the response headers; a profile may raise it.
pub const HEADERS: Duration = Duration::from_mins(1);
/// Between two reads of a body; comments count as life.
pub const IDLE: Duration = Duration::from_secs(90);
/// A JSON body, bytes.
pub const JSON_BODY: usize = 64 << 20;
/// A line or event of a stream, bytes.
pub const SSE_LINE: usize = 8 << 20;
/// Bytes of an error body kept for the details view.
pub const ERROR_BODY_SHOWN: usize = 2 << 10;
/// Attempts in all for one request.
pub const ATTEMPTS: u8 = 3;
/// First wait between attempts; doubles.
pub const RETRY_FIRST: Duration = Duration::from_millis(500);
/// Longest wait between attempts of our own choosing.
pub const RETRY_MOST: Duration = Duration::from_secs(8);
/// A `Retry-After` above this is not waited for.
pub const RETRY_AFTER_MOST: Duration = Duration::from_mins(2);
/// Response headers in all, bytes.
pub const RESPONSE_HEADERS: usize = 64 << 10;
/// Progress messages that may wait for the screen; then the socket waits.
pub const PROGRESS_WAITING: usize = 256;
