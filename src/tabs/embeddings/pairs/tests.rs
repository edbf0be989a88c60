//! The pairs under keys and on the screen.

use crossterm::event::KeyCode;

use super::super::trial::{Trial, eight, read, set};
use super::*;
use crate::record::Table;

fn settled() -> Trial<Pairs> {
    let mut trial = Trial::<Pairs>::new(eight());
    trial.fresh();
    trial.settle();
    trial
}

#[test]
fn it_looks_as_drawn() {
    let mut trial = settled();
    for (width, height) in [(120, 12), (80, 12), (40, 9)] {
        println!("{}\n~~~~", trial.shown(width, height));
    }
}
