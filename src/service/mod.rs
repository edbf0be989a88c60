//! The local service: the interface over HTTP on 127.0.0.1.
