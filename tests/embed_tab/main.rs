//! The Embed tab as it is used: keys, replies, the store's and the work threads' answers in; screen and calls out.
#![allow(unreachable_pub, missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod between;
mod desk;
mod disk;
mod frames;
mod inputs;
#[path = "../kit/mod.rs"]
mod kit;
mod labels;
mod pictures;
mod real;
mod runs;
mod surfaces;
mod vectors;

use kit::replies::embeddings as replies;
