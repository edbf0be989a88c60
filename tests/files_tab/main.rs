//! The Files tab as it is used: keys, replies, the store's and the work threads' answers in; screen and calls out.
#![allow(unreachable_pub, missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod beginning;
mod check;
mod columns;
mod desk;
mod frames;
#[path = "../kit/mod.rs"]
mod kit;
mod listing;
mod moving;
mod odd;
mod pictures;
mod removing;
mod sending;
mod surfaces;
