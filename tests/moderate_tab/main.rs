//! The Moderate tab as it is used: keys, replies, the store's and the work threads' answers in; screen and calls out.
#![allow(unreachable_pub, missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod bench;
mod conversation;
mod desk;
mod disk;
mod errors;
mod export;
mod file;
mod frames;
#[path = "../kit/mod.rs"]
mod kit;
mod language;
mod models;
mod odd;
mod pictures;
mod surfaces;
mod thresholds;

use kit::replies::moderations as replies;
