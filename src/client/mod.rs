//! The one task that talks HTTP: calls in, progress out, a ticket each, cancel by dropping.
