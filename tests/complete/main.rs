//! The Complete tab as it is used: keys, replies, the store's and the work threads' answers in; screen and calls out.
#![allow(unreachable_pub, missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod compare;
mod desk;
mod disk;
mod history;
#[path = "../kit/mod.rs"]
mod kit;
mod moments;
mod odd;
mod pictures;
mod places;
mod real;
mod replies;
mod said;
mod scores;
mod writing;
