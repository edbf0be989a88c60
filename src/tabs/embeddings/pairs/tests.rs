//! The pairs under keys and on the screen.

use std::sync::Arc;

use crossterm::event::KeyCode;

use super::super::pane_test::{PaneTest, data, eight, set, texts};
use super::*;
use crate::record::VectorTable;
use crate::record::work::Done;

fn settled() -> PaneTest<PairsPane> {
    let mut test = PaneTest::<PairsPane>::new(eight());
    test.refresh();
    assert_eq!(test.settle(), 1);
    test
}

#[test]
fn it_looks_as_drawn() {
    let mut test = settled();
    let medium = "━━ ▸ Pairs above 0.80 ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 1 of 8 ━━
   pair   cosine ▾  first                          second
 ▌ F–G       0.999  change my password             reset login
   A–H       0.991  refund within 30 days          日本語: 返金について
   D–E       0.991  shipping costs                 delivery takes 5 days";
    let shown = test.shown(80, 12);
    assert!(shown.starts_with(medium), "{shown}");
    let narrow = "━━ ▸ Pairs above 0.80 ━━━━━━━━ 1 of 8 ━━
   pair   cosine ▾  first      second
 ▌ F–G       0.999  change m…  reset lo…
   A–H       0.991  refund w…  日本語: …";
    let shown = test.shown(40, 9);
    assert!(shown.starts_with(narrow), "{shown}");
    for (width, height) in (1..60).flat_map(|width| (1..8).map(move |height| (width, height))) {
        test.shown(width, height);
    }
}

#[test]
fn keys_move_the_threshold_and_open_the_pair() {
    let mut test = settled();
    assert_eq!(test.type_("jj"), Handled::Consumed);
    assert_eq!(test.press(KeyCode::Enter), Handled::Emit(PaneEvent::Pair(3, 4)));
    assert_eq!(test.type_("+"), Handled::Emit(PaneEvent::Above(0.81)));
    assert_eq!(test.settle(), 0, "what is above a higher one is known");
    (0..13).for_each(|_| drop(test.type_("+")));
    assert!(test.shown(80, 12).contains("Pairs above 0.94 ━"));
    assert!(test.shown(80, 12).contains("1 of 7"), "{}", test.shown(80, 12));
    assert_eq!(test.type_("d"), Handled::Consumed);
    let shown = test.shown(80, 12);
    assert!(shown.contains("Near-duplicates from 0.95") && shown.contains("1 of 5"), "{shown}");
    assert_eq!(test.type_("-"), Handled::Consumed, "its threshold is its own");
    assert!(test.shown(80, 12).contains("from 0.94"));
    assert!((test.data.above - 0.94).abs() < 1e-6);
    test.type_("d");
    (0..15).for_each(|_| drop(test.type_("-")));
    assert_eq!(test.settle(), 1, "below what is known, once: what is under way is stopped");
    assert!(test.shown(80, 14).contains("Pairs above 0.79 ━"));
    (0..40).for_each(|_| drop(test.type_("+")));
    let shown = test.shown(80, 12);
    assert!(shown.contains("Pairs above 1.00") && shown.contains("− lowers the threshold"), "{shown}");
    assert_eq!(test.press(KeyCode::Esc), Handled::Emit(PaneEvent::Close));
}

#[test]
fn a_long_list_waits_until_it_is_asked_for_and_can_be_stopped() {
    let words: Vec<String> = (0..=AT_ONCE).map(|row| format!("text {row}")).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut list = PaneData { texts: Arc::new(texts(&words)), ..PaneData::default() };
    let table = |far: f32| {
        let mut table = VectorTable::new(AT_ONCE + 1);
        (0..=AT_ONCE).for_each(|row| table.set(row, &[1.0, row as f32 * far]));
        Arc::new(table)
    };
    list.table = Some(table(0.001));
    let mut test = PaneTest::<PairsPane>::new(list);
    test.refresh();
    assert_eq!(test.effects.len(), 0);
    let shown = test.shown(80, 12);
    assert!(shown.contains("12,502,500 pairs to compare"), "{shown}");
    assert_eq!(test.pane.escape(), Some("back"));
    test.press(KeyCode::Enter);
    let (ticket, _) = test.asked().remove(0);
    assert!(test.says(ticket, Done::Moved { done: 6_251_250, total: 12_502_500 }));
    let shown = test.shown(80, 12);
    assert!(shown.contains(" 50%   6,251,250 of 12,502,500 pairs") && test.pane.escape() == Some("stop"), "{shown}");
    assert_eq!(test.press(KeyCode::Esc), Handled::Consumed, "it stops the sum");
    assert_eq!(test.effects.len(), 1);
    test.effects.clear();
    test.refresh();
    assert_eq!(test.effects.len(), 0, "and it stays stopped");
    assert!(test.shown(80, 12).contains("Stopped. ⏎ starts again."));
    assert!(!test.says(ticket, Done::Failed("late".into())));
    test.press(KeyCode::Enter);
    let (ticket, _) = test.asked().remove(0);
    let pairs = vectors::Pairs { pairs: vec![(0, 1, 0.99), (7, 4_321, 0.9)], total: 123_456 };
    assert!(test.says(ticket, Done::Figures(Figures::Pairs(pairs))));
    let shown = test.shown(80, 12);
    assert!(shown.contains("1 of 2 shown, 123,456 in all") && shown.contains("8–4322"), "{shown}");
    // More vectors come: the list stays, and says that it is not all.
    test.data.table = Some(table(0.002));
    test.refresh();
    assert_eq!(test.effects.len(), 0);
    let shown = test.shown(80, 12);
    assert!(shown.contains("8–4322") && shown.contains("s recomputes"), "{shown}");
    test.type_("s");
    assert!(matches!(test.asked().remove(0).1, VectorTask::Pairs { most: MOST, .. }));
}

#[test]
fn it_is_summed_up_again_when_vectors_come_and_not_when_it_failed() {
    let mut test = settled();
    test.refresh();
    assert_eq!(test.settle(), 0);
    let mut table = VectorTable::new(8);
    (0..8).for_each(|row| table.set(row, &[1.0, row as f32]));
    set(&mut test.data, table);
    test.refresh();
    let (ticket, _) = test.asked().remove(0);
    assert!(test.says(ticket, Done::Failed("too \u{1b}many".into())));
    test.refresh();
    assert_eq!(test.effects.len(), 0);
    test.type_("s");
    assert_eq!(test.settle(), 1, "unless it is asked for");
    let mut none = PaneTest::<PairsPane>::new(data(&[("a", &[]), ("b", &[])]));
    none.refresh();
    assert_eq!(none.settle(), 0);
    assert!(none.shown(60, 9).contains("^R embeds the texts"));
}
