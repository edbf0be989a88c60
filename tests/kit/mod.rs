//! Drives the whole workbench in tests: keys in, screen out, a store in memory, and work and answers that a test makes up.
#![allow(dead_code, unused_imports, missing_docs, unreachable_pub, clippy::unwrap_used, clippy::expect_used)]

mod disk;
mod driver;
mod screen;
mod work;

use benchtop::app::Effect;
use benchtop::record::Record;

pub use disk::{Disk, Writes};
pub use driver::{Driver, Setup, Tab};
pub use screen::screen;
pub use work::{without_files, worked};

/// Returns all records of some effects, those of batches one by one.
pub fn records(effects: &[Effect]) -> Vec<Record> {
    fn collect(record: &Record, into: &mut Vec<Record>) {
        match record {
            Record::Batch(all) => all.iter().for_each(|record| collect(record, into)),
            one => into.push(one.clone()),
        }
    }
    let mut found = Vec::new();
    for effect in effects {
        if let Effect::Record(_, record) | Effect::Save(_, record) = effect {
            collect(record, &mut found);
        }
    }
    found
}
