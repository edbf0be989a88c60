//! Paths of the interface that more than one module names, after the base URL.

/// Embeddings.
pub(super) const EMBEDDINGS: &str = "/embeddings";
/// Files.
pub(super) const FILES: &str = "/files";
/// Moderations.
pub(super) const MODERATIONS: &str = "/moderations";
