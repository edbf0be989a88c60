//! Drives the whole workbench, or a tab alone, in tests: keys in, screen out, with the real store, and with work and
//! answers from the test.
#![allow(dead_code, unused_imports, missing_docs, unreachable_pub, clippy::unwrap_used, clippy::expect_used)]

mod alone;
mod changed_keys;
mod disk;
mod driver;
mod frames;
pub mod local_files;
pub mod replies;
mod screen;
mod work;

use benchtop::app::Effect;
use benchtop::record::Record;

pub use alone::Alone;
pub use changed_keys::{change_keys, in_own_process};
pub use disk::{Disk, Writes};
pub use driver::{APART, Answers, Driver, Front, Setup, Tab, dark, keys_of};
pub use frames::frames_change_nothing;
pub use screen::{rows, screen};
pub use work::{token_work, without_files, worked};

/// Returns all records of some effects, those of batches one by one.
pub fn records(effects: &[Effect]) -> Vec<Record> {
    let record = |effect: &Effect| match effect {
        Effect::TrySave(_, record) | Effect::Save(_, record) => Some(record.clone()),
        _ => None,
    };
    effects.iter().filter_map(record).flat_map(flat).collect()
}

fn flat(record: Record) -> Vec<Record> {
    match record {
        Record::Batch(all) => all.into_iter().flat_map(flat).collect(),
        one => vec![one],
    }
}
