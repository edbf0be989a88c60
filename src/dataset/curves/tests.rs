//! Files as they are met.
