//! The check and the copy of whole files.
