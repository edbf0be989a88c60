//! Limits of the check of a training file.

/// Bytes of a row without its line end: what is held in memory at once, and what the service accepts.
pub(super) const ROW: usize = 8 << 20;
/// Characters above which a pair is too long by the legacy tool.
pub(super) const LONG: usize = 10_000;
/// Problems named.
pub(super) const NAMED: usize = 1_000;
/// The error of a check that was stopped.
pub(super) const STOPPED: &str = "stopped because the result is no longer needed";
