//! The pairs under keys and on the screen.

use crossterm::event::KeyCode;

use super::super::trial::{Trial, eight, read, set, texts};
use super::*;
use crate::record::Table;

fn settled() -> Trial<Pairs> {
    let mut trial = Trial::<Pairs>::new(eight());
    trial.fresh();
    assert_eq!(trial.settle(), 1);
    trial
}

fn press(trial: &mut Trial<Pairs>, keys: &str) -> Ask {
    keys.chars().map(|key| trial.press(KeyCode::Char(key))).last().unwrap()
}

#[test]
fn it_looks_as_drawn() {
    let mut trial = settled();
    let medium = "━━ ▸ Pairs above 0.80 ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 1 of 8 ━━
   pair   cosine ▾  first                          second
 ▌ F–G       0.999  change my password             reset login
   A–H       0.991  refund within 30 days          日本語: 返金について
   D–E       0.991  shipping costs                 delivery takes 5 days";
    let shown = trial.shown(80, 12);
    assert!(shown.starts_with(medium), "{shown}");
    let narrow = "━━ ▸ Pairs above 0.80 ━━━━━━━━ 1 of 8 ━━
   pair   cosine ▾  first      second
 ▌ F–G       0.999  change m…  reset lo…
   A–H       0.991  refund w…  日本語: …";
    let shown = trial.shown(40, 9);
    assert!(shown.starts_with(narrow), "{shown}");
    for (width, height) in (1..60).flat_map(|width| (1..8).map(move |height| (width, height))) {
        trial.shown(width, height);
    }
}

#[test]
fn keys_move_the_threshold_and_open_the_pair() {
    let mut trial = settled();
    assert_eq!(press(&mut trial, "jj"), Ask::Nothing);
    assert_eq!(trial.press(KeyCode::Enter), Ask::Pair(3, 4));
    assert_eq!(press(&mut trial, "+"), Ask::Above(0.81));
    assert_eq!(trial.settle(), 0, "what is above a higher one is known");
    (0..13).for_each(|_| drop(press(&mut trial, "+")));
    assert!(trial.shown(80, 12).contains("Pairs above 0.94 ━"));
    assert!(trial.shown(80, 12).contains("1 of 7"), "{}", trial.shown(80, 12));
    assert_eq!(press(&mut trial, "d"), Ask::Nothing);
    let shown = trial.shown(80, 12);
    assert!(shown.contains("Near-duplicates from 0.95") && shown.contains("1 of 5"), "{shown}");
    assert_eq!(press(&mut trial, "-"), Ask::Nothing, "its threshold is its own");
    assert!(trial.shown(80, 12).contains("from 0.94"));
    assert!((trial.read.above - 0.94).abs() < 1e-6);
    press(&mut trial, "d");
    (0..15).for_each(|_| drop(press(&mut trial, "-")));
    assert_eq!(trial.settle(), 1, "below what is known, once: what is under way is stopped");
    assert!(trial.shown(80, 14).contains("Pairs above 0.79 ━"));
    (0..40).for_each(|_| drop(press(&mut trial, "+")));
    let shown = trial.shown(80, 12);
    assert!(shown.contains("Pairs above 1.00") && shown.contains("− lowers the threshold"), "{shown}");
    assert_eq!(trial.press(KeyCode::Esc), Ask::Close);
}

#[test]
fn a_long_list_waits_until_it_is_asked_for_and_can_be_stopped() {
    let words: Vec<String> = (0..=AT_ONCE).map(|row| format!("text {row}")).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut list = Read { texts: texts(&words), ..Read::default() };
    let table = |far: f32| {
        let mut table = Table::new(AT_ONCE + 1);
        (0..=AT_ONCE).for_each(|row| table.set(row, &[1.0, row as f32 * far]));
        std::sync::Arc::new(table)
    };
    list.table = Some(table(0.001));
    let mut trial = Trial::<Pairs>::new(list);
    trial.fresh();
    assert_eq!(trial.effects.len(), 0);
    let shown = trial.shown(80, 12);
    assert!(shown.contains("12,502,500 pairs to compare"), "{shown}");
    assert_eq!(trial.pane.escape(), None);
    trial.press(KeyCode::Enter);
    let (ticket, _) = trial.asked().remove(0);
    assert!(trial.says(ticket, &Done::Moved { done: 6_251_250, total: 12_502_500 }));
    let shown = trial.shown(80, 12);
    assert!(shown.contains(" 50%   6,251,250 of 12,502,500 pairs") && trial.pane.escape().is_some(), "{shown}");
    assert_eq!(trial.press(KeyCode::Esc), Ask::Nothing, "it stops the sum");
    assert_eq!(trial.effects.len(), 1);
    trial.effects.clear();
    trial.fresh();
    assert_eq!(trial.effects.len(), 0, "and it stays stopped");
    assert!(trial.shown(80, 12).contains("Stopped. ⏎ begins again."));
    assert!(!trial.says(ticket, &Done::Failed("late".into())));
    trial.press(KeyCode::Enter);
    let (ticket, _) = trial.asked().remove(0);
    let pairs = vectors::Pairs { pairs: vec![(0, 1, 0.99), (7, 4_321, 0.9)], total: 123_456 };
    assert!(trial.says(ticket, &Done::Figures(Figures::Pairs(pairs))));
    let shown = trial.shown(80, 12);
    assert!(shown.contains("1 of 2 named, 123,456 in all") && shown.contains("8–4322"), "{shown}");
    // More vectors come: the list stays, and says that it is not all.
    trial.read.table = Some(table(0.002));
    trial.fresh();
    assert_eq!(trial.effects.len(), 0);
    let shown = trial.shown(80, 12);
    assert!(shown.contains("8–4322") && shown.contains("s sums up again"), "{shown}");
    press(&mut trial, "s");
    assert!(matches!(trial.asked().remove(0).1, Sum::Pairs { most: MOST, .. }));
}

#[test]
fn it_is_summed_up_again_when_vectors_come_and_not_when_it_failed() {
    let mut trial = settled();
    trial.fresh();
    assert_eq!(trial.settle(), 0);
    let mut table = Table::new(8);
    (0..8).for_each(|row| table.set(row, &[1.0, row as f32]));
    set(&mut trial.read, table);
    trial.fresh();
    let (ticket, _) = trial.asked().remove(0);
    assert!(trial.says(ticket, &Done::Failed("too \u{1b}many".into())));
    trial.fresh();
    assert_eq!(trial.effects.len(), 0);
    press(&mut trial, "s");
    assert_eq!(trial.settle(), 1, "unless it is asked for");
    let mut none = Trial::<Pairs>::new(read(&[("a", &[]), ("b", &[])]));
    none.fresh();
    assert_eq!(none.settle(), 0);
    assert!(none.shown(60, 9).contains("^R embeds the texts"));
}
