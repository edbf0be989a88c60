//! The shell without a terminal: events in, orders and pictures out, and the real loop on a test backend.
#![allow(unreachable_pub, missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod activity;
mod chat;
mod desk;
mod header;
mod help;
mod keys;
#[path = "../kit/mod.rs"]
mod kit;
mod looped;
mod manual;
mod missing_endpoint;
mod models;
mod mouse;
mod notices;
mod pace;
mod palette;
mod probe;
mod profile_editor;
mod profile_test;
mod profiles;
mod profiles_page;
mod real;
mod server_facts;
mod sizes;
mod switching;
mod themes;
