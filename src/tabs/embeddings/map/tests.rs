//! The map under keys and on the screen.

use crossterm::event::KeyCode;

use super::super::trial::{Trial, eight, read, set};
use super::*;
use crate::record::Table;

fn settled() -> Trial<Map> {
    let mut trial = Trial::<Map>::new(eight());
    trial.fresh();
    trial.settle();
    trial
}

#[test]
fn it_looks_as_drawn() {
    let mut trial = settled();
    for (width, height, focus) in [(42, 33, false), (80, 21, true), (40, 9, true)] {
        println!("{}\n~~~~", trial.shown_as(width, height, focus));
    }
}
