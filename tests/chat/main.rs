//! The Chat tab from outside: events in, effects compared, pictures of its states.
#![allow(unreachable_pub, missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod answers;
mod attachments;
mod bindings;
mod blocks;
mod changing;
mod context;
mod costs;
mod defaults;
mod desk;
mod disk;
mod failing;
mod fields;
mod finding;
mod frames;
#[path = "../kit/mod.rs"]
mod kit;
mod limits;
mod look;
mod lost;
mod marks;
mod messages;
mod panes;
mod pictures;
mod probabilities;
mod quitting;
mod request;
mod shown;
mod surfaces;
mod trial;
mod versions;
mod words;
