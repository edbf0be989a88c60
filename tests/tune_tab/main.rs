//! The Tune tab as it is used: keys, replies, the store's answers in; screen and calls out.
#![allow(unreachable_pub, missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod creating;
mod desk;
mod following;
mod frames;
mod jobs;
#[path = "../kit/mod.rs"]
mod kit;
mod odd;
mod pictures;
mod real;
mod sampling;
mod surfaces;
mod trying;

use kit::replies::jobs as replies;
