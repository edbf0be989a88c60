//! Paths of the interface that more than one module names, after the base URL.

/// Embeddings.
pub(super) const EMBEDDINGS: &str = "/embeddings";
/// Files.
pub(super) const FILES: &str = "/files";
/// The list of models.
pub(super) const MODELS: &str = "/models";
/// Moderations.
pub(super) const MODERATIONS: &str = "/moderations";
