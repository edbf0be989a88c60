//! The error body of the interface, and what other servers send in its place.
