//! The Complete tab as it is used: keys, replies, the store's and the work threads' answers in; screen and calls out.
#![allow(unreachable_pub, missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod compare;
mod defaults;
mod desk;
mod edge_cases;
mod frames;
mod history;
#[path = "../kit/mod.rs"]
mod kit;
mod local_service;
mod notices;
mod panes;
mod pictures;
mod saving;
mod scores;
mod shell;
mod surfaces;
mod writing;

use kit::replies::completions as replies;
